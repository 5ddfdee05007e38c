/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "condition.h"

#include "pipeline/base/error.h"
#include "pipeline/base/nearest.h"
#include "pipeline/base/number-text.h"
#include "tag-columns.h"
#include "types/types.h"

#include <string.h>

static const struct
{
  const char *text;
  SlFits how;
} operators[] = {
  { "<=", SL_FITS_LESS_OR_EQUAL }, { ">=", SL_FITS_GREATER_OR_EQUAL },
  { "!=", SL_FITS_NOT_EQUAL },     { "==", SL_FITS_EQUAL },
  { "<", SL_FITS_LESS },           { ">", SL_FITS_GREATER },
  { "=", SL_FITS_EQUAL },
};

static gboolean
split_at_operator (SlCondition *condition, const char *text)
{
  gsize at = strcspn (text, "<>=!");
  for (gsize i = 0; i < G_N_ELEMENTS (operators); i++)
    if (g_str_has_prefix (text + at, operators[i].text))
      {
        condition->how = operators[i].how;
        condition->column = g_strstrip (g_strndup (text, at));
        condition->value = g_strstrip (g_strdup (text + at + strlen (operators[i].text)));
        return *condition->column != '\0' && *condition->value != '\0';
      }
  return FALSE;
}

static gboolean
split_at_word (SlCondition *condition, const char *text)
{
  g_autofree char *whole = g_strstrip (g_strdup (text));
  char *space = strrchr (whole, ' ');
  if (space == NULL)
    return FALSE;
  const char *word = space + 1;
  condition->how = strcmp (word, "missing") == 0 ? SL_FITS_MISSING : SL_FITS_PRESENT;
  if (condition->how == SL_FITS_PRESENT && strcmp (word, "present") != 0)
    return FALSE;
  *space = '\0';
  condition->column = g_strdup (g_strstrip (whole));
  return TRUE;
}

gboolean
sl_condition_parse (SlCondition *condition, const char *text, GError **error)
{
  *condition = (SlCondition){ .text = g_strdup (text) };
  if (strpbrk (text, "<>=!") != NULL ? split_at_operator (condition, text)
                                     : split_at_word (condition, text))
    return TRUE;
  return sl_error_usage (error,
                         "--where: '%s' is no condition; write 'COLUMN OP VALUE', where OP is =, "
                         "!=, <, <=, > or >=, or 'COLUMN missing', 'COLUMN present'",
                         text);
}

void
sl_condition_clear (SlCondition *condition)
{
  g_free (condition->text);
  g_free (condition->column);
  g_free (condition->value);
}

gboolean
sl_conditions_check (char *const *texts, GError **error)
{
  for (; texts != NULL && *texts != NULL; texts++)
    {
      SlCondition condition;
      gboolean ok = sl_condition_parse (&condition, *texts, error);
      sl_condition_clear (&condition);
      if (!ok)
        return FALSE;
    }
  return TRUE;
}

static gboolean wrong (const SlCondition *condition, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static gboolean
wrong (const SlCondition *condition, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  return sl_error_usage (error, "--where: '%s': %s", condition->text, what);
}

char *
sl_column_hint (const SlTable *table, const char *name)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (int c = 0; table->spec[c].name != NULL; c++)
    if (sl_table_has (table, c))
      g_ptr_array_add (names, (gpointer) table->spec[c].name);
  g_ptr_array_add (names, NULL);
  return sl_nearest_hint (name, (const char *const *) names->pdata, "");
}

/* "label.cat": the probability of one class. */
static gboolean
find_distribution (SlCondition *condition, const SlTable *table, GError **error)
{
  const char *dot = strchr (condition->column, '.');
  g_autofree char *name
      = g_strndup (condition->column,
                   dot != NULL ? (gsize) (dot - condition->column) : strlen (condition->column));
  condition->number = sl_table_column (table, name);
  gboolean is_label
      = condition->number >= 0 && table->spec[condition->number].type == SL_TYPE_LABEL;
  if (condition->number < 0 || (dot != NULL && !is_label))
    {
      g_autofree char *hint
          = sl_column_hint (table, condition->number < 0 ? name : condition->column);
      return wrong (condition, error, "this table of %s has no column '%s'%s", table->kind->name,
                    condition->column, hint);
    }
  if (!is_label)
    return wrong (condition, error, "values of the column '%s' cannot be compared with others",
                  name);
  condition->class = dot != NULL ? sl_table_class (table, dot + 1, -1) : -1;
  return condition->class >= 0
         || wrong (condition, error, "of a distribution, name one class of the table: '%s.%s'",
                   name, table->classes[0]);
}

static gboolean
is_number (SlType type)
{
  return type == SL_TYPE_INT32 || type == SL_TYPE_INT64 || type == SL_TYPE_REAL
         || type == SL_TYPE_FLOAT32 || type == SL_TYPE_LABEL;
}

