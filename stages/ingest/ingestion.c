/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ingestion.h"

#include "pipeline/base/shown-text.h"
#include "pipeline/files/text/table-text.h"
#include "pipeline/text/json-reader.h"
#include "pipeline/text/made-source.h"

#include <string.h>

char *
sl_ingest_file_name (const char *path)
{
  return strcmp (path, "-") == 0 ? g_strdup ("standard input") : g_filename_display_name (path);
}

gboolean
sl_delimiter_parse (const char *text, char *separator, GError **error)
{
  static const struct
  {
    const char *word;
    char separator;
  } words[] = { { "tab", '\t' }, { "\\t", '\t' }, { "space", ' ' } };
  *separator = '\0';
  if (text == NULL)
    return TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (strcmp (text, words[i].word) == 0)
      {
        *separator = words[i].separator;
        return TRUE;
      }
  if (strlen (text) != 1 || strchr ("\"\r\n", text[0]) != NULL || (guchar) text[0] >= SL_CSV_FILLER)
    return sl_error_usage (error, "--delimiter: '%s' is not one character of ASCII, tab or space",
                           text);
  *separator = text[0];
  return TRUE;
}

/* SOURCE, or CSV of it where it is a table in another form; NULL and ERROR on failure. Takes
 * SOURCE. */
static SlSource *
as_csv (const SlIngest *ingest, SlSource *source, GError **error)
{
  g_autoptr (SlSource) own = source;
  gboolean json, table;
  if (own->made != NULL && !own->is_file)
    return g_steal_pointer (&own);
  if (!sl_table_text_fits (own, &table, error) || !sl_json_begins (own, &json, error))
    return NULL;
  if (!table && !json)
    return g_steal_pointer (&own);
  if (ingest->options->delimiter != NULL || ingest->options->header != SL_HEADER_AUTO)
    {
      sl_error_bad_input (error, "%s: is no CSV, so --delimiter and --header are of no use",
                          own->name);
      return NULL;
    }
  if (json)
    return sl_source_new_json_text (g_steal_pointer (&own), error);
  return sl_table_text_new (g_steal_pointer (&own), ingest->run->threads, error);
}

SlCsv *
sl_ingest_open_source (SlIngest *ingest, SlSource *source, GError **error)
{
  source = as_csv (ingest, source, error);
  if (source == NULL)
    return NULL;
  SlCsv *csv = sl_csv_new (
      source, source->made != NULL && !source->is_file ? ',' : ingest->separator, error);
  if (csv != NULL && csv->guessed && !ingest->again && strchr (",\t", csv->separator) == NULL)
    sl_run_warn (ingest->run, "%s: fields are taken to be separated by '%c' (--delimiter C)",
                 csv->name, csv->separator);
  return csv;
}

static SlSource *
open_source (SlIngest *ingest, const char *path, GError **error)
{
  gboolean peeked = ingest->peeked != NULL && strcmp (path, "-") == 0;
  return peeked ? g_steal_pointer (&ingest->peeked) : sl_source_open (path, error);
}

SlCsv *
sl_ingest_open (SlIngest *ingest, const char *path, GError **error)
{
  SlSource *source = open_source (ingest, path, error);
  return source != NULL ? sl_ingest_open_source (ingest, source, error) : NULL;
}

gboolean
sl_ingest_start_as (SlIngest *ingest, const SlTable *shape, GError **error)
{
  ingest->table = sl_table_new (shape->kind, (const char *const *) ingest->classes);
  sl_table_take_columns (ingest->table, shape, shape->columns);
  ingest->builder = sl_builder_new (ingest->table);
  if (ingest->table->n_classes > 0)
    {
      g_autofree char *classes = g_strjoinv (", ", ingest->classes);
      g_autofree char *shown = sl_shown (classes, strlen (classes));
      sl_run_note (ingest->run, "%d class%s: %s", ingest->table->n_classes,
                   ingest->table->n_classes == 1 ? "" : "es", shown);
    }
  if (ingest->options->gold == NULL)
    return sl_run_start (ingest->run, ingest->table, error);
  ingest->gold = sl_gold_join_new (ingest->run, ingest->options->gold, &ingest->class_texts,
                                   ingest->table, error);
  return ingest->gold != NULL
         && sl_run_start (ingest->run, sl_gold_join_table (ingest->gold), error);
}

gboolean
sl_ingest_start (SlIngest *ingest, const SlKind *kind, guint32 columns, GError **error)
{
  g_autoptr (SlTable) shape = sl_table_new (kind, NULL);
  shape->columns |= columns;
  return sl_ingest_start_as (ingest, shape, error);
}

