/* SPDX-License-Identifier: GPL-3.0-or-later */
/* join: a table in; the same with columns of another table, or of a CSV file, by item, or with
 * attributes of its annotators. */
#include "pipeline/base/shown-text.h"
#include "pipeline/command/options/option-rows.h"
#include "pipeline/command/run.h"
#include "pipeline/table/tag-columns.h"
#include "pipeline/table/types/types.h"
#include "stages/common/classes/class-list.h"
#include "stages/common/files/column-names.h"
#include "stages/common/items/item-values.h"

#include <string.h>

typedef enum
{
  EXISTING_REFUSE,
  EXISTING_REPLACE,
  EXISTING_KEEP,
} Existing;

typedef enum
{
  BY_ITEM,
  BY_ANNOTATOR,
} By;

typedef struct
{
  char *with;
  char *columns; /* gold,seconds=time */
  int existing;  /* Existing */
  char *classes; /* A,B,C */
  int by;        /* By */
} Options;

static const Options defaults = { 0 };

#define OPTIONS Options

static const SlOption option_table[] = {
  INPUT ("with", with, "FILE",
         "the other table, of any kind that has items; or CSV, JSON lines, Parquet or Arrow of "
         "another program with a column 'item'"),
  TEXT ("columns", columns, "A,B=C",
        "the columns that are brought; B=C where the other side calls it C. For gold, a CSV file's "
        "column may also be called truth, true, label, class or answer. tag_KEY is a tag of the "
        "items, by any KEY: tag_text=sentence has their texts, for `show` and the lists of "
        "`report`"),
  CHOICE ("existing", existing, WORDS ("refuse", "replace", "keep"),
          "of a column that is there already: refuse; replace its values where the other side has "
          "one; or keep them, and take the other side's where one is missing"),
  TEXT ("classes", classes, "A,B,C",
        "the classes, in their order, of a table that names none (features without gold)"),
  CHOICE ("by", by, WORDS ("item", "annotator"),
          "what rows of both sides are matched by. By annotator, --columns are attributes of "
          "annotators, by any names, and become columns annotator.NAME"),
  { 0 },
};

static gboolean
check_options (SlOptions *given, GError **error)
{
  const Options *options = given->values;
  g_auto (GStrv) classes = NULL;
  if (options->with == NULL || options->columns == NULL)
    return sl_error_usage (error, "join what? give --with FILE and --columns NAMES");
  return sl_classes_given (options->classes, NULL, &classes, error);
}

typedef struct
{
  SlRun *run;
  SlItemValues partner;
  int *number;    /* of the columns that are brought, [partner.columns->len]: in the table */
  char **tag;     /* [partner.columns->len]: the key of a tag of items; NULL: it is none */
  SlTable *table; /* what is written */
  SlBuilder *builder;
  int item;         /* column of the items, or annotators */
  const char *what; /* "item" or "annotator" */
  guint8 *seen;     /* [items of the partner] */
  gint64 n_rows, n_found;
  char *absent; /* an item that the partner does not have */
  gint32 *ids;  /* [room] */
  gint64 room;
} Join;

static void
join_clear (Join *join)
{
  for (int c = 0; join->tag != NULL && c < (int) join->partner.columns->len; c++)
    g_free (join->tag[c]);
  g_free (join->tag);
  sl_item_values_clear (&join->partner);
  g_free (join->number);
  g_clear_pointer (&join->builder, sl_builder_free);
  g_clear_pointer (&join->table, sl_table_unref);
  g_free (join->seen);
  g_free (join->absent);
  g_free (join->ids);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Join, join_clear)

static gboolean
is_single (SlType type)
{
  return type == SL_TYPE_TEXT || type == SL_TYPE_CLASS || type == SL_TYPE_BOOL
         || type == SL_TYPE_INT32 || type == SL_TYPE_INT64 || type == SL_TYPE_REAL
         || type == SL_TYPE_FLOAT32;
}

static int
n_columns (const Join *join)
{
  return (int) join->partner.columns->len;
}

static const SlItemColumn *
column_of (const Join *join, int c)
{
  return &g_array_index (join->partner.columns, SlItemColumn, c);
}

