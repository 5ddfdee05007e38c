/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ordering.h"

#include <math.h>

typedef struct
{
  const double *value;
  gboolean ascending;
} How;

static int
compare (gconstpointer a, gconstpointer b, gpointer data)
{
  const How *how = data;
  gint32 first = *(const gint32 *) a, second = *(const gint32 *) b;
  double x = how->value[first], y = how->value[second];
  if (isnan (x) || isnan (y))
    return isnan (x) != isnan (y) ? isnan (x) - isnan (y) : (first > second) - (first < second);
  int order = (x > y) - (x < y);
  if (order == 0)
    return (first > second) - (first < second);
  return how->ascending ? order : -order;
}

gint32 *
sl_order_rows (const double *value, const double *answers, double least, gboolean ascending,
               gint64 top, gint32 *n)
{
  gint32 *rows = g_new (gint32, MAX (*n, 1)), n_rows = 0;
  How how = { value, ascending };
  for (gint32 i = 0; i < *n; i++)
    if (answers[i] >= least)
      rows[n_rows++] = i;
  if (value != NULL)
    g_qsort_with_data (rows, n_rows, sizeof *rows, compare, &how);
  *n = top > 0 ? (gint32) MIN (top, n_rows) : n_rows;
  return rows;
}
