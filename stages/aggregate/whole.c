/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "../../pipeline/intern.h"
#include "../../pipeline/json.h"
#include "../../pipeline/parallel.h"
#include "../../schemas/labels.h"
#include "aggregation.h"
#include "answers.h"
#include "calibrate.h"
#include "em.h"
#include "findings.h"
#include "posterior.h"
#include "shards.h"

#include <string.h>

typedef struct
{
  const SlAggregation *aggregation;
  SlIntern *items;
  SlTally tally;
  SlCollected answers; /* empty unless somebody must see who gave each */
  SlKnown known;
  SlFindings findings;
  SlMethodSettings settings;
  double *prior, *start, *start_prior; /* memory behind the settings' */
  gint32 *known_gold;                  /* of the items, from a file; NULL: none */
  gint32 *ids;                         /* of a batch's rows */
  gint64 ids_room;
  guint64 *key;  /* of the items */
  gsize claimed; /* bytes */
} Whole;

static void
whole_clear (Whole *whole)
{
  g_clear_pointer (&whole->items, sl_intern_free);
  sl_tally_clear (&whole->tally);
  sl_collected_clear (&whole->answers);
  sl_known_clear (&whole->known);
  sl_findings_clear (&whole->findings);
  g_free (whole->prior);
  g_free (whole->start);
  g_free (whole->start_prior);
  g_free (whole->known_gold);
  g_free (whole->ids);
  g_free (whole->key);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Whole, whole_clear)

/* Threads for what a batch says while another one reads the next. */
static int
workers (const SlRun *run)
{
  return MAX (1, run->threads - 1);
}

static gboolean
collects (const Whole *whole)
{
  return whole->answers.annotators != NULL;
}

static gboolean
claim (Whole *whole, GError **error)
{
  gsize bytes = sl_intern_bytes (whole->items)
                + (gsize) whole->tally.n_items * sl_tally_item_bytes (whole->tally.n_classes);
  /* Methods that fit keep the answers a second time, by item. */
  if (collects (whole))
    bytes += 2 * sl_collected_bytes (&whole->answers);
  gsize more = bytes - MIN (bytes, whole->claimed);
  whole->claimed += more;
  return sl_run_claim (whole->aggregation->run, more,
                       collects (whole)
                           ? "every answer, and a sum for every item and class"
                           : "a sum for every item and class (--sorted holds one batch)",
                       error);
}

static gboolean
add_batch (Whole *whole, SlBatch *batch, GError **error)
{
  int threads = workers (whole->aggregation->run);
  g_auto (SlEvidence) evidence;
  if (!sl_evidence_init (&evidence, batch, error))
    return FALSE;
  if (evidence.n > whole->ids_room)
    {
      whole->ids_room = evidence.n;
      whole->ids = g_renew (gint32, whole->ids, whole->ids_room);
    }
  sl_intern_column (whole->items, evidence.item, evidence.n, whole->ids);
  sl_tally_resize (&whole->tally, sl_intern_size (whole->items));
  if (!claim (whole, error))
    return FALSE;
  gint64 wrong = -1;
  if (evidence.gold != NULL)
    wrong = sl_tally_add_gold (&whole->tally, whole->ids, evidence.n, evidence.gold);
  if (wrong >= 0)
    return sl_aggregation_gold_error (whole->aggregation, &evidence, wrong,
                                      whole->tally.gold[whole->ids[wrong]], error);
  if (evidence.label != NULL)
    sl_tally_add_labels (&whole->tally, whole->ids, evidence.n, evidence.label, evidence.weight,
                         threads);
  else
    sl_tally_add_votes (&whole->tally, whole->ids, evidence.n, evidence.vote, evidence.count,
                        threads);
  return !collects (whole)
         || sl_collected_add (&whole->answers, &evidence, whole->ids, 0, evidence.n, error);
}

