/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Items: how far their answers agree, and the hardest ones. */

#include "sections.h"
#include "stages/report/parts.h"

enum
{
  ANSWERS,
  AGREEMENT,
  CONSISTENCY,
  ENTROPY,
  DIFFICULTY,
  GAIN,
  ACTIVELAB,
  EASE, /* -difficulty */
  N_VALUES
};

static double
ease_of (const SlBatch *batch, gint64 i)
{
  return -batch->column[SL_ITEMS_DIFFICULTY].real[i];
}

static const SlValue values[N_VALUES] = {
  [ANSWERS] = { SL_ITEMS_ANSWERS },         [AGREEMENT] = { SL_ITEMS_AGREEMENT },
  [CONSISTENCY] = { SL_ITEMS_CONSISTENCY }, [ENTROPY] = { SL_ITEMS_ENTROPY },
  [DIFFICULTY] = { SL_ITEMS_DIFFICULTY },   [GAIN] = { SL_ITEMS_GAIN },
  [ACTIVELAB] = { SL_ITEMS_ACTIVELAB },     [EASE] = { .of = ease_of },
};

static const SlListColumn columns[] = {
  { "item", SL_LIST_NAME },
  { "image", SL_LIST_IMAGE },
  { "#answers", SL_LIST_FIGURE, ANSWERS },
  { "#agreement", SL_LIST_FIGURE, AGREEMENT },
  { "#consistency", SL_LIST_FIGURE, CONSISTENCY },
  { "#entropy", SL_LIST_FIGURE, ENTROPY },
  { "#difficulty", SL_LIST_FIGURE, DIFFICULTY },
  { "#gain", SL_LIST_FIGURE, GAIN },
  { "#activelab", SL_LIST_FIGURE, ACTIVELAB, .may_lack = TRUE },
  { 0 },
};

static const SlParts parts = {
  .values = values,
  .n_values = N_VALUES,
  .histogram = { "Agreement on an item", "share of pairs of answers that are the same", AGREEMENT },
  .list
  = { .columns = columns,
      .key = EASE,
      .name = SL_ITEMS_ITEM,
      .caption = "<strong>Hardest items</strong>: those with the largest expected share of wrong "
                 "answers; gain is what one more answer is expected to tell, in nats." },
  .empty = "The table has no items with answers.",
};

const SlSection sl_section_items
    = { .id = "items", .title = "Items", .kinds = { &sl_items }, .parts = &parts };
