/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a simulator is fitted to: the shares that people give, how many classes they leave possible, and
 * which classes go together. */
#pragma once

#include "stages/common/convert.h"
#include "stages/common/tally.h"
#include "stages/common/entropies.h"
#include "simulator.h"

typedef struct
{
  gint64 answers;
  GArray *first, *second; /* of double: shares of the first and second choice */
  double *
      alternatives; /* [n_classes]: answers that leave so many classes possible, besides the first choice */
  GArray *entropy; /* of double: of each answer's label; empty where nobody asks */
} SlObservedGroup;

typedef struct
{
  SlRun *run;
  gint32 n_classes;
  SlConversion conversion;
  const SlEntropies *entropies; /* of the items; NULL: all are of one group */
  double threshold;
  SlObservedGroup group[SL_N_GROUPS];
  double *likeness, *mass; /* as sl_likeness_add() sums them; NULL: nobody asks */
  SlIntern *items;         /* and what all answers say of each; NULL: nobody asks */
  SlTally tally;
  gboolean finished; /* of answers, too, the labels that they become: see fit.c's authors */
  gint64 untyped;    /* first choices without a percent */
  gsize claimed;
} SlObserved;

void sl_observed_init (SlObserved *observed, SlRun *run, gint32 n_classes, gboolean drop_repeats);

/* Which classes go together is wanted. */
gboolean sl_observed_collect_likeness (SlObserved *observed, GError **error);
void sl_observed_clear (SlObserved *observed);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlObserved, sl_observed_clear)

/* Entropies are wanted, too: of each answer's label, and of what all answers say of each item. */
void sl_observed_collect_entropies (SlObserved *observed);

/* As the authors' code has it: shares are those of finished labels, the first the largest probability,
 * the second the largest that is less. */
void sl_observed_finish_labels (SlObserved *observed);

/* Adds all rows of READER: annotations with percents, or labels. */
gboolean sl_observed_read (SlObserved *observed, SlReader *reader, GError **error);
