/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "folder-out.h"

#include "pipeline/base/error.h"
#include "pipeline/base/nearest.h"
#include "pipeline/base/number-text.h"
#include "pipeline/table/class-values.h"
#include "pipeline/table/tag-columns.h"
#include "pipeline/table/types/types.h"
#include "partition.h"

#include <arrow-glib/arrow-glib.h>
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_FOLDERS 4096
#define SUCCESS "_SUCCESS"

/* One folder of files. */
typedef struct
{
  char *path;
  SlWriter *writer; /* of the last file; NULL: none is open */
  gint64 rows;      /* of it */
  guint n_files;
} Place;

struct _SlFolderOut
{
  SlFolderForm form;
  char *root;
  SlTable *table;           /* what each file has */
  int keys[SL_MAX_COLUMNS]; /* columns of what is written */
  int n_keys;
  GPtrArray *places;   /* of Place */
  GHashTable *by_path; /* their numbers + 1 */
  GPtrArray *written;  /* of SlWriter: files that are finished */
  GPtrArray *made;     /* of char *: folders that were not there before */
};

static void
place_free (gpointer data)
{
  Place *place = data;
  g_clear_pointer (&place->writer, sl_writer_free);
  g_free (place->path);
  g_free (place);
}

SlFolderOut *
sl_folder_out_new (const SlFolderForm *form)
{
  SlFolderOut *out = g_new0 (SlFolderOut, 1);
  out->form = *form;
  out->root = g_strdup (form->path);
  for (gsize n = strlen (out->root); n > 1 && out->root[n - 1] == '/'; n--)
    out->root[n - 1] = '\0';
  out->places = g_ptr_array_new_with_free_func (place_free);
  out->by_path = g_hash_table_new (g_str_hash, g_str_equal);
  out->written = g_ptr_array_new_with_free_func ((GDestroyNotify) sl_writer_free);
  out->made = g_ptr_array_new_with_free_func (g_free);
  return out;
}

SlFolderForm *
sl_folder_out_form (SlFolderOut *out)
{
  return &out->form;
}

void
sl_folder_out_free (SlFolderOut *out)
{
  g_ptr_array_unref (out->written);
  g_hash_table_unref (out->by_path);
  g_ptr_array_unref (out->places);
  /* Folders that nothing landed in. */
  for (guint i = out->made->len; i-- > 0;)
    (void) rmdir (out->made->pdata[i]);
  g_ptr_array_unref (out->made);
  g_clear_pointer (&out->table, sl_table_unref);
  g_free (out->root);
  g_free (out);
}

