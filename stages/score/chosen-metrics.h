/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which metrics are made. */
#pragma once

#include "metrics/metrics.h"

/* Which ones LIST, "brier,ece", names: [sl_n_metrics], to be freed; NULL and ERROR where there is
 * one of them not. "all" names all. */
gboolean *sl_metrics_named (const char *list, GError **error);

/* Those of LIST, or with NULL the usual ones (which have the flag USUAL), of what HAS
 * (SL_METRIC_TARGET and the like) is there for. A metric that LIST names itself and that HAS is
 * not there for is an error. */
gboolean *sl_metrics_chosen (const char *list, SlMetricFlags usual, SlMetricFlags has,
                             GError **error);

/* What must be known of items for the chosen ones: figures, those of them that are kept item by
 * item, and whether sums by class are. */
void sl_metrics_needs (const gboolean *chosen, guint64 *wanted, guint64 *keep, gboolean *bins);
