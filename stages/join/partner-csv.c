/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/base/shown-text.h"
#include "pipeline/text/csv-columns.h"
#include "partner.h"

#include <string.h>

static const SlColumnRole item_role = {
  "item", (const char *const[]){ "item", "task", "question", "example", "image", "img", NULL }, TRUE
};

static const SlColumnRole gold_role
    = { "gold", (const char *const[]){ "gold", "truth", "true", "label", "class", "answer", NULL },
        TRUE };

static gpointer
piece_new (gpointer data)
{
  return data;
}

static void
piece_free (gpointer piece)
{
}

static gboolean
emit (gpointer *piece, gpointer data, GError **error)
{
  return sl_partner_claim (data, error);
}

static gboolean
bad (gint64 row, const char *reason, const char *record, gsize length, gpointer data,
     GError **error)
{
  const SlPartner *partner = data;
  g_set_error (error, SL_ERROR, SL_ERROR_INPUT, "%s: row %" G_GINT64_FORMAT ": %s", partner->name,
               row, reason);
  return FALSE;
}

static void
parse (SlCsvRows *rows, gpointer piece, gpointer data)
{
  SlPartner *partner = data;
  for (guint32 r = 0; r < rows->n; r++)
    {
      gsize length;
      const char *text = sl_csv_field (rows, 0, r, &length);
      gint32 item = sl_intern (partner->items, text, length);
      for (int c = 0; c < partner->n_columns; c++)
        {
          SlPartnerValue value;
          text = sl_csv_field (rows, c + 1, r, &length);
          if (length == 0)
            continue;
          const char *wrong = sl_partner_value (partner, c, text, length, &value);
          if (wrong == NULL)
            wrong = sl_partner_add (partner, c, item, value);
          g_autofree char *shown = wrong != NULL ? sl_shown (text, length) : NULL;
          if (wrong != NULL)
            sl_csv_rows_bad (rows, r, "%s '%s' %s", partner->columns[c].theirs, shown, wrong);
        }
    }
  sl_csv_rows_drop_bad (rows);
}

/* The first column that goes by one of the names of ROLE, the names in their order; -1: none. */
static int
find_role (const SlCsv *csv, const SlColumnRole *role)
{
  for (const char *const *name = role->names; *name != NULL; name++)
    for (int c = 0; c < csv->n_fields; c++)
      {
        const SlColumnRole one = { role->role, (const char *const[]){ *name, NULL }, TRUE };
        if (sl_columns_goes_by (&one, csv->first[c]))
          return c;
      }
  return -1;
}

/* By the name as it is; or else, unless a name was given, by one that stands for gold. */
static int
find_column (const SlCsv *csv, const SlPartnerColumn *column)
{
  for (int c = 0; c < csv->n_fields; c++)
    if (strcmp (csv->first[c], column->theirs) == 0)
      return c;
  return !column->renamed && strcmp (column->own, "gold") == 0 ? find_role (csv, &gold_role) : -1;
}

gboolean
sl_partner_read_csv (SlPartner *partner, GError **error)
{
  static const SlCsvHandler handler = { piece_new, piece_free, parse, bad, emit };
  SlCsv *csv = partner->csv;
  g_autofree int *columns = g_new (int, partner->n_columns + 1);
  columns[0] = find_role (csv, &item_role);
  const char *absent = columns[0] < 0 ? "item" : NULL;
  for (int c = 0; c < partner->n_columns; c++)
    {
      columns[c + 1] = find_column (csv, &partner->columns[c]);
      if (absent == NULL && columns[c + 1] < 0)
        absent = partner->columns[c].theirs;
    }
  if (absent != NULL)
    {
      g_set_error (error, SL_ERROR, SL_ERROR_INPUT, "%s: row 1 has no column '%s'", csv->name,
                   absent);
      return FALSE;
    }
  partner->name = csv->name;
  sl_csv_skip_first (csv);
  return sl_csv_each (csv, columns, partner->n_columns + 1, 1, &handler, partner, error);
}
