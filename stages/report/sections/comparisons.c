/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons: how two tables' labels of the same items are apart, and where most. */
#include "schemas/comparisons.h"

#include "sections.h"
#include "stages/report/parts.h"

enum
{
  TV,
  JS,
  CROSS_ENTROPY,
  W_VALUES,
  FIRST_ENTROPY,
  SECOND_ENTROPY,
  FIRST_CLASS,
  SECOND_CLASS,
  SAME,
  OTHER,
  NEARNESS, /* -TV */
  N_VALUES
};

static double
same_of (const SlBatch *batch, gint64 i)
{
  return batch->column[SL_COMPARISONS_FIRST_CLASS].code[i]
         == batch->column[SL_COMPARISONS_SECOND_CLASS].code[i];
}

static double
other_of (const SlBatch *batch, gint64 i)
{
  return 1 - same_of (batch, i);
}

static double
nearness_of (const SlBatch *batch, gint64 i)
{
  return -batch->column[SL_COMPARISONS_TV].real[i];
}

static const SlValue values[N_VALUES] = {
  [TV] = { SL_COMPARISONS_TV },
  [JS] = { SL_COMPARISONS_JS },
  [CROSS_ENTROPY] = { SL_COMPARISONS_CROSS_ENTROPY },
  [W_VALUES] = { SL_COMPARISONS_W_VALUES },
  [FIRST_ENTROPY] = { SL_COMPARISONS_FIRST_ENTROPY },
  [SECOND_ENTROPY] = { SL_COMPARISONS_SECOND_ENTROPY },
  [FIRST_CLASS] = { SL_COMPARISONS_FIRST_CLASS },
  [SECOND_CLASS] = { SL_COMPARISONS_SECOND_CLASS },
  [SAME] = { .of = same_of },
  [OTHER] = { .of = other_of },
  [NEARNESS] = { .of = nearness_of },
};

static const SlFact facts[] = {
  { "items", SL_FACT_ROWS },
  { "same likeliest class", SL_FACT_SHARE, SAME },
  { "mean total variation", SL_FACT_MEAN, TV },
  { "mean Jensen–Shannon divergence, nats", SL_FACT_MEAN, JS },
  { 0 },
};

static void
tell (GString *text, const GArray *points)
{
  guint other = 0, above = 0;
  for (guint i = 0; i < points->len; i++)
    {
      const SlSampled *point = &g_array_index (points, SlSampled, i);
      other += (guint) point->group;
      above += point->y > point->x;
    }
  sl_html_say (text,
               "Of %m shown, the second table is less certain of %p, and has another likeliest "
               "class for %p.",
               (gint64) points->len, "item", "items", (double) above / points->len,
               (double) other / points->len);
}

static const SlListColumn columns[] = {
  { "item", SL_LIST_NAME },
  { "image", SL_LIST_IMAGE },
  { "in the first", SL_LIST_CLASS, FIRST_CLASS },
  { "in the second", SL_LIST_CLASS, SECOND_CLASS },
  { "#total variation", SL_LIST_FIGURE, TV },
  { "#JS", SL_LIST_FIGURE, JS },
  { "#cross-entropy", SL_LIST_FIGURE, CROSS_ENTROPY },
  { "#w values", SL_LIST_FIGURE, W_VALUES },
  { "#first entropy", SL_LIST_FIGURE, FIRST_ENTROPY },
  { "#second entropy", SL_LIST_FIGURE, SECOND_ENTROPY },
  { 0 },
};

static const SlParts parts = {
  .values = values,
  .n_values = N_VALUES,
  .facts = facts,
  .histogram = { "How far labels of an item are apart", "total variation", TV },
  .scatter = { .title = "Entropies of both",
               .x_label = "entropy in the first table, nats",
               .y_label = "entropy in the second table, nats",
               .x = FIRST_ENTROPY,
               .y = SECOND_ENTROPY,
               .group = OTHER,
               .grows_alike = TRUE,
               .most = 2000,
               .about = "",
               .tell = tell,
               .others = " The latter have the other colour." },
  .list = { .columns = columns,
            .key = NEARNESS,
            .name = SL_COMPARISONS_ITEM,
            .caption = "<strong>Furthest apart</strong>: the items with the largest total "
                       "variation, each with its likeliest class in either table." },
  .empty = "The table has no rows.",
};

const SlSection sl_section_comparisons = { .id = "comparisons",
                                           .title = "Two tables, item by item",
                                           .kinds = { &sl_comparisons },
                                           .parts = &parts };
