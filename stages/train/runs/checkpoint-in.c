/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "checkpoint.h"

#include <math.h>
#include <string.h>

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
unsound (const SlCheckpoint *checkpoint, GError **error)
{
  return sl_error_bad_input (error,
                             "%s: it is damaged; without --resume training begins anew, and writes "
                             "another",
                             checkpoint->file.path);
}

/* *OUT <- X, if it is a whole number below N. */
static gboolean
index_of (double x, gsize n, gsize *out)
{
  if (!(x >= 0 && x < (double) n && x == floor (x)))
    return FALSE;
  *out = (gsize) x;
  return TRUE;
}

static gboolean
read_log (const SlCheckpoint *checkpoint, const SlCheckpointBounds *bounds, SlResults *results,
          GError **error)
{
  gsize n;
  const guint8 *from = get (checkpoint, "log", SL_SAVED_FLOAT64, G_MAXSIZE, &n, error);
  if (from == NULL)
    return FALSE;
  for (gsize i = 0; i + SL_CHECKPOINT_LOG <= n; i += SL_CHECKPOINT_LOG)
    {
      double x[SL_CHECKPOINT_LOG];
      gsize epoch;
      memcpy (x, from + i * sizeof *x, sizeof x);
      SlLogRow row = { .figures = { .loss = x[3],
                                    .accuracy = x[4],
                                    .rate = x[5],
                                    .seconds = x[6],
                                    .validation_loss = x[7],
                                    .validation_accuracy = x[8] } };
      if (!index_of (x[0], bounds->n_points, &row.point)
          || !index_of (x[1], bounds->n_runs, &row.run) || !index_of (x[2], 1 << 30, &epoch))
        return unsound (checkpoint, error);
      row.figures.epoch = (gint64) epoch;
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
  if (data == NULL)
    return NULL;
  gpointer copied = g_malloc (MAX (*n * width, 1));
  if (*n > 0)
    memcpy (copied, data, *n * width);
  return copied;
}

static gboolean
read_parts (const SlCheckpoint *checkpoint, SlRunResult *result, gsize i, gsize *n_logits,
            GError **error)
{
  gsize width = sizeof (float);
  result->values = part (checkpoint, i, "values", SL_SAVED_FLOAT32, width, &result->size, error);
  if (result->values == NULL)
    return FALSE;
  result->held_item
      = part (checkpoint, i, "items", SL_SAVED_INT32, sizeof (gint32), &result->n_held, error);
  if (result->held_item == NULL)
    return FALSE;
  result->held = part (checkpoint, i, "held", SL_SAVED_FLOAT32, width, n_logits, error);
  if (result->held == NULL)
    return FALSE;
  result->confusion
      = part (checkpoint, i, "confusion", SL_SAVED_FLOAT32, width, &result->n_confusion, error);
  return result->confusion != NULL;
}

static gboolean
is_sound (const SlRunResult *result, gsize n_logits, const SlCheckpointBounds *bounds)
{
  for (gsize i = 0; i < result->n_held; i++)
    if (result->held_item[i] < 0 || (gsize) result->held_item[i] >= bounds->n_items)
      return FALSE;
  return n_logits == result->n_held * result->k && result->n_confusion == bounds->n_confusion;
}

static gboolean
read_result (const SlCheckpoint *checkpoint, const SlCheckpointBounds *bounds, SlResults *results,
             gsize i, GError **error)
{
  gsize n, n_logits, epoch;
  SlRunResult *result = g_new0 (SlRunResult, 1);
  result->k = bounds->k;
  g_ptr_array_add (results->done, result);
  g_autofree double *what
      = part (checkpoint, i, "what", SL_SAVED_FLOAT64, sizeof (double), &n, error);
  if (what == NULL)
    return FALSE;
  if (n != 5 || !index_of (what[0], bounds->n_points, &result->point)
      || !index_of (what[1], bounds->n_runs, &result->run) || !index_of (what[2], 1 << 30, &epoch))
    return unsound (checkpoint, error);
  result->epoch = (gint64) epoch;
  result->accuracy = what[3];
  result->loss = what[4];
  return read_parts (checkpoint, result, i, &n_logits, error)
         && (is_sound (result, n_logits, bounds) || unsound (checkpoint, error));
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

/* Where the runs are: at the end, or before or within one of them, of which an epoch is done and
 * told of. */
static gboolean
read_state (SlCheckpoint *checkpoint, const SlCheckpointBounds *bounds, const SlResults *results,
            const gint64 *state)
{
  gint64 points = (gint64) bounds->n_points, runs = (gint64) bounds->n_runs;
  gboolean amid = state[5] == 1;
  checkpoint->point = (gsize) state[0];
  checkpoint->at = (gsize) state[1];
  checkpoint->amid = amid;
  return state[0] >= 0 && state[1] >= 0 && state[1] < runs
         && (amid ? state[0] < points : state[0] < points || (state[0] == points && state[1] == 0))
         && (state[5] == 0 || amid) && state[2] >= amid && state[2] <= 1 << 30 && state[3] >= 0
         && state[4] >= -1 && (!amid || (state[4] < state[2] && results->log->len > 0));
}

gboolean
sl_checkpoint_read (SlCheckpoint *checkpoint, SlRun *run, const char *path, const char *mark,
                    const SlCheckpointBounds *bounds, SlResults *results, SlItemFigures *items,
                    GError **error)
{
  *checkpoint = (SlCheckpoint){ 0 };
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  SlSafetensors *file = &checkpoint->file;
  if (!sl_safetensors_open (file, path, error) || !check_mark (checkpoint, mark, error)
      || !sl_run_claim (run, file->n_bytes, "the checkpoint", error)
      || !sl_safetensors_load (file, error))
    return FALSE;
  g_autofree char *digest = sl_checkpoint_digest (file->array, file->n);
  if (g_strcmp0 (sl_safetensors_text (file, "softlabel.digest"), digest) != 0)
    return unsound (checkpoint, error);
  gint64 state[STATES];
  if (!copy (checkpoint, "state", SL_SAVED_INT64, STATES, sizeof *state, state, error)
      || !read_log (checkpoint, bounds, results, error))
    return FALSE;
  for (gint64 i = 0; i < state[6]; i++)
    if (!read_result (checkpoint, bounds, results, (gsize) i, error))
      return FALSE;
  if (!read_state (checkpoint, bounds, results, state))
    return unsound (checkpoint, error);
  checkpoint->found = TRUE;
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
