/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample.h"

#include "pipeline/base/draw.h"
#include "pipeline/base/parallel.h"
#include "pipeline/table/types/types.h"
#include "schemas/annotations.h"
#include "schemas/labels.h"

#include <math.h>
#include <string.h>
#include <stdlib.h>

/* ---- rows, of whatever kind of table ---- */

int
sl_row_compare (SlRow a, SlRow b, int annotator)
{
  const SlTable *table = a.batch->table;
  int order = annotator >= 0 && sl_table_has (table, annotator)
                  ? sl_value_compare (a.batch, a.row, b.batch, b.row, annotator)
                  : 0;
  for (int c = 0; order == 0 && table->spec[c].name != NULL; c++)
    if (sl_table_has (table, c) && c != annotator)
      order = sl_value_compare (a.batch, a.row, b.batch, b.row, c);
  return order;
}

void
sl_row_copy (SlBuilder *builder, const SlTable *table, SlRow row, int replaced)
{
  for (int c = 0; table->spec[c].name != NULL; c++)
    if (sl_table_has (table, c) && c != replaced)
      sl_value_copy (builder, c, row.batch, row.row);
}

/* ---- all judgements, in memory ---- */

/* The judgements of a table, in memory, item by item. Items are in order of first appearance. An
 * item's rows are sorted by their content, so draws from them do not depend on the table's
 * order. */

typedef struct
{
  GPtrArray *batches; /* of SlBatch */
  SlIntern *items;
  gint64 n_rows;
  SlRow *row;    /* [n_rows] */
  gint64 *first; /* [items + 1]: item i has row[first[i]] up to row[first[i + 1]] */
} SlPool;

