/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/base/json.h"
#include "pipeline/base/parallel.h"
#include "schemas/labels.h"
#include "stages/aggregate/methods/confusion/em/em.h"
#include "stages/common/methods/calibrate.h"
#include "stages/common/answers/gathering.h"
#include "stages/common/figures/pair-agreement.h"
#include "stages/common/methods/posterior.h"
#include "aggregation.h"
#include "annotator-tables.h"
#include "shards.h"

#include <string.h>

typedef struct
{
  const SlAggregation *aggregation;
  SlGathering gathering;
  SlPriors priors;
  SlAnnotatorTables tables;
  SlMethodSettings settings;
  double *prior, *start, *start_prior; /* memory behind the settings' */
  gint32 *known_gold;                  /* of the items, from a file; NULL: none */
  guint64 *key;                        /* of the items */
} Whole;

static void
whole_clear (Whole *whole)
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

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Whole, whole_clear)

static gboolean
check_items (const Whole *whole, GError **error)
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

/* The classes of items that keep theirs. */
static const gint32 *
kept_gold (const Whole *whole)
{
  return !whole->settings.fix_gold   ? NULL
         : whole->known_gold != NULL ? whole->known_gold
                                     : whole->gathering.tally.gold;
}

/* Items at a time for one thread, where each is for itself. */
#define SHARE 4096

static void
each_share (Whole *whole, void (*work) (int share, gpointer data))
{
  gint32 n = whole->gathering.tally.n_items;
  sl_parallel (whole->aggregation->run->threads, n / SHARE + (n % SHARE > 0), work, whole);
}

static void
key_share (int share, gpointer data)
{
  Whole *whole = data;
  gint32 first = share * SHARE, n = MIN (SHARE, whole->gathering.tally.n_items - first);
  for (gint32 i = first; i < first + n; i++)
    {
      gsize length;
      const char *name = sl_intern_get (whole->gathering.items, i, &length);
      whole->key[i] = sl_text_hash (name, length);
    }
}

static void
label_share (int share, gpointer data)
{
  Whole *whole = data;
  gint32 first = share * SHARE;
  sl_aggregation_label (whole->aggregation, &whole->gathering.tally, first,
                        MIN (SHARE, whole->gathering.tally.n_items - first), whole->key,
                        kept_gold (whole));
}

static void
make_keys (Whole *whole)
{
  const SlAggregation *aggregation = whole->aggregation;
  gboolean draws_ties
      = aggregation->method->flags & SL_METHOD_TIES && aggregation->settings.ties == SL_TIES_RANDOM;
  if (!(aggregation->method->flags & SL_METHOD_SEEDED) && !aggregation->calibrate && !draws_ties)
    return;
  whole->key = g_new (guint64, MAX (whole->gathering.tally.n_items, 1));
  each_share (whole, key_share);
}

/* Labels by what the sums say. */
static void
label_items (Whole *whole)
{
  if (whole->aggregation->method->flags & SL_METHOD_LOCAL)
    each_share (whole, label_share);
  else
    sl_aggregation_label (whole->aggregation, &whole->gathering.tally, 0,
                          whole->gathering.tally.n_items, NULL, kept_gold (whole));
}

/* The share of the votes, as a method that may be fitted to some of the answers. */
static gboolean
fit_shares (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
            SlLearned *learned, GError **error)
{
  sl_posterior_shares (items, settings);
  return TRUE;
}

static void
note_round (gpointer data, gint64 round, double objective)
{
  sl_run_note (data, "round %" G_GINT64_FORMAT ": %.9g", round, objective);
}

static void
note_text (gpointer data, const char *text)
{
  sl_run_note (data, "%s", text);
}

/* What files say of annotators, as the method wants it. */
static gboolean
read_known (Whole *whole, GError **error)
{
  SlPriors *priors = &whole->priors;
  const SlIntern *annotators = whole->gathering.answers.annotators;
  if (priors->prior != NULL)
    {
      whole->prior = sl_priors_read_confusion (priors, priors->prior, annotators, NULL, error);
      if (whole->prior == NULL)
        return FALSE;
    }
  if (priors->start != NULL)
    {
      gint32 n = whole->gathering.tally.n_classes;
      double sum = 0;
      whole->start_prior = g_new (double, MAX (n, 1));
      whole->start
          = sl_priors_read_confusion (priors, priors->start, annotators, whole->start_prior, error);
      if (whole->start == NULL)
        return FALSE;
      for (gint32 k = 0; k < n; k++)
        sum += whole->start_prior[k];
      if (sum > 0) /* not NaN */
        whole->settings.start_prior = whole->start_prior;
    }
  whole->settings.confusion_prior = whole->prior;
  whole->settings.start = whole->start;
  return TRUE;
}

