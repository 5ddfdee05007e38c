/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What training says of single items: the map of Swayamdipta et al. 2020, and the items with the
 * least margin (Pleiss et al. 2020). */

#include "sections.h"
#include "stages/report/parts.h"

#include <math.h>

enum
{
  MARGIN,
  CONFIDENCE,
  VARIABILITY,
  AGAINST,
  CLASS,
  N_VALUES
};

static double
margin_of (const SlBatch *batch, gint64 i)
{
  double margin = batch->column[SL_DYNAMICS_MARGIN].real[i];
  return isfinite (batch->column[SL_DYNAMICS_CONFIDENCE].real[i])
                 && isfinite (batch->column[SL_DYNAMICS_VARIABILITY].real[i]) && isfinite (margin)
             ? margin
             : (double) NAN;
}

static double
against_of (const SlBatch *batch, gint64 i)
{
  double margin = margin_of (batch, i);
  return isnan (margin) ? margin : margin < 0;
}

static const SlValue values[N_VALUES] = {
  [MARGIN] = { .of = margin_of },
  [CONFIDENCE] = { SL_DYNAMICS_CONFIDENCE },
  [VARIABILITY] = { SL_DYNAMICS_VARIABILITY },
  [AGAINST] = { .of = against_of },
  [CLASS] = { SL_DYNAMICS_CLASS },
};

static void
tell (GString *text, const GArray *points)
{
  guint against = 0;
  for (guint i = 0; i < points->len; i++)
    against += (guint) g_array_index (points, SlSampled, i).group;
  sl_html_say (text,
               "Of %m shown, %p have a margin below 0: another class was held to be likelier.",
               (gint64) points->len, "item", "items", (double) against / points->len);
}

static const SlListColumn columns[] = {
  { "item", SL_LIST_NAME },
  { "image", SL_LIST_IMAGE },
  { "class", SL_LIST_CLASS, CLASS },
  { "#margin", SL_LIST_FIGURE, MARGIN },
  { "#confidence", SL_LIST_FIGURE, CONFIDENCE },
  { "#variability", SL_LIST_FIGURE, VARIABILITY },
  { 0 },
};

static const SlParts parts = {
  .values = values,
  .n_values = N_VALUES,
  .scatter = { .title = "Map of the items",
               .x_label = "variability over epochs",
               .y_label = "mean confidence in the item's own class",
               .x = VARIABILITY,
               .y = CONFIDENCE,
               .group = AGAINST,
               .grows_x = TRUE,
               .most = 2000,
               .about = "Low at the left are items that look mislabelled, at the right ambiguous "
                        "ones, high at the left easy ones. ",
               .tell = tell,
               .others = "" },
  .list = { .columns = columns,
            .key = MARGIN,
            .name = SL_DYNAMICS_ITEM,
            .caption = "<strong>Worth another look</strong>: the items whose class had the least "
                       "margin over the likeliest other one." },
  .empty = "The table has no rows.",
};

const SlSection sl_section_dynamics = { .id = "dynamics",
                                        .title = "What training says of items",
                                        .kinds = { &sl_dynamics },
                                        .parts = &parts };
