/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "value-text.h"

#include "terminal.h"

#include <math.h>

gboolean
sl_cell_missing (const SlBatch *batch, int column, gint64 row)
{
  const SlColumn *values = &batch->column[column];
  if (values->valid != NULL && !values->valid[row])
    return TRUE;
  switch (batch->table->kind->columns[column].type)
    {
    case SL_TYPE_CLASS:
      return values->code[row] < 0;
    case SL_TYPE_CLASSES:
    case SL_TYPE_CHOICES:
      return values->start[row] == values->start[row + 1];
    case SL_TYPE_REAL:
      return isnan (values->real[row]);
    default:
      return FALSE;
    }
}

int
sl_cell_decimals (double value)
{
  double scaled = fabs (value);
  if (!(scaled < 1e9))
    return 0;
  for (int decimals = 0; decimals < SL_CELL_DECIMALS; decimals++, scaled *= 10)
    if (fabs (scaled - nearbyint (scaled)) < 1e-6)
      return decimals;
  return SL_CELL_DECIMALS;
}

/* Values that the column's decimals would show as 0, or with a long row of digits, are shown with an exponent. */
static void
append_real (GString *out, double value, int decimals)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE], format[8];
  double size = fabs (value);
  gboolean odd = size >= 1e9 || (size > 0 && size < 0.5 * pow (10, -decimals));
  g_snprintf (format, sizeof format, odd ? "%%.3g" : "%%.%df", decimals);
  g_string_append (out, g_ascii_formatd (digits, sizeof digits, format, value == 0 ? 0.0 : value));
}

static void
append_class (GString *out, const SlTable *table, gint32 code)
{
  if (code >= 0)
    sl_display_text (out, table->classes[code], -1);
}

static void
append_list (GString *out, const SlTable *table, const SlColumn *list, gint64 row,
             gboolean percents)
{
  for (gint32 j = list->start[row]; j < list->start[row + 1]; j++)
    {
      if (j > list->start[row])
        g_string_append (out, ", ");
      append_class (out, table, list->code[j]);
      if (percents && !isnan (list->real[j]))
        {
          g_string_append_c (out, ' ');
          append_real (out, list->real[j], sl_cell_decimals (list->real[j]));
        }
    }
}

void
sl_cell_append (GString *out, const SlBatch *batch, int column, gint64 row, int decimals)
{
  const SlColumn *values = &batch->column[column];
  if (sl_cell_missing (batch, column, row))
    return;
  switch (batch->table->kind->columns[column].type)
    {
    case SL_TYPE_TEXT:
      {
        gsize length;
        const char *text = sl_text_get (values->text, row, &length);
        sl_display_text (out, text, (gssize) length);
        break;
      }
    case SL_TYPE_CLASS:
      append_class (out, batch->table, values->code[row]);
      break;
    case SL_TYPE_CLASSES:
    case SL_TYPE_CHOICES:
      append_list (out, batch->table, values, row, values->real != NULL);
      break;
    case SL_TYPE_BOOL:
      g_string_append (out, values->flag[row] ? "yes" : "no");
      break;
    case SL_TYPE_INT32:
      g_string_append_printf (out, "%d", values->int32[row]);
      break;
    case SL_TYPE_INT64:
      g_string_append_printf (out, "%" G_GINT64_FORMAT, values->int64[row]);
      break;
    case SL_TYPE_REAL:
      append_real (out, values->real[row], decimals);
      break;
    case SL_TYPE_LABEL:
      break;
    }
}
