/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "text-table-form.h"

#include "pipeline/base/error.h"
#include "pipeline/base/shown-text.h"
#include "pipeline/table/tag-columns.h"

#include <string.h>

static int
place_of (char *const *fields, const char *name)
{
  for (int i = 0; fields[i] != NULL; i++)
    if (strcmp (fields[i], name) == 0)
      return i;
  return -1;
}

/* Whether values of TYPE take a field for each class, `label.cat`. */
static gboolean
is_spread (SlType type)
{
  return type == SL_TYPE_LABEL || type == SL_TYPE_TENSOR;
}

/* What of FIELD stands behind `NAME.`; NULL: it is none of NAME's. */
static const char *
part_of (const char *field, const char *name)
{
  gsize n = strlen (name);
  return strncmp (field, name, n) == 0 && field[n] == '.' && field[n + 1] != '\0' ? field + n + 1
                                                                                  : NULL;
}

static gboolean
has_column (char *const *fields, const SlColumnSpec *spec)
{
  if (!is_spread (spec->type))
    return place_of (fields, spec->name) >= 0;
  for (int i = 0; fields[i] != NULL; i++)
    if (part_of (fields[i], spec->name) != NULL)
      return TRUE;
  return FALSE;
}

static gboolean
knows_field (const SlKind *kind, const char *field)
{
  if (kind->tags_in_rows && g_str_has_prefix (field, "tag_") && sl_tags_is_key (field + 4))
    return TRUE;
  for (const SlColumnSpec *spec = kind->columns; spec->name != NULL; spec++)
    if (is_spread (spec->type) ? part_of (field, spec->name) != NULL
                               : strcmp (field, spec->name) == 0)
      return TRUE;
  return FALSE;
}

/* The first column that a table of KIND must have, and FIELDS have not; NULL: none. */
static const char *
lacking (const SlKind *kind, char *const *fields)
{
  for (const SlColumnSpec *spec = kind->columns; spec->name != NULL; spec++)
    if (!(spec->flags & SL_COLUMN_OPTIONAL) && !has_column (fields, spec))
      return spec->name;
  return NULL;
}

static gboolean
is_all_of (const SlKind *kind, char *const *fields)
{
  for (int i = 0; fields[i] != NULL; i++)
    if (!knows_field (kind, fields[i]))
      return FALSE;
  return lacking (kind, fields) == NULL;
}

static gboolean
fail_kind (char *const *fields, GError **error)
{
  g_autofree char *names = g_strjoinv (", ", (char **) fields);
  g_autofree char *shown = sl_shown (names, strlen (names));
  return sl_error_bad_input (
      error,
      "is no table that softlabel wrote: no kind of table has the columns %s; `softlabel ingest` "
      "reads answers in other forms, and --table KIND leaves out what that kind does not have",
      shown);
}

static const SlKind *
find_kind (char *const *fields, GError **error)
{
  const SlKind *found = NULL;
  for (int k = 0; sl_kinds[k] != NULL; k++)
    if (is_all_of (sl_kinds[k], fields))
      {
        if (found != NULL)
          {
            sl_error_bad_input (error,
                                "by its columns it may be a table of %s, or of %s: --table says "
                                "which",
                                found->name, sl_kinds[k]->name);
            return NULL;
          }
        found = sl_kinds[k];
      }
  if (found == NULL)
    fail_kind (fields, error);
  return found;
}

/* The classes that the fields of a column of distributions name; NULL: there is none. */
static char **
find_classes (const SlKind *kind, char *const *fields)
{
  for (const SlColumnSpec *spec = kind->columns; spec->name != NULL; spec++)
    {
      if (spec->type != SL_TYPE_LABEL || !has_column (fields, spec))
        continue;
      g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
      for (int i = 0; fields[i] != NULL; i++)
        if (part_of (fields[i], spec->name) != NULL)
          g_strv_builder_add (names, part_of (fields[i], spec->name));
      return g_strv_builder_end (names);
    }
  return NULL;
}

int
sl_text_form_width (const SlTable *table, int column)
{
  return table->spec[column].type == SL_TYPE_LABEL ? table->n_classes : 1;
}

static gboolean
place_column (SlTextForm *form, char *const *fields, int c, GError **error)
{
  const SlTable *table = form->table;
  const SlColumnSpec *spec = &table->spec[c];
  form->field[c] = g_new (int, MAX (sl_text_form_width (table, c), 1));
  if (spec->type != SL_TYPE_LABEL)
    {
      form->field[c][0] = place_of (fields, spec->name);
      return TRUE;
    }
  for (gint32 k = 0; k < table->n_classes; k++)
    {
      g_autofree char *name = g_strconcat (spec->name, ".", table->classes[k], NULL);
      form->field[c][k] = place_of (fields, name);
      if (form->field[c][k] < 0)
        return sl_error_bad_input (error, "there is no column '%s'", name);
    }
  for (int i = 0; fields[i] != NULL; i++)
    if (part_of (fields[i], spec->name) != NULL
        && sl_table_class (table, part_of (fields[i], spec->name), -1) < 0)
      return sl_error_bad_input (error, "the column '%s' is of none of the classes", fields[i]);
  return TRUE;
}

static gboolean
check_twice (char *const *fields, GError **error)
{
  for (int i = 0; fields[i] != NULL; i++)
    if (place_of (fields, fields[i]) < i)
      return sl_error_bad_input (error, "there are two columns '%s'", fields[i]);
  return TRUE;
}

gboolean
sl_text_form_find (SlTextForm *form, char *const *fields, const SlKind *kind,
                   const char *const *classes, GError **error)
{
  if (!check_twice (fields, error) || (kind == NULL && (kind = find_kind (fields, error)) == NULL))
    return FALSE;
  if (lacking (kind, fields) != NULL)
    return sl_error_bad_input (error, "a table of %s has a column '%s'; this one has none",
                               kind->name, lacking (kind, fields));
  g_auto (GStrv) found = classes == NULL ? find_classes (kind, fields) : NULL;
  form->table = sl_table_new (kind, classes != NULL ? classes : (const char *const *) found);
  for (int i = 0; kind->tags_in_rows && fields[i] != NULL; i++)
    if (g_str_has_prefix (fields[i], "tag_") && sl_tags_is_key (fields[i] + 4)
        && !sl_table_add_tag_column (form->table, fields[i] + 4, error))
      return FALSE;
  for (int c = 0; form->table->spec[c].name != NULL; c++)
    {
      if (!has_column (fields, &form->table->spec[c]))
        continue;
      if (sl_types[form->table->spec[c].type].read == NULL)
        return sl_error_bad_input (
            error,
            "CSV and JSON do not tell the shape of '%s'; `softlabel ingest --from table` "
            "reads its columns as vectors",
            form->table->spec[c].name);
      sl_table_add (form->table, c);
      if (!place_column (form, fields, c, error))
        return FALSE;
    }
  return TRUE;
}

void
sl_text_form_clear (SlTextForm *form)
{
  for (int c = 0; c < SL_MAX_COLUMNS; c++)
    g_clear_pointer (&form->field[c], g_free);
  g_clear_pointer (&form->table, sl_table_unref);
}

gboolean
sl_text_form_seeks_classes (const SlTextForm *form)
{
  const SlTable *table = form->table;
  for (int c = 0; table->spec[c].name != NULL && table->n_classes == 0; c++)
    if (sl_table_has (table, c) && sl_type_of (table, c)->map != NULL)
      return TRUE;
  return FALSE;
}
