/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "checkpoint.h"

#include "stages/common/mixtures/mixup-model.h"

#include <math.h>
#include <string.h>

/* ---- out ---- */

#define OF_ITEMS 4  /* numbers of an item that was looked at, */
#define OF_LOG 9    /* of a row of the log, */
#define OF_RESULT 6 /* of what is said of a training that is done, */
#define OF_STATE 6  /* and of where it all is */

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
  double *what = g_new (double, OF_RESULT);
  what[0] = (double) result->step.point;
  what[1] = (double) result->step.run;
  what[2] = result->step.trial;
  what[3] = (double) result->epoch;
  what[4] = result->accuracy;
  what[5] = result->loss;
  g_ptr_array_add (parts->owned, what);
  const struct
  {
    const char *name;
    SlSavedType type;
    gsize n;
    gconstpointer data;
  } all[] = {
    { "what", SL_SAVED_FLOAT64, OF_RESULT, what },
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
  double *log = g_new (double, MAX (results->log->len * OF_LOG, 1));
  g_ptr_array_add (parts->owned, log);
  for (guint i = 0; i < results->log->len; i++)
    {
      const SlLogRow *row = &g_array_index (results->log, SlLogRow, i);
      const SlEpochFigures *f = &row->figures;
      const double numbers[OF_LOG]
          = { (double) row->at, (double) row->point, (double) f->epoch,
              f->loss,          f->accuracy,         f->rate,
              f->seconds,       f->validation_loss,  f->validation_accuracy };
      memcpy (log + i * OF_LOG, numbers, sizeof numbers);
    }
  add (parts, "log", SL_SAVED_FLOAT64, results->log->len * OF_LOG, log);
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
  const double *rows[OF_ITEMS] = { items->confidence, items->square, items->margin, items->waum };
  for (int i = 0; i < OF_ITEMS; i++)
    {
      g_autofree char *name = g_strdup_printf ("items.%d", i);
      add (parts, name, SL_SAVED_FLOAT64, items->n, rows[i]);
    }
}

