/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gold-join.h"

#include "pipeline/base/shown-text.h"
#include "stages/common/classes/class-list.h"
#include "stages/common/files/csv-cells.h"

#include <string.h>

enum
{
  NO_GOLD = -1,
  UNKNOWN = -2, /* a class that the table does not have */
};

struct _SlGoldJoin
{
  SlRun *run;
  char *name; /* of the file */
  SlTable *table;
  SlBuilder *out;
  int item, gold; /* columns of the table */
  SlIntern *classes, *items;
  SlCoder *coder;
  GArray *code;             /* of gint32, for each item */
  GHashTable *unknown;      /* items to the texts of such classes */
  GArray *met;              /* of gboolean, for each item: an answer is about it */
  gint64 n_rows, n_without; /* of the answers; those that got no class */
};

void
sl_gold_join_free (SlGoldJoin *join)
{
  g_clear_pointer (&join->out, sl_builder_free);
  g_clear_pointer (&join->table, sl_table_unref);
  g_clear_pointer (&join->coder, sl_coder_free);
  g_clear_pointer (&join->classes, sl_intern_free);
  g_clear_pointer (&join->items, sl_intern_free);
  g_array_unref (join->code);
  g_array_unref (join->met);
  g_hash_table_unref (join->unknown);
  g_free (join->name);
  g_free (join);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlGoldJoin, sl_gold_join_free)

/* What is wrong with CLASS for ITEM, which got its number before; NULL: nothing. */
static char *
set_code (SlGoldJoin *join, gint32 item, const char *class, gsize n)
{
  gint32 code = n > 0 ? sl_coder_code (join->coder, class, n) : SL_CODE_MISSING;
  g_autofree char *shown = sl_shown (class, n);
  /* Items that nobody was asked about may be of any class. */
  if (code == SL_CODE_UNKNOWN)
    g_hash_table_insert (join->unknown, GINT_TO_POINTER (item), g_strdup (shown));
  code = code == SL_CODE_UNKNOWN ? UNKNOWN : code < 0 ? NO_GOLD : code;
  if ((guint) item == join->code->len)
    {
      gboolean no = FALSE;
      g_array_append_val (join->code, code);
      g_array_append_val (join->met, no);
    }
  gint32 *before = &g_array_index (join->code, gint32, item);
  if (*before != NO_GOLD && code != NO_GOLD && *before != code)
    return g_strdup_printf ("the item has another gold class already, and '%s' here", shown);
  *before = code != NO_GOLD ? code : *before;
  return NULL;
}

static void
parse (SlCsvRows *rows, gpointer data)
{
  SlGoldJoin *join = data;
  for (guint32 r = 0; r < rows->n; r++)
    {
      gsize n, n_class;
      const char *item = sl_csv_field (rows, 0, r, &n);
      const char *class = sl_csv_field (rows, 1, r, &n_class);
      g_autofree char *wrong
          = n == 0 ? g_strdup ("the item is empty")
                   : set_code (join, sl_intern (join->items, item, n), class, n_class);
      if (wrong != NULL)
        sl_csv_rows_bad (rows, r, "%s", wrong);
    }
}

static void
parse_list (SlCsvRows *rows, gpointer data)
{
  SlGoldJoin *join = data;
  for (guint32 r = 0; r < rows->n; r++)
    {
      gsize n;
      char item[24];
      const char *class = sl_csv_field (rows, 0, r, &n);
      gsize length = (gsize) g_snprintf (item, sizeof item, "%d", sl_intern_size (join->items));
      g_autofree char *wrong = set_code (join, sl_intern (join->items, item, length), class, n);
      if (wrong != NULL)
        sl_csv_rows_bad (rows, r, "%s", wrong);
    }
}

/* A class a line, of items that go by the lines' numbers, from 0: labels.txt beside answers.txt. A
 * header is told by its name. */
static gboolean
read_list (SlGoldJoin *join, SlCsv *csv, GError **error)
{
  const int columns[] = { 0 };
  if (sl_columns_goes_by (&sl_gold_role, csv->first[0]))
    sl_csv_skip_first (csv);
  return sl_csv_cells (csv, columns, 1, parse_list, NULL, join, error);
}

