/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pool.h"

#include "pipeline/base/parallel.h"
#include "schemas/annotations.h"
#include "schemas/labels.h"

#include <stdlib.h>
#include <string.h>

SlBatch *
sl_judgements (SlBatch *batch, GError **error)
{
  if (batch->table->kind != &sl_annotations)
    return sl_batch_ref (batch);
  const guint8 *check = batch->column[SL_ANNOTATIONS_CHECK].flag,
               *excluded = batch->column[SL_ANNOTATIONS_EXCLUDED].flag;
  if (check == NULL && excluded == NULL)
    return sl_batch_ref (batch);
  g_autofree guint8 *keep = g_new (guint8, MAX (batch->n_rows, 1));
  for (gint64 i = 0; i < batch->n_rows; i++)
    keep[i] = !(check != NULL && check[i]) && !(excluded != NULL && excluded[i]);
  return sl_batch_filter (batch, keep, error);
}

/* What is needed while all is read. */
typedef struct
{
  SlRun *run;
  gint32 *item; /* [n_rows]: each row's item */
  gint64 room;
  gsize claimed; /* for the items' names */
} Reading;

static void
reading_clear (Reading *reading)
{
  g_free (reading->item);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Reading, reading_clear)

static gboolean
claim (SlPool *pool, Reading *reading, const SlBatch *batch, GError **error)
{
  gsize per_row = sizeof (gint32) + sizeof (SlRow);
  static const char what[] = "all answers";
  return sl_run_claim (reading->run, sl_batch_bytes (batch) + per_row * (gsize) batch->n_rows, what,
                       error)
         && sl_run_claim_up_to (reading->run, &reading->claimed, sl_intern_bytes (pool->items),
                                what, error);
}

static gboolean
add_batch (SlPool *pool, Reading *reading, SlBatch *raw, GError **error)
{
  g_autoptr (SlBatch) batch = sl_judgements (raw, error);
  if (batch == NULL || !claim (pool, reading, batch, error))
    return FALSE;
  if (pool->n_rows + batch->n_rows > reading->room)
    {
      reading->room += reading->room / 2 + batch->n_rows;
      reading->item = g_renew (gint32, reading->item, reading->room);
    }
  /* `item` is the first column of every kind. */
  sl_intern_column (pool->items, batch->column[0].text, batch->n_rows,
                    reading->item + pool->n_rows);
  pool->n_rows += batch->n_rows;
  g_ptr_array_add (pool->batches, g_steal_pointer (&batch));
  return TRUE;
}

/* Sorts the rows by item, keeping their order (a counting sort). */
static void
group (SlPool *pool, const gint32 *item)
{
  gint64 n_items = sl_intern_size (pool->items), at = 0;
  pool->first = g_new0 (gint64, n_items + 2);
  pool->row = g_new (SlRow, MAX (pool->n_rows, 1));
  for (gint64 i = 0; i < pool->n_rows; i++)
    pool->first[item[i] + 2]++;
  for (gint64 i = 2; i < n_items + 2; i++)
    pool->first[i] += pool->first[i - 1];
  /* first[i + 1] is where item i's next row goes, and in the end where its rows end. */
  for (guint b = 0; b < pool->batches->len; b++)
    {
      SlBatch *batch = pool->batches->pdata[b];
      for (gint64 i = 0; i < batch->n_rows; i++, at++)
        pool->row[pool->first[item[at] + 1]++] = (SlRow){ batch, i };
    }
}

static int
compare (gconstpointer a, gconstpointer b)
{
  const SlRow *x = a, *y = b;
  return sl_row_compare (
      *x, *y, x->batch->table->kind == &sl_labels ? SL_LABELS_ANNOTATOR : SL_ANNOTATIONS_ANNOTATOR);
}

/* Items whose rows are sorted at a time by one thread. */
#define SHARE 1024

static void
sort_share (int share, gpointer data)
{
  SlPool *pool = data;
  gint64 first = (gint64) share * SHARE, end = MIN (first + SHARE, sl_intern_size (pool->items));
  for (gint64 i = first; i < end; i++)
    qsort (pool->row + pool->first[i], (gsize) (pool->first[i + 1] - pool->first[i]),
           sizeof *pool->row, compare);
}

gboolean
sl_pool_init (SlPool *pool, SlRun *run, GError **error)
{
  g_auto (Reading) reading = { .run = run };
  *pool = (SlPool){ .batches = g_ptr_array_new_with_free_func ((GDestroyNotify) sl_batch_unref),
                    .items = sl_intern_new () };
  sl_intern_set_threads (pool->items, run->threads);
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (run, &batch, &ok, error))
    ok = add_batch (pool, &reading, batch, error);
  if (!ok)
    return FALSE;
  group (pool, reading.item);
  gint32 n_items = sl_intern_size (pool->items);
  sl_parallel (run->threads, n_items / SHARE + (n_items % SHARE > 0), sort_share, pool);
  return TRUE;
}

void
sl_pool_clear (SlPool *pool)
{
  g_clear_pointer (&pool->batches, g_ptr_array_unref);
  g_clear_pointer (&pool->items, sl_intern_free);
  g_clear_pointer (&pool->row, g_free);
  g_clear_pointer (&pool->first, g_free);
}
