/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mixtures.h"

#include "pipeline/base/error.h"
#include "labels.h"

#include <math.h>

#define OPTIONAL SL_COLUMN_OPTIONAL
#define NULLABLE (SL_COLUMN_OPTIONAL | SL_COLUMN_NULLABLE)

static const SlColumnSpec columns[] = {
  [SL_MIXTURES_ITEM] = { "item", SL_TYPE_TEXT, SL_COLUMN_REQUIRED, "the mixture" },
  [SL_MIXTURES_ANNOTATOR] = { "annotator", SL_TYPE_TEXT, OPTIONAL, "who judged it" },
  [SL_MIXTURES_FIRST] = { "first", SL_TYPE_TEXT, OPTIONAL, "the item that has the share lambda" },
  [SL_MIXTURES_SECOND] = { "second", SL_TYPE_TEXT, OPTIONAL, "the item that has the rest" },
  [SL_MIXTURES_FIRST_CLASS] = { "first_class", SL_TYPE_CLASS, NULLABLE, "the first one's class" },
  [SL_MIXTURES_SECOND_CLASS]
  = { "second_class", SL_TYPE_CLASS, NULLABLE, "the second one's class" },
  [SL_MIXTURES_LAMBDA]
  = { "lambda", SL_TYPE_REAL, SL_COLUMN_REQUIRED, "share of the first one in what is mixed" },
  [SL_MIXTURES_HUMAN]
  = { "human", SL_TYPE_REAL, NULLABLE, "share of the first one, as people see it" },
  [SL_MIXTURES_CONFIDENCE]
  = { "confidence", SL_TYPE_REAL, NULLABLE, "how sure they are, from 0 to 1" },
  [SL_MIXTURES_LABEL] = { "label", SL_TYPE_LABEL, OPTIONAL, "probability of each class" },
  [SL_MIXTURES_WEIGHT] = { "weight", SL_TYPE_REAL, OPTIONAL, "answers behind the label" },
  [SL_MIXTURES_REPEAT]
  = { "repeat", SL_TYPE_BOOL, OPTIONAL, "the annotator had judged the mixture before" },
  { NULL, 0, 0, NULL },
};

static gboolean
check (const SlBatch *batch, GError **error)
{
  static const int shares[] = { SL_MIXTURES_LAMBDA, SL_MIXTURES_HUMAN, SL_MIXTURES_CONFIDENCE };
  for (gsize s = 0; s < G_N_ELEMENTS (shares); s++)
    {
      const double *value = batch->column[shares[s]].real;
      gboolean nullable = shares[s] != SL_MIXTURES_LAMBDA;
      for (gint64 i = 0; value != NULL && i < batch->n_rows; i++)
        if (!(value[i] >= 0 && value[i] <= 1) && !(nullable && isnan (value[i])))
          return sl_error_row (error, batch->first_row + i + 1,
                               "%s is %.9g; it lies between 0 and 1", columns[shares[s]].name,
                               value[i]);
    }
  if (sl_table_has (batch->table, SL_MIXTURES_WEIGHT)
      && !sl_labels_check_weights (batch, SL_MIXTURES_WEIGHT, error))
    return FALSE;
  return !sl_table_has (batch->table, SL_MIXTURES_LABEL)
         || sl_labels_check (batch, SL_MIXTURES_LABEL, error);
}

const SlKind sl_mixtures = {
  .name = "mixtures",
  .row = "one mixture of two items, or what one person saw in it",
  .invariants = "lambda, human and confidence lie between 0 and 1; every label sums to 1; weight "
                "is 0, or between 2^-100 and 2^100.",
  .columns = columns,
  .check = check,
};

gboolean
sl_mixtures_require (const SlTable *table, guint32 columns_wanted, const char *name, GError **error)
{
  guint32 missing = columns_wanted & ~table->columns;
  for (int c = 0; columns[c].name != NULL; c++)
    if ((missing >> c & 1) != 0)
      return sl_error_bad_input (
          error,
          "%s: it has no column '%s'; `softlabel ingest --from mixup` or hmix reads people's "
          "answers about mixtures",
          name, columns[c].name);
  return TRUE;
}
