/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose answers are predicted, of models that have learned from single annotators. */
#pragma once

#include "predict.h"
#include "stages/common/items/row-tags.h"

/* NAMES, and of which items each is asked: item i of who[start[i]] to who[start[i + 1] - 1]. */
typedef struct _SlAskedPeople
{
  SlIntern *names, *items; /* ITEMS NULL: everyone about all of them */
  gsize *start;
  gint32 *who;
  gint32 **known; /* [networks][names]: their numbers in the model; -1: it has not seen them */
  gsize claimed;
  SlAnnotatorTags tags; /* attributes of NAMES that models have learned of */
  gboolean *met;        /* which ITEMS are among the examples */
  char *file;           /* that tells of them */
} SlAskedPeople;

/* PATH: a table of answers, whose items' annotators are asked, or of annotators; "all": those that
 * the models have learned of. */
gboolean sl_asked_people_init (SlAskedPeople *asked, SlRun *run, const SlPredictors *predictors,
                               const char *path, GError **error);
/* After the last example: an error where it was about none of ITEMS, a warning where about some. */
gboolean sl_asked_people_end (const SlAskedPeople *asked, SlRun *run, GError **error);
void sl_asked_people_clear (SlAskedPeople *asked);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlAskedPeople, sl_asked_people_clear)

/* Rows of the examples x[n][size]: of each in turn a row for each annotator and network. An
 * annotator whom a model has not seen answers as strangers with their attributes do, or, where
 * nothing is known of them, as all whom it has seen do in the mean. */
gboolean sl_predict_annotators (SlPrediction *prediction, const float *x,
                                const SlPredictedRow *rows, gsize n, GError **error);
