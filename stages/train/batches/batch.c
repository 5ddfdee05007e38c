/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "batch.h"

#include "pipeline/base/random.h"

#include <math.h>
#include <string.h>

gsize
sl_batch_plan_rows (const SlBatchPlan *plan)
{
  gsize most = MIN (plan->batch, plan->n);
  return most + (gsize) ceil (plan->mixing.beside * (double) most);
}

gsize
sl_batch_plan_batches (const SlBatchPlan *plan)
{
  return (plan->n + plan->batch - 1) / plan->batch;
}

static gboolean
mixes_all (const SlBatchPlan *plan)
{
  return plan->mixing.alpha > 0 && plan->mixing.beside == 0;
}

/* Whether inputs are made beside those that the network takes. */
static gboolean
has_plain (const SlBatchPlan *plan)
{
  return plan->row != NULL ? !plan->network_mixes : mixes_all (plan);
}

gsize
sl_train_batch_bytes (const SlBatchPlan *plan)
{
  gsize rows = sl_batch_plan_rows (plan) * (has_plain (plan) ? 2 : 1) + 1;
  return rows * (plan->examples->size + plan->k + 1) * sizeof (float);
}

/* WITH_INPUT: the batch has room for its inputs. */
static void
batch_init (SlTrainBatch *batch, const SlBatchPlan *plan, gboolean with_input)
{
  gsize rows = sl_batch_plan_rows (plan), size = plan->examples->size;
  *batch = (SlTrainBatch){ 0 };
  batch->input = batch->own = with_input ? g_new (float, rows *size) : NULL;
  batch->target = g_new (float, rows * plan->k);
  batch->which = g_new (gint32, rows);
  batch->room = g_new (float, size);
  batch->start = g_array_new (FALSE, FALSE, sizeof (gsize));
  batch->annotator = g_array_new (FALSE, FALSE, sizeof (gint32));
  batch->said = g_array_new (FALSE, FALSE, sizeof (float));
  batch->count = g_array_new (FALSE, FALSE, sizeof (float));
  if (plan->row != NULL)
    {
      batch->who = g_new (gint32, rows);
      batch->other = g_new (gint32, rows);
      batch->share = g_new (float, rows);
      batch->first = g_new (gint32, rows);
      batch->second = g_new (gint32, rows);
      batch->item = g_new (gint32, rows);
      batch->rows = (SlAnswerRows){ batch->who, batch->other, batch->share };
      batch->pairs = (SlPairs){ 0, batch->first, batch->second, batch->share };
    }
  batch->plain = has_plain (plan) ? g_new (float, rows *size) : NULL;
  batch->plain_target = mixes_all (plan) ? g_new (float, rows * plan->k) : NULL;
}

void
sl_train_batch_clear (SlTrainBatch *batch)
{
  g_clear_pointer (&batch->own, g_free);
  g_clear_pointer (&batch->target, g_free);
  g_clear_pointer (&batch->which, g_free);
  g_clear_pointer (&batch->room, g_free);
  g_clear_pointer (&batch->plain, g_free);
  g_clear_pointer (&batch->plain_target, g_free);
  g_clear_pointer (&batch->who, g_free);
  g_clear_pointer (&batch->other, g_free);
  g_clear_pointer (&batch->share, g_free);
  g_clear_pointer (&batch->first, g_free);
  g_clear_pointer (&batch->second, g_free);
  g_clear_pointer (&batch->item, g_free);
  g_clear_pointer (&batch->start, g_array_unref);
  g_clear_pointer (&batch->annotator, g_array_unref);
  g_clear_pointer (&batch->said, g_array_unref);
  g_clear_pointer (&batch->count, g_array_unref);
}

#define AHEAD 2 /* examples */

/* The cases WHICH[n] themselves, augmented, with their targets. */
static void
fill_plain (SlTrainBatch *batch, const SlBatchPlan *plan, const gint32 *which, gsize n,
            gint64 epoch, float *input, float *target)
{
  gsize size = plan->examples->size;
  for (gsize i = 0; i < n; i++)
    {
      const SlTrainCase *at = &plan->cases[which[i]];
      /* Examples lie anywhere, so that the processor does not guess which comes next. */
      if (i + AHEAD < n)
        sl_examples_prefetch (plan->examples, plan->cases[which[i + AHEAD]].first);
      sl_case_get (plan->examples, at, input + i * size, batch->room);
      if (plan->augment != NULL)
        {
          guint32 drawn = plan->augment->once ? 0 : (guint32) epoch;
          SlRandom random = sl_random (plan->seed, sl_random_purpose ("train: augmentation"),
                                       at->key, 0, drawn);
          sl_augment (plan->augment, &random, input + i * size, batch->room);
        }
      if (plan->answers == NULL && plan->row == NULL)
        sl_target_make (&plan->targets, plan->k, at->pool, at->gold, at->key, epoch,
                        target + i * plan->k);
    }
}