/* The place of NAME in KIND; -1 and ERROR where no such column can be brought. */
static int
find_column (const Join *join, const SlKind *kind, const char *name, GError **error)
{
  int number = 0;
  while (kind->columns[number].name != NULL && strcmp (kind->columns[number].name, name) != 0)
    number++;
  gboolean twice = FALSE;
  for (int c = 0; c < n_columns (join); c++)
    twice = twice || join->number[c] == number;
  if (kind->columns[number].name == NULL)
    sl_error_usage (
        error, "--columns: a table of %s has no column '%s'; `softlabel schema %s` has its columns",
        kind->name, name, kind->name);
  else if (twice)
    sl_error_usage (error, "--columns: '%s' is given twice", name);
  else if (strcmp (name, "item") == 0 || !is_single (kind->columns[number].type))
    sl_error_usage (error, "--columns: '%s' cannot be brought from another table", name);
  else
    return number;
  return -1;
}

static gboolean
refuse_existing (const Join *join, const char *name, GError **error)
{
  return sl_error_bad_input (error,
                             "%s: it has a column '%s' already; --existing replace or keep says "
                             "whose values are taken",
                             sl_reader_name (join->run->in), name);
}

/* Takes apart --columns, "gender,age=years": attributes, which TABLE gets columns for. */
static gboolean
parse_attributes (Join *join, SlTable *table, GError **error)
{
  const Options *options = join->run->options->values;
  g_auto (GStrv) parts = g_strsplit (options->columns, ",", -1);
  g_autoptr (GPtrArray) keys = g_ptr_array_new_with_free_func (g_free);
  for (char **part = parts; *part != NULL; part++)
    {
      const char *column;
      char *key = sl_attribute_parse ("columns", *part, &column, error);
      if (key == NULL)
        return FALSE;
      gboolean twice = g_ptr_array_find_with_equal_func (keys, key, g_str_equal, NULL);
      g_ptr_array_add (keys, key);
      if (twice)
        return sl_error_usage (error, "--columns: '%s' is there twice", key);
      if (sl_table_tag_column (table, key) >= 0 && options->existing == EXISTING_REFUSE)
        return refuse_existing (join, key, error);
      if (!sl_table_add_tag_column (table, key, error))
        return FALSE;
      sl_item_values_want (&join->partner, column, SL_TYPE_TEXT, FALSE);
    }
  join->number = g_new (int, keys->len + 1);
  for (guint c = 0; c < keys->len; c++)
    join->number[c] = sl_table_tag_column (table, keys->pdata[c]);
  return n_columns (join) > 0 || sl_error_usage (error, "--columns: which columns?");
}

/* The key of the tag that NAME, "tag_text", is the column of, to be freed; NULL: of none, or, with
 * ERROR, of no key that there can be. */
static char *
tag_key (const Join *join, const char *name, GError **error)
{
  if (!g_str_has_prefix (name, SL_TAG_PREFIX))
    return NULL;
  const char *key = name + strlen (SL_TAG_PREFIX);
  gboolean twice = FALSE;
  for (int c = 0; c < n_columns (join); c++)
    twice = twice || g_strcmp0 (join->tag[c], key) == 0;
  if (sl_tags_is_key (key) && !twice)
    return g_strdup (key);
  if (twice)
    sl_error_usage (error, "--columns: '%s' is given twice", name);
  else
    sl_error_usage (error,
                    "--columns: '%s' is no tag's column: keys have letters, digits and _ "
                    "alone",
                    name);
  return NULL;
}

/* Takes apart --columns, "gold,seconds=time": columns of KIND, and what they are called on the
 * other side. */
static gboolean
parse_columns (Join *join, const SlKind *kind, GError **error)
{
  const Options *options = join->run->options->values;
  g_auto (GStrv) parts = g_strsplit (options->columns, ",", -1);
  join->number = g_new (int, g_strv_length (parts) + 1);
  join->tag = g_new0 (char *, g_strv_length (parts) + 1);
  for (char **part = parts; *part != NULL; part++)
    {
      char *equals = strchr (*part, '=');
      if (equals != NULL)
        *equals = '\0';
      g_autofree char *key = tag_key (join, *part, error);
      int number = key == NULL && *error == NULL ? find_column (join, kind, *part, error) : -1;
      if (*error != NULL)
        return FALSE;
      join->number[n_columns (join)] = number;
      join->tag[n_columns (join)] = g_steal_pointer (&key);
      if (number < 0)
        {
          sl_item_values_want (&join->partner, equals != NULL ? equals + 1 : *part, SL_TYPE_TEXT,
                               FALSE);
          continue;
        }
      sl_item_values_want (&join->partner, equals != NULL ? equals + 1 : *part,
                           kind->columns[number].type,
                           equals == NULL && strcmp (*part, "gold") == 0);
    }
  return n_columns (join) > 0 || sl_error_usage (error, "--columns: which columns?");
}

