/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "joined-tables.h"

#include "pipeline/table/batch.h"
#include "pipeline/table/tag-columns.h"
#include "pipeline/table/types/types.h"

/* A batch as a batch of another table: fewer columns, or the same classes in another order. */

void
sl_joined_init (SlJoined *joined, SlRun *run, const SlReaderOptions *how, const char *const *order,
                gboolean common)
{
  static char *standard_input[] = { (char *) "-", NULL };
  *joined = (SlJoined){ .run = run,
                        .how = *how,
                        .order = order,
                        .common = common,
                        .paths = run->files[0] != NULL ? run->files : standard_input };
  joined->n = g_strv_length (joined->paths);
  joined->readers = g_new0 (SlReader *, joined->n);
}

void
sl_joined_clear (SlJoined *joined)
{
  for (guint i = 0; i < joined->n; i++)
    sl_reader_free (joined->readers[i]);
  g_free (joined->readers);
  g_free (joined->first_name);
  g_free (joined->map);
  g_clear_pointer (&joined->builder, sl_builder_free);
  g_clear_pointer (&joined->plain, sl_table_unref);
  g_clear_pointer (&joined->own, sl_table_unref);
  sl_tags_clear (&joined->tagged);
  g_clear_pointer (&joined->table, sl_table_unref);
}

