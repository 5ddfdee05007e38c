/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The methods' functions, of which methods.c makes a table. */
#pragma once

#include "stages/common/methods/method.h"

/* From the sums of an item's votes alone. */
void sl_label_mean (const SlItems *items, const SlMethodSettings *settings);
void sl_label_counts (const SlItems *items, const SlMethodSettings *settings);
void sl_label_softmax (const SlItems *items, const SlMethodSettings *settings);
void sl_label_majority (const SlItems *items, const SlMethodSettings *settings);
void sl_label_two_thirds (const SlItems *items, const SlMethodSettings *settings);
void sl_label_category (const SlItems *items, const SlMethodSettings *settings);

/* From every answer, and who gave it: votes weighed by what annotators are worth, their abilities,
 * and models beside them. */
gboolean sl_fit_wawa (const SlItems *items, const SlAnswers *answers,
                      const SlMethodSettings *settings, SlLearned *learned, GError **error);
gboolean sl_fit_zero_based_skill (const SlItems *items, const SlAnswers *answers,
                                  const SlMethodSettings *settings, SlLearned *learned,
                                  GError **error);
gboolean sl_fit_gold_vote (const SlItems *items, const SlAnswers *answers,
                           const SlMethodSettings *settings, SlLearned *learned, GError **error);
gboolean sl_fit_iwmv (const SlItems *items, const SlAnswers *answers,
                      const SlMethodSettings *settings, SlLearned *learned, GError **error);
gboolean sl_fit_li_yu (const SlItems *items, const SlAnswers *answers,
                       const SlMethodSettings *settings, SlLearned *learned, GError **error);
gboolean sl_fit_pm (const SlItems *items, const SlAnswers *answers,
                    const SlMethodSettings *settings, SlLearned *learned, GError **error);
gboolean sl_fit_catd (const SlItems *items, const SlAnswers *answers,
                      const SlMethodSettings *settings, SlLearned *learned, GError **error);
gboolean sl_fit_zencrowd (const SlItems *items, const SlAnswers *answers,
                          const SlMethodSettings *settings, SlLearned *learned, GError **error);
gboolean sl_fit_plantnet (const SlItems *items, const SlAnswers *answers,
                          const SlMethodSettings *settings, SlLearned *learned, GError **error);
gboolean sl_fit_wds (const SlItems *items, const SlAnswers *answers,
                     const SlMethodSettings *settings, SlLearned *learned, GError **error);
gboolean sl_fit_glad (const SlItems *items, const SlAnswers *answers,
                      const SlMethodSettings *settings, SlLearned *learned, GError **error);
gboolean sl_fit_mace (const SlItems *items, const SlAnswers *answers,
                      const SlMethodSettings *settings, SlLearned *learned, GError **error);
gboolean sl_fit_kos (const SlItems *items, const SlAnswers *answers,
                     const SlMethodSettings *settings, SlLearned *learned, GError **error);
gboolean sl_fit_m_msr (const SlItems *items, const SlAnswers *answers,
                       const SlMethodSettings *settings, SlLearned *learned, GError **error);
gboolean sl_fit_bwa (const SlItems *items, const SlAnswers *answers,
                     const SlMethodSettings *settings, SlLearned *learned, GError **error);
gboolean sl_fit_la_two_pass (const SlItems *items, const SlAnswers *answers,
                             const SlMethodSettings *settings, SlLearned *learned, GError **error);
gboolean sl_fit_crowdlab (const SlItems *items, const SlAnswers *answers,
                          const SlMethodSettings *settings, SlLearned *learned, GError **error);
gboolean sl_fit_log_pool (const SlItems *items, const SlAnswers *answers,
                          const SlMethodSettings *settings, SlLearned *learned, GError **error);
gboolean sl_fit_soft_evidence (const SlItems *items, const SlAnswers *answers,
                               const SlMethodSettings *settings, SlLearned *learned,
                               GError **error);
/* How many tables of classes × classes it makes. */
double sl_soft_evidence_tables (const SlAnswers *answers, gint32 n_classes);
gboolean sl_fit_auto (const SlItems *items, const SlAnswers *answers,
                      const SlMethodSettings *settings, SlLearned *learned, GError **error);
double sl_auto_tables (const SlAnswers *answers, gint32 n_classes);
extern const SlMethodStream sl_stream_la;

/* A confusion matrix for each annotator, and relatives of that. */
gboolean sl_fit_dawid_skene (const SlItems *items, const SlAnswers *answers,
                             const SlMethodSettings *settings, SlLearned *learned, GError **error);
gboolean sl_fit_lfc (const SlItems *items, const SlAnswers *answers,
                     const SlMethodSettings *settings, SlLearned *learned, GError **error);
gboolean sl_fit_soft_dawid_skene (const SlItems *items, const SlAnswers *answers,
                                  const SlMethodSettings *settings, SlLearned *learned,
                                  GError **error);
gboolean sl_fit_hierarchical_dawid_skene (const SlItems *items, const SlAnswers *answers,
                                          const SlMethodSettings *settings, SlLearned *learned,
                                          GError **error);
gboolean sl_fit_hierarchical_means (const SlItems *items, const SlAnswers *answers,
                                    const SlMethodSettings *settings, SlLearned *learned,
                                    GError **error);
gboolean sl_fit_one_coin (const SlItems *items, const SlAnswers *answers,
                          const SlMethodSettings *settings, SlLearned *learned, GError **error);
gboolean sl_fit_ibcc (const SlItems *items, const SlAnswers *answers,
                      const SlMethodSettings *settings, SlLearned *learned, GError **error);
gboolean sl_fit_ebcc (const SlItems *items, const SlAnswers *answers,
                      const SlMethodSettings *settings, SlLearned *learned, GError **error);
gboolean sl_fit_ptbcc (const SlItems *items, const SlAnswers *answers,
                       const SlMethodSettings *settings, SlLearned *learned, GError **error);