static gboolean
check_items (const Whole *whole, GError **error)
{
  for (gint32 i = 0; i < whole->tally.n_items; i++)
    {
      gsize length;
      const char *name = sl_intern_get (whole->items, i, &length);
      if (!sl_aggregation_check_item (whole->aggregation, &whole->tally, i, name, length, error))
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
                                     : whole->tally.gold;
}

/* Items at a time for one thread, where each is for itself. */
#define SHARE 4096

static void
each_share (Whole *whole, void (*work) (int share, gpointer data))
{
  gint32 n = whole->tally.n_items;
  sl_parallel (whole->aggregation->run->threads, n / SHARE + (n % SHARE > 0), work, whole);
}

static void
key_share (int share, gpointer data)
{
  Whole *whole = data;
  gint32 first = share * SHARE, n = MIN (SHARE, whole->tally.n_items - first);
  for (gint32 i = first; i < first + n; i++)
    {
      gsize length;
      const char *name = sl_intern_get (whole->items, i, &length);
      whole->key[i] = sl_text_hash (name, length);
    }
}

static void
label_share (int share, gpointer data)
{
  Whole *whole = data;
  gint32 first = share * SHARE;
  sl_aggregation_label (whole->aggregation, &whole->tally, first,
                        MIN (SHARE, whole->tally.n_items - first), whole->key, kept_gold (whole));
}

static void
make_keys (Whole *whole)
{
  const SlAggregation *aggregation = whole->aggregation;
  gboolean draws_ties
      = aggregation->method->flags & SL_METHOD_TIES && aggregation->settings.ties == SL_TIES_RANDOM;
  if (!(aggregation->method->flags & SL_METHOD_SEEDED) && !aggregation->calibrate && !draws_ties)
    return;
  whole->key = g_new (guint64, MAX (whole->tally.n_items, 1));
  each_share (whole, key_share);
}

/* Labels by what the sums say. */
static void
label_items (Whole *whole)
{
  if (whole->aggregation->method->flags & SL_METHOD_LOCAL)
    each_share (whole, label_share);
  else
    sl_aggregation_label (whole->aggregation, &whole->tally, 0, whole->tally.n_items, NULL,
                          kept_gold (whole));
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

/* What files say of annotators, as the method wants it. */
static gboolean
read_known (Whole *whole, GError **error)
{
  SlKnown *known = &whole->known;
  const SlIntern *annotators = whole->answers.annotators;
  if (known->prior != NULL)
    {
      whole->prior = sl_known_read_confusion (known, known->prior, annotators, NULL, error);
      if (whole->prior == NULL)
        return FALSE;
    }
  if (known->start != NULL)
    {
      gint32 n = whole->tally.n_classes;
      double sum = 0;
      whole->start_prior = g_new (double, MAX (n, 1));
      whole->start
          = sl_known_read_confusion (known, known->start, annotators, whole->start_prior, error);
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
  for (gint32 i = 0; i < whole->tally.n_items; i++)
    pairs += whole->tally.weight[i] * whole->tally.weight[i];
  double bytes = MIN (pairs, n * n) * 24;
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
  GString *found = whole->findings.learned.found;
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
  SlLearned *learned = &whole->findings.learned;
  SlCalibration calibration = { 0 };
  if (sl_findings_wanted (&whole->findings)
      && !sl_findings_make_room (&whole->findings, answers->n_annotators, items->n_classes, error))
    return FALSE;
  if (!claim_pairs (whole, answers, error))
    return FALSE;
  if (aggregation->calibrate && !calibrate_items (whole, items, answers, &calibration, error))
    return FALSE;
  if (aggregation->run->verbose)
    {
      learned->round = note_round;
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
      && sl_findings_wanted (&whole->findings))
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
  gsize n = (gsize) whole->tally.n_classes;
  for (gint32 i = 0; i < whole->tally.n_items; i++)
    {
      double *p = whole->tally.sum + (gsize) i * n, least = 0;
      gint32 cheapest = -1;
      for (gsize decided = 0; decided < n; decided++)
        {
          double cost = 0;
          for (gsize k = 0; k < n; k++)
            cost += p[k] * whole->known.cost[k * n + decided];
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
  for (gint32 first = 0; first < whole->tally.n_items; first += n)
    {
      n = (gint32) MIN (sl_builder_room (builder), whole->tally.n_items - first);
      SlText names = sl_intern_texts (whole->items, first, n, offset);
      if (!sl_aggregation_write (aggregation, builder, &whole->tally, first, n, names, error))
        return FALSE;
    }
  return sl_writer_write_built (aggregation->run->out, builder, TRUE, error);
}

/* What the file says goes before what the answers' own column says. */
static gboolean
read_gold (Whole *whole, GError **error)
{
  gsize n = (gsize) whole->tally.n_items;
  if (whole->aggregation->known.gold == NULL)
    return TRUE;
  whole->known_gold = g_new (gint32, MAX (n, 1));
  memset (whole->known_gold, 0xff, n * sizeof *whole->known_gold);
  if (!sl_known_read_gold (&whole->known, whole->items, whole->known_gold, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (whole->known_gold[i] >= 0)
      whole->tally.gold[i] = whole->known_gold[i];
  return TRUE;
}

static gboolean
read_answers (Whole *whole, GError **error)
{
  for (;;)
    {
      g_autoptr (SlBatch) batch = NULL;
      if (!sl_run_next (whole->aggregation->run, &batch, error))
        return FALSE;
      if (batch == NULL)
        break;
      if (!add_batch (whole, batch, error))
        return FALSE;
    }
  return read_gold (whole, error) && check_items (whole, error);
}

/* Before anything is read: files that cannot be opened, and tables that will not do. */
static gboolean
begin (Whole *whole, GError **error)
{
  const SlAggregation *aggregation = whole->aggregation;
  SlRun *run = aggregation->run;
  const SlTable *in = sl_reader_table (run->in), *out = aggregation->table;
  whole->settings = aggregation->settings;
  sl_intern_set_threads (whole->items, workers (run));
  sl_tally_init (&whole->tally, out->n_classes);
  if (!sl_known_open (&whole->known, run, &aggregation->known, out, error)
      || !sl_findings_open (&whole->findings, run, aggregation->annotators, aggregation->confusion,
                            out->classes, sl_table_has (out, SL_LABELS_GOLD), error))
    return FALSE;
  if (aggregation->method->fit == NULL && !aggregation->calibrate
      && !sl_findings_wanted (&whole->findings))
    return TRUE;
  gboolean named = !(aggregation->method->flags & SL_METHOD_ANONYMOUS)
                   || sl_findings_wanted (&whole->findings);
  sl_collected_init (&whole->answers, out->n_classes, in->kind == &sl_labels, !named,
                     workers (run));
  if (aggregation->calibrate && in->kind == &sl_labels && !aggregation->settings.fix_gold)
    {
      g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
                   "%s: these are labels, and --calibrate wants votes to predict, or --gold",
                   sl_reader_name (run->in));
      return FALSE;
    }
  return sl_aggregation_check_answers (aggregation, in, named, error);
}

gboolean
sl_aggregate_whole (const SlAggregation *aggregation, GError **error)
{
  g_auto (Whole) whole = { .aggregation = aggregation, .items = sl_intern_new () };
  g_autoptr (GString) found = g_string_new ("{");
  g_autofree double *predictions = NULL;
  if (!begin (&whole, error) || !read_answers (&whole, error))
    return FALSE;
  make_keys (&whole);
  SlItems items = sl_aggregation_items (&whole.tally, 0, whole.tally.n_items, whole.key);
  SlAnswers answers = { 0 };
  if (collects (&whole))
    {
      answers = sl_collected_answers (&whole.answers);
      whole.findings.learned.found = found;
      if (whole.known.predictions != NULL)
        {
          predictions = sl_known_read_predictions (&whole.known, whole.items, error);
          answers.prediction = predictions;
          if (predictions == NULL)
            return FALSE;
        }
      if (whole.known_gold != NULL && whole.settings.fix_gold)
        items.gold = whole.known_gold;
      if (!read_known (&whole, error) || !fit_items (&whole, &items, &answers, error))
        return FALSE;
      items.gold = whole.tally.gold;
    }
  else
    label_items (&whole);
  if (found->len > 1)
    {
      g_string_append_c (found, '}');
      sl_run_add_found (aggregation->run, found->str);
    }
  if (sl_findings_wanted (&whole.findings)
      && !sl_findings_write (&whole.findings, &items, &answers, whole.answers.annotators, error))
    return FALSE;
  if (aggregation->partial)
    return sl_run_start (aggregation->run, aggregation->table, error)
           && sl_shard_write (aggregation, &items, &answers, whole.answers.annotators, error);
  if (whole.known.cost != NULL)
    decide (&whole);
  return sl_run_start (aggregation->run, aggregation->table, error) && write_items (&whole, error);
}
