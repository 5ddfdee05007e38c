/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of figures about items, annotators or pairs of these: which are written, in which order. */
#pragma once

#include "pipeline/base/intern/intern.h"
#include "pipeline/command/run.h"
#include "schemas/kinds.h"
#include "stages/common/answers/answers-by-item.h"
#include "stages/common/answers/gathering.h"

#include <glib.h>

typedef struct
{
  char *sort; /* a column; NULL: as the items or annotators come */
  gboolean ascending;
  gint64 top;         /* 0: all */
  gint64 min_answers; /* 0: all */
} SlRowOrder;

/* FALSE and ERROR: `sort` names no column of numbers of TABLE. */
gboolean sl_row_order_check (const SlRowOrder *order, const SlTable *table, GError **error);

/* By the kind's columns: value[column][row], NULL where the table does not have the column. The
 * first column is the name, the second how many answers there are. */
typedef struct
{
  gint32 n;
  double *value[SL_MAX_COLUMNS];
} SlFigureRows;

/* Room for N rows of TABLE; missing until they are set. */
gboolean sl_figure_rows_init (SlFigureRows *rows, SlRun *run, const SlTable *table, gint32 n,
                              GError **error);
void sl_figure_rows_clear (SlFigureRows *rows);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlFigureRows, sl_figure_rows_clear)

/* Writes the rows that ORDER wants to run->out; row I has the name of number[I] (NULL: of I), and
 * TAGS of row I, unless they are NULL. */
gboolean sl_figure_rows_write (const SlFigureRows *rows, SlRun *run, SlTable *table,
                               const SlIntern *names, const gint32 *number, const SlRowOrder *order,
                               const SlRowTags *tags, GError **error);

/* The rows with at least LEAST ANSWERS, in the order of VALUE, the largest first unless ASCENDING;
 * those without a value come last, and equal ones stay in their order. VALUE NULL: all stay. *N
 * becomes how many there are, TOP at most (0: no limit). To be freed with g_free(). */
gint32 *sl_order_rows (const double *value, const double *answers, double least, gboolean ascending,
                       gint64 top, gint32 *n);

/* ---- pairs of annotators ---- */

/* Adds the columns that TABLE has of ORDERED classes, and of INTERVALS. */
void sl_pairs_columns (SlTable *table, gboolean ordered, gboolean intervals);

/* Writes a row for each two annotators of CROWD with an item in common that ORDER wants to
 * run->out. VALUE: what classes stand for; NULL: they are names. */
gboolean sl_pairs_write (SlGathering *crowd, const SlByItem *by, const double *value, double level,
                         const SlRowOrder *order, SlTable *table, GError **error);