/* The classes of what is written: the table's own, or where it has none those that are given, or
 * the other table's. */
static gboolean
find_classes (const Join *join, const SlTable *in, char ***classes, GError **error)
{
  const Options *options = join->run->options->values;
  if (!sl_classes_given (options->classes, NULL, classes, error))
    return FALSE;
  if (in->n_classes > 0 && *classes != NULL)
    return sl_error_usage (error, "--classes is for a table that names no classes; this one does");
  if (*classes == NULL)
    *classes = g_strdupv (in->n_classes == 0 && join->partner.reader != NULL
                              ? sl_reader_table (join->partner.reader)->classes
                              : in->classes);
  for (int c = 0; (*classes)[0] == NULL && c < n_columns (join); c++)
    if (column_of (join, c)->type == SL_TYPE_CLASS)
      return sl_error_usage (error,
                             "the table names no classes that '%s' could be of: give --classes",
                             in->spec[join->number[c]].name);
  return TRUE;
}

/* The table's columns for tags of items. */
static gboolean
add_tags (Join *join, GError **error)
{
  const Options *options = join->run->options->values;
  for (int c = 0; c < n_columns (join); c++)
    {
      if (join->tag[c] == NULL)
        continue;
      g_autofree char *name = g_strconcat (SL_TAG_PREFIX, join->tag[c], NULL);
      if (sl_table_tag_column (join->table, join->tag[c]) >= 0
          && options->existing == EXISTING_REFUSE)
        return refuse_existing (join, name, error);
      if (!sl_table_add_tag_column (join->table, join->tag[c], error))
        return FALSE;
    }
  for (int c = 0; c < n_columns (join); c++)
    if (join->tag[c] != NULL)
      join->number[c] = sl_table_tag_column (join->table, join->tag[c]);
  return TRUE;
}

static gboolean
make_header (Join *join, GError **error)
{
  const Options *options = join->run->options->values;
  const SlTable *in = sl_reader_table (join->run->in);
  g_auto (GStrv) classes = NULL;
  if (!find_classes (join, in, &classes, error))
    return FALSE;
  join->table = sl_table_new (in->kind, (const char *const *) classes);
  sl_table_take_columns (join->table, in, in->columns);
  if (options->by == BY_ANNOTATOR && !parse_attributes (join, join->table, error))
    return FALSE;
  for (int c = 0; options->by == BY_ITEM && c < n_columns (join); c++)
    {
      int number = join->number[c];
      if (number < 0)
        continue;
      if (sl_table_has (in, number) && options->existing == EXISTING_REFUSE)
        return refuse_existing (join, in->spec[number].name, error);
      sl_table_add (join->table, number);
    }
  if (options->by == BY_ITEM && !add_tags (join, error))
    return FALSE;
  join->builder = sl_builder_new (join->table);
  return TRUE;
}

/* Appends VALUE to COLUMN; of a class that is none of the table's it is an error. */
static gboolean
append (Join *join, int c, gint32 id, SlItemValue value, GError **error)
{
  gsize length;
  const char *text;
  gint32 code;
  int column = join->number[c];
  switch (column_of (join, c)->type)
    {
    case SL_TYPE_CLASS:
      if (!sl_item_values_class (&join->partner, c, id, &code, error))
        return FALSE;
      sl_builder_class (join->builder, column, code);
      return TRUE;
    case SL_TYPE_BOOL:
      sl_builder_bool (join->builder, column, value.integer != 0);
      return TRUE;
    case SL_TYPE_INT32:
    case SL_TYPE_INT64:
      sl_builder_int (join->builder, column, value.integer);
      return TRUE;
    case SL_TYPE_REAL:
      sl_builder_real (join->builder, column, value.real);
      return TRUE;
    case SL_TYPE_FLOAT32:
      sl_builder_float32 (join->builder, column, (float) value.real);
      return TRUE;
    default:
      text = sl_intern_get (join->partner.texts, (gint32) value.integer, &length);
      sl_builder_text (join->builder, column, text, length);
      return TRUE;
    }
}

