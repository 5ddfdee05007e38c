/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run-plans.h"

/* Every name so far, with each value of "name=a,b" behind it. */
static char **
cross (char **names, const char *grid)
{
  g_auto (GStrv) pair = g_strsplit (grid, "=", 2);
  g_auto (GStrv) values = g_strsplit (pair[1], ",", -1);
  GPtrArray *all = g_ptr_array_new ();
  for (char **name = names; *name != NULL; name++)
    for (char **value = values; *value != NULL; value++)
      g_ptr_array_add (
          all, g_strdup_printf ("%s%s%s=%s", *name, **name != '\0' ? " " : "", pair[0], *value));
  g_ptr_array_add (all, NULL);
  g_strfreev (names);
  return (char **) g_ptr_array_free (all, FALSE);
}

#define MOST_RUNS 100000

gboolean
sl_run_grid_init (SlRunGrid *grid, const SlTrainOptions *options, GError **error)
{
  *grid = (SlRunGrid){ .n_seeds = (gsize) options->seeds, .n_folds = (gsize) options->folds };
  const char *const none[] = { "", NULL };
  grid->names = g_strdupv ((char **) none);
  for (char **text = options->grid; text != NULL && *text != NULL; text++)
    {
      grid->names = cross (grid->names, *text);
      if (g_strv_length (grid->names) * sl_run_grid_runs (grid) > MOST_RUNS)
        return sl_error_usage (error, "--grid, --seeds and --folds make over %d runs", MOST_RUNS);
    }
  grid->n_points = g_strv_length (grid->names);
  grid->inside = grid->n_points > 1 && (options->folds > 1 || options->held_out != NULL);
  return TRUE;
}

gsize
sl_run_grid_steps (const SlRunGrid *grid)
{
  return sl_run_grid_runs (grid) * (grid->n_points + grid->inside);
}

SlRunStep
sl_run_grid_step (const SlRunGrid *grid, gsize at)
{
  gsize n_runs = sl_run_grid_runs (grid), n_points = grid->n_points;
  if (!grid->inside)
    return (SlRunStep){ at / n_runs, at % n_runs, FALSE, FALSE };
  gsize point = at % (n_points + 1);
  return (SlRunStep){ point % n_points, at / (n_points + 1), point < n_points, point == n_points };
}

void
sl_run_grid_clear (SlRunGrid *grid)
{
  g_clear_pointer (&grid->names, g_strfreev);
}

/* The point's options are set; texts stay the command line's. */
static gboolean
set_point (SlTrainOptions *options, const char *name, GError **error)
{
  g_auto (GStrv) words = g_strsplit (name, " ", -1);
  for (char **word = words; *word != NULL; word++)
    {
      g_auto (GStrv) pair = g_strsplit (*word, "=", 2);
      if (pair[0] != NULL && !sl_train_set (options, pair[0], pair[1], error))
        return FALSE;
    }
  return TRUE;
}

/* out[item] <- AS for a SHARE of item[n], drawn for PURPOSE and ROUND. */
static void
keep_share (const gint32 *item, gsize n, double share, guint64 seed, const char *purpose,
            guint32 round, guint8 as, guint8 *out)
{
  g_autofree gint32 *order = g_new (gint32, MAX (n, 1));
  sl_shuffle (order, n, seed, purpose, round);
  for (gsize i = 0; i < (gsize) (share * (double) n + 0.5); i++)
    out[item[order[i]]] = as;
}

enum
{
  HELD = 1, /* kept back from the run */
  CHOOSES,  /* from a trial, besides */
};

/* out[n_items] <- what of item[n] is kept back from this run. A trial keeps as large a share of
 * what the run is shown, unless others validate. */
static void
keep_back (const SlTrainPlan *plan, const gint32 *item, gsize n, const SlRunGrid *grid,
           const SlRunStep *step, guint64 base_seed, guint8 *out)
{
  gsize n_folds = grid->n_folds, fold = step->run % n_folds, n_shown = 0;
  double share = n_folds > 1 ? 1 / (double) n_folds : plan->options.validation_share;
  g_autofree gint32 *at = g_new (gint32, MAX (n, 1));
  if (n_folds > 1)
    {
      sl_fold_all (at, n, n_folds, base_seed);
      for (gsize i = 0; i < n; i++)
        out[item[i]] = at[i] == (gint32) fold ? HELD : 0;
    }
  else
    keep_share (item, n, share, plan->seed, "train: validation", 0, HELD, out);
  for (gsize i = 0; i < n; i++)
    if (out[item[i]] == 0)
      at[n_shown++] = item[i];
  if (step->trial && !plan->data->validated)
    keep_share (at, n_shown, share, plan->seed, "train: grid", (guint32) fold, CHOOSES, out);
}