/* What two targets become where LAMBDA of the first is mixed with the second. */
static void
mix_targets (const SlBatchPlan *plan, const float *first, const float *second, double lambda,
             float *out)
{
  gsize k = plan->k;
  double share = lambda;
  if (plan->mixing.share != NULL)
    share = plan->mixing.share (plan->mixing.curves, sl_target_top (first, k),
                                sl_target_top (second, k), lambda);
  for (gsize j = 0; j < k; j++)
    out[j] = (float) (share * first[j] + (1 - share) * second[j]);
}

static double
draw_lambda (const SlBatchPlan *plan, gint64 epoch, guint64 batch, guint64 item)
{
  SlRandom random
      = sl_random (plan->seed, sl_random_purpose ("train: lambda"), batch, item, (guint32) epoch);
  return sl_random_beta (&random, plan->mixing.alpha, plan->mixing.alpha);
}

/* other[n] <- with which row of the batch each is mixed. */
static gint32 *
draw_partners (const SlTrainBatch *batch, const SlBatchPlan *plan, gint64 epoch, gsize index)
{
  gint32 *other = g_new (gint32, batch->n);
  SlRandom random
      = sl_random (plan->seed, sl_random_purpose ("train: partners"), index, 0, (guint32) epoch);
  sl_shuffle (other, batch->n, sl_random_u64 (&random), "train: partners", 0);
  return other;
}

/* The whole batch with itself in another order. */
static void
mix_all (SlTrainBatch *batch, const SlBatchPlan *plan, gint64 epoch, gsize index, float *input)
{
  gsize size = plan->examples->size, k = plan->k;
  g_autofree gint32 *other = draw_partners (batch, plan, epoch, index);
  double lambda = draw_lambda (plan, epoch, index, 0);
  for (gsize i = 0; i < batch->n; i++)
    {
      gsize j = (gsize) other[i];
      if (plan->mixing.by_item)
        lambda = draw_lambda (plan, epoch, index, plan->cases[batch->which[i]].key);
      memcpy (input + i * size, batch->plain + i * size, size * sizeof (float));
      sl_mix_into (input + i * size, batch->plain + j * size, size, (float) lambda);
      mix_targets (plan, batch->plain_target + i * k, batch->plain_target + j * k, lambda,
                   batch->target + i * k);
    }
}

/* Two rows of the batch, of different classes if the plan asks for it; FALSE where none were
 * found. */
static gboolean
draw_pair (const SlTrainBatch *batch, const SlBatchPlan *plan, SlRandom *random, gsize *a, gsize *b)
{
  gsize k = plan->k;
  *a = (gsize) sl_random_below (random, batch->n_plain);
  for (int tries = 0; tries < 100; tries++)
    {
      *b = (gsize) sl_random_below (random, batch->n_plain);
      if (*a != *b
          && (!plan->mixing.apart
              || sl_target_top (batch->target + *a * k, k)
                     != sl_target_top (batch->target + *b * k, k)))
        return TRUE;
    }
  return FALSE;
}

/* Mixed examples behind the others. */
static void
mix_beside (SlTrainBatch *batch, const SlBatchPlan *plan, gint64 epoch, gsize index, float *input)
{
  gsize size = plan->examples->size, k = plan->k, a, b;
  gsize wanted = (gsize) floor (plan->mixing.beside * (double) batch->n_plain + 0.5);
  wanted = MIN (wanted, sl_batch_plan_rows (plan) - batch->n_plain);
  SlRandom random
      = sl_random (plan->seed, sl_random_purpose ("train: pairs"), index, 0, (guint32) epoch);
  double lambda = draw_lambda (plan, epoch, index, 0);
  for (gsize i = 0; i < wanted && draw_pair (batch, plan, &random, &a, &b); i++)
    {
      if (plan->mixing.by_item)
        lambda = draw_lambda (plan, epoch, index, i + 1);
      float *to = input + batch->n * size;
      memcpy (to, input + a * size, size * sizeof (float));
      sl_mix_into (to, input + b * size, size, (float) lambda);
      mix_targets (plan, batch->target + a * k, batch->target + b * k, lambda,
                   batch->target + batch->n * k);
      batch->n++;
    }
}

