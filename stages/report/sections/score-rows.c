/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "score-rows.h"

#include "pipeline/base/number-text.h"
#include "pipeline/table/tag-columns.h"
#include "pipeline/table/types/types.h"
#include "stages/common/tables/row-conditions.h"

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
  return column != NULL ? sl_text_dup (column->text, i) : g_strdup ("");
}

static void
clear_row (gpointer data)
{
  SlScoreRow *row = data;
  g_free (row->metric);
  g_free (row->group);
  g_free (row->definition);
  g_free (row->interval);
  g_free (row->reason);
  sl_tags_clear (&row->conditions);
}

gboolean
sl_score_rows_begin (gpointer state, SlReport *report, const SlReportInput *input, GError **error)
{
  SlScoreRows *rows = state;
  rows->input = input;
  if (rows->rows != NULL)
    return TRUE;
  rows->rows = SL_OWN (report, g_array_new (FALSE, TRUE, sizeof (SlScoreRow)), g_array_unref);
  rows->bins = SL_OWN (report, g_array_new (FALSE, TRUE, sizeof (SlScoreRow)), g_array_unref);
  g_array_set_clear_func (rows->rows, clear_row);
  g_array_set_clear_func (rows->bins, clear_row);
  return TRUE;
}

/* The tags that row I has by itself, and its group: "M=3, seed=1". */
static char *
own_of (const SlBatch *batch, const SlColumn *group, gint64 i)
{
  GString *own = g_string_new (NULL);
  const SlTable *table = batch->table;
  for (int c = sl_table_first_tag (table); table->spec[c].name != NULL; c++)
    if (sl_table_has (table, c) && !sl_tag_column_is_told (table, c)
        && !sl_value_is_missing (batch, c, i))
      {
        g_autofree char *value = text_of (&batch->column[c], i);
        sl_group_append (own, sl_tag_column_key (table, c), value);
      }
  g_autofree char *text = text_of (group, i);
  if (*text != '\0')
    g_string_append_printf (own, "%s%s", own->len > 0 ? ", " : "", text);
  return g_string_free (own, FALSE);
}

static double
real_of (const SlColumn *column, gint64 i)
{
  return column != NULL ? column->real[i] : (double) NAN;
}

static SlScoreRow
row_of (const SlReport *report, const SlReportInput *input, const SlBatch *batch, gint64 i)
{
  const SlColumn *n = column_of (batch, "n", SL_TYPE_INT64);
  SlScoreRow row = { .input = input,
                     .metric = text_of (column_of (batch, "metric", SL_TYPE_TEXT), i),
                     .definition = text_of (column_of (batch, "definition", SL_TYPE_TEXT), i),
                     .interval = text_of (column_of (batch, "interval", SL_TYPE_TEXT), i),
                     .reason = text_of (column_of (batch, "reason", SL_TYPE_TEXT), i),
                     .value = real_of (column_of (batch, "value", SL_TYPE_REAL), i),
                     .lower = real_of (column_of (batch, "lower", SL_TYPE_REAL), i),
                     .upper = real_of (column_of (batch, "upper", SL_TYPE_REAL), i),
                     .p = real_of (column_of (batch, "p", SL_TYPE_REAL), i),
                     .annotators = real_of (column_of (batch, "annotators", SL_TYPE_REAL), i),
                     .each = real_of (column_of (batch, "seconds_each", SL_TYPE_REAL), i),
                     .seconds = real_of (column_of (batch, "seconds", SL_TYPE_REAL), i),
                     .n = n != NULL ? n->int64[i] : 0 };
  (void) sl_row_conditions (&row.conditions, batch, i); /* other programs' groups may be any text */
  g_autofree char *own = own_of (batch, column_of (batch, "group", SL_TYPE_TEXT), i);
  if (*own == '\0')
    row.group = g_strdup (input->label);
  else if (sl_report_is_one_of_several (report, input))
    row.group = g_strdup_printf ("%s: %s", input->label, own);
  else
    row.group = g_steal_pointer (&own);
  return row;
}

gboolean
sl_score_rows_take (gpointer state, SlReport *report, const SlBatch *batch, GError **error)
{
  SlScoreRows *rows = state;
  const SlColumn *bin = column_of (batch, "bin", SL_TYPE_TEXT);
  if (!sl_run_claim_array (report->run, (gsize) batch->n_rows, sizeof (SlScoreRow) + 200,
                           "the scores", error))
    return FALSE;
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      g_autofree char *part = text_of (bin, i);
      SlScoreRow row = row_of (report, rows->input, batch, i);
      if (!sl_parse_real (part, -1, &row.bin))
        row.bin = NAN;
      g_array_append_val (*part != '\0' ? rows->bins : rows->rows, row);
    }
  return TRUE;
}

