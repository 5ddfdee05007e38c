/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "annotators.h"

static const SlColumnSpec columns[] = {
  [SL_ANNOTATORS_ANNOTATOR] = { "annotator", SL_TYPE_TEXT, SL_COLUMN_REQUIRED, "who" },
  [SL_ANNOTATORS_ANSWERS]
  = { "answers", SL_TYPE_INT64, SL_COLUMN_REQUIRED, "judgements, attention checks not counted" },
  [SL_ANNOTATORS_ACCURACY]
  = { "accuracy", SL_TYPE_REAL, SL_COLUMN_OPTIONAL | SL_COLUMN_NULLABLE,
      "share of the answers to items with known gold whose first choice is the gold class" },
  [SL_ANNOTATORS_CHECKS] = { "checks", SL_TYPE_INT64, SL_COLUMN_OPTIONAL, "attention checks" },
  [SL_ANNOTATORS_CHECK_ACCURACY]
  = { "check_accuracy", SL_TYPE_REAL, SL_COLUMN_OPTIONAL | SL_COLUMN_NULLABLE,
      "share of the attention checks answered rightly" },
  [SL_ANNOTATORS_RANGE]
  = { "range", SL_TYPE_INT64, SL_COLUMN_OPTIONAL, "answers with a percent outside 0 to 100" },
  [SL_ANNOTATORS_IMPOSSIBLE] = { "impossible", SL_TYPE_INT64, SL_COLUMN_OPTIONAL,
                                 "answers that rule out a class they choose" },
  [SL_ANNOTATORS_MISSING] = { "missing", SL_TYPE_INT64, SL_COLUMN_OPTIONAL,
                              "answers whose first percent is 0 or not given, before any repair" },
  [SL_ANNOTATORS_DUPLICATES]
  = { "duplicates", SL_TYPE_INT64, SL_COLUMN_OPTIONAL | SL_COLUMN_NULLABLE,
      "rows that repeat an earlier one exactly; missing where they were not looked for" },
  [SL_ANNOTATORS_COMPLETE]
  = { "complete", SL_TYPE_BOOL, SL_COLUMN_OPTIONAL | SL_COLUMN_NULLABLE,
      "whether the session reached its end; missing where that is not known" },
  [SL_ANNOTATORS_EXCLUDED]
  = { "excluded", SL_TYPE_BOOL, SL_COLUMN_OPTIONAL, "whether the annotator is excluded" },
  [SL_ANNOTATORS_REASON] = { "reason", SL_TYPE_TEXT, SL_COLUMN_OPTIONAL | SL_COLUMN_NULLABLE,
                             "why, in words; missing for who is kept" },
  [SL_ANNOTATORS_AGREEMENT] = { "agreement", SL_TYPE_REAL, SL_COLUMN_OPTIONAL | SL_COLUMN_NULLABLE,
                                "share of others' answers to the same items that are the same; "
                                "missing where there are none" },
  [SL_ANNOTATORS_RELIABILITY]
  = { "reliability", SL_TYPE_REAL, SL_COLUMN_OPTIONAL,
      "what the method found the annotator's answers to be worth, in its own terms" },
  [SL_ANNOTATORS_TRACE] = { "trace", SL_TYPE_REAL, SL_COLUMN_OPTIONAL,
                            "mean probability of answering rightly, over the classes" },
  [SL_ANNOTATORS_SPAM_SCORE]
  = { "spam_score", SL_TYPE_REAL, SL_COLUMN_OPTIONAL,
      "how far answers depend on the true class: 1 wholly, 0 not at all, as a spammer's" },
  [SL_ANNOTATORS_ENTROPY] = { "entropy", SL_TYPE_REAL, SL_COLUMN_OPTIONAL,
                              "of the annotator's own answers, in nats: 0 where all are the same" },
  [SL_ANNOTATORS_TOP2_ACCURACY]
  = { "top2_accuracy", SL_TYPE_REAL, SL_COLUMN_OPTIONAL | SL_COLUMN_NULLABLE,
      "share of the same answers whose first or second choice is the gold class" },
  [SL_ANNOTATORS_REPEATS] = { "repeats", SL_TYPE_INT64, SL_COLUMN_OPTIONAL,
                              "answers to items that the annotator had answered before" },
  [SL_ANNOTATORS_REPEAT_CONSISTENCY]
  = { "repeat_consistency", SL_TYPE_REAL, SL_COLUMN_OPTIONAL | SL_COLUMN_NULLABLE,
      "share of these whose first choice is the same as the first time" },
  [SL_ANNOTATORS_SECONDS_Q1]
  = { "seconds_q1", SL_TYPE_REAL, SL_COLUMN_OPTIONAL | SL_COLUMN_NULLABLE,
      "a quarter of the answers took so many seconds or fewer" },
  [SL_ANNOTATORS_SECONDS_MEDIAN]
  = { "seconds_median", SL_TYPE_REAL, SL_COLUMN_OPTIONAL | SL_COLUMN_NULLABLE, "half of them" },
  [SL_ANNOTATORS_SECONDS_Q3]
  = { "seconds_q3", SL_TYPE_REAL, SL_COLUMN_OPTIONAL | SL_COLUMN_NULLABLE, "three quarters" },
  [SL_ANNOTATORS_CONFIDENCE]
  = { "confidence", SL_TYPE_REAL, SL_COLUMN_OPTIONAL | SL_COLUMN_NULLABLE,
      "mean share that an answer gives its first choice, of answers to items that others "
      "answered" },
  [SL_ANNOTATORS_CONFIRMED]
  = { "confirmed", SL_TYPE_REAL, SL_COLUMN_OPTIONAL | SL_COLUMN_NULLABLE,
      "mean probability of these first choices, by what the others say: where it is below the "
      "confidence, percents are too high" },
  [SL_ANNOTATORS_SLOPE] = { "slope", SL_TYPE_REAL, SL_COLUMN_OPTIONAL | SL_COLUMN_NULLABLE,
                            "by how much this probability grows where the share grows by 1: 1 "
                            "where percents are right, 0 where they tell nothing; missing where "
                            "all shares are alike" },
  [SL_ANNOTATORS_STRENGTH]
  = { "strength", SL_TYPE_REAL, SL_COLUMN_OPTIONAL | SL_COLUMN_NULLABLE,
      "what the annotator's answers are worth as evidence, beside the crowd's" },
  { NULL, 0, 0, NULL },
};

const SlKind sl_annotators = {
  .name = "annotators",
  .row = "what is known of one annotator",
  .invariants
  = "softlabel writes one row for each annotator; tables that are joined by `softlabel cat` "
    "may have it again.",
  .columns = columns,
};
