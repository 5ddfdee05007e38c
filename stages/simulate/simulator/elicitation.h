/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Simulated answers about items, as rows of a table: annotations, or the labels of each. */
#pragma once

#include "pipeline/command/run.h"
#include "elicitor.h"

/* Columns that both kinds have in the same place. */
enum
{
  SL_ELICITED_ITEM,
  SL_ELICITED_ANNOTATOR,
};

typedef struct
{
  gint64 annotators; /* answers an item */
  double gamma;      /* labels: as of redistribute */
  double step;       /* percents are multiples of it; 0: any number */
  int group;         /* SlGroup of all items; -1: by their entropy */
} SlElicitationSettings;

typedef struct
{
  SlRun *run;
  SlTable *table;
  SlBuilder *builder;
  const SlSimulator *simulator;
  SlElicitationSettings settings;
  SlElicitor elicitor;
  guint32 purpose;
  GString *names; /* of the annotators */
  gint32 *offset; /* [annotators + 1] */
  guint64 *key;   /* [annotators] */
  SlElicited *answers;
} SlElicitation;

/* TABLE has been started as the run's output. */
void sl_elicitation_init (SlElicitation *elicitation, SlRun *run, SlTable *table,
                          const SlSimulator *simulator, const SlElicitationSettings *settings);
void sl_elicitation_clear (SlElicitation *elicitation);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlElicitation, sl_elicitation_clear)

/* Items of which something is known. */
typedef struct
{
  gint64 n;
  SlText name;
  const double *share; /* [n][n_classes], up to a factor each */
  const gint32 *gold;  /* -1: not known; may be NULL where the table has no gold */
} SlElicitedItems;

gboolean sl_elicitation_add (SlElicitation *elicitation, const SlElicitedItems *items,
                             GError **error);
gboolean sl_elicitation_end (SlElicitation *elicitation, GError **error);
