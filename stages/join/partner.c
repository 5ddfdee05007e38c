/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "partner.h"

#include "pipeline/base/number-text.h"
#include "pipeline/base/shown-text.h"
#include "pipeline/table/types/types.h"
#include "stages/common/classes/class-list.h"

#include <math.h>
#include <string.h>

gboolean
sl_partner_open (SlPartner *partner, SlRun *run, const char *option, const char *path,
                 GError **error)
{
  *partner = (SlPartner){
    .run = run, .name = path, .items = sl_intern_new (), .texts = sl_intern_new ()
  };
  if (g_str_has_suffix (path, ".csv") || g_str_has_suffix (path, ".tsv"))
    {
      partner->csv = sl_csv_open (path, error);
      return partner->csv != NULL && sl_run_add_option_file (run, option, path, error);
    }
  partner->reader = sl_run_open (run, option, path, NULL, error);
  if (partner->reader == NULL)
    return FALSE;
  partner->name = sl_reader_name (partner->reader);
  if (sl_table_column (sl_reader_table (partner->reader), "item") >= 0)
    return TRUE;
  return sl_error_bad_input (error, "%s: a table of %s has no items", partner->name,
                             sl_reader_table (partner->reader)->kind->name);
}

void
sl_partner_clear (SlPartner *partner)
{
  for (int c = 0; c < partner->n_columns; c++)
    {
      g_free (partner->columns[c].theirs);
      g_array_unref (partner->columns[c].values);
      g_byte_array_unref (partner->columns[c].there);
    }
  g_free (partner->columns);
  g_clear_pointer (&partner->items, sl_intern_free);
  g_clear_pointer (&partner->texts, sl_intern_free);
  g_clear_pointer (&partner->classes, sl_intern_free);
  g_clear_pointer (&partner->reader, sl_reader_free);
  g_clear_pointer (&partner->csv, sl_csv_free);
}

static gboolean
is_single (SlType type)
{
  return type == SL_TYPE_TEXT || type == SL_TYPE_CLASS || type == SL_TYPE_BOOL
         || type == SL_TYPE_INT32 || type == SL_TYPE_INT64 || type == SL_TYPE_REAL
         || type == SL_TYPE_FLOAT32;
}

/* The place of NAME in KIND; -1 and ERROR where no such column can be brought. */
static int
find_column (const SlPartner *partner, const SlKind *kind, const char *name, GError **error)
{
  int number = 0;
  while (kind->columns[number].name != NULL && strcmp (kind->columns[number].name, name) != 0)
    number++;
  gboolean twice = FALSE;
  for (int c = 0; c < partner->n_columns; c++)
    twice = twice || partner->columns[c].number == number;
  if (kind->columns[number].name == NULL)
    sl_error_usage (error,
                    "--columns: a table of %s has no column '%s'; `softlabel schema %s` has its "
                    "columns",
                    kind->name, name, kind->name);
  else if (twice)
    sl_error_usage (error, "--columns: '%s' is given twice", name);
  else if (strcmp (name, "item") == 0 || !is_single (kind->columns[number].type))
    sl_error_usage (error, "--columns: '%s' cannot be brought from another table", name);
  else
    return number;
  return -1;
}

gboolean
sl_partner_parse (SlPartner *partner, const SlKind *kind, const char *text, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  partner->columns = g_new0 (SlPartnerColumn, g_strv_length (parts) + 1);
  for (char **part = parts; *part != NULL; part++)
    {
      char *equals = strchr (*part, '=');
      if (equals != NULL)
        *equals = '\0';
      int number = find_column (partner, kind, *part, error);
      if (number < 0)
        return FALSE;
      partner->columns[partner->n_columns++]
          = (SlPartnerColumn){ .number = number,
                               .own = kind->columns[number].name,
                               .theirs = g_strdup (equals != NULL ? equals + 1 : *part),
                               .type = kind->columns[number].type,
                               .renamed = equals != NULL,
                               .values = g_array_new (FALSE, TRUE, sizeof (SlPartnerValue)),
                               .there = g_byte_array_new () };
    }
  return partner->n_columns > 0 || sl_error_usage (error, "--columns: which columns?");
}

gboolean
sl_partner_claim (SlPartner *partner, GError **error)
{
  gsize bytes = sl_intern_bytes (partner->items) + sl_intern_bytes (partner->texts);
  for (int c = 0; c < partner->n_columns; c++)
    bytes += 9 * (gsize) partner->columns[c].values->len;
  return sl_run_claim_up_to (partner->run, &partner->claimed, bytes,
                             "the other table's items and what they have", error);
}

const char *
sl_partner_add (SlPartner *partner, int c, gint32 item, SlPartnerValue value)
{
  SlPartnerColumn *column = &partner->columns[c];
  if ((guint) item >= column->values->len)
    {
      guint before = column->values->len;
      g_array_set_size (column->values, (guint) item + 1);
      g_byte_array_set_size (column->there, (guint) item + 1);
      memset (column->there->data + before, 0, (guint) item + 1 - before);
    }
  SlPartnerValue *now = &g_array_index (column->values, SlPartnerValue, item);
  if (column->there->data[item] && now->integer != value.integer)
    return "differs from what a row of the same item has before";
  *now = value;
  column->there->data[item] = 1;
  return NULL;
}

