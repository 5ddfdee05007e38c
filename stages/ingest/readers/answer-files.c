/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of answers record by record: JSON, and CSV of which a record may be any number of answers.
 * (Where it is always one, row-format.h is faster.) */
#include "answers.h"

#include "pipeline/base/number-text.h"
#include "pipeline/text/csv-scan.h"
#include "field-values.h"

#include <math.h>
#include <string.h>

SlCell
sl_csv_answers_cell (const SlCsvAnswers *csv, int c)
{
  const char *text = c >= 0 ? csv->fields->pdata[c] : "";
  return (SlCell){ text, strlen (text) };
}

double
sl_csv_answers_number (const SlCsvAnswers *csv, int c)
{
  double value;
  char room[64];
  const SlCell cell = sl_csv_answers_cell (csv, c);
  const char *text = sl_with_point (csv->decimal_comma, cell.text, cell.n, room);
  return sl_parse_real (text, (gssize) cell.n, &value) ? value : (double) NAN;
}

int
sl_csv_answers_column (const SlCsvAnswers *csv, const char *name)
{
  for (int i = 0; i < csv->csv->n_fields; i++)
    if (strcmp (csv->csv->first[i], name) == 0)
      return i;
  for (int i = 0; i < csv->csv->n_fields; i++)
    if (g_ascii_strcasecmp (csv->csv->first[i], name) == 0)
      return i;
  return -1;
}

gboolean
sl_csv_answers_given (const SlAnswersReader *answers, const SlCsvAnswers *csv, const char *option,
                      const char *text, int *column, GError **error)
{
  gint64 position;
  *column = sl_csv_answers_column (csv, text);
  if (*column < 0 && sl_parse_integer (text, -1, &position) && position >= 1
      && position <= csv->csv->n_fields)
    *column = (int) position - 1;
  if (*column >= 0)
    return TRUE;
  g_autofree char *all = sl_columns_list (csv->csv);
  return sl_error_bad_input (error, "%s: %s: there is no column '%s' among %s", answers->file,
                             option, text, all);
}

gboolean
sl_csv_answers_needs (const SlAnswersReader *answers, const SlCsvAnswers *csv, const char *name,
                      int *column, GError **error)
{
  *column = sl_csv_answers_column (csv, name);
  if (*column >= 0)
    return TRUE;
  g_autofree char *all = sl_columns_list (csv->csv);
  return sl_error_bad_input (error, "%s: there is no column '%s' among %s", answers->file, name,
                             all);
}

/* The record DATA[n], its newline included. */
static gboolean
take_record (SlAnswersReader *answers, SlCsvAnswers *csv, const SlCsvTake *take, const char *data,
             gsize n, GError **error)
{
  guint wanted = (guint) csv->csv->n_fields;
  answers->record = data;
  answers->record_length = sl_csv_without_return (data, 0, (guint32) n - 1);
  if (answers->record_length == 0)
    return TRUE;
  g_ptr_array_set_size (csv->fields, 0);
  const char *problem = sl_csv_split_one (csv->csv->separator, data, n, csv->fields);
  if (problem != NULL)
    return sl_answers_bad (answers, error, "%s", problem);
  if (csv->fields->len > wanted || csv->fields->len + (guint) take->may_lack < wanted)
    return sl_answers_bad (answers, error, "%u fields, the header has %u", csv->fields->len,
                           wanted);
  while (csv->fields->len < wanted)
    g_ptr_array_add (csv->fields, g_strdup (""));
  return take->take (answers, csv, error);
}

static gboolean
read_records (SlAnswersReader *answers, SlCsvAnswers *csv, const SlCsvTake *take, GError **error)
{
  SlCsvBlock block = { 0 };
  gboolean ok;
  gint64 n_records;
  answers->row = csv->csv->row;
  while ((ok = sl_csv_read_block (csv->csv, &block, error)) && block.n > 0)
    {
      n_records = 0;
      for (gsize at = 0; ok && at < block.n; n_records++)
        {
          gsize n = sl_csv_first_record (csv->csv->separator, block.data + at, block.n - at);
          if (n == 0) /* a quotation mark is never closed */
            n = block.n - at;
          ok = take_record (answers, csv, take, block.data + at, n, error);
          answers->row += sl_csv_count_newlines (block.data + at, n);
          at += n;
        }
      if (!ok)
        break;
      csv->csv->row = answers->row;
      csv->csv->done = block.taken;
      sl_answers_progress (answers, n_records, csv->csv->done);
    }
  g_free (block.data);
  if (!ok && error != NULL && g_error_matches (*error, SL_ERROR, SL_ERROR_INPUT)
      && !g_str_has_prefix ((*error)->message, answers->file))
    g_prefix_error (error, "%s: row %" G_GINT64_FORMAT ": ", answers->file, answers->row);
  return ok;
}

