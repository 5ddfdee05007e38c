/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "checkpoint.h"

#include <string.h>

#define ITEM_ROWS 4

/* The file being put together; memory that is only its own. */
typedef struct
{
  GArray *arrays; /* of SlSavedArray */
  GPtrArray *owned;
} Parts;

static void
parts_clear (Parts *parts)
{
  g_array_unref (parts->arrays);
  g_ptr_array_unref (parts->owned);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Parts, parts_clear)

static void
add (Parts *parts, const char *name, SlSavedType type, gsize n, gconstpointer data)
{
  SlSavedArray array = { g_strdup (name), type, 1, { (gint64) n }, data };
  g_ptr_array_add (parts->owned, (gpointer) array.name);
  g_array_append_val (parts->arrays, array);
}

static void
add_result (Parts *parts, guint i, const SlRunResult *result, gsize k)
{
  double *what = g_new (double, 5);
  what[0] = (double) result->point;
  what[1] = (double) result->run;
  what[2] = (double) result->epoch;
  what[3] = result->accuracy;
  what[4] = result->loss;
  g_ptr_array_add (parts->owned, what);
  const struct
  {
    const char *name;
    SlSavedType type;
    gsize n;
    gconstpointer data;
  } all[] = {
    { "what", SL_SAVED_FLOAT64, 5, what },
    { "values", SL_SAVED_FLOAT32, result->size, result->values },
    { "items", SL_SAVED_INT32, result->n_held, result->held_item },
    { "held", SL_SAVED_FLOAT32, result->n_held * k, result->held },
    { "confusion", SL_SAVED_FLOAT32, result->n_confusion, result->confusion },
  };
  for (gsize a = 0; a < G_N_ELEMENTS (all); a++)
    {
      g_autofree char *name = g_strdup_printf ("done.%u.%s", i, all[a].name);
      add (parts, name, all[a].type, all[a].n, all[a].data);
    }
}

static void
add_results (Parts *parts, const SlResults *results, gsize k)
{
  double *log = g_new (double, MAX (results->log->len * SL_CHECKPOINT_LOG, 1));
  g_ptr_array_add (parts->owned, log);
  for (guint i = 0; i < results->log->len; i++)
    {
      const SlLogRow *row = &g_array_index (results->log, SlLogRow, i);
      const SlEpochFigures *f = &row->figures;
      const double numbers[SL_CHECKPOINT_LOG]
          = { (double) row->point,   (double) row->run, (double) f->epoch, f->loss,
              f->accuracy,           f->rate,           f->seconds,        f->validation_loss,
              f->validation_accuracy };
      memcpy (log + i * SL_CHECKPOINT_LOG, numbers, sizeof numbers);
    }
  add (parts, "log", SL_SAVED_FLOAT64, results->log->len * SL_CHECKPOINT_LOG, log);
  for (guint i = 0; i < results->done->len; i++)
    add_result (parts, i, g_ptr_array_index (results->done, i), k);
}

static void
add_training (Parts *parts, SlTraining *training)
{
  const SlOptimiser *optimiser = &training->optimiser;
  double *figures = g_new (double, 3);
  figures[0] = training->best_accuracy;
  figures[1] = training->best_loss;
  figures[2] = training->lowest;
  g_ptr_array_add (parts->owned, figures);
  add (parts, "now.figures", SL_SAVED_FLOAT64, 3, figures);
  for (int i = 0; i < training->n_parameters; i++)
    {
      g_autofree char *name = g_strdup_printf ("now.%d.%s", i, training->parameters[i].name);
      add (parts, name, SL_SAVED_FLOAT32, training->parameters[i].size,
           training->parameters[i].value);
    }
  if (optimiser->first != NULL)
    add (parts, "now.first", SL_SAVED_FLOAT32, optimiser->size, optimiser->first);
  if (optimiser->second != NULL)
    add (parts, "now.second", SL_SAVED_FLOAT32, optimiser->size, optimiser->second);
  if (training->best != NULL)
    add (parts, "now.best", SL_SAVED_FLOAT32, training->size, training->best);
}

static void
add_items (Parts *parts, const SlItemFigures *items)
{
  add (parts, "items.seen", SL_SAVED_INT64, items->n, items->seen);
  const double *rows[ITEM_ROWS] = { items->confidence, items->square, items->margin, items->waum };
  for (int i = 0; i < ITEM_ROWS; i++)
    {
      g_autofree char *name = g_strdup_printf ("items.%d", i);
      add (parts, name, SL_SAVED_FLOAT64, items->n, rows[i]);
    }
}

char *
sl_checkpoint_digest (const SlSavedArray *arrays, gsize n)
{
  guint64 hash = 0;
  for (gsize i = 0; i < n; i++)
    {
      gsize bytes = sl_saved_bytes (&arrays[i]);
      if (bytes > 0)
        hash = hash * 31 + sl_text_hash (arrays[i].data, bytes);
    }
  return g_strdup_printf ("%016" G_GINT64_MODIFIER "x", hash);
}

gboolean
sl_checkpoint_write (SlRun *run, const char *path, const char *mark, const SlResults *results,
                     const SlItemFigures *items, SlTraining *training, gsize point, gsize at,
                     GError **error)
{
  g_auto (Parts) parts = { g_array_new (FALSE, FALSE, sizeof (SlSavedArray)),
                           g_ptr_array_new_with_free_func (g_free) };
  const gint64 state[] = { (gint64) point,
                           (gint64) at,
                           training != NULL ? training->epoch : 0,
                           training != NULL ? training->optimiser.step : 0,
                           training != NULL ? training->best_epoch : -1,
                           training != NULL,
                           results->done->len };
  gsize k = 0;
  for (guint i = 0; i < results->done->len; i++)
    {
      const SlRunResult *result = g_ptr_array_index (results->done, i);
      k = result->k;
    }
  add (&parts, "state", SL_SAVED_INT64, G_N_ELEMENTS (state), state);
  add_results (&parts, results, k);
  if (items != NULL)
    add_items (&parts, items);
  if (training != NULL)
    add_training (&parts, training);
  const SlSavedArray *arrays = (const SlSavedArray *) (gconstpointer) parts.arrays->data;
  g_autofree char *digest = sl_checkpoint_digest (arrays, parts.arrays->len);
  const char *const metadata[] = { "softlabel.checkpoint", mark, "softlabel.digest", digest, NULL };
  SlOutput *output = sl_run_side_file (run, path, error);
  return output != NULL && sl_safetensors_write (output, metadata, arrays, parts.arrays->len, error)
         && sl_run_land_file (run, output, error);
}
