/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ingestion.h"
#include "formats.h"

#include "pipeline/base/csv-field.h"
#include "pipeline/base/shown-text.h"
#include "pipeline/files/text/table-text.h"
#include "pipeline/table/class-values.h"
#include "pipeline/table/tag-columns.h"
#include "pipeline/text/json-reader.h"
#include "pipeline/text/made-source.h"
#include "stages/common/classes/class-list.h"
#include "stages/common/classes/class-scale.h"
#include "stages/common/items/item-values.h"
#include "schemas/kinds.h"

#include <string.h>

/* ---- rows put aside ---- */

#define TEXT_BYTES (1 << 16)

gboolean
sl_rejected_rows_start (SlRejectedRows *rejected, SlRun *run, const char *path, GError **error)
{
  *rejected = (SlRejectedRows){ .run = run, .path = path };
  if (path == NULL)
    return TRUE;
  rejected->text = g_string_new ("file,row,reason,record\n");
  rejected->out = sl_run_side_file (run, path, error);
  return rejected->out != NULL;
}

void
sl_rejected_rows_clear (SlRejectedRows *rejected)
{
  if (rejected->text != NULL)
    g_string_free (rejected->text, TRUE);
  g_free (rejected->first);
}

static gboolean
flush (SlRejectedRows *rejected, GError **error)
{
  if (!sl_output_write (rejected->out, rejected->text->str, rejected->text->len, error))
    return FALSE;
  g_string_truncate (rejected->text, 0);
  return TRUE;
}

gboolean
sl_rejected_rows_add (SlRejectedRows *rejected, const char *file, gint64 row, const char *reason,
                      const char *record, gsize length, GError **error)
{
  if (rejected->path == NULL)
    return sl_error_bad_input (
        error, "%s: row %" G_GINT64_FORMAT ": %s (--rejects FILE puts bad rows aside)", file, row,
        reason);
  if (rejected->n++ == 0)
    rejected->first = g_strdup_printf ("%s: row %" G_GINT64_FORMAT ": %s", file, row, reason);
  sl_csv_append_quoted (rejected->text, file, strlen (file));
  g_string_append_printf (rejected->text, ",%" G_GINT64_FORMAT ",", row);
  sl_csv_append_quoted (rejected->text, reason, strlen (reason));
  g_string_append_c (rejected->text, ',');
  sl_csv_append_quoted (rejected->text, record, length);
  g_string_append_c (rejected->text, '\n');
  return rejected->text->len < TEXT_BYTES || flush (rejected, error);
}

gboolean
sl_rejected_rows_end (SlRejectedRows *rejected, gint64 n_good, GError **error)
{
  if (rejected->path == NULL || !flush (rejected, error))
    return rejected->path == NULL;
  if (rejected->n > 0 && n_good == 0)
    return sl_error_bad_input (error, "every row is bad; %s", rejected->first);
  if (rejected->n > 0)
    sl_run_warn (rejected->run, "%" G_GINT64_FORMAT " bad row%s put aside in %s; the first: %s",
                 rejected->n, rejected->n == 1 ? "" : "s", rejected->path, rejected->first);
  return TRUE;
}

/* ---- gold classes of another file ---- */

struct _SlGoldJoin
{
  SlRun *run;
  SlTable *table;
  SlBuilder *out;
  int item, gold; /* columns of the table */
  SlItemValues values;
  GByteArray *met;          /* of the file's items: an answer is about it */
  gint64 n_rows, n_without; /* of the answers; those that got no class */
};

void
sl_gold_join_free (SlGoldJoin *join)
{
  g_clear_pointer (&join->out, sl_builder_free);
  g_clear_pointer (&join->table, sl_table_unref);
  g_clear_pointer (&join->met, g_byte_array_unref);
  sl_item_values_clear (&join->values);
  g_free (join);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlGoldJoin, sl_gold_join_free)

