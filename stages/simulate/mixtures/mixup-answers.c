/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/base/parallel.h"
#include "schemas/mixtures.h"
#include "stages/common/mixtures/mixing.h"
#include "mixup.h"

#include <math.h>

#define CHUNK 1024 /* rows that one thread takes at a time */

gboolean
sl_mixup_check_columns (const SlMixup *mixup, SlRun *run, GError **error)
{
  guint32 wanted = 1u << SL_MIXTURES_FIRST_CLASS | 1u << SL_MIXTURES_SECOND_CLASS;
  if (sl_mixup_asks_people (mixup))
    wanted |= 1u << SL_MIXTURES_HUMAN;
  if (mixup->gamma > 0)
    wanted |= 1u << SL_MIXTURES_CONFIDENCE;
  return sl_mixtures_require (sl_reader_table (run->in), wanted, sl_reader_name (run->in), error);
}

gboolean
sl_mixup_check_row (const SlMixup *mixup, const SlBatch *batch, gint64 i, GError **error)
{
  const SlColumn *column = batch->column;
  const char *missing = NULL;
  if (column[SL_MIXTURES_FIRST_CLASS].code[i] < 0)
    missing = "first_class";
  else if (column[SL_MIXTURES_SECOND_CLASS].code[i] < 0)
    missing = "second_class";
  else if (sl_mixup_asks_people (mixup) && isnan (column[SL_MIXTURES_HUMAN].real[i]))
    missing = "human";
  else if (mixup->gamma > 0 && isnan (column[SL_MIXTURES_CONFIDENCE].real[i]))
    missing = "confidence";
  return missing == NULL
         || sl_error_row (error, batch->first_row + i + 1, "%s is missing; leave such rows out",
                          missing);
}

typedef struct
{
  const SlMixup *mixup;
  const SlBatch *batch;
  double *label; /* [n_rows][n_classes] */
} Labelling;

static void
label_chunk (int chunk, gpointer data)
{
  const Labelling *labelling = data;
  const SlMixup *mixup = labelling->mixup;
  const SlColumn *column = labelling->batch->column;
  gint32 n_classes = labelling->batch->table->n_classes;
  gint64 from = (gint64) chunk * CHUNK, to = MIN (labelling->batch->n_rows, from + CHUNK);
  for (gint64 i = from; i < to; i++)
    {
      double spread = mixup->gamma > 0 ? sl_mix_spread (
                          mixup->gamma, column[SL_MIXTURES_CONFIDENCE].real[i], mixup->exact_at_1)
                                       : 0;
      sl_mix_classes (column[SL_MIXTURES_FIRST_CLASS].code[i],
                      column[SL_MIXTURES_SECOND_CLASS].code[i], column[SL_MIXTURES_HUMAN].real[i],
                      spread, n_classes, labelling->label + (gsize) i * (gsize) n_classes);
    }
}

static gboolean
label_batch (const SlMixup *mixup, SlRun *run, const SlBatch *batch, SlBuilder *builder,
             GError **error)
{
  for (gint64 i = 0; i < batch->n_rows; i++)
    if (!sl_mixup_check_row (mixup, batch, i, error))
      return FALSE;
  for (int c = 0; batch->table->spec[c].name != NULL; c++)
    if (sl_table_has (batch->table, c) && c != SL_MIXTURES_LABEL && c != SL_MIXTURES_WEIGHT)
      sl_builder_share (builder, c, batch, c);
  Labelling labelling
      = { mixup, batch, sl_builder_labels (builder, SL_MIXTURES_LABEL, batch->n_rows) };
  sl_parallel (run->threads, (int) ((batch->n_rows + CHUNK - 1) / CHUNK), label_chunk, &labelling);
  for (gint64 i = 0; i < batch->n_rows; i++)
    sl_builder_real (builder, SL_MIXTURES_WEIGHT, 1);
  return sl_writer_write_built (run->out, builder, TRUE, error);
}

gboolean
sl_mixup_answers (const SlMixup *mixup, SlRun *run, GError **error)
{
  const SlTable *in = sl_reader_table (run->in);
  g_autoptr (SlTable) table = sl_table_new (&sl_mixtures, (const char *const *) in->classes);
  table->columns = in->columns | 1u << SL_MIXTURES_LABEL | 1u << SL_MIXTURES_WEIGHT;
  if (!sl_mixup_check_columns (mixup, run, error) || !sl_run_start (run, table, error))
    return FALSE;
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (run, &batch, &ok, error))
    ok = label_batch (mixup, run, batch, builder, error);
  return ok;
}
