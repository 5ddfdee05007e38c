/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "builder-private.h"

#include "pipeline/base/error.h"
#include "types/types-private.h"

#include <arrow-glib/arrow-glib.h>

/* The buffer's memory, to be owned by an array; the next one starts as large. */
static gpointer
give (SlBuffer *buffer)
{
  gpointer memory = buffer->memory != NULL ? buffer->memory : sl_buffer_new (0);
  gsize size = buffer->used;
  *buffer = (SlBuffer){ 0 };
  if (size > 0)
    {
      buffer->memory = sl_buffer_new (size);
      buffer->size = size;
    }
  return memory;
}

static gpointer
take_valid (SlBuffer *valid, gint64 n, gint64 *n_null)
{
  *n_null = 0;
  if (valid->used == 0)
    return NULL;
  gpointer bits = sl_bits_new ((const guint8 *) valid->memory, n, n_null);
  valid->used = 0;
  return bits;
}

static void
take_codes (SlBuilder *builder, SlBuilderColumn *column, gint64 n, struct ArrowArray *out)
{
  sl_carray_init (out, n, 2, 0);
  sl_carray_set (out, 1, give (&column->values));
  struct ArrowArray dictionary;
  if (builder->classes == NULL)
    {
      sl_carray_init_texts (&dictionary, builder->table->classes, builder->table->n_classes);
      g_autoptr (GArrowDataType) type = GARROW_DATA_TYPE (garrow_string_data_type_new ());
      builder->classes = garrow_array_import (&dictionary, type, NULL);
    }
  g_autoptr (GError) error = NULL;
  if (!sl_carray_export (builder->classes, &dictionary, &error))
    g_error ("%s", error->message);
  sl_carray_take_dictionary (out, &dictionary);
}

static gpointer
give_offsets (SlBuilderColumn *column)
{
  if (column->offsets.used == 0)
    *(gint32 *) sl_grow (&column->offsets, 4) = 0;
  return give (&column->offsets);
}

void
sl_take_text (SlBuilder *builder, int c, struct ArrowArray *out)
{
  SlBuilderColumn *column = &builder->column[c];
  sl_carray_init (out, column->n, 3, 0);
  sl_carray_set (out, 1, give_offsets (column));
  sl_carray_set (out, 2, give (&column->values));
}

void
sl_take_class (SlBuilder *builder, int c, struct ArrowArray *out)
{
  take_codes (builder, &builder->column[c], builder->column[c].n, out);
}

void
sl_take_classes (SlBuilder *builder, int c, struct ArrowArray *out)
{
  SlBuilderColumn *column = &builder->column[c];
  struct ArrowArray codes;
  sl_carray_init (out, column->n, 2, 1);
  sl_carray_set (out, 1, give_offsets (column));
  take_codes (builder, column, column->n_inner, &codes);
  sl_carray_take_child (out, 0, &codes);
  column->n_inner = 0;
}

void
sl_take_choices (SlBuilder *builder, int c, struct ArrowArray *out)
{
  SlBuilderColumn *column = &builder->column[c];
  struct ArrowArray codes, pairs, percents;
  sl_carray_init (out, column->n, 2, 1);
  sl_carray_set (out, 1, give_offsets (column));
  take_codes (builder, column, column->n_inner, &codes);
  sl_carray_init (&percents, column->n_inner, 2, 0);
  sl_carray_set (&percents, 0,
                 take_valid (&column->inner_valid, column->n_inner, &percents.null_count));
  sl_carray_set (&percents, 1, give (&column->reals));
  sl_carray_init (&pairs, column->n_inner, 1, 2);
  sl_carray_take_child (&pairs, 0, &codes);
  sl_carray_take_child (&pairs, 1, &percents);
  sl_carray_take_child (out, 0, &pairs);
  column->n_inner = 0;
}

void
sl_take_bool (SlBuilder *builder, int c, struct ArrowArray *out)
{
  SlBuilderColumn *column = &builder->column[c];
  gint64 n_false;
  sl_carray_init (out, column->n, 2, 0);
  sl_carray_set (out, 1, sl_bits_new ((const guint8 *) column->values.memory, column->n, &n_false));
  column->values.used = 0;
}

void
sl_take_numbers (SlBuilder *builder, int c, struct ArrowArray *out)
{
  SlBuilderColumn *column = &builder->column[c];
  sl_carray_init (out, column->n, 2, 0);
  sl_carray_set (out, 1, give (&column->values));
}

void
sl_take_fixed_list (SlBuilder *builder, int c, struct ArrowArray *out)
{
  SlBuilderColumn *column = &builder->column[c];
  gint64 size
      = column->type == SL_TYPE_TENSOR ? builder->table->tensor[c].size : builder->table->n_classes;
  sl_carray_init (out, column->n, 1, 1);
  sl_carray_init (out->children[0], column->n * size, 2, 0);
  sl_carray_set (out->children[0], 1, give (&column->values));
}

static void
take_column (SlBuilder *builder, int c, struct ArrowArray *out)
{
  SlBuilderColumn *column = &builder->column[c];
  if (column->shared.release != NULL)
    {
      *out = column->shared;
      column->shared.release = NULL;
    }
  else
    sl_types[column->type].take (builder, c, out);
  if (column->valid.used > 0)
    sl_carray_set (out, 0, take_valid (&column->valid, column->n, &out->null_count));
  column->n = 0;
}

SlBatch *
sl_builder_take (SlBuilder *builder, GError **error)
{
  if (builder->over)
    {
      g_set_error (
          error, SL_ERROR, SL_ERROR_INPUT,
          "2 GiB of text, or 2^31 members of lists, in a few rows: more than a batch can hold");
      return NULL;
    }
  if (builder->schema == NULL)
    builder->schema = sl_table_to_schema (builder->table);
  gint64 n_rows = sl_builder_rows (builder);
  struct ArrowArray rows;
  sl_carray_init (&rows, n_rows, 1, (int) garrow_schema_n_fields (builder->schema));
  int position = 0;
  for (int i = 0; i < builder->n_columns; i++)
    if (sl_table_has (builder->table, i))
      {
        /* A stage that fills one column more often than another is a mistake in the stage. */
        g_assert_cmpint (builder->column[i].n, ==, n_rows);
        take_column (builder, i, rows.children[position++]);
      }
  g_autoptr (GArrowRecordBatch) arrow = garrow_record_batch_import (&rows, builder->schema, error);
  return arrow != NULL ? sl_batch_new (builder->table, arrow, 0, error) : NULL;
}
