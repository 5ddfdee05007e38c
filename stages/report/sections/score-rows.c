/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "score-rows.h"

#include "schemas/scores.h"

#include <math.h>
#include <string.h>

/* The column NAME of TYPE, if the table has it. */
static const SlColumn *
column_of (const SlBatch *batch, const char *name, SlType type)
{
  int column = sl_table_column (batch->table, name);
  if (column < 0 || !sl_table_has (batch->table, column)
      || batch->table->kind->columns[column].type != type)
    return NULL;
  return &batch->column[column];
}

static char *
text_of (const SlColumn *column, gint64 i)
{
  gsize length;
  if (column == NULL)
    return g_strdup ("");
  const char *text = sl_text_get (column->text, i, &length);
  return g_strndup (text, length);
}

gboolean
sl_score_rows_begin (gpointer state, SlReport *report, const SlReportInput *input, GError **error)
{
  SlScoreRows *rows = state;
  rows->input = input;
  if (rows->rows == NULL)
    rows->rows = g_array_new (FALSE, TRUE, sizeof (SlScoreRow));
  return TRUE;
}

gboolean
sl_score_rows_take (gpointer state, SlReport *report, const SlBatch *batch, GError **error)
{
  SlScoreRows *rows = state;
  const SlColumn *group = column_of (batch, "group", SL_TYPE_TEXT),
                 *bin = column_of (batch, "bin", SL_TYPE_TEXT),
                 *lower = column_of (batch, "lower", SL_TYPE_REAL),
                 *upper = column_of (batch, "upper", SL_TYPE_REAL),
                 *definition = column_of (batch, "definition", SL_TYPE_TEXT),
                 *interval = column_of (batch, "interval", SL_TYPE_TEXT),
                 *reason = column_of (batch, "reason", SL_TYPE_TEXT);
  if (!sl_run_claim_array (report->run, (gsize) batch->n_rows, sizeof (SlScoreRow) + 64,
                           "the scores", error))
    return FALSE;
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      g_autofree char *part = text_of (bin, i), *own = text_of (group, i);
      if (*part != '\0')
        {
          rows->bins++;
          continue;
        }
      const char *label = rows->input->label;
      SlScoreRow row
          = { .input = rows->input,
              .metric = text_of (&batch->column[SL_SCORES_METRIC], i),
              .group = *own != '\0' ? g_strdup_printf ("%s: %s", label, own) : g_strdup (label),
              .definition = text_of (definition, i),
              .interval = text_of (interval, i),
              .reason = text_of (reason, i),
              .value = batch->column[SL_SCORES_VALUE].real[i],
              .lower = lower != NULL ? lower->real[i] : NAN,
              .upper = upper != NULL ? upper->real[i] : NAN,
              .n = batch->column[SL_SCORES_N].int64[i] };
      g_array_append_val (rows->rows, row);
    }
  return TRUE;
}

void
sl_score_rows_clear (gpointer state)
{
  SlScoreRows *rows = state;
  for (guint i = 0; rows->rows != NULL && i < rows->rows->len; i++)
    {
      SlScoreRow *row = &g_array_index (rows->rows, SlScoreRow, i);
      g_free (row->metric);
      g_free (row->group);
      g_free (row->definition);
      g_free (row->interval);
      g_free (row->reason);
    }
  g_clear_pointer (&rows->rows, g_array_unref);
}

/* Texts by their characters, but runs of digits, with what follows a point, by their values: M=2
 * before M=10. */
static int
natural (const char *a, const char *b)
{
  while (*a != '\0' && *b != '\0')
    {
      if (g_ascii_isdigit (*a) && g_ascii_isdigit (*b))
        {
          char *a_end, *b_end;
          double x = g_ascii_strtod (a, &a_end), y = g_ascii_strtod (b, &b_end);
          if (x != y)
            return x < y ? -1 : 1;
          a = a_end;
          b = b_end;
        }
      else if (*a != *b)
        return (guchar) *a < (guchar) *b ? -1 : 1;
      else
        {
          a++;
          b++;
        }
    }
  return *a != '\0' ? 1 : *b != '\0' ? -1 : 0;
}

static int
by_group (gconstpointer a, gconstpointer b)
{
  const SlScoreRow *p = a, *q = b;
  int order = natural (p->group, q->group);
  return order != 0 ? order : p->place < q->place ? -1 : p->place > q->place;
}

void
sl_score_rows_sort (SlScoreRows *rows)
{
  for (guint i = 0; i < rows->rows->len; i++)
    g_array_index (rows->rows, SlScoreRow, i).place = i;
  g_array_sort (rows->rows, by_group);
}

GPtrArray *
sl_score_metrics (const SlScoreRows *rows)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  GPtrArray *metrics = g_ptr_array_new ();
  for (guint i = 0; i < rows->rows->len; i++)
    {
      char *metric = g_array_index (rows->rows, SlScoreRow, i).metric;
      if (g_hash_table_add (seen, metric))
        g_ptr_array_add (metrics, metric);
    }
  return metrics;
}

char *
sl_score_tag (const SlScoreRow *row, const char *key)
{
  const char *value = sl_tags_get (&row->input->table->tags, key);
  if (value != NULL)
    return g_strdup (value);
  const char *own = row->group + strlen (row->input->label);
  if (!g_str_has_prefix (own, ": "))
    return NULL;
  g_auto (GStrv) parts = g_strsplit (own + 2, ", ", -1);
  for (int p = 0; parts[p] != NULL; p++)
    if (g_str_has_prefix (parts[p], key) && parts[p][strlen (key)] == '=')
      return g_strdup (parts[p] + strlen (key) + 1);
  return NULL;
}
