/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is fitted to people's answers, as a table holds it and as stages use it. */
#pragma once

#include "pipeline/command/run.h"
#include "stages/common/classes/class-map.h"
#include "beta.h"
#include "pace.h"

extern const char *const sl_group_names[]; /* ends with NULL */

/* A share that people give, between 0 and 1. */
typedef struct
{
  gint64 n; /* values; 0: there are none, and nothing else is set */
  double mean, variance;
  SlBeta beta;
  double scale;    /* a share is so many times what is drawn from the Beta; 1 except with
                   --estimator authors */
  double distance; /* of the Beta from the values */
} SlShare;

typedef struct
{
  gint64 answers; /* 0: the group is not there */
  SlShare first, second;
  /* [n_classes]: answers that leave so many classes possible, besides the first choice */
  double *alternatives;
} SlGroupFit;

typedef struct
{
  gint32 n_classes;
  /* an item is of the group high from this entropy on, else of low; NaN: there is one group */
  double threshold;
  SlGroupFit group[SL_N_GROUPS];
  double *likeness; /* [n_classes][n_classes], row: the first choice */
  /* Arranged; without answers where what is said of an item is drawn part by part. */
  SlPanel people;
  SlPace pace;
} SlSimulator;

gboolean sl_simulator_init (SlSimulator *simulator, gint32 n_classes, SlRun *run, GError **error);
void sl_simulator_clear (SlSimulator *simulator);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlSimulator, sl_simulator_clear)

static inline gboolean
sl_simulator_is_routed (const SlSimulator *simulator)
{
  return simulator->threshold == simulator->threshold;
}

/* The group of an item of which people speak with ENTROPY. */
static inline SlGroup
sl_simulator_route (const SlSimulator *simulator, double entropy)
{
  if (!sl_simulator_is_routed (simulator))
    return SL_GROUP_ALL;
  return entropy >= simulator->threshold ? SL_GROUP_HIGH : SL_GROUP_LOW;
}

/* Writes the simulator as the run's output, whose table has been started. */
gboolean sl_simulator_write (const SlSimulator *simulator, SlRun *run, SlTable *table,
                             GError **error);

/* Fills SIMULATOR, which is empty, for tables of CLASSES: those of the model, in any order. */
gboolean sl_simulator_read (SlSimulator *simulator, SlRun *run, SlReader *reader,
                            const SlTable *classes, GError **error);