static gboolean
read_file (SlGoldJoin *join, SlCsv *csv, GError **error)
{
  if (csv->n_fields == 1)
    return read_list (join, csv, error);
  const int columns[]
      = { sl_csv_find_role (csv, &sl_item_role), sl_csv_find_role (csv, &sl_gold_role) };
  if (columns[0] < 0 || columns[1] < 0 || columns[0] == columns[1])
    return sl_error_bad_input (error, "%s: row 1 has no column %s", csv->name,
                               columns[0] < 0 ? "'item'" : "'gold' (or truth, label, class)");
  sl_csv_skip_first (csv);
  return sl_csv_cells (csv, columns, 2, parse, NULL, join, error);
}

SlGoldJoin *
sl_gold_join_new (SlRun *run, SlCsv *csv, const SlClassTexts *texts, const SlTable *table,
                  GError **error)
{
  g_autoptr (SlCsv) own = csv;
  g_autoptr (SlGoldJoin) join = g_new0 (SlGoldJoin, 1);
  join->run = run;
  join->name = g_strdup (csv->name);
  join->code = g_array_new (FALSE, FALSE, sizeof (gint32));
  join->met = g_array_new (FALSE, FALSE, sizeof (gboolean));
  join->items = sl_intern_new ();
  join->unknown = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  join->classes = sl_classes_intern (table->classes);
  join->coder = sl_coder_new (join->classes, texts);
  join->table = sl_table_new (table->kind, (const char *const *) table->classes);
  sl_table_take_columns (join->table, table, table->columns);
  join->item = sl_table_column (table, "item");
  for (int c = 0; table->spec[c].name != NULL; c++)
    if (strcmp (table->spec[c].name, "gold") == 0)
      join->gold = c;
  if (sl_table_has (table, join->gold))
    {
      sl_error_bad_input (error, "--gold: the answers have gold classes themselves; `softlabel "
                                 "ingest` without it keeps those, and `softlabel join` replaces "
                                 "them");
      return NULL;
    }
  sl_table_add (join->table, join->gold);
  join->out = sl_builder_new (join->table);
  if (read_file (join, own, error))
    return g_steal_pointer (&join);
  g_prefix_error (error, "--gold: ");
  return NULL;
}

SlTable *
sl_gold_join_table (const SlGoldJoin *join)
{
  return join->table;
}

static gboolean
fail_unknown (const SlGoldJoin *join, gint32 id, GError **error)
{
  gsize n;
  const char *item = sl_intern_get (join->items, id, &n);
  g_autofree char *shown = sl_shown (item, n);
  return sl_error_bad_input (
      error,
      "--gold: %s: the gold class '%s' of item '%s' is not one of the "
      "classes, which are those of the answers unless --classes names more",
      join->name, (char *) g_hash_table_lookup (join->unknown, GINT_TO_POINTER (id)), shown);
}

SlBatch *
sl_gold_join_take (SlGoldJoin *join, SlBuilder *builder, GError **error)
{
  g_autoptr (SlBatch) batch = sl_builder_take (builder, error);
  if (batch == NULL)
    return NULL;
  for (int c = 0; join->table->spec[c].name != NULL; c++)
    if (sl_table_has (batch->table, c))
      sl_builder_share (join->out, c, batch, c);
  g_autofree gint32 *ids = g_new (gint32, MAX (batch->n_rows, 1));
  sl_intern_find_column (join->items, batch->column[join->item].text, batch->n_rows, 1, ids);
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      gint32 code = ids[i] >= 0 ? g_array_index (join->code, gint32, ids[i]) : NO_GOLD;
      if (code == UNKNOWN && !fail_unknown (join, ids[i], error))
        return NULL;
      sl_builder_class (join->out, join->gold, code);
      join->n_without += code == NO_GOLD;
      if (ids[i] >= 0)
        g_array_index (join->met, gboolean, ids[i]) = TRUE;
    }
  join->n_rows += batch->n_rows;
  return sl_builder_take (join->out, error);
}

void
sl_gold_join_tell (const SlGoldJoin *join)
{
  gint64 met = 0;
  for (guint i = 0; i < join->met->len; i++)
    met += g_array_index (join->met, gboolean, i);
  g_autofree char *text = g_strdup_printf (
      "--gold %s: %" G_GINT64_FORMAT " of its %u items are among the answers; rows without a gold "
      "class: %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT,
      join->name, met, join->met->len, join->n_without, join->n_rows);
  if (2 * met < (gint64) join->met->len && 2 * join->n_without > join->n_rows)
    sl_run_warn (join->run, "%s; are items named alike in both?", text);
  else
    sl_run_note (join->run, "%s", text);
}
