/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The annotators of a simulated crowd: their names, and how each answers. */
#pragma once

#include "pipeline/command/run.h"
#include "crowd-mix.h"

typedef struct
{
  gint32 n, n_classes;
  SlText names;
  GString *text; /* behind them */
  gint32 *offset;
  guint64 *key;  /* [n] */
  gint32 *which; /* [n]: whose theta is a's: all of a type that is not drawn share one */
  gint32 n_thetas;
  double *theta; /* [n_thetas][n_classes][n_classes], row: the true class */
  /* [n_classes]: the classes' shares as the table has them; NULL where it does not */
  double *priors;
} SlCrowdPeople;

void sl_crowd_people_clear (SlCrowdPeople *people);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlCrowdPeople, sl_crowd_people_clear)

/* Makes the annotators a1 .. aN of MIX. The seed and N decide who is of which type. */
gboolean sl_crowd_people_make (SlCrowdPeople *people, SlRun *run, gint32 n, const GArray *mix,
                               const gint32 *group, gint32 n_classes, GError **error);

/* Those of READER, a table of confusion about CLASSES, in order of appearance. */
gboolean sl_crowd_people_read (SlCrowdPeople *people, SlRun *run, SlReader *reader,
                               const SlTable *classes, GError **error);

/* Makes theta what answers are drawn from: each row becomes its running sums or, where items differ
 * in ease, its logarithms. */
void sl_crowd_people_prepare (SlCrowdPeople *people, gboolean by_ease);

/* Writes who answers how, before that; PRIORS: as in SlCrowdPeople. */
gboolean sl_crowd_people_write (const SlCrowdPeople *people, SlRun *run, const char *path,
                                char *const *classes, const double *priors, GError **error);
