/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The right class of each item, as labels tell: their gold, or else their likeliest class. */
#pragma once

#include "pipeline/base/intern/intern.h"
#include "stages/report/report.h"

typedef struct
{
  SlIntern *items;
  GArray *code; /* gint32 by item: of CLASSES */
  char **classes;
  gint32 n_classes;
  gboolean by_gold, by_label; /* what any of it was taken from */
  gsize claimed;
} SlKnownClasses;

/* Items that an earlier table had keep what they have. */
gboolean sl_known_classes_take (SlKnownClasses *known, SlReport *report, const SlBatch *labels,
                                GError **error);
void sl_known_classes_clear (SlKnownClasses *known);

/* -1: not known */
gint32 sl_known_classes_find (const SlKnownClasses *known, const char *item, gsize length);
