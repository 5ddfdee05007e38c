/* SPDX-License-Identifier: GPL-3.0-or-later */
/* survey: what the page of `softlabel survey` hands out or sends, CSV or JSON, one answer a row.
 * The first row of a session names the classes in the study's order. */
#include "stages/ingest/formats.h"
#include "long.h"

#include <string.h>

static int
column_of (const SlCsv *csv, const char *name)
{
  for (int c = 0; c < csv->n_fields; c++)
    if (strcmp (csv->first[c], name) == 0)
      return c;
  return -1;
}

static gboolean
begin (SlRowReading *reading, gboolean first, GError **error)
{
  SlCsv *csv = reading->source.csv;
  int classes = column_of (csv, "classes");
  if (column_of (csv, "study") < 0 || column_of (csv, "session") < 0 || classes < 0)
    return sl_error_bad_input (error,
                               "%s: it lacks the columns study, session and classes that the page "
                               "of `softlabel survey` writes",
                               csv->name);
  if (!first || reading->source.ingest->classes != NULL)
    return TRUE;
  g_autoptr (GPtrArray) record = sl_csv_peek (csv, error);
  if (record == NULL)
    return FALSE;
  const char *told = (guint) classes < record->len ? record->pdata[classes] : "";
  if (told[0] == '\0')
    return TRUE;
  g_auto (GStrv) names = g_strsplit (told, "|", -1);
  sl_row_told_classes (reading, names);
  return TRUE;
}

static gboolean
run (SlIngest *ingest, GError **error)
{
  return sl_long_run_own (ingest, begin, error);
}

const SlIngestFormat sl_ingest_survey = { .roles = sl_long_roles, .run = run };
