/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Labels by item, from tables of labels, of annotations, of teachers' predictions and of
 * mixtures. */
#pragma once

#include "stages/train/batches/targets.h"
#include "pipeline/base/intern/intern.h"
#include "pipeline/command/run.h"
#include "stages/common/items/row-tags.h"

/* What rows say, in the order of reading. */
typedef struct
{
  SlRun *run;
  char **classes; /* NULL-terminated: of the first table that has some */
  gsize k;
  GArray *pool;      /* gint32, by row: whose */
  GArray *label;     /* float [rows][k]; NULL: votes */
  GArray *vote;      /* gint32, by row; NULL: distributions */
  GArray *weight;    /* double, by row */
  GArray *annotator; /* gint32, by row; NULL where nobody asks */
  SlIntern *annotators;
  gboolean votes_alone; /* whose distributions are no answers */
  gint32 *gold;         /* [items]: as the tables say; -1: not known */
  gint64 n_strange;     /* rows of items without an example */
  gsize claimed;
  char **attributes;    /* names of those of annotators that are looked at, NULL-terminated */
  SlAnnotatorTags tags; /* of these */
} SlLabelRows;

void sl_label_rows_init (SlLabelRows *rows, SlRun *run, gint32 n_items, gboolean named);
void sl_label_rows_clear (SlLabelRows *rows);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlLabelRows, sl_label_rows_clear)

/* The classes of TABLE, read from NAME, are those of ROWS, in any order, or become them. map: to be
 * freed with g_free(). */
gint32 *sl_label_rows_map (SlLabelRows *rows, const SlTable *table, const char *name,
                           GError **error);

/* Adds one row of POOL; LABEL is of other classes, which MAP makes those of ROWS. */
gboolean sl_label_rows_add (SlLabelRows *rows, gint32 pool, const double *label, const gint32 *map,
                            gint32 n_classes, double weight, GError **error);

/* Reads a table of labels or annotations, about ITEMS; items that have rows already keep them as
 * they are. */
gboolean sl_label_rows_read (SlLabelRows *rows, const char *option, const char *path,
                             const SlIntern *items, GError **error);

/* Reads a table of predictions; each of its runs is one teacher. The rows' weight is 1. */
gboolean sl_label_rows_read_teacher (SlLabelRows *rows, const char *option, const char *path,
                                     const SlIntern *items, double temperature, GError **error);

/* The rows as POOLS of N, whose arrays are to be freed with sl_pools_free_arrays(); *ANNOTATOR (or
 * NULL) is who gave each row of a pool, to be freed with g_free(). Annotators become
 * numbered in the order of their names, which depends on no order of rows. */
void sl_label_rows_pool (SlLabelRows *rows, gsize n, SlPools *pools, gint32 **annotator);
void sl_pools_free_arrays (SlPools *pools);
