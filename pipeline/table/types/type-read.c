/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of the texts that type-csv.c writes. */
#include "types-private.h"

#include "pipeline/base/number-text.h"
#include "pipeline/base/shown-text.h"

#include <math.h>
#include <string.h>

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
