/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run of training: a network, what moves it, and how far it is. */
#pragma once

#include "stages/train/batches/batch.h"
#include "stages/train/data/data.h"
#include "stages/train/outputs/item-figures.h"
#include "stages/common/losses/loss.h"
#include "stages/train/optimisers/optimiser.h"
#include "stages/common/files/model-file.h"

/* What is trained on, and how. */
typedef struct
{
  const SlTrainData *data;
  SlTrainOptions options; /* of this run; its texts are the command line's */
  guint64 seed;
  gint32 *member; /* [n]: cases */
  gsize n;
  const SlValidation *validation; /* or NULL */
  const SlModelFile *init;        /* or NULL */
  float *mean, *std;              /* [channels], or NULL */
  double (*share) (gpointer curves, gint32 first, gint32 second, double lambda);
  gpointer curves;
} SlTrainPlan;

typedef struct
{
  gint64 epoch;
  double loss, accuracy; /* of training: means over its examples */
  double rate;           /* of the last batch */
  double seconds;
  double validation_loss, validation_accuracy; /* NaN: none */
} SlEpochFigures;

typedef struct
{
  const SlTrainPlan *plan;
  SlRun *run;
  SlNetwork *network;
  SlParameter *parameters; /* [n_parameters]: all that the optimiser sees */
  int n_parameters, n_own; /* the first n_own are the network's */
  gsize size;              /* numbers of all of them, buffers with them */
  SlObjective objective;
  SlOptimiser optimiser;
  SlSchedule schedule;
  gint64 *drops;
  float *categories; /* [k][k], or NULL */
  SlAugment augment;
  SlBatchPlan batches;
  /* Behind the plan of batches whose members are answers; or NULL. */
  gint32 *answer_case; /* the case that each is about */
  gsize *answer_row;   /* its row of the pools */
  gsize *answers_of;   /* the first answer to each item */
  SlLoader *loader;
  float *grad;   /* [rows][k] */
  gint64 epoch;  /* epochs done */
  double lowest; /* loss of an epoch so far */
  gboolean diverged;
  float *best; /* [size]: the network at its best; NULL: nobody asks */
  double best_accuracy, best_loss;
  gint64 best_epoch;
  SlItemFigures *items; /* or NULL */
  gsize at, of;         /* which run of how many */
  char *detail;         /* what the last epoch came to, for progress */
  gsize claimed;
  gint32 *truth; /* [cases]: the class that is right; NULL: the largest of the target is */
} SlTraining;

SlTraining *sl_training_new (SlRun *run, const SlTrainPlan *plan, SlItemFigures *items,
                             GError **error);
void sl_training_free (SlTraining *training);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlTraining, sl_training_free)

/* One pass over the cases, and over what validates. A loss that is no number, or has grown beyond
 * reason, is an error that names the epoch. *STOPPED: the user asked to stop, the epoch is not
 * done. */
gboolean sl_training_epoch (SlTraining *training, SlEpochFigures *figures, gboolean *stopped,
                            GError **error);

/* How far the loss is from standing still: one more pass, without a step, tells how long its
 * gradient is, as a share of that of a guess, to which all classes are equally likely. Of a loss of
 * SL_LOSS_TARGETS. */
gboolean sl_training_slope (SlTraining *training, double *share, GError **error);

/* What to try where training does not go on well at RATE: "WHICH --lr (it is 0.1 now), --clip 1".
 * To be freed. */
char *sl_training_advice (const SlTraining *training, const char *which, double rate);

/* The network's numbers to keep: of the best epoch or the last. */
void sl_training_values (SlTraining *training, float *out);
void sl_training_set_values (SlTraining *training, const float *values);

/* What the network says of the examples WHICH[n]; EACH is called once a batch, which begins at row
 * FROM. */
typedef gboolean (*SlEachLogits) (gpointer data, gsize from, const SlLossBatch *batch,
                                  GError **error);
gboolean sl_training_predict (SlTraining *training, const SlExamples *examples, const gint32 *which,
                              gsize n, SlEachLogits each, gpointer data, GError **error);
