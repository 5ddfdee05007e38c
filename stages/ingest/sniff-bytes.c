/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sniff-bytes.h"

#include "stages/common/files/npy.h"
#include "stages/ingest/features/idx.h"

#include <math.h>
#include <string.h>

#define MOST_NUMBERS 65536 /* of an array's first row */
#define CIFAR10_BYTES 3073
#define MOST_NAMES 10000 /* in a folder */
#define DEEPEST 4

static gboolean
begins (SlSource *source, const char *start)
{
  gboolean yes;
  return sl_source_begins (source, start, strlen (start), &yes, NULL) && yes;
}

/* The first row of an array tells counts from probabilities, and both from examples. */
static SlGuess
guess_of_array_file (const char *path)
{
  const SlGuess examples = { "npy", "it is a NumPy array with a row an example" };
  SlSource *source = sl_source_open (path, NULL);
  g_autoptr (SlSource) own = source;
  SlNpy npy;
  if (own == NULL || !sl_npy_read_header (own, &npy, NULL) || npy.n_dims != 2 || npy.fortran
      || npy.dim[0] == 0 || npy.dim[1] == 0 || npy.dim[1] > MOST_NUMBERS)
    return examples;
  gsize n = (gsize) npy.dim[1], got;
  g_autofree guint8 *row = g_malloc (n * npy.width);
  gboolean counts = TRUE, shares = TRUE;
  double sum = 0;
  if (!sl_source_read (own, row, n * npy.width, &got, NULL) || got < n * npy.width)
    return examples;
  for (gsize i = 0; i < n; i++)
    {
      gint64 count;
      double value = sl_npy_value (&npy, row + i * npy.width);
      counts = counts && sl_npy_count (value, &count) == NULL;
      shares = shares && value >= 0 && value <= 1;
      sum += value;
    }
  if (npy.kind == 'f' && shares && fabs (sum - 1) < 1e-3)
    return (SlGuess){ "labels", "it is a NumPy array whose rows sum to 1" };
  if (counts && npy.kind != 'b' && npy.width > 1 && sum > 0)
    return (SlGuess){ "counts", "it is a NumPy array of whole numbers" };
  return examples;
}

/* CIFAR-10's binary files have records of one class and 3,072 pixels, and nothing else. */
static gboolean
is_cifar10 (const SlSource *source)
{
  return source->size > 0 && source->size % CIFAR10_BYTES == 0 && source->n_head > 0
         && (guint8) source->head[0] < 10 && g_str_has_suffix (source->name, ".bin");
}

SlGuess
sl_sniff_bytes (SlSource *source)
{
  guint8 head[4] = { 0xff };
  if (begins (source, SL_NPY_MAGIC))
    return guess_of_array_file (source->path);
  memcpy (head, source->head, MIN (sizeof head, source->n_head));
  if (source->n_head >= sizeof head && sl_idx_begins (head))
    return (SlGuess){ "idx", "it begins as MNIST's idx files do" };
  if (is_cifar10 (source))
    return (SlGuess){ "cifar10", "it has records of 3,073 bytes" };
  if (begins (source, "PAR1") || begins (source, "ARROW1") || begins (source, "\xff\xff\xff\xff"))
    return (SlGuess){ "long", "it is a table of Parquet or Arrow" };
  return (SlGuess){ NULL, NULL };
}

static gboolean
has_end (const char *name, const char *const *ends)
{
  g_autofree char *small = g_ascii_strdown (name, -1);
  for (; *ends != NULL; ends++)
    if (g_str_has_suffix (small, *ends))
      return TRUE;
  return FALSE;
}

static const char *const image_ends[] = { ".png", ".jpg", ".jpeg", NULL };
static const char *const data_ends[]
    = { ".json", ".jsonl", ".csv", ".tsv", ".manifest", ".npy", ".parquet", NULL };

/* Counts images and files of data in the folder PATH. */
static void
count_files (const char *path, int depth, int *names, int *images, int *data)
{
  g_autoptr (GDir) folder = depth < DEEPEST ? g_dir_open (path, 0, NULL) : NULL;
  const char *name = NULL;
  while (folder != NULL && *names < MOST_NAMES && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *whole = g_build_filename (path, name, NULL);
      ++*names;
      *images += has_end (name, image_ends);
      *data += has_end (name, data_ends);
      if (g_file_test (whole, G_FILE_TEST_IS_DIR))
        count_files (whole, depth + 1, names, images, data);
    }
}

gboolean
sl_sniff_is_images (const char *path)
{
  int names = 0, images = 0, data = 0;
  if (!g_file_test (path, G_FILE_TEST_IS_DIR))
    return strcmp (path, "-") != 0 && has_end (path, image_ends);
  count_files (path, 0, &names, &images, &data);
  return images > 0 && data == 0;
}