gboolean
sl_checkpoint_write (SlRun *run, const char *path, const char *mark, const SlResults *results,
                     const SlItemFigures *items, SlTraining *training, gsize at, GError **error)
{
  g_auto (Parts) parts = { g_array_new (FALSE, FALSE, sizeof (SlSavedArray)),
                           g_ptr_array_new_with_free_func (g_free) };
  const gint64 state[] = { (gint64) at,
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
  g_autofree char *digest = sl_saved_digest (arrays, parts.arrays->len);
  const char *const metadata[] = { "softlabel.checkpoint", mark, "softlabel.digest", digest, NULL };
  SlOutput *output = sl_run_side_file (run, path, error);
  return output != NULL && sl_safetensors_write (output, metadata, arrays, parts.arrays->len, error)
         && sl_run_land_file (run, output, error);
}

/* ---- in ---- */

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
  for (gsize i = 0; i + OF_LOG <= n; i += OF_LOG)
    {
      double x[OF_LOG];
      gsize epoch;
      memcpy (x, from + i * sizeof *x, sizeof x);
      SlLogRow row = { .figures = { .loss = x[3],
                                    .accuracy = x[4],
                                    .rate = x[5],
                                    .seconds = x[6],
                                    .validation_loss = x[7],
                                    .validation_accuracy = x[8] } };
      if (!index_of (x[0], sl_run_grid_steps (bounds->grid), &row.at)
          || !index_of (x[1], bounds->grid->n_points, &row.point)
          || !index_of (x[2], 1 << 30, &epoch))
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
  return n_logits == result->n_held * result->k
         && result->n_confusion == (result->step.trial ? 0 : bounds->n_confusion);
}

static gboolean
read_result (const SlCheckpoint *checkpoint, const SlCheckpointBounds *bounds, SlResults *results,
             gsize i, GError **error)
{
  gsize n, n_logits, epoch, trial;
  SlRunResult *result = g_new0 (SlRunResult, 1);
  result->k = bounds->k;
  g_ptr_array_add (results->done, result);
  g_autofree double *what
      = part (checkpoint, i, "what", SL_SAVED_FLOAT64, sizeof (double), &n, error);
  if (what == NULL)
    return FALSE;
  SlRunStep *step = &result->step;
  if (n != OF_RESULT || !index_of (what[0], bounds->grid->n_points, &step->point)
      || !index_of (what[1], sl_run_grid_runs (bounds->grid), &step->run)
      || !index_of (what[2], 2, &trial) || !index_of (what[3], 1 << 30, &epoch))
    return unsound (checkpoint, error);
  result->epoch = (gint64) epoch;
  step->trial = trial == 1;
  result->accuracy = what[4];
  result->loss = what[5];
  return read_parts (checkpoint, result, i, &n_logits, error)
         && (is_sound (result, n_logits, bounds) || unsound (checkpoint, error));
}

static gboolean
read_items (const SlCheckpoint *checkpoint, SlItemFigures *items, GError **error)
{
  double *rows[] = { items->confidence, items->square, items->margin, items->waum };
  for (int i = 0; i < OF_ITEMS; i++)
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
  gint64 steps = (gint64) sl_run_grid_steps (bounds->grid);
  gboolean amid = state[4] == 1;
  checkpoint->at = (gsize) state[0];
  checkpoint->amid = amid;
  return state[0] >= 0 && state[0] <= steps - amid && (state[4] == 0 || amid) && state[1] >= amid
         && state[1] <= 1 << 30 && state[2] >= 0 && state[3] >= -1
         && (!amid || (state[3] < state[1] && results->log->len > 0));
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
  g_autofree char *digest = sl_saved_digest (file->array, file->n);
  if (g_strcmp0 (sl_safetensors_text (file, "softlabel.digest"), digest) != 0)
    return unsound (checkpoint, error);
  gint64 state[OF_STATE];
  if (!copy (checkpoint, "state", SL_SAVED_INT64, OF_STATE, sizeof *state, state, error)
      || !read_log (checkpoint, bounds, results, error))
    return FALSE;
  for (gint64 i = 0; i < state[5]; i++)
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
  gint64 state[OF_STATE];
  double figures[3];
  SlOptimiser *optimiser = &training->optimiser;
  gsize width = sizeof (float);
  if (!copy (checkpoint, "state", SL_SAVED_INT64, OF_STATE, sizeof *state, state, error)
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
  training->epoch = state[1];
  optimiser->step = state[2];
  training->best_epoch = state[3];
  training->best_accuracy = figures[0];
  training->best_loss = figures[1];
  training->lowest = figures[2];
  sl_network_weights_changed (training->network);
  sl_objective_changed (&training->objective);
  return TRUE;
}

/* ---- whose a checkpoint is: options, seed, threads, hashes of all that training looks at ---- */

static void
add_hash (GString *mark, gconstpointer bytes, gsize n)
{
  g_string_append_printf (mark, " %016" G_GINT64_MODIFIER "x",
                          bytes != NULL && n > 0 ? sl_text_hash (bytes, n) : 0);
}

static void
add_names (GString *mark, char *const *names)
{
  g_autofree char *joined = names != NULL ? g_strjoinv ("\n", (char **) names) : NULL;
  add_hash (mark, joined, joined != NULL ? strlen (joined) : 0);
}

static void
add_examples (GString *mark, const SlExamples *examples)
{
  gsize n = (gsize) examples->n, block_rows = (gsize) examples->block_rows;
  gsize each = examples->size * (examples->pixels ? 1 : sizeof (float));
  add_hash (mark, examples->key, n * sizeof *examples->key);
  add_hash (mark, examples->gold, n * sizeof *examples->gold);
  guint64 hash = 0;
  for (gsize from = 0; from < n; from += block_rows)
    hash = hash * 31
           + sl_text_hash (examples->block[from / block_rows], MIN (block_rows, n - from) * each);
  add_hash (mark, &hash, sizeof hash);
}

static void
add_pools (GString *mark, const SlTrainData *data)
{
  const SlPools *pools = &data->pools;
  gsize rows = pools->start[pools->n];
  add_hash (mark, pools->start, (pools->n + 1) * sizeof *pools->start);
  add_hash (mark, pools->weight, rows * sizeof *pools->weight);
  add_hash (mark, pools->label, rows * pools->k * sizeof *pools->label);
  add_hash (mark, pools->vote, rows * sizeof *pools->vote);
  add_hash (mark, data->annotator, rows * sizeof *data->annotator);
  guint64 names = 0;
  for (gint32 r = 0; data->annotators != NULL && r < sl_intern_size (data->annotators); r++)
    {
      gsize length;
      const char *name = sl_intern_get (data->annotators, r, &length);
      names = names * 31 + sl_text_hash (name, length);
    }
  add_hash (mark, &names, sizeof names);
  g_autoptr (GString) attributes = g_string_new (NULL);
  sl_annotator_attributes_to_json (&data->attributes, attributes);
  if (attributes->len > 0)
    add_hash (mark, attributes->str, attributes->len);
}

/* Of mixtures; items are their own. */
static void
add_cases (GString *mark, const SlTrainData *data)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (gsize c = (gsize) data->features.examples.n; c < data->n_cases; c++)
    {
      const SlTrainCase *at = &data->cases[c];
      g_string_append_printf (text, "%d %d %a %d;", at->first, at->second, (double) at->lambda,
                              at->pool);
    }
  add_hash (mark, text->str, text->len);
}

static void
add_validation (GString *mark, const SlTrainData *data)
{
  const SlValidation *v = &data->validation;
  if (!data->validated)
    return;
  add_examples (mark, v->examples);
  add_hash (mark, v->which, v->n * sizeof *v->which);
  add_hash (mark, v->target, v->n * data->k * sizeof *v->target);
  add_hash (mark, v->truth, v->n * sizeof *v->truth);
}

static void
add_curves (GString *mark, const SlMixModel *curves)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; curves->pairs != NULL && i < curves->pairs->len; i++)
    {
      const SlMixPair *pair = &g_array_index (curves->pairs, SlMixPair, i);
      const SlLogistic *curve = &pair->curve;
      g_string_append_printf (text, "%d %d %d", pair->low, pair->high, curve->identity);
      if (!curve->identity)
        g_string_append_printf (text, " %a %a", curve->k, curve->x0);
    }
  add_hash (mark, text->str, text->len);
}

char *
sl_checkpoint_mark (const SlTrainPlan *plan, const SlItemFigures *items)
{
  const SlTrainData *data = plan->data;
  g_autofree char *options = sl_options_to_json (data->run->options);
  GString *mark = g_string_new (options);
  g_string_append_printf (mark, " seed %" G_GUINT64_FORMAT " threads %d%s%s", data->run->seed,
                          data->run->threads, items != NULL ? " items" : "",
                          data->options->confusion != NULL ? " confusion" : "");
  add_names (mark, data->classes);
  add_examples (mark, &data->features.examples);
  add_pools (mark, data);
  add_cases (mark, data);
  add_validation (mark, data);
  if (plan->init != NULL)
    {
      add_names (mark, plan->init->header.classes);
      add_hash (mark, plan->init->file.bytes, plan->init->file.n_bytes);
    }
  if (plan->share != NULL)
    add_curves (mark, plan->curves);
  if (items != NULL && items->worth != NULL)
    add_hash (mark, items->worth,
              (gsize) sl_intern_size (data->annotators) * data->k * sizeof *items->worth);
  return g_string_free (mark, FALSE);
}
