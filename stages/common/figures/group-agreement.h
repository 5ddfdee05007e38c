/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far annotators of one group agree with one another, and with those of other groups.
 *
 * Any two answers to an item by two annotators are a pair. With D_w the mean distance of pairs
 * within groups, D_b that of pairs between two, m_k the answers of class k to items with a pair,
 * and M = Σ_k m_k,
 *   within 1 - D_w / D_e, between 1 - D_b / D_e,
 *   D_e = Σ_kl m_k (m_l - [k = l]) δ_kl / (M (M - 1)), δ_kl = [k ≠ l], or of values (v_k - v_l)².
 * Both are Krippendorff's alpha of such pairs; between two groups it is what Wong, Paritosh and
 * Aroyo (ACL 2021) call cross-replication reliability, and Prabhakaran et al. (GRASP, NAACL 2024)
 * compare the two. Of one group, within are pairs of its own annotators, between those of one of
 * them with somebody else's. Intervals are of items drawn again (resampling.h). The test of within
 * less between permutes the groups among annotators; p is (1 + n) / (1 + permutations), n being how
 * many have a difference as large, of either sign (Phipson and Smyth, Statistical Applications in
 * Genetics and Molecular Biology 9, 2010). */
#pragma once

#include "coefficient-intervals.h"

typedef struct
{
  const SlByItem *by;
  const gint32 *group; /* [n_annotators], from 0; -1: of none */
  gint32 n_groups;
  const double *value; /* [n_classes]; NULL: classes are names */
  gint64 permutations;
} SlGroups;

typedef struct
{
  SlCoefficientResult within, between, difference; /* n: pairs */
  double p;                                        /* of the difference; NaN: there is none */
} SlGroupFigures;

/* figure[n_groups + 1]: of each group, and last of all. */
void sl_group_agreement (const SlGroups *groups, const SlIntervalPlan *plan,
                         SlGroupFigures *figure);

/* About so many bytes that takes. */
gsize sl_group_agreement_bytes (const SlGroups *groups, const SlIntervalPlan *plan);
