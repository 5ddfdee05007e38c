/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "comparisons.h"

#define REQUIRED SL_COLUMN_REQUIRED
#define NULLABLE (SL_COLUMN_REQUIRED | SL_COLUMN_NULLABLE)

static const SlColumnSpec columns[] = {
  [SL_COMPARISONS_ITEM] = { "item", SL_TYPE_TEXT, REQUIRED, "what both tables are about" },
  [SL_COMPARISONS_FIRST_CLASS]
  = { "first_class", SL_TYPE_CLASS, REQUIRED, "the largest class of the first table's p" },
  [SL_COMPARISONS_SECOND_CLASS]
  = { "second_class", SL_TYPE_CLASS, REQUIRED, "that of the second table's t" },
  [SL_COMPARISONS_FIRST_ENTROPY] = { "first_entropy", SL_TYPE_REAL, REQUIRED, "H (p)" },
  [SL_COMPARISONS_SECOND_ENTROPY] = { "second_entropy", SL_TYPE_REAL, REQUIRED, "H (t)" },
  [SL_COMPARISONS_CROSS_ENTROPY]
  = { "cross_entropy", SL_TYPE_REAL, NULLABLE,
      "-Σ t log p; missing where it is infinite, as t has a class that p rules out" },
  [SL_COMPARISONS_KL] = { "kl", SL_TYPE_REAL, NULLABLE, "Σ t log (t / p); likewise" },
  [SL_COMPARISONS_JS] = { "js", SL_TYPE_REAL, REQUIRED, "H ((p + t) / 2) - H (p) / 2 - H (t) / 2" },
  [SL_COMPARISONS_BRIER] = { "brier", SL_TYPE_REAL, REQUIRED, "Σ (p - t)²" },
  [SL_COMPARISONS_L1] = { "l1", SL_TYPE_REAL, REQUIRED, "Σ |p - t|" },
  [SL_COMPARISONS_TV] = { "tv", SL_TYPE_REAL, REQUIRED, "Σ |p - t| / 2" },
  [SL_COMPARISONS_W_VALUES] = { "w_values", SL_TYPE_REAL, REQUIRED, "Σ |sorted p - sorted t| / K" },
  [SL_COMPARISONS_W_LINE] = { "w_line", SL_TYPE_REAL, REQUIRED, "Σ |cumulated p - cumulated t|" },
  { NULL, 0, 0, NULL },
};

const SlKind sl_comparisons = {
  .name = "comparisons",
  .row = "what two tables say of one item",
  .invariants = "softlabel writes one row an item.",
  .columns = columns,
};
