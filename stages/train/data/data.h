/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All that training is about, in memory: examples, their labels, mixtures of them, and what to
 * validate with. */
#pragma once

#include "label-rows.h"
#include "pipeline/base/intern/intern.h"
#include "pipeline/command/run.h"
#include "stages/common/losses/attributes.h"
#include "stages/train/batches/targets.h"
#include "stages/train/options/options.h"

/* A table of features, with the items' names. */
typedef struct
{
  SlExamples examples;
  SlIntern *items;
  SlTable *table;    /* the header */
  GPtrArray *blocks; /* of SlBatch, whose memory the examples are in */
} SlFeatureSet;

/* Reads the table PATH, which OPTION names. */
gboolean sl_feature_set_read (SlFeatureSet *set, SlRun *run, const char *option, const char *path,
                              GError **error);

/* Gold classes of SET, which OPTION names, become numbers of CLASSES[k], whatever the case of
 * their letters; -1 where they are none of them, which is told. */
void sl_feature_set_map_gold (SlFeatureSet *set, SlRun *run, const char *option,
                              char *const *classes, gsize k);

void sl_feature_set_clear (SlFeatureSet *set);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlFeatureSet, sl_feature_set_clear)

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
