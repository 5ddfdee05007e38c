/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "builder-private.h"

#include "types/types.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

gpointer
sl_grow (SlBuffer *buffer, gsize bytes)
{
  /* Nothing goes there, and there may be no memory yet. */
  if (bytes == 0)
    return buffer->memory;
  if (buffer->used + bytes > buffer->size)
    {
      gsize size = MAX (MAX (buffer->used + bytes, buffer->size * 2), 4096);
      char *memory = sl_buffer_new (size);
      if (buffer->used > 0)
        memcpy (memory, buffer->memory, buffer->used);
      free (buffer->memory);
      buffer->memory = memory;
      buffer->size = size;
    }
  gpointer room = buffer->memory + buffer->used;
  buffer->used += bytes;
  return room;
}

SlBuilder *
sl_builder_new (SlTable *table)
{
  SlBuilder *builder = g_new0 (SlBuilder, 1);
  builder->table = sl_table_ref (table);
  builder->batch_rows = sl_table_batch_rows (table);
  builder->full = SL_BATCH_FULL;
  builder->most = G_MAXINT32;
  for (int i = 0; table->spec[i].name != NULL; i++)
    {
      builder->column[i].type = table->spec[i].type;
      builder->n_columns = i + 1;
    }
  return builder;
}

void
sl_builder_free (SlBuilder *builder)
{
  for (int i = 0; i < builder->n_columns; i++)
    {
      SlBuilderColumn *column = &builder->column[i];
      SlBuffer *buffers[] = { &column->values, &column->offsets, &column->reals, &column->valid,
                              &column->inner_valid };
      for (gsize b = 0; b < G_N_ELEMENTS (buffers); b++)
        free (buffers[b]->memory);
      sl_carray_release (&column->shared);
    }
  g_clear_object (&builder->schema);
  g_clear_object (&builder->classes);
  sl_table_unref (builder->table);
  g_free (builder);
}

gboolean
sl_builder_fits (SlBuilder *builder, gint64 end, gint64 more)
{
  builder->over = builder->over || more > builder->most - end;
  return !builder->over;
}

static void
push_offset (SlBuilderColumn *column, gint64 end)
{
  if (column->offsets.used == 0)
    *(gint32 *) sl_grow (&column->offsets, 4) = 0;
  *(gint32 *) sl_grow (&column->offsets, 4) = (gint32) end;
}

/* Notes whether the row about to be added is there. */
static void
push_valid (SlBuffer *valid, gint64 n_before, gboolean there)
{
  if (there && valid->used == 0)
    return;
  if (valid->used == 0 && n_before > 0)
    memset (sl_grow (valid, (gsize) n_before), 1, (gsize) n_before);
  *(guint8 *) sl_grow (valid, 1) = there != FALSE;
}

void
sl_builder_text (SlBuilder *builder, int c, const char *text, gsize length)
{
  SlBuilderColumn *column = &builder->column[c];
  if (length > 0 && sl_builder_fits (builder, (gint64) column->values.used, (gint64) length))
    memcpy (sl_grow (&column->values, length), text, length);
  push_valid (&column->valid, column->n, TRUE);
  push_offset (column, (gint64) column->values.used);
  column->n++;
}

void
sl_builder_texts (SlBuilder *builder, int c, SlText texts, gint64 first, gint64 n)
{
  SlBuilderColumn *column = &builder->column[c];
  if (n == 0
      || !sl_builder_fits (builder, (gint64) column->values.used,
                           (gint64) texts.offset[first + n] - texts.offset[first]))
    return;
  gint64 base = (gint64) column->values.used - texts.offset[first];
  gsize bytes = (gsize) (texts.offset[first + n] - texts.offset[first]);
  if (bytes > 0)
    memcpy (sl_grow (&column->values, bytes), texts.data + texts.offset[first], bytes);
  if (column->offsets.used == 0)
    *(gint32 *) sl_grow (&column->offsets, 4) = 0;
  gint32 *offsets = sl_grow (&column->offsets, 4 * (gsize) n);
  for (gint64 i = 0; i < n; i++)
    offsets[i] = (gint32) (texts.offset[first + i + 1] + base);
  if (column->valid.used > 0)
    memset (sl_grow (&column->valid, (gsize) n), 1, (gsize) n);
  column->n += n;
}

void
sl_builder_class (SlBuilder *builder, int c, gint32 code)
{
  SlBuilderColumn *column = &builder->column[c];
  push_valid (&column->valid, column->n, code >= 0);
  *(gint32 *) sl_grow (&column->values, 4) = MAX (code, 0);
  column->n++;
}

void
sl_builder_classes (SlBuilder *builder, int c, const gint32 *codes, gint64 n)
{
  SlBuilderColumn *column = &builder->column[c];
  gint32 least = 0;
  for (gint64 i = 0; i < n; i++)
    least = MIN (least, codes[i]);
  if (least < 0 || column->valid.used > 0)
    {
      for (gint64 i = 0; i < n; i++)
        sl_builder_class (builder, c, codes[i]);
      return;
    }
  if (n > 0)
    memcpy (sl_grow (&column->values, 4 * (gsize) n), codes, 4 * (gsize) n);
  column->n += n;
}

