/* SPDX-License-Identifier: GPL-3.0-or-later */
/* labels, predictions: distributions that are there already, as CSV or another form of a table with
 * a column a class, or a column of lists; or as a NumPy array with a row an item. Weights are 1
 * unless given. */
#include "distributions.h"

#include "pipeline/base/process/named-files.h"
#include "schemas/predictions.h"
#include "stages/common/files/column-names.h"
#include "stages/ingest/formats.h"
#include "stages/ingest/readers/array-file.h"

#include <math.h>
#include <string.h>

/* What sums of single precision are off by; more must be asked for with --rescale. */
#define NOISE 1e-4

gboolean
sl_distributions_start (SlDistributions *to, guint32 optional, GError **error)
{
  guint32 run = to->run >= 0 ? 1u << to->run : 0;
  if (!sl_ingest_start (to->ingest, to->kind, optional | run, error))
    return FALSE;
  to->rows = sl_builder_new (to->ingest->table);
  return TRUE;
}

char *
sl_distributions_check (const SlDistributions *to, double *p)
{
  const SlIngestOptions *options = to->ingest->options;
  gint32 n = to->ingest->table->n_classes;
  double sum = 0, scale = options->percent_scale == SL_PERCENT_OF_100 ? 100 : 1;
  for (gint32 k = 0; k < n; k++)
    {
      if (!isfinite (p[k]) || p[k] < 0)
        return g_strdup_printf ("the probability of class '%s' is %s", to->ingest->classes[k],
                                isnan (p[k]) ? "missing, or no number"
                                : p[k] < 0   ? "negative"
                                             : "infinite");
      sum += p[k];
    }
  double off = fabs (sum / scale - 1);
  if (off > MAX (NOISE, options->rescale))
    return g_strdup_printf ("the probabilities sum to %.6g, not to %g%s", sum, scale,
                            fabs (sum - 100) < 1 && scale == 1
                                ? "; --percent-scale 100 says that they are percents"
                                : "; --rescale TOLERANCE divides by the sum where it is that near");
  for (gint32 k = 0; k < n; k++)
    p[k] /= off > 1e-15 ? sum : scale;
  return NULL;
}

const char *
sl_distributions_item (const SlDistributions *to, gint64 n, char room[24])
{
  if (to->items != NULL)
    return n < to->n_items ? to->items[n] : NULL;
  g_snprintf (room, 24, "%" G_GINT64_FORMAT, n);
  return room;
}

gboolean
sl_distributions_again (SlDistributions *to, const SlDistributionRow *row, gboolean *again,
                        GError **error)
{
  g_autofree char *whose = g_strdup_printf ("%" G_GINT64_FORMAT " %s", row->run,
                                            row->annotator != NULL ? row->annotator : "");
  if (to->seen == NULL)
    to->seen = sl_seen_pairs_new (to->ingest->run);
  SlSeenPair pair
      = sl_pair_of ((SlCell){ row->item, row->item_length }, (SlCell){ whose, strlen (whose) });
  return sl_seen_pairs_add (to->seen, pair, again, error);
}

gboolean
sl_distributions_add (SlDistributions *to, const SlDistributionRow *row, const double *p,
                      GError **error)
{
  const SlTable *table = to->ingest->table;
  sl_builder_text (to->rows, to->item, row->item, row->item_length);
  memcpy (sl_builder_labels (to->rows, to->values, 1), p,
          sizeof (double) * (gsize) table->n_classes);
  if (to->annotator >= 0 && sl_table_has (table, to->annotator))
    sl_builder_text (to->rows, to->annotator, row->annotator, strlen (row->annotator));
  if (to->weight >= 0)
    sl_builder_real (to->rows, to->weight, row->weight);
  if (to->run >= 0)
    sl_builder_int (to->rows, to->run, row->run);
  if (sl_table_has (table, to->gold))
    sl_builder_class (to->rows, to->gold,
                      row->gold != NULL ? sl_table_class (table, row->gold, -1) : -1);
  if (sl_builder_room (to->rows) > 0)
    return TRUE;
  return sl_ingest_put (to->ingest, to->rows, NULL, error);
}

/* Distributions in a NumPy array, a row an item and a column a class. */
static gboolean
check_shape (SlDistributions *to, const SlArrayFile *file, GError **error)
{
  SlIngest *ingest = to->ingest;
  const char *name = file->source->name;
  if (file->npy.n_dims != 2)
    return sl_error_bad_input (error, "%s: the array has not two dimensions: items and classes",
                               name);
  if (ingest->classes == NULL)
    return sl_error_bad_input (
        error, "%s: an array does not name its classes: say them in their order, --classes A,B,C",
        name);
  if (file->npy.dim[1] != (gint64) g_strv_length (ingest->classes))
    return sl_error_bad_input (
        error, "%s: the array has %" G_GINT64_FORMAT " columns, but there are %u classes", name,
        file->npy.dim[1], g_strv_length (ingest->classes));
  return ingest->table != NULL || sl_distributions_start (to, 0, error);
}

/* One row of the array. */
static gboolean
take_row (SlDistributions *to, const SlArrayFile *file, const guint8 *bytes, double *p,
          GError **error)
{
  char room[24];
  gint64 n = to->n_rows++;
  gsize step = sl_array_file_stride (file, 1);
  SlDistributionRow row = { .item = sl_distributions_item (to, n, room), .weight = 1 };
  for (gint64 k = 0; k < file->npy.dim[1]; k++)
    p[k] = sl_npy_value (&file->npy, bytes + (gsize) k * step);
  g_autofree char *fault = row.item != NULL
                               ? sl_distributions_check (to, p)
                               : g_strdup ("--items has fewer items than there are rows");
  if (fault != NULL)
    return sl_rejected_rows_add (&to->ingest->rejected, file->source->name, n, fault, "", 0, error);
  row.item_length = strlen (row.item);
  return sl_distributions_add (to, &row, p, error);
}