static gboolean refuse (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
refuse (GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  return sl_error_bad_input (error, "%s", what);
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
check_columns (const SlJoined *joined, const SlTable *table, const char *name, GError **error)
{
  const SlTable *first = joined->plain;
  guint32 differ = joined->common ? 0 : table->columns ^ first->columns;
  for (int i = 0; first->spec[i].name != NULL; i++)
    {
      const char *column = first->spec[i].name;
      if ((differ >> i) & 1)
        return refuse (error, "%s: %s column '%s', which %s %s; --common leaves it out", name,
                       sl_table_has (table, i) ? "has the" : "does not have the", column,
                       joined->first_name, sl_table_has (table, i) ? "does not have" : "has");
      if (!sl_table_has (table, i) || !sl_table_has (first, i)
          || sl_tensor_equal (&table->tensor[i], &first->tensor[i]))
        continue;
      g_autofree char *own = sl_tensor_text (&table->tensor[i]);
      g_autofree char *others = sl_tensor_text (&first->tensor[i]);
      return refuse (error,
                     "%s: has %s in column '%s', and %s %s; only tensors of one shape go "
                     "together",
                     name, own, column, joined->first_name, others);
    }
  return TRUE;
}

/* Takes the header of one more table into account. */
static gboolean
add_header (SlJoined *joined, SlReader *reader, GError **error)
{
  const SlTable *table = sl_reader_table (reader);
  const char *name = sl_reader_name (reader);
  for (int c = sl_table_first_tag (table); table->spec[c].name != NULL; c++)
    sl_tags_set (&joined->tagged, sl_tag_column_key (table, c), "");
  for (int t = 0; table->kind->tags_in_rows && t < table->tags.n; t++)
    sl_tags_set (&joined->tagged, table->tags.tag[t].key, "");
  if (joined->plain == NULL)
    {
      const char *const *own = (const char *const *) table->classes;
      joined->first_name = g_strdup (joined->order != NULL ? "--ordered" : name);
      joined->plain = sl_table_new (table->kind, joined->order != NULL ? joined->order : own);
      sl_table_take_columns (joined->plain, table, table->columns);
      sl_table_drop_tag_columns (joined->plain);
      g_autofree gint32 *order
          = map_classes (table, joined->plain, name, joined->first_name, error);
      return order != NULL;
    }
  if (table->kind != joined->plain->kind)
    return refuse (error,
                   "%s: is a table of %s, and %s one of %s; only tables of one kind go together",
                   name, table->kind->name, joined->first_name, joined->plain->kind->name);
  g_autofree gint32 *map = map_classes (table, joined->plain, name, joined->first_name, error);
  if (map == NULL || !check_columns (joined, table, name, error))
    return FALSE;
  joined->plain->columns &= table->columns;
  return TRUE;
}

/* The header TABLE with a column for every tag of every table: rows keep their own. */
static SlTable *
with_all_tags (const SlJoined *joined, const SlTable *table, GError **error)
{
  g_autoptr (SlTable) all = sl_table_new (table->kind, (const char *const *) table->classes);
  sl_table_take_columns (all, table, table->columns);
  sl_table_drop_tag_columns (all);
  for (int t = 0; t < joined->tagged.n; t++)
    if (!sl_table_add_tag_column (all, joined->tagged.tag[t].key, error))
      return NULL;
  if (joined->table != NULL)
    sl_tags_copy (&all->tags, &joined->table->tags);
  return g_steal_pointer (&all);
}

/* What --table and --classes say is for tables that do not say it themselves; none is made into
 * another. */
static gboolean
check_told (const SlJoined *joined, SlReader *reader, GError **error)
{
  const SlTable *table = sl_reader_table (reader);
  if (joined->how.kind != NULL && table->kind != joined->how.kind)
    return refuse (error, "%s: says itself that it is a table of %s; leave out --table %s",
                   sl_reader_name (reader), table->kind->name, joined->how.kind->name);
  if (joined->how.classes != NULL
      && !g_strv_equal (joined->how.classes, (const char *const *) table->classes))
    return refuse (error, "%s: names its classes itself, and not as --classes does; leave that out",
                   sl_reader_name (reader));
  return TRUE;
}

/* Opens the I-th table. Where it has no history, the output's history has an empty one in its
 * place. */
static SlReader *
open_first (SlJoined *joined, guint i, GError **error)
{
  const char *path = joined->paths[i];
  g_autoptr (SlReader) reader = sl_run_open_as (joined->run, NULL, path, &joined->how, error);
  if (reader == NULL || !check_told (joined, reader, error))
    return NULL;
  return g_steal_pointer (&reader);
}

gboolean
sl_joined_open (SlJoined *joined, GError **error)
{
  for (guint i = 0; i < joined->n; i++)
    {
      joined->readers[i] = open_first (joined, i, error);
      if (joined->readers[i] == NULL || !add_header (joined, joined->readers[i], error))
        return FALSE;
      if (joined->n > 1 && g_file_test (joined->paths[i], G_FILE_TEST_IS_REGULAR))
        g_clear_pointer (&joined->readers[i], sl_reader_free);
    }
  joined->table = with_all_tags (joined, joined->plain, error);
  return joined->table != NULL;
}

static gboolean
is_identity (const gint32 *map, gint32 n)
{
  for (gint32 k = 0; k < n; k++)
    if (map[k] != k)
      return FALSE;
  return TRUE;
}

/* A file that was closed after its header was read, and must still be the table that it was. */
static SlReader *
open_again (SlJoined *joined, const char *path, GError **error)
{
  g_autoptr (SlReader) reader = sl_reader_open (path, &joined->how, error);
  if (reader == NULL)
    return NULL;
  const SlTable *table = sl_reader_table (reader);
  if (table->kind == joined->table->kind
      && (table->columns & joined->plain->columns) == joined->plain->columns)
    return g_steal_pointer (&reader);
  refuse (error, "%s: was changed while it was read", sl_reader_name (reader));
  return NULL;
}

/* Makes ready to read the table whose turn it is. */
static gboolean
begin (SlJoined *joined, GError **error)
{
  SlReader **reader = &joined->readers[joined->at];
  if (*reader == NULL && (*reader = open_again (joined, joined->paths[joined->at], error)) == NULL)
    return FALSE;
  const SlTable *table = sl_reader_table (*reader);
  joined->map
      = map_classes (table, joined->table, sl_reader_name (*reader), joined->first_name, error);
  if (joined->map == NULL)
    return FALSE;
  joined->same_classes = is_identity (joined->map, table->n_classes);
  guint32 own = table->columns & ((1u << sl_table_first_tag (table)) - 1);
  joined->as_is = joined->same_classes && own == joined->plain->columns;
  if (!joined->as_is && joined->builder == NULL)
    joined->builder = sl_builder_new (joined->table);
  g_clear_pointer (&joined->own, sl_table_unref);
  joined->own = joined->as_is ? sl_table_ref (joined->table) : with_all_tags (joined, table, error);
  return joined->own != NULL;
}

/* BATCH, with the columns and the classes of all tables. */
static SlBatch *
next_of (SlJoined *joined, SlBatch *batch, GError **error)
{
  g_autoptr (SlBatch) tagged = sl_tag_columns_fill (batch, joined->own, error);
  if (tagged == NULL || joined->as_is)
    return g_steal_pointer (&tagged);
  /* BATCH's rows with TABLE's columns, all of which it has; code k becomes map[k] (one to one),
   * nothing where SAME is set. BUILDER is one for TABLE, and empty. */
  for (int c = 0; joined->table->spec[c].name != NULL; c++)
    {
      if (!sl_table_has (joined->table, c))
        continue;
      const SlTypeRow *type = sl_type_of (joined->table, c);
      if (!joined->same_classes && type->map != NULL)
        type->map (joined->builder, c, tagged, joined->map);
      else
        sl_builder_share (joined->builder, c, tagged, c);
    }
  return sl_builder_take (joined->builder, error);
}

gboolean
sl_joined_next (SlJoined *joined, SlBatch **batch, GError **error)
{
  for (*batch = NULL; joined->at < joined->n; joined->at++)
    {
      g_autoptr (SlBatch) own = NULL;
      SlReader **reader = &joined->readers[joined->at];
      if ((joined->map == NULL && !begin (joined, error)) || !sl_reader_next (*reader, &own, error))
        return FALSE;
      if (own != NULL)
        {
          *batch = next_of (joined, own, error);
          joined->rows += own->n_rows;
          sl_run_progress (joined->run, joined->rows, 0, 0);
          sl_run_has_read (joined->run, joined->rows);
          return *batch != NULL;
        }
      g_clear_pointer (reader, sl_reader_free);
      g_clear_pointer (&joined->map, g_free);
    }
  return TRUE;
}
