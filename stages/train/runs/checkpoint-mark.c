/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose a checkpoint is: options, seed, threads, and a hash of each thing that training looks at.
 */
#include "checkpoint.h"

#include "stages/common/mixtures/mixup-model.h"

#include <string.h>

static void
add (GString *mark, gconstpointer bytes, gsize n)
{
  g_string_append_printf (mark, " %016" G_GINT64_MODIFIER "x",
                          bytes != NULL && n > 0 ? sl_text_hash (bytes, n) : 0);
}

static void
add_names (GString *mark, char *const *names)
{
  g_autofree char *joined = names != NULL ? g_strjoinv ("\n", (char **) names) : NULL;
  add (mark, joined, joined != NULL ? strlen (joined) : 0);
}

static void
add_examples (GString *mark, const SlExamples *examples)
{
  gsize n = (gsize) examples->n, block_rows = (gsize) examples->block_rows;
  gsize each = examples->size * (examples->pixels ? 1 : sizeof (float));
  add (mark, examples->key, n * sizeof *examples->key);
  add (mark, examples->gold, n * sizeof *examples->gold);
  guint64 hash = 0;
  for (gsize from = 0; from < n; from += block_rows)
    hash = hash * 31
           + sl_text_hash (examples->block[from / block_rows], MIN (block_rows, n - from) * each);
  add (mark, &hash, sizeof hash);
}

static void
add_pools (GString *mark, const SlTrainData *data)
{
  const SlPools *pools = &data->pools;
  gsize rows = pools->start[pools->n];
  add (mark, pools->start, (pools->n + 1) * sizeof *pools->start);
  add (mark, pools->weight, rows * sizeof *pools->weight);
  add (mark, pools->label, rows * pools->k * sizeof *pools->label);
  add (mark, pools->vote, rows * sizeof *pools->vote);
  add (mark, data->annotator, rows * sizeof *data->annotator);
  guint64 names = 0;
  for (gint32 r = 0; data->annotators != NULL && r < sl_intern_size (data->annotators); r++)
    {
      gsize length;
      const char *name = sl_intern_get (data->annotators, r, &length);
      names = names * 31 + sl_text_hash (name, length);
    }
  add (mark, &names, sizeof names);
  g_autoptr (GString) attributes = g_string_new (NULL);
  sl_annotator_attributes_to_json (&data->attributes, attributes);
  if (attributes->len > 0)
    add (mark, attributes->str, attributes->len);
}

/* Of mixtures; items are their own. */
static void
add_cases (GString *mark, const SlTrainData *data)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (gsize c = (gsize) data->features.examples.n; c < data->n_cases; c++)
    {
      const SlTrainCase *at = &data->cases[c];
      g_string_append_printf (text, "%d %d %a %d;", at->first, at->second, (double) at->lambda,
                              at->pool);
    }
  add (mark, text->str, text->len);
}

static void
add_validation (GString *mark, const SlTrainData *data)
{
  const SlValidation *v = &data->validation;
  if (!data->validated)
    return;
  add_examples (mark, v->examples);
  add (mark, v->which, v->n * sizeof *v->which);
  add (mark, v->target, v->n * data->k * sizeof *v->target);
  add (mark, v->truth, v->n * sizeof *v->truth);
}

static void
add_curves (GString *mark, const SlMixModel *curves)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; curves->pairs != NULL && i < curves->pairs->len; i++)
    {
      const SlMixPair *pair = &g_array_index (curves->pairs, SlMixPair, i);
      const SlLogistic *curve = &pair->curve;
      g_string_append_printf (text, "%d %d %d", pair->low, pair->high, curve->identity);
      if (!curve->identity)
        g_string_append_printf (text, " %a %a", curve->k, curve->x0);
    }
  add (mark, text->str, text->len);
}

char *
sl_checkpoint_mark (const SlTrainPlan *plan, const SlItemFigures *items)
{
  const SlTrainData *data = plan->data;
  g_autofree char *options = sl_options_to_json (data->run->options);
  GString *mark = g_string_new (options);
  g_string_append_printf (mark, " seed %" G_GUINT64_FORMAT " threads %d%s%s", data->run->seed,
                          data->run->threads, items != NULL ? " items" : "",
                          data->options->confusion != NULL ? " confusion" : "");
  add_names (mark, data->classes);
  add_examples (mark, &data->features.examples);
  add_pools (mark, data);
  add_cases (mark, data);
  add_validation (mark, data);
  if (plan->init != NULL)
    {
      add_names (mark, plan->init->header.classes);
      add (mark, plan->init->file.bytes, plan->init->file.n_bytes);
    }
  if (plan->share != NULL)
    add_curves (mark, plan->curves);
  if (items != NULL && items->worth != NULL)
    add (mark, items->worth,
         (gsize) sl_intern_size (data->annotators) * data->k * sizeof *items->worth);
  return g_string_free (mark, FALSE);
}
