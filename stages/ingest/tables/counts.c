/* SPDX-License-Identifier: GPL-3.0-or-later */
/* counts: a matrix of votes, count[n_items][n_classes], as CIFAR-10H has it (Peterson, Battleday,
 * Griffiths & Russakovsky 2019): a NumPy array or CSV. One row per item and class with votes; the
 * rows of the matrix are the items 0, 1, 2 ... */
#include "counts.h"

#include "schemas/annotations.h"
#include "stages/common/files/npy.h"
#include "stages/ingest/formats.h"

#include <string.h>

gboolean
sl_counts_start (SlCounts *state, gint64 n, char *const *names, GError **error)
{
  SlIngest *ingest = state->source.ingest;
  if (ingest->table != NULL)
    return TRUE;
  if (n > SL_MAX_CLASSES)
    return sl_error_bad_input (error,
                               "%" G_GINT64_FORMAT " columns are too many for classes (at most %d)",
                               n, SL_MAX_CLASSES);
  if (ingest->classes == NULL)
    {
      ingest->classes = g_new0 (char *, n + 1);
      for (gint64 i = 0; i < n; i++)
        ingest->classes[i]
            = names != NULL ? g_strdup (names[i]) : g_strdup_printf ("%" G_GINT64_FORMAT, i);
    }
  state->n_classes = (gint32) g_strv_length (ingest->classes);
  return sl_ingest_start (
      ingest, &sl_annotations,
      1u << SL_ANNOTATIONS_ITEM | 1u << SL_ANNOTATIONS_CLASS | 1u << SL_ANNOTATIONS_COUNT, error);
}

void
sl_counts_add (SlBuilder *rows, const char *item, gsize n, gint32 code, gint64 count)
{
  sl_builder_text (rows, SL_ANNOTATIONS_ITEM, item, n);
  sl_builder_class (rows, SL_ANNOTATIONS_CLASS, code);
  sl_builder_int (rows, SL_ANNOTATIONS_COUNT, count);
}

static gboolean
read_file (SlCounts *state, const char *path, GError **error)
{
  g_autoptr (SlSource) source = sl_source_open (path, error);
  gboolean npy;
  if (source == NULL || !sl_source_begins (source, SL_NPY_MAGIC, SL_NPY_MAGIC_BYTES, &npy, error))
    return FALSE;
  return (npy ? sl_counts_read_npy : sl_counts_read_csv) (state, g_steal_pointer (&source), error);
}

static gboolean
run (SlIngest *ingest, GError **error)
{
  SlCounts state = { .source = { ingest, NULL } };
  for (int i = 0; ingest->files[i] != NULL; i++)
    if (!read_file (&state, ingest->files[i], error))
      return FALSE;
  return TRUE;
}

const SlIngestFormat sl_ingest_counts = {
  .run = run,
};
