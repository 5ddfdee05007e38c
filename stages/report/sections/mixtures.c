/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mixtures: the share of the first item as people see it, over its share in what is mixed. */

#include "sections.h"
#include "stages/report/parts.h"

enum
{
  LAMBDA,
  HUMAN,
  CONFIDENCE,
  N_VALUES
};

static const SlValue values[N_VALUES] = {
  [LAMBDA] = { SL_MIXTURES_LAMBDA },
  [HUMAN] = { SL_MIXTURES_HUMAN },
  [CONFIDENCE] = { SL_MIXTURES_CONFIDENCE },
};

static const SlFact facts[] = {
  { "rows", SL_FACT_ROWS },
  { "mean confidence", SL_FACT_MEAN, CONFIDENCE },
  { 0 },
};

static const SlParts parts = {
  .values = values,
  .n_values = N_VALUES,
  .facts = facts,
  .scatter = { .title = "What people see in mixtures",
               .x_label = "share of the first item, mixed",
               .y_label = "the same as people see it",
               .x = LAMBDA,
               .y = HUMAN,
               .means = TRUE,
               .most = 20000,
               .dots = 800,
               .about = "The line is the mean of what was seen, the other one would be as it is "
                        "mixed. Where few shares were mixed, a box has the quartiles of what was "
                        "seen and its median, its lines reach one and a half boxes far. ",
               .none = "Nobody was asked what they see in them." },
};

const SlSection sl_section_mixtures
    = { .id = "mixtures", .title = "Mixtures", .kinds = { &sl_mixtures }, .parts = &parts };
