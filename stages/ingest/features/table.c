/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Features from Parquet and Arrow files of other programs: they get the form of a table of
 * features, and the reader of tables reads that. */
#include "pipeline/arrow/reading-memory.h"
#include "pipeline/files/reader.h"
#include "pipeline/table/canonical/validate.h"
#include "pipeline/table/carray.h"
#include "schemas/features.h"
#include "stages/ingest/formats.h"
#include "examples-out.h"
#include "table-csv.h"

#include <arrow-glib/arrow-glib.h>
#include <math.h>
#include <string.h>

/* A table of another program in the form of a table of features: columns get the names that those
 * have there, and numbers that stand in columns of their own become one of lists. */

typedef struct
{
  SlIngest *ingest;
  const char *path;
  int column[SL_TABLE_ROLES];
  GArray *picked; /* of int */
  gboolean of_lists;
  gboolean gold_alone; /* the classes are looked for */
  gint64 row;
  SlReaderForm reader_form;
} SlTableForm;

static SlCellKind
cell_of (GArrowDataType *type)
{
  if (sl_tensor_fits (type))
    return SL_CELL_LIST;
  return GARROW_IS_NUMERIC_DATA_TYPE (type) ? SL_CELL_NUMBER : SL_CELL_OTHER;
}

/* The reader puts the file's name before an error by itself. */
static gboolean
fail_without (const char *name, GError **error)
{
  g_autofree char *prefix = g_strdup_printf ("%s: ", name);
  if (error != NULL && g_str_has_prefix ((*error)->message, prefix))
    memmove ((*error)->message, (*error)->message + strlen (prefix),
             strlen ((*error)->message + strlen (prefix)) + 1);
  return FALSE;
}

/* Finds what is where in SCHEMA. The columns' names stand for a header of CSV. */
static gboolean
find_columns (SlTableForm *form, GArrowSchema *schema, GError **error)
{
  guint n = garrow_schema_n_fields (schema);
  g_auto (GStrv) names = g_new0 (char *, n + 1);
  g_autofree SlCellKind *cell = g_new (SlCellKind, n + 1);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GArrowField) field = garrow_schema_get_field (schema, i);
      names[i] = g_strdup (garrow_field_get_name (field));
      cell[i] = cell_of (garrow_field_get_data_type (field));
    }
  g_autofree char *shown = g_filename_display_name (form->path);
  const SlCsv header = { .name = shown, .first = names, .n_fields = (int) n };
  if (!sl_columns_find_named (&header, sl_table_single_roles, form->ingest->columns, form->column,
                              error)
      || !sl_table_check_item (form->ingest, &header, form->column, error)
      || (form->picked->len == 0
          && !sl_table_pick (form->ingest, &header, cell, form->column, form->picked, error)))
    return fail_without (shown, error);
  form->of_lists = cell[g_array_index (form->picked, int, 0)] == SL_CELL_LIST;
  return TRUE;
}

/* The type of the field that has ROLE among FIELDS; NULL where there is none. */
static GArrowDataType *
type_of (GArrowSchema *schema, int column)
{
  g_autoptr (GArrowField) field
      = column >= 0 ? garrow_schema_get_field (schema, (guint) column) : NULL;
  return field != NULL ? g_object_ref (garrow_field_get_data_type (field)) : NULL;
}

/* Whole numbers that pandas made reals, as one of them was missing. */
static gboolean
is_real (GArrowDataType *type)
{
  return GARROW_IS_FLOATING_POINT_DATA_TYPE (type);
}

static void
add_field (GList **fields, const char *name, GArrowDataType *type)
{
  *fields = g_list_append (*fields, garrow_field_new (name, type));
}

/* The field of lists keeps what its metadata say of their shape. */
static void
add_features (GList **fields, const SlTableForm *form, GArrowSchema *theirs)
{
  int first = g_array_index (form->picked, int, 0);
  g_autoptr (GArrowField) lists = garrow_schema_get_field (theirs, (guint) first);
  g_autoptr (GArrowDataType) number = GARROW_DATA_TYPE (garrow_float_data_type_new ());
  g_autoptr (GArrowDataType) type
      = form->of_lists ? g_object_ref (garrow_field_get_data_type (lists))
                       : GARROW_DATA_TYPE (garrow_fixed_size_list_data_type_new_data_type (
                           number, (gint32) form->picked->len));
  g_autoptr (GArrowField) plain = garrow_field_new ("x", type);
  g_autoptr (GHashTable) metadata = form->of_lists && garrow_field_has_metadata (lists)
                                        ? garrow_field_get_metadata (lists)
                                        : NULL;
  *fields = g_list_append (*fields, metadata != NULL ? garrow_field_with_metadata (plain, metadata)
                                                     : g_object_ref (plain));
}

