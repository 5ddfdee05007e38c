/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values as CSV (RFC 4180). Reals are the shortest text that reads back the same. */
#include "types-private.h"

#include "pipeline/base/csv-field.h"
#include "pipeline/base/number-text.h"

#include <math.h>
#include <string.h>

static void
append_real (GString *out, double value)
{
  char text[SL_REAL_CHARS];
  g_string_append_len (out, text, (gssize) sl_format_real (text, value));
}

static void
append_float32 (GString *out, float value)
{
  char text[SL_REAL_CHARS];
  g_string_append_len (out, text, (gssize) sl_format_float32 (text, value));
}

void
sl_csv_append_member (GString *out, const char *text, gsize length)
{
  for (gsize i = 0; i < length; i++)
    {
      if (text[i] == '|' || text[i] == ':' || text[i] == '\\')
        g_string_append_c (out, '\\');
      g_string_append_c (out, text[i]);
    }
}

void
sl_csv_names_label (GString *out, const SlTable *table, int column)
{
  for (gint32 k = 0; k < table->n_classes; k++)
    {
      g_autofree char *name = g_strconcat (table->spec[column].name, ".", table->classes[k], NULL);
      if (k > 0)
        g_string_append_c (out, ',');
      sl_csv_write_field (out, name, strlen (name));
    }
}

void
sl_csv_names_tensor (GString *out, const SlTable *table, int column)
{
  for (gint32 i = 0; i < table->tensor[column].size; i++)
    g_string_append_printf (out, "%s%s.%d", i > 0 ? "," : "", table->spec[column].name, i);
}

void
sl_csv_text (GString *out, const SlBatch *batch, int column, gint64 row)
{
  gsize length;
  const char *text = sl_text_get (batch->column[column].text, row, &length);
  sl_csv_write_field (out, text, length);
}

void
sl_csv_class (GString *out, const SlBatch *batch, int column, gint64 row)
{
  const char *name = batch->table->classes[batch->column[column].code[row]];
  sl_csv_write_field (out, name, strlen (name));
}

static void
csv_list (GString *out, const SlBatch *batch, int column, gint64 row, gboolean percents)
{
  const SlColumn *list = &batch->column[column];
  g_autoptr (GString) joined = g_string_new (NULL);
  for (gint32 j = list->start[row]; j < list->start[row + 1]; j++)
    {
      if (joined->len > 0)
        g_string_append_c (joined, '|');
      const char *class = batch->table->classes[list->code[j]];
      sl_csv_append_member (joined, class, strlen (class));
      if (percents && !isnan (list->real[j]))
        {
          g_string_append_c (joined, ':');
          append_real (joined, list->real[j]);
        }
    }
  sl_csv_write_field (out, joined->str, joined->len);
}

void
sl_csv_classes (GString *out, const SlBatch *batch, int column, gint64 row)
{
  csv_list (out, batch, column, row, FALSE);
}

void
sl_csv_choices (GString *out, const SlBatch *batch, int column, gint64 row)
{
  csv_list (out, batch, column, row, TRUE);
}

void
sl_csv_label (GString *out, const SlBatch *batch, int column, gint64 row)
{
  gint32 n = batch->table->n_classes;
  const double *label = batch->column[column].real + row * n;
  for (gint32 k = 0; k < n; k++)
    {
      if (k > 0)
        g_string_append_c (out, ',');
      append_real (out, label[k]);
    }
}

void
sl_csv_bool (GString *out, const SlBatch *batch, int column, gint64 row)
{
  g_string_append (out, batch->column[column].flag[row] ? "true" : "false");
}

void
sl_csv_int32 (GString *out, const SlBatch *batch, int column, gint64 row)
{
  g_string_append_printf (out, "%" G_GINT32_FORMAT, batch->column[column].int32[row]);
}

void
sl_csv_int64 (GString *out, const SlBatch *batch, int column, gint64 row)
{
  g_string_append_printf (out, "%" G_GINT64_FORMAT, batch->column[column].int64[row]);
}

void
sl_csv_real (GString *out, const SlBatch *batch, int column, gint64 row)
{
  append_real (out, batch->column[column].real[row]);
}

void
sl_csv_float32 (GString *out, const SlBatch *batch, int column, gint64 row)
{
  append_float32 (out, batch->column[column].float32[row]);
}

void
sl_csv_tensor (GString *out, const SlBatch *batch, int column, gint64 row)
{
  const SlColumn *values = &batch->column[column];
  gint32 size = batch->table->tensor[column].size;
  for (gint32 i = 0; i < size; i++)
    {
      if (i > 0)
        g_string_append_c (out, ',');
      if (values->uint8 != NULL)
        g_string_append_printf (out, "%u", values->uint8[row * size + i]);
      else
        append_float32 (out, values->float32[row * size + i]);
    }
}

/* In base64. */
void
sl_csv_binary (GString *out, const SlBatch *batch, int column, gint64 row)
{
  gsize length;
  const char *bytes = sl_text_get (batch->column[column].text, row, &length);
  g_autofree char *text = g_base64_encode ((const guchar *) bytes, length);
  g_string_append (out, text);
}
