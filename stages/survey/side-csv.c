/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "side-csv.h"

#include "stages/common/files/csv-cells.h"

#include <string.h>

typedef struct
{
  SlRun *run;
  int n_roles;
  const int *place; /* of each role among the columns that are read; -1: not there */
  char *(*take) (char **fields, gpointer data);
  gpointer data;
  gsize bytes, claimed;
} Side;

gboolean
sl_side_is_csv (const char *path)
{
  g_autofree char *small = g_ascii_strdown (path, -1);
  return g_str_has_suffix (small, ".csv") || g_str_has_suffix (small, ".tsv");
}

static void
parse (SlCsvRows *rows, gpointer data)
{
  Side *side = data;
  for (guint32 r = 0; r < rows->n; r++)
    {
      g_auto (GStrv) fields = g_new0 (char *, (gsize) side->n_roles + 1);
      gboolean nul = FALSE;
      for (int i = 0; i < side->n_roles; i++)
        {
          gsize n = 0;
          const char *text = side->place[i] >= 0 ? sl_csv_field (rows, side->place[i], r, &n) : "";
          fields[i] = g_strndup (text, n);
          nul = nul || strlen (fields[i]) != n;
          side->bytes += n + 256;
        }
      g_autofree char *wrong = nul ? g_strdup ("it has a NUL") : side->take (fields, side->data);
      if (wrong != NULL)
        sl_csv_rows_bad (rows, r, "%s", wrong);
    }
}

static gboolean
claim (gpointer data, GError **error)
{
  Side *side = data;
  return sl_run_claim_up_to (side->run, &side->claimed, side->bytes, "the study's tables", error);
}

gboolean
sl_side_csv (SlRun *run, const char *option, const char *path, const SlColumnRole *roles,
             int n_roles, char *(*take) (char **fields, gpointer data), gpointer data,
             GError **error)
{
  g_autoptr (SlCsv) csv = sl_csv_open (path, error);
  if (csv == NULL)
    {
      g_prefix_error (error, "--%s: ", option);
      return FALSE;
    }
  g_autofree int *place = g_new (int, n_roles + 1), *columns = g_new (int, n_roles + 1);
  int n = 0;
  for (int i = 0; i < n_roles; i++)
    {
      int column = sl_csv_find_role (csv, &roles[i]);
      if (column < 0 && roles[i].required)
        return sl_error_bad_input (error, "--%s: %s: row 1 has no column '%s'", option, csv->name,
                                   roles[i].role);
      place[i] = column >= 0 ? n : -1;
      if (column >= 0)
        columns[n++] = column;
    }
  Side side = { run, n_roles, place, take, data, 0, 0 };
  sl_csv_skip_first (csv);
  if (sl_csv_cells (csv, columns, n, parse, claim, &side, error))
    return TRUE;
  g_prefix_error (error, "--%s: ", option);
  return FALSE;
}
