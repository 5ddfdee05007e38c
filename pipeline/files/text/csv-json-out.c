/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "csv-json-out.h"

#include "pipeline/base/csv-field.h"
#include "pipeline/base/error.h"
#include "pipeline/base/intern/intern.h"
#include "pipeline/base/json.h"
#include "pipeline/base/largest.h"
#include "pipeline/base/number-text.h"
#include "pipeline/base/shown-text.h"
#include "pipeline/table/types/types.h"

#include <string.h>

void
sl_csv_append_header (GString *out, const SlTable *table)
{
  gboolean first = TRUE;
  for (int i = 0; table->spec[i].name != NULL; i++)
    if (sl_table_has (table, i))
      {
        const char *name = table->spec[i].name;
        const SlTypeRow *type = sl_type_of (table, i);
        if (!first)
          g_string_append_c (out, ',');
        first = FALSE;
        if (type->csv_names != NULL)
          type->csv_names (out, table, i);
        else
          sl_csv_write_field (out, name, strlen (name));
      }
  g_string_append_c (out, '\n');
}

void
sl_csv_append (GString *out, const SlBatch *batch, gint64 row)
{
  const SlTable *table = batch->table;
  gboolean first = TRUE;
  for (int i = 0; table->spec[i].name != NULL; i++)
    if (sl_table_has (table, i))
      {
        const guint8 *valid = batch->column[i].valid;
        if (!first)
          g_string_append_c (out, ',');
        first = FALSE;
        if (valid == NULL || valid[row])
          sl_type_of (table, i)->csv (out, batch, i, row);
      }
  g_string_append_c (out, '\n');
}

void
sl_jsonl_append (GString *out, const SlBatch *batch, gint64 row)
{
  const SlTable *table = batch->table;
  g_string_append_c (out, '{');
  for (int i = 0; table->spec[i].name != NULL; i++)
    if (sl_table_has (table, i))
      {
        const guint8 *valid = batch->column[i].valid;
        sl_json_member (out, table->spec[i].name);
        if (valid == NULL || valid[row])
          sl_type_of (table, i)->json (out, batch, i, row);
        else
          g_string_append (out, "null");
      }
  g_string_append (out, "}\n");
}

/* ---- shared tasks' files ---- */

struct _SlLewidi
{
  gboolean of_2023;
  int label, class, annotator; /* columns; -1: there is none */
  SlIntern *items;             /* so far */
  gint32 item;                 /* whose line is open, of annotators; -1: none */
};

SlLewidi *
sl_lewidi_new (const SlTable *table, gboolean of_2023, GError **error)
{
  SlLewidi lewidi = { .of_2023 = of_2023, .item = -1 };
  lewidi.label = sl_table_column (table, "label");
  if (lewidi.label < 0)
    lewidi.label = sl_table_column (table, "prob");
  lewidi.class = sl_table_column (table, "class");
  lewidi.annotator = sl_table_column (table, "annotator");
  gboolean answers = lewidi.label < 0 && lewidi.class >= 0 && lewidi.annotator >= 0;
  if ((lewidi.label < 0 && !answers) || sl_table_column (table, "item") != 0)
    {
      sl_error_bad_input (error,
                          "--format lewidi takes labels, predictions, or votes of annotators; this "
                          "is a table of %s without them",
                          table->kind->name);
      return NULL;
    }
  if (of_2023 && (lewidi.label < 0 || lewidi.annotator >= 0))
    {
      sl_error_bad_input (error, "--format lewidi-2023 takes one label an item; this table has "
                                 "rows of single annotators");
      return NULL;
    }
  lewidi.items = sl_intern_new ();
  return g_memdup2 (&lewidi, sizeof lewidi);
}

void
sl_lewidi_free (SlLewidi *lewidi)
{
  sl_intern_free (lewidi->items);
  g_free (lewidi);
}

static void
append_real (GString *out, double value)
{
  char text[SL_REAL_CHARS];
  g_string_append_len (out, text, (gssize) sl_format_real (text, value));
}

/* As a Python literal: numbers as they are, other names in quotes. */
static void
append_class (GString *out, const char *class)
{
  double value;
  if (sl_parse_real (class, -1, &value))
    {
      g_string_append (out, class);
      return;
    }
  g_string_append_c (out, '\'');
  for (; *class != '\0'; class ++)
    {
      if (*class == '\'' || *class == '\\')
        g_string_append_c (out, '\\');
      g_string_append_c (out, *class);
    }
  g_string_append_c (out, '\'');
}

static gint32
class_of (const SlLewidi *lewidi, const SlBatch *batch, gint64 row)
{
  gint32 n = batch->table->n_classes;
  return lewidi->label < 0 ? batch->column[lewidi->class].code[row]
                           : sl_largest (batch->column[lewidi->label].real + row * n, n);
}

static void
append_label (const SlLewidi *lewidi, GString *out, const SlBatch *batch, gint64 row,
              const char *item, gsize n_item)
{
  const SlTable *table = batch->table;
  const double *p = batch->column[lewidi->label].real + row * table->n_classes;
  if (lewidi->of_2023)
    g_string_append (out, table->classes[sl_largest (p, table->n_classes)]);
  else
    {
      g_string_append_len (out, item, (gssize) n_item);
      g_string_append (out, "\t[");
    }
  for (gint32 k = 0; k < table->n_classes; k++)
    {
      g_string_append (out, lewidi->of_2023 ? "\t" : k > 0 ? ", " : "");
      append_real (out, p[k]);
    }
  g_string_append (out, lewidi->of_2023 ? "\n" : "]\n");
}

static gboolean
fail_again (const char *item, gsize n, gint64 row, gboolean annotators, GError **error)
{
  g_autofree char *shown = sl_shown (item, n);
  return sl_error_row (error, row,
                       annotators ? "the answers about item '%s' do not stand together"
                                  : "item '%s' has a row already; a submission has one an item",
                       shown);
}

gboolean
sl_lewidi_append (SlLewidi *lewidi, GString *out, const SlBatch *batch, GError **error)
{
  for (gint64 row = 0; row < batch->n_rows; row++)
    {
      gsize n;
      const char *item = sl_text_get (batch->column[0].text, row, &n);
      gint32 before = sl_intern_size (lewidi->items), id = sl_intern (lewidi->items, item, n);
      gboolean again = id < before, same = id == lewidi->item;
      if (memchr (item, '\t', n) != NULL || memchr (item, '\n', n) != NULL)
        return sl_error_row (error, batch->first_row + row + 1,
                             "the item has a tab or a newline in it");
      if (again && !(same && lewidi->annotator >= 0))
        return fail_again (item, n, batch->first_row + row + 1, lewidi->annotator >= 0, error);
      if (lewidi->annotator < 0)
        {
          append_label (lewidi, out, batch, row, item, n);
          continue;
        }
      if (!same)
        {
          sl_lewidi_end (lewidi, out);
          g_string_append_len (out, item, (gssize) n);
          g_string_append (out, "\t[");
          lewidi->item = id;
        }
      else
        g_string_append (out, ", ");
      append_class (out, batch->table->classes[class_of (lewidi, batch, row)]);
    }
  return TRUE;
}

void
sl_lewidi_end (SlLewidi *lewidi, GString *out)
{
  if (lewidi->item >= 0)
    g_string_append (out, "]\n");
  lewidi->item = -1;
}
