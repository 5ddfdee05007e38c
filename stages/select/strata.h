/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The class by which each item is sorted before some are chosen: its gold class, or the likeliest
 * one of what its rows say together. */
#pragma once

#include "pipeline/base/intern/intern.h"
#include "pipeline/command/run.h"
#include "stages/common/answers/tally.h"

typedef enum
{
  SL_STRATIFY_NONE,
  SL_STRATIFY_GOLD,
  SL_STRATIFY_ARGMAX,
} SlStratify;

typedef struct
{
  SlRun *run;
  SlStratify by;
  int column; /* of gold, or of distributions; -1: of annotations, whose votes are counted */
  SlTally tally;
  gsize claimed;
  gint32 *ids; /* room for a batch's */
  gint64 ids_room;
} SlStrata;

/* FALSE where TABLE, which READER reads, does not have what is asked for. */
gboolean sl_strata_init (SlStrata *strata, SlRun *run, SlReader *reader, SlStratify by,
                         GError **error);
void sl_strata_clear (SlStrata *strata);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlStrata, sl_strata_clear)

/* Takes BATCH into account, whose rows are of the items ids[n_rows], by their numbers in ITEMS. */
gboolean sl_strata_add (SlStrata *strata, SlBatch *batch, const gint32 *ids, SlIntern *items,
                        GError **error);

/* The stratum of ITEM: 0 of items without a class, else 1 and the class. */
gint32 sl_strata_find (const SlStrata *strata, gint32 item);
