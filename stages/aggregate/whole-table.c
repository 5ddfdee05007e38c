/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "whole-table.h"

#include "schemas/labels.h"
#include "stages/common/methods/posterior.h"
#include "shards.h"

#include <string.h>

static void
whole_clear (SlWholeTable *whole)
{
  sl_gathering_clear (&whole->gathering);
  sl_priors_clear (&whole->priors);
  sl_annotator_tables_clear (&whole->tables);
  g_free (whole->prior);
  g_free (whole->start);
  g_free (whole->start_prior);
  g_free (whole->known_gold);
  g_free (whole->key);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlWholeTable, whole_clear)

static gboolean
check_items (const SlWholeTable *whole, GError **error)
{
  for (gint32 i = 0; i < whole->gathering.tally.n_items; i++)
    {
      gsize length;
      const char *name = sl_intern_get (whole->gathering.items, i, &length);
      if (!sl_aggregation_check_item (whole->aggregation, &whole->gathering.tally, i, name, length,
                                      error))
        return FALSE;
    }
  return TRUE;
}

static void
make_keys (SlWholeTable *whole)
{
  const SlAggregation *aggregation = whole->aggregation;
  gboolean draws_ties
      = aggregation->method->flags & SL_METHOD_TIES && aggregation->settings.ties == SL_TIES_RANDOM;
  if (!(aggregation->method->flags & SL_METHOD_SEEDED) && !aggregation->calibrate && !draws_ties
      && aggregation->settings.asked == SL_ASKED_TRUTH)
    return;
  whole->key = sl_gathering_keys (&whole->gathering);
}

/* Each label becomes the class that is expected to cost least, the first of several. */
static void
decide (const SlWholeTable *whole)
{
  gsize n = (gsize) whole->gathering.tally.n_classes;
  for (gint32 i = 0; i < whole->gathering.tally.n_items; i++)
    {
      double *p = whole->gathering.tally.sum + (gsize) i * n, least = 0;
      gint32 cheapest = -1;
      for (gsize decided = 0; decided < n; decided++)
        {
          double cost = 0;
          for (gsize k = 0; k < n; k++)
            cost += p[k] * whole->priors.cost[k * n + decided];
          if (cheapest < 0 || cost < least)
            {
              cheapest = (gint32) decided;
              least = cost;
            }
        }
      sl_posterior_set (p, (gint32) n, cheapest);
    }
}

static gboolean
write_items (const SlWholeTable *whole, GError **error)
{
  const SlAggregation *aggregation = whole->aggregation;
  g_autoptr (SlBuilder) builder = sl_builder_new (aggregation->table);
  g_autofree gint32 *offset = g_new (gint32, sl_builder_room (builder) + 1);
  gint32 n;
  for (gint32 first = 0; first < whole->gathering.tally.n_items; first += n)
    {
      n = (gint32) MIN (sl_builder_room (builder), whole->gathering.tally.n_items - first);
      const SlLabelled items
          = { .tally = &whole->gathering.tally,
              .place = whole->gathering.item_place,
              .first = first,
              .n = n,
              .names = sl_intern_texts (whole->gathering.items, first, n, offset) };
      if (!sl_aggregation_write (aggregation, builder, &items, error))
        return FALSE;
    }
  return sl_writer_write_built (aggregation->run->out, builder, TRUE, error);
}