SlBatch *
sl_judgements (SlBatch *batch, GError **error)
{
  g_autofree guint8 *keep = sl_annotations_counted (batch);
  if (keep == NULL)
    return sl_batch_ref (batch);
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

/* Reads all of RUN's input but attention checks and excluded annotators. */
static gboolean
pool_init (SlPool *pool, SlRun *run, GError **error)
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

static void
pool_clear (SlPool *pool)
{
  g_clear_pointer (&pool->batches, g_ptr_array_unref);
  g_clear_pointer (&pool->items, sl_intern_free);
  g_clear_pointer (&pool->row, g_free);
  g_clear_pointer (&pool->first, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlPool, pool_clear)

/* ---- draws from them ---- */

/* Purposes of random numbers. */
typedef struct
{
  guint32 annotators, draws, hard_samples;
} Purposes;

typedef struct
{
  SlRun *run;
  const SlSampling *sampling;
  SlTable *table;
  SlBuilder *builder;
  SlPool pool;
  Purposes purpose;
  double *weight; /* [most rows of an item]: answers behind each row */
  gint64 *have, *take, *tree;
  double *sums; /* also of classes */
} Sample;

static void
sample_clear (Sample *sample)
{
  g_clear_pointer (&sample->builder, sl_builder_free);
  pool_clear (&sample->pool);
  g_free (sample->weight);
  g_free (sample->have);
  g_free (sample->take);
  g_free (sample->tree);
  g_free (sample->sums);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Sample, sample_clear)

gint64
sl_row_count (SlRow row)
{
  const gint64 *count = row.batch->column[SL_ANNOTATIONS_COUNT].int64;
  return count != NULL ? count[row.row] : 1;
}

static double
row_weight (SlRow row)
{
  if (row.batch->table->kind == &sl_labels)
    return row.batch->column[SL_LABELS_WEIGHT].real[row.row];
  return (double) sl_row_count (row);
}

/* Appends ROW, which now stands for N answers. */
static gboolean
write_row (SlRun *run, SlBuilder *builder, const SlTable *table, SlRow row, gint64 n,
           GError **error)
{
  gboolean labels = table->kind == &sl_labels;
  int number = labels ? SL_LABELS_WEIGHT : SL_ANNOTATIONS_COUNT;
  sl_row_copy (builder, table, row, number);
  if (labels)
    sl_builder_real (builder, number, (double) n);
  else if (sl_table_has (table, number))
    sl_builder_int (builder, number, n);
  return sl_builder_room (builder) > 0 || sl_writer_write_built (run->out, builder, FALSE, error);
}

gboolean
sl_write_votes (SlRun *run, SlBuilder *builder, const SlTable *table, SlRow row, gint64 n,
                GError **error)
{
  for (; n > 0; n--)
    if (!write_row (run, builder, table, row, 1, error))
      return FALSE;
  return TRUE;
}

static gboolean
item_error (const Sample *sample, gint32 item, const char *what, GError **error)
{
  gsize length;
  const char *name = sl_intern_get (sample->pool.items, item, &length);
  return sl_error_bad_input (error, "item '%.*s' %s", (int) length, name, what);
}

static SlRandom
stream (const Sample *sample, guint32 purpose, gint32 item, gint64 draw)
{
  gsize length;
  const char *name = sl_intern_get (sample->pool.items, item, &length);
  return sl_random (sample->sampling->seed, purpose, sl_text_hash (name, length), 0,
                    (guint32) draw);
}

/* weight[n] <- how many of the answers behind each of ROWS[n] are chosen. */
static gboolean
choose (Sample *sample, gint32 item, gint64 n, GError **error)
{
  gint64 all = 0;
  for (gint64 i = 0; i < n; i++)
    {
      /* Counts are whole by themselves. */
      if (sample->weight[i] != floor (sample->weight[i]) || sample->weight[i] > 0x1p53)
        return item_error (sample, item,
                           "has a label whose weight is not a whole number up to 2^53, so its "
                           "annotators cannot be chosen",
                           error);
      sample->have[i] = (gint64) sample->weight[i];
      if (__builtin_add_overflow (all, sample->have[i], &all))
        return item_error (sample, item, "has 2^63 answers or more, too many to choose from",
                           error);
    }
  SlRandom random = stream (sample, sample->purpose.annotators, item, 0);
  sl_draw_without_replacement (&random, sample->have, n, sample->sampling->annotators, sample->take,
                               sample->tree);
  for (gint64 i = 0; i < n; i++)
    sample->weight[i] = (double) sample->take[i];
  return TRUE;
}

static gboolean
write_chosen (Sample *sample, const SlRow *rows, gint64 n, GError **error)
{
  for (gint64 i = 0; i < n; i++)
    {
      gint64 number = (gint64) sample->weight[i];
      if (sample->sampling->votes)
        {
          if (!sl_write_votes (sample->run, sample->builder, sample->table, rows[i], number, error))
            return FALSE;
        }
      else if (number > 0
               && !write_row (sample->run, sample->builder, sample->table, rows[i], number, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_draws (Sample *sample, gint32 item, const SlRow *rows, gint64 n, GError **error)
{
  sl_draw_sums (sample->weight, n, sample->sums);
  for (gint64 d = 0; d < sample->sampling->draws; d++)
    {
      SlRandom random = stream (sample, sample->purpose.draws, item, d);
      SlRow row = rows[sl_draw_by_weight (&random, sample->sums, n)];
      if (!write_row (sample->run, sample->builder, sample->table, row, 1, error))
        return FALSE;
    }
  return TRUE;
}

/* sums[n_classes] <- running sums of the item's label, up to a factor. */
static void
sum_label (Sample *sample, const SlRow *rows, gint64 n)
{
  gint32 n_classes = sample->table->n_classes;
  memset (sample->sums, 0, (gsize) n_classes * sizeof (double));
  for (gint64 i = 0; i < n; i++)
    {
      const SlColumn *column = rows[i].batch->column;
      gint64 row = rows[i].row;
      if (rows[i].batch->table->kind == &sl_labels)
        for (gint32 k = 0; k < n_classes; k++)
          sample->sums[k] += sample->weight[i] * column[SL_LABELS_LABEL].real[row * n_classes + k];
      else if (column[SL_ANNOTATIONS_CLASS].code != NULL)
        sample->sums[column[SL_ANNOTATIONS_CLASS].code[row]] += sample->weight[i];
      else
        sample->sums[column[SL_ANNOTATIONS_CHOICES].code[column[SL_ANNOTATIONS_CHOICES].start[row]]]
            += sample->weight[i];
    }
  sl_draw_sums (sample->sums, n_classes, sample->sums);
}

/* *GOLD <- the gold class of the item's rows; -1 for none. */
static gboolean
find_gold (const Sample *sample, gint32 item, const SlRow *rows, gint64 n, gint32 *gold,
           GError **error)
{
  *gold = -1;
  for (gint64 i = 0; sl_table_has (sample->table, SL_LABELS_GOLD) && i < n; i++)
    {
      int column = sl_gold_column (rows[i].batch->table->kind);
      gint32 code = rows[i].batch->column[column].code[rows[i].row];
      if (code >= 0 && *gold >= 0 && code != *gold)
        return item_error (sample, item, "has two gold classes; an item has one", error);
      *gold = MAX (*gold, code);
    }
  return TRUE;
}

static gboolean
write_hard_samples (Sample *sample, gint32 item, const SlRow *rows, gint64 n, GError **error)
{
  SlBuilder *builder = sample->builder;
  gint32 gold;
  gsize length;
  const char *name = sl_intern_get (sample->pool.items, item, &length);
  if (!find_gold (sample, item, rows, n, &gold, error))
    return FALSE;
  sum_label (sample, rows, n);
  for (gint64 d = 0; d < sample->sampling->hard_samples; d++)
    {
      SlRandom random = stream (sample, sample->purpose.hard_samples, item, d);
      sl_builder_text (builder, SL_LABELS_ITEM, name, length);
      sl_builder_labels (builder, SL_LABELS_LABEL,
                         1)[sl_draw_by_weight (&random, sample->sums, sample->table->n_classes)]
          = 1;
      sl_builder_real (builder, SL_LABELS_WEIGHT, 1);
      if (sl_table_has (sample->table, SL_LABELS_GOLD))
        sl_builder_class (builder, SL_LABELS_GOLD, gold);
      if (sl_builder_room (builder) == 0
          && !sl_writer_write_built (sample->run->out, builder, FALSE, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
sample_item (Sample *sample, gint32 item, GError **error)
{
  const SlRow *rows = sample->pool.row + sample->pool.first[item];
  gint64 n = sample->pool.first[item + 1] - sample->pool.first[item];
  double total = 0;
  for (gint64 i = 0; i < n; i++)
    total += sample->weight[i] = row_weight (rows[i]);
  if (!(total > 0))
    return item_error (sample, item, "has no label of any weight", error);
  if (sample->sampling->annotators > 0 && !choose (sample, item, n, error))
    return FALSE;
  if (sample->sampling->draws > 0)
    return write_draws (sample, item, rows, n, error);
  if (sample->sampling->hard_samples > 0)
    return write_hard_samples (sample, item, rows, n, error);
  return write_chosen (sample, rows, n, error);
}

gboolean
sl_sample (SlRun *run, SlTable *table, const SlSampling *sampling, GError **error)
{
  g_auto (Sample) sample = {
    .run = run,
    .sampling = sampling,
    .table = table,
    .builder = sl_builder_new (table),
    .purpose
    = { sl_random_purpose ("deaggregate: annotators"), sl_random_purpose ("deaggregate: draws"),
        sl_random_purpose ("deaggregate: hard samples") },
  };
  if (!pool_init (&sample.pool, run, error))
    return FALSE;
  gint32 n_items = sl_intern_size (sample.pool.items);
  gint64 most = 1;
  for (gint32 i = 0; i < n_items; i++)
    most = MAX (most, sample.pool.first[i + 1] - sample.pool.first[i]);
  sample.weight = g_new (double, most);
  sample.have = g_new (gint64, most);
  sample.take = g_new (gint64, most);
  sample.tree = g_new (gint64, most);
  sample.sums = g_new (double, MAX (most, table->n_classes));
  for (gint32 i = 0; i < n_items; i++)
    if (!sample_item (&sample, i, error))
      return FALSE;
  return sl_writer_write_built (run->out, sample.builder, TRUE, error);
}
