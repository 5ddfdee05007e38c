/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All that training is about, in memory: examples, their labels, mixtures of them, and what to
 * validate with. */
#pragma once

#include "stages/train/batches/targets.h"
#include "stages/train/options/options.h"
#include "feature-set.h"
#include "stages/common/losses/attributes.h"

/* Examples to validate with, and what should be said of them. */
typedef struct
{
  const SlExamples *examples;
  gint32 *which; /* [n] */
  gsize n;
  float *target; /* [n][k] */
  gint32 *truth; /* [n]: the gold class, or where that is not known the target's largest */
} SlValidation;

void sl_validation_clear (SlValidation *validation);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlValidation, sl_validation_clear)

typedef struct
{
  SlRun *run;
  const SlTrainOptions *options;
  char **classes; /* NULL-terminated */
  gsize k;
  SlFeatureSet features;
  SlPools pools;                    /* of the items, then of the mixtures */
  gint32 *annotator;                /* by row of the pools; NULL unless the loss asks */
  SlIntern *annotators;             /* likewise */
  SlAnnotatorAttributes attributes; /* theirs, that are asked for */
  SlTrainCase *cases;               /* [n_cases]: the items, in their order, then the mixtures */
  gsize n_cases;
  gboolean validated;
  SlFeatureSet held; /* what --validation-features names */
  SlValidation validation;
} SlTrainData;

gboolean sl_train_data_read (SlTrainData *data, SlRun *run, GError **error);
void sl_train_data_clear (SlTrainData *data);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlTrainData, sl_train_data_clear)

/* What OPTIONS, of a run, ask for as targets; a category table is filled in by run. */
SlTargets sl_train_data_targets (const SlTrainData *data, const SlTrainOptions *options,
                                 guint64 seed);

/* The items which[n] as something to validate with: their mean labels, or gold classes. */
void sl_train_data_hold_out (const SlTrainData *data, gint32 *which, gsize n,
                             SlValidation *validation);
