/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sorting.h"

#include "pipeline/table/types/types.h"
#include "pipeline/table/condition.h"

#include <math.h>
#include <string.h>

typedef struct
{
  SlBatch *batch;
  gint64 row, place; /* in the batch; among all rows */
} Row;

static void
clear_row (gpointer data)
{
  sl_batch_unref (((Row *) data)->batch);
}

/* "label.cat": of a distribution the probability of one class. */
static gboolean
find_class (SlSorting *sorting, const char *name, const char *dot, GError **error)
{
  SlTable *table = sorting->table;
  sorting->class = dot != NULL ? sl_table_class (table, dot + 1, -1) : -1;
  return sorting->class >= 0
         || sl_error_usage (error,
                            "--sort: of a distribution, name one class of the table: '%s.%s'", name,
                            table->classes[0]);
}

static gboolean
find_column (SlSorting *sorting, const char *text, GError **error)
{
  SlTable *table = sorting->table;
  sorting->column = sl_table_column (table, text);
  const char *dot = sorting->column < 0 ? strchr (text, '.') : NULL;
  g_autofree char *name = dot != NULL ? g_strndup (text, (gsize) (dot - text)) : g_strdup (text);
  if (dot != NULL)
    sorting->column = sl_table_column (table, name);
  if (sorting->column < 0)
    {
      g_autofree char *hint = sl_column_hint (table, name);
      return sl_error_usage (error, "--sort: this table of %s has no column '%s'%s",
                             table->kind->name, text, hint);
    }
  switch (table->spec[sorting->column].type)
    {
    case SL_TYPE_LABEL:
      return find_class (sorting, name, dot, error);
    case SL_TYPE_INT32:
    case SL_TYPE_INT64:
    case SL_TYPE_REAL:
    case SL_TYPE_FLOAT32:
    case SL_TYPE_TEXT:
    case SL_TYPE_CLASS:
    case SL_TYPE_BOOL:
      if (dot == NULL)
        return TRUE;
      /* fall through */
    default:
      return sl_error_usage (error, "--sort: values of the column '%s' have no order", text);
    }
}

gboolean
sl_sorting_init (SlSorting *sorting, SlRun *run, SlTable *table, const char *column,
                 gboolean descending, gint64 most, GError **error)
{
  *sorting = (SlSorting){ .run = run,
                          .table = sl_table_ref (table),
                          .descending = descending,
                          .most = most,
                          .rows = g_array_new (FALSE, FALSE, sizeof (Row)) };
  g_array_set_clear_func (sorting->rows, clear_row);
  return find_column (sorting, column, error);
}

void
sl_sorting_clear (SlSorting *sorting)
{
  g_clear_pointer (&sorting->rows, g_array_unref);
  g_clear_pointer (&sorting->table, sl_table_unref);
}

#define ORDER(x, y) (((x) > (y)) - ((x) < (y)))

/* Of two rows that have values. */
static int
compare_values (const SlSorting *sorting, const Row *a, const Row *b)
{
  int c = sorting->column;
  const SlColumn *x = &a->batch->column[c], *y = &b->batch->column[c];
  gint64 k = sorting->table->n_classes;
  switch (sorting->table->spec[c].type)
    {
    case SL_TYPE_INT32:
      return ORDER (x->int32[a->row], y->int32[b->row]);
    case SL_TYPE_INT64:
      return ORDER (x->int64[a->row], y->int64[b->row]);
    case SL_TYPE_REAL:
      return ORDER (x->real[a->row], y->real[b->row]);
    case SL_TYPE_FLOAT32:
      return ORDER (x->float32[a->row], y->float32[b->row]);
    case SL_TYPE_LABEL:
      return ORDER (x->real[a->row * k + sorting->class], y->real[b->row * k + sorting->class]);
    case SL_TYPE_CLASS:
      return ORDER (x->code[a->row], y->code[b->row]);
    case SL_TYPE_BOOL:
      return ORDER (x->flag[a->row] != 0, y->flag[b->row] != 0);
    default:
      return sl_value_compare (a->batch, a->row, b->batch, b->row, c);
    }
}

/* A NaN is no value either. */
static gboolean
is_missing (const SlSorting *sorting, const Row *row)
{
  const SlColumn *x = &row->batch->column[sorting->column];
  SlType type = sorting->table->spec[sorting->column].type;
  return sl_value_is_missing (row->batch, sorting->column, row->row)
         || (type == SL_TYPE_REAL && isnan (x->real[row->row]))
         || (type == SL_TYPE_FLOAT32 && isnan (x->float32[row->row]));
}

