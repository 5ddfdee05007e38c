/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Batches: which cases, their inputs and their targets. A batch is a function of the plan, the
 * epoch and its number. */
#pragma once

#include "targets.h"
#include "pipeline/base/random.h"
#include "stages/common/losses/loss.h"

/* ---- orders drawn at random ---- */

/* order[n] <- 0 .. n - 1 shuffled, a function of SEED, PURPOSE and ROUND. */
void sl_shuffle (gint32 *order, gsize n, guint64 seed, const char *purpose, guint32 round);

/* fold[n] <- which of FOLDS each of N belongs to: of a shuffled order the first n / folds and so
 * on, sizes apart by one at most. */
void sl_fold_all (gint32 *fold, gsize n, gsize folds, guint64 seed);

/* ---- images changed at random ---- */

typedef struct
{
  int channels, height, width;
  int padding;       /* crop: moved by up to so many pixels, black coming in; 0: not */
  gboolean flip;     /* left and right, half of the time */
  int cutout;        /* side of a square that is left out; 0: none */
  const float *mean; /* [channels]: what stands in the square */
  gboolean once;     /* an image is changed alike in all epochs */
} SlAugment;

/* x[channels][height][width] in place; room as large. */
void sl_augment (const SlAugment *augment, SlRandom *random, float *x, float *room);

/* ---- batches ---- */

/* Mixing: Zhang, Cisse, Dauphin, Lopez-Paz, ICLR 2018, as their code: the batch with itself in
 * another order. */
typedef struct
{
  double alpha;     /* lambda is drawn from Beta (alpha, alpha); 0: nothing is mixed */
  gboolean by_item; /* one lambda an item; otherwise one a batch */
  double beside;    /* so many mixed ones for each other one are added; 0: all are mixed */
  gboolean apart;   /* those are of two different classes */
  double (*share) (gpointer curves, gint32 first, gint32 second, double lambda); /* or NULL */
  gpointer curves;
} SlMixing;

typedef struct
{
  const SlExamples *examples;
  const SlTrainCase *cases;
  const gint32 *member; /* [n]: cases that are trained on */
  gsize n;
  gsize k, batch;
  SlTargets targets;
  const SlAugment *augment; /* or NULL */
  SlMixing mixing;
  const SlPools *answers;  /* of single annotators, by the cases' pools; or NULL */
  const gint32 *annotator; /* [rows of answers], by the pools' rows */
  /* Where each member is an answer, those of an item together; all of it is 0 otherwise. */
  const gsize *row;        /* [n]: the pools' row */
  const gsize *answers_of; /* [n_items + 1]: the first member of each item */
  gsize n_items;
  gboolean network_mixes; /* inputs are not mixed here, but by the network */
  guint64 seed;
} SlBatchPlan;

typedef struct
{
  gsize n, n_plain; /* rows; of which so many come first that are not mixed beside */
  float *input; /* [n][size], or [pairs.items][size] if the network mixes; in OWN or elsewhere */
  float *own;
  float *target; /* [n][k] */
  gint32 *which; /* [n_plain]: the case whose gold class is the row's */
  SlCrowdAnswers answers;
  GArray *start, *annotator, *said, *count; /* behind the answers */
  SlAnswerRows rows;                        /* who gave each row: made of who, other, share */
  SlPairs pairs;          /* which inputs each row is mixed of: made of first, second, share */
  gint32 *who, *other;    /* [n] */
  gint32 *first, *second; /* [n] */
  gint32 *item;           /* [pairs.items]: the case of each input */
  float *share;           /* [n] */
  float *plain, *plain_target, *room; /* what is mixed; room[size] */
} SlTrainBatch;

gsize sl_batch_plan_rows (const SlBatchPlan *plan);    /* of the largest batch */
gsize sl_batch_plan_batches (const SlBatchPlan *plan); /* of an epoch */
gsize sl_train_batch_bytes (const SlBatchPlan *plan);

void sl_train_batch_clear (SlTrainBatch *batch);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlTrainBatch, sl_train_batch_clear)

/* ---- batches one after the other, the next being made while one is at work ---- */

typedef struct _SlLoader SlLoader;

/* AHEAD: in a thread of its own, several where they are small. INPUT: where the inputs go
 * otherwise. */
SlLoader *sl_loader_new (const SlBatchPlan *plan, gboolean ahead, float *input);
void sl_loader_free (SlLoader *loader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlLoader, sl_loader_free)

gsize sl_loader_bytes (const SlBatchPlan *plan, gboolean ahead);

/* EPOCH's batches will come, in an order that is drawn. */
void sl_loader_begin (SlLoader *loader, gint64 epoch);

/* The next one, good until the one after it; NULL after the last. */
SlTrainBatch *sl_loader_next (SlLoader *loader);
