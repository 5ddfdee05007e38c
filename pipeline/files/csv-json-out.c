/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "csv-json-out.h"

#include "pipeline/base/json.h"
#include "pipeline/base/number-text.h"

#include <math.h>
#include <string.h>

static void
append_real (GString *out, double value)
{
  char text[SL_REAL_CHARS];
  g_string_append_len (out, text, (gssize) sl_format_real (text, value));
}

/* A field, quoted where it must be. */
static void
csv_text (GString *out, const char *text, gsize length)
{
  gboolean plain = TRUE;
  for (gsize i = 0; i < length && plain; i++)
    plain = strchr (",\"\r\n", text[i]) == NULL || text[i] == '\0';
  if (plain)
    {
      g_string_append_len (out, text, (gssize) length);
      return;
    }
  g_string_append_c (out, '"');
  for (gsize i = 0; i < length; i++)
    {
      if (text[i] == '"')
        g_string_append_c (out, '"');
      g_string_append_c (out, text[i]);
    }
  g_string_append_c (out, '"');
}

void
sl_csv_append_header (GString *out, const SlTable *table)
{
  gboolean first = TRUE;
  for (int i = 0; table->kind->columns[i].name != NULL; i++)
    if (sl_table_has (table, i))
      {
        const SlColumnSpec *spec = &table->kind->columns[i];
        gint32 n = spec->type == SL_TYPE_LABEL ? table->n_classes : 1;
        for (gint32 k = 0; k < n; k++, first = FALSE)
          {
            g_autofree char *name = spec->type == SL_TYPE_LABEL
                                        ? g_strconcat (spec->name, ".", table->classes[k], NULL)
                                        : g_strdup (spec->name);
            if (!first)
              g_string_append_c (out, ',');
            csv_text (out, name, strlen (name));
          }
      }
  g_string_append_c (out, '\n');
}

static void
csv_list (GString *out, const SlTable *table, const SlColumn *column, gint64 row, gboolean percents)
{
  g_autoptr (GString) joined = g_string_new (NULL);
  for (gint32 j = column->start[row]; j < column->start[row + 1]; j++)
    {
      if (joined->len > 0)
        g_string_append_c (joined, '|');
      g_string_append (joined, table->classes[column->code[j]]);
      if (percents && !isnan (column->real[j]))
        {
          g_string_append_c (joined, ':');
          append_real (joined, column->real[j]);
        }
    }
  csv_text (out, joined->str, joined->len);
}

static void
csv_value (GString *out, const SlTable *table, SlType type, const SlColumn *column, gint64 row)
{
  gsize length;
  const char *text;
  switch (type)
    {
    case SL_TYPE_TEXT:
      text = sl_text_get (column->text, row, &length);
      csv_text (out, text, length);
      return;
    case SL_TYPE_CLASS:
      csv_text (out, table->classes[column->code[row]], strlen (table->classes[column->code[row]]));
      return;
    case SL_TYPE_CLASSES:
    case SL_TYPE_CHOICES:
      csv_list (out, table, column, row, type == SL_TYPE_CHOICES);
      return;
    case SL_TYPE_LABEL:
      for (gint32 k = 0; k < table->n_classes; k++)
        {
          if (k > 0)
            g_string_append_c (out, ',');
          append_real (out, column->real[row * table->n_classes + k]);
        }
      return;
    case SL_TYPE_BOOL:
      g_string_append (out, column->flag[row] ? "true" : "false");
      return;
    case SL_TYPE_INT32:
      g_string_append_printf (out, "%" G_GINT32_FORMAT, column->int32[row]);
      return;
    case SL_TYPE_INT64:
      g_string_append_printf (out, "%" G_GINT64_FORMAT, column->int64[row]);
      return;
    case SL_TYPE_REAL:
      append_real (out, column->real[row]);
      return;
    }
}

void
sl_csv_append (GString *out, const SlBatch *batch, gint64 row)
{
  const SlTable *table = batch->table;
  gboolean first = TRUE;
  for (int i = 0; table->kind->columns[i].name != NULL; i++)
    if (sl_table_has (table, i))
      {
        const SlColumn *column = &batch->column[i];
        if (!first)
          g_string_append_c (out, ',');
        first = FALSE;
        if (column->valid == NULL || column->valid[row])
          csv_value (out, table, table->kind->columns[i].type, column, row);
      }
  g_string_append_c (out, '\n');
}

static void
json_label (GString *out, const SlTable *table, const double *label)
{
  g_string_append_c (out, '{');
  for (gint32 k = 0; k < table->n_classes; k++)
    {
      sl_json_member (out, table->classes[k]);
      sl_json_real (out, label[k]);
    }
  g_string_append_c (out, '}');
}

static void
json_list (GString *out, const SlTable *table, const SlColumn *column, gint64 row,
           gboolean percents)
{
  g_string_append_c (out, '[');
  for (gint32 j = column->start[row]; j < column->start[row + 1]; j++)
    {
      if (j > column->start[row])
        g_string_append_c (out, ',');
      if (percents)
        g_string_append (out, "{\"class\":");
      sl_json_string (out, table->classes[column->code[j]], -1);
      if (percents)
        {
          g_string_append (out, ",\"percent\":");
          sl_json_real (out, column->real[j]);
          g_string_append_c (out, '}');
        }
    }
  g_string_append_c (out, ']');
}

static void
json_value (GString *out, const SlTable *table, SlType type, const SlColumn *column, gint64 row)
{
  gsize length;
  const char *text;
  switch (type)
    {
    case SL_TYPE_TEXT:
      text = sl_text_get (column->text, row, &length);
      sl_json_string (out, text, (gssize) length);
      return;
    case SL_TYPE_CLASS:
      sl_json_string (out, table->classes[column->code[row]], -1);
      return;
    case SL_TYPE_CLASSES:
    case SL_TYPE_CHOICES:
      json_list (out, table, column, row, type == SL_TYPE_CHOICES);
      return;
    case SL_TYPE_LABEL:
      json_label (out, table, column->real + row * table->n_classes);
      return;
    case SL_TYPE_REAL:
      sl_json_real (out, column->real[row]);
      return;
    case SL_TYPE_BOOL:
    case SL_TYPE_INT32:
    case SL_TYPE_INT64:
      csv_value (out, table, type, column, row);
      return;
    }
}

void
sl_jsonl_append (GString *out, const SlBatch *batch, gint64 row)
{
  const SlTable *table = batch->table;
  g_string_append_c (out, '{');
  for (int i = 0; table->kind->columns[i].name != NULL; i++)
    if (sl_table_has (table, i))
      {
        const SlColumn *column = &batch->column[i];
        sl_json_member (out, table->kind->columns[i].name);
        if (column->valid == NULL || column->valid[row])
          json_value (out, table, table->kind->columns[i].type, column, row);
        else
          g_string_append (out, "null");
      }
  g_string_append (out, "}\n");
}