/* All answers to the items of the batch's rows. */
static void
list_answers (SlTrainBatch *batch, const SlBatchPlan *plan)
{
  const SlPools *pools = plan->answers;
  gsize n = 0;
  g_array_set_size (batch->start, 0);
  g_array_set_size (batch->annotator, 0);
  g_array_set_size (batch->said, 0);
  g_array_set_size (batch->count, 0);
  g_array_append_val (batch->start, n);
  for (gsize i = 0; i < batch->n; i++)
    {
      gint32 pool = plan->cases[batch->which[i]].pool;
      for (gsize r = pools->start[pool]; r < pools->start[pool + 1]; r++)
        {
          float count = (float) pools->weight[r];
          g_array_append_val (batch->annotator, plan->annotator[r]);
          g_array_append_val (batch->count, count);
          g_array_set_size (batch->said, batch->said->len + (guint) plan->k);
          sl_pool_row (pools, r, 1,
                       &g_array_index (batch->said, float, batch->said->len - plan->k));
        }
      n = batch->annotator->len;
      g_array_append_val (batch->start, n);
    }
  batch->answers = (SlCrowdAnswers){ (const gsize *) (gpointer) batch->start->data,
                                     (const gint32 *) (gpointer) batch->annotator->data,
                                     (const float *) (gpointer) batch->said->data,
                                     (const float *) (gpointer) batch->count->data };
}

/* Lists the batch's items, and for each row, which is an answer, its annotator and item: it is not
 * mixed yet. */
static void
list_rows (SlTrainBatch *batch, const SlBatchPlan *plan, const gint32 *order, float *target)
{
  int items = 0;
  for (gsize i = 0; i < batch->n; i++)
    {
      gsize r = plan->row[order[i]];
      gint32 which = batch->which[i];
      sl_pool_row (plan->targets.pools, r, (float) plan->targets.pools->weight[r],
                   target + i * plan->k);
      batch->who[i] = batch->other[i] = plan->annotator[r];
      batch->share[i] = 1;
      if (items == 0 || batch->item[items - 1] != which)
        batch->item[items++] = which;
      batch->first[i] = batch->second[i] = items - 1;
    }
  batch->pairs.items = items;
}

/* Mixes each row with a row of the batch in another order: annotators, items and targets. */
static void
mix_rows (SlTrainBatch *batch, const SlBatchPlan *plan, gint64 epoch, gsize index)
{
  gsize k = plan->k;
  g_autofree gint32 *other = draw_partners (batch, plan, epoch, index);
  double lambda = draw_lambda (plan, epoch, index, 0);
  for (gsize i = 0; i < batch->n; i++)
    {
      gsize j = (gsize) other[i];
      if (plan->mixing.by_item)
        lambda
            = draw_lambda (plan, epoch, index, plan->cases[batch->item[batch->first[i]]].key + i);
      batch->second[i] = batch->first[j];
      batch->other[i] = batch->who[j];
      batch->share[i] = (float) lambda;
      /* Accuracy looks at the case that has the larger share. */
      batch->which[i] = batch->item[lambda < 0.5 ? batch->second[i] : batch->first[i]];
      mix_targets (plan, batch->plain_target + i * k, batch->plain_target + j * k, lambda,
                   batch->target + i * k);
    }
}

/* The network has a program for each number of inputs: zeros fill them up to a multiple of this. */
#define ITEMS_STEP 16

/* As batch_fill(), where rows are answers: their items are mixed here or by the network. */
static void
fill_rows (SlTrainBatch *batch, const SlBatchPlan *plan, const gint32 *order, gint64 epoch,
           gsize index, float *input)
{
  gsize size = plan->examples->size;
  float *items = plan->network_mixes ? input : batch->plain;
  list_rows (batch, plan, order, mixes_all (plan) ? batch->plain_target : batch->target);
  gsize n = (gsize) batch->pairs.items;
  fill_plain (batch, plan, batch->item, n, epoch, items, NULL);
  if (mixes_all (plan))
    mix_rows (batch, plan, epoch, index);
  if (plan->network_mixes)
    {
      gsize whole = MIN ((n + ITEMS_STEP - 1) / ITEMS_STEP * ITEMS_STEP, sl_batch_plan_rows (plan));
      memset (items + n * size, 0, (whole - n) * size * sizeof *items);
      batch->pairs.items = (int) whole;
    }
  for (gsize i = 0; i < batch->n && !plan->network_mixes; i++)
    {
      memcpy (input + i * size, items + (gsize) batch->first[i] * size, size * sizeof *input);
      sl_mix_into (input + i * size, items + (gsize) batch->second[i] * size, size,
                   batch->share[i]);
    }
}

/* Fills BATCH, number INDEX of EPOCH, whose order[n] is one of the plan's members; inputs go to
 * INPUT[rows][size]. */
