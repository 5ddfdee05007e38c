/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/base/shown-text.h"
#include "stages/common/files/csv-cells.h"
#include "partner.h"

#include <string.h>

static void
parse (SlCsvRows *rows, gpointer data)
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
}

/* By the name as it is; or else, unless a name was given, by one that stands for gold. */
static int
find_column (const SlCsv *csv, const SlPartnerColumn *column)
{
  for (int c = 0; c < csv->n_fields; c++)
    if (strcmp (csv->first[c], column->theirs) == 0)
      return c;
  return !column->renamed && strcmp (column->own, "gold") == 0
             ? sl_csv_find_role (csv, &sl_gold_role)
             : -1;
}

static gboolean
claim (gpointer data, GError **error)
{
  return sl_partner_claim (data, error);
}

gboolean
sl_partner_read_csv (SlPartner *partner, GError **error)
{
  SlCsv *csv = partner->csv;
  g_autofree int *columns = g_new (int, partner->n_columns + 1);
  columns[0] = sl_csv_find_role (csv, &sl_item_role);
  const char *absent = columns[0] < 0 ? "item" : NULL;
  for (int c = 0; c < partner->n_columns; c++)
    {
      columns[c + 1] = find_column (csv, &partner->columns[c]);
      if (absent == NULL && columns[c + 1] < 0)
        absent = partner->columns[c].theirs;
    }
  if (absent != NULL)
    return sl_error_bad_input (error, "%s: row 1 has no column '%s'", csv->name, absent);
  partner->name = csv->name;
  sl_csv_skip_first (csv);
  return sl_csv_cells (csv, columns, partner->n_columns + 1, parse, claim, partner, error);
}
