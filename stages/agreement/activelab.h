/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where another answer is worth most, by the answers so far and a model's predictions. */
#pragma once

#include "stages/common/answers/gathering.h"
#include "stages/common/methods/method.h"
#include "stages/common/priors/prior-files.h"

/* What the items' labels are made of, by `aggregate --method crowdlab` or, where no item has more
 * than one answer, the model alone. */
typedef struct
{
  const double *label;     /* [n_items][n_classes] */
  const gint32 *consensus; /* [n_items] */
  const double *weight;    /* [n_annotators + 1]: of an annotator's answer; last of the model */
} SlActiveLab;

/* Whether each item has one answer and no more; sets consensus[n_items] to them. */
gboolean sl_activelab_single (const double *sums, const double *weight, gint32 n_items,
                              gint32 n_classes, gint32 *consensus);

/* The temperature T at which the predictions p[n_items][n_classes], as p^(1/T) made to sum to 1,
 * are nearest to the shares of the votes, sums[n_items][n_classes], as cleanlab finds it. */
double sl_activelab_temperature (const double *predictions, const double *sums, gint32 n_items,
                                 gint32 n_classes, int threads);

/* Takes N predictions to that temperature. */
void sl_activelab_scale (double *predictions, gint32 n, gint32 n_classes, double temperature,
                         int threads);

/* score[n_items], from 0 to 1. The answers are those to the items. */
void sl_activelab_score (const SlActiveLab *lab, const SlAnswers *answers, gint32 n_items,
                         gint32 n_classes, double *score);

/* The score of an item that nobody has answered, whose prediction is p[n_classes]. */
double sl_activelab_unanswered (const SlActiveLab *lab, gint32 n_annotators, const double *p,
                                gint32 n_classes);

/* ActiveLab's scores of all items; those that only the predictions know join CROWD's items as the
 * last. TEMPERATURE: of the predictions; NaN: to be found. */
double *sl_item_scores (SlGathering *crowd, SlPriors *priors, double temperature, GError **error);
