/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "item-list.h"

#include "stages/common/files/npy.h"
#include "stages/common/items/item-values.h"

#include <math.h>
#include <string.h>

#define PIECE_BYTES (1 << 20)

typedef struct
{
  SlRun *run;
  const char *name; /* for messages */
  SlIntern *items;
  gsize claimed;
} List;

static gboolean fail (const List *list, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static gboolean
fail (const List *list, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  return sl_error_bad_input (error, "%s: %s", list->name, what);
}

static gboolean
claim (List *list, GError **error)
{
  return sl_run_claim_up_to (list->run, &list->claimed, sl_intern_bytes (list->items),
                             "the list of items", error);
}

/* A whole number of up to 2^53, as text. */
static gboolean
add_number (List *list, double value, GError **error)
{
  char text[32];
  if (fabs (value) > 0x1p53)
    return fail (list, error, "%.0f is too large to be the number of an item", value);
  gsize length = (gsize) g_snprintf (text, sizeof text, "%" G_GINT64_FORMAT, (gint64) value);
  (void) sl_intern (list->items, text, length);
  return TRUE;
}

static gboolean
check_numbers (const List *list, const SlNpy *npy, GError **error)
{
  if (npy->n_dims != 1)
    return fail (list, error, "the array has %d dimensions; a list of items has one", npy->n_dims);
  if (npy->kind == 'i' || npy->kind == 'u')
    return TRUE;
  return fail (list, error,
               npy->kind == 'b' ? "the array says yes or no; numpy.flatnonzero makes numbers of "
                                  "items of it"
                                : "the array has numbers with fractions; .astype('int64') makes "
                                  "numbers of items of them");
}

static gboolean
read_npy (List *list, SlSource *source, GError **error)
{
  SlNpy npy;
  gsize got;
  if (!sl_npy_read_header (source, &npy, error))
    {
      if (error != NULL && !g_error_matches (*error, SL_ERROR, SL_ERROR_RUNTIME))
        g_prefix_error (error, "%s: ", list->name);
      return FALSE;
    }
  if (!check_numbers (list, &npy, error))
    return FALSE;
  g_autofree guint8 *bytes = g_malloc (PIECE_BYTES);
  for (gint64 row = 0; row < npy.dim[0];)
    {
      gsize wanted = MIN (PIECE_BYTES / npy.width, (gsize) (npy.dim[0] - row));
      if (!sl_source_read (source, bytes, wanted * npy.width, &got, error))
        return FALSE;
      for (gsize i = 0; i < got / npy.width; i++)
        if (!add_number (list, sl_npy_value (&npy, bytes + i * npy.width), error))
          return FALSE;
      row += (gint64) (got / npy.width);
      if (got < wanted * npy.width)
        return fail (list, error,
                     "ends after %" G_GINT64_FORMAT " of its %" G_GINT64_FORMAT " numbers", row,
                     npy.dim[0]);
      if (!claim (list, error))
        return FALSE;
    }
  if (!sl_source_read (source, bytes, 1, &got, error))
    return FALSE;
  return got == 0 || fail (list, error, "has bytes after the end of the array");
}

/* A line without what ends it; one with nothing in it is no item. */
static gboolean
add_line (List *list, const char *line, gsize length, gint64 number, GError **error)
{
  while (length > 0 && g_ascii_isspace (line[length - 1]))
    length--;
  for (; length > 0 && g_ascii_isspace (line[0]); line++)
    length--;
  if (!g_utf8_validate (line, (gssize) length, NULL))
    return fail (list, error, "line %" G_GINT64_FORMAT " is not UTF-8 text", number);
  if (length > 0)
    (void) sl_intern (list->items, line, length);
  return TRUE;
}

static gboolean
read_lines (List *list, SlSource *source, GError **error)
{
  g_autoptr (GString) held = g_string_new (NULL); /* a line that has not ended */
  g_autofree char *bytes = g_malloc (PIECE_BYTES);
  gint64 number = 0;
  for (gsize got = PIECE_BYTES; got == PIECE_BYTES;)
    {
      if (!sl_source_read (source, bytes, PIECE_BYTES, &got, error))
        return FALSE;
      const char *at = bytes, *end = bytes + got;
      for (const char *stop; (stop = memchr (at, '\n', (gsize) (end - at))) != NULL; at = stop + 1)
        {
          g_string_append_len (held, at, stop - at);
          /* Windows' editors begin a file with a mark. */
          gsize mark = ++number == 1 && g_str_has_prefix (held->str, "\xef\xbb\xbf") ? 3 : 0;
          if (!add_line (list, held->str + mark, held->len - mark, number, error))
            return FALSE;
          g_string_truncate (held, 0);
        }
      g_string_append_len (held, at, end - at);
      if (held->len > 64 * PIECE_BYTES)
        return fail (list, error, "line %" G_GINT64_FORMAT " is longer than any item", number + 1);
      if (!claim (list, error))
        return FALSE;
    }
  return add_line (list, held->str, held->len, number + 1, error);
}

int
sl_item_column (SlReader *reader, GError **error)
{
  const SlTable *table = sl_reader_table (reader);
  int column = sl_table_column (table, "item");
  if (column < 0)
    sl_error_bad_input (error, "%s: a table of %s has no items", sl_reader_name (reader),
                        table->kind->name);
  return column;
}

/* A table, CSV, JSON: what has a column of items. */
static gboolean
read_table (List *list, const char *option, const char *path, GError **error)
{
  static char *const none[] = { NULL };
  g_auto (SlItemValues) values;
  if (!sl_item_values_open (&values, list->run, option, path, error)
      || !sl_item_values_read (&values, none, 0, NULL, error))
    return FALSE;
  for (gint32 i = 0; i < sl_intern_size (values.items); i++)
    (void) sl_intern_copy (list->items, values.items, i);
  return claim (list, error);
}

gboolean
sl_item_list_read (SlRun *run, const char *option, const char *path, SlIntern *items,
                   GError **error)
{
  g_autofree char *name = g_filename_display_name (path);
  List list = { .run = run, .name = name, .items = items };
  gboolean npy = g_str_has_suffix (path, ".npy"), txt = g_str_has_suffix (path, ".txt");
  if ((npy || txt) && !sl_run_add_option_file (run, option, path, error))
    return FALSE;
  g_autoptr (SlSource) source = npy || txt ? sl_source_open (path, error) : NULL;
  if ((npy || txt) && source == NULL)
    return FALSE;
  gboolean ok = npy   ? read_npy (&list, source, error)
                : txt ? read_lines (&list, source, error)
                      : read_table (&list, option, path, error);
  if (!ok)
    return FALSE;
  return sl_intern_size (items) > 0 || fail (&list, error, "there is no item in it");
}