/* Writes what the builder has, if it is full or FLUSH is set. */
static gboolean
write_built (SlIngest *ingest, gboolean flush, GError **error)
{
  if (ingest->gold == NULL)
    return sl_writer_write_built (ingest->run->out, ingest->builder, flush, error);
  if (sl_builder_rows (ingest->builder) == 0 || (!flush && sl_builder_room (ingest->builder) > 0))
    return TRUE;
  g_autoptr (SlBatch) batch = sl_gold_join_take (ingest->gold, ingest->builder, error);
  return batch != NULL && sl_writer_write (ingest->run->out, batch, error);
}

gboolean
sl_ingest_added (SlIngest *ingest, gint64 n, GError **error)
{
  ingest->n_rows += n;
  return write_built (ingest, FALSE, error);
}

gboolean
sl_ingest_flush (SlIngest *ingest, GError **error)
{
  return write_built (ingest, TRUE, error);
}

gboolean
sl_ingest_put (SlIngest *ingest, SlBuilder *rows, const guint8 *left_out, GError **error)
{
  gint64 n = sl_builder_rows (rows);
  for (gint64 first = 0, end; first < n; first = end)
    {
      gboolean out = left_out != NULL && left_out[first];
      for (end = left_out != NULL ? first + 1 : n; end < n && left_out[end] == out;)
        end++;
      for (gint64 at = out ? end : first; at < end;)
        {
          at = sl_builder_append (ingest->builder, rows, at, end);
          if (!write_built (ingest, FALSE, error))
            return FALSE;
        }
      ingest->n_rows += out ? 0 : end - first;
    }
  sl_builder_clear (rows);
  return TRUE;
}

void
sl_ingest_progress (SlIngest *ingest, gint64 n)
{
  ingest->n_read += n;
  sl_run_progress (ingest->run, ingest->n_read, ingest->bytes_done + ingest->reading->done,
                   ingest->bytes_whole);
}

void
sl_ingest_tell_columns (SlIngest *ingest, const SlCsv *csv, const SlColumnRole *roles,
                        const int *column)
{
  g_autofree char *found = sl_columns_tell (csv, roles, column);
  g_autofree char *left_out = sl_columns_left_out (csv, roles, column);
  sl_run_note (ingest->run, "%s", found);
  if (left_out != NULL)
    sl_run_warn (ingest->run, "%s", left_out);
}

gboolean
sl_ingest_check_percents (SlIngest *ingest, GError **error)
{
  g_autofree char *name = sl_ingest_file_name (ingest->files[0]), *doubt = NULL;
  g_autofree char *wrong = sl_percent_counts_judge (
      &ingest->percents, (SlPercentScale) ingest->options->percent_scale, &doubt);
  if (doubt != NULL)
    sl_run_warn (ingest->run, "%s: %s", name, doubt);
  if (wrong != NULL)
    sl_error_bad_input (error, "%s: %s", name, wrong);
  return wrong == NULL;
}

gboolean
sl_ingest_bad (gint64 row, const char *reason, const char *record, gsize length, gpointer data,
               GError **error)
{
  SlIngestCsv *source = data;
  SlIngest *ingest = source->ingest;
  if (ingest->rehearsal && ingest->rejected.path != NULL)
    return TRUE;
  return sl_rejected_rows_add (&ingest->rejected, source->csv->name, row, reason, record, length,
                               error);
}

gboolean
sl_ingest_each (SlIngestCsv *data, const int *columns, int n_columns, const SlCsvHandler *handler,
                GError **error)
{
  SlIngest *ingest = data->ingest;
  ingest->reading = data->csv;
  gboolean ok
      = sl_csv_each (data->csv, columns, n_columns, ingest->run->threads, handler, data, error);
  ingest->bytes_done += data->csv->done;
  ingest->reading = NULL;
  return ok;
}

gboolean
sl_ingest_find_classes (SlIngest *ingest, const char *const *columns, GError **error)
{
  const char *path = ingest->files[0];
  gboolean piped = !sl_source_can_reopen (path), table = FALSE;
  if (ingest->classes != NULL || (piped && strcmp (path, "-") != 0))
    return TRUE;
  g_autoptr (SlSource) source = open_source (ingest, path, error);
  if (source == NULL || !sl_table_text_fits (source, &table, error))
    return FALSE;
  if (table)
    source = sl_table_text_new (g_steal_pointer (&source), ingest->run->threads, error);
  if (source == NULL)
    return FALSE;
  if (table)
    ingest->classes = sl_table_text_classes (source, NULL);
  for (; table && ingest->classes == NULL && *columns != NULL; columns++)
    ingest->classes = sl_table_text_classes (source, *columns);
  if (piped)
    ingest->peeked = g_steal_pointer (&source);
  return TRUE;
}
