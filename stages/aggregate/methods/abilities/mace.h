/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the two steps of MACE share (mace.c). */
#pragma once

#include "stages/common/answers/answers-by-item.h"
#include "stages/common/methods/method.h"

/* s_a ξ_al and π_k are at least this. */
#define SL_MACE_LEAST 0x1p-500

typedef struct
{
  const SlItems *items;
  const SlByItem *by;
  const SlMethodSettings *settings;
  gsize n_classes, n_annotators;
  gboolean variational;
  double *spam;     /* [n_annotators][2]: s, 1 - s */
  double *strategy; /* [n_annotators][n_classes]: ξ */
  double *odds;     /* [n_annotators][n_classes]: 1 + (1 - s) / (s ξ) */
  double *gain;     /* [n_annotators][n_classes]: their logarithms */
  double *answered; /* [n_annotators][n_classes]: answers */
  double *named;    /* [n_parts][n_annotators][n_classes]: Σ γ_il */
  double *share;    /* [n_parts][n_classes]: Σ γ_ik */
  double *prior;    /* [n_classes]: π */
  double *log_prior;
  double likelihood[SL_MAX_PARTS]; /* [n_parts] */
  double *counts;                  /* [n_classes]: room for one annotator's expected counts */
} SlMace;

/* The E step: labels, and named[] and share[] of the first part; returns the log-likelihood. */
double sl_mace_weigh (SlMace *mace);
