/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Losses of annotators' own answers: what a network says of an item goes through what is learned of
 * each annotator. */
#pragma once

#include <glib.h>

typedef enum
{
  SL_CROWD_MW,   /* a matrix an annotator */
  SL_CROWD_VW,   /* a factor a class */
  SL_CROWD_VB,   /* a bias a class */
  SL_CROWD_VW_B, /* both */
  SL_CROWD_SW,   /* one factor */
  SL_CROWD_CONAL /* no crowd layer, but CoNAL */
} SlCrowdForm;

/* What a batch's rows were answered: row i has the answers start[i] <= j < start[i + 1]. */
typedef struct
{
  const gsize *start; /* [n + 1] */
  const gint32 *annotator, *answer;
  const float *count; /* identical answers */
} SlCrowdAnswers;

typedef struct
{
  SlCrowdForm form;
  gboolean of_logits; /* applied to the logits; otherwise to their softmax */
  gsize n_annotators, k;
  /* MW [annotators][k true][k answered]; VW, VW_B [annotators][k]; SW [annotators]; else NULL */
  float *factor;
  float *bias; /* VB, VW_B [annotators][k]; else NULL */
} SlCrowdLayer;

/* Factors of one annotator. */
gsize sl_crowd_layer_factors (SlCrowdForm form, gsize k);
gboolean sl_crowd_layer_has_bias (SlCrowdForm form);

/* Everybody answers what the network says. */
void sl_crowd_layer_initialise (SlCrowdLayer *layer);

/* p[k] <- what annotator R answers about the item with the logits z[k]. */
void sl_crowd_layer_predict (const SlCrowdLayer *layer, const float *z, gsize r, double *p);

/* Σ over all answers of -log of the answer's probability. Sets grad[n][k] with respect to
 * logits[n][k], and adds to *SLOPE, of the shapes of LAYER: SCALE times the gradient of the sum,
 * each. room[3 k]. */
double sl_loss_crowd (const SlCrowdLayer *layer, const float *logits, gsize n,
                      const SlCrowdAnswers *answers, double scale, float *grad, SlCrowdLayer *slope,
                      double *room);

#define SL_CONAL_EMBEDDING 20 /* numbers of an item's difficulty, as in the authors' code */

/* CoNAL: annotators' own confusion, and one that all share. */
typedef struct
{
  gsize n_annotators, k, e;
  float *common;     /* [k][k] */
  float *individual; /* [annotators][k][k] */
  float *person;     /* [annotators][e] */
  float *offset;     /* [e], of all persons */
} SlConal;

/* Confusions begin as twice the identity; persons as a linear layer's weights of one-hot inputs,
 * uniform in ±1 / sqrt (annotators), are drawn by the caller. */
void sl_conal_initialise (SlConal *conal);

/* As sl_loss_crowd(); the share of the common confusion depends on the item, by difficulty[n][e],
 * whose gradient goes to difficulty_grad[n][e]. room[5 k + 3 e]. */
double sl_loss_conal (const SlConal *conal, const float *logits, const float *difficulty, gsize n,
                      const SlCrowdAnswers *answers, double scale, float *grad,
                      float *difficulty_grad, SlConal *slope, double *room);

/* Less WEIGHT × Σ_r |individual_r - common|, whose gradient is added to *SLOPE: it keeps the two
 * apart. */
double sl_conal_apart (const SlConal *conal, double weight, SlConal *slope);

/* p[k] <- what annotator R answers about the item with the logits z[k] and the difficulty d[e].
 * room[5 k + 3 e]. */
void sl_conal_predict (const SlConal *conal, const float *z, const float *d, gsize r, double *p,
                       double *room);
