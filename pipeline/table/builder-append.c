/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows that are collected in one builder, and become part of another. */
#include "builder-private.h"

#include "types/types.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of text, or members of lists, that are added between two looks at a builder's room. */
#define MOST_AT_ONCE (1 << 26)

void
sl_builder_spans (SlBuilder *builder, int c, const char *data, const guint32 *start,
                  const guint32 *end, gint64 n)
{
  SlBuilderColumn *column = &builder->column[c];
  gsize bytes = 0;
  for (gint64 i = 0; i < n; i++)
    bytes += end[i] - start[i];
  if (n == 0 || !sl_builder_fits (builder, (gint64) column->values.used, (gint64) bytes))
    return;
  gint32 at = (gint32) column->values.used;
  char *to = sl_grow (&column->values, bytes + 16);
  column->values.used -= 16;
  if (column->offsets.used == 0)
    *(gint32 *) sl_grow (&column->offsets, 4) = 0;
  gint32 *offset = sl_grow (&column->offsets, 4 * (gsize) n);
  for (gint64 i = 0; i < n; i++)
    {
      const char *from = data + start[i];
      gsize length = end[i] - start[i];
      /* Most are short; a copy of known size is two instructions. */
      memcpy (to, from, 16);
      if (G_UNLIKELY (length > 16))
        memcpy (to + 16, from + 16, length - 16);
      to += length;
      at += (gint32) length;
      offset[i] = at;
    }
  if (column->valid.used > 0)
    memset (sl_grow (&column->valid, (gsize) n), 1, (gsize) n);
  column->n += n;
}

void
sl_builder_clear (SlBuilder *builder)
{
  for (int i = 0; i < builder->n_columns; i++)
    {
      SlBuilderColumn *column = &builder->column[i];
      column->n = column->n_inner = 0;
      column->values.used = column->offsets.used = column->reals.used = 0;
      column->valid.used = column->inner_valid.used = 0;
    }
  builder->over = FALSE;
}

void
sl_builder_shrink (SlBuilder *builder)
{
  for (int i = 0; i < builder->n_columns; i++)
    {
      SlBuilderColumn *column = &builder->column[i];
      SlBuffer *buffers[] = { &column->values, &column->offsets, &column->reals, &column->valid,
                              &column->inner_valid };
      for (gsize b = 0; b < G_N_ELEMENTS (buffers); b++)
        if (buffers[b]->used < buffers[b]->size)
          {
            SlBuffer smaller = { 0 };
            smaller.size = buffers[b]->used;
            smaller.memory = smaller.size > 0 ? sl_buffer_new (smaller.size) : NULL;
            if (smaller.size > 0)
              memcpy (smaller.memory, buffers[b]->memory, smaller.size);
            smaller.used = smaller.size;
            free (buffers[b]->memory);
            *buffers[b] = smaller;
          }
    }
}

gsize
sl_builder_bytes (const SlBuilder *builder)
{
  gsize bytes = sizeof *builder;
  for (int i = 0; i < builder->n_columns; i++)
    {
      const SlBuilderColumn *column = &builder->column[i];
      bytes += column->values.size + column->offsets.size + column->reals.size + column->valid.size
               + column->inner_valid.size;
    }
  return bytes;
}

void
sl_builder_recode (SlBuilder *builder, int c, const gint32 *map)
{
  SlBuilderColumn *column = &builder->column[c];
  gint32 *code = (gint32 *) (gpointer) column->values.memory;
  const guint8 *valid = column->valid.used > 0 && sl_types[column->type].storage == SL_STORAGE_FIXED
                            ? (const guint8 *) column->valid.memory
                            : NULL;
  gsize n = column->values.used / sizeof *code;
  /* A missing value's code is 0, and remains so. */
  for (gsize i = 0; i < n; i++)
    if (valid == NULL || valid[i])
      code[i] = map[code[i]];
}

static void
append_bytes (SlBuffer *to, const SlBuffer *from, gsize first, gsize n)
{
  if (n > 0)
    memcpy (sl_grow (to, n), from->memory + first, n);
}