/* Reads PATH. TABLE is that of the answers. NULL and ERROR where it has gold classes itself, or the
 * file has not. */
static SlGoldJoin *
gold_join_new (SlRun *run, const char *path, const SlClassTexts *texts, const SlTable *table,
               GError **error)
{
  g_autoptr (SlGoldJoin) join = g_new0 (SlGoldJoin, 1);
  join->run = run;
  join->table = sl_table_new (table->kind, (const char *const *) table->classes);
  sl_table_take_columns (join->table, table, table->columns);
  sl_table_set_values (join->table, table->values);
  join->item = sl_table_column (table, "item");
  for (int c = 0; table->spec[c].name != NULL; c++)
    if (strcmp (table->spec[c].name, "gold") == 0)
      join->gold = c;
  if (sl_table_has (table, join->gold))
    {
      sl_error_bad_input (error,
                          "--gold: the answers have gold classes themselves; `softlabel ingest` "
                          "without it keeps those, and `softlabel join` replaces them");
      return NULL;
    }
  sl_table_add (join->table, join->gold);
  join->out = sl_builder_new (join->table);
  if (!sl_item_values_open (&join->values, run, "gold", path, error))
    return NULL;
  sl_item_values_want (&join->values, "gold", SL_TYPE_CLASS, TRUE);
  if (!sl_item_values_read (&join->values, join->table->classes, join->table->n_classes, texts,
                            error))
    return NULL;
  join->met = g_byte_array_new ();
  g_byte_array_set_size (join->met, (guint) sl_intern_size (join->values.items));
  if (join->met->len > 0)
    memset (join->met->data, 0, join->met->len);
  return g_steal_pointer (&join);
}

/* The rows that BUILDER has, which is emptied, with gold classes. */
static SlBatch *
gold_join_take (SlGoldJoin *join, SlBuilder *builder, GError **error)
{
  g_autoptr (SlBatch) batch = sl_builder_take (builder, error);
  if (batch == NULL)
    return NULL;
  for (int c = 0; join->table->spec[c].name != NULL; c++)
    if (sl_table_has (batch->table, c))
      sl_builder_share (join->out, c, batch, c);
  g_autofree gint32 *ids = g_new (gint32, MAX (batch->n_rows, 1));
  sl_items_find (join->values.items, batch->column[join->item].text, batch->n_rows, 1, ids);
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      gint32 code;
      if (!sl_item_values_class (&join->values, 0, ids[i], &code, error))
        return NULL;
      sl_builder_class (join->out, join->gold, code);
      join->n_without += code < 0;
      if (ids[i] >= 0)
        join->met->data[ids[i]] = 1;
    }
  join->n_rows += batch->n_rows;
  return sl_builder_take (join->out, error);
}

void
sl_gold_join_tell (const SlGoldJoin *join)
{
  gint64 met = 0, all = join->met->len;
  for (guint i = 0; i < join->met->len; i++)
    met += join->met->data[i];
  g_autofree char *text = g_strdup_printf (
      "--gold %s: %" G_GINT64_FORMAT " of its %" G_GINT64_FORMAT
      " items are among the answers; rows without a gold class: %" G_GINT64_FORMAT
      " of %" G_GINT64_FORMAT,
      join->values.name, met, all, join->n_without, join->n_rows);
  if (2 * met < all && 2 * join->n_without > join->n_rows)
    sl_run_warn (join->run, "%s; are items named alike in both?", text);
  else
    sl_run_note (join->run, "%s", text);
}

/* ---- the service ---- */

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
  SlSource *source
      = sl_ingest_turn_to (ingest, path, error) ? open_source (ingest, path, error) : NULL;
  return source != NULL ? sl_ingest_open_source (ingest, source, error) : NULL;
}

