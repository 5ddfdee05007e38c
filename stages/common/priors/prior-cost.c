/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Costs from CSV. */
#include "pipeline/base/number-text.h"
#include "pipeline/base/shown-text.h"
#include "stages/common/classes/class-coder.h"
#include "stages/common/classes/class-list.h"
#include "stages/common/files/csv-cells.h"
#include "prior-files.h"

#include <string.h>

typedef struct
{
  SlPriors *priors;
  SlCoder *classes;
  double *cost;    /* [n_classes][n_classes] */
  gint32 *column;  /* [n_classes]: the class of each column of costs */
  gboolean *found; /* [n_classes] */
} Reading;

/* Hands the rows to PARSE, with the classes ready to be looked up. */
static gboolean
each (SlCsv *csv, const int *columns, int n_columns, void (*parse) (SlCsvRows *rows, gpointer data),
      Reading *reading, GError **error)
{
  g_autoptr (SlIntern) priors = sl_classes_intern (reading->priors->classes);
  SlClassTexts texts;
  if (!sl_class_texts_init (&texts, TRUE, NULL, NULL, error))
    return FALSE;
  reading->classes = sl_coder_new (priors, &texts);
  sl_csv_skip_first (csv);
  gboolean ok = sl_csv_cells (csv, columns, n_columns, parse, NULL, reading, error);
  sl_coder_free (reading->classes);
  sl_class_texts_clear (&texts);
  return ok;
}

/* One row of costs: the true class, then what each decision costs. */
static void
parse_cost (SlCsvRows *rows, gpointer data)
{
  const Reading *reading = data;
  gint32 n = reading->priors->n_classes;
  for (guint32 r = 0; r < rows->n; r++)
    {
      gsize length;
      const char *class = sl_csv_field (rows, 0, r, &length);
      gint32 k = sl_coder_code (reading->classes, class, length);
      if (k < 0 || reading->found[k])
        {
          g_autofree char *shown = sl_shown (class, length);
          sl_csv_rows_bad (rows, r,
                           k < 0 ? "'%s' is none of the classes of the answers"
                                 : "class '%s' has two rows",
                           shown);
          continue;
        }
      reading->found[k] = TRUE;
      for (gint32 c = 0; c < n; c++)
        {
          const char *text = sl_csv_field (rows, c + 1, r, &length);
          double *cost = &reading->cost[(gsize) k * (gsize) n + (gsize) reading->column[c]];
          if (!sl_parse_real (text, (gssize) length, cost))
            sl_csv_rows_bad (rows, r, "column %d is no number: a cost is wanted", c + 2);
        }
    }
}

/* The class of each column, from the header. */
static gboolean
find_columns (const SlPriors *priors, SlCsv *csv, gint32 *column, GError **error)
{
  g_autoptr (SlIntern) classes = sl_classes_intern (priors->classes);
  g_autofree gboolean *seen = g_new0 (gboolean, MAX (priors->n_classes, 1));
  for (int c = 1; c < csv->n_fields; c++)
    {
      gint32 k = sl_intern_find (classes, csv->first[c], strlen (csv->first[c]));
      if (k >= 0 && !seen[k] && c <= priors->n_classes)
        {
          column[c - 1] = k;
          seen[k] = TRUE;
          continue;
        }
      g_autofree char *shown = sl_shown (csv->first[c], strlen (csv->first[c]));
      return sl_error_bad_input (error,
                                 k < 0 ? "%s: row 1: '%s' is none of the classes of the answers"
                                       : "%s: row 1: class '%s' is there twice",
                                 csv->name, shown);
    }
  if (csv->n_fields == priors->n_classes + 1)
    return TRUE;
  return sl_error_bad_input (
      error, "%s: row 1 names %d classes; there are %d: give a column and a row for each",
      csv->name, csv->n_fields - 1, priors->n_classes);
}

double *
sl_priors_read_cost (SlPriors *priors, const char *path, GError **error)
{
  gsize n = (gsize) priors->n_classes;
  g_autoptr (SlCsv) csv = sl_csv_open (path, error);
  g_autofree gint32 *column = g_new (gint32, MAX (n, 1));
  g_autofree int *columns = g_new (int, n + 1);
  g_autofree gboolean *found = g_new0 (gboolean, MAX (n, 1));
  g_autofree double *cost = g_new0 (double, MAX (n * n, 1));
  if (csv == NULL || !find_columns (priors, csv, column, error))
    return NULL;
  for (int c = 0; c <= priors->n_classes; c++)
    columns[c] = c;
  Reading reading = { .priors = priors, .cost = cost, .column = column, .found = found };
  if (!each (csv, columns, priors->n_classes + 1, parse_cost, &reading, error))
    return NULL;
  for (gsize k = 0; k < n; k++)
    if (!found[k])
      {
        sl_error_bad_input (error, "%s: it has no row for true class '%s'", csv->name,
                            priors->classes[k]);
        return NULL;
      }
  return g_steal_pointer (&cost);
}
