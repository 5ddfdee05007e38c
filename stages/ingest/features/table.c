/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table: examples in the rows of a table of another program, CSV, Parquet or Arrow: numbers in
 * columns of their own, or in one column of lists; an item, and gold where it is known. */
#include "stages/ingest/formats.h"
#include "table-columns.h"

#include <string.h>

/* *ARROW: not CSV, by the first bytes. */
static gboolean
look_at (SlIngest *ingest, const char *path, gboolean *arrow, GError **error)
{
  static const char *const starts[] = { "PAR1", "ARRO", "\377\377\377\377" };
  g_autoptr (SlSource) source = sl_source_open (path, error);
  gboolean begins = FALSE;
  if (source == NULL)
    return FALSE;
  for (gsize i = 0; !begins && i < G_N_ELEMENTS (starts); i++)
    if (!sl_source_begins (source, starts[i], 4, &begins, error))
      return FALSE;
  *arrow = begins;
  if (strcmp (path, "-") != 0)
    return TRUE;
  if (begins)
    return sl_error_bad_input (error, "standard input: Parquet and Arrow are read from files here; "
                                      "give the file's name");
  ingest->peeked = g_steal_pointer (&source);
  return TRUE;
}

static gboolean
run (SlIngest *ingest, GError **error)
{
  gboolean arrow = FALSE;
  for (int i = 0; ingest->files[i] != NULL; i++)
    {
      gboolean before = arrow;
      if (!look_at (ingest, ingest->files[i], &arrow, error))
        return FALSE;
      if (i > 0 && arrow != before)
        return sl_error_bad_input (error, "%s is %s, unlike the files before it", ingest->files[i],
                                   arrow ? "no CSV" : "CSV");
    }
  return (arrow ? sl_ingest_table_arrow : sl_ingest_table_csv) (ingest, error);
}

const SlIngestFormat sl_ingest_table = {
  .roles = sl_table_roles,
  .run = run,
};