/* Numbers have an order, and texts that of their bytes; of other values one can only say whether
 * they are the same. */
static gboolean
bind_value (SlCondition *condition, const SlTable *table, SlType type, GError **error)
{
  const char *value = condition->value;
  if (is_number (type))
    {
      gboolean whole = type == SL_TYPE_INT32 || type == SL_TYPE_INT64;
      if (!sl_parse_real (value, -1, &condition->real))
        return wrong (condition, error, "'%s' is not a number", value);
      if (whole && !sl_parse_integer (value, -1, &condition->integer))
        return wrong (condition, error, "'%s' is not a whole number, and the column has only those",
                      value);
      return TRUE;
    }
  if (type == SL_TYPE_TEXT)
    return TRUE;
  if (condition->how != SL_FITS_EQUAL && condition->how != SL_FITS_NOT_EQUAL)
    return wrong (condition, error,
                  "only numbers and texts have an order; here = and != can be used");
  condition->flag = strcmp (value, "yes") == 0 || strcmp (value, "true") == 0;
  if (type == SL_TYPE_BOOL && !condition->flag && strcmp (value, "no") != 0
      && strcmp (value, "false") != 0)
    return wrong (condition, error, "'%s' is neither yes nor no", value);
  condition->class = type == SL_TYPE_CLASS ? sl_table_class (table, value, -1) : 0;
  return condition->class >= 0
         || wrong (condition, error, "'%s' is none of the table's classes", value);
}

gboolean
sl_condition_bind (SlCondition *condition, const SlTable *table, GError **error)
{
  condition->number = sl_table_column (table, condition->column);
  if (condition->number < 0)
    condition->number = sl_table_tag_column (table, condition->column);
  SlType type = condition->number >= 0 ? table->spec[condition->number].type : 0;
  gboolean asks_there = condition->how == SL_FITS_MISSING || condition->how == SL_FITS_PRESENT;
  if (condition->number >= 0 && asks_there)
    return sl_types[type].n_bytes == NULL
           || wrong (condition, error, "a value of this column is never missing");
  if (condition->number >= 0
      && (is_number (type) || type == SL_TYPE_TEXT || type == SL_TYPE_CLASS || type == SL_TYPE_BOOL)
      && type != SL_TYPE_LABEL)
    return bind_value (condition, table, type, error);
  return find_distribution (condition, table, error)
         && (!asks_there || wrong (condition, error, "a value of this column is never missing"))
         && bind_value (condition, table, SL_TYPE_LABEL, error);
}

/* keep[i] <- 0 where values[i], of N, does not compare with WANTED as HOW says. A NaN never
 * does. */
#define COMPARE(values, wanted)                                                                    \
  switch (how)                                                                                     \
    {                                                                                              \
    case SL_FITS_LESS:                                                                             \
      EACH ((values) < (wanted));                                                                  \
      break;                                                                                       \
    case SL_FITS_LESS_OR_EQUAL:                                                                    \
      EACH ((values) <= (wanted));                                                                 \
      break;                                                                                       \
    case SL_FITS_EQUAL:                                                                            \
      EACH ((values) == (wanted));                                                                 \
      break;                                                                                       \
    case SL_FITS_NOT_EQUAL:                                                                        \
      EACH (((values) < (wanted)) | ((values) > (wanted)));                                        \
      break;                                                                                       \
    case SL_FITS_GREATER_OR_EQUAL:                                                                 \
      EACH ((values) >= (wanted));                                                                 \
      break;                                                                                       \
    default:                                                                                       \
      EACH ((values) > (wanted));                                                                  \
    }

#define EACH(test)                                                                                 \
  for (gint64 i = 0; i < n; i++)                                                                   \
  keep[i] &= (guint8) (test)

static void
compare_real (SlFits how, const double *values, gint64 step, gint64 n, double wanted, guint8 *keep)
{
  COMPARE (values[i * step], wanted)
}

static void
compare_float32 (SlFits how, const float *values, gint64 n, float wanted, guint8 *keep)
{
  COMPARE (values[i], wanted)
}

static void
compare_int32 (SlFits how, const gint32 *values, gint64 n, gint64 wanted, guint8 *keep)
{
  COMPARE (values[i], wanted)
}

static void
compare_int64 (SlFits how, const gint64 *values, gint64 n, gint64 wanted, guint8 *keep)
{
  COMPARE (values[i], wanted)
}

/* As strcmp() does, of texts without a final NUL. */
static int
compare_bytes (const char *a, gsize n, const char *b, gsize m)
{
  const int order = memcmp (a, b, MIN (n, m));
  return order != 0 ? order : (n > m) - (n < m);
}

