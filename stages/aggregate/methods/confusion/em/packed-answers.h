/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All answers in the order in which a pass over the items reads them: one number an answer, and no
 * branch that a processor could mispredict.
 *
 * Items are cut into chunks of equal size. Within a chunk they are sorted by how many answers they
 * have (stably), and their answers follow one another, each item's in the order of their cells.
 * Items with equally many answers are a stretch; a loop over a stretch has a fixed inner length.
 *
 * An answer is its cell: which annotator said which class. With all cells there, that is
 * annotator × n_classes + class; where most cells would be empty, those that occur are numbered
 * in the same order. */
#pragma once

#include "stages/common/methods/method.h"

typedef struct
{
  gint32 answers; /* of each item */
  gint32 items;
} SlStretch;

typedef struct
{
  gint32 n_items, n_classes, n_annotators;
  gint64 n_answers;
  gint32 chunk; /* items in each but the last */
  gint32 n_chunks;
  gint64 *start;         /* [n_chunks + 1]: the first answer of each chunk */
  gint64 *stretch_start; /* [n_chunks + 1]: the first stretch */
  SlStretch *stretch;
  guint16 *item; /* [n_items]: in that order, each counted from the first of its chunk */
  guint32 *cell; /* [n_answers] */
  gboolean weighted;
  double *weight; /* [n_answers]; NULL: 1 each */
  guint32 n_cells;
  guint32 *cell_start; /* [n_annotators + 1]: each one's first cell; NULL: all cells are there */
  gint32 *cell_class;  /* [n_cells]: the class answered; NULL likewise */
} SlPackedAnswers;

/* A distribution is packed as a vote for each class that has mass, weighted by it. CHUNK is a power
 * of 2, at most 65,536. Takes 4 bytes an answer (12 with weights) and 2 an item; while it works, 2
 * more an answer unless ANSWERS are in the order of the items. ANSWERS that may be spent are freed;
 * only their number stays. */
gboolean sl_packed_answers_init (SlPackedAnswers *packed, const SlItems *items,
                                 const SlAnswers *answers, gint32 chunk, int threads,
                                 GError **error);
void sl_packed_answers_clear (SlPackedAnswers *packed);

/* Leaves out the cells that do not occur, and numbers the others anew. */
gboolean sl_packed_answers_drop_cells (SlPackedAnswers *packed, GError **error);

/* The cells of annotator A are numbers FIRST .. FIRST + the result - 1. */
static inline gint32
sl_packed_answers_cells (const SlPackedAnswers *packed, gint32 a, gsize *first)
{
  *first
      = packed->cell_start != NULL ? packed->cell_start[a] : (gsize) a * (gsize) packed->n_classes;
  return packed->cell_start != NULL ? (gint32) (packed->cell_start[a + 1] - packed->cell_start[a])
                                    : packed->n_classes;
}

static inline gint32
sl_packed_answers_class (const SlPackedAnswers *packed, gsize first, gint32 i)
{
  return packed->cell_class != NULL ? packed->cell_class[first + (gsize) i] : i;
}

static inline gint32
sl_packed_answers_cell_class (const SlPackedAnswers *packed, guint32 cell)
{
  return packed->cell_class != NULL ? packed->cell_class[cell]
                                    : (gint32) (cell % (guint32) packed->n_classes);
}

/* Cuts the chunks into LANES with about as many answers in each: START[lanes + 1]. */
void sl_packed_answers_cut (const SlPackedAnswers *packed, gint32 lanes, gint32 *start);

/* Memory for n × m values of SIZE bytes, not set, 64-byte aligned, to be freed by free (); NULL
 * and ERROR, naming WHAT, where there is none. */
gpointer sl_aligned_new (gsize n, gsize m, gsize size, const char *what, GError **error);
