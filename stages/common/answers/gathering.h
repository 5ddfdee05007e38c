/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a whole table of answers: items, the sums of their votes and, if wanted, each answer. */
#pragma once

#include "answer-rows.h"
#include "answers.h"
#include "pipeline/command/run.h"
#include "stages/common/items/row-tags.h"
#include "tally.h"
#include "votes-of-batch.h"

/* Answers parted by an attribute of their annotators: what those of one value say of an item is an
 * item by itself. Its name, here, is the item's, a NUL, which no name has, and the value. */
typedef struct
{
  int column; /* of the answers' table; 0: they are not parted */
  const char *source;
  SlAnnotatorTags tags; /* sees that every annotator is of one part */
  gint64 n_without;     /* rows of no part, which are left out */
  GByteArray *names;    /* of the batch at hand */
  GArray *offsets;
} SlParting;

void sl_parting_init (SlParting *parting, const SlTable *answers, int column, const char *source);
void sl_parting_clear (SlParting *parting);

/* The rows of BATCH that are of a part. */
SlBatch *sl_parting_rows (SlParting *parting, SlBatch *batch, GError **error);

/* The items of ROWS, all of which are of a part, become those of the parts, until the next call. */
gboolean sl_parting_name (SlParting *parting, SlRowVotes *rows, GError **error);

/* How long the item's own name is, in NAME[length]. */
static inline gsize
sl_parting_item (const char *name, gsize length)
{
  const char *end = memchr (name, '\0', length);
  return end != NULL ? (gsize) (end - name) : length;
}

typedef struct
{
  SlRun *run;
  SlReader *from;
  int threads; /* for what a batch says, while another one reads the next */
  SlIntern *items;
  SlTally tally;
  SlCollected answers; /* .annotators is NULL unless they are collected */
  /* Once arranged: the place of the items in the order of first appearance, and of annotators;
   * NULL: they are in that order. */
  gint32 *item_place, *annotator_place;
  gint32 *ids; /* of a batch's rows */
  gint64 ids_room;
  gsize claimed;     /* bytes */
  gboolean sortable; /* the stage has --sorted, for who has no room */
  gboolean percents; /* answers are what annotations' percents say, not first choices alone */
  /* Looks at each batch, too, before it is added; or NULL. */
  gboolean (*each) (gpointer data, SlBatch *batch, GError **error);
  gpointer each_data;
  SlRowTags tags; /* of items, in the order of first appearance */
  SlParting parting;
} SlGathering;

/* FROM: run->in, whose progress is shown, or another table. */
void sl_gathering_init (SlGathering *gathering, SlRun *run, SlReader *from);
void sl_gathering_clear (SlGathering *gathering);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlGathering, sl_gathering_clear)

/* All answers are wanted; NAMED: with who gave them. */
void sl_gathering_collect (SlGathering *gathering, gboolean named);

static inline gboolean
sl_gathering_collects (const SlGathering *gathering)
{
  return gathering->answers.annotators != NULL;
}

gboolean sl_gathering_read (SlGathering *gathering, GError **error);

/* Items and annotators get the places that their names have (sl_intern_order()), and answers, but
 * with SPEND, stand by item, annotator and answer: what is computed of them from here on does not
 * depend on the order of rows, to the last bit. gathering->items are as they were,
 * gathering->answers.annotators go by the new places. */
gboolean sl_gathering_arrange (SlGathering *gathering, gboolean spend, GError **error);

/* values[n_items], of SIZE bytes each, from the order of gathering->items to the items' places. */
void sl_gathering_arrange_values (const SlGathering *gathering, gpointer values, gsize size);

/* [n_items], by place: the items' keys for random numbers; to be freed with g_free(). */
guint64 *sl_gathering_keys (const SlGathering *gathering);

/* The place of the item that is number I of gathering->items. */
static inline gint32
sl_gathering_place (const SlGathering *gathering, gint32 i)
{
  return gathering->item_place != NULL ? gathering->item_place[i] : i;
}

/* The same of annotators. */
static inline gint32
sl_gathering_annotator_place (const SlGathering *gathering, gint32 a)
{
  return gathering->annotator_place != NULL ? gathering->annotator_place[a] : a;
}
