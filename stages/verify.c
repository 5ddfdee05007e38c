/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verify: reads tables to their end and says of each whether it is what was written. The digests
 * that a table carries are checked by every stage as it reads (pipeline/arrow/digest-chain.h,
 * pipeline/files/file-seal.h); here nothing else is done with what is read. */
#include "pipeline/command/run.h"
#include "pipeline/display/terminal.h"

#include <arrow-glib/arrow-glib.h>

typedef struct
{
  guint damaged, unread;
} Found;

/* All of a table, whatever its kind; its digests are checked. */
static gboolean
read_through (SlReader *reader, GError **error)
{
  for (;;)
    {
      g_autoptr (GArrowRecordBatch) batch = NULL;
      if (!sl_reader_next_raw (reader, &batch, error))
        return FALSE;
      if (batch == NULL)
        return TRUE;
      if (!garrow_record_batch_validate_full (batch, NULL))
        return sl_error_bad_input (error, "%s: has values that cannot be", sl_reader_name (reader));
    }
}

/* One line, whatever a file is called. */
static void
print_line (SlRun *run, const char *name, const char *rest)
{
  g_autoptr (GString) line = g_string_new (NULL);
  sl_display_anywhere (line, name, -1);
  sl_run_printf (run, "%s%s\n", line->str, rest);
}

static void
verify (SlRun *run, const char *path, Found *found)
{
  g_autoptr (GError) problem = NULL;
  g_autoptr (GArrowSchema) schema = NULL;
  g_autoptr (SlReader) reader = sl_reader_open_raw (path, run->threads, &schema, &problem);
  if (reader != NULL && read_through (reader, &problem))
    print_line (run, sl_reader_name (reader),
                sl_reader_is_digested (reader) ? ": whole" : ": no digest");
  else if (g_error_matches (problem, SL_ERROR, SL_ERROR_INPUT)) /* begins with the name, too */
    {
      print_line (run, problem->message, "");
      found->damaged++;
    }
  else
    {
      sl_run_warn (run, "%s", problem->message);
      found->unread++;
    }
}

static gboolean
run (SlRun *run, GError **error)
{
  Found found = { 0 };
  guint n = g_strv_length (run->files);
  if (n == 0)
    verify (run, "-", &found);
  for (guint i = 0; i < n; i++)
    verify (run, run->files[i], &found);
  if (found.damaged > 0)
    sl_run_warn (run, "%u of %u tables %s damaged, or none", found.damaged, MAX (n, 1),
                 found.damaged == 1 ? "is" : "are");
  sl_run_set_status (run, found.damaged > 0  ? SL_ERROR_INPUT
                          : found.unread > 0 ? SL_ERROR_RUNTIME
                                             : 0);
  return TRUE;
}

const SlCommand sl_command_verify = {
  .name = "verify",
  .summary = "tell whether tables are whole, damaged, or have no digest to tell by",
  .arguments = "[FILE…]",
  .flags = SL_COMMAND_SOURCES | SL_COMMAND_TEXT,
  .description
  = "Reads every FILE (Arrow stream, Arrow file, Parquet) to its end and prints one line for it: "
    "its name, and 'whole', 'no digest', or what is wrong with it. A file that cannot be read is "
    "told on standard error. The exit status is 0 where nothing is wrong, 3 where a table is "
    "damaged or no table, 1 where a file could not be read.\n\n"
    "Every table that softlabel writes, unless by --no-digest, carries digests (XXH3) of all its "
    "bytes, and every stage checks them as it reads: this verb does so for an archive, and nothing "
    "else. 'No digest' is said of what another program wrote, or an older softlabel, or one told "
    "--no-digest: its form is right, but a changed value would not be seen. Such a table gets "
    "digests by `softlabel cat FILE -o COPY`.\n\n"
    "Digests find accidents on disks, in memory and on the way. They are no defence against "
    "someone who changes a table on purpose.",
  .examples = "softlabel verify archive/*.parquet\n"
              "    a line a table; exit status 3 if one is damaged\n"
              "find archive -name '*.arrows' -print0 | xargs -0 softlabel verify | grep -v whole$\n"
              "    the tables of a folder that are not certainly whole\n",
  .run = run,
};
