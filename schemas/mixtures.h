/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mixtures: one row is one mixture of two items, or what one person saw in it. */
#pragma once

#include "pipeline/table/batch.h"

enum
{
  SL_MIXTURES_ITEM,
  SL_MIXTURES_ANNOTATOR,
  SL_MIXTURES_FIRST,
  SL_MIXTURES_SECOND,
  SL_MIXTURES_FIRST_CLASS,
  SL_MIXTURES_SECOND_CLASS,
  SL_MIXTURES_LAMBDA,
  SL_MIXTURES_HUMAN,
  SL_MIXTURES_CONFIDENCE,
  SL_MIXTURES_LABEL,
  SL_MIXTURES_WEIGHT,
  SL_MIXTURES_REPEAT,
};

extern const SlKind sl_mixtures;

/* That TABLE, read from NAME, has the columns of the bits of COLUMNS. */
gboolean sl_mixtures_require (const SlTable *table, guint32 columns, const char *name,
                              GError **error);