static gboolean
read_npy (SlDistributions *to, SlSource *source, GError **error)
{
  SlRun *run = to->ingest->run;
  g_auto (SlArrayFile) file = { 0 };
  const guint8 *first;
  gsize step;
  gint64 n;
  if (!sl_array_file_open (&file, run, source, error) || !check_shape (to, &file, error))
    return FALSE;
  g_autofree double *p = g_new (double, file.npy.dim[1]);
  for (;;)
    {
      if (!sl_array_file_next (&file, run, &first, &step, &n, error))
        return FALSE;
      if (n == 0)
        return TRUE;
      for (gint64 i = 0; i < n; i++)
        if (!take_row (to, &file, first + (gsize) i * step, p, error))
          return FALSE;
    }
}

/* The items of --items, one a line. */
static gboolean
read_items (SlDistributions *to, GError **error)
{
  const char *path = to->ingest->options->items;
  gsize length;
  g_autofree char *text = NULL;
  g_autoptr (GError) problem = NULL;
  if (path == NULL)
    return TRUE;
  if (!sl_named_file_read (path, &text, &length, &problem))
    return sl_error_runtime (error, "--items: %s: cannot be read: %s", path, problem->message);
  if (!g_utf8_validate (text, (gssize) length, NULL))
    return sl_error_bad_input (error, "--items: %s is not UTF-8", path);
  if (length > 0 && text[length - 1] == '\n')
    text[--length] = '\0';
  to->items = g_strsplit (text, "\n", -1);
  to->n_items = g_strv_length (to->items);
  g_autoptr (GHashTable) met = g_hash_table_new (g_str_hash, g_str_equal);
  for (gint64 i = 0; i < to->n_items; i++)
    {
      g_strchomp (to->items[i]);
      if (to->items[i][0] == '\0')
        return sl_error_bad_input (
            error, "--items: %s: row %" G_GINT64_FORMAT ": the item is empty", path, i + 1);
      if (!g_hash_table_add (met, to->items[i]))
        return sl_error_bad_input (
            error, "--items: %s: row %" G_GINT64_FORMAT ": the item '%s' is there twice", path,
            i + 1, to->items[i]);
    }
  return TRUE;
}

static gboolean
read_file (SlDistributions *to, const char *path, GError **error)
{
  gboolean npy;
  SlSource *source = sl_source_open (path, error);
  if (source == NULL)
    return FALSE;
  if (!sl_source_begins (source, "\x93NUMPY", 6, &npy, error))
    {
      sl_source_free (source);
      return FALSE;
    }
  return npy ? read_npy (to, source, error) : sl_distributions_read_csv (to, path, source, error);
}

static gboolean
run (SlDistributions *to, GError **error)
{
  const SlIngest *ingest = to->ingest;
  gboolean ok = read_items (to, error);
  for (int i = 0; ok && ingest->files[i] != NULL; i++)
    ok = read_file (to, ingest->files[i], error);
  if (ok && to->rows != NULL)
    ok = sl_ingest_put (to->ingest, to->rows, NULL, error);
  if (ok && to->items != NULL && to->n_rows != to->n_items)
    ok = sl_error_bad_input (error,
                             "--items: %s has %" G_GINT64_FORMAT
                             " items, but there are %" G_GINT64_FORMAT " rows",
                             ingest->options->items, to->n_items, to->n_rows);
  g_clear_pointer (&to->rows, sl_builder_free);
  g_strfreev (to->items);
  g_clear_pointer (&to->seen, sl_seen_pairs_free);
  return ok;
}

static const SlColumnRole roles[] = {
  { "item", SL_NAMES (SL_ITEM_NAMES), FALSE, SL_NAMES (SL_ITEM_FALLBACK) },
  { "annotator", SL_NAMES (SL_ANNOTATOR_NAMES), FALSE, NULL },
  { "weight", SL_NAMES ("weight"), FALSE, NULL },
  { "gold", SL_NAMES ("gold", "truth", "truelabel", "trueclass", "goldlabel"), FALSE, NULL },
  { "run", SL_NAMES ("run"), FALSE, NULL },
  { 0 },
};

static gboolean
run_labels (SlIngest *ingest, GError **error)
{
  SlDistributions to = { .ingest = ingest,
                         .kind = &sl_labels,
                         .roles = roles,
                         .item = SL_LABELS_ITEM,
                         .values = SL_LABELS_LABEL,
                         .gold = SL_LABELS_GOLD,
                         .annotator = SL_LABELS_ANNOTATOR,
                         .weight = SL_LABELS_WEIGHT,
                         .run = -1 };
  return run (&to, error);
}

static gboolean
run_predictions (SlIngest *ingest, GError **error)
{
  SlDistributions to = { .ingest = ingest,
                         .kind = &sl_predictions,
                         .roles = roles,
                         .item = SL_PREDICTIONS_ITEM,
                         .values = SL_PREDICTIONS_PROB,
                         .gold = SL_PREDICTIONS_GOLD,
                         .annotator = SL_PREDICTIONS_ANNOTATOR,
                         .weight = -1,
                         .run = SL_PREDICTIONS_RUN };
  return run (&to, error);
}

const SlIngestFormat sl_ingest_labels = { .roles = roles, .run = run_labels };
const SlIngestFormat sl_ingest_predictions = { .roles = roles, .run = run_predictions };
