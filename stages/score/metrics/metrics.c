/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every metric. In definitions p is the prediction, t the target, y the class (gold with --gold,
 * else the largest of t), K the number of classes, H the entropy; logarithms are natural, 0 log 0 =
 * 0, and ties go to the first class. */
#include "metrics.h"

#include <math.h>
#include <string.h>

#define BIT(name) SL_FIGURE_BIT (SL_FIGURE_##name)

/* A mean over items. */
#define MEAN(figure_name)                                                                          \
  .figures = BIT (figure_name), .value = sl_metric_mean, .figure = SL_FIGURE_##figure_name

/* The share of items that a figure is 1 of, not 0. */
#define SHARE(figure_name) MEAN (figure_name), .formula = &sl_formula_wilson

/* Figures that resamples do not tell the error of. */
#define EXTREME .no_interval = "no interval: resamples do not tell how far an extreme may be off"
#define CHANCE .no_interval = "no interval: chance alone makes it larger; ece_rms_debiased has one"

/* Items counted by a figure, in bins of a width. */
#define HISTOGRAM(figure_name, width)                                                              \
  .figures = BIT (figure_name), .figure = SL_FIGURE_##figure_name, .factor = width

#define ANSWERS (BIT (ITEM) | BIT (CLASS) | BIT (ANSWER))
#define SURE (BIT (CONFIDENCE) | BIT (CORRECT))
#define CALIBRATION SL_METRIC_CLASS | SL_METRIC_ORDER | SL_METRIC_SHARE

