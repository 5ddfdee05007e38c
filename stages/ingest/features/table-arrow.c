/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Features from Parquet and Arrow files of other programs, which the reader of tables reads in the
 * form that table-form.h gives them. */
#include "pipeline/files/reader.h"
#include "schemas/features.h"
#include "examples-out.h"
#include "table-form.h"

static SlReader *
open_file (SlTableForm *form, const SlKind *kind, GError **error)
{
  SlIngest *ingest = form->ingest;
  const SlReaderForm reader_form = { sl_table_form_schema, sl_table_form_batch, form };
  form->reader_form = reader_form;
  const SlReaderOptions options = { .kind = kind,
                                    .classes = (const char *const *) ingest->classes,
                                    .threads = ingest->run->threads,
                                    .form = &form->reader_form };
  return sl_reader_open (form->path, &options, error);
}

/* The gold classes that a file has are found in FOUND. */
static gboolean
find_classes (SlTableForm *form, SlIntern *found, GError **error)
{
  static const SlColumnSpec columns[]
      = { { "gold", SL_TYPE_TEXT, SL_COLUMN_OPTIONAL | SL_COLUMN_NULLABLE, "the true class" },
          { NULL, 0, 0, NULL } };
  static const SlKind kind = { .name = "classes", .row = "a class", .columns = columns };
  form->gold_alone = TRUE;
  g_autoptr (SlReader) reader = open_file (form, &kind, error);
  while (reader != NULL && form->column[SL_TABLE_GOLD] >= 0)
    {
      g_autoptr (SlBatch) batch = NULL;
      if (!sl_reader_next (reader, &batch, error))
        return FALSE;
      if (batch == NULL)
        break;
      for (gint64 i = 0; i < batch->n_rows; i++)
        {
          gsize n;
          const char *text = sl_text_get (batch->column[0].text, i, &n);
          if (n > 0 && sl_intern (found, text, n) >= SL_MAX_CLASSES)
            return sl_error_bad_input (error, "%s: over %d classes in the column of gold",
                                       form->path, SL_MAX_CLASSES);
        }
    }
  form->gold_alone = FALSE;
  return reader != NULL;
}

static gboolean
add_rows (SlTableForm *form, SlExamplesOut *out, const SlBatch *batch, GError **error)
{
  SlFeatures view = sl_features_view (batch);
  gsize each = (gsize) view.tensor->size;
  g_autoptr (GString) name = g_string_new (NULL);
  for (gint64 i = 0; i < view.n; i++)
    {
      gsize n;
      const char *text = sl_text_get (view.item, i, &n);
      g_string_truncate (name, 0);
      g_string_append_len (name, text, (gssize) n);
      gconstpointer x = view.pixels != NULL ? (gconstpointer) (view.pixels + (gsize) i * each)
                                            : (gconstpointer) (view.numbers + (gsize) i * each);
      gboolean named = form->column[SL_TABLE_ITEM] >= 0;
      SlExample example = { form->path,
                            batch->first_row + i + 1,
                            named ? name->str : NULL,
                            out->n,
                            x,
                            view.gold != NULL ? view.gold[i] : -1 };
      if (named && n == 0)
        return sl_error_bad_input (error, "%s: row %" G_GINT64_FORMAT ": its item has no name",
                                   form->path, example.row);
      if (!sl_examples_add (out, &example, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_file (SlTableForm *form, SlExamplesOut *out, GError **error)
{
  /* What is not finite may be put aside, so it is not the reader that refuses it. */
  SlKind kind = sl_features;
  kind.check = NULL;
  g_autoptr (SlReader) reader = open_file (form, &kind, error);
  if (reader == NULL)
    return FALSE;
  const SlTable *table = sl_reader_table (reader);
  const SlTensor *tensor = &table->tensor[SL_FEATURES_X];
  gint64 dim[SL_MAX_DIMS];
  for (int d = 0; d < tensor->n_dims; d++)
    dim[d] = tensor->dim[d];
  if (!sl_examples_start (out, form->path, tensor->number, tensor->n_dims, dim,
                          form->column[SL_TABLE_GOLD] >= 0, error))
    return FALSE;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    {
      ok = add_rows (form, out, batch, error);
      sl_run_progress (out->ingest->run, out->n, 0, 0);
    }
  return ok;
}

/* A file's columns of gold are looked through before its rows are read. */
static gboolean
settle_classes (SlTableForm *form, GError **error)
{
  SlIngest *ingest = form->ingest;
  g_autoptr (SlIntern) found = sl_intern_new ();
  if (ingest->classes != NULL)
    return TRUE;
  for (int i = 0; ingest->files[i] != NULL; i++)
    {
      form->path = ingest->files[i];
      if (!find_classes (form, found, error))
        return FALSE;
    }
  g_autofree gint32 *place = g_new (gint32, sl_intern_size (found) + 1);
  ingest->classes = sl_classes_sorted (found, place);
  return TRUE;
}

gboolean
sl_ingest_table_arrow (SlIngest *ingest, GError **error)
{
  g_auto (SlExamplesOut) out = { 0 };
  SlTableForm form = { .ingest = ingest, .picked = g_array_new (FALSE, FALSE, sizeof (int)) };
  gboolean ok = sl_examples_init (&out, ingest, error) && settle_classes (&form, error);
  for (int i = 0; ok && ingest->files[i] != NULL; i++)
    {
      form.path = ingest->files[i];
      ok = read_file (&form, &out, error);
    }
  g_array_unref (form.picked);
  return ok;
}
