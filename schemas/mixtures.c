/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mixtures.h"

#include "pipeline/base/error.h"
#include "labels.h"

#include <math.h>

gboolean
sl_mixtures_check_rows (const SlBatch *batch, GError **error)
{
  static const int shares[] = { SL_MIXTURES_LAMBDA, SL_MIXTURES_HUMAN, SL_MIXTURES_CONFIDENCE };
  for (gsize s = 0; s < G_N_ELEMENTS (shares); s++)
    {
      const double *value = batch->column[shares[s]].real;
      gboolean nullable = shares[s] != SL_MIXTURES_LAMBDA;
      for (gint64 i = 0; value != NULL && i < batch->n_rows; i++)
        if (!(value[i] >= 0 && value[i] <= 1) && !(nullable && isnan (value[i])))
          return sl_error_row (error, batch->first_row + i + 1,
                               "%s is %.9g; it lies between 0 and 1",
                               sl_mixtures.columns[shares[s]].name, value[i]);
    }
  if (sl_table_has (batch->table, SL_MIXTURES_WEIGHT)
      && !sl_labels_check_weights (batch, SL_MIXTURES_WEIGHT, error))
    return FALSE;
  return !sl_table_has (batch->table, SL_MIXTURES_LABEL)
         || sl_labels_check (batch, SL_MIXTURES_LABEL, error);
}

gboolean
sl_mixtures_require (const SlTable *table, guint32 columns_wanted, const char *name, GError **error)
{
  guint32 missing = columns_wanted & ~table->columns;
  for (int c = 0; sl_mixtures.columns[c].name != NULL; c++)
    if ((missing >> c & 1) != 0)
      return sl_error_bad_input (error,
                                 "%s: it has no column '%s'; `softlabel ingest --from mixup` or "
                                 "hmix reads people's answers about mixtures",
                                 name, sl_mixtures.columns[c].name);
  return TRUE;
}
