/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gold-join.h"

#include "stages/common/items/item-values.h"

#include <string.h>

struct _SlGoldJoin
{
  SlRun *run;
  SlTable *table;
  SlBuilder *out;
  int item, gold; /* columns of the table */
  SlItemValues values;
  GByteArray *met;          /* of the file's items: an answer is about it */
  gint64 n_rows, n_without; /* of the answers; those that got no class */
};

void
sl_gold_join_free (SlGoldJoin *join)
{
  g_clear_pointer (&join->out, sl_builder_free);
  g_clear_pointer (&join->table, sl_table_unref);
  g_clear_pointer (&join->met, g_byte_array_unref);
  sl_item_values_clear (&join->values);
  g_free (join);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlGoldJoin, sl_gold_join_free)

SlGoldJoin *
sl_gold_join_new (SlRun *run, const char *path, const SlClassTexts *texts, const SlTable *table,
                  GError **error)
{
  g_autoptr (SlGoldJoin) join = g_new0 (SlGoldJoin, 1);
  join->run = run;
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
  if (!sl_item_values_open (&join->values, run, "gold", path, error))
    return NULL;
  sl_item_values_want (&join->values, "gold", SL_TYPE_CLASS, TRUE);
  if (!sl_item_values_read (&join->values, join->table->classes, join->table->n_classes, texts,
                            error))
    return NULL;
  join->met = g_byte_array_new ();
  g_byte_array_set_size (join->met, (guint) sl_intern_size (join->values.items));
  if (join->met->len > 0)
    memset (join->met->data, 0, join->met->len);
  return g_steal_pointer (&join);
}

SlTable *
sl_gold_join_table (const SlGoldJoin *join)
{
  return join->table;
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
  sl_items_find (join->values.items, batch->column[join->item].text, batch->n_rows, 1, ids);
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      gint32 code;
      if (!sl_item_values_class (&join->values, 0, ids[i], &code, error))
        return NULL;
      sl_builder_class (join->out, join->gold, code);
      join->n_without += code < 0;
      if (ids[i] >= 0)
        join->met->data[ids[i]] = 1;
    }
  join->n_rows += batch->n_rows;
  return sl_builder_take (join->out, error);
}

void
sl_gold_join_tell (const SlGoldJoin *join)
{
  gint64 met = 0, all = join->met->len;
  for (guint i = 0; i < join->met->len; i++)
    met += join->met->data[i];
  g_autofree char *text = g_strdup_printf (
      "--gold %s: %" G_GINT64_FORMAT " of its %" G_GINT64_FORMAT
      " items are among the answers; rows without a gold class: %" G_GINT64_FORMAT
      " of %" G_GINT64_FORMAT,
      join->values.name, met, all, join->n_without, join->n_rows);
  if (2 * met < all && 2 * join->n_without > join->n_rows)
    sl_run_warn (join->run, "%s; are items named alike in both?", text);
  else
    sl_run_note (join->run, "%s", text);
}