/* Tells of classes that look like a scale, and are taken for names. */
static void
tell_of_scale (const SlIngest *ingest)
{
  const SlTable *table = ingest->table;
  g_autofree char *guess
      = ingest->options->ordered == NULL ? sl_scale_guess (table->classes) : NULL;
  gboolean codes = sl_ingest_format_traits[ingest->options->from] & SL_FORMAT_CODES;
  if (guess == NULL || table->kind == &sl_features || (codes && *guess == '\0'))
    return;
  g_autofree char *shown = sl_shown (guess, strlen (guess));
  sl_run_warn (
      ingest->run,
      "the classes look like a scale (%s ... %s), and are taken for names: --ordered%s%s%s "
      "keeps their order for agreement, aggregate and score, --ordered=no says that they "
      "are names",
      table->classes[0], table->classes[table->n_classes - 1], *guess != '\0' ? " '" : "", shown,
      *guess != '\0' ? "'" : "");
}

/* Orders the table's classes as --ordered, --values and --bins say. */
static gboolean
set_order (SlIngest *ingest, GError **error)
{
  const SlIngestOptions *options = ingest->options;
  const SlBins *bins = ingest->class_texts.bins;
  if (bins == NULL && !sl_scale_wanted (options->ordered))
    {
      if (options->like == NULL)
        tell_of_scale (ingest);
      return TRUE;
    }
  g_autofree char *middles = bins != NULL ? sl_bins_middles (bins) : NULL;
  ingest->table->values
      = sl_scale_values (ingest->classes, options->values != NULL ? options->values : middles,
                         ingest->classes_told, error);
  return ingest->table->values != NULL;
}

/* The header of the batches that are written. */
static SlTable *
batches_table (const SlIngest *ingest)
{
  return ingest->gold != NULL ? ingest->gold->table : ingest->table;
}

/* The table has a column for each key of the folders, which the writer fills by batches' tags. */
static gboolean
start_partitioned (SlIngest *ingest, GError **error)
{
  const SlTable *rows = batches_table (ingest);
  g_autoptr (SlTable) table = sl_table_new (rows->kind, (const char *const *) rows->classes);
  sl_table_take_columns (table, rows, rows->columns);
  sl_table_set_values (table, rows->values);
  for (int t = 0; t < ingest->partition->n; t++)
    if (!sl_table_add_tag_column (table, ingest->partition->tag[t].key, error))
      return FALSE;
  return sl_run_start (ingest->run, table, error);
}

gboolean
sl_ingest_start_as (SlIngest *ingest, const SlTable *shape, GError **error)
{
  ingest->table = sl_table_new (shape->kind, (const char *const *) ingest->classes);
  sl_table_take_columns (ingest->table, shape, shape->columns);
  ingest->builder = sl_builder_new (ingest->table);
  if (ingest->table->n_classes > 0 && !set_order (ingest, error))
    return FALSE;
  if (ingest->table->n_classes > 0)
    {
      g_autofree char *classes = g_strjoinv (", ", ingest->classes);
      g_autofree char *shown = sl_shown (classes, strlen (classes));
      sl_run_note (ingest->run, "%d class%s: %s", ingest->table->n_classes,
                   ingest->table->n_classes == 1 ? "" : "es", shown);
    }
  if (ingest->options->gold != NULL)
    ingest->gold = gold_join_new (ingest->run, ingest->options->gold, &ingest->class_texts,
                                  ingest->table, error);
  if (ingest->options->gold != NULL && ingest->gold == NULL)
    return FALSE;
  return ingest->partition != NULL ? start_partitioned (ingest, error)
                                   : sl_run_start (ingest->run, batches_table (ingest), error);
}

char **
sl_ingest_ask (SlIngest *ingest, GError **error)
{
  for (char **question = ingest->classes; *question != NULL; question++)
    if (strstr (*question, SL_QUESTION) != NULL)
      {
        sl_error_bad_input (error,
                            "class '%s' has a '" SL_QUESTION "', which parts items from their "
                            "questions here; --rename-class gives it another name",
                            *question);
        return NULL;
      }
  char **questions = ingest->classes;
  ingest->classes = g_strsplit ("no,yes", ",", -1);
  return questions;
}

