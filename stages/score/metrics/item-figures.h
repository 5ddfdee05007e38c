/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can be said of one item: how its prediction p lies to its target t and to its class y.
 * Metrics are means and other functions of these. */
#pragma once

#include <glib.h>

/* Natural logarithms, 0 log 0 = 0, ties go to the first class. NaN: the item does not have it. */
typedef enum
{
  SL_FIGURE_CROSS_ENTROPY,        /* -Σ t log p */
  SL_FIGURE_KL,                   /* Σ t log (t / p) */
  SL_FIGURE_JS,                   /* H (m) - H (p) / 2 - H (t) / 2, m = (p + t) / 2 */
  SL_FIGURE_BRIER,                /* Σ (p - t)² */
  SL_FIGURE_L1,                   /* Σ |p - t| */
  SL_FIGURE_W_VALUES,             /* Σ |sorted p - sorted t| / K */
  SL_FIGURE_W_LINE,               /* Σ |cumulated p - cumulated t| */
  SL_FIGURE_W_COST,               /* least cost of moving p to t */
  SL_FIGURE_RPS,                  /* Σ (cumulated p - cumulated t)² */
  SL_FIGURE_CRPS,                 /* the same, each times the way to the next class's value v */
  SL_FIGURE_TARGET_VALUE,         /* Σ t v */
  SL_FIGURE_VALUE_ERROR,          /* |Σ p v - Σ t v| */
  SL_FIGURE_VALUE_SQUARE,         /* and its square */
  SL_FIGURE_SHARED_CROSS_ENTROPY, /* -Σ t log (clip (p) + 1e-9) */
  SL_FIGURE_SHARED_MANHATTAN,     /* Σ |p - t|, rounded to 5 decimals */
  SL_FIGURE_SHARED_WASSERSTEIN,   /* Σ |cumulated p - cumulated t|, likewise */
  SL_FIGURE_TARGET_ENTROPY,       /* H (t) */
  SL_FIGURE_SAME_FIRST,           /* whether p and t have the same largest class */
  SL_FIGURE_SAME_TWO,             /* whether they have the same two largest classes, in any order */
  SL_FIGURE_SECOND_BEST,          /* whether they have the same second largest class */
  SL_FIGURE_LOG_LOSS,             /* -log p_y */
  SL_FIGURE_CORRECT,              /* whether p is largest at y */
  SL_FIGURE_TOP_TWO,              /* whether y is one of p's two largest */
  SL_FIGURE_CLASS,                /* y */
  SL_FIGURE_ANSWER,               /* where p is largest */
  SL_FIGURE_CONFIDENCE,           /* max p */
  SL_FIGURE_ENTROPY,              /* H (p) */
  SL_FIGURE_SUPPORT,              /* classes with p > 0 */
  SL_FIGURE_FEW,                  /* whether those are at most two */
  SL_FIGURE_SQUARES,              /* Σ p² */
  SL_FIGURE_VALUE,                /* Σ p v */
  SL_FIGURE_LOSS,                 /* what an attack has raised, as the table says */
  SL_FIGURE_FIRST_PERCENT,        /* of an answer: what its first class was given; and its second */
  SL_FIGURE_SECOND_PERCENT,
  SL_FIGURE_CERTAIN,   /* whether the first was given 100 */
  SL_FIGURE_NO_SECOND, /* whether no second class was named */
  SL_FIGURE_POSSIBLE,  /* classes that are not ruled out */
  SL_FIGURE_ITEM,      /* its number; the caller's to set */
  SL_N_FIGURES,
} SlFigure;

#define SL_FIGURE_BIT(figure) (G_GUINT64_CONSTANT (1) << (figure))

/* Which items have a second class to be right about (SL_FIGURE_SECOND_BEST). */
typedef enum
{
  SL_SECOND_UNTIED,       /* those whose second largest t is above 0, and equal to no other */
  SL_SECOND_BEHIND_FIRST, /* of those, the ones whose first class is right */
  SL_SECOND_ANY,          /* all; ties go to the first class */
  SL_SECOND_WRONG,        /* those where p's first class is not t's, which its second may be */
} SlSecondBest;

typedef struct
{
  gint64 n;
  gint32 n_classes;
  const double *prob;  /* [n][n_classes] */
  const double *logit; /* [n][n_classes]: where there are some, log p is taken from them; or NULL */
  const double *target; /* [n][n_classes]; NULL where no figure of targets is wanted */
  const gint32 *gold;   /* [n]: y, -1: not known; NULL where no figure of classes is wanted */
  const double *loss;   /* [n]; or NULL */
  const double *cost;   /* [n_classes][n_classes] from, to; or NULL */
  const double *value;  /* [n_classes]: v, what ordered classes stand for; or NULL */
  double clip;          /* p is taken to [clip, 1 - clip] before its logarithm; 0: it is not */
  SlSecondBest second;
} SlItemBlock;

/* out[figure][n] of those whose bits WANTED has. Any thread. */
void sl_item_figures (const SlItemBlock *block, guint64 wanted, double *const *out);

/* Takes from FIGURE, of N items, what is said of targets where GOLD is -1: an item without a gold
 * class has no target either, where gold is all there is to compare with. */
void sl_figures_forget_targets (double *const *figure, guint64 wanted, const gint32 *gold,
                                gint64 n);

/* target[n][n_classes] <- gold classes, where there is nothing else; zeros where GOLD is -1. */
void sl_gold_targets (const gint32 *gold, gint64 n, gint32 n_classes, double *target);