/* Every file is open until all are written. */
static void
allow_files (void)
{
  struct rlimit limit;
  if (getrlimit (RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max)
    {
      limit.rlim_cur = limit.rlim_max;
      (void) setrlimit (RLIMIT_NOFILE, &limit);
    }
}

static gboolean
is_named (SlType type)
{
  return type == SL_TYPE_TEXT || type == SL_TYPE_CLASS || type == SL_TYPE_BOOL
         || type == SL_TYPE_INT32 || type == SL_TYPE_INT64;
}

static gboolean
refuse_key (const SlTable *table, const char *key, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (int c = 0; table->spec[c].name != NULL; c++)
    if (sl_table_has (table, c))
      g_ptr_array_add (names, (gpointer) table->spec[c].name);
  g_ptr_array_add (names, NULL);
  g_autofree char *hint = sl_nearest_hint (key, (const char *const *) names->pdata, "");
  return sl_error_usage (error, "--partition-by %s: this table of %s has no column '%s'%s", key,
                         table->kind->name, key, hint);
}

static gboolean
find_keys (SlFolderOut *out, const SlTable *table, GError **error)
{
  for (const char *const *key = out->form.keys; key != NULL && *key != NULL; key++)
    {
      int c = sl_table_column (table, *key);
      c = c >= 0 ? c : sl_table_tag_column (table, *key);
      if (c < 0 || !sl_table_has (table, c))
        return refuse_key (table, *key, error);
      if (!is_named (table->spec[c].type))
        return sl_error_usage (error,
                               "--partition-by %s: folders are named by texts, classes, whole "
                               "numbers, yes and no alone",
                               *key);
      if (out->n_keys == SL_MAX_COLUMNS)
        return sl_error_usage (error, "--partition-by: too many columns");
      out->keys[out->n_keys++] = c;
    }
  return TRUE;
}

gboolean
sl_folder_out_start (SlFolderOut *out, SlTable *table, GError **error)
{
  allow_files ();
  if (!find_keys (out, table, error))
    return FALSE;
  guint32 left = table->columns;
  for (int k = 0; k < out->n_keys; k++)
    left &= ~(1u << out->keys[k]);
  out->table = sl_table_new (table->kind, (const char *const *) table->classes);
  sl_table_take_columns (out->table, table, left);
  sl_table_set_values (out->table, table->values);
  out->table->provenance = g_strdup (table->provenance);
  sl_tags_copy (&out->table->tags, &table->tags);
  return TRUE;
}

static gboolean
make_folder (SlFolderOut *out, const char *path, GError **error)
{
  if (mkdir (path, 0777) == 0)
    {
      g_ptr_array_add (out->made, g_strdup (path));
      return TRUE;
    }
  struct stat info;
  if (errno == EEXIST && stat (path, &info) == 0 && S_ISDIR (info.st_mode))
    return TRUE;
  const int number = errno;
  g_autofree char *shown = g_filename_display_name (path);
  return sl_error_runtime (error, "%s: cannot be written: %s", shown, g_strerror (number));
}

/* PATH below the root, and all that it lies in. */
static gboolean
make_folders (SlFolderOut *out, const char *path, GError **error)
{
  for (const char *end = path + strlen (out->root); end != NULL; end = strchr (end + 1, '/'))
    {
      g_autofree char *upper = g_strndup (path, (gsize) (end - path));
      if (!make_folder (out, upper, error))
        return FALSE;
      if (*end == '\0')
        return TRUE;
    }
  return make_folder (out, path, error);
}

static Place *
place_at (SlFolderOut *out, const char *path, GError **error)
{
  gpointer number = g_hash_table_lookup (out->by_path, path);
  if (number != NULL)
    return out->places->pdata[GPOINTER_TO_UINT (number) - 1];
  if (out->places->len == MOST_FOLDERS)
    {
      sl_error_bad_input (error,
                          "--partition-by: there would be more than %d folders; choose a column "
                          "of fewer values",
                          MOST_FOLDERS);
      return NULL;
    }
  if (!make_folders (out, path, error))
    return NULL;
  Place *place = g_new0 (Place, 1);
  place->path = g_strdup (path);
  g_ptr_array_add (out->places, place);
  g_hash_table_insert (out->by_path, place->path, GUINT_TO_POINTER (out->places->len));
  return place;
}

static gboolean
open_file (SlFolderOut *out, Place *place, GError **error)
{
  const SlFolderForm *form = &out->form;
  g_autofree char *path = g_strdup_printf ("%s/part-%05u%s", place->path, place->n_files++,
                                           sl_format_extension (form->format));
  place->writer = sl_writer_new (path, form->format, form->threads, error);
  place->rows = 0;
  if (place->writer == NULL)
    return FALSE;
  if (form->keep_same)
    sl_output_keep_same (sl_writer_output (place->writer));
  if (form->undigested)
    sl_writer_leave_undigested (place->writer);
  if (form->wide)
    (void) sl_writer_widen (place->writer);
  return sl_writer_start (place->writer, out->table, error);
}

static gboolean
end_file (SlFolderOut *out, Place *place, GError **error)
{
  if (place->writer == NULL)
    return TRUE;
  if (!sl_writer_finish (place->writer, error))
    return FALSE;
  g_ptr_array_add (out->written, g_steal_pointer (&place->writer));
  return TRUE;
}

/* BATCH, which has the files' columns, in files of as many rows as were asked for. */
static gboolean
put (SlFolderOut *out, Place *place, SlBatch *batch, GError **error)
{
  const gint64 most = out->form.rows_per_file;
  for (gint64 from = 0, n; from < batch->n_rows; from += n)
    {
      if (place->writer == NULL && !open_file (out, place, error))
        return FALSE;
      n = batch->n_rows - from;
      if (most > 0)
        n = MIN (n, most - place->rows);
      g_autoptr (GArrowRecordBatch) rows = garrow_record_batch_slice (batch->arrow, from, n);
      g_autoptr (SlBatch) part
          = n == batch->n_rows ? sl_batch_ref (batch) : sl_batch_new (batch->table, rows, 0, error);
      if (part == NULL || !sl_writer_write (place->writer, part, error))
        return FALSE;
      place->rows += n;
      if (place->rows == most && !end_file (out, place, error))
        return FALSE;
    }
  return TRUE;
}

/* BATCH without the columns that folders are named by. */
static SlBatch *
without_keys (SlFolderOut *out, SlBatch *batch, GError **error)
{
  if (out->n_keys == 0)
    return sl_batch_ref (batch);
  g_autoptr (SlBuilder) builder = sl_builder_new (out->table);
  for (int c = 0; out->table->spec[c].name != NULL; c++)
    if (sl_table_has (out->table, c))
      sl_builder_share (builder, c, batch, c);
  return sl_builder_take (builder, error);
}

/* What the folder of ROW is called by column C. */
static char *
folder_name (const SlBatch *batch, int c, gint64 row)
{
  const SlTable *table = batch->table;
  const SlColumn *column = &batch->column[c];
  const char *key
      = c < sl_table_first_tag (table) ? table->spec[c].name : sl_tag_column_key (table, c);
  g_autofree char *value = NULL;
  gsize length;
  if (column->valid != NULL && !column->valid[row])
    return sl_partition_name (key, NULL);
  switch (table->spec[c].type)
    {
    case SL_TYPE_CLASS:
      value = column->code[row] >= 0 ? g_strdup (table->classes[column->code[row]]) : NULL;
      break;
    case SL_TYPE_BOOL:
      value = g_strdup (column->flag[row] ? "true" : "false");
      break;
    case SL_TYPE_INT32:
      value = g_strdup_printf ("%d", column->int32[row]);
      break;
    case SL_TYPE_INT64:
      value = g_strdup_printf ("%" G_GINT64_FORMAT, column->int64[row]);
      break;
    default:
      {
        const char *text = sl_text_get (column->text, row, &length);
        value = g_strndup (text, length);
      }
    }
  return sl_partition_name (key, value);
}

/* Whether rows A and B, of the columns folders are named by, go into one folder. */
static gboolean
goes_with (const SlFolderOut *out, const SlBatch *batch, gint64 a, gint64 b)
{
  for (int k = 0; k < out->n_keys; k++)
    if (sl_value_compare (batch, a, batch, b, out->keys[k]) != 0)
      return FALSE;
  return TRUE;
}

/* place[i] <- the number of the place of row I. */
static gboolean
sort_rows (SlFolderOut *out, const SlBatch *batch, guint *place, GError **error)
{
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      if (i > 0 && goes_with (out, batch, i - 1, i))
        {
          place[i] = place[i - 1];
          continue;
        }
      g_autoptr (GString) path = g_string_new (out->root);
      for (int k = 0; k < out->n_keys; k++)
        {
          g_autofree char *name = folder_name (batch, out->keys[k], i);
          g_string_append_printf (path, "/%s", name);
        }
      if (place_at (out, path->str, error) == NULL)
        return FALSE;
      place[i] = GPOINTER_TO_UINT (g_hash_table_lookup (out->by_path, path->str)) - 1;
    }
  return TRUE;
}