gboolean
sl_ingest_start (SlIngest *ingest, const SlKind *kind, guint32 columns, GError **error)
{
  g_autoptr (SlTable) shape = sl_table_new (kind, NULL);
  shape->columns |= columns;
  return sl_ingest_start_as (ingest, shape, error);
}

/* Whether every annotator has had one value of each attribute so far. */
static gboolean
check_attributes (SlIngest *ingest, const SlBatch *batch, GError **error)
{
  SlAnnotatorTags *attributes = &ingest->attributes;
  if (ingest->n_attributes == 0)
    return TRUE;
  while (attributes->tags.n < ingest->n_attributes)
    sl_annotator_tags_want (
        attributes, batch->table,
        sl_table_tag_column (batch->table, ingest->attribute[attributes->tags.n].key));
  g_autofree char *name = sl_ingest_file_name (ingest->files[ingest->part]);
  return sl_annotator_tags_add (attributes, batch, batch->column[SL_ANNOTATIONS_ANNOTATOR].text,
                                name, error);
}

/* Writes what the builder has, if it is full or FLUSH is set. */
static gboolean
write_built (SlIngest *ingest, gboolean flush, GError **error)
{
  if (ingest->partition != NULL)
    sl_tags_copy (&batches_table (ingest)->tags, &ingest->partition[ingest->part]);
  if (ingest->gold == NULL && ingest->n_attributes == 0)
    return sl_writer_write_built (ingest->run->out, ingest->builder, flush, error);
  if (sl_builder_rows (ingest->builder) == 0 || (!flush && sl_builder_room (ingest->builder) > 0))
    return TRUE;
  g_autoptr (SlBatch) batch = ingest->gold != NULL
                                  ? gold_join_take (ingest->gold, ingest->builder, error)
                                  : sl_builder_take (ingest->builder, error);
  return batch != NULL && check_attributes (ingest, batch, error)
         && sl_writer_write (ingest->run->out, batch, error);
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
sl_ingest_turn_to (SlIngest *ingest, const char *path, GError **error)
{
  if (ingest->partition == NULL)
    return TRUE;
  if (ingest->builder != NULL && !sl_ingest_flush (ingest, error))
    return FALSE;
  for (guint i = 0; ingest->files[i] != NULL; i++)
    if (ingest->files[i] == path)
      ingest->part = i;
  return TRUE;
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

/* Classes that a file tells: without those that stand for none, as --na says or, of a table that is
 * not our OWN, programs that know no missing values; and as --rename-class has them. */
static void
settle_told_classes (SlIngest *ingest, gboolean own)
{
  const SlClassTexts *texts = &ingest->class_texts;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (char **class = ingest->classes; *class != NULL; class ++)
    {
      const char *name = *class;
      for (int i = 0; texts->from[i] != NULL; i++)
        if (strcmp (texts->from[i], *class) == 0)
          name = texts->to[i];
      if (name == *class
          && (own ? sl_class_texts_said : sl_class_texts_missing) (texts, name, strlen (name)))
        continue;
      if (!g_ptr_array_find_with_equal_func (names, name, g_str_equal, NULL))
        g_ptr_array_add (names, (gpointer) name);
    }
  g_ptr_array_add (names, NULL);
  char **settled = g_strdupv ((char **) names->pdata);
  g_strfreev (ingest->classes);
  ingest->classes = settled;
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
  gboolean own = ingest->classes != NULL;
  for (; table && ingest->classes == NULL && *columns != NULL; columns++)
    ingest->classes = sl_table_text_classes (source, *columns);
  ingest->classes_told = ingest->classes != NULL;
  if (ingest->classes_told)
    settle_told_classes (ingest, own);
  if (piped)
    ingest->peeked = g_steal_pointer (&source);
  return TRUE;
}
