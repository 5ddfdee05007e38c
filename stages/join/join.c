/* SPDX-License-Identifier: GPL-3.0-or-later */
/* join: a table with items in; the same with columns of another table, or of a CSV file, by
 * item. */
#include "pipeline/base/shown-text.h"
#include "pipeline/command/run.h"
#include "pipeline/table/types/types.h"
#include "stages/common/classes/class-list.h"
#include "partner.h"

#include <math.h>

typedef enum
{
  EXISTING_REFUSE,
  EXISTING_REPLACE,
  EXISTING_KEEP,
} Existing;

typedef struct
{
  char *with;
  char *columns; /* gold,seconds=time */
  int existing;  /* Existing */
  char *classes; /* A,B,C */
} Options;

static const Options defaults = { 0 };

static const SlOption option_table[] = {
  { .name = "with",
    .kind = SL_OPTION_INPUT,
    .field = offsetof (Options, with),
    .placeholder = "FILE",
    .help = "the other table, of any kind that has items, or a CSV file (.csv, .tsv) with a column "
            "'item'" },
  { .name = "columns",
    .kind = SL_OPTION_TEXT,
    .field = offsetof (Options, columns),
    .placeholder = "A,B=C",
    .help = "the columns that are brought; B=C where the other side calls it C. For gold, a CSV "
            "file's column may also be called truth, true, label, class or answer" },
  { .name = "existing",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (Options, existing),
    .choices = (const char *const[]){ "refuse", "replace", "keep", NULL },
    .help = "of a column that is there already: refuse; replace its values where the other side "
            "has one; or keep them, and take the other side's where one is missing" },
  { .name = "classes",
    .kind = SL_OPTION_TEXT,
    .field = offsetof (Options, classes),
    .placeholder = "A,B,C",
    .help = "the classes, in their order, of a table that names none (features without gold)" },
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
  SlPartner partner;
  SlTable *table; /* what is written */
  SlBuilder *builder;
  int item;     /* column */
  guint8 *seen; /* [items of the partner] */
  gint64 n_rows, n_found;
  char *absent; /* an item that the partner does not have */
  gint32 *ids;  /* [room] */
  gint64 room;
} Join;

static void
join_clear (Join *join)
{
  sl_partner_clear (&join->partner);
  g_clear_pointer (&join->builder, sl_builder_free);
  g_clear_pointer (&join->table, sl_table_unref);
  g_free (join->seen);
  g_free (join->absent);
  g_free (join->ids);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Join, join_clear)

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
  for (int c = 0; (*classes)[0] == NULL && c < join->partner.n_columns; c++)
    if (join->partner.columns[c].type == SL_TYPE_CLASS)
      return sl_error_usage (error,
                             "the table names no classes that '%s' could be of: give --classes",
                             join->partner.columns[c].own);
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
  for (int c = 0; c < join->partner.n_columns; c++)
    {
      const SlPartnerColumn *column = &join->partner.columns[c];
      if (sl_table_has (in, column->number) && options->existing == EXISTING_REFUSE)
        return sl_error_bad_input (
            error,
            "%s: it has a column '%s' already; --existing replace or keep says whose "
            "values are taken",
            sl_reader_name (join->run->in), column->own);
      sl_table_add (join->table, column->number);
    }
  join->builder = sl_builder_new (join->table);
  return TRUE;
}

/* Appends VALUE, which is there. */
static void
append (Join *join, const SlPartnerColumn *column, SlPartnerValue value)
{
  gsize length;
  const char *text;
  switch (column->type)
    {
    case SL_TYPE_CLASS:
      sl_builder_class (join->builder, column->number, (gint32) value.integer);
      break;
    case SL_TYPE_BOOL:
      sl_builder_bool (join->builder, column->number, value.integer != 0);
      break;
    case SL_TYPE_INT32:
    case SL_TYPE_INT64:
      sl_builder_int (join->builder, column->number, value.integer);
      break;
    case SL_TYPE_REAL:
      sl_builder_real (join->builder, column->number, value.real);
      break;
    case SL_TYPE_FLOAT32:
      sl_builder_float32 (join->builder, column->number, (float) value.real);
      break;
    default:
      text = sl_intern_get (join->partner.texts, (gint32) value.integer, &length);
      sl_builder_text (join->builder, column->number, text, length);
    }
}

static gboolean
missing_value (const Join *join, const SlPartnerColumn *column, const SlBatch *batch, gint64 i,
               GError **error)
{
  gsize length;
  const char *item = sl_text_get (batch->column[join->item].text, i, &length);
  g_autofree char *shown = sl_shown (item, length);
  return sl_error_row (error, batch->first_row + i + 1,
                       "%s has no %s of item '%s', and a value of that column cannot be missing",
                       join->partner.name, column->theirs, shown);
}