/* Whether ORDER, of a value beside the one that it is compared with, is as HOW says. */
static gboolean
fits_order (SlFits how, int order)
{
  switch (how)
    {
    case SL_FITS_LESS:
      return order < 0;
    case SL_FITS_LESS_OR_EQUAL:
      return order <= 0;
    case SL_FITS_EQUAL:
      return order == 0;
    case SL_FITS_NOT_EQUAL:
      return order != 0;
    case SL_FITS_GREATER_OR_EQUAL:
      return order >= 0;
    default:
      return order > 0;
    }
}

static void
compare_text (SlFits how, SlText texts, gint64 n, const char *wanted, guint8 *keep)
{
  gsize n_wanted = strlen (wanted), length;
  for (gint64 i = 0; i < n; i++)
    {
      const char *text = sl_text_get (texts, i, &length);
      keep[i] &= (guint8) fits_order (how, compare_bytes (text, length, wanted, n_wanted));
    }
}

/* Values that are there, but for what stands for missing ones. */
static void
compare (const SlCondition *condition, const SlBatch *batch, guint8 *keep)
{
  const SlColumn *values = &batch->column[condition->number];
  SlFits how = condition->how;
  gint64 n = batch->n_rows;
  gboolean equal = how == SL_FITS_EQUAL;
  switch (batch->table->spec[condition->number].type)
    {
    case SL_TYPE_INT32:
      compare_int32 (how, values->int32, n, condition->integer, keep);
      break;
    case SL_TYPE_INT64:
      compare_int64 (how, values->int64, n, condition->integer, keep);
      break;
    case SL_TYPE_REAL:
      compare_real (how, values->real, 1, n, condition->real, keep);
      break;
    case SL_TYPE_FLOAT32:
      /* 0.1 is to equal what was written as 0.1. */
      compare_float32 (how, values->float32, n, (float) condition->real, keep);
      break;
    case SL_TYPE_LABEL:
      compare_real (how, values->real + condition->class, batch->table->n_classes, n,
                    condition->real, keep);
      break;
    case SL_TYPE_CLASS:
      EACH ((values->code[i] >= 0) & ((values->code[i] == condition->class) == equal));
      break;
    case SL_TYPE_BOOL:
      EACH (((values->flag[i] != 0) == condition->flag) == equal);
      break;
    default:
      compare_text (how, values->text, n, condition->value, keep);
    }
}

void
sl_condition_apply (const SlCondition *condition, const SlBatch *batch, guint8 *keep)
{
  gint64 n = batch->n_rows;
  const guint8 *valid = batch->column[condition->number].valid;
  if (condition->how == SL_FITS_MISSING)
    EACH (sl_value_is_missing (batch, condition->number, i));
  else if (condition->how == SL_FITS_PRESENT)
    EACH (!sl_value_is_missing (batch, condition->number, i));
  else
    {
      if (valid != NULL)
        EACH (valid[i] != 0);
      compare (condition, batch, keep);
    }
}

GArray *
sl_conditions_new (char *const *texts, const SlTable *table, GError **error)
{
  g_autoptr (GArray) conditions = g_array_new (FALSE, TRUE, sizeof (SlCondition));
  g_array_set_clear_func (conditions, (GDestroyNotify) sl_condition_clear);
  for (; texts != NULL && *texts != NULL; texts++)
    {
      SlCondition condition;
      gboolean ok = sl_condition_parse (&condition, *texts, error)
                    && sl_condition_bind (&condition, table, error);
      g_array_append_val (conditions, condition);
      if (!ok)
        return NULL;
    }
  return g_steal_pointer (&conditions);
}

void
sl_conditions_apply (const GArray *conditions, const SlBatch *batch, guint8 *keep)
{
  for (guint c = 0; c < conditions->len; c++)
    sl_condition_apply (&g_array_index (conditions, SlCondition, c), batch, keep);
}

gboolean
sl_condition_is_of (const SlCondition *condition, const char *key)
{
  const char *column = condition->column;
  return strcmp (column, key) == 0
         || (g_str_has_prefix (column, SL_TAG_PREFIX)
             && strcmp (column + strlen (SL_TAG_PREFIX), key) == 0);
}

gboolean
sl_condition_may_fit (const SlCondition *condition, const char *value)
{
  const SlFits how = condition->how;
  double a, b;
  if (how == SL_FITS_MISSING || how == SL_FITS_PRESENT)
    return (*value == '\0') == (how == SL_FITS_MISSING);
  if (*value == '\0')
    return FALSE;
  if (fits_order (how, strcmp (value, condition->value)))
    return TRUE;
  if (sl_parse_real (value, -1, &a) && sl_parse_real (condition->value, -1, &b))
    return fits_order (how, (a > b) - (a < b));
  /* Yes and no have two names each. */
  static const char *const flags[] = { "yes", "true", "no", "false", NULL };
  return g_strv_contains (flags, value) && g_strv_contains (flags, condition->value);
}
