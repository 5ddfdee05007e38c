/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "features.h"

#include "pipeline/base/error.h"

#include <math.h>
#include <string.h>

/* An exponent of all ones is none of a finite number. */
gboolean
sl_features_finite (const float *values, gsize n)
{
  guint32 worst = 0;
  for (gsize i = 0; i < n; i++)
    {
      guint32 bits;
      memcpy (&bits, &values[i], sizeof bits);
      bits &= 0x7f800000;
      worst = MAX (worst, bits);
    }
  return worst < 0x7f800000;
}

gboolean
sl_features_check_rows (const SlBatch *batch, GError **error)
{
  const float *x = batch->column[SL_FEATURES_X].float32;
  gsize size = (gsize) batch->table->tensor[SL_FEATURES_X].size;
  if (x == NULL || sl_features_finite (x, size * (gsize) batch->n_rows))
    return TRUE;
  for (gint64 i = 0; i < batch->n_rows; i++, x += size)
    for (gsize j = 0; j < size; j++)
      if (!isfinite (x[j]))
        return sl_error_row (error, batch->first_row + i + 1,
                             "number %" G_GSIZE_FORMAT " of x is %s; all must be finite", j + 1,
                             isnan (x[j]) ? "not a number" : "infinite");
  return TRUE;
}

SlFeatures
sl_features_view (const SlBatch *batch)
{
  return (SlFeatures){
    .n = batch->n_rows,
    .n_classes = batch->table->n_classes,
    .tensor = &batch->table->tensor[SL_FEATURES_X],
    .item = batch->column[SL_FEATURES_ITEM].text,
    .pixels = batch->column[SL_FEATURES_X].uint8,
    .numbers = batch->column[SL_FEATURES_X].float32,
    .gold = batch->column[SL_FEATURES_GOLD].code,
  };
}
