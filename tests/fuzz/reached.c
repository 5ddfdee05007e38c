/* SPDX-License-Identifier: GPL-3.0-or-later */
/* With libFuzzer's counters in the program: where each block of code lies in it, and whether it was
 * reached, to the file that SOFTLABEL_FUZZ_REACHED names, at the end. */
#include <dlfcn.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>

/* As clang lays them out: https://clang.llvm.org/docs/SanitizerCoverage.html */
typedef struct
{
  const char *place;
  gsize flags;
} Block;

void __sanitizer_cov_8bit_counters_init (guint8 *from, guint8 *to);
void __sanitizer_cov_pcs_init (const Block *from, const Block *to);

static const guint8 *counter;
static const Block *block;
static gsize n;

static void
tell (void)
{
  const char *path = g_getenv ("SOFTLABEL_FUZZ_REACHED");
  FILE *file = path != NULL ? fopen (path, "w") : NULL;
  Dl_info program;
  if (file == NULL || dladdr (block, &program) == 0)
    return;
  for (gsize i = 0; i < n; i++)
    fprintf (file, "0x%zx %d\n", (gsize) (block[i].place - (const char *) program.dli_fbase),
             counter[i] != 0);
  (void) fclose (file);
}

void
__sanitizer_cov_8bit_counters_init (guint8 *from, guint8 *to)
{
  counter = from;
  n = (gsize) (to - from);
  (void) atexit (tell);
}

void
__sanitizer_cov_pcs_init (const Block *from, const Block *to)
{
  (void) to;
  block = from;
}
