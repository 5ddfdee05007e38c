/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "convert.h"

#include "pipeline/base/parallel.h"
#include "pipeline/table/tag-columns.h"
#include "schemas/labels.h"

#include <math.h>

#define CHUNK_ROWS 4096 /* what one thread takes at a time */

SlBatch *
sl_convert_choose (SlConversion *conversion, SlBatch *batch, guint8 *keep, GError **error)
{
  SlAnnotations view = sl_annotations_view (batch);
  for (gint64 i = 0; i < view.n; i++)
    {
      gboolean check = view.check != NULL && view.check[i];
      gboolean excluded = !check && view.excluded != NULL && view.excluded[i];
      conversion->n_checks += check;
      conversion->n_excluded += excluded;
      keep[i] = !check && !excluded && !(batch->aside != NULL && batch->aside[i]);
    }
  return sl_batch_filter (batch, keep, error);
}

/* A batch's labels in the making; each chunk of rows has a place of its own for what it met. */
typedef struct
{
  gint64 done;
  SlAnswerProblem problem;
  SlAnswerCounts counts;
} Chunk;

typedef struct
{
  const SlConversion *conversion;
  const SlAnnotations *view;
  gint32 n_classes;
  double *label; /* [view->n][n_classes] */
  Chunk *chunk;
} Filling;

static void
fill_chunk (int i, gpointer data)
{
  const Filling *filling = data;
  const SlConversion *conversion = filling->conversion;
  const SlAnnotations *view = filling->view;
  const SlRecords answers = sl_annotations_records (view);
  gint64 first = (gint64) i * CHUNK_ROWS;
  gint64 end = MIN (first + CHUNK_ROWS, view->n);
  gint32 n_classes = filling->n_classes;
  Chunk *chunk = &filling->chunk[i];
  if (conversion->select)
    chunk->done = sl_select_choices (conversion->how.top, &answers, first, end, n_classes,
                                     filling->label, &chunk->counts, &chunk->problem);
  else
    chunk->done = sl_redistribute (&conversion->how, &answers, first, end, n_classes,
                                   filling->label, &chunk->counts, &chunk->problem);
  if (conversion->smooth > 0)
    sl_smooth_labels (conversion->smooth, chunk->done - first, n_classes,
                      filling->label + (gsize) first * (gsize) n_classes);
}

/* label[n][n_classes] for the rows of VIEW; the first row that has none, counted in VIEW, or n. */
static gint64
fill_labels (SlConversion *conversion, int threads, const SlAnnotations *view, gint32 n_classes,
             double *label, SlAnswerProblem *problem)
{
  gint64 n_chunks = (view->n + CHUNK_ROWS - 1) / CHUNK_ROWS;
  g_autofree Chunk *chunk = g_new0 (Chunk, n_chunks);
  Filling filling = { conversion, view, n_classes, label, chunk };
  sl_parallel (threads, (int) n_chunks, fill_chunk, &filling);
  for (gint64 i = 0; i < n_chunks; i++)
    {
      *problem = chunk[i].problem;
      if (*problem != SL_ANSWER_OK)
        return chunk[i].done;
      conversion->counts.assumed += chunk[i].counts.assumed;
      conversion->counts.ignored += chunk[i].counts.ignored;
      conversion->counts.renamed += chunk[i].counts.renamed;
      conversion->counts.beyond += chunk[i].counts.beyond;
      conversion->counts.flat += chunk[i].counts.flat;
    }
  return view->n;
}

static gboolean
answer_error (SlAnswerProblem problem, gint64 row, GError **error)
{
  switch (problem)
    {
    case SL_ANSWER_PERCENT:
      return sl_error_row (
          error, row,
          "a percent is outside 0 to 100, or could not be read; `softlabel exclude "
          "--max-violations range=0` leaves such annotators out, `softlabel ingest "
          "--replace-percent TEXT=NUMBER` reads the text");
    case SL_ANSWER_IMPOSSIBLE:
      return sl_error_row (error, row,
                           "classes are both chosen and ruled out, for which the released code "
                           "gives negative probabilities; leave out --compat");
    case SL_ANSWER_EMPTY:
      return sl_error_row (error, row, "the answer names no class; remove the row");
    case SL_ANSWER_CLASS:
    case SL_ANSWER_OK:
    default:
      return sl_error_row (error, row, "an answer with a class that the table does not list");
    }
}

