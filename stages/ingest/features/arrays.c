/* SPDX-License-Identifier: GPL-3.0-or-later */
/* npy, idx: arrays whose rows are examples. Of NumPy's (N x D, N x H x W, N x H x W x C or
 * N x C x H x W) and of MNIST's; uint8 are pixels, other numbers become single precision. Images
 * are given channels first. An item is its row's number, from 0. */
#include "pipeline/base/shown-text.h"
#include "pipeline/table/tensor.h"
#include "stages/ingest/formats.h"
#include "stages/ingest/ingestion.h"
#include "stages/ingest/readers/array-file.h"
#include "examples-out.h"

#include <string.h>

/* The files of --labels: one number or class name a row, as .npy, idx or text. */

typedef struct
{
  gint32 *code; /* [n]: -1 where it is not known */
  gint64 n;
} SlGoldFile;

typedef struct
{
  SlGoldFile *file; /* [n_files]; NULL: there is no --labels */
  int n_files;
} SlGoldFiles;

/* Classes are numbers, or names, in all files. */
typedef struct
{
  SlIngest *ingest;
  SlIntern *names; /* of the classes known or found */
  gint64 largest;  /* number; -1: none so far */
  gboolean any_names;
} GoldReading;

static void
gold_files_clear (SlGoldFiles *gold)
{
  for (int i = 0; i < gold->n_files; i++)
    g_free (gold->file[i].code);
  g_clear_pointer (&gold->file, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlGoldFiles, gold_files_clear)

static gboolean
take_number (GoldReading *reading, const SlArrayFile *file, gint64 row, double value, gint32 *code,
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
read_numbers (GoldReading *reading, SlSource *source, SlGoldFile *gold, GError **error)
{
  SlRun *run = reading->ingest->run;
  g_auto (SlArrayFile) file = { 0 };
  if (!sl_array_file_open (&file, run, source, error))
    {
      g_prefix_error (error, "--labels: ");
      return FALSE;
    }
  if (file.npy.n_dims > 2 || file.npy.dim[1] > 1)
    return sl_error_bad_input (
        error,
        "--labels: %s: a row has %" G_GSIZE_FORMAT
        " numbers; one, its class, is wanted (`ingest --from counts` reads a matrix of votes)",
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
take_name (GoldReading *reading, const SlTextLines *lines, gint64 i, gint32 *code, GError **error)
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
  return sl_error_bad_input (
      error, "--labels: %s: line %" G_GINT64_FORMAT ": '%s' is %s", lines->name, i + 1, shown,
      known ? "none of the classes" : "one class too many: is it a list of classes?");
}

static gboolean
read_names (GoldReading *reading, SlSource *source, SlGoldFile *gold, GError **error)
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
read_gold_file (GoldReading *reading, const char *path, SlGoldFile *gold, GError **error)
{
  g_autoptr (SlSource) source = sl_source_open (path, error);
  gboolean npy, zeros;
  if (source == NULL || !sl_source_begins (source, SL_NPY_MAGIC, SL_NPY_MAGIC_BYTES, &npy, error)
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
settle_classes (GoldReading *reading, SlGoldFiles *gold, GError **error)
{
  SlIngest *ingest = reading->ingest;
  if (reading->any_names && reading->largest >= 0)
    return sl_error_bad_input (error, "--labels: some of the files have numbers, others names; "
                                      "--classes says which class is which");
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

/* Reads them all. Where INGEST has no classes, they become those found: of numbers 0 to the largest
 * one, of names those that are there, sorted. */
static gboolean
gold_files_read (SlGoldFiles *gold, SlIngest *ingest, GError **error)
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
  GoldReading reading = { .ingest = ingest, .largest = -1 };
  reading.names = ingest->classes != NULL ? sl_classes_intern (ingest->classes) : sl_intern_new ();
  gboolean given = ingest->classes != NULL, ok = TRUE;
  for (int i = 0; ok && i < gold->n_files; i++)
    ok = sl_run_add_option_file (ingest->run, "labels", paths[i], error)
         && read_gold_file (&reading, paths[i], &gold->file[i], error);
  ok = ok && (given || settle_classes (&reading, gold, error));
  sl_intern_free (reading.names);
  return ok;
}

typedef enum
{
  SL_LAYOUT_AUTO, /* the last dimension, or else the first, is of channels: it is 1 or 3 */
  SL_LAYOUT_HWC,
  SL_LAYOUT_CHW,
} SlImageLayout;

typedef struct
{
  SlNumber number;
  int n_dims;
  gint64 dim[3];   /* of the example: channels first, or the numbers of a vector */
  gsize stride[3]; /* bytes in the file between two numbers along each */
} SlArrayForm;

/* Whether a dimension may be that of channels. */
static gboolean
is_channels (gint64 n)
{
  return n == 1 || n == 3;
}

/* What rows of FILE are; NULL, or what is wrong with them, to be freed. */
static char *
array_form_find (const SlArrayFile *file, SlImageLayout layout, SlArrayForm *form)
{
  const SlNpy *npy = &file->npy;
  int from[3] = { 1, 1, 1 };
  *form = (SlArrayForm){ .number = npy->kind == 'u' && npy->width == 1 ? SL_NUMBER_UINT8
                                                                       : SL_NUMBER_FLOAT32 };
  form->n_dims = npy->n_dims == 2 ? 1 : 3;
  if (npy->n_dims < 2)
    return g_strdup ("the array has one number a row: is it the file of the labels (--labels)?");
  if (npy->n_dims == 4 && layout == SL_LAYOUT_AUTO)
    {
      if (!is_channels (npy->dim[3]) && !is_channels (npy->dim[1]))
        return g_strdup_printf (
            "rows of %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT
            " may be images with their channels last or first: say --layout hwc or chw",
            npy->dim[1], npy->dim[2], npy->dim[3]);
      layout = is_channels (npy->dim[3]) ? SL_LAYOUT_HWC : SL_LAYOUT_CHW;
    }
  /* An image of one channel lacks that dimension. */
  if (npy->n_dims == 3)
    from[0] = 3;
  for (int d = 1; npy->n_dims == 4 && d < 4; d++)
    from[layout == SL_LAYOUT_HWC ? d % 3 : d - 1] = d;
  for (int d = 1; npy->n_dims == 3 && d < 3; d++)
    from[d] = d;
  for (int d = 0; d < form->n_dims; d++)
    {
      form->dim[d] = npy->dim[from[d]];
      form->stride[d] = from[d] < npy->n_dims ? sl_array_file_stride (file, from[d]) : 0;
    }
  return NULL;
}

static void
take_bytes (const SlArrayForm *form, const guint8 *from, guint8 *to)
{
  gint64 height = form->n_dims == 3 ? form->dim[1] : 1,
         width = form->n_dims == 3 ? form->dim[2] : 1;
  for (gint64 c = 0; c < form->dim[0]; c++)
    for (gint64 y = 0; y < height; y++)
      for (gint64 x = 0; x < width; x++)
        *to++ = from[(gsize) c * form->stride[0] + (gsize) y * form->stride[1]
                     + (gsize) x * form->stride[2]];
}

/* N numbers that lie STRIDE bytes apart. */
static void
take_numbers (const SlNpy *npy, const guint8 *from, gsize stride, gint64 n, float *to)
{
  gboolean plain = npy->kind == 'f' && !npy->swapped;
  if (plain && npy->width == 4 && stride == 4)
    memcpy (to, from, (gsize) n * 4);
  else if (plain && npy->width == 8)
    for (gint64 i = 0; i < n; i++)
      {
        double value;
        memcpy (&value, from + (gsize) i * stride, sizeof value);
        to[i] = (float) value;
      }
  else
    for (gint64 i = 0; i < n; i++)
      to[i] = (float) sl_npy_value (npy, from + (gsize) i * stride);
}

/* The row that begins at FROM as an example. */
static void
array_form_take (const SlArrayForm *form, const SlNpy *npy, const guint8 *from, gpointer to)
{
  if (form->number == SL_NUMBER_UINT8)
    {
      take_bytes (form, from, to);
      return;
    }
  float *at = to;
  if (form->n_dims == 1)
    take_numbers (npy, from, form->stride[0], form->dim[0], at);
  for (gint64 c = 0; form->n_dims == 3 && c < form->dim[0]; c++)
    for (gint64 y = 0; y < form->dim[1]; y++, at += form->dim[2])
      take_numbers (npy, from + (gsize) c * form->stride[0] + (gsize) y * form->stride[1],
                    form->stride[2], form->dim[2], at);
}

/* CIFAR-10-C (Hendrycks & Dietterich 2019) has five severities one behind the other. */
#define SEVERITIES 5
/* Labels that are fewer may be alike by chance. */
#define LEAST_PART 100

typedef struct
{
  SlExamplesOut *out;
  SlArrayFile *file;
  SlArrayForm form;
  const SlGoldFile *gold; /* or NULL */
  gint64 from, to;        /* rows that are wanted */
} Reading;

/* The rows of --severity. Labels are of all rows, or of those. */
static gboolean
choose_rows (Reading *reading, GError **error)
{
  const SlIngestOptions *options = reading->out->ingest->options;
  gint64 n = reading->file->npy.dim[0];
  reading->to = n;
  if (options->severity > 0)
    {
      if (n % SEVERITIES != 0)
        return sl_error_bad_input (error,
                                   "%s: its %" G_GINT64_FORMAT
                                   " rows are not five severities of as many each (--severity)",
                                   reading->file->source->name, n);
      reading->from = n / SEVERITIES * (options->severity - 1);
      reading->to = reading->from + n / SEVERITIES;
    }
  const SlGoldFile *gold = reading->gold;
  if (gold == NULL || gold->n == n || gold->n == reading->to - reading->from)
    return TRUE;
  return sl_error_bad_input (
      error, "--labels: there are %" G_GINT64_FORMAT " for the %" G_GINT64_FORMAT " rows of %s",
      gold->n, n, reading->file->source->name);
}

/* Five times the same labels: whoever reads all rows as so many items is likely to have missed
 * what they are. */
static void
warn_of_severities (const Reading *reading)
{
  const SlGoldFile *gold = reading->gold;
  SlIngest *ingest = reading->out->ingest;
  gint64 part = gold != NULL ? gold->n / SEVERITIES : 0;
  if (ingest->options->severity > 0 || part < LEAST_PART || gold->n % SEVERITIES != 0
      || memcmp (gold->code, gold->code + part, (gsize) (gold->n - part) * sizeof *gold->code) != 0)
    return;
  for (gint64 i = 1; i < part; i++)
    if (gold->code[i] != gold->code[0])
      {
        sl_run_warn (ingest->run,
                     "%s: its labels are five times the same, as those of CIFAR-10-C; --severity 1 "
                     "to 5 takes one part, with its items numbered from 0",
                     reading->file->source->name);
        return;
      }
}

static gint32
gold_of (const Reading *reading, gint64 row)
{
  const SlGoldFile *gold = reading->gold;
  if (gold == NULL)
    return -1;
  return gold->code[gold->n == reading->file->npy.dim[0] ? row : row - reading->from];
}

/* Of the N rows read last, which begin at FIRST, those that are wanted. */
static gboolean
add_rows (Reading *reading, const guint8 *first, gsize step, gint64 n, gpointer x, GError **error)
{
  const SlArrayFile *file = reading->file;
  SlExamplesOut *out = reading->out;
  gboolean part = out->ingest->options->severity > 0;
  for (gint64 i = 0, row = file->row - n; i < n; i++, row++)
    {
      if (row < reading->from || row >= reading->to)
        continue;
      array_form_take (&reading->form, &file->npy, first + (gsize) i * step, x);
      SlExample example
          = { file->source->name,    row, NULL, part ? row - reading->from : out->n, x,
              gold_of (reading, row) };
      if (!sl_examples_add (out, &example, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_rows (Reading *reading, GError **error)
{
  SlIngest *ingest = reading->out->ingest;
  const SlTensor *tensor = &reading->out->tensor;
  gsize bytes = (gsize) tensor->size * (gsize) sl_tensor_width (tensor);
  g_autofree gpointer x = sl_run_alloc0 (ingest->run, 1, bytes, "an example", error);
  const guint8 *first;
  gsize step;
  gint64 n;
  while (x != NULL)
    {
      if (!sl_array_file_next (reading->file, ingest->run, &first, &step, &n, error))
        return FALSE;
      if (n == 0)
        return TRUE;
      if (!add_rows (reading, first, step, n, x, error))
        return FALSE;
      ingest->bytes_done += n * (gint64) reading->file->row_bytes;
      sl_run_progress (ingest->run, reading->out->n, ingest->bytes_done, ingest->bytes_whole);
    }
  return FALSE;
}

static gboolean
read_file (SlExamplesOut *out, const char *path, gboolean idx, const SlGoldFile *gold,
           GError **error)
{
  SlIngest *ingest = out->ingest;
  g_auto (SlArrayFile) file = { 0 };
  SlSource *source = sl_source_open (path, error);
  if (source == NULL)
    return FALSE;
  if (!sl_array_file_open (&file, ingest->run, source, error))
    return FALSE;
  if (file.is_npy == idx)
    return sl_error_bad_input (error, "%s: is %s", source->name,
                               idx ? "a NumPy array: --from npy" : "of MNIST's format: --from idx");
  Reading reading = { .out = out, .file = &file, .gold = gold };
  g_autofree char *wrong
      = array_form_find (&file, (SlImageLayout) ingest->options->layout, &reading.form);
  if (wrong != NULL)
    return sl_error_bad_input (error, "%s: %s", source->name, wrong);
  if (!choose_rows (&reading, error))
    return FALSE;
  warn_of_severities (&reading);
  return sl_examples_start (out, source->name, reading.form.number, reading.form.n_dims,
                            reading.form.dim, gold != NULL, error)
         && read_rows (&reading, error);
}

static gboolean
read_files (SlIngest *ingest, gboolean idx, GError **error)
{
  g_auto (SlExamplesOut) out = { 0 };
  g_auto (SlGoldFiles) gold = { 0 };
  if (!sl_examples_init (&out, ingest, error) || !gold_files_read (&gold, ingest, error))
    return FALSE;
  for (int i = 0; ingest->files[i] != NULL; i++)
    if (!read_file (&out, ingest->files[i], idx, gold.file != NULL ? &gold.file[i] : NULL, error))
      return FALSE;
  return sl_examples_end (&out, error);
}

static gboolean
run_npy (SlIngest *ingest, GError **error)
{
  return read_files (ingest, FALSE, error);
}

static gboolean
run_idx (SlIngest *ingest, GError **error)
{
  return read_files (ingest, TRUE, error);
}

const SlIngestFormat sl_ingest_npy = {
  .run = run_npy,
};

const SlIngestFormat sl_ingest_idx = {
  .run = run_idx,
};
