/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "curve-points.h"

#include "pipeline/base/number-text.h"

#include <math.h>
#include <string.h>

#define POINTS 3 /* fewer do not make a curve */

/* The parts of ROW's group that are no KEY=VALUE. */
static char *
line_of (const SlScoreRow *row, const char *key)
{
  g_autofree char *begins = g_strconcat (key, "=", NULL);
  g_auto (GStrv) tables = g_strsplit (row->group, ": ", -1);
  GString *line = g_string_new (NULL);
  for (int t = 0; tables[t] != NULL; t++)
    {
      g_auto (GStrv) parts = g_strsplit (tables[t], ", ", -1);
      for (int p = 0; parts[p] != NULL; p++)
        if (!g_str_has_prefix (parts[p], begins))
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

GArray *
sl_curve_points (const SlScoreRows *rows, const char *metric, const char *key)
{
  GArray *points = g_array_new (FALSE, FALSE, sizeof (SlCurvePoint));
  g_array_set_clear_func (points, clear_point);
  for (guint i = 0; i < rows->rows->len; i++)
    {
      const SlScoreRow *row = &g_array_index (rows->rows, SlScoreRow, i);
      if (strcmp (row->metric, metric) != 0 || !isfinite (row->value))
        continue;
      g_autofree char *value = sl_score_tag (row, key);
      SlCurvePoint point = { .row = row };
      if (value == NULL || !sl_parse_real (value, -1, &point.x))
        continue;
      point.line = line_of (row, key);
      g_array_append_val (points, point);
    }
  g_array_sort (points, by_place);
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
      if (different >= POINTS)
        continue;
      g_array_remove_range (points, from, to - from);
      to = from;
    }
  return points;
}

GPtrArray *
sl_curve_keys (const SlScoreRows *rows)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  static const char *const repetitions[] = { "seed", "run", "fold" };
  for (gsize r = 0; r < G_N_ELEMENTS (repetitions); r++)
    g_hash_table_add (seen, g_strdup (repetitions[r]));
  GPtrArray *keys = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < rows->rows->len; i++)
    {
      const SlScoreRow *row = &g_array_index (rows->rows, SlScoreRow, i);
      const SlTags *tags = &row->input->table->tags;
      for (int t = 0; t < tags->n; t++)
        if (g_hash_table_add (seen, g_strdup (tags->tag[t].key)))
          g_ptr_array_add (keys, g_strdup (tags->tag[t].key));
      g_auto (GStrv) parts = g_strsplit_set (row->group + strlen (row->input->label), ":, ", -1);
      for (int p = 0; parts[p] != NULL; p++)
        {
          const char *equals = strchr (parts[p], '=');
          g_autofree char *key
              = equals != NULL ? g_strndup (parts[p], (gsize) (equals - parts[p])) : NULL;
          if (key != NULL && g_hash_table_add (seen, g_strdup (key)))
            g_ptr_array_add (keys, g_steal_pointer (&key));
        }
    }
  return keys;
}
