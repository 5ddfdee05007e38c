/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the rows of predictions, or labels, to cases. */
#pragma once

#include "cases.h"
#include "reference.h"
#include "stages/common/items/item-values.h"

/* What --by tells apart besides tags. */
typedef enum
{
  SL_BY_CLASS = 1 << 0,
  SL_BY_ENTROPY = 1 << 1,
  SL_BY_RUN = 1 << 2,
  SL_BY_ANNOTATOR = 1 << 3,
  SL_BY_QUESTION = 1 << 4,
} SlBy;

/* Where y comes from. */
typedef enum
{
  SL_CLASS_OF_TARGET, /* the largest class of the target */
  SL_CLASS_COLUMN,    /* the column gold of the table, else of --against */
  SL_CLASS_FILE,      /* a file */
  SL_CLASS_ANSWER,    /* what the row's annotator has answered, by --against */
} SlClassSource;

/* A table that is scored. */
typedef struct
{
  char *name;
  char *provenance; /* or NULL */
} SlScoredFile;

/* Rows of one run under one condition: each item is there once. */
typedef struct
{
  SlCaseKey key;
  guint file; /* of SlScoring.files */
  gint64 n;
  guint64 *seen; /* a bit for each item */
  gsize words;   /* of them */
  guint64 mark;  /* of what is said of the first items: the same where all of it is, in any order */
} SlScoredSet;

static inline gboolean
sl_scored_set_has (const SlScoredSet *set, gint32 item)
{
  return (gsize) item / 64 < set->words && set->seen[item / 64] >> (item % 64) & 1;
}

typedef struct
{
  SlRun *run;
  SlReference *against;     /* NULL: nothing to compare with but classes */
  const SlItemValues *gold; /* of SL_CLASS_FILE */
  /* By whose targets' entropies SL_BY_ENTROPY goes; NULL: those of `against`, or the row's own. */
  SlReference *entropies;
  SlClassSource source;
  gboolean wants_class, inner;
  gboolean said;    /* tables are annotations */
  gboolean on_line; /* some metric takes the classes' order for a line */
  SlBy by;
  const double *edges; /* [n_edges]: where groups of entropy begin */
  gint32 n_edges;
  SlTable *table;   /* the first file's header: its classes' order is that of all */
  char *first_name; /* what that file is called */
  SlCasePlan plan;
  SlItemBlock how; /* clip, cost and the like, for every block */
  SlCases cases;
  SlIntern *items;       /* those of `against`; else of all rows so far */
  SlIntern *texts;       /* of conditions and annotators */
  const char *questions; /* parts items from questions; or NULL */
  SlIntern *asked;       /* the items that questions are asked of; or NULL */
  GPtrArray *files;      /* SlScoredFile */
  GPtrArray *sets;       /* SlScoredSet */
  GHashTable *by_set;
  SlScoredSet *last_set;
  GPtrArray *tags;  /* SlTags: of each file, or of each kind of its rows that has tags of its own */
  guint first_tags; /* of the file that is read */
  SlIntern *row_tags; /* of that file: what its rows' tags are, as `tags` from first_tags on */
  gint64 n_left_out;
  char *left_out; /* an item of those */
  GArray *judged; /* gint32, of items: the class that a row was judged by, and one; 0: none */
  gint64 n_rows, n_with_class;
  gint32 next_item; /* whose row comes next, where both sides are in one order */
  gsize claimed;
  struct _SlBlockRoom *room;
} SlScoring;

void sl_scoring_clear (SlScoring *scoring);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlScoring, sl_scoring_clear)

/* Begins; what of the struct comes before `cases` is set. */
void sl_scoring_init (SlScoring *scoring);

/* Says that the table NAME has its classes in another order, where some metric looks at that. */
void sl_scoring_tell_order (SlScoring *scoring, const char *name);

/* Reads all of READER, the next file. */
gboolean sl_scoring_read (SlScoring *scoring, SlReader *reader, GError **error);

/* ---- scored-rows.c ---- */

/* The column of TABLE's kind that names annotators. */
int sl_annotator_column (const SlTable *table);

/* Whether rows of TABLE have tags of their own. */
gboolean sl_has_row_tags (const SlTable *table);

/* Adds to `tags` those of TABLE, and with BATCH those of its row ROW. */
void sl_scoring_add_tags (SlScoring *scoring, const SlBatch *batch, const SlTable *table,
                          gint64 row);

/* room->id, room->row and room->set of BATCH; *N <- how many rows are scored. */
gboolean sl_scoring_choose_rows (SlScoring *scoring, const SlBatch *batch, gint64 *n,
                                 GError **error);

/* ---- scored-block.c ---- */

/* A batch's rows to be scored: those with a partner, classes in the order of SCORING's table. */
typedef struct _SlBlockRoom
{
  gint64 room;                          /* rows */
  gint32 *id;                           /* of the item; -1: it has no partner */
  gint32 *row;                          /* [n]: of the batch, those that are scored */
  gint32 *gold;                         /* [n] */
  SlScoredSet **set;                    /* [n]: that each of them is part of */
  double *prob, *logit, *target, *loss; /* [n] or [n][n_classes] */
  double *figure[SL_N_FIGURES];
} SlBlockRoom;

/* N rows of BATCH, room->row[n], become SCORING's block with its figures. MAP: of the batch's
 * classes, NULL: they are the same. */
gboolean sl_block_make (SlScoring *scoring, const SlBatch *batch, const gint32 *map, gint64 n,
                        SlItemBlock *block, GError **error);

/* The same of a batch of annotations. */
gboolean sl_block_of_answers (SlScoring *scoring, SlBatch *batch, gint64 n, SlItemBlock *block,
                              GError **error);

SlBlockRoom *sl_block_room_new (void);
void sl_block_room_free (SlBlockRoom *room);
gboolean sl_block_reserve (SlScoring *scoring, gint64 rows, GError **error);
