/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts a table's rows into those that are chosen and the others. */
#pragma once

#include "pipeline/base/intern/intern.h"
#include "pipeline/command/run.h"
#include "stages/common/tables/condition.h"

enum
{
  SL_OTHER, /* an item that is not chosen */
  SL_CHOSEN,
  SL_UNKNOWN, /* nothing is known of it that would say whether it is */
};

typedef struct
{
  SlRun *run;
  int column;         /* of items */
  SlIntern *items;    /* those that are spoken of; NULL where rows are chosen by conditions */
  guint8 *chosen;     /* [items]: SL_CHOSEN and so on; NULL: all of them are */
  guint8 *seen;       /* [items]: the table has it; NULL where that does not matter */
  const char *from;   /* the file that must know all of the table's items; NULL: none must */
  GArray *conditions; /* of SlCondition */
  gboolean inverted;  /* the others are wanted */
  gboolean missing_ok;
  gint64 n_unknown; /* rows */
  gint64 n_rows, n_kept;
  guint8 *keep;
  gint32 *ids;
  gint64 room; /* rows there is room for in both */
} SlSelection;

void sl_selection_init (SlSelection *selection, SlRun *run, int column);
void sl_selection_clear (SlSelection *selection);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlSelection, sl_selection_clear)

/* Parses TEXTS (NULL: none), and finds their columns in TABLE. */
gboolean sl_selection_add_conditions (SlSelection *selection, char *const *texts,
                                      const SlTable *table, GError **error);

/* Copies the rows of run->in: the chosen ones to run->out, the others to REST unless it is NULL. */
gboolean sl_selection_copy (SlSelection *selection, SlWriter *rest, GError **error);

/* Afterwards: tells of items that are not there, NAME being where they were named; an error unless
 * that is allowed. */
gboolean sl_selection_tell (const SlSelection *selection, const char *name, GError **error);
