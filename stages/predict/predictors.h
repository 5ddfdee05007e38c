/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The networks that are asked: every run of every model. */
#pragma once

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