/* Where all are there, nothing is noted. */
static void
append_valid (SlBuffer *to, gint64 n_before, const SlBuffer *from, gint64 first, gint64 n)
{
  const char *valid = from->used > 0 ? from->memory + first : NULL;
  if (valid != NULL && memchr (valid, 0, (gsize) n) == NULL)
    valid = NULL;
  if (valid == NULL && to->used == 0)
    return;
  if (to->used == 0 && n_before > 0)
    memset (sl_grow (to, (gsize) n_before), 1, (gsize) n_before);
  if (n > 0 && valid != NULL)
    memcpy (sl_grow (to, (gsize) n), valid, (gsize) n);
  else if (n > 0)
    memset (sl_grow (to, (gsize) n), 1, (gsize) n);
}

/* What lies between the ends of values FIRST - 1 and FIRST + N - 1. */
static void
inner_range (const SlBuilderColumn *from, gint64 first, gint64 n, gint64 *start, gint64 *length)
{
  const gint32 *offset = (const gint32 *) (gpointer) from->offsets.memory;
  *start = n > 0 ? offset[first] : 0;
  *length = n > 0 ? offset[first + n] - offset[first] : 0;
}

static void
append_offsets (SlBuilderColumn *to, const SlBuilderColumn *from, gint64 first, gint64 n,
                gint64 base)
{
  const gint32 *offset = (const gint32 *) (gpointer) from->offsets.memory;
  if (to->offsets.used == 0)
    *(gint32 *) sl_grow (&to->offsets, 4) = 0;
  gint32 *room = sl_grow (&to->offsets, 4 * (gsize) n);
  for (gint64 i = 0; i < n; i++)
    room[i] = (gint32) (base + offset[first + i + 1] - offset[first]);
}

static void
append_column (SlBuilder *builder, const SlBuilder *other, int c, gint64 first, gint64 n)
{
  SlBuilderColumn *to = &builder->column[c];
  const SlBuilderColumn *from = &other->column[c];
  SlStorage storage = sl_types[to->type].storage;
  gint64 start, length;
  if (storage == SL_STORAGE_FIXED)
    {
      gsize width = (gsize) sl_type_bytes (builder->table, c);
      append_bytes (&to->values, &from->values, (gsize) first * width, (gsize) n * width);
    }
  else
    {
      inner_range (from, first, n, &start, &length);
      gint64 base = storage == SL_STORAGE_BYTES ? (gint64) to->values.used : to->n_inner;
      gsize width = storage == SL_STORAGE_BYTES ? 1 : sizeof (gint32);
      if (!sl_builder_fits (builder, base, length))
        return;
      append_offsets (to, from, first, n, base);
      append_bytes (&to->values, &from->values, (gsize) start * width, (gsize) length * width);
      if (to->type == SL_TYPE_CHOICES)
        {
          append_bytes (&to->reals, &from->reals, (gsize) start * 8, (gsize) length * 8);
          append_valid (&to->inner_valid, to->n_inner, &from->inner_valid, start, length);
        }
      to->n_inner += storage == SL_STORAGE_LISTS ? length : 0;
    }
  append_valid (&to->valid, to->n, &from->valid, first, n);
  to->n += n;
}

/* How many rows from FIRST on, of at most N, hold no more than MOST_AT_ONCE in any column; one at
 * least. */
static gint64
fit_at_once (const SlBuilder *from, gint64 first, gint64 n)
{
  for (int c = 0; c < from->n_columns; c++)
    {
      gint64 start, length = 0;
      if (!sl_table_has (from->table, c)
          || sl_types[from->column[c].type].storage == SL_STORAGE_FIXED)
        continue;
      for (inner_range (&from->column[c], first, n, &start, &length);
           n > 1 && length > MOST_AT_ONCE;
           inner_range (&from->column[c], first, n, &start, &length))
        n /= 2;
    }
  return n;
}

gint64
sl_builder_append (SlBuilder *builder, const SlBuilder *from, gint64 first, gint64 end)
{
  gint64 n = MIN (end - first, sl_builder_room (builder));
  n = fit_at_once (from, first, n);
  for (int c = 0; c < from->n_columns; c++)
    if (sl_table_has (builder->table, c))
      append_column (builder, from, c, first, n);
  builder->over = builder->over || from->over;
  return first + n;
}