/* Which columns of CSV attributes of annotators are. */
static gboolean
find_attributes (SlAnswersReader *answers, const SlCsvAnswers *csv, GError **error)
{
  const SlIngest *ingest = answers->ingest;
  answers->csv = csv;
  for (int a = 0; a < ingest->n_attributes; a++)
    if (!sl_csv_answers_given (answers, csv, "--annotator-columns", ingest->attribute[a].column,
                               &answers->attribute[a], error))
      return FALSE;
  return TRUE;
}

gboolean
sl_csv_answers_read (SlAnswersReader *answers, SlSource *source, const SlCsvTake *take,
                     GError **error)
{
  SlIngest *ingest = answers->ingest;
  SlCsvAnswers csv = { .decimal_comma = answers->ingest->options->decimal_comma };
  char given = ingest->separator;
  if (given == '\0')
    ingest->separator = take->separator;
  g_autoptr (SlCsv) opened = sl_ingest_open_source (ingest, source, error);
  ingest->separator = given;
  csv.csv = opened;
  if (csv.csv == NULL)
    return FALSE;
  answers->row = 1;
  sl_csv_skip_first (csv.csv);
  csv.fields = g_ptr_array_new_with_free_func (g_free);
  gboolean ok = take->begin (answers, &csv, error) && find_attributes (answers, &csv, error)
                && read_records (answers, &csv, take, error);
  answers->csv = NULL;
  ingest->bytes_done += ok ? csv.csv->done : 0;
  g_ptr_array_unref (csv.fields);
  return ok;
}

static gboolean
read_json (SlAnswersReader *answers, SlSource *source, GError **error)
{
  const SlAnswersFormat *format = answers->format;
  g_autoptr (SlJsonReader) reader = sl_json_reader_new (source, format->members, error);
  if (reader == NULL)
    return FALSE;
  for (;;)
    {
      const SlJsonRecord *record;
      if (!sl_json_reader_next (reader, &record, error))
        return FALSE;
      if (record == NULL)
        break;
      answers->row = record->number;
      answers->record = record->text;
      answers->record_length = record->n;
      answers->record_value = record->value;
      answers->answer_value = (SlJson){ NULL, 0 };
      if (!(sl_json_type (record->value) == SL_JSON_OBJECT
                ? format->json (answers, record, error)
                : sl_answers_bad (answers, error, "not an object")))
        return FALSE;
      sl_answers_progress (answers, 1, sl_json_reader_done (reader));
    }
  answers->ingest->bytes_done += sl_json_reader_done (reader);
  return TRUE;
}

gboolean
sl_answers_read_file (SlAnswersReader *answers, SlSource *source, GError **error)
{
  const SlAnswersFormat *format = answers->format;
  gboolean json = format->json != NULL;
  if (format->lines != NULL)
    return format->lines (answers, source, error);
  if (json && format->csv.take != NULL && !sl_json_begins (source, &json, error))
    {
      sl_source_free (source);
      return FALSE;
    }
  return json ? read_json (answers, source, error)
              : sl_csv_answers_read (answers, source, &format->csv, error);
}

SlJson
sl_json_find (SlJson value, const char *path)
{
  SlJson whole = sl_json_get (value, path);
  const char *dot = strchr (path, '.');
  if (sl_json_type (whole) != SL_JSON_ABSENT || dot == NULL)
    return whole;
  SlCell first = { path, (gsize) (dot - path) };
  return sl_json_find (sl_json_get_cell (value, first), dot + 1);
}

const char *
sl_form_wrong (SlJson answers)
{
  switch (sl_json_type (answers))
    {
    case SL_JSON_ABSENT:
    case SL_JSON_NULL:
    case SL_JSON_OBJECT:
      return NULL;
    default:
      return "it is no object, {element: answer}";
    }
}

SlCell
sl_form_class (SlJson answer, guint *n_classes, char room[SL_JSON_ROOM])
{
  SlJson label = sl_json_get (answer, "label"), labels = sl_json_get (answer, "labels");
  if (sl_json_type (labels) != SL_JSON_ARRAY)
    labels = sl_json_type (label) != SL_JSON_ABSENT ? label : answer;
  gboolean listed = sl_json_type (labels) == SL_JSON_ARRAY;
  SlCell class = sl_json_scalar (labels, room);
  *n_classes = class.n > 0;
  if (class.text != NULL)
    return class;
  for (SlJsonEach each = sl_json_each (labels); sl_json_each_next (&each);)
    if (listed || sl_json_is_true (each.value))
      {
        class = listed ? sl_json_scalar (each.value, room) : each.key;
        ++*n_classes;
      }
  return class;
}
