/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "examples-out.h"

#include "pipeline/base/shown-text.h"
#include "schemas/features.h"

#include <math.h>
#include <string.h>

/* ---- names, one a line ---- */

#define PIECE_BYTES (1 << 16)

void
sl_text_lines_clear (SlTextLines *lines)
{
  g_clear_pointer (&lines->name, g_free);
  g_clear_pointer (&lines->text, g_free);
  g_clear_pointer (&lines->line, g_free);
}

/* All of SOURCE, with a NUL behind it. */
static char *
read_all (SlRun *run, SlSource *source, gsize *n, GError **error)
{
  g_autofree char *text = NULL;
  gsize room = 0, got;
  for (*n = 0; *n == room; *n += got)
    {
      gsize more = MAX (room, PIECE_BYTES);
      if (!sl_run_claim (run, more, "a list of lines", error))
        return NULL;
      text = g_realloc (text, room + more + 1);
      room += more;
      if (!sl_source_read (source, text + *n, room - *n, &got, error))
        return NULL;
    }
  text[*n] = '\0';
  return g_steal_pointer (&text);
}

static gboolean
split (SlTextLines *lines, SlRun *run, gsize n_bytes, GError **error)
{
  char *at = lines->text, *end = lines->text + n_bytes;
  at += g_str_has_prefix (at, "\xef\xbb\xbf") ? 3 : 0;
  gsize n = 1;
  for (const char *c = at; (c = memchr (c, '\n', (gsize) (end - c))) != NULL; c++)
    n++;
  if (!sl_run_claim_array (run, n, sizeof *lines->line, "a list of lines", error))
    return FALSE;
  lines->line = g_new (const char *, n);
  while (at < end)
    {
      char *stop = memchr (at, '\n', (gsize) (end - at));
      stop = stop != NULL ? stop : end;
      *stop = '\0';
      if (stop > at && stop[-1] == '\r')
        stop[-1] = '\0';
      lines->line[lines->n++] = at;
      at = stop + 1;
    }
  return TRUE;
}

gboolean
sl_text_lines_read (SlTextLines *lines, SlRun *run, const char *option, SlSource *source,
                    GError **error)
{
  gsize n;
  *lines = (SlTextLines){ .name = g_strdup (source->name) };
  lines->text = read_all (run, source, &n, error);
  if (lines->text == NULL)
    return FALSE;
  const char *bad;
  if (strlen (lines->text) < n)
    return sl_error_bad_input (error, "--%s: %s is not text", option, lines->name);
  if (!g_utf8_validate (lines->text, (gssize) n, &bad))
    {
      gint64 line = 1;
      for (const char *c = lines->text; c < bad; c++)
        line += *c == '\n';
      return sl_error_bad_input (error, "--%s: %s: line %" G_GINT64_FORMAT " is not UTF-8", option,
                                 lines->name, line);
    }
  return split (lines, run, n, error);
}

/* ---- examples ---- */

gboolean
sl_examples_init (SlExamplesOut *out, SlIngest *ingest, GError **error)
{
  *out = (SlExamplesOut){ .ingest = ingest, .items = sl_intern_new () };
  const char *path = ingest->options->items;
  if (path == NULL)
    return TRUE;
  g_autoptr (SlSource) source = sl_source_open (path, error);
  if (source == NULL)
    {
      g_prefix_error (error, "--items: ");
      return FALSE;
    }
  return sl_text_lines_read (&out->names, ingest->run, "items", source, error);
}

void
sl_examples_clear (SlExamplesOut *out)
{
  g_clear_pointer (&out->items, sl_intern_free);
  sl_text_lines_clear (&out->names);
}

gboolean
sl_examples_start (SlExamplesOut *out, const char *file, SlNumber number, int n_dims,
                   const gint64 *dim, gboolean gold, GError **error)
{
  SlIngest *ingest = out->ingest;
  SlTensor tensor;
  if (!sl_tensor_init (&tensor, number, n_dims, dim, error))
    {
      g_prefix_error (error, "%s: ", file);
      return FALSE;
    }
  if (ingest->table == NULL)
    {
      out->tensor = tensor;
      g_autoptr (SlTable) shape = sl_table_new (&sl_features, NULL);
      if (gold)
        sl_table_add (shape, SL_FEATURES_GOLD);
      return sl_table_set_tensor (shape, SL_FEATURES_X, number, n_dims, dim, error)
             && sl_ingest_start_as (ingest, shape, error);
    }
  if (sl_tensor_equal (&tensor, &out->tensor))
    return TRUE;
  g_autofree char *now = sl_tensor_text (&tensor), *before = sl_tensor_text (&out->tensor);
  return sl_error_bad_input (error, "%s: its examples are %s; those before them are %s", file, now,
                             before);
}

