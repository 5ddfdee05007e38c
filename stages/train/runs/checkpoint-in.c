/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "checkpoint.h"

#include <string.h>

#define LOG_COLUMNS 9
#define STATES 7

/* The array NAME of TYPE with N numbers; NULL and ERROR where there is none. N G_MAXSIZE: as many
 * as there are, *FOUND. */
static gconstpointer
get (const SlCheckpoint *checkpoint, const char *name, SlSavedType type, gsize n, gsize *found,
     GError **error)
{
  const SlSavedArray *array = sl_safetensors_find (&checkpoint->file, name);
  if (array != NULL && array->type == type && (n == G_MAXSIZE || sl_saved_size (array) == n))
    {
      if (found != NULL)
        *found = sl_saved_size (array);
      return array->data;
    }
  g_set_error (error, SL_ERROR, SL_ERROR_INPUT, "%s: it has no array '%s' as a checkpoint has it",
               checkpoint->file.path, name);
  return NULL;
}

/* OUT[n] of WIDTH bytes each. */
static gboolean
copy (const SlCheckpoint *checkpoint, const char *name, SlSavedType type, gsize n, gsize width,
      gpointer out, GError **error)
{
  gconstpointer data = get (checkpoint, name, type, n, NULL, error);
  if (data != NULL && n > 0)
    memcpy (out, data, n * width);
  return data != NULL;
}

static gboolean
read_log (const SlCheckpoint *checkpoint, SlResults *results, GError **error)
{
  gsize n;
  const guint8 *from = get (checkpoint, "log", SL_SAVED_FLOAT64, G_MAXSIZE, &n, error);
  if (from == NULL)
    return FALSE;
  for (gsize i = 0; i + LOG_COLUMNS <= n; i += LOG_COLUMNS)
    {
      double x[LOG_COLUMNS];
      memcpy (x, from + i * sizeof *x, sizeof x);
      SlLogRow row = { (gsize) x[0],
                       (gsize) x[1],
                       { .epoch = (gint64) x[2],
                         .loss = x[3],
                         .accuracy = x[4],
                         .rate = x[5],
                         .seconds = x[6],
                         .validation_loss = x[7],
                         .validation_accuracy = x[8] } };
      g_array_append_val (results->log, row);
    }
  return TRUE;
}

/* A copy of the part NAME of result I. */
static gpointer
part (const SlCheckpoint *checkpoint, gsize i, const char *name, SlSavedType type, gsize width,
      gsize *n, GError **error)
{
  g_autofree char *full = g_strdup_printf ("done.%" G_GSIZE_FORMAT ".%s", i, name);
  gconstpointer data = get (checkpoint, full, type, G_MAXSIZE, n, error);
  return data != NULL ? g_memdup2 (data, MAX (*n * width, 1)) : NULL;
}

static gboolean
read_result (const SlCheckpoint *checkpoint, SlResults *results, gsize i, gsize k, GError **error)
{
  gsize n, n_held;
  SlRunResult *result = g_new0 (SlRunResult, 1);
  result->k = k;
  g_ptr_array_add (results->done, result);
  g_autofree double *what
      = part (checkpoint, i, "what", SL_SAVED_FLOAT64, sizeof (double), &n, error);
  if (what == NULL || n != 5)
    return FALSE;
  result->point = (gsize) what[0];
  result->run = (gsize) what[1];
  result->epoch = (gint64) what[2];
  result->accuracy = what[3];
  result->loss = what[4];
  result->values
      = part (checkpoint, i, "values", SL_SAVED_FLOAT32, sizeof (float), &result->size, error);
  if (result->values == NULL)
    return FALSE;
  result->held_item
      = part (checkpoint, i, "items", SL_SAVED_INT32, sizeof (gint32), &result->n_held, error);
  if (result->held_item == NULL)
    return FALSE;
  result->held = part (checkpoint, i, "held", SL_SAVED_FLOAT32, sizeof (float), &n_held, error);
  if (result->held == NULL)
    return FALSE;
  result->confusion = part (checkpoint, i, "confusion", SL_SAVED_FLOAT32, sizeof (float),
                            &result->n_confusion, error);
  return result->confusion != NULL;
}

