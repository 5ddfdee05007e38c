/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How people see mixtures of any two classes: a logistic curve for each pair, as a simulator table
 * holds them. */
#pragma once

#include "pipeline/command/run.h"
#include "logistic.h"

/* The share of class LOW, LOW < HIGH, as people see it. */
typedef struct
{
  gint32 low, high;
  gint64 n; /* answers */
  SlLogistic curve;
  guint given; /* while it is read: a bit for each parameter */
} SlMixPair;

typedef struct
{
  GArray *pairs; /* of SlMixPair, sorted by low and high */
} SlMixModel;

void sl_mix_model_init (SlMixModel *model);
void sl_mix_model_clear (SlMixModel *model);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlMixModel, sl_mix_model_clear)

/* Share of class FIRST, of which LAMBDA is mixed with SECOND, as people see it; LAMBDA itself where
 * there is no curve. */
double sl_mix_model_share (const SlMixModel *model, gint32 first, gint32 second, double lambda);

/* As the run's output, whose table has been started. */
gboolean sl_mix_model_write (const SlMixModel *model, SlRun *run, SlTable *table, GError **error);

/* Fills MODEL, which is empty, for tables of CLASSES: those of the model, in any order. */
gboolean sl_mix_model_read (SlMixModel *model, SlReader *reader, const SlTable *classes,
                            GError **error);