/* Its name with --item-prefix before it. */
static gboolean
name_example (SlExamplesOut *out, const SlExample *example, GString *name, GError **error)
{
  const SlIngestOptions *options = out->ingest->options;
  g_string_assign (name, options->item_prefix != NULL ? options->item_prefix : "");
  if (options->items == NULL && example->name != NULL)
    g_string_append (name, example->name);
  else if (options->items == NULL)
    g_string_append_printf (name, "%" G_GINT64_FORMAT, example->number);
  else if (out->n >= out->names.n || out->names.line[out->n][0] == '\0')
    return out->n >= out->names.n
               ? sl_error_bad_input (error,
                                     "--items: %s has %" G_GINT64_FORMAT
                                     " lines, and there are more examples than that",
                                     out->names.name, out->names.n)
               : sl_error_bad_input (error, "--items: %s: line %" G_GINT64_FORMAT " is empty",
                                     out->names.name, out->n + 1);
  else
    g_string_append (name, out->names.line[out->n]);
  return TRUE;
}

static gboolean
refuse_again (const SlExamplesOut *out, const SlExample *example, const GString *name,
              GError **error)
{
  g_autofree char *shown = sl_shown (name->str, name->len), *place = NULL;
  if (example->row >= 0)
    place = g_strdup_printf ("row %" G_GINT64_FORMAT ": ", example->row);
  return sl_error_bad_input (
      error, "%s: %sitem '%s' is there twice; %s", example->file, place != NULL ? place : "", shown,
      out->advice != NULL ? out->advice
                          : "files whose items are named alike go one by one, each with an "
                            "--item-prefix, and `softlabel cat` joins them");
}

/* What is wrong with the numbers of an example; NULL: nothing. */
static char *
find_fault (const SlExamplesOut *out, const SlExample *example)
{
  const float *x = example->x;
  gint32 n = out->tensor.size;
  if (out->tensor.number == SL_NUMBER_UINT8 || sl_features_finite (x, (gsize) n))
    return NULL;
  gint32 i = 0;
  while (isfinite (x[i]))
    i++;
  return g_strdup_printf ("number %d of %d is %s; all must be finite", i + 1, n,
                          isnan (x[i]) ? "not a number" : "infinite");
}

gboolean
sl_examples_add (SlExamplesOut *out, const SlExample *example, GError **error)
{
  SlIngest *ingest = out->ingest;
  g_autoptr (GString) name = g_string_new (NULL);
  if (!name_example (out, example, name, error))
    return FALSE;
  out->n++;
  g_autofree char *fault = find_fault (out, example);
  if (fault != NULL)
    return sl_rejected_rows_add (&ingest->rejected, example->file, example->row, fault, name->str,
                                 name->len, error);
  gint32 n = sl_intern_size (out->items);
  if (sl_intern (out->items, name->str, name->len) < n)
    return refuse_again (out, example, name, error);
  SlBuilder *rows = ingest->builder;
  sl_builder_text (rows, SL_FEATURES_ITEM, name->str, name->len);
  memcpy (sl_builder_tensors (rows, SL_FEATURES_X, 1), example->x,
          (gsize) out->tensor.size * (gsize) sl_tensor_width (&out->tensor));
  if (sl_table_has (ingest->table, SL_FEATURES_GOLD))
    sl_builder_class (rows, SL_FEATURES_GOLD, example->gold);
  ingest->n_rows++;
  return sl_run_claim_up_to (ingest->run, &out->claimed, sl_intern_bytes (out->items),
                             "the names of all examples", error)
         && sl_writer_write_built (ingest->run->out, rows, FALSE, error);
}

gboolean
sl_examples_add_batch (SlExamplesOut *out, const SlBatch *batch, const char *file, gint64 row,
                       gboolean named, GError **error)
{
  SlFeatures view = sl_features_view (batch);
  gsize each = (gsize) view.tensor->size;
  g_autoptr (GString) name = g_string_new (NULL);
  for (gint64 i = 0; i < view.n; i++)
    {
      gsize n, at = (gsize) i * each;
      const char *text = sl_text_get (view.item, i, &n);
      g_string_truncate (name, 0);
      g_string_append_len (name, text, (gssize) n);
      SlExample example = { file,
                            row >= 0 ? row + i : -1,
                            named ? name->str : NULL,
                            out->n,
                            view.pixels != NULL ? (gconstpointer) (view.pixels + at)
                                                : (gconstpointer) (view.numbers + at),
                            view.gold != NULL ? view.gold[i] : -1 };
      if (named && n == 0)
        return sl_error_bad_input (error, "%s: row %" G_GINT64_FORMAT ": its item has no name",
                                   file, example.row);
      if (!sl_examples_add (out, &example, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
sl_examples_end (SlExamplesOut *out, GError **error)
{
  if (out->ingest->options->items == NULL || out->n == out->names.n)
    return TRUE;
  return sl_error_bad_input (
      error, "--items: %s has %" G_GINT64_FORMAT " lines for %" G_GINT64_FORMAT " examples",
      out->names.name, out->names.n, out->n);
}
