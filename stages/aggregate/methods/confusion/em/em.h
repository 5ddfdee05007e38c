/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rounds that all methods with a confusion matrix for each annotator share: Dawid & Skene's EM
 * (Applied Statistics 28, 1979) and its variational relatives. An item's true state z is its class,
 * or its class and one of n_subtypes of it; annotator a, where the state is z, says x with
 * probability theta_a[z][x].
 *
 *     sums       c_a[z][x] = sum over answers x of a, with weight w, to items i: w T_i[z]
 *                total[z] = sum over items: T_i[z]
 *     maximised  log theta_a[z][x] = log (c_a[z][x] + p_a[z][x]) - log (their sum over x)
 *     or         E log theta_a[z][x] = digamma (c_a[z][x] + p_a[z][x]) - digamma (their sum)
 *     or         log E theta_a[z][x], which is the first with the p of the second
 *     labels     T_i[z] ~ exp (log prior[z] + sum over answers (a, x) to i: w log theta_a[z][x])
 *
 * p: pseudo-counts, of the method and of what is known beforehand of an annotator. One pass over
 * the answers makes the labels and adds them to the sums; weights and sums are tables
 * [cell][state], in which the states of an answer's cell lie side by side.
 *
 * Sums are taken over lanes, each a fixed range of items with a table of its own, and lanes are
 * added in order: the bytes depend on the data, not on threads. Where tables for all states
 * would outgrow the answers (many classes, or many annotators of few answers) the same is done
 * for a few classes after another, each annotator's sums gathered from the labels (em-wide.c). */
#pragma once

#include "pipeline/base/vector-math.h"
#include "stages/common/methods/posterior.h"
#include "packed-answers.h"

/* Log-weight of what cannot be: nothing finite brings it back, and no sum of it is infinite. */
#define SL_EM_NEVER -1e308

/* States whose labels stay in registers. */
#define SL_EM_NEAR 16

/* Items in a chunk, where those with equally many answers stand together. */
#define SL_EM_CHUNK 1024

typedef struct _SlEm SlEm;

struct _SlEm
{
  const SlItems *items;
  const SlMethodSettings *settings;
  SlLearned *learned;
  SlPackedAnswers packed;
  gint32 n_subtypes, n_states; /* states = classes × subtypes; state = class × subtypes + subtype */
  gint32 stride;               /* of tables: 2, or a multiple of 4 >= n_states */

  /* What a method says of theta and of the prior. */
  gboolean variational, logs; /* the table holds log-weights, not their exponentials */
  gboolean means;             /* where variational: log E theta, and no objective */
  double smoothing;           /* p, where not variational */
  double *base;               /* [n_classes answered][stride]: p, where variational */
  double *base_sum;           /* [stride]: over the answers */
  double *class_alpha;  /* [n_classes]: of their Dirichlet prior; NULL: their share is maximised */
  double subtype_alpha; /* of a class's subtypes */
  double off, more;     /* what sl_em_set_prior () was told */
  gint32 all_subtypes;  /* n_subtypes, before some stand for several (em-subtypes.c) */
  double *alike;        /* [stride]: how many subtypes each state stands for; NULL: 1 each */
  double heaviest;      /* weight of an answer */
  gboolean want_objective, want_change;
  double *crowd; /* [n_classes answered][stride]: sums over all annotators, for revise_base */

  /* A method's own steps; only weigh must be there, and is sl_em_weigh() to begin with. */
  void (*before_weights) (SlEm *em); /* where wide, while the table has no sums yet */
  void (*revise_base) (SlEm *em, gint32 first, gint32 states); /* between sums and weights */
  double (*weigh) (SlEm *em, gint32 a, double *rows, gint32 stride, gint32 first, gint32 states);
  gpointer data;

  double *log_prior, *prior; /* [stride]: log-weights; their exponentials */
  double *total;             /* [stride] */
  double *subtype_share;     /* [stride]: of a class's subtypes, its mean */
  double *class_total;       /* [n_classes] */
  double *class_log;         /* [n_classes]: log-weights */
  double *class_share;       /* [n_classes]: of the classes, its mean */
  double *table;      /* [n_cells][stride]: sums, then weights; [n_cells][block] where wide */
  gboolean long_rows; /* labels are not for registers: too long, or from logarithms */
  gint32 n_lanes;
  double *lane_table;  /* [n_lanes][n_cells][2][stride]: weights, the same in all; sums */
  gint32 batch;        /* items whose labels are made together, where rows are long */
  double *lane_labels; /* [n_lanes][batch][stride] */
  double *lane_row;    /* [n_lanes][3][stride, at least 4]: totals; scratch */
  double *lane_result; /* [n_lanes][2]: objective, largest change */
  gint32 *lane_start;  /* [n_lanes + 1]: chunks */

  gint32 block;        /* states at a time where wide; 0: not wide */
  gint64 *cell_first;  /* [n_cells + 1]: where wide, the answers of each cell: */
  gint32 *cell_item;   /* [n_answers] */
  double *cell_weight; /* [n_answers]; NULL: 1 each */
  float *last;         /* [n_items][n_classes]: labels of the last round, for want_change */

