/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a whole table of answers: the items, the sums of their votes and, where they are wanted,
 * all single answers. */
#pragma once

#include "pipeline/command/run.h"
#include "answer-rows.h"
#include "tally.h"
#include "votes-of-batch.h"

typedef struct
{
  SlRun *run;
  SlReader *from;
  int threads; /* for what a batch says, while another one reads the next */
  SlIntern *items;
  SlTally tally;
  SlCollected answers; /* .annotators is NULL unless they are collected */
  gint32 *ids;         /* of a batch's rows */
  gint64 ids_room;
  gsize claimed;     /* bytes */
  gboolean sortable; /* the stage has --sorted, for who has no room */
  /* Looks at each batch, too, before it is added; or NULL. */
  gboolean (*look) (gpointer data, SlBatch *batch, GError **error);
  gpointer look_data;
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