/* Of methods that look at pairs of annotators: what the pairs take. */
static gboolean
claim_pairs (const Whole *whole, const SlAnswers *answers, GError **error)
{
  double pairs = 0, n = answers->n_annotators;
  for (gint32 i = 0; i < whole->gathering.tally.n_items; i++)
    pairs += whole->gathering.tally.weight[i] * whole->gathering.tally.weight[i];
  double bytes = MIN (MIN (pairs, n * n), SL_AGREEMENT_MOST) * 24;
  return !(whole->aggregation->method->flags & SL_METHOD_PAIRS)
         || sl_run_claim (whole->aggregation->run, (gsize) MIN (bytes, 1e18),
                          "how often any two annotators agree", error);
}

static gboolean
calibrate_items (Whole *whole, const SlItems *items, const SlAnswers *answers,
                 SlCalibration *calibration, GError **error)
{
  const SlMethod *method = whole->aggregation->method;
  SlCalibrate kind
      = method->flags & SL_METHOD_SHARES ? SL_CALIBRATE_SHARES : SL_CALIBRATE_POSTERIORS;
  if (!sl_calibration_find (method->fit != NULL ? method->fit : fit_shares, kind, items, answers,
                            &whole->settings, calibration, error))
    return FALSE;
  sl_run_note (whole->aggregation->run,
               "calibrated: correlation of answers %.3f, power %.3f; %" G_GINT64_FORMAT
               " predicted, mean log-probability %.4f",
               calibration->correlation, calibration->power, calibration->n_predicted,
               calibration->predicted);
  GString *found = whole->tables.learned.found;
  sl_json_member (found, "correlation");
  sl_json_real (found, calibration->correlation);
  sl_json_member (found, "power");
  sl_json_real (found, calibration->power);
  return TRUE;
}

/* Labels by what the answers say, and by whom. */
static gboolean
fit_items (Whole *whole, const SlItems *items, const SlAnswers *answers, GError **error)
{
  const SlAggregation *aggregation = whole->aggregation;
  SlLearned *learned = &whole->tables.learned;
  SlCalibration calibration = { 0 };
  if (sl_annotator_tables_wanted (&whole->tables)
      && !sl_annotator_tables_make_room (&whole->tables, answers->n_annotators, items->n_classes,
                                         error))
    return FALSE;
  if (!claim_pairs (whole, answers, error))
    return FALSE;
  if (aggregation->calibrate && !calibrate_items (whole, items, answers, &calibration, error))
    return FALSE;
  if (aggregation->run->verbose)
    {
      learned->round = note_round;
      learned->note = note_text;
      learned->data = aggregation->run;
    }
  if (aggregation->partial || aggregation->frozen)
    {
      if (!sl_em_first_labels (items, answers, &whole->settings, error))
        return FALSE;
    }
  else if (aggregation->method->fit == NULL)
    label_items (whole);
  else if (!aggregation->method->fit (items, answers, &whole->settings, learned, error))
    return FALSE;
  if (aggregation->calibrate)
    sl_calibration_apply (&calibration, items, &whole->settings);
  if ((aggregation->method->fit == NULL || aggregation->frozen)
      && sl_annotator_tables_wanted (&whole->tables))
    {
      g_auto (SlByItem) by;
      sl_by_item_init (&by, items, answers, 0);
      sl_posterior_learn (items, &by, NULL, learned);
    }
  return TRUE;
}

/* Each label becomes the class that is expected to cost least, the first of several. */
static void
decide (const Whole *whole)
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
write_items (const Whole *whole, GError **error)
{
  const SlAggregation *aggregation = whole->aggregation;
  g_autoptr (SlBuilder) builder = sl_builder_new (aggregation->table);
  g_autofree gint32 *offset = g_new (gint32, sl_builder_room (builder) + 1);
  gint32 n;
  for (gint32 first = 0; first < whole->gathering.tally.n_items; first += n)
    {
      n = (gint32) MIN (sl_builder_room (builder), whole->gathering.tally.n_items - first);
      SlText names = sl_intern_texts (whole->gathering.items, first, n, offset);
      if (!sl_aggregation_write (aggregation, builder, &whole->gathering.tally, first, n, names,
                                 error))
        return FALSE;
    }
  return sl_writer_write_built (aggregation->run->out, builder, TRUE, error);
}