static int
compare (gconstpointer a, gconstpointer b, gpointer data)
{
  const SlSorting *sorting = data;
  const Row *p = a, *q = b;
  int later = (p->place > q->place) - (p->place < q->place);
  gboolean p_missing = is_missing (sorting, p), q_missing = is_missing (sorting, q);
  if (p_missing || q_missing)
    return p_missing != q_missing ? p_missing - q_missing : later;
  int order = compare_values (sorting, p, q);
  return order == 0 ? later : sorting->descending ? -order : order;
}

static void
sort (SlSorting *sorting)
{
  g_array_sort_with_data (sorting->rows, compare, sorting);
}

/* Leaves of BATCH the rows that are still wanted, so that the others' memory goes. */
static gboolean
shrink (SlSorting *sorting, SlBatch *batch, GError **error)
{
  g_autofree guint8 *keep = g_new0 (guint8, batch->n_rows);
  g_autofree gint64 *number = g_new (gint64, batch->n_rows);
  gint64 n = 0;
  for (guint i = 0; i < sorting->rows->len; i++)
    {
      const Row *row = &g_array_index (sorting->rows, Row, i);
      if (row->batch == batch)
        keep[row->row] = 1;
    }
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      number[i] = n;
      n += keep[i];
    }
  g_autoptr (SlBatch) small = sl_batch_filter (batch, keep, error);
  if (small == NULL)
    return FALSE;
  for (guint i = 0; i < sorting->rows->len; i++)
    {
      Row *row = &g_array_index (sorting->rows, Row, i);
      if (row->batch != batch)
        continue;
      row->row = number[row->row];
      row->batch = sl_batch_ref (small);
      sl_batch_unref (batch);
    }
  return TRUE;
}

/* Bytes of all batches that some row is in. */
static gsize
bytes_held (const SlSorting *sorting)
{
  g_autoptr (GHashTable) batches = g_hash_table_new (NULL, NULL);
  gsize bytes = 0;
  for (guint i = 0; i < sorting->rows->len; i++)
    {
      SlBatch *batch = g_array_index (sorting->rows, Row, i).batch;
      if (g_hash_table_add (batches, batch))
        bytes += sl_batch_bytes (batch);
    }
  return bytes;
}

/* Whether row I of BATCH comes before the last of the rows that are kept, if these are enough. */
static gboolean
is_wanted (const SlSorting *sorting, guint n_kept, SlBatch *batch, gint64 i)
{
  if (sorting->most == 0 || (gint64) n_kept < sorting->most)
    return TRUE;
  const Row row = { batch, i, sorting->seen + i };
  return compare (&row, &g_array_index (sorting->rows, Row, n_kept - 1), (gpointer) sorting) < 0;
}

gboolean
sl_sorting_add (SlSorting *sorting, SlBatch *batch, GError **error)
{
  guint before = sorting->rows->len;
  for (gint64 i = 0; i < batch->n_rows; i++)
    if (is_wanted (sorting, before, batch, i))
      {
        Row row = { sl_batch_ref (batch), i, sorting->seen + i };
        g_array_append_val (sorting->rows, row);
      }
  sorting->seen += batch->n_rows;
  if (sorting->rows->len == before)
    return TRUE;
  if (sorting->most > 0)
    {
      sort (sorting);
      if ((gint64) sorting->rows->len > sorting->most)
        g_array_set_size (sorting->rows, (guint) sorting->most);
      if (!shrink (sorting, batch, error))
        return FALSE;
    }
  sorting->held = sorting->most > 0 ? bytes_held (sorting) : sorting->held + sl_batch_bytes (batch);
  return sl_run_claim_up_to (sorting->run, &sorting->claimed,
                             sorting->held + sorting->rows->len * sizeof (Row),
                             "the rows that are sorted", error);
}

gboolean
sl_sorting_take (SlSorting *sorting, SlBatch **batch, GError **error)
{
  g_autoptr (SlBuilder) builder = sl_builder_new (sorting->table);
  if (sorting->taken == 0)
    sort (sorting);
  gint64 first = sorting->taken;
  for (; sorting->taken < (gint64) sorting->rows->len && sl_builder_room (builder) > 0;
       sorting->taken++)
    {
      const Row *row = &g_array_index (sorting->rows, Row, sorting->taken);
      for (int c = 0; sorting->table->spec[c].name != NULL; c++)
        if (sl_table_has (sorting->table, c))
          sl_value_copy (builder, c, row->batch, row->row);
    }
  *batch = NULL;
  if (sorting->taken == first)
    return TRUE;
  *batch = sl_builder_take (builder, error);
  if (*batch != NULL)
    (*batch)->first_row = first;
  return *batch != NULL;
}
