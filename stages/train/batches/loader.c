/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "loader.h"

#include "order.h"

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
  sl_train_batch_fill (batch, loader->plan, loader->order, loader->epoch, index, batch->input);
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
    sl_train_batch_init (slot (loader, i), plan, ahead);
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

void
sl_loader_begin (SlLoader *loader, gint64 epoch)
{
  drain (loader);
  loader->epoch = epoch;
  loader->given = loader->asked = 0;
  sl_shuffle (loader->order, loader->plan->n, loader->plan->seed, "train: order", (guint32) epoch);
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