/* For SlReaderForm; DATA is an SlTableForm. */
static GArrowSchema *
table_form_schema (GArrowSchema *theirs, gpointer data, GError **error)
{
  SlTableForm *form = data;
  g_autolist (GArrowField) fields = NULL;
  g_autoptr (GArrowDataType) whole = GARROW_DATA_TYPE (garrow_int64_data_type_new ());
  form->row = 0;
  if (!find_columns (form, theirs, error))
    return NULL;
  g_autoptr (GArrowDataType) item = type_of (theirs, form->column[SL_TABLE_ITEM]);
  g_autoptr (GArrowDataType) gold = type_of (theirs, form->column[SL_TABLE_GOLD]);
  if (!form->gold_alone)
    {
      add_field (&fields, "item", item != NULL ? item : whole);
      add_features (&fields, form, theirs);
    }
  if (gold != NULL)
    add_field (&fields, "gold", is_real (gold) ? whole : gold);
  return garrow_schema_new (fields);
}

/* FROM[n], and where it lacks a number NaN, become every STEP-th of TO. */
static gboolean
spread (GArrowArray *column, gsize step, float *to, GError **error)
{
  g_autoptr (GArrowDataType) number = GARROW_DATA_TYPE (garrow_float_data_type_new ());
  g_autoptr (GArrowArray) floats
      = sl_validate (column, error) ? sl_reading_cast (column, number, error) : NULL;
  struct ArrowArray c;
  if (floats == NULL || !sl_carray_export (floats, &c, error))
    return FALSE;
  const float *from = (const float *) c.buffers[1] + c.offset;
  const guint8 *valid = c.null_count != 0 ? c.buffers[0] : NULL;
  for (gint64 i = 0; i < c.length; i++)
    {
      gint64 bit = c.offset + i;
      gboolean there = valid == NULL || (valid[bit / 8] >> (bit % 8)) & 1;
      to[(gsize) i * step] = there ? from[i] : NAN;
    }
  sl_carray_release (&c);
  return TRUE;
}

static GArrowArray *
join_numbers (const SlTableForm *form, GArrowRecordBatch *batch, GError **error)
{
  gint64 n = garrow_record_batch_get_n_rows (batch);
  gsize step = form->picked->len, all;
  if (!g_size_checked_mul (&all, step * sizeof (float), (gsize) n))
    return NULL;
  struct ArrowArray values;
  g_autoptr (GArrowDataType) number = GARROW_DATA_TYPE (garrow_float_data_type_new ());
  float *to = sl_buffer_new (all);
  sl_carray_init (&values, n * (gint64) step, 2, 0);
  sl_carray_set (&values, 1, to);
  for (gsize i = 0; i < step; i++)
    {
      g_autoptr (GArrowArray) column
          = garrow_record_batch_get_column_data (batch, g_array_index (form->picked, int, i));
      if (!spread (column, step, to + i, error))
        {
          g_prefix_error (
              error, "column '%s': ",
              garrow_record_batch_get_column_name (batch, g_array_index (form->picked, int, i)));
          sl_carray_release (&values);
          return NULL;
        }
    }
  g_autoptr (GArrowArray) array = garrow_array_import (&values, number, error);
  g_autoptr (GArrowDataType) lists
      = GARROW_DATA_TYPE (garrow_fixed_size_list_data_type_new_data_type (number, (gint32) step));
  return array != NULL ? GARROW_ARRAY (garrow_fixed_size_list_array_new (lists, n, array, NULL, 0))
                       : NULL;
}

