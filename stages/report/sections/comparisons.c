/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons: how two tables' labels of the same items are apart, and where most. */

#include "pipeline/command/provenance.h"
#include "sections.h"
#include "stages/report/parts.h"

#include <string.h>

enum
{
  CROSS_ENTROPY,
  KL,
  JS,
  BRIER,
  L1,
  TV,
  W_VALUES,
  W_LINE,
  FIRST_ENTROPY,
  SECOND_ENTROPY,
  FIRST_CLASS,
  SECOND_CLASS,
  SAME,
  OTHER,
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

static const SlValue values[N_VALUES] = {
  [CROSS_ENTROPY] = { SL_COMPARISONS_CROSS_ENTROPY },
  [KL] = { SL_COMPARISONS_KL },
  [JS] = { SL_COMPARISONS_JS },
  [BRIER] = { SL_COMPARISONS_BRIER },
  [L1] = { SL_COMPARISONS_L1 },
  [TV] = { SL_COMPARISONS_TV },
  [W_VALUES] = { SL_COMPARISONS_W_VALUES },
  [W_LINE] = { SL_COMPARISONS_W_LINE },
  [FIRST_ENTROPY] = { SL_COMPARISONS_FIRST_ENTROPY },
  [SECOND_ENTROPY] = { SL_COMPARISONS_SECOND_ENTROPY },
  [FIRST_CLASS] = { SL_COMPARISONS_FIRST_CLASS },
  [SECOND_CLASS] = { SL_COMPARISONS_SECOND_CLASS },
  [SAME] = { .of = same_of },
  [OTHER] = { .of = other_of },
};

/* The distance that `compare --sort` was asked for, or else total variation. */
static int
distance_of (const SlReportInput *input)
{
  g_autoptr (SlJsonParser) parser = sl_json_parser_new ();
  SlJson history;
  if (input->table->provenance == NULL
      || !sl_provenance_read (parser, input->table->provenance, &history))
    return TV;
  const char *sort = NULL;
  for (SlJsonEach each = sl_json_each (history); sl_json_each_next (&each);)
    {
      const char *said = sl_json_c_str (sl_json_get (sl_json_get (each.value, "options"), "sort"));
      sort = said != NULL ? said : sort;
    }
  for (int v = 0; sort != NULL && v <= W_LINE; v++)
    if (strcmp (input->table->spec[values[v].column].name, sort) == 0)
      return v;
  return TV;
}

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
            .key = -1,
            .distance = distance_of,
            .name = SL_COMPARISONS_ITEM,
            .caption = "<strong>Furthest apart</strong>: the items with the largest %s, each with "
                       "its likeliest class in either table." },
  .empty = "The table has no rows.",
};

const SlSection sl_section_comparisons = { .id = "comparisons",
                                           .title = "Two tables, item by item",
                                           .kinds = { &sl_comparisons },
                                           .parts = &parts };
