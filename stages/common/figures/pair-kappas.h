/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cohen's kappa (Educational and Psychological Measurement 20, 1960; weighted: Psychological
 * Bulletin 70, 1968) and Scott's pi (Public Opinion Quarterly 19, 1955) of two annotators, over the
 * items that both have answered: with n_kl items that the first says are k and the second l, n in
 * all, and w_kl the distance of classes k and l,
 *   1 - Σ_kl w_kl n_kl / n / Σ_kl w_kl e_kl,
 * kappa: e_kl = n_k. n_.l / n²; pi: e_kl = (n_k. + n_.k) (n_l. + n_.l) / (4 n²).
 * w_kl: [k ≠ l]; |v_k - v_l| (linear); its square (quadratic). Who has answered an item several
 * times has several answers to it, which count as one together. */
#pragma once

#include "stages/common/answers/answers-by-item.h"

/* An item that both annotators have answered; of several answers, two of them. */
typedef struct
{
  gint32 other; /* the second annotator */
  gint32 item;
  gint32 first_class, second_class;
  double weight; /* what it counts */
} SlPairCell;

/* Calls VISIT for each two annotators with an item in common, FIRST < SECOND, with all their CELLS
 * in the order of items. Takes no more room than the pairs of one annotator do. */
void sl_pairs_each (const SlByItem *by,
                    void (*visit) (gint32 first, gint32 second, const SlPairCell *cells, gsize n,
                                   gpointer data),
                    gpointer data);

/* How many cells there are, of all pairs. */
double sl_pairs_cells (const SlByItem *by);

enum
{
  SL_PAIR_KAPPA,
  SL_PAIR_LINEAR,
  SL_PAIR_QUADRATIC,
  SL_PAIR_PI,
  SL_N_PAIR_FIGURES,
};

/* The table of two annotators' answers, by its margins. */
typedef struct
{
  gint32 n_classes;
  const double *value; /* [n_classes]; NULL: they stand for nothing */
  double *row, *column;
  double n, agreed, linear, quadratic;
} SlPairTable;

void sl_pair_table_init (SlPairTable *table, gint32 n_classes, const double *value);
void sl_pair_table_clear (SlPairTable *table);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlPairTable, sl_pair_table_clear)

void sl_pair_table_add (SlPairTable *table, const SlPairCell *cell, double times);

/* Takes off all of CELLS[n], and what rounding leaves of them. */
void sl_pair_table_empty (SlPairTable *table, const SlPairCell *cells, gsize n);

/* figure[SL_N_PAIR_FIGURES]; NaN: both always say one class, or weighted, of mere names. */
void sl_pair_figures (const SlPairTable *table, double *figure);

/* The standard error of figures[SL_N_PAIR_FIGURES] of CELLS, which TABLE has, by leaving each item
 * out in turn: the jackknife (Efron & Stein, Annals of Statistics 9, 1981). */
void sl_pair_errors (SlPairTable *table, const SlPairCell *cells, gsize n, double *error);
