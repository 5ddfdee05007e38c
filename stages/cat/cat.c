/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cat: tables of one kind, end to end, in any format. Classes in another order than the first table's are put into its order. */
#include "pipeline/command/run.h"
#include "stages/common/class-list.h"
#include "recode.h"

typedef struct
{
  char *table;   /* a kind's name */
  char *classes; /* A,B,C */
  gboolean common;
} Options;

static const Options defaults = { 0 };

static const SlOption option_table[] = {
  { .name = "table",
    .kind = SL_OPTION_TEXT,
    .field = offsetof (Options, table),
    .placeholder = "KIND",
    .help
    = "what a table is that does not say it itself (as written by pandas, Polars or DuckDB)" },
  { .name = "classes",
    .kind = SL_OPTION_TEXT,
    .field = offsetof (Options, classes),
    .placeholder = "A,B,C",
    .help = "the classes, in their order, of a table that does not name them itself" },
  { .name = "common",
    .kind = SL_OPTION_FLAG,
    .field = offsetof (Options, common),
    .help = "leave out optional columns that not all tables have, instead of refusing" },
  { 0 },
};

static gboolean
check_options (SlOptions *given, GError **error)
{
  const Options *options = given->values;
  if (options->table != NULL && sl_kind_find (options->table) == NULL)
    {
      g_set_error (error, SL_ERROR, SL_ERROR_USAGE,
                   "--table: there is no kind of table '%s'; `softlabel schema` lists them",
                   options->table);
      return FALSE;
    }
  g_auto (GStrv) classes = NULL;
  return sl_classes_given (options->classes, NULL, &classes, error);
}

typedef struct
{
  SlRun *run;
  SlReaderOptions how;
  gboolean common; /* leave out columns that not all tables have */
  char **paths;
  guint n;
  SlReader **readers; /* [n]; NULL: closed, to be opened again in its turn */
  char *first_name;
  SlTable *table; /* what is written */
} Cat;

