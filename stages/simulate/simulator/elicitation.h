/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Simulated answers about items, as rows of a table: annotations, or the labels of each. */
#pragma once

#include "pipeline/command/run.h"
#include "stages/simulate/crowd/assignment.h"
#include "stages/simulate/crowd/crowd-people.h"
#include "elicitor.h"

/* Columns that both kinds have in the same place. */
enum
{
  SL_ELICITED_ITEM,
  SL_ELICITED_ANNOTATOR,
};

typedef struct
{
  gint64 annotators, first; /* how many; the number of the first, from 1 */
  gboolean study;           /* write what a study records beside answers, too */
  gint64 answers;           /* of each item, 0 < answers <= annotators */
  gboolean alike;           /* all annotators; else each is like one of the people */
  double gamma;             /* labels: as of redistribute */
  double step;              /* percents are multiples of it; 0: any number */
  int group;                /* SlGroup of all items; -1: by their entropy */
} SlElicitationSettings;

typedef struct
{
  SlRun *run;
  SlTable *table;
  SlBuilder *builder;
  const SlSimulator *simulator;
  SlElicitationSettings settings;
  SlElicitor elicitor;
  guint32 purpose, check_purpose;
  GString *names; /* of the annotators */
  gint32 *offset; /* [annotators + 1] */
  guint64 *key;   /* [annotators] */
  gint32 *person; /* [annotators]: whom each is like, as of sl_elicit() */
  double *pace;   /* [annotators]: how slow each is, of N (0, 1) */
  double *theta;  /* [annotators][n_classes][n_classes]: running sums of what each says who sees a
                    class; NULL: just that */
  double *attention;       /* [annotators]: the share of attention checks that each gets right */
  SlAssignment assignment; /* who answers about an item, where not all do */
  SlElicited *answers;
  gint64 written, whole; /* rows; all there will be, 0 where progress is told by who reads */
} SlElicitation;

/* TABLE has been started as the run's output. */
void sl_elicitation_init (SlElicitation *elicitation, SlRun *run, SlTable *table,
                          const SlSimulator *simulator, const SlElicitationSettings *settings);
void sl_elicitation_clear (SlElicitation *elicitation);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlElicitation, sl_elicitation_clear)

/* Annotators take classes for one another: each is of one of the types of MIX, of SlCrowdPart, or,
 * where that is NULL, like one of OTHERS. Before the first items. */
gboolean sl_elicitation_confuse (SlElicitation *elicitation, const GArray *mix,
                                 const SlCrowdPeople *others, GError **error);

/* Items of which something is known. */
typedef struct
{
  gint64 n;
  SlText name;
  const double *share; /* [n][n_classes], up to a factor each */
  const gint32 *gold;  /* -1: not known; may be NULL where the table has no gold */
} SlElicitedItems;

/* Of a study, all ITEMS are added at a time: an annotator's answers to them are numbered. */
gboolean sl_elicitation_add (SlElicitation *elicitation, const SlElicitedItems *items,
                             GError **error);
gboolean sl_elicitation_end (SlElicitation *elicitation, GError **error);