/* Rows of a batch that were kept. */
typedef struct
{
  const SlBatch *batch;
  const guint8 *keep;
} Kept;

/* The row of the table, counted from 1, that is row I of those kept. */
static gint64
row_number (gconstpointer data, gint64 i)
{
  const Kept *kept = data;
  gint64 row = 0;
  while (!kept->keep[row] || i-- > 0)
    row++;
  return kept->batch->first_row + row + 1;
}

gboolean
sl_convert_view (SlConversion *conversion, int threads, const SlAnnotations *view, gint32 n_classes,
                 double *label, gint64 (*row) (gconstpointer data, gint64 i), gconstpointer data,
                 GError **error)
{
  SlAnswerProblem problem;
  gint64 done = fill_labels (conversion, threads, view, n_classes, label, &problem);
  return done == view->n || answer_error (problem, row (data, done), error);
}

/* [choices of all rows]: the percents, brought into 0 to 100; those that are missing stay so. */
static double *
clamp_percents (const SlAnnotations *view)
{
  double *percent = g_new (double, (gsize) view->start[view->n] + 1);
  for (gint32 j = view->start[0]; j < view->start[view->n]; j++)
    percent[j] = isnan (view->percent[j]) ? view->percent[j] : CLAMP (view->percent[j], 0, 100);
  return percent;
}

gboolean
sl_convert_fill (SlConversion *conversion, const SlRun *run, SlBatch *batch, const guint8 *keep,
                 SlBatch *rows, double *label, GError **error)
{
  SlAnnotations view = sl_annotations_view (rows);
  g_autofree double *clamped = conversion->clamp ? clamp_percents (&view) : NULL;
  if (clamped != NULL)
    view.percent = clamped;
  const Kept kept = { batch, keep };
  return sl_convert_view (conversion, run->threads, &view, batch->table->n_classes, label,
                          row_number, &kept, error);
}

gboolean
sl_convert_batch (SlConversion *conversion, SlRun *run, SlBatch *batch, SlTable *table,
                  SlBuilder *builder, GError **error)
{
  g_autofree guint8 *keep = g_new (guint8, batch->n_rows);
  g_autoptr (SlBatch) rows = sl_convert_choose (conversion, batch, keep, error);
  if (rows == NULL)
    return FALSE;
  if (rows->n_rows == 0)
    return TRUE;
  SlAnnotations view = sl_annotations_view (rows);
  double *label = sl_builder_labels (builder, SL_LABELS_LABEL, view.n);
  if (!sl_convert_fill (conversion, run, batch, keep, rows, label, error))
    return FALSE;

  sl_builder_share (builder, SL_LABELS_ITEM, rows, SL_ANNOTATIONS_ITEM);
  if (sl_table_has (table, SL_LABELS_ANNOTATOR))
    sl_builder_share (builder, SL_LABELS_ANNOTATOR, rows, SL_ANNOTATIONS_ANNOTATOR);
  if (sl_table_has (table, SL_LABELS_GOLD))
    sl_builder_share (builder, SL_LABELS_GOLD, rows, SL_ANNOTATIONS_GOLD);
  for (int c = sl_table_first_tag (table); table->spec[c].name != NULL; c++)
    sl_builder_share (builder, c, rows,
                      sl_table_tag_column (rows->table, sl_tag_column_key (table, c)));
  for (gint64 i = 0; i < view.n; i++)
    sl_builder_real (builder, SL_LABELS_WEIGHT, view.count != NULL ? (double) view.count[i] : 1);
  return sl_writer_write_built (run->out, builder, TRUE, error);
}