static void
cat_clear (Cat *cat)
{
  for (guint i = 0; i < cat->n && cat->readers != NULL; i++)
    sl_reader_free (cat->readers[i]);
  g_free (cat->readers);
  g_free (cat->first_name);
  g_clear_pointer (&cat->table, sl_table_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Cat, cat_clear)

static gboolean refuse (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
refuse (GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, SL_ERROR, SL_ERROR_INPUT, what);
  return FALSE;
}

/* map[code in FROM] = code in TO. NULL where the classes are not the same ones. */
static gint32 *
map_classes (const SlTable *from, const SlTable *to, const char *name, const char *first_name,
             GError **error)
{
  g_autoptr (GHashTable) codes = g_hash_table_new (g_str_hash, g_str_equal);
  for (gint32 k = 0; k < to->n_classes; k++)
    g_hash_table_insert (codes, to->classes[k], GINT_TO_POINTER (k + 1));
  g_autofree gint32 *map = g_new (gint32, MAX (from->n_classes, 1));
  for (gint32 k = 0; k < from->n_classes; k++)
    {
      map[k] = GPOINTER_TO_INT (g_hash_table_lookup (codes, from->classes[k])) - 1;
      if (map[k] < 0)
        {
          refuse (
              error,
              "%s: has the class '%s', which %s does not have; make both with the same --classes",
              name, from->classes[k], first_name);
          return NULL;
        }
      g_hash_table_remove (codes, from->classes[k]);
    }
  for (gint32 k = 0; k < to->n_classes; k++)
    if (g_hash_table_contains (codes, to->classes[k]))
      {
        refuse (error,
                "%s: does not have the class '%s', which %s has; make both with the same --classes",
                name, to->classes[k], first_name);
        return NULL;
      }
  return g_steal_pointer (&map);
}

static gboolean
check_columns (const Cat *cat, const SlTable *table, const char *name, GError **error)
{
  guint32 differ = cat->common ? 0 : table->columns ^ cat->table->columns;
  for (int i = 0; cat->table->kind->columns[i].name != NULL; i++)
    {
      const char *column = cat->table->kind->columns[i].name;
      if ((differ >> i) & 1)
        return refuse (error, "%s: %s column '%s', which %s %s; --common leaves it out", name,
                       sl_table_has (table, i) ? "has the" : "does not have the", column,
                       cat->first_name, sl_table_has (table, i) ? "does not have" : "has");
      if (!sl_table_has (table, i) || !sl_table_has (cat->table, i)
          || sl_tensor_equal (&table->tensor[i], &cat->table->tensor[i]))
        continue;
      g_autofree char *own = sl_tensor_text (&table->tensor[i]);
      g_autofree char *first = sl_tensor_text (&cat->table->tensor[i]);
      return refuse (error,
                     "%s: has %s in column '%s', and %s %s; only tensors of one shape go "
                     "together",
                     name, own, column, cat->first_name, first);
    }
  return TRUE;
}

/* Takes the header of one more table into account. */
static gboolean
add_header (Cat *cat, SlReader *reader, GError **error)
{
  const SlTable *table = sl_reader_table (reader);
  const char *name = sl_reader_name (reader);
  if (cat->table == NULL)
    {
      cat->first_name = g_strdup (name);
      cat->table = sl_table_new (table->kind, (const char *const *) table->classes);
      sl_table_take_columns (cat->table, table, table->columns);
      return TRUE;
    }
  if (table->kind != cat->table->kind)
    return refuse (error,
                   "%s: is a table of %s, and %s one of %s; only tables of one kind go together",
                   name, table->kind->name, cat->first_name, cat->table->kind->name);
  g_autofree gint32 *map = map_classes (table, cat->table, name, cat->first_name, error);
  if (map == NULL || !check_columns (cat, table, name, error))
    return FALSE;
  cat->table->columns &= table->columns;
  return TRUE;
}

/* What --table and --classes say is for tables that do not say it themselves; none is made into another. */
static gboolean
check_told (const Cat *cat, SlReader *reader, GError **error)
{
  const SlTable *table = sl_reader_table (reader);
  if (cat->how.kind != NULL && table->kind != cat->how.kind)
    return refuse (error, "%s: says itself that it is a table of %s; leave out --table %s",
                   sl_reader_name (reader), table->kind->name, cat->how.kind->name);
  if (cat->how.classes != NULL
      && !g_strv_equal (cat->how.classes, (const char *const *) table->classes))
    return refuse (error, "%s: names its classes itself, and not as --classes does; leave that out",
                   sl_reader_name (reader));
  return TRUE;
}

/* Opens the I-th table. Where it has no history, the output's history has an empty one in its place. */
static SlReader *
open_first (Cat *cat, guint i, GError **error)
{
  const char *path = cat->paths[i];
  g_autoptr (SlReader) reader = sl_run_open_as (cat->run, NULL, path, &cat->how, error);
  if (reader == NULL || !check_told (cat, reader, error))
    return NULL;
  return g_steal_pointer (&reader);
}

/* All headers are seen before the first row is written. Files are closed again and opened anew in their turn, so that there may
 * be thousands; what comes by a pipe stays open. */
static gboolean
read_headers (Cat *cat, GError **error)
{
  for (guint i = 0; i < cat->n; i++)
    {
      cat->readers[i] = open_first (cat, i, error);
      if (cat->readers[i] == NULL || !add_header (cat, cat->readers[i], error))
        return FALSE;
      if (cat->n > 1 && g_file_test (cat->paths[i], G_FILE_TEST_IS_REGULAR))
        g_clear_pointer (&cat->readers[i], sl_reader_free);
    }
  return TRUE;
}

static gboolean
is_identity (const gint32 *map, gint32 n)
{
  for (gint32 k = 0; k < n; k++)
    if (map[k] != k)
      return FALSE;
  return TRUE;
}

static gboolean
copy (Cat *cat, SlReader *reader, gint64 *rows, GError **error)
{
  const SlTable *table = sl_reader_table (reader);
  g_autofree gint32 *map
      = map_classes (table, cat->table, sl_reader_name (reader), cat->first_name, error);
  if (map == NULL)
    return FALSE;
  gboolean same_classes = is_identity (map, table->n_classes);
  gboolean as_is = same_classes && table->columns == cat->table->columns;
  g_autoptr (SlBuilder) builder = as_is ? NULL : sl_builder_new (cat->table);
  for (;;)
    {
      g_autoptr (SlBatch) batch = NULL;
      if (!sl_reader_next (reader, &batch, error))
        return FALSE;
      if (batch == NULL)
        return TRUE;
      g_autoptr (SlBatch) out
          = as_is ? sl_batch_ref (batch)
                  : sl_cat_recode (builder, cat->table, batch, map, same_classes, error);
      if (out == NULL || !sl_writer_write (cat->run->out, out, error))
        return FALSE;
      *rows += batch->n_rows;
      sl_run_progress (cat->run, *rows, 0, 0);
    }
}

/* A file that was closed after its header was read, and must still be the table that it was. */
static SlReader *
open_again (Cat *cat, const char *path, GError **error)
{
  g_autoptr (SlReader) reader = sl_reader_open (path, &cat->how, error);
  if (reader == NULL)
    return NULL;
  const SlTable *table = sl_reader_table (reader);
  if (table->kind == cat->table->kind
      && (table->columns & cat->table->columns) == cat->table->columns)
    return g_steal_pointer (&reader);
  refuse (error, "%s: was changed while it was read", sl_reader_name (reader));
  return NULL;
}

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  static char *standard_input[] = { (char *) "-", NULL };
  g_auto (GStrv) classes = NULL;
  if (!sl_classes_given (options->classes, NULL, &classes, error))
    return FALSE;
  g_auto (Cat) cat = { .run = run,
                       .common = options->common,
                       .paths = run->files[0] != NULL ? run->files : standard_input };
  cat.how
      = (SlReaderOptions){ .kind = options->table != NULL ? sl_kind_find (options->table) : NULL,
                           .classes = (const char *const *) classes,
                           .threads = run->threads };
  cat.n = g_strv_length (cat.paths);
  cat.readers = g_new0 (SlReader *, cat.n);
  if (!read_headers (&cat, error) || !sl_run_start (run, cat.table, error))
    return FALSE;
  gint64 rows = 0;
  for (guint i = 0; i < cat.n; i++)
    {
      if (cat.readers[i] == NULL
          && (cat.readers[i] = open_again (&cat, cat.paths[i], error)) == NULL)
        return FALSE;
      if (!copy (&cat, cat.readers[i], &rows, error))
        return FALSE;
      g_clear_pointer (&cat.readers[i], sl_reader_free);
    }
  return TRUE;
}

const SlCommand sl_command_cat = {
  .name = "cat",
  .summary = "join tables end to end, or convert a table to another format",
  .arguments = "[FILE…]",
  .flags = SL_COMMAND_TABLES,
  SL_OPTIONS (option_table, defaults),
  .description = "Writes the rows of all FILEs, in order. They must be of one kind and have the "
                 "same classes; classes in another order are put into that of the first. The "
                 "output's format goes by its extension: .parquet, .arrow (an Arrow file), "
                 ".arrows (an Arrow stream), .csv, .jsonl.\n\n"
                 "Programs such as pandas, Polars and DuckDB write Parquet without the metadata "
                 "that says what a table is. --table and --classes give it back.",
  .examples = "softlabel cat labels.arrows -o labels.parquet\n"
              "    converts\n"
              "softlabel cat monday.parquet tuesday.parquet -o both.parquet\n"
              "    joins\n"
              "softlabel cat --table labels --classes cat,dog edited.parquet -o labels.parquet\n"
              "    makes a table of what another program wrote\n",
  .check = check_options,
  .run = run,
};
