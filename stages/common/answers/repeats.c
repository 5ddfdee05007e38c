/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "repeats.h"

#include "schemas/kinds.h"

const char *const sl_marked_names[] = { "keep", "drop", NULL };

void
sl_marked_check (SlRun *run, const SlTable *in, gboolean drop)
{
  if (drop && !(in->kind == &sl_annotations && sl_table_has (in, SL_ANNOTATIONS_REPEAT)))
    sl_run_warn (run,
                 "the table does not say which rows are repeats (`softlabel ingest --repeats mark` "
                 "does); --repeats drop leaves all in");
}

void
sl_marked_tell (SlRun *run, gint64 n, gboolean drop)
{
  if (n == 0)
    return;
  if (drop)
    sl_run_note (run, "repeats left out: %" G_GINT64_FORMAT, n);
  else if (!sl_option_given (run->options, "repeats"))
    sl_run_warn (run,
                 "%" G_GINT64_FORMAT " answer%s marked as %s, and count%s as others do; --repeats "
                 "drop leaves such out, --repeats keep takes them without a word",
                 n, n == 1 ? " is" : "s are", n == 1 ? "a repeat" : "repeats", n == 1 ? "s" : "");
}
