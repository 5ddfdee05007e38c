/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "csv-cells.h"

#include "column-names.h"
#include "pipeline/base/error.h"

const SlColumnRole sl_item_role
    = { "item", SL_NAMES (SL_ITEM_NAMES, SL_ITEM_FALLBACK), TRUE, NULL };

const SlColumnRole sl_annotator_role = { "annotator", SL_NAMES (SL_ANNOTATOR_NAMES), TRUE, NULL };

const SlColumnRole sl_gold_role
    = { "gold", SL_NAMES ("gold", "truth", "true", "label", "class", "answer"), TRUE, NULL };

int
sl_csv_find_role (const SlCsv *csv, const SlColumnRole *role)
{
  for (const char *const *name = role->names; *name != NULL; name++)
    for (int c = 0; c < csv->n_fields; c++)
      {
        const SlColumnRole one = { role->role, SL_NAMES (*name), TRUE, NULL };
        if (sl_role_matches (&one, csv->first[c]))
          return c;
      }
  return -1;
}

typedef struct
{
  const char *name; /* of the file */
  void (*parse) (SlCsvRows *rows, gpointer data);
  gboolean (*after) (gpointer data, GError **error);
  gpointer data;
} Cells;

static gpointer
piece_new (gpointer data)
{
  return data;
}

static void
piece_free (gpointer piece)
{
}

static void
parse (SlCsvRows *rows, gpointer piece, gpointer data)
{
  const Cells *cells = data;
  sl_csv_rows_drop_bad (rows); /* with bytes of 0, or no UTF-8 */
  cells->parse (rows, cells->data);
  sl_csv_rows_drop_bad (rows);
}

static gboolean
bad (gint64 row, const char *reason, const char *record, gsize length, gpointer data,
     GError **error)
{
  const Cells *cells = data;
  return sl_error_bad_input (error, "%s: row %" G_GINT64_FORMAT ": %s", cells->name, row, reason);
}

static gboolean
emit (gpointer *piece, gpointer data, GError **error)
{
  const Cells *cells = data;
  return cells->after == NULL || cells->after (cells->data, error);
}

gboolean
sl_csv_cells (SlCsv *csv, const int *columns, int n_columns,
              void (*parse_rows) (SlCsvRows *rows, gpointer data),
              gboolean (*after) (gpointer data, GError **error), gpointer data, GError **error)
{
  static const SlCsvHandler handler = { piece_new, piece_free, parse, bad, emit };
  Cells cells = { csv->name, parse_rows, after, data };
  return sl_csv_each (csv, columns, n_columns, 1, &handler, &cells, error);
}