void
sl_builder_choice (SlBuilder *builder, int c, gint32 code, double percent)
{
  SlBuilderColumn *column = &builder->column[c];
  if (!sl_builder_fits (builder, column->n_inner, 1))
    return;
  push_valid (&column->inner_valid, column->n_inner, !isnan (percent));
  *(gint32 *) sl_grow (&column->values, 4) = code;
  *(double *) sl_grow (&column->reals, 8) = isnan (percent) ? 0 : percent;
  column->n_inner++;
}

void
sl_builder_member (SlBuilder *builder, int c, gint32 code)
{
  SlBuilderColumn *column = &builder->column[c];
  if (!sl_builder_fits (builder, column->n_inner, 1))
    return;
  *(gint32 *) sl_grow (&column->values, 4) = code;
  column->n_inner++;
}

void
sl_builder_end_list (SlBuilder *builder, int c)
{
  SlBuilderColumn *column = &builder->column[c];
  push_offset (column, column->n_inner);
  column->n++;
}

void
sl_builder_real (SlBuilder *builder, int c, double value)
{
  SlBuilderColumn *column = &builder->column[c];
  gboolean there = !isnan (value) || !(builder->table->spec[c].flags & SL_COLUMN_NULLABLE);
  push_valid (&column->valid, column->n, there);
  *(double *) sl_grow (&column->values, 8) = there ? value : 0;
  column->n++;
}

void
sl_builder_float32 (SlBuilder *builder, int c, float value)
{
  SlBuilderColumn *column = &builder->column[c];
  gboolean there = !isnan (value) || !(builder->table->spec[c].flags & SL_COLUMN_NULLABLE);
  push_valid (&column->valid, column->n, there);
  *(float *) sl_grow (&column->values, 4) = there ? value : 0;
  column->n++;
}

void
sl_builder_int (SlBuilder *builder, int c, gint64 value)
{
  SlBuilderColumn *column = &builder->column[c];
  push_valid (&column->valid, column->n, TRUE);
  if (column->type == SL_TYPE_INT32)
    *(gint32 *) sl_grow (&column->values, 4) = (gint32) value;
  else
    *(gint64 *) sl_grow (&column->values, 8) = value;
  column->n++;
}

void
sl_builder_bool (SlBuilder *builder, int c, gboolean value)
{
  SlBuilderColumn *column = &builder->column[c];
  push_valid (&column->valid, column->n, TRUE);
  *(guint8 *) sl_grow (&column->values, 1) = value != FALSE;
  column->n++;
}

void
sl_builder_null (SlBuilder *builder, int c)
{
  SlBuilderColumn *column = &builder->column[c];
  const SlTypeRow *type = sl_type_of (builder->table, c);
  /* A list is empty, not missing; nor are labels and tensors ever missing. */
  g_assert (type->storage != SL_STORAGE_LISTS && type->n_bytes == NULL);
  push_valid (&column->valid, column->n, FALSE);
  if (type->storage == SL_STORAGE_BYTES)
    push_offset (column, (gint64) column->values.used);
  else
    memset (sl_grow (&column->values, (gsize) type->bytes), 0, (gsize) type->bytes);
  column->n++;
}

double *
sl_builder_labels (SlBuilder *builder, int c, gint64 n)
{
  SlBuilderColumn *column = &builder->column[c];
  gsize bytes = 8 * (gsize) n * (gsize) builder->table->n_classes;
  double *room = sl_grow (&column->values, bytes);
  memset (room, 0, bytes);
  column->n += n;
  return room;
}

gpointer
sl_builder_tensors (SlBuilder *builder, int c, gint64 n)
{
  builder->column[c].n += n;
  return sl_grow (&builder->column[c].values, (gsize) (n * sl_type_bytes (builder->table, c)));
}

void
sl_builder_share (SlBuilder *builder, int c, const SlBatch *from, int from_column)
{
  SlBuilderColumn *column = &builder->column[c];
  g_assert (column->n == 0 && column->type == from->table->spec[from_column].type);
  g_autoptr (GError) error = NULL;
  g_assert (column->type != SL_TYPE_TENSOR
            || sl_tensor_equal (&builder->table->tensor[c], &from->table->tensor[from_column]));
  if (!sl_carray_export (from->column[from_column].array, &column->shared, &error))
    g_error ("%s", error->message);
  column->n = from->n_rows;
}

gint64
sl_builder_rows (const SlBuilder *builder)
{
  for (int i = 0; i < builder->n_columns; i++)
    if (sl_table_has (builder->table, i))
      return builder->column[i].n;
  return 0;
}

gint64
sl_builder_room (const SlBuilder *builder)
{
  for (int i = 0; i < builder->n_columns; i++)
    {
      const SlBuilderColumn *column = &builder->column[i];
      gint64 held = sl_types[column->type].storage == SL_STORAGE_BYTES
                        ? (gint64) column->values.used
                        : column->n_inner;
      if (held >= builder->full)
        return 0;
    }
  return builder->over ? 0 : MAX (builder->batch_rows - sl_builder_rows (builder), 0);
}
