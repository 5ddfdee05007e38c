/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Labels as sure of themselves as they are right. Methods that take answers to be independent are
 * far too sure: answers to one item go wrong together. If any two of them correlate by ρ, n are
 * worth
 *   n / (1 + ρ (n - 1))
 * independent ones (the design effect of survey sampling: Kish, Survey Sampling, 1965), so
 *   p_ik ∝ p_ik^β_i,   β_i = γ / (1 + ρ (n_i - 1))
 * is what such a method should have said, with γ = 1. Shares of votes are not sure enough
 * instead: for them ρ = 0 and γ >= 1.
 *
 * Without gold, ρ or γ is chosen so that answers which the method has not seen are best
 * predicted: it is fitted without 15 in 100 of the answers, twice, and an answer l by a to item i
 * has the probability
 *   Σ_k p_ik θ_a[k][l],   θ_a[k][k] = accuracy of a for class k, the rest as the crowd errs,
 * all learned from the answers that were seen. Held-out answers come from the same crowd, so they
 * cannot tell of errors that all of it shares: the gold is farther off than they say. On real
 * sets with gold and on simulated crowds of many kinds, labels have the best log-likelihood at
 * about twice the ρ that predicts answers best, and at half the γ; and where items have few
 * answers, these hardly tell one ρ from another. So
 *   ρ = argmax L (ρ/2) / 10 - (log ρ/0.27)² / (2 × 0.5²),
 *   γ = max (γ'/2, 1),   γ' = argmax L (γ') / 10 - (log γ')² / 2,
 * L the log-probability of the held-out answers. Shares stay as they are where these speak for no
 * more than 2: on six real sets, four methods, one label of 24 was worse for it (bwa on dog: -log p
 * .484 for .471, with most seeds), none by the squared distance.
 *
 * With gold to go by (SlMethodSettings.fix_gold) the method is fitted once, not seeing it, and ρ is
 * argmax Σ log p_i,gold - (log ρ/0.27)² / (2 × 0.5²), γ likewise, around 1 by a factor of e. */
#pragma once

#include "method.h"

typedef gboolean (*SlMethodFit) (const SlItems *items, const SlAnswers *answers,
                                 const SlMethodSettings *settings, SlLearned *learned,
                                 GError **error);

typedef enum
{
  SL_CALIBRATE_POSTERIORS, /* of a method that multiplies up what answers say */
  SL_CALIBRATE_SHARES,     /* of votes, or other means of answers */
} SlCalibrate;

typedef struct
{
  double power;       /* γ */
  double seen_power;  /* γ' */
  double correlation; /* ρ */
  double predicted; /* mean log-probability of the held-out answers, or gold classes, at its best */
  /* ... how many there were; 0: nothing could be held out, and γ and ρ are the usual */
  gint64 n_predicted;
} SlCalibration;

/* Finds how the labels that FIT gives are to be calibrated. ITEMS' own labels stay as they are. */
gboolean sl_calibration_find (SlMethodFit fit, SlCalibrate kind, const SlItems *items,
                              const SlAnswers *answers, const SlMethodSettings *settings,
                              SlCalibration *calibration, GError **error);

/* Calibrates ITEMS' labels. Items with a gold class that is kept stay certain. */
void sl_calibration_apply (const SlCalibration *calibration, const SlItems *items,
                           const SlMethodSettings *settings);
