/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fits.h"

#include <string.h>

/* What most methods that go round and round have. */
#define EM                                                                                         \
  SL_METHOD_ITERATIONS | SL_METHOD_TOLERANCE | SL_METHOD_SMOOTHING | SL_METHOD_PRIOR               \
      | SL_METHOD_START | SL_METHOD_POSTERIORS
#define ROUNDS SL_METHOD_ITERATIONS | SL_METHOD_TOLERANCE

/* name, summary, flags, functions */
#define METHODS(ROW)                                                                               \
  ROW ("mean", "the mean of the labels", SL_METHOD_LOCAL | SL_METHOD_SHARES,                       \
       .label = sl_label_mean)                                                                     \
  ROW ("counts", "the share of the votes", SL_METHOD_LOCAL | SL_METHOD_SHARES,                     \
       .label = sl_label_counts)                                                                   \
  ROW ("softmax", "the softmax of the numbers of votes",                                           \
       SL_METHOD_LOCAL | SL_METHOD_TEMPERATURE | SL_METHOD_ROUND, .label = sl_label_softmax)       \
  ROW ("majority", "the class with most votes", SL_METHOD_LOCAL | SL_METHOD_TIES,                  \
       .label = sl_label_majority)                                                                 \
  ROW ("two-thirds", "the class with two thirds of two votes or more; other items are left out",   \
       SL_METHOD_LOCAL | SL_METHOD_ABSTAINS, .label = sl_label_two_thirds)                         \
  ROW ("median", "the median of the votes, of ordered classes",                                    \
       SL_METHOD_LOCAL | SL_METHOD_ORDERED, .label = sl_label_median)                              \
  ROW ("category", "the mean label of all items of the gold class", SL_METHOD_GOLD,                \
       .label = sl_label_category)                                                                 \
  ROW ("dawid-skene", "a confusion matrix for each annotator, by EM",                              \
       EM | SL_METHOD_SHARDS | SL_METHOD_SPENDS | SL_METHOD_ASKED, .fit = sl_fit_dawid_skene)      \
  ROW ("lfc", "dawid-skene with Dirichlet priors on the matrices",                                 \
       EM | SL_METHOD_SHARDS | SL_METHOD_SPENDS | SL_METHOD_ASKED, .fit = sl_fit_lfc)              \
  ROW ("one-coin", "one accuracy for each annotator, by EM",                                       \
       EM | SL_METHOD_SHARDS | SL_METHOD_SPENDS | SL_METHOD_ASKED, .fit = sl_fit_one_coin)         \
  ROW ("hierarchical-dawid-skene", "confusion matrices that lean on the crowd's",                  \
       EM | SL_METHOD_SHARDS | SL_METHOD_WEIGHTS | SL_METHOD_SPENDS | SL_METHOD_ASKED,             \
       .fit = sl_fit_hierarchical_dawid_skene, .squares = 2)                                       \
  ROW ("wawa", "the vote, weighted by agreement with the vote", SL_METHOD_SHARES,                  \
       .fit = sl_fit_wawa)                                                                         \
  ROW ("zero-based-skill", "the vote, weighted by skills learned from it by turns",                \
       ROUNDS | SL_METHOD_SHARES, .fit = sl_fit_zero_based_skill)                                  \
  ROW ("iwmv", "the vote, weighted by accuracy against it, round by round",                        \
       SL_METHOD_ITERATIONS | SL_METHOD_SHARES, .fit = sl_fit_iwmv)                                \
  ROW ("li-yu", "iwmv, weighted by how far accuracy is above chance",                              \
       SL_METHOD_ITERATIONS | SL_METHOD_SHARES, .fit = sl_fit_li_yu)                               \
  ROW ("pm", "the vote, in which those weigh more who differ less from it",                        \
       SL_METHOD_ITERATIONS | SL_METHOD_SHARES, .fit = sl_fit_pm)                                  \
  ROW ("catd", "the vote, weighted by a bound on each annotator's errors",                         \
       SL_METHOD_ITERATIONS | SL_METHOD_SMOOTHING | SL_METHOD_SHARES, .fit = sl_fit_catd)          \
  ROW ("plantnet", "the vote, weighted by how many classes an annotator knows",                    \
       SL_METHOD_ITERATIONS | SL_METHOD_SHARES, .fit = sl_fit_plantnet)                            \
  ROW ("wds", "the vote, weighted by the diagonals of dawid-skene's matrices",                     \
       ROUNDS | SL_METHOD_SMOOTHING | SL_METHOD_SHARES, .fit = sl_fit_wds)                         \
  ROW ("zencrowd", "one accuracy for each annotator, by EM, classes equally likely",               \
       ROUNDS | SL_METHOD_SMOOTHING | SL_METHOD_POSTERIORS | SL_METHOD_START | SL_METHOD_SHARDS    \
           | SL_METHOD_EVEN,                                                                       \
       .fit = sl_fit_zencrowd)                                                                     \
  ROW ("gold-vote", "the vote, weighted by accuracy on items with gold",                           \
       SL_METHOD_SMOOTHING | SL_METHOD_SHARES, .fit = sl_fit_gold_vote)                            \
  ROW ("glad", "annotators' abilities and items' difficulties",                                    \
       ROUNDS | SL_METHOD_POSTERIORS | SL_METHOD_START | SL_METHOD_SHARDS | SL_METHOD_EVEN,        \
       .fit = sl_fit_glad)                                                                         \
  ROW ("mace", "annotators who know, or spam in a way of their own",                               \
       ROUNDS | SL_METHOD_SMOOTHING | SL_METHOD_RESTARTS | SL_METHOD_START | SL_METHOD_SEEDED      \
           | SL_METHOD_POSTERIORS,                                                                 \
       .fit = sl_fit_mace)                                                                         \
  ROW ("kos", "messages between items and annotators; two classes",                                \
       SL_METHOD_ITERATIONS | SL_METHOD_SEEDED | SL_METHOD_POSTERIORS, .fit = sl_fit_kos)          \
  ROW ("m-msr", "skills from who agrees with whom",                                                \
       ROUNDS | SL_METHOD_POSTERIORS | SL_METHOD_PAIRS, .fit = sl_fit_m_msr)                       \
  ROW ("rating",                                                                                   \
       "of ordered classes: a place for each item, and a bias, spread and discrimination for "     \
       "each annotator, by EM",                                                                    \
       ROUNDS | SL_METHOD_ORDERED | SL_METHOD_POSTERIORS | SL_METHOD_ASKED | SL_METHOD_NEXT,       \
       .fit = sl_fit_rating, .tables = sl_rating_tables)                                           \
  ROW ("ibcc", "dawid-skene, Bayesian",                                                            \
       EM | SL_METHOD_SHARDS | SL_METHOD_WEIGHTS | SL_METHOD_DISTINCT | SL_METHOD_ASKED,           \
       .fit = sl_fit_ibcc, .squares = 1)                                                           \
  ROW ("bwa", "the mean of the answers, weighted by precision", ROUNDS | SL_METHOD_SHARES,         \
       .fit = sl_fit_bwa)                                                                          \
  ROW ("ebcc", "ibcc with kinds of items on which annotators err alike",                           \
       EM | SL_METHOD_RESTARTS | SL_METHOD_SEEDED | SL_METHOD_ASKED, .fit = sl_fit_ebcc,           \
       .squares = 10)                                                                              \
  ROW ("la", "the vote, weighted by running accuracies, as items pass",                            \
       SL_METHOD_ITERATIONS | SL_METHOD_SEEDED, .fit = sl_fit_la_two_pass,                         \
       .stream = &sl_stream_la)                                                                    \
  ROW ("ptbcc", "annotators as mixtures of two shared confusion matrices",                         \
       ROUNDS | SL_METHOD_START | SL_METHOD_POSTERIORS | SL_METHOD_ASKED, .fit = sl_fit_ptbcc,     \
       .squares = 10)                                                                              \
  ROW ("crowdlab", "annotators together with a model's predictions",                               \
       SL_METHOD_PREDICTIONS | SL_METHOD_SHARES, .fit = sl_fit_crowdlab)                           \
  ROW ("soft-dawid-skene", "dawid-skene of answers that are distributions",                        \
       EM | SL_METHOD_SHARDS | SL_METHOD_SOFT, .fit = sl_fit_dawid_skene)                          \
  ROW ("log-pool", "the normalised geometric mean of the labels",                                  \
       SL_METHOD_SOFT | SL_METHOD_SMOOTHING | SL_METHOD_ANONYMOUS, .fit = sl_fit_log_pool)         \
  ROW ("soft-evidence", "soft answers as evidence, whose strength is learned",                     \
       ROUNDS | SL_METHOD_SOFT | SL_METHOD_PERCENTS | SL_METHOD_ASKED | SL_METHOD_NEXT,            \
       .fit = sl_fit_soft_evidence, .tables = sl_soft_evidence_tables)                             \
  ROW ("auto",                                                                                     \
       "a calibrated pool of four methods, or of soft answers soft-evidence; a good choice where " \
       "you know none",                                                                            \
       SL_METHOD_SEEDED | SL_METHOD_SOFT | SL_METHOD_PERCENTS | SL_METHOD_ASKED                    \
           | SL_METHOD_SAMPLED,                                                                    \
       .fit = sl_fit_auto, .tables = sl_auto_tables)

#define METHOD(name, ...) { name, __VA_ARGS__ },
#define NAME(name, ...) name,
#define SUMMARY(name, summary, ...) summary,
#define FLAGS(name, summary, flags, ...) flags,

const SlMethod sl_methods[] = { METHODS (METHOD) };
const char *const sl_method_names[] = { METHODS (NAME) NULL };
const char *const sl_method_summaries[] = { METHODS (SUMMARY) NULL };
const guint32 sl_method_traits[] = { METHODS (FLAGS) };

const SlMethod *
sl_method_find (const char *name)
{
  for (const SlMethod *method = sl_methods; method < sl_methods + G_N_ELEMENTS (sl_methods);
       method++)
    if (strcmp (method->name, name) == 0)
      return method;
  return NULL;
}
