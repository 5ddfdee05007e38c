/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What predictions are compared with: each item's distribution and, where known, gold class. */
#pragma once

#include "pipeline/base/intern/intern.h"
#include "pipeline/command/run.h"
#include "stages/common/items/item-values.h"
#include "cases.h"

typedef struct
{
  char *name; /* of the table */
  SlTable
      *table; /* its header: the order of the classes is its, or that of sl_reference_follow() */
  SlIntern *items;
  GArray *target; /* double, [items][n_classes] */
  GArray *gold;   /* gint32, [items]; -1: not known */
  gboolean has_gold;
  gboolean moved;       /* its classes stood in another order */
  SlIntern *annotators; /* of answers; NULL: they are not kept */
  GHashTable *answers;  /* gint64, annotator × 2^32 + item: class + 1 */
  gsize claimed;
} SlReference;

/* Reads all of the table PATH, which OPTION names, or with OPTION NULL is one of the files: labels,
 * one an item; predictions of one run; or annotations, of which the shares of the votes are taken,
 * and with ANSWERS who said what is kept. */
gboolean sl_reference_read (SlReference *reference, SlRun *run, const char *option,
                            const char *path, gboolean answers, GError **error);
/* Its classes go in the order of TABLE's, which is called NAME and has the same ones. */
gboolean sl_reference_follow (SlReference *reference, SlTable *table, const char *name,
                              GError **error);
void sl_reference_clear (SlReference *reference);

static inline gint32
sl_reference_size (const SlReference *reference)
{
  return sl_intern_size (reference->items);
}

static inline const double *
sl_reference_target (const SlReference *reference, gint32 item)
{
  return (const double *) (gconstpointer) reference->target->data
         + (gsize) item * (gsize) reference->table->n_classes;
}

/* What ANNOTATOR has answered to ITEM, the first time; -1: nothing. */
gint32 sl_reference_answer (const SlReference *reference, gint32 item, const char *annotator,
                            gsize length);

/* What an item is called, for messages; to be freed. */
char *sl_item_shown (const SlIntern *items, gint32 item);

/* ---- items that several tables have ---- */

/* Tables whose item i is the same: the items of the first, in its order, that all of them have. */
typedef struct
{
  gint64 n;
  gint32 *item; /* [n]: numbers in the first table */
  double *first, *second,
      *against; /* [n][n_classes], in the first table's order of classes; AGAINST may be NULL */
  gint32 *gold; /* [n]; NULL: not wanted */
  const char *moved; /* a table whose classes stand in another order than the first's; or NULL */
} SlAligned;

/* AGAINST and GOLD may be NULL; WANTS_GOLD: the column of whichever table has it, or GOLD's. That a
 * table lacks items of another is an error, or with INNER told. */
gboolean sl_aligned_make (SlAligned *aligned, SlRun *run, const SlReference *first,
                          const SlReference *second, const SlReference *against,
                          const SlItemValues *gold, gboolean wants_gold, gboolean inner,
                          GError **error);
void sl_aligned_clear (SlAligned *aligned);

/* ---- a row for each item: compare --items ---- */

/* The names of what rows can be sorted by, NULL-terminated: columns of comparisons. */
extern const char *const sl_item_sorts[];

/* The figures that rows are made of, as bits. */
guint64 sl_item_table_figures (void);

/* Writes the rows to PATH: those whose largest class is the same in both, with SAME_TOP; the
 * largest first by SORT, one of the names, or -1: in the first table's order. */
gboolean sl_item_table_write (SlRun *run, const char *path, const SlReference *first,
                              const SlAligned *aligned, const SlScoredItems *items, int sort,
                              gboolean same_top, GError **error);
