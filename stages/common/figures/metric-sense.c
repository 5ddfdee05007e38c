/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metric-sense.h"

#include <glib.h>

/* What only describes labels or a network (entropies, percents, confidence) is in neither. */
static const char *const more[] = {
  "accuracy",
  "top2_accuracy",
  "second_best_accuracy",
  "balanced_accuracy",
  "macro_f1",
  "worst_class_accuracy",
  "kappa",
  "mcc",
  "precision",
  "recall",
  "f1",
  "auroc",
  "class_auroc",
  "average_precision",
  "class_average_precision",
  "spearman",
  "quadratic_kappa",
  "entropy_correlation",
  "same_first",
  "same_two",
  "exact_match",
  "resolution",
  "lewidi2023_f1",
  NULL,
};
static const char *const less[] = {
  "mae",
  "rmse",
  "rps",
  "crps",
  "log_loss",
  "worst_class_log_loss",
  "cross_entropy",
  "kl",
  "js",
  "brier",
  "l1",
  "mean_abs",
  "tv",
  "w_values",
  "w_line",
  "w_cost",
  "calibration_rms",
  "calibration_l1",
  "calibration_max",
  "ece",
  "ece_rms",
  "ece_rms_debiased",
  "mce",
  "ace",
  "class_ece",
  "reliability",
  "aurc",
  "lewidi2023_cross_entropy",
  "lewidi2025_manhattan",
  "lewidi2025_multilabel",
  "lewidi2025_wasserstein",
  "lewidi2025_error_rate",
  "lewidi2025_absolute_distance",
  NULL,
};

int
sl_metric_sense (const char *metric)
{
  return g_strv_contains (more, metric) - g_strv_contains (less, metric);
}