/* The cases to train on; what of the items is kept back. Returns how many items there are. */
static gsize
choose_members (SlPlannedRun *planned, const SlRunGrid *grid, const SlRunStep *step,
                guint64 base_seed)
{
  SlTrainPlan *plan = &planned->plan;
  const SlTrainData *data = plan->data;
  gint32 n_items = data->features.examples.n;
  SlTargets targets = sl_train_data_targets (data, &plan->options, plan->seed);
  g_autofree guint8 *back = g_new0 (guint8, n_items);
  gint32 *item = g_new (gint32, n_items);
  gsize n = 0;
  for (gint32 i = 0; i < n_items; i++)
    if (sl_target_exists (&targets, data->cases[i].pool, data->cases[i].gold))
      item[n++] = i;
  keep_back (plan, item, n, grid, step, base_seed, back);
  plan->member = g_new (gint32, data->n_cases);
  for (gsize c = 0; c < data->n_cases; c++)
    {
      const SlTrainCase *at = &data->cases[c];
      gboolean shown = !back[at->first] && (at->second < 0 || !back[at->second]);
      if (shown && sl_target_exists (&targets, at->pool, at->gold))
        plan->member[plan->n++] = (gint32) c;
    }
  gsize n_back = 0;
  for (gsize i = 0; i < n; i++)
    if (back[item[i]] == (step->trial ? CHOOSES : HELD))
      item[n_back++] = item[i];
  sl_train_data_hold_out (data, item, n_back, &planned->held);
  return n;
}

/* What --epochs 0 comes to: small data want more passes. */
static gint64
epochs_for (gsize n, gint64 batch)
{
  gint64 steps = ((gint64) n + batch - 1) / batch;
  return CLAMP (600 / MAX (steps, 1), 30, 300);
}

gboolean
sl_planned_run_init (SlPlannedRun *planned, const SlTrainPlan *common, const SlRunGrid *grid,
                     const SlRunStep *step, GError **error)
{
  *planned = (SlPlannedRun){ .plan = *common };
  SlTrainPlan *plan = &planned->plan;
  plan->seed = common->seed + step->run / grid->n_folds;
  if (!set_point (&plan->options, grid->names[step->point], error))
    return FALSE;
  gsize n = choose_members (planned, grid, step, common->seed);
  if (n < grid->n_folds && grid->n_folds > 1)
    return sl_error_bad_input (error,
                               "%s: --folds %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT
                               " items: there are to be as many folds as items at most",
                               plan->options.features, grid->n_folds, n);
  if (plan->data->validated)
    plan->validation = &plan->data->validation;
  else if (planned->held.n > 0)
    plan->validation = &planned->held;
  if (plan->options.epochs == 0)
    plan->options.epochs = epochs_for (plan->n, plan->options.batch);
  gboolean held_back = grid->n_folds > 1 || plan->options.validation_share > 0;
  if (plan->n > 0 && (planned->held.n > 0 || !held_back || (step->trial && plan->data->validated)))
    return TRUE;
  g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
               "%s: there are too few items for --folds or --validation-share: none is %s",
               plan->options.features, plan->n == 0 ? "left to train on" : "kept back");
  return FALSE;
}

void
sl_planned_run_clear (SlPlannedRun *planned)
{
  g_clear_pointer (&planned->plan.member, g_free);
  sl_validation_clear (&planned->held);
}

/* ---- what has come of training ---- */

static void
free_result (SlRunResult *result)
{
  g_free (result->values);
  g_free (result->held_item);
  g_free (result->held);
  g_free (result->confusion);
  g_free (result);
}

void
sl_results_init (SlResults *results)
{
  results->done = g_ptr_array_new_with_free_func ((GDestroyNotify) free_result);
  results->log = g_array_new (FALSE, TRUE, sizeof (SlLogRow));
}

void
sl_results_clear (SlResults *results)
{
  g_clear_pointer (&results->done, g_ptr_array_unref);
  g_clear_pointer (&results->log, g_array_unref);
}

/* Sums over the results of POINT, or of all others. */
static void
sum_up (const SlResults *results, gboolean trial, gsize point, gboolean others, double *accuracy,
        double *loss, double *n)
{
  *accuracy = *loss = *n = 0;
  for (guint i = 0; i < results->done->len; i++)
    {
      const SlRunResult *result = g_ptr_array_index (results->done, i);
      if (result->step.trial != trial || (result->step.point == point) == others)
        continue;
      *accuracy += result->accuracy;
      *loss += result->loss;
      *n += 1;
    }
}

/* The results of POINT go, or of all others. */
static void
remove_all (SlResults *results, gboolean trial, gsize point, gboolean others)
{
  for (guint i = results->done->len; i > 0; i--)
    {
      const SlRunResult *result = g_ptr_array_index (results->done, i - 1);
      if (result->step.trial == trial && (result->step.point == point) != others)
        g_ptr_array_remove_index (results->done, i - 1);
    }
}

void
sl_results_settle (SlResults *results, gboolean trial, gsize point)
{
  double accuracy, loss, n, other_accuracy, other_loss, n_others;
  sum_up (results, trial, point, FALSE, &accuracy, &loss, &n);
  sum_up (results, trial, point, TRUE, &other_accuracy, &other_loss, &n_others);
  if (n == 0 || n_others == 0)
    return;
  gboolean better
      = accuracy / n > other_accuracy / n_others
        || (accuracy / n == other_accuracy / n_others && loss / n < other_loss / n_others);
  remove_all (results, trial, point, better);
}

void
sl_results_drop (SlResults *results, gboolean trial, gsize point)
{
  remove_all (results, trial, point, FALSE);
}

const SlRunResult *
sl_results_trial (const SlResults *results)
{
  guint n = results->done->len;
  const SlRunResult *last = n > 0 ? g_ptr_array_index (results->done, n - 1) : NULL;
  return last != NULL && last->step.trial ? last : NULL;
}

const SlRunResult *
sl_results_find (const SlResults *results, gsize run)
{
  for (guint i = 0; i < results->done->len; i++)
    {
      const SlRunResult *result = g_ptr_array_index (results->done, i);
      if (!result->step.trial && result->step.run == run)
        return result;
    }
  return NULL;
}
