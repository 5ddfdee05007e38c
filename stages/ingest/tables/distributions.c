/* SPDX-License-Identifier: GPL-3.0-or-later */
/* labels, predictions: distributions that are there already, as CSV or another form of a table with
 * a column a class, or a column of lists; or as a NumPy array with a row an item. Weights are 1
 * unless given. */
#include "distributions.h"

#include "schemas/labels.h"
#include "schemas/predictions.h"
#include "stages/common/files/column-names.h"
#include "stages/ingest/formats.h"

#include <math.h>
#include <string.h>

/* What sums of single precision are off by; more must be asked for with --rescale. */
#define NOISE 1e-4

gboolean
sl_distributions_start (SlDistributions *to, guint32 optional, GError **error)
{
  if (!sl_ingest_start (to->ingest, to->kind, optional, error))
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
  return sl_ingest_put (to->ingest, to->rows, error);
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
  if (!g_file_get_contents (path, &text, &length, &problem))
    {
      g_set_error (error, SL_ERROR, SL_ERROR_RUNTIME, "--items: %s", problem->message);
      return FALSE;
    }
  if (!g_utf8_validate (text, (gssize) length, NULL))
    return sl_error_bad_input (error, "--items: %s is not UTF-8", path);
  if (length > 0 && text[length - 1] == '\n')
    text[--length] = '\0';
  to->items = g_strsplit (text, "\n", -1);
  to->n_items = g_strv_length (to->items);
  for (gint64 i = 0; i < to->n_items; i++)
    {
      g_strchomp (to->items[i]);
      if (to->items[i][0] == '\0')
        return sl_error_bad_input (
            error, "--items: %s: row %" G_GINT64_FORMAT ": the item is empty", path, i + 1);
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
  return npy ? sl_distributions_read_npy (to, source, error)
             : sl_distributions_read_csv (to, path, source, error);
}

static gboolean
run (SlDistributions *to, GError **error)
{
  const SlIngest *ingest = to->ingest;
  gboolean ok = read_items (to, error);
  for (int i = 0; ok && ingest->files[i] != NULL; i++)
    ok = read_file (to, ingest->files[i], error);
  if (ok && to->rows != NULL)
    ok = sl_ingest_put (to->ingest, to->rows, error);
  if (ok && to->items != NULL && to->n_rows != to->n_items)
    ok = sl_error_bad_input (error,
                             "--items: %s has %" G_GINT64_FORMAT
                             " items, but there are %" G_GINT64_FORMAT " rows",
                             ingest->options->items, to->n_items, to->n_rows);
  g_clear_pointer (&to->rows, sl_builder_free);
  g_strfreev (to->items);
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
                         .annotator = -1,
                         .weight = -1,
                         .run = SL_PREDICTIONS_RUN };
  return run (&to, error);
}

const SlIngestFormat sl_ingest_labels = { .roles = roles, .run = run_labels };
const SlIngestFormat sl_ingest_predictions = { .roles = roles, .run = run_predictions };
