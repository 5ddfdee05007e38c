/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a simulator is fitted to: the shares that people give, how many classes they leave possible,
 * and which classes go together. */
#pragma once

#include "stages/common/labels/convert.h"
#include "stages/common/answers/tally.h"
#include "stages/common/figures/item-entropies.h"
#include "stages/common/figures/vote-figures.h"
#include "simulator.h"

typedef struct
{
  gint64 answers;
  GArray *first, *second; /* of double: shares of the first and second choice */
  /* [n_classes]: answers that leave so many classes possible, besides the first choice */
  double *alternatives;
  GArray *entropy; /* of double: of each answer's label; empty where nobody asks */
} SlFitGroup;

typedef struct
{
  SlRun *run;
  gint32 n_classes;
  SlConversion conversion;
  const SlEntropies *entropies; /* of the items; NULL: all are of one group */
  double threshold;
  SlFitGroup group[SL_N_GROUPS];
  double *likeness, *mass; /* as sl_likeness_add() sums them; NULL: nobody asks */
  SlIntern *items;         /* and what all answers say of each; NULL: nobody asks */
  SlTally tally;
  SlIntern *annotators; /* and what each of them said; NULL: nobody asks */
  SlPanel people;
  GArray *taken;     /* of SlTaken, with the people; once these are taken, arranged */
  gboolean finished; /* answers count as the labels that they become: --estimator authors */
  gint64 untyped;    /* first choices without a percent */
  gsize claimed;
  double lightest, heaviest; /* weight of a label that counts */
} SlFitCounts;

void sl_fit_counts_init (SlFitCounts *counts, SlRun *run, gint32 n_classes);

/* Collects which classes go together. */
gboolean sl_fit_counts_collect_likeness (SlFitCounts *counts, GError **error);
void sl_fit_counts_clear (SlFitCounts *counts);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlFitCounts, sl_fit_counts_clear)

/* Collects entropies, too: of each answer's label, and of all answers to each item. */
void sl_fit_counts_collect_entropies (SlFitCounts *counts);

/* Takes shares as the authors' code does, from finished labels: the first is the largest
 * probability, the second the largest one below it. */
void sl_fit_counts_finish_labels (SlFitCounts *counts);

/* Collects whole answers, too; of labels there are none. */
void sl_fit_counts_collect_people (SlFitCounts *counts);

/* PEOPLE become those that were collected, in the order of their names, with PACE. */
void sl_fit_counts_take_people (SlFitCounts *counts, SlPanel *people, SlPace *pace);

/* Adds all rows of READER: annotations with percents, or labels. */
gboolean sl_fit_counts_read (SlFitCounts *counts, SlReader *reader, GError **error);
