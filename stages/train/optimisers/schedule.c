/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Step: rate × factor^(drops up to this epoch), as torch's MultiStepLR. Cosine: rate (1 + cos (π e
 * / E)) / 2 in epoch e of E (Loshchilov & Hutter 2017, without restarts), as torch's
 * CosineAnnealingLR; by batch e has the share of the epoch that is done, too. Warm-up (Goyal et al.
 * 2017): times (steps done + 1) / steps of the warm-up. */
#include "schedule.h"

#include <math.h>

gboolean
sl_schedule_drops_at (const SlSchedule *schedule, gint64 epoch)
{
  for (gsize i = 0; schedule->kind == SL_SCHEDULE_STEP && i < schedule->n_drops; i++)
    if (schedule->drop[i] == epoch)
      return TRUE;
  return FALSE;
}

double
sl_schedule_rate (const SlSchedule *schedule, gint64 epoch, gint64 batch, gint64 n_batches)
{
  double rate = schedule->rate;
  for (gsize i = 0; schedule->kind == SL_SCHEDULE_STEP && i < schedule->n_drops; i++)
    if (epoch >= schedule->drop[i])
      rate *= schedule->factor;
  double begun = (double) epoch + (schedule->by_batch ? (double) batch / (double) n_batches : 0);
  if (schedule->kind == SL_SCHEDULE_COSINE)
    rate *= 0.5 * (1 + cos (G_PI * begun / (double) schedule->epochs));
  double done = (double) epoch + (double) (batch + 1) / (double) n_batches;
  return done < schedule->warm_up ? rate * done / schedule->warm_up : rate;
}
