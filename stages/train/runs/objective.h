/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What training lowers: one of the losses, with what it learns itself. */
#pragma once

#include "stages/train/batches/batch.h"
#include "stages/train/losses/crowd.h"
#include "stages/common/network/parameter.h"

typedef enum
{
  SL_OBJECTIVE_SOFT,
  SL_OBJECTIVE_DISTIL,
  SL_OBJECTIVE_ENT_WC,
  SL_OBJECTIVE_MIX_MAXENT,
  SL_OBJECTIVE_CROWD,
  SL_OBJECTIVE_CONAL,
} SlObjectiveKind;

typedef struct
{
  SlObjectiveKind kind;
  gsize k;
  gboolean sum;       /* of a batch; otherwise its mean */
  double temperature; /* distillation */
  double least;       /* Ent-WC */
  gboolean through;
  double entropy_weight; /* Mix-MaxEnt */
  SlCrowdForm form;      /* crowd */
  gboolean of_logits;
  gsize n_annotators;
  double apart; /* CoNAL */
} SlObjectivePlan;

#define SL_CONAL_EMBEDDING 20 /* numbers of an item's difficulty, as in the authors' code */

typedef struct
{
  SlObjectivePlan plan;
  SlCrowdLayer layer, layer_slope;
  SlConal conal, conal_slope;
  SlParameter parameter[4]; /* what is learned of annotators */
  int n_parameters;
  float *values, *slopes; /* behind the parameters */
  double *room;
  float *difficulty_grad; /* [rows][SL_CONAL_EMBEDDING] */
} SlObjective;

gsize sl_objective_bytes (const SlObjectivePlan *plan, gsize rows);
void sl_objective_init (SlObjective *objective, const SlObjectivePlan *plan, gsize rows,
                        guint64 seed);
void sl_objective_clear (SlObjective *objective);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlObjective, sl_objective_clear)

/* The sum of the batch's losses; grad[n][k], and the parameters' gradients, are those of what is
 * lowered. DIFFICULTY[n][embedding]: of CoNAL, else NULL. */
double sl_objective_loss (SlObjective *objective, const SlTrainBatch *batch, const float *logits,
                          const float *difficulty, float *grad);

/* p[k] <- what annotator R answers about an item with the logits z[k] and, of CoNAL, the difficulty
 * d. */
void sl_objective_answer (SlObjective *objective, const float *z, const float *d, gsize r,
                          double *p);