static GArrowArray *
count_rows (SlTableForm *form, gint64 n, GError **error)
{
  struct ArrowArray values;
  g_autoptr (GArrowDataType) whole = GARROW_DATA_TYPE (garrow_int64_data_type_new ());
  gint64 *to = sl_buffer_new (8 * (gsize) n);
  for (gint64 i = 0; i < n; i++)
    to[i] = form->row + i;
  sl_carray_init (&values, n, 2, 0);
  sl_carray_set (&values, 1, to);
  return garrow_array_import (&values, whole, error);
}

static GArrowArray *
take_gold (const SlTableForm *form, GArrowRecordBatch *batch, GError **error)
{
  g_autoptr (GArrowArray) gold
      = garrow_record_batch_get_column_data (batch, form->column[SL_TABLE_GOLD]);
  g_autoptr (GArrowDataType) type = garrow_array_get_value_data_type (gold);
  g_autoptr (GArrowDataType) whole = GARROW_DATA_TYPE (garrow_int64_data_type_new ());
  if (!is_real (type))
    return g_steal_pointer (&gold);
  if (!sl_validate (gold, error))
    return NULL;
  GArrowArray *cast = sl_reading_cast (gold, whole, NULL);
  if (cast == NULL)
    sl_error_bad_input (error, "the column of the gold classes has numbers with fractions");
  return cast;
}

static GArrowRecordBatch *
table_form_batch (GArrowRecordBatch *theirs, gpointer data, GError **error)
{
  SlTableForm *form = data;
  gint64 n = garrow_record_batch_get_n_rows (theirs);
  g_autolist (GArrowArray) columns = NULL;
  g_autoptr (GArrowSchema) schema = garrow_record_batch_get_schema (theirs);
  g_autoptr (GArrowSchema) ours = NULL;
  gint64 row = form->row;
  GArrowArray *made[3] = { NULL, NULL, NULL };
  gboolean ok = TRUE;
  if (!form->gold_alone)
    {
      made[0] = form->column[SL_TABLE_ITEM] >= 0
                    ? garrow_record_batch_get_column_data (theirs, form->column[SL_TABLE_ITEM])
                    : count_rows (form, n, error);
      ok = made[0] != NULL;
      if (ok)
        made[1] = form->of_lists ? garrow_record_batch_get_column_data (
                      theirs, g_array_index (form->picked, int, 0))
                                 : join_numbers (form, theirs, error);
      ok = ok && made[1] != NULL;
    }
  if (ok && form->column[SL_TABLE_GOLD] >= 0)
    ok = (made[2] = take_gold (form, theirs, error)) != NULL;
  for (int i = 0; i < 3; i++)
    if (made[i] != NULL)
      columns = g_list_append (columns, made[i]);
  if (!ok || (ours = table_form_schema (schema, form, error)) == NULL)
    return NULL;
  form->row = row + n;
  return garrow_record_batch_new (ours, (guint32) n, columns, error);
}

static SlReader *
open_file (SlTableForm *form, const SlKind *kind, GError **error)
{
  SlIngest *ingest = form->ingest;
  const SlReaderForm reader_form = { table_form_schema, table_form_batch, form };
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
      ok = sl_examples_add_batch (out, batch, form->path, batch->first_row + 1,
                                  form->column[SL_TABLE_ITEM] >= 0, error);
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

static gboolean
ingest_arrow (SlIngest *ingest, GError **error)
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

/* table: examples in the rows of a table of another program, CSV, Parquet or Arrow: numbers in
 * columns of their own, or in one column of lists; an item, and gold where it is known. */

/* *ARROW: not CSV, by the first bytes. */
static gboolean
is_arrow (SlIngest *ingest, const char *path, gboolean *arrow, GError **error)
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
run_table (SlIngest *ingest, GError **error)
{
  gboolean arrow = FALSE;
  for (int i = 0; ingest->files[i] != NULL; i++)
    {
      gboolean before = arrow;
      if (!is_arrow (ingest, ingest->files[i], &arrow, error))
        return FALSE;
      if (i > 0 && arrow != before)
        return sl_error_bad_input (error, "%s is %s, unlike the files before it", ingest->files[i],
                                   arrow ? "no CSV" : "CSV");
    }
  return (arrow ? ingest_arrow : sl_ingest_table_csv) (ingest, error);
}

const SlIngestFormat sl_ingest_table = {
  .roles = sl_table_roles,
  .run = run_table,
};