gboolean
sl_score_is_difference (const SlScoreRow *row)
{
  const char *table = sl_tags_get (&row->conditions, "table");
  return table != NULL && strstr (table, " - ") != NULL;
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
  return natural (p->group, q->group) ?: SL_COMPARE (p->place, q->place);
}

GArray *
sl_score_rows_sorted (const SlScoreRows *rows)
{
  GArray *sorted = g_array_new (FALSE, FALSE, sizeof (SlScoreRow));
  g_array_append_vals (sorted, rows->rows->data, rows->rows->len);
  for (guint i = 0; i < sorted->len; i++)
    g_array_index (sorted, SlScoreRow, i).place = i;
  g_array_sort (sorted, by_group);
  return sorted;
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

/* Appends PART to LINE unless it is there; a long number with four digits. */
static void
append_part (GString *line, GPtrArray *there, const char *part)
{
  if (has (there, part))
    return;
  g_ptr_array_add (there, (gpointer) part);
  const char *equals = strchr (part, '=');
  double number;
  g_string_append (line, line->len > 0 ? ", " : "");
  if (equals == NULL || strlen (equals) < 8 || !sl_parse_real (equals + 1, -1, &number))
    g_string_append (line, part);
  else
    {
      char digits[G_ASCII_DTOSTR_BUF_SIZE];
      g_string_append_len (line, part, equals + 1 - part);
      g_string_append (line, g_ascii_formatd (digits, sizeof digits, "%.4g", number));
    }
}

char *
sl_score_line (const SlScoreRow *row, const char *key, const GPtrArray *passed)
{
  GString *line = g_string_new (NULL);
  g_autoptr (GPtrArray) there = g_ptr_array_new ();
  g_auto (GStrv) tables = g_strsplit (row->group, ": ", -1); /* its label, and the rest */
  g_autoptr (GPtrArray) split = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  for (int t = 0; tables[t] != NULL; t++)
    {
      char **own = g_strsplit (tables[t], ", ", -1);
      g_ptr_array_add (split, own);
      for (int p = 0; own[p] != NULL; p++)
        if (!is_passed (own[p], key, passed))
          append_part (line, there, own[p]);
    }
  return g_string_free (line, FALSE);
}

/* How many of ROWS are told apart by what is left of their groups without the keys of PASSED. */
static guint
told_apart (const GPtrArray *rows, const GPtrArray *passed)
{
  g_autoptr (GHashTable) lines = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < rows->len; i++)
    g_hash_table_add (lines, sl_score_line (rows->pdata[i], NULL, passed));
  return g_hash_table_size (lines);
}

/* The value that all ROWS that have KEY give it; NULL where they differ. */
static const char *
one_value (const GPtrArray *rows, const char *key)
{
  const char *found = NULL;
  for (guint i = 0; i < rows->len; i++)
    {
      const SlScoreRow *row = rows->pdata[i];
      const char *own = sl_tags_get (&row->conditions, key);
      if (own != NULL && found != NULL && strcmp (own, found) != 0)
        return NULL;
      found = own != NULL ? own : found;
    }
  return found;
}

GPtrArray *
sl_score_alike (const GPtrArray *rows, GString *said)
{
  GPtrArray *keys = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) seen = g_ptr_array_new ();
  guint apart = told_apart (rows, keys);
  for (guint i = 0; rows->len > 1 && i < rows->len; i++)
    {
      const SlTags *tags = &((const SlScoreRow *) rows->pdata[i])->conditions;
      for (int t = 0; t < tags->n; t++)
        {
          const char *key = tags->tag[t].key;
          if (has (seen, key))
            continue;
          g_ptr_array_add (seen, (gpointer) key);
          const char *value = one_value (rows, key);
          if (value == NULL)
            continue;
          g_ptr_array_add (keys, g_strdup (key));
          if (told_apart (rows, keys) < apart)
            g_ptr_array_set_size (keys, (int) keys->len - 1);
          else
            g_string_append_printf (said, "%s%s=%s", said->len > 0 ? ", " : "", key, value);
        }
    }
  return keys;
}
