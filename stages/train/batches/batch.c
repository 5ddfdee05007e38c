/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "batch.h"

#include "order.h"

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

gsize
sl_train_batch_bytes (const SlBatchPlan *plan)
{
  gsize rows = sl_batch_plan_rows (plan) * (mixes_all (plan) ? 2 : 1) + 1;
  return rows * (plan->examples->size + plan->k + 1) * sizeof (float);
}

void
sl_train_batch_init (SlTrainBatch *batch, const SlBatchPlan *plan, gboolean with_input)
{
  gsize rows = sl_batch_plan_rows (plan), size = plan->examples->size;
  *batch = (SlTrainBatch){ 0 };
  batch->input = batch->own = with_input ? g_new (float, rows *size) : NULL;
  batch->target = g_new (float, rows * plan->k);
  batch->which = g_new (gint32, rows);
  batch->room = g_new (float, size);
  batch->start = g_array_new (FALSE, FALSE, sizeof (gsize));
  batch->annotator = g_array_new (FALSE, FALSE, sizeof (gint32));
  batch->answer = g_array_new (FALSE, FALSE, sizeof (gint32));
  batch->count = g_array_new (FALSE, FALSE, sizeof (float));
  if (!mixes_all (plan))
    return;
  batch->plain = g_new (float, rows *size);
  batch->plain_target = g_new (float, rows * plan->k);
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
  g_clear_pointer (&batch->start, g_array_unref);
  g_clear_pointer (&batch->annotator, g_array_unref);
  g_clear_pointer (&batch->answer, g_array_unref);
  g_clear_pointer (&batch->count, g_array_unref);
}

#define AHEAD 2 /* examples */

/* The cases themselves, augmented, with their targets. */
static void
fill_plain (SlTrainBatch *batch, const SlBatchPlan *plan, gint64 epoch, float *input, float *target)
{
  gsize size = plan->examples->size;
  for (gsize i = 0; i < batch->n_plain; i++)
    {
      const SlCase *at = &plan->cases[batch->which[i]];
      /* Examples lie anywhere, so that the processor does not guess which comes next. */
      if (i + AHEAD < batch->n_plain)
        sl_examples_prefetch (plan->examples, plan->cases[batch->which[i + AHEAD]].first);
      sl_case_get (plan->examples, at, input + i * size, batch->room);
      if (plan->augment != NULL)
        {
          SlRandom random = sl_random (plan->seed, sl_random_purpose ("train: augmentation"),
                                       at->key, 0, (guint32) epoch);
          sl_augment (plan->augment, &random, input + i * size, batch->room);
        }
      if (plan->answers == NULL)
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

/* The whole batch with itself in another order. */
static void
mix_all (SlTrainBatch *batch, const SlBatchPlan *plan, gint64 epoch, gsize index, float *input)
{
  gsize size = plan->examples->size, k = plan->k;
  g_autofree gint32 *other = g_new (gint32, batch->n);
  SlRandom random
      = sl_random (plan->seed, sl_random_purpose ("train: partners"), index, 0, (guint32) epoch);
  sl_shuffle (other, batch->n, sl_random_u64 (&random), "train: partners", 0);
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

static void
fill_answers (SlTrainBatch *batch, const SlBatchPlan *plan)
{
  const SlPools *pools = plan->answers;
  gsize n = 0;
  g_array_set_size (batch->start, 0);
  g_array_set_size (batch->annotator, 0);
  g_array_set_size (batch->answer, 0);
  g_array_set_size (batch->count, 0);
  g_array_append_val (batch->start, n);
  for (gsize i = 0; i < batch->n; i++)
    {
      gint32 pool = plan->cases[batch->which[i]].pool;
      for (gsize r = pools->start[pool]; r < pools->start[pool + 1]; r++)
        {
          float count = (float) pools->weight[r];
          g_array_append_val (batch->annotator, plan->annotator[r]);
          g_array_append_val (batch->answer, pools->vote[r]);
          g_array_append_val (batch->count, count);
        }
      n = batch->annotator->len;
      g_array_append_val (batch->start, n);
    }
  batch->answers = (SlCrowdAnswers){ (const gsize *) (gpointer) batch->start->data,
                                     (const gint32 *) (gpointer) batch->annotator->data,
                                     (const gint32 *) (gpointer) batch->answer->data,
                                     (const float *) (gpointer) batch->count->data };
}

void
sl_train_batch_fill (SlTrainBatch *batch, const SlBatchPlan *plan, const gint32 *order,
                     gint64 epoch, gsize index, float *input)
{
  gsize from = index * plan->batch;
  batch->n = batch->n_plain = MIN (plan->batch, plan->n - from);
  for (gsize i = 0; i < batch->n; i++)
    batch->which[i] = plan->member[order[from + i]];
  if (mixes_all (plan))
    {
      fill_plain (batch, plan, epoch, batch->plain, batch->plain_target);
      mix_all (batch, plan, epoch, index, input);
    }
  else
    fill_plain (batch, plan, epoch, input, batch->target);
  if (plan->mixing.beside > 0)
    mix_beside (batch, plan, epoch, index, input);
  if (plan->answers != NULL)
    fill_answers (batch, plan);
}