static gboolean
missing_value (const Join *join, int c, const SlBatch *batch, gint64 i, GError **error)
{
  gsize length;
  const char *item = sl_text_get (batch->column[join->item].text, i, &length);
  g_autofree char *shown = sl_shown (item, length);
  return sl_error_row (error, batch->first_row + i + 1,
                       "%s has no %s of %s '%s', and a value of that column cannot be missing",
                       join->partner.name, column_of (join, c)->name, join->what, shown);
}

/* Fills the C-th column that is brought, for the rows of BATCH. */
static gboolean
fill (Join *join, int c, SlBatch *batch, GError **error)
{
  const Options *options = join->run->options->values;
  int column = join->number[c];
  gboolean own = sl_table_has (batch->table, column);
  gboolean nullable = join->table->spec[column].flags & SL_COLUMN_NULLABLE;
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      const SlItemValue *theirs = sl_item_values_get (&join->partner, c, join->ids[i]);
      gboolean ours = own && !sl_value_is_missing (batch, column, i), ok = TRUE;
      if (ours && (theirs == NULL || options->existing == EXISTING_KEEP))
        sl_value_copy (join->builder, column, batch, i);
      else if (theirs != NULL)
        ok = append (join, c, join->ids[i], *theirs, error);
      else if (nullable)
        sl_builder_null (join->builder, column);
      else
        ok = missing_value (join, c, batch, i, error);
      if (!ok)
        return FALSE;
    }
  return TRUE;
}

static void
count (Join *join, const SlBatch *batch)
{
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      gint32 id = join->ids[i];
      join->n_found += id >= 0;
      if (id >= 0)
        join->seen[id] = 1;
      else if (join->absent == NULL)
        {
          gsize length;
          const char *item = sl_text_get (batch->column[join->item].text, i, &length);
          join->absent = sl_shown (item, length);
        }
    }
  join->n_rows += batch->n_rows;
}

/* WRONG, which is said of a row of ROWS, is so by what the partner has. */
static gboolean
refuse_value (const Join *join, const SlBatch *rows, GError *wrong, GError **error)
{
  g_autoptr (GError) own = wrong;
  char *rest;
  if (!g_str_has_prefix (own->message, "row "))
    return sl_error_bad_input (error, "%s", own->message);
  gint64 i = g_ascii_strtoll (own->message + strlen ("row "), &rest, 10) - rows->first_row - 1;
  g_autofree char *shown = sl_intern_shown (join->partner.items, join->ids[i]);
  return sl_error_bad_input (error, "--with %s: of %s '%s' the %s", join->partner.name, join->what,
                             shown, rest + strlen (": "));
}

static gboolean
add_batch (Join *join, SlBatch *given, GError **error)
{
  const Options *options = join->run->options->values;
  guint32 filled = 0;
  gboolean tags = options->by == BY_ANNOTATOR;
  for (int c = 0; join->tag != NULL && c < n_columns (join); c++)
    tags = tags || join->tag[c] != NULL;
  /* Tags stand among those there are. */
  g_autoptr (SlBatch) batch
      = tags ? sl_tag_columns_fill (given, join->table, error) : sl_batch_ref (given);
  if (batch == NULL)
    return FALSE;
  if (batch->n_rows > join->room)
    join->ids = g_renew (gint32, join->ids, join->room = batch->n_rows);
  sl_items_find (join->partner.items, batch->column[join->item].text, batch->n_rows,
                 join->run->threads, join->ids);
  count (join, batch);
  for (int c = 0; c < n_columns (join); c++)
    {
      filled |= 1u << join->number[c];
      if (!fill (join, c, batch, error))
        return FALSE;
    }
  for (int c = 0; batch->table->spec[c].name != NULL; c++)
    if (sl_table_has (batch->table, c) && !(filled >> c & 1))
      sl_builder_share (join->builder, c, batch, c);
  g_autoptr (SlBatch) rows = sl_builder_take (join->builder, error);
  if (rows == NULL)
    return FALSE;
  /* What a column may hold beside others, the kind knows. */
  rows->first_row = batch->first_row;
  GError *wrong = NULL;
  if (rows->table->kind->check != NULL && !rows->table->kind->check (rows, &wrong))
    return refuse_value (join, rows, wrong, error);
  return sl_writer_write (join->run->out, rows, error);
}

