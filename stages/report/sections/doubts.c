/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Doubts: how far a model's predictions and the labels have something in common, and the labels to
 * look at again. */

#include "sections.h"
#include "stages/report/parts.h"

#include <math.h>

enum
{
  GIVEN,
  PREDICTED,
  CONFIDENT,
  SELF_CONFIDENCE,
  MARGIN,
  GOLD,
  DOUBTED,
  WRONG,            /* by gold, where that is known */
  WRONG_OF_DOUBTED, /* likewise, where the label is doubted */
  N_VALUES
};

static double
wrong_of (const SlBatch *batch, gint64 i)
{
  double gold = sl_value_of (batch, SL_DOUBTS_GOLD, i);
  return isnan (gold) ? gold : gold != batch->column[SL_DOUBTS_GIVEN].code[i];
}

static double
wrong_of_doubted (const SlBatch *batch, gint64 i)
{
  return batch->column[SL_DOUBTS_DOUBTED].flag[i] ? wrong_of (batch, i) : (double) NAN;
}

static const SlValue values[N_VALUES] = {
  [GIVEN] = { SL_DOUBTS_GIVEN },
  [PREDICTED] = { SL_DOUBTS_PREDICTED },
  [CONFIDENT] = { SL_DOUBTS_CONFIDENT },
  [SELF_CONFIDENCE] = { SL_DOUBTS_SELF_CONFIDENCE },
  [MARGIN] = { SL_DOUBTS_MARGIN },
  [GOLD] = { SL_DOUBTS_GOLD },
  [DOUBTED] = { SL_DOUBTS_DOUBTED },
  [WRONG] = { .of = wrong_of },
  [WRONG_OF_DOUBTED] = { .of = wrong_of_doubted },
};

static const SlFact facts[] = {
  { "labels", SL_FACT_ROWS },
  { "doubted", SL_FACT_SUM, DOUBTED },
  { "share doubted", SL_FACT_SHARE, DOUBTED },
  { "wrong by gold", SL_FACT_SHARE, WRONG },
  { "wrong by gold, of the doubted", SL_FACT_SHARE, WRONG_OF_DOUBTED },
  { 0 },
};

static const SlListColumn columns[] = {
  { "item", SL_LIST_NAME },
  { "image", SL_LIST_IMAGE },
  { "label", SL_LIST_CLASS, GIVEN, "–" },
  { "prediction", SL_LIST_CLASS, PREDICTED, "–" },
  { "confident of", SL_LIST_CLASS, CONFIDENT, "–" },
  { "#self-confidence", SL_LIST_FIGURE, SELF_CONFIDENCE },
  { "#margin", SL_LIST_FIGURE, MARGIN },
  { "gold", SL_LIST_CLASS, GOLD, "–", .may_lack = TRUE },
  { 0 },
};

static const SlParts parts = {
  .values = values,
  .n_values = N_VALUES,
  .facts = facts,
  .histogram = { "What label and prediction have in common", "self-confidence", SELF_CONFIDENCE },
  .bars = { "Doubted labels of the class", GIVEN, DOUBTED },
  .list
  = { .columns = columns,
      .key = SELF_CONFIDENCE,
      .name = SL_DOUBTS_ITEM,
      .caption = "<strong>Look at these first</strong>: the items whose label and prediction have "
                 "least in common. Self-confidence is what both share, from 0 to 1; the model is "
                 "confident of a class where it is surer of it than it is on average of items so "
                 "labelled." },
  .empty = "The table has no rows.",
};

const SlSection sl_section_doubts = {
  .id = "doubts", .title = "Labels that a model doubts", .kinds = { &sl_doubts }, .parts = &parts
};