const char *
sl_partner_value (SlPartner *partner, int c, const char *text, gsize length, SlPartnerValue *value)
{
  static const char *const words[] = { "no", "yes", "false", "true", "0", "1", NULL };
  gssize n = (gssize) length;
  *value = (SlPartnerValue){ 0 };
  switch (partner->columns[c].type)
    {
    case SL_TYPE_CLASS:
      value->integer = sl_intern_find (partner->classes, text, length);
      return value->integer >= 0 ? NULL : "is none of the table's classes";
    case SL_TYPE_BOOL:
      for (int i = 0; words[i] != NULL; i++)
        if (strlen (words[i]) == length && g_ascii_strncasecmp (words[i], text, length) == 0)
          {
            value->integer = i % 2;
            return NULL;
          }
      return "is neither yes nor no";
    case SL_TYPE_INT32:
    case SL_TYPE_INT64:
      if (!sl_parse_integer (text, n, &value->integer))
        return "is not a whole number";
      return partner->columns[c].type == SL_TYPE_INT64
                     || (value->integer >= G_MININT32 && value->integer <= G_MAXINT32)
                 ? NULL
                 : "is too large";
    case SL_TYPE_REAL:
    case SL_TYPE_FLOAT32:
      return sl_parse_real (text, n, &value->real) ? NULL : "is not a number";
    default:
      value->integer = sl_intern (partner->texts, text, length);
      return g_utf8_validate (text, n, NULL) ? NULL : "is not UTF-8 text";
    }
}

/* Where the columns are in the other table. */
static gboolean
find_theirs (const SlPartner *partner, const SlTable *theirs, int *numbers, GError **error)
{
  for (int c = 0; c < partner->n_columns; c++)
    {
      const SlPartnerColumn *column = &partner->columns[c];
      numbers[c] = sl_table_column (theirs, column->theirs);
      SlType type = numbers[c] >= 0 ? theirs->spec[numbers[c]].type : SL_N_TYPES;
      if (type == column->type)
        continue;
      return sl_error_bad_input (error,
                                 numbers[c] < 0
                                     ? "%s: it has no column '%s'"
                                     : "%s: its column '%s' is of another type than '%s'",
                                 partner->name, column->theirs, column->own);
    }
  return TRUE;
}

/* The value of row I of COLUMN, which is there; FALSE where its class is not among ours, by MAP. */
static gboolean
value_of (SlPartner *partner, SlType type, const SlColumn *values, gint64 i, const gint32 *map,
          SlPartnerValue *value)
{
  gsize length;
  const char *text;
  *value = (SlPartnerValue){ 0 };
  switch (type)
    {
    case SL_TYPE_CLASS:
      value->integer = map[values->code[i]];
      return value->integer >= 0;
    case SL_TYPE_BOOL:
      value->integer = values->flag[i] != 0;
      return TRUE;
    case SL_TYPE_INT32:
      value->integer = values->int32[i];
      return TRUE;
    case SL_TYPE_INT64:
      value->integer = values->int64[i];
      return TRUE;
    case SL_TYPE_REAL:
      value->real = values->real[i];
      return TRUE;
    case SL_TYPE_FLOAT32:
      value->real = values->float32[i];
      return TRUE;
    default:
      text = sl_text_get (values->text, i, &length);
      value->integer = sl_intern (partner->texts, text, length);
      return TRUE;
    }
}

static gboolean
add_row (SlPartner *partner, const SlBatch *batch, gint64 i, gint32 item, const int *numbers,
         const gint32 *map, GError **error)
{
  for (int c = 0; c < partner->n_columns; c++)
    {
      SlPartnerValue value;
      if (sl_value_is_missing (batch, numbers[c], i))
        continue;
      const SlColumn *values = &batch->column[numbers[c]];
      const char *wrong = value_of (partner, partner->columns[c].type, values, i, map, &value)
                              ? sl_partner_add (partner, c, item, value)
                              : "is none of the table's classes";
      if (wrong == NULL)
        continue;
      const char *class = partner->columns[c].type == SL_TYPE_CLASS
                              ? batch->table->classes[values->code[i]]
                              : NULL;
      return sl_error_row (error, batch->first_row + i + 1, "%s%s%s%s %s",
                           partner->columns[c].theirs, class != NULL ? " '" : "",
                           class != NULL ? class : "", class != NULL ? "'" : "", wrong);
    }
  return TRUE;
}

static gboolean
read_table (SlPartner *partner, GError **error)
{
  const SlTable *theirs = sl_reader_table (partner->reader);
  g_autofree int *numbers = g_new (int, partner->n_columns);
  g_autofree gint32 *map
      = sl_table_class_map (theirs, partner->table->classes, partner->table->n_classes);
  int item = sl_table_column (theirs, "item");
  if (!find_theirs (partner, theirs, numbers, error))
    return FALSE;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (partner->reader, &batch, &ok, error))
    {
      g_autofree gint32 *ids = g_new (gint32, MAX (batch->n_rows, 1));
      sl_intern_column (partner->items, batch->column[item].text, batch->n_rows, ids);
      for (gint64 i = 0; ok && i < batch->n_rows; i++)
        ok = add_row (partner, batch, i, ids[i], numbers, map, error);
      ok = ok && sl_partner_claim (partner, error);
    }
  return ok;
}

gboolean
sl_partner_read (SlPartner *partner, const SlTable *table, GError **error)
{
  partner->table = table;
  partner->classes = sl_classes_intern (table->classes);
  return partner->csv != NULL ? sl_partner_read_csv (partner, error) : read_table (partner, error);
}
