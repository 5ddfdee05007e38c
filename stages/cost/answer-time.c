/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "answer-time.h"

#include "schemas/annotations.h"

#include <gsl/gsl_sort.h>
#include <math.h>

static gboolean
add_batch (SlRun *run, SlBatch *batch, GArray *all, GError **error)
{
  SlAnnotations answers = sl_annotations_view (batch);
  for (gint64 i = 0; i < answers.n; i++)
    {
      double seconds = answers.seconds[i];
      if ((answers.check != NULL && answers.check[i])
          || (answers.excluded != NULL && answers.excluded[i]) || isnan (seconds))
        continue;
      if (!(seconds >= 0 && isfinite (seconds)))
        return sl_error_row (error, batch->first_row + i + 1, "seconds are %g", seconds);
      g_array_append_val (all, seconds);
    }
  return sl_run_claim (run, (gsize) answers.n * sizeof (double), "the answers' seconds", error);
}

gboolean
sl_answer_time (SlRun *run, const char *path, gboolean mean, double *seconds, GError **error)
{
  static const SlKind *const kinds[] = { &sl_annotations, NULL };
  g_autoptr (SlReader) reader = sl_run_open (run, "time-from", path, kinds, error);
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (SlBatch) batch = NULL;
  if (reader == NULL)
    return FALSE;
  gboolean ok = TRUE, timed = sl_table_has (sl_reader_table (reader), SL_ANNOTATIONS_SECONDS);
  while (timed && sl_reader_each (reader, &batch, &ok, error))
    ok = add_batch (run, batch, all, error);
  if (!ok)
    return FALSE;
  if (all->len == 0)
    return sl_error_bad_input (error, "%s: no answer in it has its seconds",
                               sl_reader_name (reader));
  double *values = (double *) (gpointer) all->data;
  gsl_sort (values, 1, all->len);
  guint n = all->len;
  double sum = 0;
  for (guint i = 0; i < n; i++)
    sum += values[i];
  *seconds = mean ? sum / n : (values[(n - 1) / 2] + values[n / 2]) / 2;
  return TRUE;
}
