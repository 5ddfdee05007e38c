/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "named.h"

#include "pipeline/base/process/named-files.h"
#include "pipeline/base/shown-text.h"
#include "schemas/annotators.h"

#include <string.h>

static gboolean
is_table (const char *path)
{
  static const char *const ends[] = { ".parquet", ".arrow", ".arrows", ".feather" };
  for (gsize e = 0; e < G_N_ELEMENTS (ends); e++)
    if (g_str_has_suffix (path, ends[e]))
      return TRUE;
  return FALSE;
}

/* The empty name is nobody's. */
static void
add_name (GPtrArray *names, const char *name, gsize length)
{
  if (length > 0)
    g_ptr_array_add (names, g_strndup (name, length));
}

static gboolean
read_table (GPtrArray *names, SlRun *run, const char *path, GError **error)
{
  static const SlKind *const kinds[] = { &sl_annotators, NULL };
  g_autoptr (SlReader) reader = sl_run_open (run, "annotators", path, kinds, error);
  if (reader == NULL)
    return FALSE;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    for (gint64 i = 0; i < batch->n_rows; i++)
      {
        const guint8 *excluded = batch->column[SL_ANNOTATORS_EXCLUDED].flag;
        gsize length;
        if (excluded != NULL && !excluded[i])
          continue;
        const char *name = sl_text_get (batch->column[SL_ANNOTATORS_ANNOTATOR].text, i, &length);
        add_name (names, name, length);
      }
  return ok;
}

static gboolean
read_text (GPtrArray *names, SlRun *run, const char *path, GError **error)
{
  gsize length;
  g_autofree char *text = NULL;
  g_autoptr (GError) problem = NULL;
  if (!sl_run_add_option_file (run, "annotators", path, error))
    return FALSE;
  if (!sl_named_file_read (path, &text, &length, &problem))
    {
      g_set_error (error, SL_ERROR, SL_ERROR_RUNTIME, "--annotators: %s: cannot be read: %s", path,
                   problem->message);
      return FALSE;
    }
  if (!g_utf8_validate (text, (gssize) length, NULL))
    return sl_error_bad_input (error,
                               "%s: it is no text in UTF-8; --annotators takes names, one a line, "
                               "or a table of annotators (.parquet, .arrow)",
                               path);
  g_auto (GStrv) lines
      = g_strsplit (g_str_has_prefix (text, "\xef\xbb\xbf") ? text + 3 : text, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    {
      g_strchomp (*line);
      add_name (names, *line, strlen (*line));
    }
  return TRUE;
}

GPtrArray *
sl_named_read (SlRun *run, const char *path, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (!(is_table (path) ? read_table : read_text) (names, run, path, error))
    return NULL;
  if (!sl_run_claim_array (run, names->len, 64, "the names of annotators", error))
    return NULL;
  if (names->len == 0)
    sl_run_warn (run, "--annotators: %s names nobody", path);
  return g_steal_pointer (&names);
}

void
sl_named_list (const GPtrArray *names, SlCensus *census, SlRun *run, const char *path)
{
  guint n_unknown = 0;
  g_autofree char *first = NULL;
  for (guint i = 0; i < names->len; i++)
    {
      const char *name = names->pdata[i];
      if (sl_census_list (census, name, strlen (name)))
        continue;
      n_unknown++;
      if (first == NULL)
        first = sl_shown (name, strlen (name));
    }
  if (n_unknown > 0)
    sl_run_warn (run, "--annotators: %u of the names in %s answered nothing, as '%s'", n_unknown,
                 path, first);
}
