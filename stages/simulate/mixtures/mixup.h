/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of `simulate mixup` share. */
#pragma once

#include "stages/common/mixtures/mixup-model.h"

typedef enum
{
  SL_MIXUP_LINEAR,   /* lambda itself */
  SL_MIXUP_LOGISTIC, /* as a model sees it */
  SL_MIXUP_HUMAN,    /* as one person sees it */
  SL_MIXUP_MEAN,     /* as people see it on average */
} SlMixupTarget;

typedef struct
{
  SlMixupTarget target;
  double alpha;            /* of items: 0, or that of the Beta */
  gint64 rounds;           /* of items: mixtures that each is the first part of */
  gint64 pairs;            /* of the thesis' design: of items, for every two classes */
  double gamma;            /* of answers: smoothing by confidence; 0: none */
  gboolean exact_at_1;     /* that smoothing leaves who is sure alone */
  const SlMixModel *model; /* logistic; else NULL */
} SlMixup;

/* Mixes items in pairs, by their labels; for linear and logistic only. */
gboolean sl_mixup_items (const SlMixup *mixup, SlRun *run, GError **error);

/* The stimuli of the thesis; for linear and logistic only. */
gboolean sl_mixup_design (const SlMixup *mixup, SlRun *run, GError **error);

/* Appends FIRST+SECOND. */
void sl_mixup_append_name (GString *name, const char *first, gsize n_first, const char *second,
                           gsize n_second);

/* Label mixtures, each of which many people may have judged. The first writes a row an answer, for
 * human; the second a row a mixture, for all others. */
gboolean sl_mixup_answers (const SlMixup *mixup, SlRun *run, GError **error);
gboolean sl_mixup_mixtures (const SlMixup *mixup, SlRun *run, GError **error);

/* Whether a row has a value in each column that the target looks at. */
gboolean sl_mixup_check_row (const SlMixup *mixup, const SlBatch *batch, gint64 i, GError **error);

static inline gboolean
sl_mixup_asks_people (const SlMixup *mixup)
{
  return mixup->target == SL_MIXUP_HUMAN || mixup->target == SL_MIXUP_MEAN;
}
