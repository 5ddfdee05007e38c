/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values as CSV (RFC 4180), as JSON, and of the texts that stand in CSV. Reals are the shortest
 * text that reads back the same. */
#include "types-private.h"

#include "pipeline/base/csv-field.h"
#include "pipeline/base/json.h"
#include "pipeline/base/number-text.h"
#include "pipeline/base/shown-text.h"

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
sl_csv_integer (GString *out, const SlBatch *batch, int column, gint64 row)
{
  const SlColumn *values = &batch->column[column];
  g_string_append_printf (out, "%" G_GINT64_FORMAT,
                          values->int32 != NULL ? values->int32[row] : values->int64[row]);
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

/* ---- JSON ---- */

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
json_float32 (GString *out, float value)
{
  if (isfinite (value))
    append_float32 (out, value);
  else
    g_string_append (out, "null");
}

void
sl_json_of_float32 (GString *out, const SlBatch *batch, int column, gint64 row)
{
  json_float32 (out, batch->column[column].float32[row]);
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
        json_float32 (out, values->float32[row * tensor->size + i]);
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

/* ---- texts read ---- */

static char *
wrong (const char *text, const char *wanted)
{
  g_autofree char *shown = sl_shown (text, strlen (text));
  return g_strdup_printf ("'%s' is not %s", shown, wanted);
}

/* A value is missing, and may be. */
static gboolean
is_left_out (const SlTextRow *to, int column, const char *text)
{
  if (text[0] != '\0' || !(to->table->spec[column].flags & SL_COLUMN_NULLABLE))
    return FALSE;
  sl_builder_null (to->builder, column);
  return TRUE;
}

static gint32
code_of (const SlTextRow *to, const char *name, gsize n)
{
  return to->learn ? sl_intern (to->classes, name, n) : sl_intern_find (to->classes, name, n);
}

char *
sl_read_text (const SlTextRow *to, int column, char *const *field)
{
  if (!is_left_out (to, column, field[0]))
    sl_builder_text (to->builder, column, field[0], strlen (field[0]));
  return NULL;
}

char *
sl_read_class (const SlTextRow *to, int column, char *const *field)
{
  if (is_left_out (to, column, field[0]))
    return NULL;
  gint32 code = field[0][0] != '\0' ? code_of (to, field[0], strlen (field[0])) : -1;
  if (code < 0)
    return wrong (field[0], "one of the classes");
  sl_builder_class (to->builder, column, code);
  return NULL;
}

/* The next member of the list *AT, its backslashes undone, goes to NAME, and what stands behind its
 * last colon is *PERCENT; *AT is then behind it, or NULL at the end. */
static void
next_member (const char **at, GString *name, const char **percent, gsize *n_percent)
{
  gssize colon = -1;
  const char *text = *at, *behind = NULL;
  g_string_truncate (name, 0);
  for (; *text != '\0' && *text != '|'; text++)
    {
      if (*text == ':')
        {
          colon = (gssize) name->len;
          behind = text + 1;
        }
      if (*text == '\\' && text[1] != '\0' && strchr ("|:;\\", text[1]) != NULL)
        text++;
      g_string_append_c (name, *text);
    }
  *percent = behind;
  *n_percent = behind != NULL ? (gsize) (text - behind) : 0;
  if (behind != NULL)
    g_string_truncate (name, (gsize) colon);
  *at = *text == '|' ? text + 1 : NULL;
}

static char *
read_list (const SlTextRow *to, int column, const char *text, gboolean percents)
{
  g_autoptr (GString) name = g_string_new (NULL);
  for (const char *at = text[0] != '\0' ? text : NULL; at != NULL;)
    {
      const char *behind;
      gsize n;
      double percent = (double) NAN;
      next_member (&at, name, &behind, &n);
      if (behind != NULL && (!percents || !sl_parse_real (behind, (gssize) n, &percent)))
        return wrong (text, percents ? "a list of classes with their percents, as in cat:80|dog:15"
                                     : "a list of classes, as in cat|dog");
      gint32 code = name->len > 0 ? code_of (to, name->str, name->len) : -1;
      if (code < 0)
        return wrong (name->str, "one of the classes");
      if (percents)
        sl_builder_choice (to->builder, column, code, percent);
      else
        sl_builder_member (to->builder, column, code);
    }
  sl_builder_end_list (to->builder, column);
  return NULL;
}

char *
sl_read_classes (const SlTextRow *to, int column, char *const *field)
{
  return read_list (to, column, field[0], FALSE);
}

char *
sl_read_choices (const SlTextRow *to, int column, char *const *field)
{
  return read_list (to, column, field[0], TRUE);
}

/* What the writer calls numbers that are not finite is read back, too. */
static gboolean
read_number (const char *text, double *value)
{
  if (sl_parse_real (text, -1, value))
    return TRUE;
  gboolean minus = text[0] == '-';
  if (g_ascii_strcasecmp (text, "nan") == 0)
    *value = (double) NAN;
  else if (g_ascii_strcasecmp (text + minus, "inf") == 0)
    *value = minus ? -(double) INFINITY : (double) INFINITY;
  else
    return FALSE;
  return TRUE;
}

char *
sl_read_label (const SlTextRow *to, int column, char *const *field)
{
  double *label = sl_builder_labels (to->builder, column, 1);
  for (gint32 k = 0; k < to->table->n_classes; k++)
    if (!read_number (field[k], &label[k]))
      return wrong (field[k], "a number");
  return NULL;
}

char *
sl_read_bool (const SlTextRow *to, int column, char *const *field)
{
  static const char *const words[] = { "false", "true", "0", "1" };
  if (is_left_out (to, column, field[0]))
    return NULL;
  for (int w = 0; w < (int) G_N_ELEMENTS (words); w++)
    if (g_ascii_strcasecmp (field[0], words[w]) == 0)
      {
        sl_builder_bool (to->builder, column, w % 2);
        return NULL;
      }
  return wrong (field[0], "true or false");
}

char *
sl_read_integer (const SlTextRow *to, int column, char *const *field)
{
  gint64 value;
  gboolean wide = to->table->spec[column].type == SL_TYPE_INT64;
  if (is_left_out (to, column, field[0]))
    return NULL;
  if (!sl_parse_integer (field[0], -1, &value)
      || (!wide && (value < G_MININT32 || value > G_MAXINT32)))
    return wrong (field[0], "a whole number");
  sl_builder_int (to->builder, column, value);
  return NULL;
}

char *
sl_read_real (const SlTextRow *to, int column, char *const *field)
{
  double value;
  if (is_left_out (to, column, field[0]))
    return NULL;
  if (!read_number (field[0], &value))
    return wrong (field[0], "a number");
  sl_builder_real (to->builder, column, value);
  return NULL;
}

char *
sl_read_float32 (const SlTextRow *to, int column, char *const *field)
{
  double value;
  if (is_left_out (to, column, field[0]))
    return NULL;
  if (!read_number (field[0], &value))
    return wrong (field[0], "a number");
  sl_builder_float32 (to->builder, column, (float) value);
  return NULL;
}

/* Of base64. */
char *
sl_read_binary (const SlTextRow *to, int column, char *const *field)
{
  gsize n;
  if (is_left_out (to, column, field[0]))
    return NULL;
  g_autofree char *bytes = (char *) g_base64_decode (field[0], &n);
  g_autofree char *again = g_base64_encode ((const guchar *) bytes, n);
  if (strcmp (again, field[0]) != 0)
    return wrong (field[0], "base64");
  sl_builder_text (to->builder, column, bytes, n);
  return NULL;
}