static gboolean
read_items (const SlCheckpoint *checkpoint, SlItemFigures *items, GError **error)
{
  double *rows[] = { items->confidence, items->square, items->margin, items->waum };
  for (int i = 0; i < 4; i++)
    {
      g_autofree char *name = g_strdup_printf ("items.%d", i);
      if (!copy (checkpoint, name, SL_SAVED_FLOAT64, items->n, sizeof (double), rows[i], error))
        return FALSE;
    }
  return copy (checkpoint, "items.seen", SL_SAVED_INT64, items->n, sizeof (gint64), items->seen,
               error);
}

static gboolean
check_mark (const SlCheckpoint *checkpoint, const char *mark, GError **error)
{
  if (g_strcmp0 (sl_safetensors_text (&checkpoint->file, "softlabel.checkpoint"), mark) == 0)
    return TRUE;
  g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
               "%s: it is not of this training: options, --seed, -j or data were others; without "
               "--resume it begins anew",
               checkpoint->file.path);
  return FALSE;
}

gboolean
sl_checkpoint_read (SlCheckpoint *checkpoint, SlRun *run, const char *path, const char *mark,
                    SlResults *results, SlItemFigures *items, gsize k, GError **error)
{
  *checkpoint = (SlCheckpoint){ 0 };
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  if (!sl_safetensors_open (&checkpoint->file, path, error) || !check_mark (checkpoint, mark, error)
      || !sl_run_claim (run, checkpoint->file.n_bytes, "the checkpoint", error)
      || !sl_safetensors_load (&checkpoint->file, error))
    return FALSE;
  gint64 state[STATES];
  if (!copy (checkpoint, "state", SL_SAVED_INT64, STATES, sizeof *state, state, error)
      || !read_log (checkpoint, results, error))
    return FALSE;
  for (gint64 i = 0; i < state[6]; i++)
    if (!read_result (checkpoint, results, (gsize) i, k, error))
      return FALSE;
  checkpoint->found = TRUE;
  checkpoint->point = (gsize) state[0];
  checkpoint->at = (gsize) state[1];
  checkpoint->amid = state[5] != 0;
  return items == NULL || read_items (checkpoint, items, error);
}

void
sl_checkpoint_clear (SlCheckpoint *checkpoint)
{
  if (checkpoint->file.path != NULL)
    sl_safetensors_clear (&checkpoint->file);
}

gboolean
sl_checkpoint_restore (const SlCheckpoint *checkpoint, SlTraining *training, GError **error)
{
  gint64 state[STATES];
  double figures[3];
  SlOptimiser *optimiser = &training->optimiser;
  gsize width = sizeof (float);
  if (!copy (checkpoint, "state", SL_SAVED_INT64, STATES, sizeof *state, state, error)
      || !copy (checkpoint, "now.figures", SL_SAVED_FLOAT64, 3, sizeof *figures, figures, error))
    return FALSE;
  for (int i = 0; i < training->n_parameters; i++)
    {
      g_autofree char *name = g_strdup_printf ("now.%d.%s", i, training->parameters[i].name);
      if (!copy (checkpoint, name, SL_SAVED_FLOAT32, training->parameters[i].size, width,
                 training->parameters[i].value, error))
        return FALSE;
    }
  if ((optimiser->first != NULL
       && !copy (checkpoint, "now.first", SL_SAVED_FLOAT32, optimiser->size, width,
                 optimiser->first, error))
      || (optimiser->second != NULL
          && !copy (checkpoint, "now.second", SL_SAVED_FLOAT32, optimiser->size, width,
                    optimiser->second, error))
      || (training->best != NULL
          && !copy (checkpoint, "now.best", SL_SAVED_FLOAT32, training->size, width, training->best,
                    error)))
    return FALSE;
  training->epoch = state[2];
  optimiser->step = state[3];
  training->best_epoch = state[4];
  training->best_accuracy = figures[0];
  training->best_loss = figures[1];
  training->lowest = figures[2];
  sl_network_weights_changed (training->network);
  if (training->difficulty != NULL)
    sl_network_weights_changed (training->difficulty);
  return TRUE;
}
