/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table that is taken goes through every form of table, and comes out as it went in; its text,
 * read and written again, is the same text. */
#include "fuzz.h"

void
sl_fuzz_round_trip (const guint8 *data, gsize size)
{
  static const struct
  {
    const char *line, *made, *kept;
  } steps[] = {
    { "cat first.arrows --no-provenance -o out.parquet", "out.parquet", "kept.parquet" },
    { "cat kept.parquet --no-provenance -o out.arrow", "out.arrow", "kept.arrow" },
    { "cat kept.arrow --no-provenance -o out.arrows", "out.arrows", "last.arrows" },
  };
  if (sl_fuzz_run ("cat in.arrows --no-provenance -o out.arrows", data, size) != 0)
    return;
  sl_fuzz_keep ("out.arrows", "first.arrows");
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      if (sl_fuzz_run (steps[i].line, NULL, 0) != 0)
        sl_fuzz_fail ("%s: what was written is refused", steps[i].line);
      sl_fuzz_keep (steps[i].made, steps[i].kept);
    }
  sl_fuzz_expect_same ("first.arrows", "last.arrows");
}

/* The first table as text, ENDING, and that read and written again. */
static void
text_trip (const char *ending)
{
  g_autofree char *write = g_strconcat ("cat -q first.arrows -o out.", ending, NULL);
  g_autofree char *read = g_strconcat ("cat -q once.", ending, " -o out.arrows", NULL);
  g_autofree char *write_again = g_strconcat ("cat -q again.arrows -o out.", ending, NULL);
  g_autofree char *out = g_strconcat ("out.", ending, NULL);
  g_autofree char *once = g_strconcat ("once.", ending, NULL);
  if (sl_fuzz_run (write, NULL, 0) != 0)
    sl_fuzz_fail ("%s: a table cannot be written as text", write);
  sl_fuzz_keep (out, once);
  /* Text does not tell all that a table does, such as tensors' shapes. */
  if (sl_fuzz_run (read, NULL, 0) != 0)
    return;
  sl_fuzz_keep ("out.arrows", "again.arrows");
  if (sl_fuzz_run (write_again, NULL, 0) != 0)
    sl_fuzz_fail ("%s: a table cannot be written as text", write_again);
  sl_fuzz_expect_same (once, out);
}

void
sl_fuzz_text_trip (const guint8 *data, gsize size)
{
  if (sl_fuzz_run ("cat in.arrows --no-provenance -o out.arrows", data, size) != 0)
    return;
  sl_fuzz_keep ("out.arrows", "first.arrows");
  text_trip ("csv");
  text_trip ("jsonl");
}
