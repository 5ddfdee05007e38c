/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Entropies of what a table's answers say of its items. */
#pragma once

#include "pipeline/base/intern/intern.h"
#include "pipeline/command/run.h"
#include "stages/common/answers/tally.h"

typedef struct
{
  SlIntern *items;
  double *entropy; /* [items], in nats; NaN where no answer counts */
} SlEntropies;

/* Of what TALLY says of ITEMS, which becomes ENTROPIES' own. */
void sl_entropies_init (SlEntropies *entropies, SlIntern *items, const SlTally *tally);

/* Sums READER's answers (annotations or labels) by item. */
gboolean sl_entropies_read (SlEntropies *entropies, SlRun *run, SlReader *reader, GError **error);

/* The same of the file of --entropy-from. */
gboolean sl_entropies_open (SlEntropies *entropies, SlRun *run, const char *path, GError **error);
void sl_entropies_clear (SlEntropies *entropies);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlEntropies, sl_entropies_clear)

/* NaN: the item is not there, or has no answer. */
double sl_entropies_find (const SlEntropies *entropies, const char *item, gsize length);
