/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results.h"

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
