/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Losses of annotators' own answers: what a network says of an item goes through what is learned of
 * each annotator. */
#pragma once

#include "stages/common/network/softmax.h"

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
  const gint32 *annotator;
  const float *said;  /* [answers][k]: a class, or how likely each is */
  const float *count; /* identical answers */
} SlCrowdAnswers;

/* -Σ_c t[c] log softmax (u)[c] of the answer t[k]; u[k] becomes SCALE times its gradient. */
double sl_answer_loss (double *u, const float *t, gsize k, double scale);

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

/* ---- confused.c: what is true, and what is said instead ---- */

/* The answer t[k] of somebody who answers c with probability Σ_j p[j] CONFUSION[j][c]: returns its
 * loss. w[k][k] <- t[c] times the probability of j, given that c was answered; s[k] <- its sums
 * over c. */
double sl_loss_confused (const double *p, const double *confusion, const float *t, gsize k,
                         double *w, double *s);

/* p[k] <- Σ_j p[j] CONFUSION[j][c], of sum 1. */
void sl_confuse (const double *p, const double *confusion, gsize k, double *out);

/* ---- annot-mix.c ---- */

/* Rows of answers about items with the logits z[n][k]: annotators' confusions have the logits
 * v[n][k][k]; what they answered is said[n][k]. Returns Σ of the answers' losses; grad[n][k] and
 * v_grad[n][k][k], or NULL both, <- SCALE times its gradient. room[k + 2 k k]. */
double sl_loss_annot_mix (const float *logits, const float *v, const float *said, gsize n, gsize k,
                          double scale, float *grad, float *v_grad, double *room);

/* ---- geo-reg.c ---- */

/* As sl_loss_crowd(): annotators' confusions have the logits v[annotators][k][k], whose gradient is
 * added to v_grad. WEIGHT: of the volume's part, for each answer. room[2 k k + 2 k + 2 n k]. */
double sl_loss_geo_reg (const float *logits, const float *v, gsize n, gsize k,
                        const SlCrowdAnswers *answers, double weight, double scale, float *grad,
                        float *v_grad, double *room);

/* ---- union.c ---- */

/* As sl_loss_crowd(): T = softmax of v[annotators k][k] over its rows. room[annotators k k + k k +
 * 4 k]. */
double sl_loss_union (const float *logits, const float *v, gsize n_annotators, gsize n, gsize k,
                      const SlCrowdAnswers *answers, double scale, float *grad, float *v_grad,
                      double *room);

/* t[rows][k] <- softmax of v[rows][k] over its rows. */
void sl_union_transitions (const float *v, gsize rows, gsize k, double *t);
