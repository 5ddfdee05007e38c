/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table that is taken goes through every form of table, and comes out as it went in. */
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
