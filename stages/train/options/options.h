/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `softlabel train` can be told, and its defaults. */
#pragma once

#include "pipeline/command/options/option.h"
#include "stages/common/losses/loss.h"

typedef enum
{
  SL_TRAIN_LABELS,
  SL_TRAIN_GOLD,
  SL_TRAIN_CATEGORY,
  SL_TRAIN_UNIFORM,
  SL_TRAIN_RANDOM,
} SlTrainTargets;

typedef enum
{
  SL_TRAIN_NORMALISE_DATA,
  SL_TRAIN_NORMALISE_NONE,
  SL_TRAIN_NORMALISE_CIFAR10,
} SlTrainNormalise;

typedef struct
{
  /* Data. */
  char *features;
  int targets; /* SlTrainTargets */
  int pool;    /* 0: drawn, 1: mean */
  gboolean hard_sample, hard;
  gboolean fill;          /* --fill gold */
  double label_smoothing; /* [0, 1) */
  char **teacher;
  char *augment;
  char *validation, *validation_features;
  double validation_share; /* [0, 1) */
  /* Loss. */
  int loss;         /* of sl_losses */
  int reduction;    /* 0: mean, 1: sum */
  double mixup;     /* alpha; below 0: by the loss */
  int mixup_lambda; /* 0: of a batch, 1: of an item */
  char *mixup_curves;
  double mixed_share;
  int pairing; /* 0: different classes, 1: any */
  SlLossArguments of_loss;
  /* Network. */
  char *model;
  double dropout;
  char *init;
  int precision; /* 0: float32, 1: bfloat16 */
  int normalise; /* SlTrainNormalise */
  gint64 crop, cutout;
  int flip;
  int draw; /* 0: epoch, 1: once */
  /* Optimiser. */
  int optimiser; /* SlOptimiserKind */
  double lr, momentum, beta1, beta2, weight_decay, clip;
  int nesterov, decay; /* decay: 0: all, 1: weights */
  gint64 epochs, batch;
  int schedule; /* SlScheduleKind */
  char *drops;
  double drop_factor, warm_up;
  int reset_at_drop;
  int cosine_by; /* 0: epochs, 1: batches */
  int keep;      /* 0: last, 1: best */
  /* Runs. */
  gint64 seeds, folds;
  char **grid;
  char *log, *item_log, *held_out, *confusion, *worth;
  char *checkpoint;
  gboolean resume;
  int preset;
  gboolean list_models;
  char *annotator_columns; /* gender,age */
  int repeats;             /* SlCounted */
} SlTrainOptions;

extern const SlTrainOptions sl_train_defaults;
extern const SlOption sl_train_option_table[];

/* What presets, --init and the network make of what is not said. What --grid varies counts as
 * said. */
gboolean sl_train_settle (SlOptions *given, GError **error);

/* Ranges and contradictions. */
gboolean sl_train_check (SlOptions *given, GError **error);

/* NAME counts as said. */
void sl_train_mark_given (SlOptions *options, const char *name);

/* Sets NAME, one of the options, as TEXT says. */
gboolean sl_train_set (SlTrainOptions *options, const char *name, const char *text, GError **error);

/* Fills in what the preset says, or else what does well with the network, and the command line does
 * not. */
gboolean sl_train_fill_preset (SlOptions *given, GError **error);

/* The epochs of --drops; *N of them. NULL and ERROR where it is no list of them. */
gint64 *sl_train_drops (const SlTrainOptions *options, gsize *n, GError **error);

extern const char *const sl_train_presets[];
