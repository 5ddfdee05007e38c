/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The entropies of what a table's answers say of its items. */
#pragma once

#include "../../pipeline/intern.h"
#include "../../pipeline/run.h"
#include "../aggregate/tally.h"

typedef struct
{
  SlIntern *items;
  double *entropy; /* [items], in nats; NaN where no answer counts */
} SlRoutes;

/* Of what TALLY says of ITEMS, which becomes ROUTES' own. */
void sl_routes_init (SlRoutes *routes, SlIntern *items, const SlTally *tally);

/* Sums READER's answers (annotations or labels) by item. */
gboolean sl_routes_read (SlRoutes *routes, SlRun *run, SlReader *reader, GError **error);
void sl_routes_clear (SlRoutes *routes);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlRoutes, sl_routes_clear)

/* NaN: the item is not there, or has no answer. */
double sl_routes_entropy (const SlRoutes *routes, const char *item, gsize length);
