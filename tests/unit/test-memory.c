/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/base/large-pages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* From malloc's memory to mapped pages, and to more of them: the contents stay, the rest is 0. */
static void
test_grow (void **state)
{
  (void) state;
  static const gsize sizes[] = { 8, 100, 1 << 20, (2 << 20) - 1, 2 << 20, (2 << 20) + 1, 9 << 20 };
  gsize before = sizes[0];
  guint8 *memory = sl_memory_new (before);
  for (gsize s = 1; s < G_N_ELEMENTS (sizes); s++)
    {
      for (gsize i = 0; i < before; i++)
        memory[i] = (guint8) (i % 251);
      memory = sl_memory_grow (memory, before, sizes[s]);
      for (gsize i = 0; i < before; i++)
        assert_int_equal (memory[i], i % 251);
      for (gsize i = before; i < sizes[s]; i++)
        assert_int_equal (memory[i], 0);
      before = sizes[s];
    }
  sl_memory_free (memory, before);
}

/* Whether BYTES at MEMORY lie in one mapping, so that any Linux can move them again. */
static gboolean
is_one_mapping (gconstpointer memory, gsize bytes)
{
  FILE *maps = fopen ("/proc/self/maps", "r");
  assert_non_null (maps);
  gboolean found = FALSE;
  unsigned long first, end;
  while (!found && fscanf (maps, "%lx-%lx%*[^\n]", &first, &end) == 2)
    found = first <= (gsize) memory && (gsize) memory + bytes <= end;
  (void) fclose (maps);
  return found;
}

static void
test_grow_again (void **state)
{
  (void) state;
  gsize bytes = 2 << 20;
  guint8 *memory = sl_memory_new (bytes);
  for (int step = 0; step < 6; step++)
    {
      memset (memory, 1, bytes);
      memory = sl_memory_grow (memory, bytes, bytes + bytes / 2);
      bytes += bytes / 2;
      assert_true (is_one_mapping (memory, bytes));
    }
  sl_memory_free (memory, bytes);
}

int
main (void)
{
  const struct CMUnitTest tests[]
      = { cmocka_unit_test (test_grow), cmocka_unit_test (test_grow_again) };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
