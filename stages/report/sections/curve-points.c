/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "curve-points.h"

#include "pipeline/base/number-text.h"

#include <math.h>
#include <string.h>

static gboolean
has (const GPtrArray *keys, const char *key)
{
  return g_ptr_array_find_with_equal_func ((GPtrArray *) keys, key, g_str_equal, NULL);
}

/* Whether PART, "KEY=VALUE", is of KEY or of PASSED. */
static gboolean
is_passed (const char *part, const char *key, const GPtrArray *passed)
{
  const char *equals = strchr (part, '=');
  g_autofree char *own = equals != NULL ? g_strndup (part, (gsize) (equals - part)) : NULL;
  return own != NULL && (g_strcmp0 (own, key) == 0 || has (passed, own));
}

/* The parts of ROW's group that are not of KEY or PASSED. */
static char *
line_of (const SlScoreRow *row, const char *key, const GPtrArray *passed)
{
  g_auto (GStrv) tables = g_strsplit (row->group, ": ", -1); /* its label, and the rest */
  GString *line = g_string_new (NULL);
  for (int t = 0; tables[t] != NULL; t++)
    {
      g_auto (GStrv) parts = g_strsplit (tables[t], ", ", -1);
      for (int p = 0; parts[p] != NULL; p++)
        if (!is_passed (parts[p], key, passed))
          g_string_append_printf (line, "%s%s", line->len > 0 ? ", " : "", parts[p]);
    }
  return g_string_free (line, FALSE);
}

static void
clear_point (gpointer data)
{
  g_free (((SlCurvePoint *) data)->line);
}

static int
by_place (gconstpointer a, gconstpointer b)
{
  const SlCurvePoint *p = a, *q = b;
  int order = strcmp (p->line, q->line);
  return order != 0 ? order : p->x < q->x ? -1 : p->x > q->x;
}

/* Takes lines with fewer than LEAST places off POINTS, which are sorted. */
static void
drop_short_lines (GArray *points, guint least)
{
  for (guint from = 0, to; from < points->len; from = to)
    {
      guint different = 0;
      for (to = from; to < points->len; to++)
        {
          const SlCurvePoint *first = &g_array_index (points, SlCurvePoint, from),
                             *point = &g_array_index (points, SlCurvePoint, to);
          if (strcmp (point->line, first->line) != 0)
            break;
          different += to == from || point->x != (point - 1)->x;
        }
      if (different >= least)
        continue;
      g_array_remove_range (points, from, to - from);
      to = from;
    }
}

static gboolean
find_x (const SlScoreRow *row, const char *key, double *x)
{
  *x = row->seconds;
  const char *value = key != NULL ? sl_tags_get (&row->conditions, key) : NULL;
  return key != NULL ? value != NULL && sl_parse_real (value, -1, x) : isfinite (*x);
}

GArray *
sl_curve_points (const SlScoreRows *rows, const char *metric, const char *key,
                 const GPtrArray *passed, guint least)
{
  GArray *points = g_array_new (FALSE, FALSE, sizeof (SlCurvePoint));
  g_array_set_clear_func (points, clear_point);
  for (guint i = 0; i < rows->rows->len; i++)
    {
      const SlScoreRow *row = &g_array_index (rows->rows, SlScoreRow, i);
      SlCurvePoint point = { .row = row };
      if (strcmp (row->metric, metric) != 0 || !isfinite (row->value)
          || sl_score_is_difference (row) || !find_x (row, key, &point.x))
        continue;
      point.line = line_of (row, key, passed);
      g_array_append_val (points, point);
    }
  g_array_sort (points, by_place);
  drop_short_lines (points, least);
  return points;
}

GPtrArray *
sl_curve_keys (const SlScoreRows *rows)
{
  static const char *const repetitions[] = { "seed", "run", "fold", NULL };
  GPtrArray *keys = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < rows->rows->len; i++)
    {
      const SlTags *tags = &g_array_index (rows->rows, SlScoreRow, i).conditions;
      for (int t = 0; t < tags->n; t++)
        if (!g_strv_contains (repetitions, tags->tag[t].key) && !has (keys, tags->tag[t].key))
          g_ptr_array_add (keys, g_strdup (tags->tag[t].key));
    }
  return keys;
}

/* Whether each row's value of KEY is its annotators, or in proportion to what one of them takes. */
static gboolean
is_in_time (const SlScoreRows *rows, const char *key)
{
  gboolean annotators = TRUE, inputs = TRUE;
  const SlScoreRow *first = NULL;
  double first_value = 0, least = G_MAXDOUBLE, most = 0;
  for (guint i = 0; i < rows->rows->len; i++)
    {
      const SlScoreRow *row = &g_array_index (rows->rows, SlScoreRow, i);
      const char *text = sl_tags_get (&row->conditions, key);
      double value;
      if (text == NULL || !sl_parse_real (text, -1, &value))
        return FALSE;
      if (first == NULL)
        {
          first = row;
          first_value = value;
        }
      annotators &= value == row->annotators;
      inputs &= fabs (value * first->each - first_value * row->each)
                <= 1e-9 * fabs (value * first->each);
      least = MIN (least, value);
      most = MAX (most, value);
    }
  return first != NULL && (annotators || (inputs && most > least));
}

GPtrArray *
sl_curve_time_keys (const SlScoreRows *rows)
{
  g_autoptr (GPtrArray) keys = sl_curve_keys (rows);
  GPtrArray *found = g_ptr_array_new_with_free_func (g_free);
  for (guint k = 0; k < keys->len; k++)
    if (is_in_time (rows, keys->pdata[k]))
      g_ptr_array_add (found, g_strdup (keys->pdata[k]));
  return found;
}