#define METRICS(ROW)                                                                               \
  /* ---- the class ---- */                                                                        \
  ROW ("accuracy", "share of items whose p is largest at y",                                       \
       SL_METRIC_SHARE | SL_METRIC_DEFAULT | SL_METRIC_CLASS, SHARE (CORRECT))                     \
  ROW ("top2_accuracy", "share of items whose y is one of the two largest of p",                   \
       SL_METRIC_SHARE | SL_METRIC_DEFAULT | SL_METRIC_CLASS, SHARE (TOP_TWO))                     \
  ROW ("second_best_accuracy",                                                                     \
       "share of items whose second largest class is the same in p and t, over the items that "    \
       "--second-best says",                                                                       \
       SL_METRIC_SHARE | SL_METRIC_DEFAULT | SL_METRIC_SOFT, SHARE (SECOND_BEST))                  \
  ROW ("balanced_accuracy", "mean over the classes y of the accuracy of their items",              \
       SL_METRIC_SHARE | SL_METRIC_CLASS, .figures = BIT (CLASS) | BIT (ANSWER),                   \
       .value = sl_metric_balanced_accuracy, .formula = &sl_formula_mean_of_shares)                \
  ROW ("macro_f1",                                                                                 \
       "mean over the classes that are y or largest in p of 2 right / (items of it "               \
       "+ items said to be)",                                                                      \
       SL_METRIC_SHARE | SL_METRIC_CLASS, .figures = BIT (CLASS) | BIT (ANSWER),                   \
       .value = sl_metric_macro_f1)                                                                \
  ROW ("worst_class_accuracy", "least over the classes y of the accuracy of their items",          \
       SL_METRIC_SHARE | SL_METRIC_CLASS, .figures = BIT (CLASS) | BIT (ANSWER),                   \
       .value = sl_metric_worst_class_accuracy, EXTREME)                                           \
  ROW ("kappa", "Cohen's kappa of y and the largest class of p",                                   \
       SL_METRIC_SHARE | SL_METRIC_SIGNED | SL_METRIC_CLASS,                                       \
       .figures = BIT (CLASS) | BIT (ANSWER), .value = sl_metric_kappa)                            \
  ROW ("mcc", "Matthews's correlation of y and the largest class of p, of any number of classes",  \
       SL_METRIC_SHARE | SL_METRIC_SIGNED | SL_METRIC_CLASS,                                       \
       .figures = BIT (CLASS) | BIT (ANSWER), .value = sl_metric_mcc)                              \
  ROW ("precision", "a row a class: share of the items said to be it that are",                    \
       SL_METRIC_SHARE | SL_METRIC_CLASS | SL_METRIC_BY_CLASS,                                     \
       .figures = BIT (CLASS) | BIT (ANSWER), .value = sl_metric_precision)                        \
  ROW ("recall", "a row a class: share of its items that are said to be it",                       \
       SL_METRIC_SHARE | SL_METRIC_CLASS | SL_METRIC_BY_CLASS,                                     \
       .figures = BIT (CLASS) | BIT (ANSWER), .value = sl_metric_recall)                           \
  ROW ("f1", "a row a class: 2 right / (items of it + items said to be)",                          \
       SL_METRIC_SHARE | SL_METRIC_CLASS | SL_METRIC_BY_CLASS,                                     \
       .figures = BIT (CLASS) | BIT (ANSWER), .value = sl_metric_f1)                               \
  ROW ("auroc",                                                                                    \
       "area under the ROC curve: how often an item of a class has more p of it than another, "    \
       "ties half; of two classes, else the mean over classes against the rest",                   \
       SL_METRIC_SHARE | SL_METRIC_CLASS | SL_METRIC_RANKED, .figures = BIT (CLASS),               \
       .value = sl_metric_auroc)                                                                   \
  ROW ("class_auroc", "a row a class: the same of it against the rest",                            \
       SL_METRIC_SHARE | SL_METRIC_CLASS | SL_METRIC_RANKED | SL_METRIC_BY_CLASS,                  \
       .figures = BIT (CLASS), .value = sl_metric_auroc)                                           \
  ROW ("average_precision",                                                                        \
       "Σ (recall - recall before) precision over the thresholds of p; of two classes that of "   \
       "the second, else the mean over classes against the rest",                                  \
       SL_METRIC_SHARE | SL_METRIC_CLASS | SL_METRIC_RANKED, .figures = BIT (CLASS),               \
       .value = sl_metric_average_precision)                                                       \
  ROW ("class_average_precision", "a row a class: the same of it against the rest",                \
       SL_METRIC_SHARE | SL_METRIC_CLASS | SL_METRIC_RANKED | SL_METRIC_BY_CLASS,                  \
       .figures = BIT (CLASS), .value = sl_metric_average_precision)                               \
  /* ---- ordered classes, which stand for values v ---- */                                        \
  ROW ("mae", "of ordered classes: mean of |Σ p v - Σ t v|",                                       \
       SL_METRIC_DEFAULT | SL_METRIC_TARGET | SL_METRIC_ORDERED, MEAN (VALUE_ERROR))               \
  ROW ("rmse", "of ordered classes: sqrt of the mean of (Σ p v - Σ t v)²",                         \
       SL_METRIC_DEFAULT | SL_METRIC_TARGET | SL_METRIC_ORDERED, .figures = BIT (VALUE_SQUARE),    \
       .value = sl_metric_rmse)                                                                    \
  ROW ("rps", "ranked probability score: mean of Σ (cumulated p - cumulated t)²",                  \
       SL_METRIC_DEFAULT | SL_METRIC_TARGET | SL_METRIC_ORDERED, MEAN (RPS))                       \
  ROW ("crps", "continuous ranked probability score: the same, each times the way to the next v",  \
       SL_METRIC_TARGET | SL_METRIC_ORDERED, MEAN (CRPS))                                          \
  ROW ("spearman", "of ordered classes: Spearman's correlation of Σ p v and Σ t v, ties halfway",  \
       SL_METRIC_SHARE | SL_METRIC_SIGNED | SL_METRIC_DEFAULT | SL_METRIC_TARGET                   \
           | SL_METRIC_ORDERED,                                                                    \
       .figures = BIT (VALUE) | BIT (TARGET_VALUE), .value = sl_metric_spearman)                   \
  ROW ("quadratic_kappa",                                                                          \
       "of ordered classes: Cohen's kappa of y and the largest class of p, weighted by (v - v)²",  \
       SL_METRIC_SHARE | SL_METRIC_SIGNED | SL_METRIC_DEFAULT | SL_METRIC_CLASS                    \
           | SL_METRIC_ORDERED,                                                                    \
       .figures = BIT (CLASS) | BIT (ANSWER), .value = sl_metric_quadratic_kappa)                  \
  ROW ("log_loss", "mean of -log p_y", SL_METRIC_DEFAULT | SL_METRIC_CLASS, MEAN (LOG_LOSS))       \
  ROW ("worst_class_log_loss", "largest over the classes y of the mean -log p_y of their items",   \
       SL_METRIC_CLASS, .figures = BIT (CLASS) | BIT (LOG_LOSS),                                   \
       .value = sl_metric_worst_class_cross_entropy, EXTREME)                                      \
  /* ---- the distribution ---- */                                                                 \
  ROW ("cross_entropy", "mean of -Σ t log p; with logits, log p is that of their softmax",         \
       SL_METRIC_DEFAULT | SL_METRIC_SOFT | SL_METRIC_BETWEEN, MEAN (CROSS_ENTROPY))               \
  ROW ("kl", "mean of Σ t log (t / p)", SL_METRIC_DEFAULT | SL_METRIC_SOFT | SL_METRIC_BETWEEN,    \
       MEAN (KL))                                                                                  \
  ROW ("js", "mean of H ((p + t) / 2) - H (p) / 2 - H (t) / 2",                                    \
       SL_METRIC_DEFAULT | SL_METRIC_SOFT | SL_METRIC_BETWEEN, MEAN (JS))                          \
  ROW ("brier", "mean of Σ (p - t)²", SL_METRIC_DEFAULT | SL_METRIC_TARGET | SL_METRIC_BETWEEN,    \
       MEAN (BRIER))                                                                               \
  ROW ("l1", "mean of Σ |p - t|", SL_METRIC_DEFAULT | SL_METRIC_SOFT | SL_METRIC_BETWEEN,          \
       MEAN (L1))                                                                                  \
  ROW ("mean_abs", "mean of Σ |p - t| / K", SL_METRIC_SOFT, .figures = BIT (L1),                   \
       .value = sl_metric_mean_by_class, .figure = SL_FIGURE_L1)                                   \
  ROW ("tv", "mean of Σ |p - t| / 2", SL_METRIC_SHARE | SL_METRIC_SOFT | SL_METRIC_BETWEEN,        \
       MEAN (L1), .factor = 0.5)                                                                   \
  ROW ("w_values",                                                                                 \
       "mean of Σ |sorted p - sorted t| / K, the Wasserstein distance of the values alone; "      \
       "it "                                                                                       \
       "does not matter which class has them",                                                     \
       SL_METRIC_DEFAULT | SL_METRIC_SOFT | SL_METRIC_BETWEEN, MEAN (W_VALUES))                    \
  ROW ("w_line", "mean of Σ |cumulated p - cumulated t|, classes one apart in their order",        \
       SL_METRIC_TARGET | SL_METRIC_BETWEEN | SL_METRIC_LINE, MEAN (W_LINE))                       \
  ROW ("w_cost", "mean of the least cost of moving p to t by the costs of --cost",                 \
       SL_METRIC_SOFT | SL_METRIC_COST, MEAN (W_COST))                                             \
  ROW ("entropy_correlation", "Pearson's r over the items of H (p) and H (t)",                     \
       SL_METRIC_SIGNED | SL_METRIC_DEFAULT | SL_METRIC_SOFT | SL_METRIC_BETWEEN,                  \
       .figures = BIT (ENTROPY) | BIT (TARGET_ENTROPY), .value = sl_metric_entropy_correlation)    \
  ROW ("same_first", "share of items whose largest class is the same in p and t",                  \
       SL_METRIC_SHARE | SL_METRIC_SOFT | SL_METRIC_BETWEEN, SHARE (SAME_FIRST))                   \
  ROW ("same_two",                                                                                 \
       "share of items whose two largest classes are the same in p and t, in any order",           \
       SL_METRIC_SHARE | SL_METRIC_SOFT | SL_METRIC_BETWEEN, SHARE (SAME_TWO))                     \
  ROW ("exact_match",                                                                              \
       "of items that several questions were asked of (--questions): share of items all of whose " \
       "questions are right",                                                                      \
       SL_METRIC_SHARE | SL_METRIC_DEFAULT | SL_METRIC_CLASS | SL_METRIC_QUESTIONS,                \
       .figures = BIT (ITEM) | BIT (CORRECT), .value = sl_metric_exact_match)                      \
  /* ---- how sure, and how often right ---- */                                                    \
  ROW ("calibration_rms",                                                                          \
       "sqrt Σ n_b / N (confidence - accuracy)², in bins of --bin-size items from the least "    \
       "sure on; the last takes what remains",                                                     \
       SL_METRIC_DEFAULT | CALIBRATION, .figures = SURE, .value = sl_metric_adaptive_rms, CHANCE)  \
  ROW ("calibration_l1", "Σ n_b / N |confidence - accuracy|, in the same bins", CALIBRATION,       \
       .figures = SURE, .value = sl_metric_adaptive_l1, CHANCE)                                    \
  ROW ("calibration_max", "largest |confidence - accuracy| of the same bins", CALIBRATION,         \
       .figures = SURE, .value = sl_metric_adaptive_max, EXTREME)                                  \
  ROW ("ece", "Σ n_b / N |confidence - accuracy|, in --bins bins of equal width",                  \
       SL_METRIC_DEFAULT | CALIBRATION, .figures = SURE, .value = sl_metric_ece, CHANCE)           \
  ROW ("ece_rms", "sqrt Σ n_b / N (confidence - accuracy)², in the bins of ece", CALIBRATION,      \
       .figures = SURE, .value = sl_metric_ece_rms, CHANCE)                                        \
  ROW ("ece_rms_debiased",                                                                         \
       "ece_rms without what chance adds: sqrt Σ n_b / N ((confidence - accuracy)² - its "       \
       "variance), 0 where that is below 0",                                                       \
       SL_METRIC_CLASS | SL_METRIC_SHARE, .figures = SURE, .value = sl_metric_ece_rms_debiased,    \
       .formula = &sl_formula_debiased)                                                            \
  ROW ("mce", "largest |confidence - accuracy| of the bins of ece", CALIBRATION, .figures = SURE,  \
       .value = sl_metric_mce, EXTREME)                                                            \
  ROW ("ace", "mean |confidence - accuracy| of the bins of ece that are not empty", CALIBRATION,   \
       .figures = SURE, .value = sl_metric_ace, CHANCE)                                            \
  ROW ("class_ece", "mean over classes k of Σ n_b / N |mean p_k - mean t_k|, in bins of p_k",      \
       SL_METRIC_SHARE | SL_METRIC_TARGET | SL_METRIC_BINS, .value = sl_metric_class_ece, CHANCE)  \
  ROW ("reliability",                                                                              \
       "of the Brier score: Σ_k Σ n_b / N (p_k - t_k)² of their means, in bins of p_k",            \
       SL_METRIC_TARGET | SL_METRIC_BINS, .value = sl_metric_reliability, CHANCE)                  \
  ROW ("resolution",                                                                               \
       "of the Brier score: Σ_k Σ n_b / N (mean t_k of the bin - of all)², in bins of p_k",        \
       SL_METRIC_TARGET | SL_METRIC_BINS, .value = sl_metric_resolution, CHANCE)                   \
  ROW ("uncertainty", "of the Brier score: Σ_k of the variance of t_k",                            \
       SL_METRIC_TARGET | SL_METRIC_BINS, .value = sl_metric_uncertainty)                          \
  ROW ("aurc",                                                                                     \
       "area under risk and coverage: mean over j = 1 … N of the wrong share of the j "          \
       "surest",                                                                                   \
       SL_METRIC_DEFAULT | CALIBRATION, .figures = SURE, .value = sl_metric_aurc)                  \
  ROW ("confidence", "mean of max p", SL_METRIC_SHARE | SL_METRIC_DEFAULT | SL_METRIC_TABLE,       \
       MEAN (CONFIDENCE))                                                                          \
  ROW ("confidence_correct", "mean of max p of the items that are right",                          \
       SL_METRIC_SHARE | SL_METRIC_CLASS, .figures = SURE, .value = sl_metric_confidence_correct)  \
  ROW ("confidence_incorrect", "mean of max p of the items that are wrong",                        \
       SL_METRIC_SHARE | SL_METRIC_CLASS, .figures = SURE,                                         \
       .value = sl_metric_confidence_incorrect)                                                    \
  /* ---- by itself ---- */                                                                        \
  ROW ("entropy", "mean of H (p)", SL_METRIC_DEFAULT | SL_METRIC_TABLE | SL_METRIC_BETWEEN,        \
       MEAN (ENTROPY))                                                                             \
  ROW ("entropy_max", "largest H (p)", SL_METRIC_TABLE, .figures = BIT (ENTROPY),                  \
       .value = sl_metric_greatest, .figure = SL_FIGURE_ENTROPY, EXTREME)                          \
  ROW ("entropy_normalised", "mean of H (p) / log K", SL_METRIC_TABLE, .figures = BIT (ENTROPY),   \
       .value = sl_metric_mean_by_log, .figure = SL_FIGURE_ENTROPY)                                \
  ROW ("target_entropy", "mean of H (t)", SL_METRIC_DEFAULT | SL_METRIC_SOFT | SL_METRIC_BETWEEN,  \
       MEAN (TARGET_ENTROPY))                                                                      \
  ROW ("support", "mean number of classes with p > 0", SL_METRIC_TABLE, MEAN (SUPPORT))            \
  ROW ("at_most_two", "share of items with p > 0 in at most two classes",                          \
       SL_METRIC_SHARE | SL_METRIC_TABLE, SHARE (FEW))                                             \
  ROW ("squares", "mean of Σ p²", SL_METRIC_TABLE, MEAN (SQUARES))                                 \
  ROW ("loss", "mean of the column 'loss': what the attack has raised",                            \
       SL_METRIC_DEFAULT | SL_METRIC_LOSS, MEAN (LOSS))                                            \
  /* ---- what annotators said ---- */                                                             \
  ROW ("first_percent", "mean percent of the first class", SL_METRIC_SAID, MEAN (FIRST_PERCENT))   \
  ROW ("second_percent", "mean percent of the second class, of answers that give one",             \
       SL_METRIC_SAID, MEAN (SECOND_PERCENT))                                                      \
  ROW ("certain", "share of answers whose first class has 100 percent",                            \
       SL_METRIC_SHARE | SL_METRIC_SAID, SHARE (CERTAIN))                                          \
  ROW ("no_second", "share of answers that name no second class",                                  \
       SL_METRIC_SHARE | SL_METRIC_SAID, SHARE (NO_SECOND))                                        \
  ROW ("possible", "mean number of classes that an answer does not rule out", SL_METRIC_SAID,      \
       MEAN (POSSIBLE))                                                                            \
  ROW ("first_percent_histogram", "answers by the percent of the first class, in tens",            \
       SL_METRIC_SAID | SL_METRIC_HISTOGRAM, HISTOGRAM (FIRST_PERCENT, 10))                        \
  ROW ("second_percent_histogram", "answers by the percent of the second class, in tens",          \
       SL_METRIC_SAID | SL_METRIC_HISTOGRAM, HISTOGRAM (SECOND_PERCENT, 10))                       \
  ROW ("possible_histogram", "answers by the number of classes that they do not rule out",         \
       SL_METRIC_SAID | SL_METRIC_HISTOGRAM, HISTOGRAM (POSSIBLE, 1))                              \
  ROW ("support_histogram", "items by the number of classes with p > 0",                           \
       SL_METRIC_TABLE | SL_METRIC_HISTOGRAM, HISTOGRAM (SUPPORT, 1))                              \
  ROW ("entropy_histogram", "items by H (p), in tenths", SL_METRIC_TABLE | SL_METRIC_HISTOGRAM,    \
       HISTOGRAM (ENTROPY, 0.1))                                                                   \
  /* ---- the shared task on learning with disagreement ---- */                                    \
  ROW ("lewidi2023_cross_entropy",                                                                 \
       "mean of -Σ t log (clip (p) + 1e-9), p clipped to [1e-12, 1 - 1e-12] (SemEval-2023 task "  \
       "11)",                                                                                      \
       SL_METRIC_SOFT, MEAN (SHARED_CROSS_ENTROPY))                                                \
  ROW ("lewidi2023_f1", "micro-averaged F1, which is the share of items whose p is largest at y",  \
       SL_METRIC_SHARE | SL_METRIC_CLASS, SHARE (CORRECT))                                         \
  ROW ("lewidi2025_manhattan",                                                                     \
       "mean of Σ |p - t|, each item and then the mean rounded to 5 decimals (LeWiDi 2025)",       \
       SL_METRIC_SOFT, .figures = BIT (SHARED_MANHATTAN), .value = sl_metric_rounded_mean,         \
       .figure = SL_FIGURE_SHARED_MANHATTAN)                                                       \
  ROW ("lewidi2025_multilabel",                                                                    \
       "of items that several questions were asked of (--questions): mean over items of the mean " \
       "over their questions of Σ |p - t|, rounded to 5 decimals at each step (LeWiDi 2025)",      \
       SL_METRIC_SOFT | SL_METRIC_QUESTIONS, .figures = BIT (ITEM) | BIT (SHARED_MANHATTAN),       \
       .value = sl_metric_rounded_by_item, .figure = SL_FIGURE_SHARED_MANHATTAN)                   \
  ROW ("lewidi2025_wasserstein",                                                                   \
       "mean of Σ |cumulated p - cumulated t|, classes one apart in their order, each item and "  \
       "then "                                                                                     \
       "the mean rounded to 5 decimals (LeWiDi 2025)",                                             \
       SL_METRIC_SOFT | SL_METRIC_LINE, .figures = BIT (SHARED_WASSERSTEIN),                       \
       .value = sl_metric_rounded_mean, .figure = SL_FIGURE_SHARED_WASSERSTEIN)                    \
  ROW ("lewidi2025_error_rate",                                                                    \
       "of predictions of single annotators: mean over items, rounded to 5 decimals, of the "      \
       "share of its annotators whose answer is not the predicted one (LeWiDi 2025)",              \
       SL_METRIC_SHARE | SL_METRIC_ANSWERS, .figures = ANSWERS, .value = sl_metric_error_rate)     \
  ROW ("lewidi2025_absolute_distance",                                                             \
       "of predictions of single annotators, classes being numbers: mean over items of the mean "  \
       "distance of answer and prediction, over --scale (LeWiDi 2025)",                            \
       SL_METRIC_ANSWERS, .figures = ANSWERS, .value = sl_metric_absolute_distance)

