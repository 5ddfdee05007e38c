/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens a table: which form its bytes have, which kind it is, and whether that is what the stage
 * wants. */
#include "reader-private.h"
#include "partition.h"

#include "pipeline/arrow/reading-memory.h"
#include "pipeline/base/error.h"
#include "pipeline/text/made-source.h"

#include <arrow-glib/arrow-glib.h>

static gboolean
refuse (GError **error, const char *why)
{
  return sl_error_bad_input (error, "%s", why);
}

static gboolean
read_input (gpointer data, GString *text, GError **error)
{
  SlInput *input = data;
  const gsize most = 1 << 16;
  gsize before = text->len;
  g_string_set_size (text, before + most);
  gssize n = g_input_stream_read (G_INPUT_STREAM (input), text->str + before, most, NULL, NULL);
  g_string_set_size (text, before + (gsize) MAX (n, 0));
  return n >= 0 || sl_error_runtime (error, "cannot be read: %s", sl_input_error (input)->message);
}

static gboolean
open_text (SlReader *reader, GError **error)
{
  static const SlSourceMaker maker = { read_input, g_object_unref };
  const char *path = sl_input_size (reader->input) >= 0 ? reader->path : NULL;
  SlSource *source = path != NULL
                         ? sl_source_open (path, error)
                         : sl_source_new_made (reader->name, &maker, g_object_ref (reader->input));
  if (source != NULL && path == NULL && !sl_source_unpack (source, error))
    g_clear_pointer (&source, sl_source_free);
  if (reader->options.bytes != NULL)
    {
      if (source != NULL && path == NULL)
        source->is_file = TRUE;
      *reader->options.bytes = source;
      return FALSE;
    }
  if (source != NULL)
    reader->text
        = sl_text_table_new (source, path, reader->options.kind, reader->options.classes, error);
  return reader->text != NULL;
}