/* Fills column C for the rows of BATCH. */
static gboolean
fill (Join *join, const SlPartnerColumn *column, SlBatch *batch, GError **error)
{
  const Options *options = join->run->options->values;
  gboolean own = sl_table_has (batch->table, column->number);
  gboolean nullable = join->table->spec[column->number].flags & SL_COLUMN_NULLABLE;
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      gint32 id = join->ids[i];
      gboolean theirs = id >= 0 && (guint) id < column->there->len && column->there->data[id];
      gboolean ours = own && !sl_value_is_missing (batch, column->number, i);
      if (ours && (!theirs || options->existing == EXISTING_KEEP))
        sl_value_copy (join->builder, column->number, batch, i);
      else if (theirs)
        append (join, column, g_array_index (column->values, SlPartnerValue, id));
      else if (nullable)
        sl_builder_null (join->builder, column->number);
      else
        return missing_value (join, column, batch, i, error);
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

static gboolean
add_batch (Join *join, SlBatch *batch, GError **error)
{
  guint32 filled = 0;
  if (batch->n_rows > join->room)
    join->ids = g_renew (gint32, join->ids, join->room = batch->n_rows);
  sl_intern_find_column (join->partner.items, batch->column[join->item].text, batch->n_rows,
                         join->run->threads, join->ids);
  count (join, batch);
  for (int c = 0; c < join->partner.n_columns; c++)
    {
      filled |= 1u << join->partner.columns[c].number;
      if (!fill (join, &join->partner.columns[c], batch, error))
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
  if (rows->table->kind->check != NULL && !rows->table->kind->check (rows, error))
    return FALSE;
  return sl_writer_write (join->run->out, rows, error);
}

/* How many items have met. */
static gboolean
tell (const Join *join, GError **error)
{
  const char *name = join->partner.name;
  gint32 n_items = sl_intern_size (join->partner.items), n_seen = 0;
  for (gint32 i = 0; i < n_items; i++)
    n_seen += join->seen[i];
  if (join->n_rows > 0 && join->n_found == 0)
    {
      gsize length = 0;
      const char *item = n_items > 0 ? sl_intern_get (join->partner.items, 0, &length) : "";
      g_autofree char *shown = sl_shown (item, length);
      return sl_error_bad_input (error,
                                 "%s: none of its %d items is in the table: '%s' there, '%s' here",
                                 name, n_items, shown, join->absent);
    }
  if (join->n_found < join->n_rows)
    sl_run_warn (join->run,
                 "%s: has the items of %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                 " rows, not '%s' for one",
                 name, join->n_found, join->n_rows, join->absent);
  else
    sl_run_note (join->run, "%s: has the items of all %" G_GINT64_FORMAT " rows", name,
                 join->n_rows);
  sl_run_note (join->run, "%s: %d of its %d items are in the table", name, n_seen, n_items);
  return TRUE;
}

static gboolean
copy (Join *join, GError **error)
{
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (join->run, &batch, &ok, error))
    ok = add_batch (join, batch, error);
  return ok && tell (join, error);
}

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  g_auto (Join) join = { .run = run };
  const SlTable *in = sl_reader_table (run->in);
  join.item = sl_table_column (in, "item");
  if (join.item < 0)
    return sl_error_bad_input (error, "%s: a table of %s has no items", sl_reader_name (run->in),
                               in->kind->name);
  if (!sl_partner_open (&join.partner, run, "with", options->with, error)
      || !sl_partner_parse (&join.partner, in->kind, options->columns, error)
      || !make_header (&join, error) || !sl_partner_read (&join.partner, join.table, error))
    return FALSE;
  join.seen = sl_run_alloc0 (run, (gsize) sl_intern_size (join.partner.items), 1,
                             "the other table's items", error);
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
    "not have get no value, and are told of; that none has one is an error.\n\n"
    "Memory: the items of --with, and 9 bytes for each value.",
  .examples = "softlabel join --with truth.csv --columns gold labels.parquet -o all.parquet\n"
              "    gold classes from a CSV file with the columns item and gold\n"
              "softlabel join --with answers.parquet --columns gold predictions.parquet\n"
              "    the same from another table\n"
              "softlabel join --with times.csv --columns seconds=rt answers.parquet\n"
              "    a column that has another name there\n",
  .check = check_options,
  .run = run,
};
