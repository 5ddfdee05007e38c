/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gold-files.h"

#include "pipeline/base/shown-text.h"
#include "stages/ingest/readers/array-file.h"
#include "stages/ingest/readers/array-file.h"
#include "stages/ingest/readers/text-lines.h"

#include <string.h>

/* Classes are numbers, or names, in all files. */
typedef struct
{
  SlIngest *ingest;
  SlIntern *names; /* of the classes known or found */
  gint64 largest;  /* number; -1: none so far */
  gboolean any_names;
} Reading;

void
sl_gold_files_clear (SlGoldFiles *gold)
{
  for (int i = 0; i < gold->n_files; i++)
    g_free (gold->file[i].code);
  g_clear_pointer (&gold->file, g_free);
}

static gboolean
take_number (Reading *reading, const SlArrayFile *file, gint64 row, double value, gint32 *code,
             GError **error)
{
  const SlIngest *ingest = reading->ingest;
  gint64 n = ingest->classes != NULL ? (gint64) g_strv_length (ingest->classes) : SL_MAX_CLASSES;
  if (value == -1)
    {
      *code = -1;
      return TRUE;
    }
  if (value >= 0 && value < (double) n && value == (double) (gint64) value)
    {
      *code = (gint32) value;
      reading->largest = MAX (reading->largest, *code);
      return TRUE;
    }
  return sl_error_bad_input (
      error,
      "--labels: %s: row %" G_GINT64_FORMAT
      ": %.9g is no class: they are whole numbers from 0 to %" G_GINT64_FORMAT ", and -1 for none",
      file->source->name, row, value, n - 1);
}

static gboolean
read_numbers (Reading *reading, SlSource *source, SlGoldFile *gold, GError **error)
{
  SlRun *run = reading->ingest->run;
  g_auto (SlArrayFile) file = { 0 };
  if (!sl_array_file_open (&file, run, source, error))
    {
      g_prefix_error (error, "--labels: ");
      return FALSE;
    }
  if (file.npy.n_dims > 2 || file.npy.dim[1] > 1)
    return sl_error_bad_input (error,
                               "--labels: %s: a row has %" G_GSIZE_FORMAT
                               " numbers; one, its class, is wanted (`ingest --from counts` reads "
                               "a matrix of votes)",
                               file.source->name, file.row_bytes / file.npy.width);
  const guint8 *first;
  gsize step;
  gint64 n;
  for (;;)
    {
      gint64 row = file.row;
      if (!sl_array_file_next (&file, run, &first, &step, &n, error))
        return FALSE;
      if (n == 0)
        return TRUE;
      if (!sl_run_claim_array (run, (gsize) n, sizeof *gold->code, "the classes of --labels",
                               error))
        return FALSE;
      gold->n += n;
      gold->code = g_renew (gint32, gold->code, gold->n);
      for (gint64 i = 0; i < n; i++)
        if (!take_number (reading, &file, row + i,
                          sl_npy_value (&file.npy, first + (gsize) i * step), &gold->code[row + i],
                          error))
          return FALSE;
    }
}

static gboolean
take_name (Reading *reading, const SlTextLines *lines, gint64 i, gint32 *code, GError **error)
{
  const char *name = lines->line[i];
  gsize n = strlen (name);
  gboolean known = reading->ingest->classes != NULL;
  if (sl_class_texts_missing (&reading->ingest->class_texts, name, n) || n == 0)
    {
      *code = -1;
      return TRUE;
    }
  *code = known ? sl_intern_find (reading->names, name, n) : sl_intern (reading->names, name, n);
  if (*code >= 0 && *code < SL_MAX_CLASSES)
    return TRUE;
  g_autofree char *shown = sl_shown (name, n);
  return sl_error_bad_input (error, "--labels: %s: line %" G_GINT64_FORMAT ": '%s' is %s",
                             lines->name, i + 1, shown,
                             known ? "none of the classes"
                                   : "one class too many: is it a list of "
                                     "classes?");
}

