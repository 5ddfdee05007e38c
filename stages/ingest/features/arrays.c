/* SPDX-License-Identifier: GPL-3.0-or-later */
/* npy, idx: arrays whose rows are examples. Of NumPy's (N x D, N x H x W, N x H x W x C or
 * N x C x H x W) and of MNIST's; uint8 are pixels, other numbers become single precision. Images
 * are given channels first. An item is its row's number, from 0. */
#include "arrays.h"

#include "examples-out.h"
#include "stages/ingest/formats.h"
#include "gold-files.h"

#include <string.h>

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
      sl_array_form_take (&reading->form, &file->npy, first + (gsize) i * step, x);
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
      = sl_array_form_find (&file, (SlImageLayout) ingest->options->layout, &reading.form);
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
  if (!sl_examples_init (&out, ingest, error) || !sl_gold_files_read (&gold, ingest, error))
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
