/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "loader.h"

#include "order.h"

#include <string.h>

struct _SlLoader
{
  const SlBatchPlan *plan;
  float *input; /* where the network takes it from */
  gint32 *order;
  gint64 epoch;
  gsize asked, given, n_batches;
  SlTrainBatch batch[2];
  gboolean ahead;
  GThread *worker;
  GAsyncQueue *work, *done; /* of batches; work ends with the loader itself */
};

static void
fill (SlLoader *loader, gsize index)
{
  SlTrainBatch *batch = &loader->batch[loader->ahead ? index % 2 : 0];
  sl_train_batch_fill (batch, loader->plan, loader->order, loader->epoch, index,
                       loader->ahead ? batch->input : loader->input);
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
      g_async_queue_push (loader->done, &loader->batch[wanted % 2]);
    }
}

static void
ask (SlLoader *loader, gsize wanted)
{
  gsize *index = g_new (gsize, 1);
  *index = wanted;
  g_async_queue_push (loader->work, index);
}

gsize
sl_loader_bytes (const SlBatchPlan *plan, gboolean ahead)
{
  return (ahead ? 2 : 1) * sl_train_batch_bytes (plan) + plan->n * sizeof (gint32);
}

SlLoader *
sl_loader_new (const SlBatchPlan *plan, gboolean ahead, float *input)
{
  SlLoader *loader = g_new0 (SlLoader, 1);
  loader->plan = plan;
  loader->input = input;
  loader->order = g_new (gint32, MAX (plan->n, 1));
  loader->n_batches = sl_batch_plan_batches (plan);
  loader->ahead = ahead;
  sl_train_batch_init (&loader->batch[0], plan, ahead);
  if (!ahead)
    return loader;
  sl_train_batch_init (&loader->batch[1], plan, TRUE);
  loader->work = g_async_queue_new ();
  loader->done = g_async_queue_new ();
  loader->worker = g_thread_new ("loader", work_ahead, loader);
  return loader;
}

/* Batches that were asked for and not taken are waited for. */
static void
drain (SlLoader *loader)
{
  for (; loader->ahead && loader->given < loader->asked; loader->given++)
    g_async_queue_pop (loader->done);
}

void
sl_loader_free (SlLoader *loader)
{
  if (loader->ahead)
    {
      drain (loader);
      ask (loader, G_MAXSIZE);
      g_thread_join (loader->worker);
      g_async_queue_unref (loader->work);
      g_async_queue_unref (loader->done);
    }
  sl_train_batch_clear (&loader->batch[0]);
  if (loader->ahead)
    sl_train_batch_clear (&loader->batch[1]);
  g_free (loader->order);
  g_free (loader);
}

void
sl_loader_begin (SlLoader *loader, gint64 epoch)
{
  drain (loader);
  loader->epoch = epoch;
  loader->given = loader->asked = 0;
  sl_shuffle (loader->order, loader->plan->n, loader->plan->seed, "train: order", (guint32) epoch);
  if (loader->ahead && loader->n_batches > 0)
    ask (loader, loader->asked++);
}

SlTrainBatch *
sl_loader_next (SlLoader *loader)
{
  if (loader->given == loader->n_batches)
    return NULL;
  gsize index = loader->given++;
  if (!loader->ahead)
    {
      fill (loader, index);
      return &loader->batch[0];
    }
  SlTrainBatch *batch = g_async_queue_pop (loader->done);
  memcpy (loader->input, batch->input, batch->n * loader->plan->examples->size * sizeof (float));
  if (loader->asked < loader->n_batches)
    ask (loader, loader->asked++);
  return batch;
}