static gboolean
read_names (Reading *reading, SlSource *source, SlGoldFile *gold, GError **error)
{
  SlRun *run = reading->ingest->run;
  g_autoptr (SlSource) own = source;
  g_auto (SlTextLines) lines = { 0 };
  reading->any_names = TRUE;
  if (!sl_text_lines_read (&lines, run, "labels", own, error))
    return FALSE;
  if (lines.n == 0)
    return sl_error_bad_input (error, "--labels: %s is empty", lines.name);
  gold->code
      = sl_run_alloc0 (run, (gsize) lines.n, sizeof *gold->code, "the classes of --labels", error);
  gold->n = lines.n;
  for (gint64 i = 0; gold->code != NULL && i < lines.n; i++)
    if (!take_name (reading, &lines, i, &gold->code[i], error))
      return FALSE;
  return gold->code != NULL;
}

static gboolean
read_file (Reading *reading, const char *path, SlGoldFile *gold, GError **error)
{
  g_autoptr (SlSource) source = sl_source_open (path, error);
  gboolean npy, zeros;
  if (source == NULL || !sl_source_unpack (source, error)
      || !sl_source_begins (source, SL_NPY_MAGIC, SL_NPY_MAGIC_BYTES, &npy, error)
      || !sl_source_begins (source, "\0\0", 2, &zeros, error))
    {
      g_prefix_error (error, "--labels: ");
      return FALSE;
    }
  return (npy || zeros ? read_numbers : read_names) (reading, g_steal_pointer (&source), gold,
                                                     error);
}

/* Where the classes were found, not given. */
static gboolean
settle_classes (Reading *reading, SlGoldFiles *gold, GError **error)
{
  SlIngest *ingest = reading->ingest;
  if (reading->any_names && reading->largest >= 0)
    return sl_error_bad_input (
        error, "--labels: some of the files have numbers, others names; --classes says which "
               "class is which");
  if (!reading->any_names)
    {
      ingest->classes = g_new0 (char *, reading->largest + 2);
      for (gint64 k = 0; k <= reading->largest; k++)
        ingest->classes[k] = g_strdup_printf ("%" G_GINT64_FORMAT, k);
    }
  else
    {
      g_autofree gint32 *place = g_new (gint32, sl_intern_size (reading->names) + 1);
      ingest->classes = sl_classes_sorted (reading->names, place);
      for (int f = 0; f < gold->n_files; f++)
        for (gint64 i = 0; i < gold->file[f].n; i++)
          if (gold->file[f].code[i] >= 0)
            gold->file[f].code[i] = place[gold->file[f].code[i]];
    }
  return ingest->classes[0] != NULL
         || sl_error_bad_input (error, "--labels: there are no classes in it");
}

gboolean
sl_gold_files_read (SlGoldFiles *gold, SlIngest *ingest, GError **error)
{
  char *const *paths = ingest->options->labels;
  *gold = (SlGoldFiles){ 0 };
  if (paths == NULL)
    return TRUE;
  int n_data = (int) g_strv_length ((char **) ingest->files);
  gold->n_files = (int) g_strv_length ((char **) paths);
  gold->file = g_new0 (SlGoldFile, gold->n_files);
  if (gold->n_files != n_data)
    return sl_error_usage (error, "--labels is given %d times for %d files; each has its own",
                           gold->n_files, n_data);
  Reading reading = { .ingest = ingest, .largest = -1 };
  reading.names = ingest->classes != NULL ? sl_classes_intern (ingest->classes) : sl_intern_new ();
  gboolean given = ingest->classes != NULL, ok = TRUE;
  for (int i = 0; ok && i < gold->n_files; i++)
    ok = sl_run_add_option_file (ingest->run, "labels", paths[i], error)
         && read_file (&reading, paths[i], &gold->file[i], error);
  ok = ok && (given || settle_classes (&reading, gold, error));
  sl_intern_free (reading.names);
  return ok;
}