gboolean
sl_folder_out_write (SlFolderOut *out, SlBatch *batch, GError **error)
{
  if (batch->n_rows == 0)
    return TRUE;
  g_autofree guint *place = g_new (guint, batch->n_rows);
  g_autofree guint8 *keep = g_new (guint8, batch->n_rows);
  g_autoptr (SlBatch) rows = without_keys (out, batch, error);
  if (rows == NULL || !sort_rows (out, batch, place, error))
    return FALSE;
  guint least = G_MAXUINT, most = 0;
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      least = MIN (least, place[i]);
      most = MAX (most, place[i]);
    }
  for (guint p = least; p <= most; p++)
    {
      gint64 n = 0;
      for (gint64 i = 0; i < batch->n_rows; i++)
        n += keep[i] = place[i] == p;
      if (n == 0)
        continue;
      g_autoptr (SlBatch) own
          = n == batch->n_rows ? sl_batch_ref (rows) : sl_batch_filter (rows, keep, error);
      if (own == NULL || !put (out, out->places->pdata[p], own, error))
        return FALSE;
    }
  return TRUE;
}

/* A table without rows is one file without rows, but for partitions, of which it has none. */
gboolean
sl_folder_out_finish (SlFolderOut *out, GError **error)
{
  if (out->places->len == 0)
    {
      Place *root = place_at (out, out->root, error);
      if (root == NULL || (out->n_keys == 0 && !open_file (out, root, error)))
        return FALSE;
    }
  for (guint p = 0; p < out->places->len; p++)
    if (!end_file (out, out->places->pdata[p], error))
      return FALSE;
  return TRUE;
}

/* Whether NAME is that of a file of an earlier table in PLACE: part-00007.csv. */
static gboolean
is_old (const SlFolderOut *out, const Place *place, const char *name)
{
  const SlFormat format = sl_format_of_path (name);
  const char *digits = g_str_has_prefix (name, "part-") ? name + strlen ("part-") : "";
  const gsize n = strspn (digits, "0123456789");
  gint64 number;
  return n >= 5 && format != SL_FORMAT_AUTO && sl_parse_integer (digits, (gssize) n, &number)
         && strcmp (digits + n, sl_format_extension (format)) == 0
         && (format != out->form.format || number >= place->n_files);
}

static void
remove_old (const SlFolderOut *out, const Place *place)
{
  g_autoptr (GDir) folder = g_dir_open (place->path, 0, NULL);
  for (const char *name; folder != NULL && (name = g_dir_read_name (folder)) != NULL;)
    if (is_old (out, place, name))
      {
        g_autofree char *path = g_build_filename (place->path, name, NULL);
        (void) unlink (path);
      }
}

gboolean
sl_folder_out_commit (SlFolderOut *out, GError **error)
{
  g_autofree char *path = g_build_filename (out->root, SUCCESS, NULL);
  if (unlink (path) != 0 && errno != ENOENT)
    return sl_error_runtime (error, "%s: cannot be written: %s", path, g_strerror (errno));
  for (guint i = 0; i < out->written->len; i++)
    if (!sl_writer_commit (out->written->pdata[i], error))
      return FALSE;
  for (guint p = 0; p < out->places->len; p++)
    remove_old (out, out->places->pdata[p]);
  g_autoptr (SlOutput) success = sl_output_new (path, error);
  return success != NULL && sl_output_finish (success, error) && sl_output_commit (success, error);
}
