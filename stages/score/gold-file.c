/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gold-file.h"

#include "pipeline/base/shown-text.h"
#include "schemas/annotations.h"
#include "schemas/features.h"
#include "schemas/labels.h"
#include "schemas/predictions.h"
#include "stages/common/classes/class-coder.h"
#include "stages/common/classes/class-list.h"
#include "stages/common/classes/class-map.h"
#include "stages/common/files/csv-cells.h"

#include <string.h>

static const SlKind *const kinds[]
    = { &sl_labels, &sl_annotations, &sl_predictions, &sl_features, NULL };

typedef struct
{
  SlGoldFile *gold;
  const SlTable *table;
  SlCoder *classes;
} Reading;

void
sl_gold_file_clear (SlGoldFile *gold)
{
  g_clear_pointer (&gold->name, g_free);
  g_clear_pointer (&gold->items, sl_intern_free);
  g_clear_pointer (&gold->gold, g_array_unref);
}

/* The class that an item has had before, or -1; it is CODE then. */
static gint32
set_class (SlGoldFile *gold, const char *item, gsize length, gint32 code)
{
  static const gint32 unknown = -1;
  gint32 i = sl_intern (gold->items, item, length);
  while (gold->gold->len <= (guint) i)
    g_array_append_val (gold->gold, unknown);
  gint32 *place = &g_array_index (gold->gold, gint32, i), before = *place;
  *place = code;
  return before;
}

static void
parse (SlCsvRows *rows, gpointer data)
{
  Reading *reading = data;
  for (guint32 r = 0; r < rows->n; r++)
    {
      gsize item_length, length;
      const char *item = sl_csv_field (rows, 0, r, &item_length);
      const char *class = sl_csv_field (rows, 1, r, &length);
      gint32 code = length > 0 ? sl_coder_code (reading->classes, class, length) : SL_CODE_MISSING;
      if (code == SL_CODE_MISSING)
        continue;
      if (code == SL_CODE_UNKNOWN)
        {
          g_autofree char *shown = sl_shown (class, length);
          sl_csv_rows_bad (rows, r, "gold class '%s' is none of the classes ('%s', …)", shown,
                           reading->table->classes[0]);
          continue;
        }
      gint32 before = set_class (reading->gold, item, item_length, code);
      if (before >= 0 && before != code)
        sl_csv_rows_bad (rows, r, "gold class '%s' where '%s' was said before",
                         reading->table->classes[code], reading->table->classes[before]);
    }
}

static gboolean
read_csv (SlGoldFile *gold, SlRun *run, const char *path, const SlTable *table, GError **error)
{
  g_autoptr (SlCsv) csv = sl_csv_open (path, error);
  if (csv == NULL || !sl_run_add_option_file (run, "gold", path, error))
    return FALSE;
  gold->name = g_strdup (csv->name);
  int columns[] = { sl_csv_find_role (csv, &sl_item_role), sl_csv_find_role (csv, &sl_gold_role) };
  if (columns[0] < 0 || columns[1] < 0)
    return sl_error_bad_input (error, "%s: row 1 has no column '%s': item and gold are wanted",
                               csv->name, columns[0] < 0 ? "item" : "gold");
  sl_csv_skip_first (csv);
  g_autoptr (SlIntern) known = sl_classes_intern (table->classes);
  SlClassTexts texts;
  if (!sl_class_texts_init (&texts, TRUE, NULL, NULL, error))
    return FALSE;
  Reading reading = { gold, table, sl_coder_new (known, &texts) };
  gboolean ok = sl_csv_cells (csv, columns, 2, parse, NULL, &reading, error);
  sl_coder_free (reading.classes);
  sl_class_texts_clear (&texts);
  return ok;
}

static gboolean
add_batch (SlGoldFile *gold, const SlBatch *batch, int item, int column, const gint32 *map,
           GError **error)
{
  const gint32 *code = batch->column[column].code;
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      gsize length;
      const char *name = sl_text_get (batch->column[item].text, i, &length);
      if (code[i] < 0)
        continue;
      if (map[code[i]] < 0)
        return sl_error_row (error, batch->first_row + i + 1,
                             "gold class '%s' is none of the classes that are scored",
                             batch->table->classes[code[i]]);
      gint32 before = set_class (gold, name, length, map[code[i]]);
      if (before >= 0 && before != map[code[i]])
        {
          g_autofree char *shown = sl_shown (name, length);
          return sl_error_row (error, batch->first_row + i + 1,
                               "item '%s' has another gold class than in a row before", shown);
        }
    }
  return TRUE;
}

static gboolean
read_table (SlGoldFile *gold, SlRun *run, const char *path, const SlTable *table, GError **error)
{
  g_autoptr (SlReader) reader = sl_run_open (run, "gold", path, kinds, error);
  if (reader == NULL)
    return FALSE;
  SlTable *own = sl_reader_table (reader);
  int item = sl_table_column (own, "item"), column = sl_table_column (own, "gold");
  gold->name = g_strdup (sl_reader_name (reader));
  if (column < 0)
    return sl_error_bad_input (error, "%s: it has no column 'gold'", gold->name);
  g_autofree gint32 *map = sl_class_map_alike (own, table->classes, table->n_classes);
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    ok = add_batch (gold, batch, item, column, map, error);
  return ok;
}

gboolean
sl_gold_file_read (SlGoldFile *gold, SlRun *run, const char *path, const SlTable *table,
                   GError **error)
{
  gboolean csv = g_str_has_suffix (path, ".csv") || g_str_has_suffix (path, ".tsv");
  gold->items = sl_intern_new ();
  gold->gold = g_array_new (FALSE, FALSE, sizeof (gint32));
  return (csv ? read_csv : read_table) (gold, run, path, table, error);
}
