/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Optimisers, as PyTorch computes them, in single precision. */
#pragma once

#include "stages/common/network/parameter.h"

#include <glib.h>

typedef enum
{
  SL_OPTIMISER_SGD,
  SL_OPTIMISER_ADAM,
  SL_OPTIMISER_ADAMW,
  SL_OPTIMISER_RADAM,
} SlOptimiserKind;

typedef struct
{
  SlOptimiserKind kind;
  double momentum; /* of SGD; 0: none */
  gboolean nesterov;
  double beta1, beta2, epsilon; /* of all but SGD */
  double weight_decay;
  int threads;
} SlOptimiserPlan;

typedef struct
{
  SlOptimiserPlan plan;
  SlParameter *parameter; /* [n], the caller's; those without a gradient are let be */
  int n;
  gint64 step;     /* steps done */
  gsize size;      /* numbers that are learned */
  float *first;    /* [size]: SGD's momentum, Adam's first moment; NULL: none */
  float *second;   /* [size]: Adam's second moment; NULL: none */
  gsize *start;    /* [n + 1]: where a parameter's moments are */
  gpointer pieces; /* the work in parts */
  int n_pieces;
} SlOptimiser;

/* Bytes that the moments of SIZE numbers take. */
gsize sl_optimiser_bytes (const SlOptimiserPlan *plan, gsize size);

void sl_optimiser_init (SlOptimiser *optimiser, const SlOptimiserPlan *plan, SlParameter *parameter,
                        int n);
void sl_optimiser_clear (SlOptimiser *optimiser);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlOptimiser, sl_optimiser_clear)

/* As if no step had been done. */
void sl_optimiser_reset (SlOptimiser *optimiser);

/* Moves the parameters by their gradients, RATE being the learning rate. */
void sl_optimiser_step (SlOptimiser *optimiser, double rate);

/* Divides all gradients by one number so that together their length is at most MOST (0: as they
 * are). Returns the length that they had. */
double sl_clip_by_norm (SlParameter *parameter, int n, double most);

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
