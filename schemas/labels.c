/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "labels.h"

#include "pipeline/base/error.h"

#include <math.h>

/* Sums of counts stay well within: each count is at most 2^53. */
#define LEAST_WEIGHT 0x1p-100

/* Says what is wrong with row I, if anything: -0 is not. */
static gboolean
tell (const SlBatch *batch, int column, gint64 i, GError **error)
{
  gint32 n_classes = batch->table->n_classes;
  const double *label = batch->column[column].real + i * n_classes;
  const char *name = batch->table->spec[column].name;
  double sum = 0;
  for (gint32 k = 0; k < n_classes; k++)
    {
      if (label[k] < 0)
        return sl_error_row (error, batch->first_row + i + 1, "%s has a negative probability, %.9g",
                             name, label[k]);
      sum += label[k];
    }
  /* Written so that a NaN fails. */
  if (!(fabs (sum - 1) <= SL_LABEL_TOLERANCE))
    return sl_error_row (error, batch->first_row + i + 1, "%s sums to %.9g, not to 1", name, sum);
  return TRUE;
}

typedef double Pair __attribute__ ((vector_size (16), aligned (8), may_alias));
typedef gint64 PairBits __attribute__ ((vector_size (16)));

/* Whether LABEL is surely a distribution, give or take the tolerance, seen in as few instructions
 * as can be: every label that is read comes by here. No sign bit is set, and the sum is near 1,
 * which it is not with a NaN. */
static inline gboolean
is_good (const double *label, gint32 n_classes)
{
  Pair sum = { 0, 0 };
  PairBits bits = { 0, 0 };
  gint32 k = 0;
  for (; k + 2 <= n_classes; k += 2)
    {
      Pair p = *(const Pair *) (label + k);
      sum += p;
      bits |= (PairBits) p;
    }
  double last = k < n_classes ? label[k] : 0;
  return fabs (sum[0] + sum[1] + last - 1) <= SL_LABEL_TOLERANCE && (bits[0] | bits[1]) >= 0
         && !signbit (last);
}

gboolean
sl_labels_check (const SlBatch *batch, int column, GError **error)
{
  gint32 n_classes = batch->table->n_classes;
  const double *label = batch->column[column].real;
  for (gint64 i = 0; i < batch->n_rows; i++, label += n_classes)
    if (!is_good (label, n_classes) && !tell (batch, column, i, error))
      return FALSE;
  return TRUE;
}

gboolean
sl_labels_check_weights (const SlBatch *batch, int column, GError **error)
{
  const double *weight = batch->column[column].real;
  for (gint64 i = 0; i < batch->n_rows; i++)
    if (weight[i] != 0 && !(weight[i] >= LEAST_WEIGHT && weight[i] <= SL_LABELS_MOST_WEIGHT))
      return sl_error_row (error, batch->first_row + i + 1,
                           "weight is %.9g; it is 0, or between 2^-100 and 2^100", weight[i]);
  return TRUE;
}

gboolean
sl_labels_check_rows (const SlBatch *batch, GError **error)
{
  return sl_labels_check_weights (batch, SL_LABELS_WEIGHT, error)
         && sl_labels_check (batch, SL_LABELS_LABEL, error);
}

SlLabels
sl_labels_view (const SlBatch *batch)
{
  return (SlLabels){
    .n = batch->n_rows,
    .n_classes = batch->table->n_classes,
    .item = batch->column[SL_LABELS_ITEM].text,
    .annotator = batch->column[SL_LABELS_ANNOTATOR].text,
    .label = batch->column[SL_LABELS_LABEL].real,
    .weight = batch->column[SL_LABELS_WEIGHT].real,
    .gold = batch->column[SL_LABELS_GOLD].code,
  };
}

gboolean
sl_labels_check_whole (const SlTable *table, const char *name, GError **error)
{
  if (!sl_table_has (table, SL_LABELS_ANNOTATOR))
    return TRUE;
  return sl_error_bad_input (error,
                             "%s: its labels are of single annotators; `softlabel aggregate` makes "
                             "one label an item of them",
                             name);
}