static gboolean
open_source (SlReader *reader, GError **error)
{
  const gboolean or_text = reader->options.text || reader->options.bytes != NULL;
  g_autoptr (GError) problem = NULL;
  reader->input = sl_input_open (reader->path, error);
  if (reader->input == NULL)
    return FALSE;
  reader->source = sl_table_source_new (reader->input, or_text, reader->options.threads,
                                        &reader->range, &reader->whole, &problem);
  if (reader->source == NULL && problem == NULL)
    return open_text (reader, error);
  if (reader->source == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  if (sl_table_source_is_by_footer (reader->source))
    g_clear_object (&reader->input);
  return TRUE;
}

static gboolean
kind_wanted (SlReader *reader, GError **error)
{
  if (reader->options.kinds == NULL)
    return TRUE;
  g_autoptr (GString) wanted = g_string_new (NULL);
  for (int i = 0; reader->options.kinds[i] != NULL; i++)
    {
      if (reader->options.kinds[i] == reader->table->kind)
        return TRUE;
      g_string_append_printf (wanted, "%s%s", i > 0 ? " or " : "", reader->options.kinds[i]->name);
    }
  return sl_error_bad_input (error, "is a table of %s; %s is wanted here",
                             reader->table->kind->name, wanted->str);
}

gboolean
sl_reader_next_plain (SlReader *reader, GArrowRecordBatch **batch, GError **error)
{
  gboolean ok = sl_table_source_next (reader->source, reader->raw_rows, batch, error);
  reader->digested = sl_table_source_is_digested (reader->source);
  return ok;
}

static gboolean
read_formed (SlReader *reader, GArrowRecordBatch **raw, GError **error)
{
  const SlReaderForm *form = reader->options.form;
  g_autoptr (GArrowRecordBatch) batch = NULL;
  *raw = NULL;
  if (reader->text != NULL)
    return sl_text_table_next (reader->text, raw, error);
  if (!sl_reader_next_plain (reader, &batch, error))
    return FALSE;
  if (batch == NULL || (form == NULL && reader->folding == NULL))
    {
      *raw = g_steal_pointer (&batch);
      return TRUE;
    }
  *raw = form != NULL ? form->batch (batch, form->data, error)
                      : sl_folding_batch (reader->folding, batch, reader->raw_rows, error);
  return *raw != NULL;
}

gboolean
sl_reader_read_raw (SlReader *reader, GArrowRecordBatch **raw, GError **error)
{
  if (!read_formed (reader, raw, error) || *raw == NULL || reader->parted == NULL)
    return error == NULL || *error == NULL;
  g_autoptr (GArrowRecordBatch) own = *raw;
  *raw = sl_partition_batch (own, reader->parted, sl_reader_partition (reader), error);
  return *raw != NULL;
}

/* Of lists that are to be tensors only a row tells how long they are. */
static gboolean
settle (SlReader *reader, SlTable *table, GError **error)
{
  while (!sl_table_is_settled (table))
    {
      g_clear_object (&reader->first);
      if (!sl_reader_read_raw (reader, &reader->first, error))
        return FALSE;
      if (reader->first == NULL)
        return refuse (error,
                       "has no rows, and so does not tell how long its lists of numbers are");
      if (!sl_table_settle (table, reader->first, error))
        return FALSE;
    }
  return TRUE;
}

void
sl_reader_close_source (SlReader *reader)
{
  g_clear_object (&reader->first);
  g_clear_pointer (&reader->source, sl_table_source_free);
  g_clear_object (&reader->theirs);
  g_clear_object (&reader->parted);
  g_clear_pointer (&reader->text, sl_text_table_free);
  g_clear_pointer (&reader->folding, sl_folding_free);
  g_clear_object (&reader->input);
}

gboolean
sl_reader_open_plain (SlReader *reader, GError **error)
{
  sl_reading_begin ();
  reader->raw_rows = 0;
  reader->digested = FALSE;
  if (!open_source (reader, error))
    return FALSE;
  reader->raw_rows = reader->range.rows_before;
  if (reader->source != NULL)
    reader->theirs = sl_table_source_schema (reader->source);
  return TRUE;
}

/* The source's schema in the form that its batches get; where columns name the classes, *CLASSES
 * are those. */
static GArrowSchema *
formed_schema (SlReader *reader, const char *const **classes, GError **error)
{
  const SlReaderForm *form = reader->options.form;
  if (reader->text != NULL)
    return sl_text_table_schema (reader->text);
  GArrowSchema *theirs = reader->theirs;
  if (form != NULL)
    return form->schema (theirs, form->data, error);
  g_clear_pointer (&reader->folding, sl_folding_free);
  reader->folding = sl_folding_new (theirs, reader->options.kind, *classes);
  if (reader->folding == NULL)
    return g_object_ref (theirs);
  *classes = sl_folding_classes (reader->folding);
  return sl_folding_schema (reader->folding, theirs, error);
}

/* The same, with what folders say. */
static GArrowSchema *
table_schema (SlReader *reader, const char *const **classes, GError **error)
{
  const SlTags *partition = sl_reader_partition (reader);
  GArrowSchema *formed = formed_schema (reader, classes, error);
  if (formed == NULL || partition == NULL)
    return formed;
  reader->parted = sl_partition_schema (formed, partition, reader->options.kind, error);
  g_object_unref (formed);
  return reader->parted != NULL ? g_object_ref (reader->parted) : NULL;
}

gboolean
sl_reader_open_one (SlReader *reader, GError **error)
{
  if (!sl_reader_open_plain (reader, error))
    return FALSE;
  sl_reader_begin_part (reader);
  const char *const *classes = reader->options.classes;
  g_autoptr (GArrowSchema) schema = table_schema (reader, &classes, error);
  if (schema == NULL)
    return FALSE;
  g_autoptr (SlTable) table = sl_table_from_schema (schema, reader->options.kind, classes, error);
  if (table == NULL)
    return FALSE;
  /* A part may be none of this shard's rows, and was looked at before. */
  if (reader->n_parts > 0 && !sl_table_is_settled (table))
    {
      sl_table_unref (table);
      table = sl_table_ref (reader->parts[reader->at_part].table);
    }
  if (!settle (reader, table, error))
    return FALSE;
  /* A second pass must find what the first did: the table has been handed out. */
  if (reader->table != NULL
      && (table->kind != reader->table->kind || !sl_table_columns_equal (table, reader->table, NULL)
          || !g_strv_equal ((const char *const *) table->classes,
                            (const char *const *) reader->table->classes)))
    return refuse (error, "has changed while it was being read");
  if (reader->table == NULL)
    {
      sl_reader_share_tags (reader, table);
      reader->table = g_steal_pointer (&table);
      reader->schema = sl_table_to_schema (reader->table);
    }
  return kind_wanted (reader, error);
}

gboolean
sl_reader_open_table (SlReader *reader, GError **error)
{
  reader->rows = reader->given = 0;
  if (!sl_reader_open_one (reader, error))
    return FALSE;
  sl_rechunk_init (&reader->chunks, sl_table_batch_rows (reader->table));
  reader->source_ended = FALSE;
  return TRUE;
}
