/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How each two annotators agree: a table of pairs. */
#pragma once

#include "schemas/kinds.h"
#include "stages/common/answers/answers-by-item.h"
#include "stages/common/answers/gathering.h"
#include "figure-rows.h"

/* Adds the columns that TABLE has of ORDERED classes, and of INTERVALS. */
void sl_pairs_columns (SlTable *table, gboolean ordered, gboolean intervals);

/* Writes a row for each two annotators of CROWD with an item in common that ORDER wants to
 * run->out. VALUE: what classes stand for; NULL: they are names. */
gboolean sl_pairs_write (SlGathering *crowd, const SlByItem *by, const double *value, double level,
                         const SlRowOrder *order, SlTable *table, GError **error);
