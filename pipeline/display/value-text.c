/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "value-text.h"

#include "pipeline/table/types/types.h"
#include "terminal.h"

#include <math.h>
#include <string.h>

#define TENSOR_NUMBERS 16 /* of a tensor, so many are shown */
#define SCORES 8          /* and of scores */

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

/* Values that the column's decimals would show as 0, or with a long row of digits, are shown with
 * an exponent. */
static void
append_real (GString *out, double value, int decimals)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE], format[8];
  double size = fabs (value);
  static const double halves[SL_CELL_DECIMALS + 1] = { 0.5, 0.05, 0.005, 0.0005, 0.00005 };
  gboolean odd = size >= 1e9 || (size > 0 && size < halves[decimals]);
  g_snprintf (format, sizeof format, odd ? "%%.3g" : "%%.%df", decimals);
  g_string_append (out, g_ascii_formatd (digits, sizeof digits, format, value == 0 ? 0.0 : value));
}

static void
show_text (GString *out, const SlBatch *batch, int column, gint64 row, int decimals)
{
  gsize length;
  const char *text = sl_text_get (batch->column[column].text, row, &length);
  sl_display_text (out, text, (gssize) length);
}

static void
append_class (GString *out, const SlTable *table, gint32 code)
{
  if (code >= 0)
    sl_display_text (out, table->classes[code], -1);
}

static void
show_class (GString *out, const SlBatch *batch, int column, gint64 row, int decimals)
{
  append_class (out, batch->table, batch->column[column].code[row]);
}

/* Classes, and choices with their percents. */
static void
show_list (GString *out, const SlBatch *batch, int column, gint64 row, int decimals)
{
  const SlColumn *list = &batch->column[column];
  for (gint32 j = list->start[row]; j < list->start[row + 1]; j++)
    {
      if (j > list->start[row])
        g_string_append (out, ", ");
      append_class (out, batch->table, list->code[j]);
      if (list->real != NULL && !isnan (list->real[j]))
        {
          g_string_append_c (out, ' ');
          append_real (out, list->real[j], sl_cell_decimals (list->real[j]));
        }
    }
}

static void
show_bool (GString *out, const SlBatch *batch, int column, gint64 row, int decimals)
{
  g_string_append (out, batch->column[column].flag[row] ? "yes" : "no");
}

static void
show_int32 (GString *out, const SlBatch *batch, int column, gint64 row, int decimals)
{
  g_string_append_printf (out, "%d", batch->column[column].int32[row]);
}

static void
show_int64 (GString *out, const SlBatch *batch, int column, gint64 row, int decimals)
{
  g_string_append_printf (out, "%" G_GINT64_FORMAT, batch->column[column].int64[row]);
}

static void
show_real (GString *out, const SlBatch *batch, int column, gint64 row, int decimals)
{
  append_real (out, batch->column[column].real[row], decimals);
}

static void
show_float32 (GString *out, const SlBatch *batch, int column, gint64 row, int decimals)
{
  append_real (out, batch->column[column].float32[row], decimals);
}

/* The shape and the first numbers: "3x32x32: 158, 159, 165, ...". */
static void
show_tensor (GString *out, const SlBatch *batch, int column, gint64 row, int decimals)
{
  const SlTensor *tensor = &batch->table->tensor[column];
  const SlColumn *values = &batch->column[column];
  gint64 first = row * tensor->size;
  for (int d = 0; d < tensor->n_dims; d++)
    g_string_append_printf (out, "%s%d",
                            d == 0               ? ""
                            : sl_display_utf8 () ? "×"
                                                 : "x",
                            tensor->dim[d]);
  g_string_append_c (out, ':');
  for (gint32 i = 0; i < MIN (tensor->size, TENSOR_NUMBERS); i++)
    {
      double value = values->uint8 != NULL ? values->uint8[first + i] : values->float32[first + i];
      g_string_append (out, i > 0 ? ", " : " ");
      append_real (out, value, sl_cell_decimals (value));
    }
  if (tensor->size > TENSOR_NUMBERS)
    g_string_append (out, sl_display_utf8 () ? ", …" : ", ...");
}

static void
show_binary (GString *out, const SlBatch *batch, int column, gint64 row, int decimals)
{
  gsize length;
  sl_text_get (batch->column[column].text, row, &length);
  sl_display_count (out, (gint64) length);
  g_string_append (out, length == 1 ? " byte" : " bytes");
}

typedef void (*Show) (GString *out, const SlBatch *batch, int column, gint64 row, int decimals);

/* The classes with the largest scores, each with its score. */
static void
show_scores (GString *out, const SlBatch *batch, int column, gint64 row, int decimals)
{
  const SlTable *table = batch->table;
  const double *score = batch->column[column].real + row * table->n_classes;
  gint32 top[SCORES], n = 0;
  for (gint32 k = 0; k < table->n_classes; k++)
    {
      gint32 at = n;
      while (at > 0 && score[k] > score[top[at - 1]])
        at--;
      if (at == SCORES)
        continue;
      n = MIN (n + 1, SCORES);
      memmove (&top[at + 1], &top[at], sizeof *top * (gsize) (n - 1 - at));
      top[at] = k;
    }
  for (gint32 j = 0; j < n; j++)
    {
      g_string_append (out, j > 0 ? ", " : "");
      append_class (out, table, top[j]);
      g_string_append_c (out, ' ');
      append_real (out, score[top[j]], 2);
    }
  if (n < table->n_classes)
    g_string_append (out, sl_display_utf8 () ? ", …" : ", ...");
}

/* A distribution is drawn as bars (label-bars.c). */
static const struct
{
  Show show;
  SlCellForm form;
} types[] = {
  [SL_TYPE_TEXT] = { show_text, SL_CELL_TEXT },
  [SL_TYPE_CLASS] = { show_class, SL_CELL_TEXT },
  [SL_TYPE_CLASSES] = { show_list, SL_CELL_LIST },
  [SL_TYPE_CHOICES] = { show_list, SL_CELL_LIST },
  [SL_TYPE_LABEL] = { show_scores, SL_CELL_BARS },
  [SL_TYPE_BOOL] = { show_bool, SL_CELL_FLAG },
  [SL_TYPE_INT32] = { show_int32, SL_CELL_NUMBER },
  [SL_TYPE_INT64] = { show_int64, SL_CELL_NUMBER },
  [SL_TYPE_REAL] = { show_real, SL_CELL_REAL },
  [SL_TYPE_FLOAT32] = { show_float32, SL_CELL_REAL },
  [SL_TYPE_TENSOR] = { show_tensor, SL_CELL_LIST },
  [SL_TYPE_BINARY] = { show_binary, SL_CELL_NUMBER },
};

_Static_assert(G_N_ELEMENTS (types) == SL_N_TYPES, "every type of column is shown in some way");

SlCellForm
sl_cell_form (const SlColumnSpec *spec)
{
  return spec->flags & SL_COLUMN_SCORES ? SL_CELL_LIST : types[spec->type].form;
}

double
sl_cell_real (const SlBatch *batch, int column, gint64 row)
{
  const SlColumn *values = &batch->column[column];
  return values->real != NULL ? values->real[row] : values->float32[row];
}

void
sl_cell_append (GString *out, const SlBatch *batch, int column, gint64 row, int decimals)
{
  if (!sl_value_is_missing (batch, column, row))
    types[batch->table->spec[column].type].show (out, batch, column, row, decimals);
}