/* What the file says goes before what the answers' own column says. */
static gboolean
read_gold (SlWholeTable *whole, GError **error)
{
  gsize n = (gsize) whole->gathering.tally.n_items;
  if (whole->aggregation->priors.gold == NULL)
    return TRUE;
  whole->known_gold = g_new (gint32, MAX (n, 1));
  memset (whole->known_gold, 0xff, n * sizeof *whole->known_gold);
  if (!sl_priors_read_gold (&whole->priors, whole->gathering.items, whole->known_gold, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (whole->known_gold[i] >= 0)
      whole->gathering.tally.gold[i] = whole->known_gold[i];
  return TRUE;
}

/* Whether METHOD tells how right the percents are that IN has. */
static gboolean
learns_percents (const SlMethod *method, const SlTable *in)
{
  return sl_aggregation_takes_percents (method, in)
         || (method->flags & SL_METHOD_PERCENTS && in->kind == &sl_labels);
}

/* Before anything is read: files that cannot be opened, and tables that will not do. */
static gboolean
begin (SlWholeTable *whole, GError **error)
{
  const SlAggregation *aggregation = whole->aggregation;
  SlRun *run = aggregation->run;
  const SlTable *in = sl_reader_table (run->in), *out = aggregation->table;
  whole->settings = aggregation->settings;
  whole->settings.pulse = sl_run_pulse (run);
  sl_gathering_init (&whole->gathering, run, run->in);
  whole->gathering.sortable = TRUE;
  whole->gathering.percents = sl_aggregation_takes_percents (aggregation->method, in);
  whole->gathering.tally.exact = whole->gathering.percents || sl_aggregation_is_exact (aggregation);
  if (!sl_priors_open (&whole->priors, run, &aggregation->priors, out, error)
      || !sl_annotator_tables_open (
          &whole->tables, run, aggregation->annotators, aggregation->confusion, out->classes,
          sl_table_has (out, SL_LABELS_GOLD), learns_percents (aggregation->method, in), error))
    return FALSE;
  if (aggregation->method->fit == NULL && !aggregation->calibrate
      && !sl_annotator_tables_wanted (&whole->tables))
    return TRUE;
  gboolean named = !(aggregation->method->flags & SL_METHOD_ANONYMOUS)
                   || sl_annotator_tables_wanted (&whole->tables);
  sl_gathering_collect (&whole->gathering, named);
  if (aggregation->calibrate && in->kind == &sl_labels && !aggregation->settings.fix_gold)
    return sl_error_bad_input (
        error, "%s: these are labels, and --calibrate wants votes to predict, or --gold",
        sl_reader_name (run->in));
  return sl_aggregation_check_answers (aggregation, in, named, error);
}

/* Whether nobody will look at the answers any more once the method has. */
static gboolean
may_spend (const SlWholeTable *whole)
{
  const SlAggregation *aggregation = whole->aggregation;
  return aggregation->method->flags & SL_METHOD_SPENDS && !aggregation->calibrate
         && aggregation->settings.asked == SL_ASKED_TRUTH && !aggregation->partial
         && !aggregation->frozen && !sl_annotator_tables_wanted (&whole->tables);
}

/* The order of the rows is forgotten, where an item's label depends on others. */
static gboolean
arrange (SlWholeTable *whole, double *predictions, GError **error)
{
  gsize n = (gsize) whole->gathering.tally.n_classes;
  sl_intern_close (whole->gathering.items);
  if (!sl_gathering_collects (&whole->gathering)
      && whole->aggregation->method->flags & SL_METHOD_LOCAL)
    return TRUE;
  if (!sl_gathering_arrange (&whole->gathering, may_spend (whole), error))
    return FALSE;
  if (whole->known_gold != NULL)
    sl_gathering_arrange_values (&whole->gathering, whole->known_gold, sizeof *whole->known_gold);
  if (predictions != NULL)
    sl_gathering_arrange_values (&whole->gathering, predictions, n * sizeof *predictions);
  return TRUE;
}

/* ITEMS' labels by the method, from the ANSWERS that were gathered; what it found goes into the
 * history. */
static gboolean
fit (SlWholeTable *whole, const SlItems *items, SlAnswers *answers, const double *predictions,
     GError **error)
{
  g_autoptr (GString) found = g_string_new ("{");
  SlItems known = *items;
  *answers = sl_collected_answers (&whole->gathering.answers);
  answers->prediction = predictions;
  whole->tables.learned.found = found;
  if (whole->known_gold != NULL && whole->settings.fix_gold)
    known.gold = whole->known_gold;
  if (!sl_whole_read_priors (whole, error))
    return FALSE;
  if (may_spend (whole))
    answers->spend = &whole->gathering.answers;
  if (!sl_whole_fit (whole, &known, answers, error))
    return FALSE;
  whole->tables.learned.found = NULL;
  if (found->len > 1)
    {
      g_string_append_c (found, '}');
      sl_run_add_found (whole->aggregation->run, found->str);
    }
  return TRUE;
}

gboolean
sl_aggregate_whole (const SlAggregation *aggregation, GError **error)
{
  g_auto (SlWholeTable) whole = { .aggregation = aggregation };
  g_autofree double *predictions = NULL;
  if (!begin (&whole, error) || !sl_gathering_read (&whole.gathering, error)
      || !read_gold (&whole, error) || !check_items (&whole, error))
    return FALSE;
  if (whole.priors.predictions != NULL)
    {
      predictions = sl_priors_read_predictions (&whole.priors, whole.gathering.items, FALSE, error);
      if (predictions == NULL)
        return FALSE;
    }
  if (!arrange (&whole, predictions, error))
    return FALSE;
  make_keys (&whole);
  SlItems items
      = sl_aggregation_items (&whole.gathering.tally, 0, whole.gathering.tally.n_items, whole.key);
  SlAnswers answers = { 0 };
  if (!sl_gathering_collects (&whole.gathering))
    sl_whole_label (&whole);
  else if (!fit (&whole, &items, &answers, predictions, error))
    return FALSE;
  if (sl_annotator_tables_wanted (&whole.tables)
      && !sl_annotator_tables_write (&whole.tables, &items, &answers, &whole.gathering, error))
    return FALSE;
  if (aggregation->partial)
    return sl_run_start (aggregation->run, aggregation->table, error)
           && sl_shard_write (aggregation, &items, &answers, &whole.gathering, error);
  if (whole.priors.cost != NULL)
    decide (&whole);
  return sl_run_start (aggregation->run, aggregation->table, error) && write_items (&whole, error);
}
