/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "predict.h"

#include "schemas/predictions.h"
#include "stages/common/network/softmax.h"

#include <float.h>
#include <string.h>

SlTable *
sl_predictions_table (const SlPrediction *prediction, const SlTable *in)
{
  SlTable *table
      = sl_table_new (&sl_predictions, (const char *const *) prediction->predictors->classes);
  sl_table_add (table, SL_PREDICTIONS_RUN);
  if (prediction->logits)
    sl_table_add (table, SL_PREDICTIONS_LOGIT);
  if (sl_table_has (in, SL_FEATURES_GOLD))
    sl_table_add (table, SL_PREDICTIONS_GOLD);
  if (prediction->asked != NULL)
    sl_table_add (table, SL_PREDICTIONS_ANNOTATOR);
  static const int of_attacks[]
      = { SL_PREDICTIONS_ATTACK, SL_PREDICTIONS_EPSILON, SL_PREDICTIONS_STEP, SL_PREDICTIONS_LOSS };
  for (gsize i = 0; prediction->attack->kind != SL_ATTACK_NONE && i < G_N_ELEMENTS (of_attacks);
       i++)
    sl_table_add (table, of_attacks[i]);
  if (prediction->corrupt != NULL)
    {
      sl_table_add (table, SL_PREDICTIONS_CORRUPTION);
      sl_table_add (table, SL_PREDICTIONS_SEVERITY);
    }
  return table;
}

/* The mean of the networks' probabilities, or one network's answer; its logarithms are its logits,
 * of 0 that of the least number that is not. */
static gboolean
mean_of (const SlPrediction *prediction, const SlPredictedRow *row, gsize k, double *prob,
         double *logit)
{
  g_autofree double *p = g_new (double, k);
  memset (prob, 0, k * sizeof *prob);
  gsize n = row->answer == NULL || prediction->mean ? row->n_networks : 1;
  for (gsize r = 0; r < n; r++)
    {
      if (row->answer != NULL)
        memcpy (p, row->answer + r * row->stride, k * sizeof *p);
      else if (!sl_softmax_sound (row->logits + r * row->stride, k, p))
        return FALSE;
      for (gsize j = 0; j < k; j++)
        prob[j] += p[j] / (double) n;
    }
  for (gsize j = 0; logit != NULL && j < k; j++)
    logit[j] = sl_scalar_log (MAX (prob[j], DBL_MIN));
  return TRUE;
}

static gboolean
probabilities (const SlPrediction *prediction, const SlPredictedRow *row, double *prob,
               double *logit)
{
  gsize k = prediction->predictors->k;
  if (prediction->mean || row->answer != NULL)
    return mean_of (prediction, row, k, prob, logit);
  for (gsize j = 0; logit != NULL && j < k; j++)
    logit[j] = row->logits[j];
  return sl_softmax_sound (row->logits, k, prob);
}

static void
write_attack (SlPrediction *prediction, const SlPredictedRow *row)
{
  static const char *const names[] = { "", "fgsm", "pgd" };
  const char *name = names[prediction->attack->kind];
  sl_builder_text (prediction->builder, SL_PREDICTIONS_ATTACK, name, strlen (name));
  sl_builder_real (prediction->builder, SL_PREDICTIONS_EPSILON, row->epsilon);
  sl_builder_int (prediction->builder, SL_PREDICTIONS_STEP, row->step);
  sl_builder_real (prediction->builder, SL_PREDICTIONS_LOSS, row->loss);
}

gboolean
sl_write_row (SlPrediction *prediction, const SlPredictedRow *row, GError **error)
{
  SlBuilder *builder = prediction->builder;
  sl_builder_text (builder, SL_PREDICTIONS_ITEM, row->item, row->length);
  sl_builder_int (builder, SL_PREDICTIONS_RUN, row->run);
  double *prob = sl_builder_labels (builder, SL_PREDICTIONS_PROB, 1), *logit = NULL;
  if (prediction->logits)
    logit = sl_builder_labels (builder, SL_PREDICTIONS_LOGIT, 1);
  if (!probabilities (prediction, row, prob, logit))
    return sl_error_bad_input (error,
                               "item '%.*s': what the model says of it is no number: weights of "
                               "the model or numbers of x are too large",
                               (int) MIN (row->length, 1000), row->item);
  if (sl_table_has (prediction->table, SL_PREDICTIONS_GOLD))
    sl_builder_class (builder, SL_PREDICTIONS_GOLD, row->gold);
  if (row->annotator != NULL)
    sl_builder_text (builder, SL_PREDICTIONS_ANNOTATOR, row->annotator, row->annotator_length);
  if (prediction->attack->kind != SL_ATTACK_NONE)
    write_attack (prediction, row);
  if (prediction->corrupt != NULL)
    {
      sl_builder_text (builder, SL_PREDICTIONS_CORRUPTION, row->corruption,
                       strlen (row->corruption));
      sl_builder_int (builder, SL_PREDICTIONS_SEVERITY, row->severity);
    }
  sl_model_tags_append (prediction->predictors->tags, (gsize) row->run, prediction->table, builder);
  return sl_writer_write_built (prediction->run->out, builder, FALSE, error);
}

gboolean
sl_predict_plain (SlPrediction *prediction, const float *x, const SlPredictedRow *rows, gsize n,
                  GError **error)
{
  const SlPredictors *predictors = prediction->predictors;
  gsize k = predictors->k, n_networks = predictors->networks->len;
  g_autofree float *logits = g_new (float, n_networks *n *k);
  if (!sl_predictors_logits (predictors, x, n, logits, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    for (gsize r = 0; r < (prediction->mean ? 1 : n_networks); r++)
      {
        SlPredictedRow row = rows[i];
        row.run = (gint32) r;
        row.logits = logits + (r * n + i) * k;
        row.n_networks = n_networks;
        row.stride = n * k;
        if (!sl_write_row (prediction, &row, error))
          return FALSE;
      }
  return TRUE;
}
