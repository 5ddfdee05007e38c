/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mixup-model.h"

#include "schemas/kinds.h"
#include "stages/common/classes/class-map.h"
#include "mixing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The parameters of a pair, in the order in which they are written. */
enum
{
  K,
  X0,
  SSE,
  N,
  IDENTITY,
  N_PARAMETERS,
};

static const char *const names[N_PARAMETERS]
    = { "mixup.k", "mixup.x0", "mixup.sse", "mixup.n", "mixup.identity" };

void
sl_mix_model_init (SlMixModel *model)
{
  model->pairs = g_array_new (FALSE, FALSE, sizeof (SlMixPair));
}

void
sl_mix_model_clear (SlMixModel *model)
{
  g_clear_pointer (&model->pairs, g_array_unref);
}

/* By low, then by high. */
static int
compare_pairs (gconstpointer a, gconstpointer b)
{
  const SlMixPair *x = a, *y = b;
  return SL_COMPARE (x->low, y->low) ?: SL_COMPARE (x->high, y->high);
}

double
sl_mix_model_share (const SlMixModel *model, gint32 first, gint32 second, double lambda)
{
  const SlMixPair wanted = { .low = MIN (first, second), .high = MAX (first, second) };
  guint n = model->pairs->len;
  const SlMixPair *pair
      = n > 0 ? bsearch (&wanted, model->pairs->data, n, sizeof wanted, compare_pairs) : NULL;
  if (pair == NULL || pair->curve.identity)
    return lambda;
  return first < second ? sl_mix_logistic (pair->curve.k, pair->curve.x0, lambda)
                        : 1 - sl_mix_logistic (pair->curve.k, pair->curve.x0, 1 - lambda);
}

gboolean
sl_mix_model_write (const SlMixModel *model, SlRun *run, SlTable *table, GError **error)
{
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  for (guint p = 0; p < model->pairs->len; p++)
    {
      const SlMixPair *pair = &g_array_index (model->pairs, SlMixPair, p);
      const double values[N_PARAMETERS] = { pair->curve.k, pair->curve.x0, pair->curve.sse,
                                            (double) pair->n, pair->curve.identity };
      for (int i = pair->curve.identity ? SSE : K; i < N_PARAMETERS; i++)
        {
          sl_builder_text (builder, SL_SIMULATOR_GROUP, "all", 3);
          sl_builder_text (builder, SL_SIMULATOR_NAME, names[i], strlen (names[i]));
          sl_builder_class (builder, SL_SIMULATOR_CLASS, pair->low);
          sl_builder_class (builder, SL_SIMULATOR_OTHER, pair->high);
          sl_builder_real (builder, SL_SIMULATOR_VALUE, values[i]);
          if (!sl_writer_write_built (run->out, builder, FALSE, error))
            return FALSE;
        }
    }
  return sl_writer_write_built (run->out, builder, TRUE, error);
}

/* ---- reading ---- */

typedef struct
{
  SlMixModel *model;
  SlReader *reader;
  const gint32 *map; /* the model's classes as the input's */
  GHashTable *known; /* low and high of a pair to 1 + its place */
} Reading;

static gboolean
wrong (const Reading *reading, gint64 row, GError **error, const char *what)
{
  return sl_error_bad_input (error, "%s: row %" G_GINT64_FORMAT ": %s",
                             sl_reader_name (reading->reader), row, what);
}

static SlMixPair *
find_pair (const Reading *reading, gint32 low, gint32 high)
{
  GArray *pairs = reading->model->pairs;
  const gint64 key = (gint64) low << 32 | high;
  guint place = GPOINTER_TO_UINT (g_hash_table_lookup (reading->known, &key));
  if (place == 0)
    {
      /* What has not been read yet. */
      const SlMixPair pair
          = { low, high, -1, { FALSE, (double) NAN, (double) NAN, (double) NAN }, 0 };
      g_array_append_val (pairs, pair);
      place = pairs->len;
      g_hash_table_insert (reading->known, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (place));
    }
  return &g_array_index (pairs, SlMixPair, place - 1);
}

static gboolean
take_row (const Reading *reading, const SlBatch *batch, gint64 i, GError **error)
{
  const SlColumn *column = batch->column;
  const gint32 *class = column[SL_SIMULATOR_CLASS].code, *other = column[SL_SIMULATOR_OTHER].code;
  gint64 row = batch->first_row + i + 1;
  gsize length;
  const char *text = sl_text_get (column[SL_SIMULATOR_NAME].text, i, &length);
  int which = 0;
  while (which < N_PARAMETERS
         && (strlen (names[which]) != length || memcmp (names[which], text, length) != 0))
    which++;
  if (which == N_PARAMETERS)
    return wrong (reading, row, error,
                  "no parameter of a model of mixtures; `softlabel simulate fit-mixup` makes one");
  if (class == NULL || other == NULL || class[i] < 0 || other[i] < 0 || class[i] == other[i])
    return wrong (reading, row, error, "a pair of classes is wanted");
  gint32 first = reading->map[class[i]], second = reading->map[other[i]];
  SlMixPair *pair = find_pair (reading, MIN (first, second), MAX (first, second));
  double value = column[SL_SIMULATOR_VALUE].real[i];
  if ((pair->given & 1u << which) != 0)
    return wrong (reading, row, error, "the parameter has been given in a row before");
  pair->given |= 1u << which;
  if (which == K)
    pair->curve.k = value;
  else if (which == X0)
    /* 1 - τ (1 - λ), the curve of the same pair the other way round, is τ (λ) with 1 - x0. */
    pair->curve.x0 = first < second ? value : 1 - value;
  else if (which == SSE)
    pair->curve.sse = value;
  else if (which == N)
    pair->n = (gint64) CLAMP (value, 0, 0x1p53);
  else
    pair->curve.identity = value != 0;
  return TRUE;
}

static gboolean
check_pairs (const Reading *reading, const SlTable *classes, GError **error)
{
  const GArray *pairs = reading->model->pairs;
  for (guint p = 0; p < pairs->len; p++)
    {
      const SlMixPair *pair = &g_array_index (pairs, SlMixPair, p);
      if (pair->curve.identity || (!isnan (pair->curve.k) && !isnan (pair->curve.x0)))
        continue;
      return sl_error_bad_input (error, "%s: the pair of '%s' and '%s' has no '%s'",
                                 sl_reader_name (reading->reader), classes->classes[pair->low],
                                 classes->classes[pair->high],
                                 names[isnan (pair->curve.k) ? K : X0]);
    }
  if (pairs->len > 0)
    return TRUE;
  return sl_error_bad_input (
      error, "%s: there is no pair of classes in it; `softlabel simulate fit-mixup` fits them",
      sl_reader_name (reading->reader));
}

gboolean
sl_mix_model_read (SlMixModel *model, SlReader *reader, const SlTable *classes, GError **error)
{
  g_autofree gint32 *map = sl_class_map (reader, classes, error);
  if (map == NULL)
    return FALSE;
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  const Reading reading = { model, reader, map, known };
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    for (gint64 i = 0; ok && i < batch->n_rows; i++)
      ok = take_row (&reading, batch, i, error);
  if (!ok)
    return FALSE;
  g_array_sort (model->pairs, compare_pairs);
  return check_pairs (&reading, classes, error);
}
