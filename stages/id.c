/* SPDX-License-Identifier: GPL-3.0-or-later */
/* id: prints a digest of what a table says (pipeline/table/digest.h). Two tables with the same id
 * hold the same values. The digest finds accidental differences and is no defence against someone
 * who wants two tables to have the same id. */
#include "pipeline/command/run.h"
#include "pipeline/display/terminal.h"
#include "pipeline/table/digest.h"

#include <string.h>

/* As sha256sum does it: a name with a line break or backslash has them escaped, and the line begins
 * with a backslash. So has one with what would steer a terminal. */
static void
print_line (SlRun *run, const char *digest, const char *name)
{
  g_autoptr (GString) shown = g_string_new (NULL);
  for (const char *c = name, *end; *c != '\0'; c = end)
    {
      gsize n = strcspn (c, "\\");
      end = n > 0 ? c + n : c + 1;
      if (n > 0)
        sl_display_anywhere (shown, c, (gssize) n);
      else
        g_string_append (shown, "\\\\");
    }
  sl_run_printf (run, "%s%s  %s\n", strcmp (name, shown->str) == 0 ? "" : "\\", digest, shown->str);
}

static gboolean
print_id (SlRun *run, const char *path, GError **error)
{
  g_autoptr (SlReader) reader = sl_run_open (run, NULL, path, NULL, error);
  if (reader == NULL)
    return FALSE;
  g_autoptr (SlTableDigest) digest = sl_table_digest_new (sl_reader_table (reader));
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    sl_table_digest_add (digest, batch);
  if (!ok)
    return FALSE;
  g_autofree char *text = sl_table_digest_text (digest);
  print_line (run, text, path);
  return TRUE;
}

static gboolean
run (SlRun *run, GError **error)
{
  if (run->files[0] == NULL)
    return print_id (run, "-", error);
  for (char **path = run->files; *path != NULL; path++)
    if (!print_id (run, *path, error))
      return FALSE;
  return TRUE;
}

const SlCommand sl_command_id = {
  .name = "id",
  .summary = "print a digest of what tables say, whatever their format and history",
  .arguments = "[FILE…]",
  .flags = SL_COMMAND_TABLES | SL_COMMAND_TEXT,
  .description
  = "Prints one line a table: 32 hexadecimal digits and the file's name. The digest covers the "
    "kind of table, the classes in their order, which columns there are, and every value in row "
    "order. It does not cover the file format, compression, cutting into batches, or history "
    "(`softlabel history`), so tables that were made in different ways can be compared. Equal "
    "numbers count as equal: -0 as 0.\n\n"
    "The digest is XXH3-128, which is made to find accidents, not to withstand attacks.",
  .examples = "softlabel id labels.parquet labels.arrows\n"
              "    two equal digests if one was converted from the other\n"
              "softlabel redistribute answers.arrows | softlabel id\n"
              "    the digest of what a stage writes\n",
  .run = run,
};
