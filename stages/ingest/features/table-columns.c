/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table-columns.h"

#include "pipeline/base/shown-text.h"
#include "stages/common/files/column-names.h"

#include <string.h>

#define MOST_NAMES 8 /* that a warning lists */

/* The index that pandas writes has no name in CSV, and one of its own in Parquet. */
#define ITEM                                                                                       \
  {                                                                                                \
    "item", SL_NAMES (SL_ITEM_NAMES), FALSE,                                                       \
        SL_NAMES (SL_ITEM_FALLBACK, "", "index", "unnamed0", "indexlevel0")                        \
  }
#define GOLD                                                                                       \
  {                                                                                                \
    "gold", SL_NAMES ("gold", "truth", "truelabel", "trueclass", "goldlabel"), FALSE,              \
        SL_NAMES ("label", "class", "target", "category", "y")                                     \
  }

const SlColumnRole sl_table_roles[]
    = { ITEM, GOLD, { "features", SL_NAMES ("features"), FALSE, NULL }, { 0 } };

const SlColumnRole sl_table_single_roles[] = { ITEM, GOLD, { 0 } };

gboolean
sl_table_check_item (const SlIngest *ingest, const SlCsv *csv, const int *column, GError **error)
{
  if (column[SL_TABLE_ITEM] >= 0 || ingest->columns[SL_TABLE_ITEM] != NULL)
    return TRUE;
  return sl_error_bad_input (
      error,
      "%s: no column is called item, image, id or the like: say which it is "
      "with --column item=NAME, or number the rows from 0 with --column item=",
      csv->name);
}

/* Names of columns for a message. */
typedef struct
{
  GString *text;
  int n;
} Names;

static void
add_name (Names *names, const char *name)
{
  if (names->n++ >= MOST_NAMES)
    return;
  g_autofree char *shown = sl_shown (name, strlen (name));
  g_string_append_printf (names->text, "%s'%s'", names->n > 1 ? ", " : "", shown);
}

static gboolean
fits (const char *pattern, const char *name)
{
  return pattern == NULL || strcmp (pattern, name) == 0 || g_pattern_match_simple (pattern, name);
}

/* Of columns that PATTERN fits, those of CELL. */
static void
pick (const SlCsv *csv, const SlCellKind *cell, const int *column, const char *pattern,
      SlCellKind wanted, GArray *picked)
{
  g_array_set_size (picked, 0);
  for (int i = 0; i < csv->n_fields; i++)
    if (i != column[SL_TABLE_ITEM] && i != column[SL_TABLE_GOLD] && cell[i] == wanted
        && fits (pattern, csv->first[i]))
      g_array_append_val (picked, i);
}

static gboolean
refuse (const SlCsv *csv, const GArray *picked, const char *pattern, GError **error)
{
  if (picked->len == 0 && pattern != NULL)
    return sl_error_bad_input (
        error, "%s: no column of numbers or of lists of numbers fits --column features=%s",
        csv->name, pattern);
  if (picked->len == 0)
    return sl_error_bad_input (
        error, "%s: it has no column of numbers, nor of lists of numbers, for the features",
        csv->name);
  const int *two = (const int *) (gpointer) picked->data;
  return sl_error_bad_input (
      error,
      "%s: columns '%s' and '%s' are both of lists of numbers: say which has "
      "the features with --column features=NAME",
      csv->name, csv->first[two[0]], csv->first[two[1]]);
}

static void
tell (SlIngest *ingest, const SlCsv *csv, const int *column, const GArray *picked)
{
  g_autoptr (GString) text = g_string_new (NULL);
  Names names = { text, 0 };
  for (int i = 0; i < csv->n_fields; i++)
    {
      gboolean used = i == column[SL_TABLE_ITEM] || i == column[SL_TABLE_GOLD];
      for (guint p = 0; !used && p < picked->len; p++)
        used = g_array_index (picked, int, p) == i;
      if (!used)
        add_name (&names, csv->first[i]);
    }
  if (names.n > 0)
    sl_run_warn (ingest->run, "%s: left out column%s %s%s", csv->name, names.n > 1 ? "s" : "",
                 text->str, names.n > MOST_NAMES ? ", …" : "");
  static const char *const roles[] = { "item", "gold" };
  for (int r = 0; r < 2; r++)
    if (column[r] >= 0)
      sl_run_note (ingest->run, "%s: column '%s' is the %s", csv->name, csv->first[column[r]],
                   roles[r]);
}

gboolean
sl_table_pick (SlIngest *ingest, const SlCsv *csv, const SlCellKind *cell, const int *column,
               GArray *picked, GError **error)
{
  const char *pattern = ingest->columns[SL_TABLE_FEATURES];
  pick (csv, cell, column, pattern, SL_CELL_LIST, picked);
  if (picked->len == 0)
    pick (csv, cell, column, pattern, SL_CELL_NUMBER, picked);
  else if (picked->len > 1)
    return refuse (csv, picked, pattern, error);
  if (picked->len == 0)
    return refuse (csv, picked, pattern, error);
  tell (ingest, csv, column, picked);
  return TRUE;
}
