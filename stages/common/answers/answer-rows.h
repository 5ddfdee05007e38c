/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All answers in row order, for methods that must see who gave each. */
#pragma once

#include "pipeline/base/intern/intern.h"
#include "answers.h"

struct _SlCollected
{
  SlIntern *annotators;
  gboolean anonymous; /* nobody asks whose answers they are: all are one annotator's */
  gint32 n_classes;
  GArray *item, *annotator; /* gint32, by answer */
  GArray *answer;           /* gint32, by answer; NULL where distributions are all there is */
  GArray *distribution;     /* [answers][n_classes]; NULL where they are votes */
  GArray *count;            /* double, by answer; NULL until one is not 1 */
};

/* LABELS: the answers are distributions. */
void sl_collected_init (SlCollected *collected, gint32 n_classes, gboolean labels,
                        gboolean anonymous, int threads);
/* ... and first choices besides. */
void sl_collected_add_choices (SlCollected *collected);
void sl_collected_clear (SlCollected *collected);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlCollected, sl_collected_clear)

/* Forgets the answers, not the annotators. */
void sl_collected_empty (SlCollected *collected);

/* Votes become cells, annotator × n_classes + class, in the place of the annotators: 4 bytes an
 * answer fewer. No more may be added then. */
const guint32 *sl_collected_merge (SlCollected *collected);

/* The answers' memory goes; the annotators stay. */
void sl_collected_drop (SlCollected *collected);

/* Adds rows FROM .. TO - 1 of ROWS, about ids[FROM .. TO - 1]. Rows of weight 0 are no answers. */
gboolean sl_collected_add (SlCollected *collected, const SlRowVotes *rows, const gint32 *ids,
                           gint64 from, gint64 to, GError **error);
gsize sl_collected_bytes (const SlCollected *collected);
gsize sl_collected_answer_bytes (const SlCollected *collected); /* of one answer more */

/* The arrays are COLLECTED's, and good until more is added. */
SlAnswers sl_collected_answers (const SlCollected *collected);

/* Items and annotators get the numbers that item_number[] and annotator_number[] (or NULL) have. */
void sl_collected_renumber (SlCollected *collected, const gint32 *item_number,
                            const gint32 *annotator_number, int threads);

/* Sorts the answers by item, annotator, answer and count. Takes as much memory again as they. */
void sl_collected_sort (SlCollected *collected, gint32 n_items, int threads);
