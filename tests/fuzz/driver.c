/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz NAME [LIBFUZZER'S OPTIONS AND FOLDERS]: what libFuzzer calls. Folders by absolute paths, as
 * the current one is left. Programs that libFuzzer starts find the name in SOFTLABEL_FUZZ. */
#include "fuzz.h"
#include "mutate-json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerInitialize (int *argc, char ***argv);
int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);
gsize LLVMFuzzerCustomMutator (guint8 *data, gsize size, gsize most, unsigned seed);
gsize LLVMFuzzerMutate (guint8 *data, gsize size, gsize most);

static const SlFuzz *harness;

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  if (*argc > 1 && sl_fuzz_find ((*argv)[1]) != NULL)
    {
      (void) g_setenv ("SOFTLABEL_FUZZ", (*argv)[1], TRUE);
      memmove (*argv + 1, *argv + 2, sizeof **argv * (gsize) (*argc - 1));
      *argc -= 1;
    }
  const char *name = g_getenv ("SOFTLABEL_FUZZ");
  harness = name != NULL ? sl_fuzz_find (name) : NULL;
  if (harness == NULL)
    {
      for (const SlFuzz *each = sl_fuzz_harnesses; each->name != NULL; each++)
        printf ("%s %s\n", each->name, each->words != NULL ? each->words : "");
      exit (2);
    }
  sl_fuzz_init ();
  return 0;
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  sl_fuzz_try (harness, data, size);
  return 0;
}

/* Three of four changes keep JSON what it is. */
gsize
LLVMFuzzerCustomMutator (guint8 *data, gsize size, gsize most, unsigned seed)
{
  gboolean json = harness->words != NULL && strcmp (harness->words, "json") == 0;
  gsize changed = json && seed % 4 != 0 ? sl_fuzz_mutate_json (data, size, most, seed) : 0;
  return changed > 0 ? changed : LLVMFuzzerMutate (data, size, most);
}