/* How many items have met. */
static gboolean
report_met (const Join *join, GError **error)
{
  const char *name = join->partner.name;
  gint32 n_items = sl_intern_size (join->partner.items), n_seen = 0;
  for (gint32 i = 0; i < n_items; i++)
    n_seen += join->seen[i];
  if (join->n_rows > 0 && n_items == 0)
    return sl_error_bad_input (error, "%s: it has no %s", name, join->what);
  if (join->n_rows > 0 && join->n_found == 0)
    {
      g_autofree char *shown = sl_intern_shown (join->partner.items, 0);
      return sl_error_bad_input (error,
                                 "%s: none of its %d %ss is in the table: '%s' there, '%s' here",
                                 name, n_items, join->what, shown, join->absent);
    }
  if (join->n_found < join->n_rows)
    sl_run_warn (join->run,
                 "%s: has the %ss of %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                 " rows, not '%s' for one",
                 name, join->what, join->n_found, join->n_rows, join->absent);
  else
    sl_run_note (join->run, "%s: has the %ss of all %" G_GINT64_FORMAT " rows", name, join->what,
                 join->n_rows);
  sl_run_note (join->run, "%s: %d of its %d %ss are in the table", name, n_seen, n_items,
               join->what);
  return TRUE;
}

static gboolean
copy (Join *join, GError **error)
{
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (join->run, &batch, &ok, error))
    ok = add_batch (join, batch, error);
  return ok && report_met (join, error);
}

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  g_auto (Join) join = { .run = run };
  const SlTable *in = sl_reader_table (run->in);
  const gboolean items = options->by == BY_ITEM;
  join.what = items ? "item" : "annotator";
  join.item = sl_table_column (in, join.what);
  if (join.item < 0 || !sl_table_has (in, join.item))
    return sl_error_bad_input (error, "%s: a table of %s has no %ss", sl_reader_name (run->in),
                               in->kind->name, join.what);
  if (!sl_item_values_open_of (&join.partner, run, "with", options->with,
                               items ? &sl_item_role : &sl_annotator_role, error)
      || (items && !parse_columns (&join, in->kind, error)) || !make_header (&join, error)
      || !sl_item_values_read (&join.partner, join.table->classes, join.table->n_classes, NULL,
                               error))
    return FALSE;
  join.seen = sl_run_alloc0 (run, (gsize) sl_intern_size (join.partner.items), 1,
                             "what the other table is about", error);
  return join.seen != NULL && sl_run_start (run, join.table, error) && copy (&join, error);
}

const SlCommand sl_command_join = {
  .name = "join",
  .summary = "bring columns of another table, by item",
  .arguments = "[FILE…]",
  .reads = sl_kinds,
  SL_OPTIONS (option_table, defaults),
  .description
  = "Writes the table with the columns that --columns names, their values from --with: for every "
    "row those of its item. Columns are those of the table's kind (`softlabel schema`), of single "
    "values: classes, numbers, texts, yes and no. Classes are found by their names.\n\n"
    "An item may be there in several rows of --with if they agree. Rows of items that --with does "
    "not have get no value, and a warning counts them; it is an error if no row gets one.\n\n"
    "--by annotator brings attributes of annotators (gender, age, the model of a judge): --columns "
    "names them as you like, --with has a column 'annotator' (worker, user, rater ...) and theirs. "
    "`select --where 'annotator.gender = x'`, `agreement --group` and `aggregate --group` know "
    "them.\n\n"
    "Memory: the items of --with, and 9 bytes for each value.",
  .examples = "softlabel join --with truth.csv --columns gold labels.parquet -o all.parquet\n"
              "    gold classes from a CSV file with the columns item and gold\n"
              "softlabel join --with answers.parquet --columns gold predictions.parquet\n"
              "    the same from another table\n"
              "softlabel join --with times.csv --columns seconds=rt answers.parquet\n"
              "    a column that has another name there\n"
              "softlabel join --by annotator --with people.csv --columns gender,age=years "
              "votes.parquet\n"
              "    what is known of the annotators\n",
  .check = check_options,
  .run = run,
};