static void
batch_fill (SlTrainBatch *batch, const SlBatchPlan *plan, const gint32 *order, gint64 epoch,
            gsize index, float *input)
{
  gsize from = index * plan->batch;
  batch->n = batch->n_plain = MIN (plan->batch, plan->n - from);
  for (gsize i = 0; i < batch->n; i++)
    batch->which[i] = plan->member[order[from + i]];
  if (plan->row != NULL)
    {
      fill_rows (batch, plan, order + from, epoch, index, input);
      return;
    }
  gboolean all = mixes_all (plan);
  fill_plain (batch, plan, batch->which, batch->n, epoch, all ? batch->plain : input,
              all ? batch->plain_target : batch->target);
  if (all)
    mix_all (batch, plan, epoch, index, input);
  if (plan->mixing.beside > 0)
    mix_beside (batch, plan, epoch, index, input);
  if (plan->answers != NULL)
    list_answers (batch, plan);
}

/* ---- orders ---- */

void
sl_shuffle (gint32 *order, gsize n, guint64 seed, const char *purpose, guint32 round)
{
  SlRandom random = sl_random (seed, sl_random_purpose (purpose), 0, 0, round);
  for (gsize i = 0; i < n; i++)
    order[i] = (gint32) i;
  sl_random_shuffle (&random, order, n);
}

void
sl_fold_all (gint32 *fold, gsize n, gsize folds, guint64 seed)
{
  g_autofree gint32 *order = g_new (gint32, MAX (n, 1));
  sl_shuffle (order, n, seed, "train: folds", 0);
  for (gsize i = 0; i < n; i++)
    fold[order[i]] = (gint32) (i * folds / n);
}

/* ---- batches one after the other ---- */

#define MOST_SLOTS 8
#define SLOT_BYTES (4 << 20) /* of all that are ahead, unless two have more */

struct _SlLoader
{
  const SlBatchPlan *plan;
  float *input; /* where the network takes it from */
  gint32 *order;
  gint64 epoch;
  gsize asked, given, n_batches;
  SlTrainBatch batch[MOST_SLOTS];
  gsize slots; /* 1: nothing is made ahead */
  GThread *worker;
  GAsyncQueue *work, *done; /* of batches; work ends with the loader itself */
};

/* Small batches are made several at a time, so that threads seldom wait for one another. */
static gsize
n_slots (const SlBatchPlan *plan, gboolean ahead)
{
  gsize fit = SLOT_BYTES / MAX (sl_train_batch_bytes (plan), 1);
  return ahead ? CLAMP (fit, 2, MOST_SLOTS) : 1;
}

static SlTrainBatch *
slot (SlLoader *loader, gsize index)
{
  return &loader->batch[index % loader->slots];
}

static void
fill (SlLoader *loader, gsize index)
{
  SlTrainBatch *batch = slot (loader, index);
  if (batch->own == NULL)
    batch->input = loader->input;
  batch_fill (batch, loader->plan, loader->order, loader->epoch, index, batch->input);
}

static gpointer
work_ahead (gpointer data)
{
  SlLoader *loader = data;
  for (;;)
    {
      gsize *index = g_async_queue_pop (loader->work);
      gsize wanted = *index;
      g_free (index);
      if (wanted == G_MAXSIZE)
        return NULL;
      fill (loader, wanted);
      g_async_queue_push (loader->done, slot (loader, wanted));
    }
}

static void
ask (SlLoader *loader, gsize wanted)
{
  gsize *index = g_new (gsize, 1);
  *index = wanted;
  g_async_queue_push (loader->work, index);
}

/* Asks for what there is room for beside the batch that is in use, once half of that is free. */
static void
ask_ahead (SlLoader *loader)
{
  if (2 * (loader->asked - loader->given) > loader->slots)
    return;
  while (loader->asked < MIN (loader->n_batches, loader->given + loader->slots - 1))
    ask (loader, loader->asked++);
}

gsize
sl_loader_bytes (const SlBatchPlan *plan, gboolean ahead)
{
  return n_slots (plan, ahead) * sl_train_batch_bytes (plan) + plan->n * sizeof (gint32);
}

SlLoader *
sl_loader_new (const SlBatchPlan *plan, gboolean ahead, float *input)
{
  SlLoader *loader = g_new0 (SlLoader, 1);
  loader->plan = plan;
  loader->input = input;
  loader->order = g_new (gint32, MAX (plan->n, 1));
  loader->n_batches = sl_batch_plan_batches (plan);
  loader->slots = n_slots (plan, ahead);
  for (gsize i = 0; i < loader->slots; i++)
    batch_init (slot (loader, i), plan, ahead);
  if (!ahead)
    return loader;
  loader->work = g_async_queue_new ();
  loader->done = g_async_queue_new ();
  loader->worker = g_thread_new ("loader", work_ahead, loader);
  return loader;
}

