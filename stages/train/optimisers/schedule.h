/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The learning rate in the course of training. */
#pragma once

#include <glib.h>

typedef enum
{
  SL_SCHEDULE_CONSTANT,
  SL_SCHEDULE_STEP,   /* multiplied by `factor` at the beginning of each of the epochs `drop` */
  SL_SCHEDULE_COSINE, /* half a cosine, from the rate at epoch 0 to 0 after the last one */
} SlScheduleKind;

typedef struct
{
  SlScheduleKind kind;
  double rate;   /* at the beginning */
  gint64 epochs; /* in all */
  const gint64 *drop;
  gsize n_drops;
  double factor;
  gboolean by_batch; /* cosine: it falls from batch to batch, or else from epoch to epoch */
  double warm_up; /* epochs in which the rate grows from 0, batch by batch, to what it would be */
} SlSchedule;

/* The rate of batch BATCH of N_BATCHES, counted from 0, in epoch EPOCH, counted from 0. */
double sl_schedule_rate (const SlSchedule *schedule, gint64 epoch, gint64 batch, gint64 n_batches);

/* Whether the rate drops at the beginning of EPOCH. */
gboolean sl_schedule_drops_at (const SlSchedule *schedule, gint64 epoch);
