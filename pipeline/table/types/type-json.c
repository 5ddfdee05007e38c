/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values as JSON. */
#include "types-private.h"

#include "pipeline/base/json.h"
#include "pipeline/base/number-text.h"

#include <math.h>

void
sl_json_of_text (GString *out, const SlBatch *batch, int column, gint64 row)
{
  gsize length;
  const char *text = sl_text_get (batch->column[column].text, row, &length);
  sl_json_string (out, text, (gssize) length);
}

void
sl_json_of_class (GString *out, const SlBatch *batch, int column, gint64 row)
{
  sl_json_string (out, batch->table->classes[batch->column[column].code[row]], -1);
}

void
sl_json_of_classes (GString *out, const SlBatch *batch, int column, gint64 row)
{
  const SlColumn *list = &batch->column[column];
  g_string_append_c (out, '[');
  for (gint32 j = list->start[row]; j < list->start[row + 1]; j++)
    {
      if (j > list->start[row])
        g_string_append_c (out, ',');
      sl_json_string (out, batch->table->classes[list->code[j]], -1);
    }
  g_string_append_c (out, ']');
}

void
sl_json_of_choices (GString *out, const SlBatch *batch, int column, gint64 row)
{
  const SlColumn *list = &batch->column[column];
  g_string_append_c (out, '[');
  for (gint32 j = list->start[row]; j < list->start[row + 1]; j++)
    {
      g_string_append (out, j > list->start[row] ? ",{\"class\":" : "{\"class\":");
      sl_json_string (out, batch->table->classes[list->code[j]], -1);
      g_string_append (out, ",\"percent\":");
      sl_json_real (out, list->real[j]);
      g_string_append_c (out, '}');
    }
  g_string_append_c (out, ']');
}

void
sl_json_of_label (GString *out, const SlBatch *batch, int column, gint64 row)
{
  const SlTable *table = batch->table;
  const double *label = batch->column[column].real + row * table->n_classes;
  g_string_append_c (out, '{');
  for (gint32 k = 0; k < table->n_classes; k++)
    {
      sl_json_member (out, table->classes[k]);
      sl_json_real (out, label[k]);
    }
  g_string_append_c (out, '}');
}

void
sl_json_of_real (GString *out, const SlBatch *batch, int column, gint64 row)
{
  sl_json_real (out, batch->column[column].real[row]);
}

static void
append_float32 (GString *out, float value)
{
  char text[SL_REAL_CHARS];
  if (isfinite (value))
    g_string_append_len (out, text, (gssize) sl_format_float32 (text, value));
  else
    g_string_append (out, "null");
}

void
sl_json_of_float32 (GString *out, const SlBatch *batch, int column, gint64 row)
{
  append_float32 (out, batch->column[column].float32[row]);
}

/* Arrays in each other, as the tensor's shape says. */
void
sl_json_of_tensor (GString *out, const SlBatch *batch, int column, gint64 row)
{
  const SlTensor *tensor = &batch->table->tensor[column];
  const SlColumn *values = &batch->column[column];
  for (gint32 i = 0; i < tensor->size; i++)
    {
      /* A dimension begins, and ends, wherever all further in do. */
      gint32 block = 1, opened = 0;
      for (int d = tensor->n_dims - 1; d >= 0 && i % (block *= tensor->dim[d]) == 0; d--)
        opened++;
      if (i > 0)
        {
          for (gint32 b = 0; b < opened; b++)
            g_string_append_c (out, ']');
          g_string_append_c (out, ',');
        }
      for (gint32 b = 0; b < opened; b++)
        g_string_append_c (out, '[');
      if (values->uint8 != NULL)
        g_string_append_printf (out, "%u", values->uint8[row * tensor->size + i]);
      else
        append_float32 (out, values->float32[row * tensor->size + i]);
    }
  for (int d = 0; d < tensor->n_dims; d++)
    g_string_append_c (out, ']');
}

/* In base64. */
void
sl_json_of_binary (GString *out, const SlBatch *batch, int column, gint64 row)
{
  g_string_append_c (out, '"');
  sl_csv_binary (out, batch, column, row);
  g_string_append_c (out, '"');
}
