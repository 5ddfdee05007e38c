/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "prior-files.h"

#include "schemas/confusion.h"

#include <math.h>
#include <string.h>

/* How far the probabilities of one annotator and true class may be from 1. */
#define TOLERANCE 1e-6

typedef struct
{
  const SlPriors *priors;
  SlReader *reader;
  const SlIntern *annotators;
  const gint32 *map;
  double *confusion; /* [n_annotators][n_classes][n_classes] */
  gboolean *found;   /* [n_annotators] */
  double *crowd;     /* [n_classes][n_classes]: sums over all annotators of the table */
  double *prior;     /* [n_classes]; or NULL */
} Reading;

static gboolean
add_row (const Reading *reading, const SlBatch *batch, gint64 i, GError **error)
{
  gsize length, n = (gsize) reading->priors->n_classes;
  const SlColumn *column = batch->column;
  const char *name = sl_text_get (column[SL_CONFUSION_ANNOTATOR].text, i, &length);
  gint32 a = sl_intern_find (reading->annotators, name, length);
  gint32 from = column[SL_CONFUSION_TRUE].code[i], to = column[SL_CONFUSION_ANSWERED].code[i];
  gint32 k = reading->map[from], l = reading->map[to];
  double p = column[SL_CONFUSION_PROBABILITY].real[i];
  if (reading->prior != NULL && k >= 0 && column[SL_CONFUSION_PRIOR].real != NULL)
    reading->prior[k] = column[SL_CONFUSION_PRIOR].real[i];
  if (length > 0 && k >= 0 && l >= 0)
    reading->crowd[(gsize) k * n + (gsize) l] += p;
  if (a < 0)
    return TRUE;
  if (k < 0 || l < 0)
    return sl_error_row (error, batch->first_row + i + 1,
                         "'%s' is none of the classes of the answers",
                         batch->table->classes[k < 0 ? from : to]);
  reading->found[a] = TRUE;
  reading->confusion[((gsize) a * n + (gsize) k) * n + (gsize) l] += p;
  return TRUE;
}

/* Each true class of an annotator who is there must be whole. */
static gboolean
check_sums (const Reading *reading, GError **error)
{
  gint32 n = reading->priors->n_classes;
  const double *row = reading->confusion;
  for (gint32 a = 0; a < sl_intern_size (reading->annotators); a++)
    for (gint32 k = 0; k < n; k++, row += n)
      {
        double sum = 0;
        for (gint32 l = 0; l < n; l++)
          sum += row[l];
        if (!reading->found[a] || fabs (sum - 1) <= TOLERANCE * n)
          continue;
        gsize length;
        const char *name = sl_intern_get (reading->annotators, a, &length);
        return sl_error_bad_input (
            error,
            "%s: the probabilities of annotator '%.*s' for true class '%s' sum to %.9g, "
            "not to 1",
            sl_reader_name (reading->reader), (int) MIN (length, 1000), name,
            reading->priors->classes[k], sum);
      }
  return TRUE;
}

/* Who is not there becomes the mean of all who are in the table. */
static gboolean
fill_in (const Reading *reading, GError **error)
{
  gsize n = (gsize) reading->priors->n_classes;
  for (gsize k = 0; k < n; k++)
    {
      double *row = reading->crowd + k * n, sum = 0;
      for (gsize l = 0; l < n; l++)
        sum += row[l];
      for (gsize l = 0; l < n; l++)
        row[l] /= sum;
      if (sum > 0)
        continue;
      return sl_error_bad_input (error, "%s: no annotator in it has the true class '%s'",
                                 sl_reader_name (reading->reader), reading->priors->classes[k]);
    }
  for (gint32 a = 0; a < sl_intern_size (reading->annotators); a++)
    if (!reading->found[a])
      memcpy (reading->confusion + (gsize) a * n * n, reading->crowd, n * n * sizeof (double));
  return TRUE;
}

double *
sl_priors_read_confusion (SlPriors *priors, SlReader *reader, const SlIntern *annotators,
                          double *prior, GError **error)
{
  gsize n = (gsize) priors->n_classes, n_annotators = (gsize) sl_intern_size (annotators);
  const char *what = "annotators × classes × classes known probabilities";
  g_autofree double *confusion
      = sl_run_alloc0 (priors->run, n_annotators, n * n * sizeof (double), what, error);
  g_autofree double *crowd
      = confusion == NULL ? NULL : sl_run_alloc0 (priors->run, n * n, sizeof (double), what, error);
  if (crowd == NULL)
    return NULL;
  g_autofree gboolean *found = g_new0 (gboolean, MAX (n_annotators, 1));
  g_autofree gint32 *map
      = sl_table_class_map (sl_reader_table (reader), priors->classes, priors->n_classes);
  Reading reading = { priors, reader, annotators, map, confusion, found, crowd, prior };
  for (gsize k = 0; prior != NULL && k < n; k++)
    prior[k] = NAN;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    for (gint64 i = 0; ok && i < batch->n_rows; i++)
      ok = add_row (&reading, batch, i, error);
  if (!ok)
    return NULL;
  if (!check_sums (&reading, error))
    return NULL;
  if (prior != NULL && !fill_in (&reading, error))
    return NULL;
  return g_steal_pointer (&confusion);
}