#define METRIC(name, ...) { name, __VA_ARGS__ },
#define NAME(name, ...) name,
#define DEFINITION(name, definition, ...) definition,

const SlMetric sl_metrics[] = { METRICS (METRIC) };
const int sl_n_metrics = G_N_ELEMENTS (sl_metrics);
const char *const sl_metric_names[] = { METRICS (NAME) NULL };
const char *const sl_metric_definitions[] = { METRICS (DEFINITION) NULL };

int
sl_metric_find (const char *name)
{
  for (int m = 0; m < sl_n_metrics; m++)
    if (strcmp (sl_metrics[m].name, name) == 0)
      return m;
  return -1;
}

SlRange
sl_metric_range (const SlMetric *metric)
{
  return (SlRange){ metric->flags & SL_METRIC_SIGNED ? -INFINITY : 0,
                    metric->flags & SL_METRIC_SHARE ? 1 : INFINITY };
}

void
sl_shared_reset (SlShared *shared)
{
  shared->has_adaptive = shared->has_fixed = shared->has_classes = shared->has_bins = FALSE;
}

void
sl_shared_clear (SlShared *shared)
{
  sl_shared_reset (shared);
  g_clear_pointer (&shared->classes, g_free);
  sl_class_bins_clear (&shared->bins);
}
