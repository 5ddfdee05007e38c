/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "figures.h"

#include "schemas/scores.h"
#include "stages/common/tables/row-conditions.h"

#include <math.h>
#include <string.h>

#define FIGURE_BYTES (sizeof (SlFigure) + 200) /* with its conditions' texts, about */

static void
figure_free (gpointer data)
{
  SlFigure *figure = data;
  sl_tags_clear (&figure->conditions);
  g_free (figure);
}

static double
real_of (const SlBatch *batch, int column, gint64 i)
{
  const double *x = batch->column[column].real;
  return x != NULL ? x[i] : (double) NAN;
}

static gboolean
add_row (SlFigures *figures, const SlBatch *batch, gint64 i, GError **error)
{
  gsize length;
  const SlColumn *columns = batch->column;
  const char *text = sl_text_get (columns[SL_SCORES_METRIC].text, i, &length);
  g_autofree char *metric = g_strndup (text, length);
  if (figures->metrics != NULL && !g_strv_contains ((const char *const *) figures->metrics, metric))
    return TRUE;
  SlFigure *figure = g_new0 (SlFigure, 1);
  g_ptr_array_add (figures->figures, figure);
  if (!sl_row_conditions (&figure->conditions, batch, i))
    return sl_error_row (error, batch->first_row + i + 1,
                         "group is no list of KEY=VALUE, KEY=VALUE");
  if (columns[SL_SCORES_BIN].text.offset != NULL)
    {
      text = sl_text_get (columns[SL_SCORES_BIN].text, i, &length);
      g_autofree char *bin = g_strndup (text, length);
      sl_tags_set (&figure->conditions, "bin", *bin != '\0' ? bin : NULL);
    }
  sl_tags_set (&figure->conditions, "metric", metric);
  figure->value = real_of (batch, SL_SCORES_VALUE, i);
  figure->lower = real_of (batch, SL_SCORES_LOWER, i);
  figure->upper = real_of (batch, SL_SCORES_UPPER, i);
  figure->sd = real_of (batch, SL_SCORES_SD, i);
  return TRUE;
}

gboolean
sl_figures_read (SlFigures *figures, const char *path, GError **error)
{
  static const SlKind *const kinds[] = { &sl_scores, NULL };
  if (figures->figures == NULL)
    figures->figures = g_ptr_array_new_with_free_func (figure_free);
  g_autoptr (SlReader) reader = sl_run_open (figures->run, NULL, path, kinds, error);
  if (reader == NULL)
    return FALSE;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    {
      ok = sl_run_claim_array (figures->run, (gsize) batch->n_rows, FIGURE_BYTES, "the figures",
                               error);
      for (gint64 i = 0; ok && i < batch->n_rows; i++)
        ok = add_row (figures, batch, i, error);
    }
  return ok;
}

void
sl_figures_clear (SlFigures *figures)
{
  g_clear_pointer (&figures->figures, g_ptr_array_unref);
  g_clear_pointer (&figures->metrics, g_strfreev);
}

const char *
sl_figure_condition (const SlFigure *figure, const char *key)
{
  const char *value = sl_tags_get (&figure->conditions, key);
  return value != NULL ? value : "";
}

/* Whether KEY is not the same in all figures. */
static gboolean
differs (const SlFigures *figures, const char *key)
{
  for (guint f = 1; f < figures->figures->len; f++)
    if (strcmp (sl_figure_condition (figures->figures->pdata[f], key),
                sl_figure_condition (figures->figures->pdata[0], key))
        != 0)
      return TRUE;
  return FALSE;
}

char **
sl_figures_keys (const SlFigures *figures, char *const *a, char *const *b)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  for (guint f = 0; f < figures->figures->len; f++)
    {
      const SlFigure *figure = figures->figures->pdata[f];
      for (int t = 0; t < figure->conditions.n; t++)
        {
          const char *key = figure->conditions.tag[t].key;
          if (!g_ptr_array_find_with_equal_func (keys, key, g_str_equal, NULL)
              && !(a != NULL && g_strv_contains ((const char *const *) a, key))
              && !(b != NULL && g_strv_contains ((const char *const *) b, key))
              && differs (figures, key))
            g_ptr_array_add (keys, (gpointer) key);
        }
    }
  g_ptr_array_add (keys, NULL);
  return g_strdupv ((char **) keys->pdata);
}
