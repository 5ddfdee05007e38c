/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tell.h"

#include <math.h>
#include <unistd.h>

void
sl_tell_begin (SlTraining *training, gsize at, gsize of)
{
  training->at = at;
  training->of = of;
}

void
sl_tell_batch (SlTraining *training, gsize index, gsize n_batches)
{
  gint64 epochs = training->plan->options.epochs;
  double part = ((double) training->epoch + (double) index / (double) n_batches) / (double) epochs;
  SlHowFar step = { .unit = "epoch",
                    .n = training->epoch + 1,
                    .of = epochs,
                    .detail = training->detail,
                    .start = training->of > 1 ? (gint64) training->at + 1 : 0,
                    .starts = training->of > 1 ? (gint64) training->of : 0,
                    .share = ((double) training->at + part) / (double) training->of };
  sl_run_step (training->run, &step);
}

static void
append_time (GString *line, double seconds)
{
  if (seconds < 90)
    g_string_append_printf (line, "%.0f s left", seconds);
  else if (seconds < 5400)
    g_string_append_printf (line, "%.0f min left", seconds / 60);
  else
    g_string_append_printf (line, "%.1f h left", seconds / 3600);
}

void
sl_tell_epoch (SlTraining *training, const SlEpochFigures *figures, gsize at, gsize of,
               gint64 *told)
{
  SlRun *run = training->run;
  gint64 epochs = training->plan->options.epochs, now = g_get_monotonic_time ();
  double rows = (double) training->plan->n / MAX (figures->seconds, 1e-9);
  g_free (training->detail);
  training->detail = g_strdup_printf ("loss %.4f, accuracy %.4f, %.0f items/s", figures->loss,
                                      figures->accuracy, rows);
  /* A line a second is as much as one can read. */
  gboolean terminal = !run->quiet && isatty (STDERR_FILENO)
                      && (now - *told > G_USEC_PER_SEC || training->epoch == epochs);
  if (!terminal && !run->verbose)
    return;
  *told = now;
  g_autoptr (GString) line = g_string_new (NULL);
  if (of > 1)
    g_string_append_printf (line, "run %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT ", ", at + 1, of);
  g_string_append_printf (line, "epoch %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT ": %s",
                          training->epoch, epochs, training->detail);
  if (!isnan (figures->validation_loss))
    g_string_append_printf (line, "; validation %.4f, %.4f", figures->validation_loss,
                            figures->validation_accuracy);
  g_string_append (line, "; ");
  append_time (line, figures->seconds * (double) (epochs - training->epoch));
  if (run->verbose)
    {
      sl_run_note (run, "%s", line->str);
      return;
    }
  g_string_append_c (line, '\n');
  sl_run_report (run, line->str);
}
