/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Percents: how right everybody's are, by what others say of the same items. */

#include "sections.h"
#include "stages/report/parts.h"

enum
{
  CONFIDENCE,
  CONFIRMED,
  SLOPE,
  STRENGTH,
  ANSWERS,
  TOO_SURE,
  FAR_TOO_SURE,
  N_VALUES
};

/* The least are those who are too sure the most. */
static double
too_sure (const SlBatch *batch, gint64 row)
{
  return sl_value_of (batch, SL_ANNOTATORS_CONFIRMED, row)
         - sl_value_of (batch, SL_ANNOTATORS_CONFIDENCE, row);
}

/* ... by more than a tenth. */
static double
far_too_sure (const SlBatch *batch, gint64 row)
{
  return too_sure (batch, row) < -0.1;
}

static void
tell (GString *text, const GArray *points)
{
  gint64 far = 0;
  for (guint i = 0; i < points->len; i++)
    far += g_array_index (points, SlSampled, i).group;
  sl_html_say (text, " %n of %m are so by more than a tenth.", far, (gint64) points->len, "person",
               "people");
}

static const SlValue values[N_VALUES] = {
  [CONFIDENCE] = { SL_ANNOTATORS_CONFIDENCE }, [CONFIRMED] = { SL_ANNOTATORS_CONFIRMED },
  [SLOPE] = { SL_ANNOTATORS_SLOPE },           [STRENGTH] = { SL_ANNOTATORS_STRENGTH },
  [ANSWERS] = { SL_ANNOTATORS_ANSWERS },       [TOO_SURE] = { .of = too_sure },
  [FAR_TOO_SURE] = { .of = far_too_sure },
};

static const SlFact facts[] = {
  { "mean percent of first choices", SL_FACT_SHARE, CONFIDENCE },
  { "as others confirm them", SL_FACT_SHARE, CONFIRMED },
  { "mean slope", SL_FACT_MEAN, SLOPE },
  { 0 },
};

static const SlListColumn columns[] = {
  { "annotator", SL_LIST_NAME },
  { "#answers", SL_LIST_FIGURE, ANSWERS },
  { "#confidence", SL_LIST_FIGURE, CONFIDENCE },
  { "#confirmed", SL_LIST_FIGURE, CONFIRMED },
  { "#slope", SL_LIST_FIGURE, SLOPE },
  { "#strength", SL_LIST_FIGURE, STRENGTH },
  { 0 },
};

static const SlParts parts = {
  .values = values,
  .n_values = N_VALUES,
  .facts = facts,
  .scatter = { .title = "How right percents are",
               .x_label = "mean percent of the first choice, of 1",
               .y_label = "how likely that choice is by what others say",
               .x = CONFIDENCE,
               .y = CONFIRMED,
               .group = FAR_TOO_SURE,
               .grows_alike = TRUE,
               .most = 2000,
               .about = "A point is a person. Who is below the line is surer than others confirm.",
               .tell = tell,
               .others = "",
               .none = "Nothing is known of percents here." },
  .list
  = { .columns = columns,
      .caption = "<strong>Surer than others confirm</strong>, those the most first. Slope: by "
                 "how much what is confirmed grows where the percent grows by 1; strength: "
                 "what the answers are worth as evidence, 1 for the crowd",
      .key = TOO_SURE,
      .name = SL_ANNOTATORS_ANNOTATOR,
      .note = -1,
      .most = 20 },
};

static gboolean
fills (gconstpointer state)
{
  return ((const SlPartsState *) state)->n_of[CONFIDENCE] > 0;
}

const SlSection sl_section_percents = { .id = "percents",
                                        .title = "Percents",
                                        .kinds = { &sl_annotators },
                                        .parts = &parts,
                                        .fills = fills };
