/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of `softlabel predict` share. */
#pragma once

#include "corruptions/corruption.h"
#include "pipeline/base/intern/intern.h"
#include "stages/common/files/model-file.h"
#include "stages/common/losses/loss.h"

/* Tags of models: what all of them have alike holds for the whole table; of the rest each row has
 * its model's. */
typedef struct
{
  char *name; /* the model's file */
  SlTags tags;
} SlModelTags;

/* TABLE gets columns for what is left. */
gboolean sl_model_tags_columns (const GArray *models, SlTable *table, GError **error);

/* Appends the tags of model M to the columns of BUILDER's TABLE. */
void sl_model_tags_append (const GArray *models, gsize m, const SlTable *table, SlBuilder *builder);

/* What a network has learned of those who answered. */
typedef struct
{
  SlObjective objective;
  char **names; /* NULL-terminated, in the objective's order */
  SlAnnotatorAttributes attributes;
} SlAnswering;

#define SL_ASK_ALL "all"

typedef struct
{
  GPtrArray *networks;  /* of SlNetwork, by run */
  GPtrArray *answering; /* of SlAnswering, likewise; NULL: nobody asks */
  char **classes;       /* of all of them; NULL-terminated */
  gsize k, size;        /* numbers of an example */
  int channels, height, width;
  gboolean pixels;
  int batch;
  GArray *tags; /* SlModelTags of each network */
} SlPredictors;

/* For the features that RUN reads. PATHS: model files, NULL-terminated. GRADIENT: with respect to
 * inputs will be asked for. ANSWERS: what annotators answer will be. */
gboolean sl_predictors_init (SlPredictors *predictors, SlRun *run, char *const *paths, int batch,
                             gboolean gradient, gboolean answers, gboolean bf16, GError **error);

/* The logits of all networks for x[n][size]: [networks][n][k]. */
gboolean sl_predictors_logits (const SlPredictors *predictors, const float *x, gsize n,
                               float *logits, GError **error);
void sl_predictors_clear (SlPredictors *predictors);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlPredictors, sl_predictors_clear)

typedef enum
{
  SL_ATTACK_NONE,
  SL_ATTACK_FGSM,
  SL_ATTACK_PGD,
} SlAttackKind;

typedef struct
{
  SlAttackKind kind;
  double *epsilon; /* [n_epsilon] */
  gsize n_epsilon;
  gint64 steps;
  double step_size;
  gboolean random_start;
  guint64 seed;
} SlAttackPlan;

typedef struct
{
  const SlCorruption *corruption;
  int severity;
} SlCorruptionLevel;

typedef struct
{
  SlCorruptionLevel *condition; /* [n]; of a corruption all severities, one after the other */
  gsize n;
  gboolean all; /* those that the pictures allow */
  guint64 seed;
} SlCorruptPlan;

/* What becomes of one batch of examples: of each example in turn, all its rows. */
typedef struct
{
  SlRun *run;
  SlPredictors *predictors;
  SlTable *table; /* of the output */
  SlBuilder *builder;
  gboolean mean; /* one row in place of all runs': their mean */
  gboolean logits;
  const SlAttackPlan *attack;
  const float *target;                /* of attacks: [n][k] of the batch */
  const SlCorruptPlan *corrupt;       /* NULL: examples are as they are, or attacked */
  const struct _SlAskedPeople *asked; /* whose answers are predicted; NULL: classes are */
} SlPrediction;

/* Where one row comes from. */
typedef struct
{
  const char *item;
  gsize length;
  gint32 gold;
  gint32 run;
  /* [k] of one network; with MEAN of all, [n_networks] pointers apart by STRIDE numbers */
  const float *logits;
  gsize n_networks, stride;
  double epsilon, loss; /* of attacks */
  gint32 step;
  const char *annotator; /* whose answer it is; NULL: nobody's */
  gsize annotator_length;
  const double *answer;   /* [k] of one network, and so on as LOGITS, which are then none */
  const char *corruption; /* with its severity, of examples that were corrupted */
  gint32 severity;
} SlPredictedRow;

gboolean sl_write_row (SlPrediction *prediction, const SlPredictedRow *row, GError **error);

/* Rows of the examples x[n][size], whose names and gold classes ROWS[n] have, as they are. */
gboolean sl_predict_plain (SlPrediction *prediction, const float *x, const SlPredictedRow *rows,
                           gsize n, GError **error);

/* The same, attacked. */
gboolean sl_predict_attacked (SlPrediction *prediction, const float *x, const SlPredictedRow *rows,
                              gsize n, GError **error);

/* The output's table for features of the table IN. */
SlTable *sl_predictions_table (const SlPrediction *prediction, const SlTable *in);

/* "4/255" or "0.01", in (0, 1], of the option NAME. */
gboolean sl_parse_share (const char *name, const char *text, double *value, GError **error);

/* *N of them in a row; NULL and ERROR where TEXT is no list of shares. TEXT NULL: 4/255. */
double *sl_parse_epsilons (const char *text, gsize *n, GError **error);

/* What an attack leads away from: an item's mean label, or its gold class. */
typedef struct
{
  SlIntern *items; /* NULL: gold classes alone */
  gsize k;
  GArray *sum; /* double [items][k]: of labels by weight */
} SlAttackTargets;

/* PATH: a table of labels about CLASSES[k]; NULL: there is none. */
gboolean sl_attack_targets_init (SlAttackTargets *targets, SlRun *run, const char *path,
                                 char *const *classes, gsize k, GError **error);
void sl_attack_targets_clear (SlAttackTargets *targets);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlAttackTargets, sl_attack_targets_clear)

/* out[k] <- the target of the item NAME[length] with GOLD (or -1); FALSE where there is none. */
gboolean sl_attack_target (const SlAttackTargets *targets, const char *name, gsize length,
                           gint32 gold, float *out);
