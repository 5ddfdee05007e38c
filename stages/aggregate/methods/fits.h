/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The methods' functions, of which methods.c makes a table. */
#pragma once

#include "stages/common/methods/method.h"

/* From the sums of an item's votes alone. */
SlLabelling sl_label_mean, sl_label_counts, sl_label_softmax, sl_label_majority,
    sl_label_two_thirds, sl_label_median, sl_label_category;

/* From every answer, and who gave it: votes weighed by what annotators are worth, their abilities,
 * and models beside them. */
SlFitting sl_fit_wawa, sl_fit_zero_based_skill, sl_fit_gold_vote, sl_fit_iwmv, sl_fit_li_yu,
    sl_fit_pm, sl_fit_catd, sl_fit_zencrowd, sl_fit_plantnet, sl_fit_wds, sl_fit_glad, sl_fit_mace,
    sl_fit_kos, sl_fit_m_msr, sl_fit_bwa, sl_fit_la_two_pass, sl_fit_crowdlab, sl_fit_log_pool,
    sl_fit_soft_evidence, sl_fit_rating, sl_fit_auto;
extern const SlMethodStream sl_stream_la;

/* A confusion matrix for each annotator, and relatives of that. */
SlFitting sl_fit_dawid_skene, sl_fit_lfc, sl_fit_hierarchical_dawid_skene,
    sl_fit_hierarchical_means, sl_fit_one_coin, sl_fit_ibcc, sl_fit_ebcc, sl_fit_ptbcc;

/* How many tables of classes × classes these make. */
double sl_soft_evidence_tables (const SlAnswers *answers, gint32 n_classes);
double sl_rating_tables (const SlAnswers *answers, gint32 n_classes);
double sl_auto_tables (const SlAnswers *answers, gint32 n_classes);
