/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A simulator: its parameters as a table. */

#include "sections.h"
#include "stages/report/parts.h"

enum
{
  CLASS,
  OTHER,
  VALUE,
  N_VALUES
};

static const SlValue values[N_VALUES] = {
  [CLASS] = { SL_SIMULATOR_CLASS },
  [OTHER] = { SL_SIMULATOR_OTHER },
  [VALUE] = { SL_SIMULATOR_VALUE },
};

static const SlListColumn columns[] = {
  { "parameter", SL_LIST_NAME },         { "items", SL_LIST_NOTE },
  { "class", SL_LIST_CLASS, CLASS, "" }, { "other class", SL_LIST_CLASS, OTHER, "" },
  { "#value", SL_LIST_FIGURE, VALUE },   { 0 },
};

static const SlParts parts = {
  .values = values,
  .n_values = N_VALUES,
  .list = { .columns = columns,
            .key = -1,
            .name = SL_SIMULATOR_NAME,
            .note = SL_SIMULATOR_GROUP,
            .has_note = TRUE,
            .most = 120,
            .caption = "<strong>Parameters</strong>" },
  .empty = "The table has no rows.",
};

const SlSection sl_section_simulator
    = { .id = "simulator", .title = "Simulator", .kinds = { &sl_simulator }, .parts = &parts };
