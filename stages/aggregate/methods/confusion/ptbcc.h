/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of ptbcc.c share. */
#pragma once

#include "stages/aggregate/methods/confusion/em/em.h"

#define SL_PTBCC_LANES 16

typedef struct
{
  const SlItems *items;
  const SlMethodSettings *settings;
  SlLearned *learned;
  SlPackedAnswers packed;
  gint32 stride; /* n_classes and what fills up a vector */
  gint32 n_lanes, lane_start[SL_PTBCC_LANES + 1];
  gint32 most_answers;
  double *odds;              /* [n_cells]: W_a[0] - W_a[1] */
  double *cell_count;        /* [n_cells]: answers */
  double *log_prior, *share; /* [stride] */
  double *class_alpha;       /* [stride]: priors; */
  double *phi_alpha;         /* [2][n_classes answered][stride]; */
  double *mix_alpha;         /* [n_annotators][2] */
  double *log_phi;           /* [2][n_classes answered][stride]: L_g */
  double *phi;               /* likewise, the mean */
  double *lane_phi;          /* [n_lanes][2][n_classes answered][stride]: sum of T r */
  double *lane_mix;          /* [n_lanes][n_cells]: sum of r[0] */
  double *lane_row;          /* [n_lanes][3 stride + most_answers + 4]: sum of labels; scratch */
  double lane_result[SL_PTBCC_LANES][2]; /* objective, largest change */
  enum
  {
    SL_PTBCC_PRIORS, /* labels stay; in place of r_j, T_i[x_j], of which all priors are made */
    SL_PTBCC_FIRST,  /* labels stay; r_j ~ t_j */
    SL_PTBCC_ROUND,
  } stage;
} SlPtbcc;

/* v_g[k][k], and v_g[k][x] for other x. */
void sl_ptbcc_prototype (gint32 g, gint32 n_classes, double *right, double *wrong);

/* A pass over the items of lane LANE: a task for sl_parallel(). */
void sl_ptbcc_pass_lane (int lane, gpointer model);

/* From the sums of a pass: all priors; or weights, and the Dirichlets' part in the objective. */
void sl_ptbcc_set_priors (SlPtbcc *model);
double sl_ptbcc_weigh (SlPtbcc *model);
