/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "annotations.h"

#include "pipeline/base/error.h"

#include <math.h>

static gboolean
check_choices (const SlBatch *batch, GError **error)
{
  const gint32 *start = batch->column[SL_ANNOTATIONS_CHOICES].start;
  const double *percent = batch->column[SL_ANNOTATIONS_CHOICES].real;
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      if (start[i] == start[i + 1])
        return sl_error_row (error, batch->first_row + i + 1,
                             "column 'choices' is empty; an answer names one class at least");
      for (gint32 j = start[i]; j < start[i + 1]; j++)
        if (isinf (percent[j]))
          return sl_error_row (error, batch->first_row + i + 1,
                               "column 'choices' has a percent that is infinite");
    }
  return TRUE;
}

static gboolean
check_seconds (const SlBatch *batch, int column, GError **error)
{
  const double *seconds = batch->column[column].real;
  for (gint64 i = 0; seconds != NULL && i < batch->n_rows; i++)
    if (isinf (seconds[i]))
      return sl_error_row (error, batch->first_row + i + 1, "column '%s' is infinite",
                           batch->table->spec[column].name);
  return TRUE;
}

gboolean
sl_annotations_check_rows (const SlBatch *batch, GError **error)
{
  const SlTable *table = batch->table;
  if (sl_table_has (table, SL_ANNOTATIONS_CLASS) == sl_table_has (table, SL_ANNOTATIONS_CHOICES))
    {
      g_set_error (
          error, SL_ERROR, SL_ERROR_INPUT,
          "annotations have either a column 'class' or a column 'choices'; this table has %s",
          sl_table_has (table, SL_ANNOTATIONS_CLASS) ? "both" : "neither");
      return FALSE;
    }
  const gint64 *count = batch->column[SL_ANNOTATIONS_COUNT].int64;
  for (gint64 i = 0; count != NULL && i < batch->n_rows; i++)
    if (count[i] < 1 || count[i] > SL_COUNT_MOST)
      return sl_error_row (error, batch->first_row + i + 1,
                           "count is %" G_GINT64_FORMAT "; it is between 1 and 2^53", count[i]);
  return check_seconds (batch, SL_ANNOTATIONS_SECONDS, error)
         && check_seconds (batch, SL_ANNOTATIONS_BACKGROUND, error)
         && (!sl_table_has (table, SL_ANNOTATIONS_CHOICES) || check_choices (batch, error));
}

/* What stands for columns that a table lacks: the same for every batch, so all batches share it. */
typedef struct _Stand Stand;
struct _Stand
{
  gsize rows;
  gint32 *identity; /* [rows + 1]: row i has the one choice i */
  double *percent;  /* [rows]: NaN, not given */
  gint32 *zero;     /* [rows + 1]: no row has any class ruled out */
  Stand *smaller;   /* outgrown; views may still point to it */
};

/* One for N rows or more. Each is twice the one before or larger, so all together are less than
 * twice what the largest batch needs. */
static const Stand *
stand_for (gsize n)
{
  static GMutex mutex;
  static Stand *largest;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);
  if (largest != NULL && largest->rows >= n)
    return largest;
  Stand *stand = g_new (Stand, 1);
  stand->rows = largest != NULL ? MAX (n, 2 * largest->rows) : n;
  stand->identity = g_new (gint32, stand->rows + 1);
  stand->percent = g_new (double, stand->rows + 1);
  stand->zero = g_new0 (gint32, stand->rows + 1);
  for (gsize i = 0; i <= stand->rows; i++)
    {
      stand->identity[i] = (gint32) i;
      stand->percent[i] = (double) NAN;
    }
  stand->smaller = largest;
  return largest = stand;
}

guint8 *
sl_annotations_counted (const SlBatch *batch)
{
  gboolean said = batch->table->kind == &sl_annotations;
  const guint8 *check = said ? batch->column[SL_ANNOTATIONS_CHECK].flag : NULL,
               *excluded = said ? batch->column[SL_ANNOTATIONS_EXCLUDED].flag : NULL,
               *aside = batch->aside;
  if (check == NULL && excluded == NULL && aside == NULL)
    return NULL;
  guint8 *keep = g_new (guint8, MAX (batch->n_rows, 1));
  for (gint64 i = 0; i < batch->n_rows; i++)
    keep[i] = !(check != NULL && check[i]) && !(excluded != NULL && excluded[i])
              && !(aside != NULL && aside[i]);
  return keep;
}

SlAnnotations
sl_annotations_view (SlBatch *batch)
{
  const SlColumn *column = batch->column;
  SlAnnotations view = {
    .n = batch->n_rows,
    .item = column[SL_ANNOTATIONS_ITEM].text,
    .annotator = column[SL_ANNOTATIONS_ANNOTATOR].text,
    .start = column[SL_ANNOTATIONS_CHOICES].start,
    .choice = column[SL_ANNOTATIONS_CHOICES].code,
    .percent = column[SL_ANNOTATIONS_CHOICES].real,
    .impossible_start = column[SL_ANNOTATIONS_IMPOSSIBLE].start,
    .impossible = column[SL_ANNOTATIONS_IMPOSSIBLE].code,
    .gold = column[SL_ANNOTATIONS_GOLD].code,
    .repeat = column[SL_ANNOTATIONS_REPEAT].flag,
    .check = column[SL_ANNOTATIONS_CHECK].flag,
    .repaired = column[SL_ANNOTATIONS_REPAIRED].flag,
    .complete = column[SL_ANNOTATIONS_COMPLETE].flag,
    .trial = column[SL_ANNOTATIONS_TRIAL].int32,
    .placed = column[SL_ANNOTATIONS_TRIAL].valid,
    .seconds = column[SL_ANNOTATIONS_SECONDS].real,
    .count = column[SL_ANNOTATIONS_COUNT].int64,
    .excluded = column[SL_ANNOTATIONS_EXCLUDED].flag,
    .odd = column[SL_ANNOTATIONS_ODD].text,
  };
  const Stand *stand = view.start == NULL || view.impossible_start == NULL
                           ? stand_for ((gsize) batch->n_rows)
                           : NULL;
  if (view.start == NULL)
    {
      view.start = stand->identity;
      view.percent = stand->percent;
      view.choice = column[SL_ANNOTATIONS_CLASS].code;
    }
  if (view.impossible_start == NULL)
    view.impossible_start = stand->zero;
  return view;
}
