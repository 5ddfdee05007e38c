/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What predictions are compared with: a distribution and, where it is known, a gold class for each
 * item. */
#pragma once

#include "pipeline/base/intern/intern.h"
#include "pipeline/command/run.h"

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
