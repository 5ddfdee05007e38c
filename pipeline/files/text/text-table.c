/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "text-table.h"

#include "pipeline/base/error.h"
#include "pipeline/base/shown-text.h"
#include "pipeline/base/sorted-names.h"
#include "pipeline/table/tag-columns.h"
#include "pipeline/table/types/types.h"
#include "pipeline/text/csv-scan.h"
#include "pipeline/text/csv.h"
#include "pipeline/text/json-reader.h"
#include "pipeline/text/made-source.h"

#include <string.h>

/* Which table a header of CSV is that softlabel wrote: its kind, its columns, and, where a column
 * is of distributions, its classes. */

typedef struct
{
  SlTable *table;
  int *field[SL_MAX_COLUMNS]; /* of a column that the table has: where in a record its texts are */
} SlTextForm;

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
  if (sl_tag_key_of (field) != NULL)
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
            sl_error_bad_input (
                error, "by its columns it may be a table of %s, or of %s: --table says which",
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

/* Texts of COLUMN in a record. */
static int
text_form_width (const SlTable *table, int column)
{
  return table->spec[column].type == SL_TYPE_LABEL ? table->n_classes : 1;
}

static gboolean
place_column (SlTextForm *form, char *const *fields, int c, GError **error)
{
  const SlTable *table = form->table;
  const SlColumnSpec *spec = &table->spec[c];
  form->field[c] = g_new (int, MAX (text_form_width (table, c), 1));
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

/* Of the names FIELDS, NULL-terminated. KIND and CLASSES NULL: they are found. Where KIND is given,
 * names that it does not have are left out. FALSE and ERROR where it is no such table. */
static gboolean
text_form_find (SlTextForm *form, char *const *fields, const SlKind *kind,
                const char *const *classes, GError **error)
{
  if (!check_twice (fields, error) || (kind == NULL && (kind = find_kind (fields, error)) == NULL))
    return FALSE;
  if (lacking (kind, fields) != NULL)
    return sl_error_bad_input (error, "a table of %s has a column '%s'; this one has none",
                               kind->name, lacking (kind, fields));
  g_auto (GStrv) found = classes == NULL ? find_classes (kind, fields) : NULL;
  form->table = sl_table_new (kind, classes != NULL ? classes : (const char *const *) found);
  for (int i = 0; fields[i] != NULL; i++)
    if (sl_tag_key_of (fields[i]) != NULL
        && !sl_table_add_tag_column (form->table, sl_tag_key_of (fields[i]), error))
      return FALSE;
  for (int c = 0; form->table->spec[c].name != NULL; c++)
    {
      if (!has_column (fields, &form->table->spec[c]))
        continue;
      if (sl_types[form->table->spec[c].type].read == NULL)
        return sl_error_bad_input (error,
                                   "CSV and JSON do not tell the shape of '%s'; `softlabel ingest "
                                   "--from table` reads its columns as vectors",
                                   form->table->spec[c].name);
      sl_table_add (form->table, c);
      if (!place_column (form, fields, c, error))
        return FALSE;
    }
  return TRUE;
}

static void
text_form_clear (SlTextForm *form)
{
  for (int c = 0; c < SL_MAX_COLUMNS; c++)
    g_clear_pointer (&form->field[c], g_free);
  g_clear_pointer (&form->table, sl_table_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlTextForm, text_form_clear)

/* Whether values of the table are classes that only its rows name. */
static gboolean
text_form_seeks_classes (const SlTextForm *form)
{
  const SlTable *table = form->table;
  for (int c = 0; table->spec[c].name != NULL && table->n_classes == 0; c++)
    if (sl_table_has (table, c) && sl_type_of (table, c)->map != NULL)
      return TRUE;
  return FALSE;
}

#define MAX_CLASSES 65536

struct _SlTextTable
{
  SlCsv *csv;
  SlTextForm form;
  SlTextRow to;
  GPtrArray *cells;  /* of the record at hand */
  GPtrArray *spread; /* room for the texts of one column */
  SlCsvBlock block;
  gsize at; /* of the block, read so far */
  gint64 row;
  gint64 first_row, n_lines; /* of the rows that the builder has */
};

void
sl_text_table_free (SlTextTable *text)
{
  g_clear_pointer (&text->csv, sl_csv_free);
  g_clear_pointer (&text->to.builder, sl_builder_free);
  g_clear_pointer (&text->to.classes, sl_intern_free);
  text_form_clear (&text->form);
  g_ptr_array_unref (text->cells);
  g_ptr_array_unref (text->spread);
  g_free (text->block.data);
  g_free (text);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlTextTable, sl_text_table_free)

/* The record DATA[n], its newline included, becomes a row; NULL, or what is wrong. */
static char *
read_record (SlTextTable *text, const char *data, gsize n)
{
  const SlTable *table = text->form.table;
  g_ptr_array_set_size (text->cells, 0);
  const char *problem = sl_csv_split_one (text->csv->separator, data, n, text->cells);
  if (problem != NULL)
    return g_strdup (problem);
  if (text->cells->len != (guint) text->csv->n_fields)
    return g_strdup_printf ("%u fields, the header has %d", text->cells->len, text->csv->n_fields);
  for (int c = 0; table->spec[c].name != NULL; c++)
    {
      if (!sl_table_has (table, c))
        continue;
      int width = text_form_width (table, c);
      g_ptr_array_set_size (text->spread, width);
      for (int i = 0; i < width; i++)
        text->spread->pdata[i] = text->cells->pdata[text->form.field[c][i]];
      g_autofree char *wrong
          = sl_type_of (table, c)->read (&text->to, c, (char *const *) text->spread->pdata);
      if (wrong != NULL)
        return g_strdup_printf ("column '%s': %s", table->spec[c].name, wrong);
    }
  return NULL;
}

/* Reads rows until the builder is full; *ENDED: there are no more of them. */
static gboolean
read_rows (SlTextTable *text, gboolean *ended, GError **error)
{
  *ended = FALSE;
  text->n_lines = 0;
  while (sl_builder_room (text->to.builder) > 0)
    {
      if (text->at == text->block.n)
        {
          text->at = 0;
          if (!sl_csv_read_block (text->csv, &text->block, error))
            return FALSE;
          *ended = text->block.n == 0;
          if (*ended)
            return TRUE;
        }
      const char *data = text->block.data + text->at;
      gsize left = text->block.n - text->at;
      gsize n = sl_csv_first_record (text->csv->separator, data, left);
      n = n == 0 ? left : n; /* a quotation mark is never closed */
      if (sl_csv_without_return (data, 0, (guint32) n - 1) > 0)
        {
          g_autofree char *wrong = read_record (text, data, n);
          if (wrong != NULL)
            return sl_error_row (error, text->row, "%s", wrong);
          text->first_row = text->n_lines == 0 ? text->row : text->first_row;
          text->n_lines = text->row + sl_csv_count_newlines (data, n) - text->first_row;
        }
      text->row += sl_csv_count_newlines (data, n);
      text->at += n;
    }
  return TRUE;
}

/* The rows of SOURCE, which it takes, from the first one on. */
static gboolean
open_csv (SlTextTable *text, SlSource *source, GError **error)
{
  gboolean json;
  if (!sl_json_begins (source, &json, error))
    {
      sl_source_free (source);
      return FALSE;
    }
  if (json && (source = sl_source_new_json_text (source, error)) == NULL)
    return FALSE;
  text->csv = sl_csv_new (source, ',', error);
  if (text->csv == NULL)
    return FALSE;
  text->csv->row = json ? 0 : 1;
  sl_csv_skip_first (text->csv);
  text->row = text->csv->row;
  text->at = text->block.n = 0;
  return TRUE;
}

static void
begin_rows (SlTextTable *text)
{
  g_clear_pointer (&text->to.builder, sl_builder_free);
  text->to.table = text->form.table;
  text->to.builder = sl_builder_new (text->form.table);
}

/* A reading of which nothing but the classes are kept. */
static gboolean
learn_classes (SlTextTable *text, GError **error)
{
  text->to.classes = sl_intern_new ();
  text->to.learn = TRUE;
  begin_rows (text);
  for (gboolean ended = FALSE; !ended;)
    {
      if (!read_rows (text, &ended, error))
        return FALSE;
      if (sl_intern_size (text->to.classes) > MAX_CLASSES)
        return sl_error_bad_input (error, "has over %d classes", MAX_CLASSES);
      sl_builder_clear (text->to.builder);
    }
  return sl_intern_size (text->to.classes) > 0
         || sl_error_bad_input (error, "names no class: --classes A,B,C says which there are");
}

/* The classes are known from now on. */
static void
know_classes (SlTextTable *text)
{
  const SlTable *table = text->form.table;
  g_clear_pointer (&text->to.classes, sl_intern_free);
  text->to.learn = FALSE;
  text->to.classes = sl_intern_new ();
  for (gint32 k = 0; k < table->n_classes; k++)
    sl_intern (text->to.classes, table->classes[k], strlen (table->classes[k]));
  begin_rows (text);
}

/* The table has the classes that were learned; the file is read again. */
static gboolean
settle_classes (SlTextTable *text, const char *path, GError **error)
{
  gint32 n = sl_intern_size (text->to.classes);
  g_autofree gint32 *place = g_new (gint32, n);
  g_auto (GStrv) classes = sl_classes_sorted (text->to.classes, place);
  g_auto (GStrv) names = g_strdupv (text->csv->first);
  const SlKind *kind = text->form.table->kind;
  text_form_clear (&text->form);
  g_clear_pointer (&text->csv, sl_csv_free);
  SlSource *source = sl_source_open (path, error);
  if (source == NULL || !open_csv (text, source, error))
    return FALSE;
  if (!g_strv_equal ((const char *const *) names, (const char *const *) text->csv->first))
    return sl_error_bad_input (error, "has changed while it was being read");
  return text_form_find (&text->form, names, kind, (const char *const *) classes, error);
}

SlTextTable *
sl_text_table_new (SlSource *source, const char *path, const SlKind *kind,
                   const char *const *classes, GError **error)
{
  g_autoptr (SlTextTable) text = g_new0 (SlTextTable, 1);
  text->cells = g_ptr_array_new_with_free_func (g_free);
  text->spread = g_ptr_array_new ();
  if (!open_csv (text, source, error)
      || !text_form_find (&text->form, text->csv->first, kind, classes, error))
    return NULL;
  if (text_form_seeks_classes (&text->form))
    {
      if (path == NULL)
        {
          sl_error_bad_input (error, "does not name its classes before its rows: give the file's "
                                     "name in place of a pipe, or --classes A,B,C");
          return NULL;
        }
      if (!learn_classes (text, error) || !settle_classes (text, path, error))
        return NULL;
    }
  know_classes (text);
  return g_steal_pointer (&text);
}

GArrowSchema *
sl_text_table_schema (const SlTextTable *text)
{
  return sl_table_to_schema (text->form.table);
}

gboolean
sl_text_table_next (SlTextTable *text, GArrowRecordBatch **batch, GError **error)
{
  gboolean ended;
  *batch = NULL;
  if (!read_rows (text, &ended, error))
    return FALSE;
  if (sl_builder_rows (text->to.builder) == 0)
    return TRUE;
  g_autoptr (SlBatch) rows = sl_builder_take (text->to.builder, error);
  if (rows == NULL)
    return FALSE;
  /* Whoever reads the batch checks it again, but counts a table's rows, not a file's lines. */
  const SlKind *kind = text->form.table->kind;
  rows->first_row = text->first_row - 1;
  if (kind->check != NULL && text->n_lines == rows->n_rows && !kind->check (rows, error))
    return FALSE;
  *batch = g_object_ref (rows->arrow);
  return TRUE;
}
