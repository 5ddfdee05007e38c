/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "items.h"

static const SlColumnSpec columns[] = {
  [SL_ITEMS_ITEM] = { "item", SL_TYPE_TEXT, SL_COLUMN_REQUIRED, "what was judged" },
  [SL_ITEMS_ANSWERS] = { "answers", SL_TYPE_INT64, SL_COLUMN_REQUIRED, "answers to it" },
  [SL_ITEMS_AGREEMENT]
  = { "agreement", SL_TYPE_REAL, SL_COLUMN_REQUIRED | SL_COLUMN_NULLABLE,
      "share of the pairs of answers that are the same; none where there is no pair" },
  [SL_ITEMS_CONSISTENCY] = { "consistency", SL_TYPE_REAL, SL_COLUMN_REQUIRED | SL_COLUMN_NULLABLE,
                             "share of the commonest answer" },
  [SL_ITEMS_ENTROPY] = { "entropy", SL_TYPE_REAL, SL_COLUMN_REQUIRED | SL_COLUMN_NULLABLE,
                         "of the shares of the answers, in nats" },
  [SL_ITEMS_DIFFICULTY] = { "difficulty", SL_TYPE_REAL, SL_COLUMN_REQUIRED | SL_COLUMN_NULLABLE,
                            "expected share of its answers that are wrong" },
  [SL_ITEMS_GAIN] = { "gain", SL_TYPE_REAL, SL_COLUMN_REQUIRED | SL_COLUMN_NULLABLE,
                      "what one more answer is expected to take off its label's entropy, in nats" },
  [SL_ITEMS_ACTIVELAB] = { "activelab", SL_TYPE_REAL, SL_COLUMN_OPTIONAL,
                           "how sure its class is by answers and a model, from 0 to 1" },
  { NULL, 0, 0, NULL },
};

const SlKind sl_items = {
  .name = "items",
  .row = "how annotators agree on one item",
  .invariants = "Where there are no answers, what is said of them is missing. softlabel writes one "
                "row for each item; tables that are joined by `softlabel cat` may have it again.",
  .columns = columns,
};
