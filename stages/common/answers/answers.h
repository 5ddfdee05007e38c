/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Items and the answers to them, as methods are given them: arrays. The structures by which an
 * answer comes to a method, in their order:
 *
 *     SlRowVotes       below: the rows of one batch, each as votes for classes
 *     SlTally          tally.h: the sums of an item's votes; enough for methods without annotators
 *     SlCollected      answer-rows.h: every answer in row order, and who gave it; grows
 *     SlAnswers        below: the arrays of the same, as a method is given them
 *     SlDistinct       repeated-answers.h of the methods: without those that only repeat another
 *     SlByItem         answers-by-item.h: the answers item by item, cut into parts for threads
 *     SlPackedAnswers  packed-answers.h of EM: one number an answer, in the order in which EM reads
 *
 * Before that, ingest's formats fill rows of texts (stages/ingest/), which become the table. */
#pragma once

#include "pipeline/base/texts.h"

/* What rows say about their items, whichever kind of table they come from (votes-of-batch.h). A row
 * of annotations is `count` votes for its first choice, or where percents are wanted, as many
 * shared among the classes as these say; a row of labels is `weight` votes, shared as its
 * distribution says, a row of predictions one. Attention checks and rows of excluded annotators are
 * not there. */
typedef struct
{
  struct _SlBatch *batch; /* whose memory most of it is */
  gint64 n;
  SlText item;
  SlText annotator;         /* .offset is NULL where nobody is named */
  const double *label;      /* [n][n_classes]; NULL: votes */
  const double *weight;     /* [n], where there are labels */
  const gint32 *vote;       /* [n], of annotations */
  const gint64 *count;      /* [n]; NULL: 1 each */
  const gint32 *gold;       /* [n]; NULL: not known */
  gint32 *votes;            /* memory behind `vote`, where it is not the batch's */
  double *labels, *weights; /* likewise behind `label` and `weight` */
  gint64 *row;              /* [n]: the table's row, from 0; NULL: batch->first_row and on */
} SlRowVotes;

/* Items and annotators go by their names (sl_gathering_arrange()), so that what a method draws by
 * their places, and sums up in their order, does not depend on the order of rows. */
typedef struct
{
  gint32 n_items, n_classes;
  /* [n_items][n_classes]: the sums of the votes for each class in, the item's label out */
  double *label;
  const double *weight; /* [n_items]: the votes behind it, more than 0 */
  const gint32 *gold;   /* [n_items]: -1 not known; NULL where the table has none */
  const guint64 *key;   /* [n_items]: for random numbers; NULL: the items' places */
} SlItems;

typedef struct _SlCollected SlCollected; /* answer-rows.h */

/* Every answer, by item, annotator, answer and count, but in any order where it may be spent; for
 * methods that must see who gave it. */
typedef struct
{
  gint64 n_answers;
  gint32 n_annotators;
  const gint32 *item, *annotator; /* [n_answers] */
  /* [n_answers]; NULL where the answers are distributions and nothing else. With distributions of
   * annotations' percents: the first choices. */
  const gint32 *answer;
  const double *distribution; /* [n_answers][n_classes]; NULL for a method that takes votes */
  const double *count;        /* [n_answers]: identical votes behind each; NULL: 1 each */
  const double *prediction;   /* [n_items][n_classes]: a model's; NULL unless asked for */
  SlCollected *spend; /* whose arrays these are, where nobody reads them after the fit and it may
                         give them up as it goes; NULL otherwise */
} SlAnswers;