  double objective, change; /* of the last pass */
};

typedef enum
{
  SL_EM_START = 1 << 0,  /* the label is the share of the votes, not what the weights say */
  SL_EM_SUM = 1 << 1,    /* add the labels to the sums, for the next round */
  SL_EM_WRITE = 1 << 2,  /* write them to items->label */
  SL_EM_CHANGE = 1 << 3, /* compare them with items->label; goes with SL_EM_WRITE */
} SlEmPass;

gboolean sl_em_init (SlEm *em, const SlItems *items, const SlAnswers *answers,
                     const SlMethodSettings *settings, SlLearned *learned, gint32 n_subtypes,
                     gboolean variational, GError **error);
void sl_em_clear (SlEm *em);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlEm, sl_em_clear)

/* Makes the sums for the first round. Labels are the shares of the votes, or what
 * settings->start says of the annotators. Subtypes get Dirichlet (1, ..., 1) shares of their
 * class, drawn by DRAW. */
gboolean sl_em_start (SlEm *em, guint32 draw, GError **error);

/* The labels to start from, for methods with rounds of their own. */
gboolean sl_em_first_labels (const SlItems *items, const SlAnswers *answers,
                             const SlMethodSettings *settings, GError **error);

/* Rounds until the objective rises by less than TOLERANCE (want_change: until no label changes
 * by more), or ITERATIONS are done. Returns their number. */
gint64 sl_em_run (SlEm *em, gint64 iterations, double tolerance);

/* The prior's mean to em->learned, if it wants it. */
void sl_em_learn_prior (const SlEm *em);

/* A whole fit from the share of the votes. ROUNDS, TOLERANCE: unless the settings have others. */
gboolean sl_em_fit (SlEm *em, gint64 rounds, double tolerance, GError **error);

/* Pseudo-counts of a variational method: of a class, of an answer, and MORE for the right one. */
void sl_em_set_prior (SlEm *em, double class_alpha, double off, double more);

/* ---- shared by em*.c ---- */

/* What sl_em_set_prior () said of the annotators, for the states there are. */
void sl_em_fill_base (SlEm *em);

/* How many subtypes of a class it takes to tell apart those that differ. */
gint32 sl_em_needed_subtypes (const SlEm *em);

/* Goes on with so many; the sums are in the table, those of the lanes are 0. */
void sl_em_merge_subtypes (SlEm *em, gint32 n);

/* All subtypes, for another start. */
void sl_em_restore_subtypes (SlEm *em);

/* Tells em->learned that annotator A answers X in state Z with probability P. The first state of a
 * class sets the entry of the confusion matrix, the others add to it. */
void sl_em_report (const SlEm *em, gint32 a, gint32 state, gint32 x, double p);

/* A pass over the items of lane LANE. */
void sl_em_pass_lane (SlEm *em, gint32 lane, SlEmPass pass, guint32 draw);

/* The same for long rows. */
void sl_em_pass_long_lane (SlEm *em, gint32 lane, SlEmPass pass, guint32 draw);

/* Sums of annotator A over the lanes, which are cleared, to the table; weights of the table to
 * where the passes read them. */
void sl_em_add_lanes (SlEm *em, gint32 a);
void sl_em_copy_to_lanes (SlEm *em, gint32 a);

/* ROW[STRIDE] becomes exp (ROW), normalised; returns the logarithm of the sum. */
double sl_em_normalise (double *row, gint32 stride);

/* Sums -> weights in ROWS[cells of a][stride], for STATES states from FIRST on; returns their
 * part in the objective. */
double sl_em_weigh (SlEm *em, gint32 a, double *rows, gint32 stride, gint32 first, gint32 states);

/* Weights of the same states from settings->start; what is no number there counts as 0. */
void sl_em_weigh_start (SlEm *em, gint32 a, double *rows, gint32 stride, gint32 first,
                        gint32 states);

/* Before the first weights: what settings->start_prior says of the classes, in place of the
 * votes. */
void sl_em_start_prior (SlEm *em);

/* The prior's weights from em->total; returns its part in the objective. */
double sl_em_weigh_prior (SlEm *em);

typedef void (*SlEmEachItem) (SlEm *em, gint32 item, gint64 first, gint32 answers, gpointer data);

/* Calls EACH for every item of chunks FROM .. TO - 1, with the first of its answers and their
 * number. */
SL_INLINE void
sl_em_each_item (SlEm *em, gint32 from, gint32 to, SlEmEachItem each, gpointer data)
{
  const SlPackedAnswers *packed = &em->packed;
  for (gint32 c = from; c < to; c++)
    {
      const guint16 *item = packed->item + c * packed->chunk;
      gint64 answer = packed->start[c];
      for (gint64 s = packed->stretch_start[c]; s < packed->stretch_start[c + 1]; s++)
        for (gint32 i = 0; i < packed->stretch[s].items; i++, answer += packed->stretch[s].answers)
          each (em, c * packed->chunk + *item++, answer, packed->stretch[s].answers, data);
    }
}

gboolean sl_em_wide_init (SlEm *em, GError **error);
void sl_em_wide_round (SlEm *em);
gboolean sl_em_wide_start (SlEm *em, GError **error);