/* What the file says goes before what the answers' own column says. */
static gboolean
read_gold (Whole *whole, GError **error)
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

/* Before anything is read: files that cannot be opened, and tables that will not do. */
static gboolean
begin (Whole *whole, GError **error)
{
  const SlAggregation *aggregation = whole->aggregation;
  SlRun *run = aggregation->run;
  const SlTable *in = sl_reader_table (run->in), *out = aggregation->table;
  whole->settings = aggregation->settings;
  whole->settings.pulse = sl_run_pulse (run);
  sl_gathering_init (&whole->gathering, run, run->in);
  whole->gathering.sortable = TRUE;
  if (!sl_priors_open (&whole->priors, run, &aggregation->priors, out, error)
      || !sl_annotator_tables_open (&whole->tables, run, aggregation->annotators,
                                    aggregation->confusion, out->classes,
                                    sl_table_has (out, SL_LABELS_GOLD), error))
    return FALSE;
  if (aggregation->method->fit == NULL && !aggregation->calibrate
      && !sl_annotator_tables_wanted (&whole->tables))
    return TRUE;
  gboolean named = !(aggregation->method->flags & SL_METHOD_ANONYMOUS)
                   || sl_annotator_tables_wanted (&whole->tables);
  sl_gathering_collect (&whole->gathering, named);
  if (aggregation->calibrate && in->kind == &sl_labels && !aggregation->settings.fix_gold)
    {
      g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
                   "%s: these are labels, and --calibrate wants votes to predict, or --gold",
                   sl_reader_name (run->in));
      return FALSE;
    }
  return sl_aggregation_check_answers (aggregation, in, named, error);
}

/* Whether nobody will look at the answers any more once the method has. */
static gboolean
may_spend (const Whole *whole)
{
  const SlAggregation *aggregation = whole->aggregation;
  return aggregation->method->flags & SL_METHOD_SPENDS && !aggregation->calibrate
         && !aggregation->partial && !aggregation->frozen
         && !sl_annotator_tables_wanted (&whole->tables);
}

gboolean
sl_aggregate_whole (const SlAggregation *aggregation, GError **error)
{
  g_auto (Whole) whole = { .aggregation = aggregation };
  g_autoptr (GString) found = g_string_new ("{");
  g_autofree double *predictions = NULL;
  if (!begin (&whole, error) || !sl_gathering_read (&whole.gathering, error)
      || !read_gold (&whole, error) || !check_items (&whole, error))
    return FALSE;
  make_keys (&whole);
  SlItems items
      = sl_aggregation_items (&whole.gathering.tally, 0, whole.gathering.tally.n_items, whole.key);
  SlAnswers answers = { 0 };
  if (sl_gathering_collects (&whole.gathering))
    {
      answers = sl_collected_answers (&whole.gathering.answers);
      whole.tables.learned.found = found;
      if (whole.priors.predictions != NULL)
        {
          predictions
              = sl_priors_read_predictions (&whole.priors, whole.gathering.items, FALSE, error);
          answers.prediction = predictions;
          if (predictions == NULL)
            return FALSE;
        }
      if (whole.known_gold != NULL && whole.settings.fix_gold)
        items.gold = whole.known_gold;
      if (!read_known (&whole, error))
        return FALSE;
      sl_intern_close (whole.gathering.items);
      if (may_spend (&whole))
        answers.spend = &whole.gathering.answers;
      if (!fit_items (&whole, &items, &answers, error))
        return FALSE;
      items.gold = whole.gathering.tally.gold;
    }
  else
    label_items (&whole);
  if (found->len > 1)
    {
      g_string_append_c (found, '}');
      sl_run_add_found (aggregation->run, found->str);
    }
  if (sl_annotator_tables_wanted (&whole.tables)
      && !sl_annotator_tables_write (&whole.tables, &items, &answers,
                                     whole.gathering.answers.annotators, error))
    return FALSE;
  if (aggregation->partial)
    return sl_run_start (aggregation->run, aggregation->table, error)
           && sl_shard_write (aggregation, &items, &answers, whole.gathering.answers.annotators,
                              error);
  if (whole.priors.cost != NULL)
    decide (&whole);
  return sl_run_start (aggregation->run, aggregation->table, error) && write_items (&whole, error);
}