/* Batches that were asked for and not taken are waited for. */
static void
drain (SlLoader *loader)
{
  for (; loader->slots > 1 && loader->given < loader->asked; loader->given++)
    g_async_queue_pop (loader->done);
}

void
sl_loader_free (SlLoader *loader)
{
  if (loader->slots > 1)
    {
      drain (loader);
      ask (loader, G_MAXSIZE);
      g_thread_join (loader->worker);
      g_async_queue_unref (loader->work);
      g_async_queue_unref (loader->done);
    }
  for (gsize i = 0; i < loader->slots; i++)
    sl_train_batch_clear (slot (loader, i));
  g_free (loader->order);
  g_free (loader);
}

/* Answers by items, whose order is drawn. */
static void
shuffle_items (SlLoader *loader)
{
  const SlBatchPlan *plan = loader->plan;
  g_autofree gint32 *items = g_new (gint32, MAX (plan->n_items, 1));
  sl_shuffle (items, plan->n_items, plan->seed, "train: order", (guint32) loader->epoch);
  gint32 *to = loader->order;
  for (gsize i = 0; i < plan->n_items; i++)
    for (gsize a = plan->answers_of[items[i]]; a < plan->answers_of[items[i] + 1]; a++)
      *to++ = (gint32) a;
}

void
sl_loader_begin (SlLoader *loader, gint64 epoch)
{
  drain (loader);
  loader->epoch = epoch;
  loader->given = loader->asked = 0;
  if (loader->plan->row != NULL)
    shuffle_items (loader);
  else
    sl_shuffle (loader->order, loader->plan->n, loader->plan->seed, "train: order",
                (guint32) epoch);
  if (loader->slots > 1)
    ask_ahead (loader);
}

SlTrainBatch *
sl_loader_next (SlLoader *loader)
{
  if (loader->given == loader->n_batches)
    return NULL;
  gsize index = loader->given++;
  if (loader->slots == 1)
    {
      fill (loader, index);
      return slot (loader, index);
    }
  SlTrainBatch *batch = g_async_queue_pop (loader->done);
  ask_ahead (loader);
  return batch;
}

/* ---- images changed at random ---- */

/* Crop and flip as He et al., CVPR 2016, section 4.2: PADDING black pixels on every side, a crop of
 * the image's size from it, mirrored half of the time. Cutout: DeVries & Taylor 2017: a square with
 * a centre anywhere, of which what lies outside is cut off. */

static void
crop_and_flip (const SlAugment *augment, SlRandom *random, float *x, float *room)
{
  int height = augment->height, width = augment->width, padding = augment->padding;
  int down = 0, right = 0;
  if (padding > 0)
    {
      down = (int) sl_random_below (random, (guint64) (2 * padding + 1)) - padding;
      right = (int) sl_random_below (random, (guint64) (2 * padding + 1)) - padding;
    }
  gboolean flipped = augment->flip && sl_random_below (random, 2) == 1;
  if (down == 0 && right == 0 && !flipped)
    return;
  gsize size = (gsize) augment->channels * (gsize) height * (gsize) width;
  memcpy (room, x, size * sizeof *x);
  for (int c = 0; c < augment->channels; c++)
    for (int i = 0; i < height; i++)
      for (int j = 0; j < width; j++)
        {
          int from_i = i + down, from_j = (flipped ? width - 1 - j : j) + right;
          gboolean inside = from_i >= 0 && from_i < height && from_j >= 0 && from_j < width;
          x[(c * height + i) * width + j]
              = inside ? room[(c * height + from_i) * width + from_j] : 0;
        }
}

static void
cut_out (const SlAugment *augment, SlRandom *random, float *x)
{
  int height = augment->height, width = augment->width, side = augment->cutout;
  int top = (int) sl_random_below (random, (guint64) height) - side / 2;
  int left = (int) sl_random_below (random, (guint64) width) - side / 2;
  for (int c = 0; c < augment->channels; c++)
    for (int i = MAX (top, 0); i < MIN (top + side, height); i++)
      for (int j = MAX (left, 0); j < MIN (left + side, width); j++)
        x[(c * height + i) * width + j] = augment->mean[c];
}

void
sl_augment (const SlAugment *augment, SlRandom *random, float *x, float *room)
{
  if (augment->padding > 0 || augment->flip)
    crop_and_flip (augment, random, x, room);
  if (augment->cutout > 0)
    cut_out (augment, random, x);
}
