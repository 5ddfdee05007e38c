/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Labels of a whole table: from the sums of votes, or by a method that sees every answer. */
#include "pipeline/base/json.h"
#include "pipeline/base/parallel.h"
#include "pipeline/table/tag-columns.h"
#include "schemas/labels.h"
#include "stages/aggregate/methods/fits.h"
#include "stages/common/figures/pair-agreement.h"
#include "stages/common/methods/next-answer.h"
#include "stages/common/methods/posterior.h"
#include "aggregation.h"
#include "annotator-tables.h"
#include "apart.h"
#include "by-group.h"
#include "calibration.h"
#include "shared-answers.h"
#include "shards.h"

#include <string.h>

typedef struct
{
  SlAggregation *aggregation;
  SlGathering gathering;
  SlPriors priors;
  SlAnnotatorTables tables;
  double *prior, *start, *start_prior; /* memory behind the settings' */
  gint32 *known_gold;                  /* of the items, from a file; NULL: none */
  guint64 *key;                        /* of the items */
  SlGroupWeights weights;
  SlMerged merged;
  SlCalibration calibration;
  SlAuto decided;
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
  sl_group_weights_clear (&whole->weights);
  sl_merged_clear (&whole->merged);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Whole, whole_clear)

/* The classes of items that keep theirs; NULL: none do. */
static const gint32 *
kept_gold (const Whole *whole)
{
  return !whole->aggregation->settings.fix_gold ? NULL
         : whole->known_gold != NULL            ? whole->known_gold
                                                : whole->gathering.tally.gold;
}

/* Items at a time for one thread, where each is for itself. */
#define SHARE 4096

static void
label_share (int share, gpointer data)
{
  Whole *whole = data;
  SlTally *tally = &whole->gathering.tally;
  gint32 first = share * SHARE;
  sl_aggregation_label (whole->aggregation, tally, first, MIN (SHARE, tally->n_items - first),
                        whole->key, kept_gold (whole));
}

/* Labels by what the sums say, those of items that are for themselves on all threads. */
static void
label (Whole *whole)
{
  SlTally *tally = &whole->gathering.tally;
  gint32 n = tally->n_items;
  if (whole->aggregation->method->flags & SL_METHOD_LOCAL)
    sl_parallel (whole->aggregation->run->threads, n / SHARE + (n % SHARE > 0), label_share, whole);
  else
    sl_aggregation_label (whole->aggregation, tally, 0, n, NULL, kept_gold (whole));
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

/* Sums of a part are no confusion yet. */
static gboolean
check_start (const SlPriors *priors, GError **error)
{
  return priors->start == NULL
         || sl_tags_get (&sl_reader_table (priors->start)->tags, SL_SUMS_TAG) == NULL
         || sl_error_bad_input (error,
                                "%s: these are the sums of a part; `aggregate --merge` makes of "
                                "all parts' sums the confusion that --init takes",
                                sl_reader_name (priors->start));
}

/* What files say of annotators, as the method wants it. */
static gboolean
read_priors (Whole *whole, GError **error)
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
      priors->names_start = whole->aggregation->options->partial;
      priors->weights = whole->aggregation->method->flags & SL_METHOD_WEIGHTS;
      whole->start
          = sl_priors_read_confusion (priors, priors->start, annotators, whole->start_prior, error);
      if (whole->start == NULL)
        return FALSE;
      for (gint32 k = 0; k < n; k++)
        sum += whole->start_prior[k];
      if (sum > 0) /* not NaN */
        whole->aggregation->settings.start_prior = whole->start_prior;
    }
  whole->aggregation->settings.confusion_prior = whole->prior;
  whole->aggregation->settings.start = whole->start;
  return TRUE;
}

/* What the method holds besides items × classes: of those that look at pairs of annotators, the
 * pairs; tables of classes × classes, its own and one that each of two things learns of the crowd,
 * which also learn what annotators say of each class. */
static gboolean
claim_tables (const Whole *whole, const SlAnswers *answers, GError **error)
{
  const SlAggregation *aggregation = whole->aggregation;
  const SlTally *tally = &whole->gathering.tally;
  double pairs = 0, n = answers->n_annotators, k = tally->n_classes;
  for (gint32 i = 0; i < tally->n_items; i++)
    pairs += tally->weight[i] * tally->weight[i];
  double bytes = MIN (MIN (pairs, n * n), SL_AGREEMENT_MOST) * 24;
  if (aggregation->method->flags & SL_METHOD_PAIRS
      && !sl_run_claim (aggregation->run, (gsize) MIN (bytes, 1e18),
                        "how often any two annotators agree", error))
    return FALSE;
  double squares = aggregation->method->squares;
  if (aggregation->method->tables != NULL)
    squares = aggregation->method->tables (answers, tally->n_classes);
  int learners
      = (aggregation->options->calibrate != NULL) + (aggregation->settings.asked != SL_ASKED_TRUTH);
  bytes = 8 * k * (k * (squares + learners) + 2 * n * learners);
  return bytes == 0
         || sl_run_claim (aggregation->run, (gsize) MIN (bytes, 1e18),
                          "tables of classes × classes", error);
}

/* Whether the labels of the truth have still to be made ones of the next answer. */
static gboolean
asks_people (const Whole *whole, const SlAnswers *answers)
{
  return whole->aggregation->settings.asked == SL_ASKED_PEOPLE && answers->distribution == NULL
         && !(whole->aggregation->method->flags & SL_METHOD_NEXT);
}

static gboolean
find_next_answer (Whole *whole, const SlItems *items, const SlAnswers *answers,
                  const SlCalibration *calibration, SlNextAnswer *next, GError **error)
{
  if (!sl_next_answer_find (whole->aggregation->method->fit, calibration, items, answers,
                            &whole->aggregation->settings, next, error))
    return FALSE;
  sl_run_note (whole->aggregation->run,
               "the next person's answer: %.3f for each vote seen, %.3f for the label with the "
               "crowd's confusion, %.3f for the label; mean log-probability %.4f",
               next->seen, next->confused, next->truth, next->predicted);
  const double values[] = { next->seen, next->confused, next->truth };
  const char *names[] = { "seen", "confused", "truth" };
  for (gsize v = 0; v < G_N_ELEMENTS (values); v++)
    {
      sl_json_member (whole->tables.learned.found, names[v]);
      sl_json_real (whole->tables.learned.found, values[v]);
    }
  return TRUE;
}

/* *VOTES: the sums of ITEMS' votes, which the labels will take the place of; to be freed. */
static gboolean
prepare_next_answer (Whole *whole, const SlItems *items, const SlAnswers *answers,
                     const SlCalibration *calibration, SlNextAnswer *next, double **votes,
                     GError **error)
{
  gsize size = (gsize) items->n_items * (gsize) items->n_classes * sizeof **votes;
  if (!sl_run_claim (whole->aggregation->run, 2 * size, "votes and labels of the next answer",
                     error)
      || !find_next_answer (whole, items, answers, calibration, next, error))
    return FALSE;
  *votes = g_memdup2 (items->label, MAX (size, 1));
  return TRUE;
}

/* Whether labels are made as sure as they are right once they are there. */
static gboolean
calibrates (const Whole *whole)
{
  return whole->aggregation->options->calibrate != NULL
         && !(whole->aggregation->method->flags & SL_METHOD_SAMPLED);
}

/* Labels by what the answers say, and by whom. */
static gboolean
fit_answers (Whole *whole, const SlItems *items, const SlAnswers *answers, GError **error)
{
  const SlAggregation *aggregation = whole->aggregation;
  SlLearned *learned = &whole->tables.learned;
  if (sl_annotator_tables_wanted (&whole->tables)
      && !sl_annotator_tables_make_room (&whole->tables, answers->n_annotators, items->n_classes,
                                         error))
    return FALSE;
  if (!claim_tables (whole, answers, error))
    return FALSE;
  if (calibrates (whole)
      && !sl_calibration_choose (aggregation, items, answers, learned->found, &whole->calibration,
                                 error))
    return FALSE;
  SlNextAnswer next = { 0 };
  g_autofree double *votes = NULL;
  if (asks_people (whole, answers)
      && !prepare_next_answer (whole, items, answers,
                               calibrates (whole) ? &whole->calibration : NULL, &next, &votes,
                               error))
    return FALSE;
  if (aggregation->run->verbose)
    {
      learned->round = note_round;
      learned->note = note_text;
      learned->data = aggregation->run;
    }
  if (aggregation->options->partial || aggregation->options->frozen)
    {
      if (!sl_shard_label (aggregation, items, answers, error))
        return FALSE;
    }
  else if (aggregation->method->fit == NULL)
    label (whole);
  else if (!aggregation->method->fit (items, answers, &whole->aggregation->settings, learned,
                                      error))
    return FALSE;
  if (calibrates (whole))
    sl_calibration_apply (&whole->calibration, items, &whole->aggregation->settings);
  /* A fit that made labels of the next answer itself has filled this before. */
  if (learned->expected != NULL
      && (votes != NULL || whole->aggregation->settings.asked == SL_ASKED_TRUTH))
    sl_expected_answers (items, answers, learned->expected);
  if (votes != NULL)
    sl_next_answer_apply (&next, items, answers, votes);
  if ((aggregation->method->fit == NULL || aggregation->options->frozen)
      && sl_annotator_tables_wanted (&whole->tables))
    {
      g_auto (SlByItem) by;
      sl_by_item_init (&by, items, answers, 0);
      sl_posterior_learn (items, &by, NULL, learned);
    }
  return TRUE;
}

typedef struct
{
  Whole *whole;
  const SlIntern *names;
} Parts;

/* A question, a group or both. */
static char *
part_name (const SlIntern *names, gint32 part)
{
  gsize length;
  const char *text = sl_intern_get (names, part, &length);
  gsize own = sl_parting_item (text, length);
  if (own == length)
    return g_strndup (text, length);
  g_autofree char *question = g_strndup (text, own),
                  *group = g_strndup (text + own + 1, length - own - 1);
  return g_strconcat (question, own > 0 ? ", " : "", group, NULL);
}

/* fit_answers() of a part. Intervals that the method finds go to its items. */
static gboolean
fit_some (Whole *whole, const gint32 *which, const SlItems *items, const SlAnswers *answers,
          GError **error)
{
  SlLearned *learned = &whole->tables.learned;
  double *lower = learned->lower, *upper = learned->upper;
  g_autofree double *own = lower != NULL ? g_new0 (double, 2 * (gsize) items->n_items + 1) : NULL;
  learned->lower = own;
  learned->upper = own != NULL ? own + items->n_items : NULL;
  gboolean ok = fit_answers (whole, items, answers, error);
  for (gint32 i = 0; ok && own != NULL && i < items->n_items; i++)
    {
      lower[which[i]] = learned->lower[i];
      upper[which[i]] = learned->upper[i];
    }
  learned->lower = lower;
  learned->upper = upper;
  return ok;
}

/* What is found of a part is told under its name. */
static gboolean
fit_part (gpointer data, gint32 part, const gint32 *which, const SlItems *items,
          const SlAnswers *answers, GError **error)
{
  const Parts *parts = data;
  Whole *whole = parts->whole;
  const char *what = whole->aggregation->options->questions != NULL ? "question" : "group";
  g_autofree char *name = part_name (parts->names, part);
  GString *all = whole->tables.learned.found;
  g_autoptr (GString) found = g_string_new ("{");
  sl_run_note (whole->aggregation->run, "%s '%s':", what, name);
  whole->tables.learned.found = found;
  gboolean ok = fit_some (whole, which, items, answers, error);
  whole->tables.learned.found = all;
  if (!ok)
    g_prefix_error (error, "%s '%s': ", what, name);
  if (found->len > 1)
    {
      sl_json_member (all, name);
      g_string_append_printf (all, "%s}", found->str);
    }
  return ok;
}

static gboolean
fit_parts (Whole *whole, const SlItems *items, const SlAnswers *answers, GError **error)
{
  const SlAggregation *aggregation = whole->aggregation;
  g_autoptr (SlIntern) names = sl_intern_new ();
  g_autofree gint32 *part
      = sl_parts_of (&whole->gathering, aggregation->options->questions, names, error);
  gsize bytes = (gsize) answers->n_answers * 24 + (gsize) items->n_items * 8;
  if (part == NULL
      || !sl_run_claim (aggregation->run, bytes, "one part's answers once more", error))
    return FALSE;
  Parts parts = { whole, names };
  return sl_fit_apart (items, answers, part, sl_intern_size (names), fit_part, &parts, error);
}

/* Whether answers are fitted in parts. */
static gboolean
has_parts (const Whole *whole)
{
  const SlAggregateOptions *options = whole->aggregation->options;
  return options->questions != NULL || options->group != NULL;
}

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

static void
make_keys (Whole *whole)
{
  const SlAggregation *aggregation = whole->aggregation;
  gboolean draws_ties
      = aggregation->method->flags & SL_METHOD_TIES && aggregation->settings.ties == SL_TIES_RANDOM;
  if (!(aggregation->method->flags & SL_METHOD_SEEDED) && aggregation->options->calibrate == NULL
      && !draws_ties && aggregation->settings.asked == SL_ASKED_TRUTH)
    return;
  whole->key = sl_gathering_keys (&whole->gathering);
}

/* Each label becomes the class that is expected to cost least, the first of several. */
static void
decide (const Whole *whole, const SlTally *tally)
{
  gsize n = (gsize) tally->n_classes;
  for (gint32 i = 0; i < tally->n_items; i++)
    {
      double *p = tally->sum + (gsize) i * n, least = 0;
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
  SlAggregation *aggregation = whole->aggregation;
  const gboolean merged = whole->weights.wanted, grouped = aggregation->options->group != NULL;
  const SlIntern *names = merged ? whole->merged.items : whole->gathering.items;
  const SlTally *tally = merged ? &whole->merged.tally : &whole->gathering.tally;
  g_autoptr (SlBuilder) builder = sl_builder_new (aggregation->table);
  g_autoptr (GByteArray) own = g_byte_array_new ();
  g_autofree gint32 *offset = g_new (gint32, sl_builder_room (builder) + 1);
  gint32 n;
  for (gint32 first = 0; first < tally->n_items; first += n)
    {
      n = (gint32) MIN (sl_builder_room (builder), tally->n_items - first);
      const SlLabelled items
          = { .tally = tally,
              .place = merged ? NULL : whole->gathering.item_place,
              .first = first,
              .n = n,
              .names = grouped ? sl_ungrouped_names (names, first, n, own, offset)
                               : sl_intern_texts (names, first, n, offset),
              .lower = merged ? NULL : whole->tables.learned.lower,
              .upper = merged ? NULL : whole->tables.learned.upper,
              .votes = whole->merged.votes,
              .tags = &whole->gathering.tags };
      if (!sl_aggregation_write (aggregation, builder, &items, error))
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

/* Whether METHOD tells how right the percents are that IN has. */
static gboolean
learns_percents (const SlMethod *method, const SlTable *in)
{
  return sl_aggregation_takes_percents (method, in)
         || (method->flags & SL_METHOD_PERCENTS && in->kind == &sl_labels);
}

/* --group: the answers are parted, and labels of groups say of which one they are. */
static gboolean
begin_groups (Whole *whole, const SlTable *in, GError **error)
{
  SlAggregation *aggregation = whole->aggregation;
  const char *attribute = aggregation->options->group;
  const char *source = sl_reader_name (aggregation->run->in);
  if (attribute == NULL)
    return TRUE;
  int column = sl_table_attribute (in, source, attribute, error);
  if (column < 0 || !sl_group_weights_open (&whole->weights, aggregation, error))
    return FALSE;
  sl_parting_init (&whole->gathering.parting, in, column, source);
  if (!whole->weights.wanted)
    sl_row_tags_want (&whole->gathering.tags, in, column);
  return TRUE;
}

/* Before anything is read: files that cannot be opened, and tables that will not do. */
static gboolean
begin (Whole *whole, GError **error)
{
  SlAggregation *aggregation = whole->aggregation;
  SlRun *run = aggregation->run;
  const SlTable *in = sl_reader_table (run->in), *out = aggregation->table;
  aggregation->settings.pulse = sl_run_pulse (run);
  sl_gathering_init (&whole->gathering, run, run->in);
  if (!aggregation->options->partial)
    sl_row_tags_init (&whole->gathering.tags, in);
  if (!begin_groups (whole, in, error))
    return FALSE;
  whole->gathering.sortable = TRUE;
  whole->gathering.percents = sl_aggregation_takes_percents (aggregation->method, in);
  whole->gathering.tally.exact = whole->gathering.percents || sl_aggregation_is_exact (aggregation);
  whole->tables.percents = learns_percents (aggregation->method, in);
  whole->tables.rated = aggregation->method->fit == sl_fit_rating;
  if (!sl_priors_open (&whole->priors, run, &aggregation->priors, out, error)
      || !check_start (&whole->priors, error)
      || !sl_annotator_tables_open (&whole->tables, run, aggregation->options->annotators,
                                    aggregation->options->confusion, out->classes,
                                    sl_table_has (out, SL_LABELS_GOLD), error))
    return FALSE;
  if (aggregation->method->fit == NULL && aggregation->options->calibrate == NULL
      && !sl_annotator_tables_wanted (&whole->tables))
    return TRUE;
  gboolean named = !(aggregation->method->flags & SL_METHOD_ANONYMOUS)
                   || sl_annotator_tables_wanted (&whole->tables);
  sl_gathering_collect (&whole->gathering, named);
  if (sl_aggregate_calibrates_as (aggregation->options))
    {
      if (!sl_calibration_read (aggregation, out->classes, &whole->calibration, &whole->decided,
                                error))
        return FALSE;
      aggregation->settings.decided
          = aggregation->method->flags & SL_METHOD_SAMPLED ? &whole->decided : NULL;
    }
  else if (aggregation->options->calibrate != NULL && in->kind == &sl_labels
           && !aggregation->settings.fix_gold)
    return sl_error_bad_input (
        error, "%s: these are labels, and --calibrate wants votes to predict, or --gold",
        sl_reader_name (run->in));
  return sl_aggregation_check_answers (aggregation, in, named, error);
}

/* Whether nobody will look at the answers any more once the method has. */
static gboolean
may_spend (const Whole *whole)
{
  const SlAggregation *aggregation = whole->aggregation;
  return aggregation->method->flags & SL_METHOD_SPENDS && aggregation->options->calibrate == NULL
         && aggregation->settings.asked == SL_ASKED_TRUTH && !aggregation->options->partial
         && aggregation->options->priors.groups == NULL && !aggregation->options->frozen
         && !has_parts (whole) && !sl_annotator_tables_wanted (&whole->tables);
}

/* The order of the rows is forgotten, where an item's label depends on others. */
static gboolean
arrange (Whole *whole, double *predictions, GError **error)
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

/* Room for the intervals that the method finds, where labels stay as it makes them. */
static gboolean
make_intervals (Whole *whole, gint32 n_items, GError **error)
{
  const SlAggregateOptions *options = whole->aggregation->options;
  SlLearned *learned = &whole->tables.learned;
  const char *what = "intervals of values";
  SlRun *run = whole->aggregation->run;
  gsize n = (gsize) MAX (n_items, 1);
  if (!whole->tables.rated || options->calibrate != NULL || whole->priors.cost != NULL)
    return TRUE;
  return (learned->lower = sl_run_alloc0 (run, n, sizeof (double), what, error)) != NULL
         && (learned->upper = sl_run_alloc0 (run, n, sizeof (double), what, error)) != NULL;
}

/* ITEMS' labels by the method, from the ANSWERS that were gathered; what it found goes into the
 * history. */
static gboolean
fit (Whole *whole, const SlItems *items, SlAnswers *answers, const double *predictions,
     GError **error)
{
  g_autoptr (GString) found = g_string_new ("{");
  SlItems known = *items;
  *answers = sl_collected_answers (&whole->gathering.answers);
  answers->prediction = predictions;
  whole->tables.learned.found = found;
  if (whole->known_gold != NULL && whole->aggregation->settings.fix_gold)
    known.gold = whole->known_gold;
  g_auto (SlGroupShares) shared = { 0 };
  const double *count = answers->count;
  if (!read_priors (whole, error)
      || (whole->aggregation->options->priors.groups != NULL
          && !sl_share_answers (&whole->priors, whole->gathering.answers.annotators, &known,
                                answers, &shared, error)))
    return FALSE;
  if (!make_intervals (whole, items->n_items, error))
    return FALSE;
  if (may_spend (whole))
    answers->spend = &whole->gathering.answers;
  if (!(has_parts (whole) ? fit_parts : fit_answers) (whole, &known, answers, error))
    return FALSE;
  answers->count = count;
  whole->tables.learned.found = NULL;
  if (found->len > 1)
    {
      g_string_append_c (found, '}');
      sl_run_add_found (whole->aggregation->run, found->str);
    }
  return TRUE;
}

gboolean
sl_aggregate_whole (SlAggregation *aggregation, GError **error)
{
  g_auto (Whole) whole = { .aggregation = aggregation };
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
    label (&whole);
  else if (!fit (&whole, &items, &answers, predictions, error))
    return FALSE;
  if (sl_annotator_tables_wanted (&whole.tables)
      && !sl_annotator_tables_write (&whole.tables, &items, &answers, &whole.gathering, error))
    return FALSE;
  if (aggregation->options->partial)
    return sl_shard_write (aggregation, &items, &answers, &whole.gathering, whole.priors.start_id,
                           error);
  if (whole.gathering.parting.n_without > 0)
    sl_run_warn (aggregation->run,
                 "left out: answers of annotators without '%s': %" G_GINT64_FORMAT,
                 aggregation->options->group, whole.gathering.parting.n_without);
  const gboolean merged = whole.weights.wanted;
  if (merged && !sl_merge_groups (&whole.gathering, &whole.weights, &whole.merged, error))
    return FALSE;
  if (whole.priors.cost != NULL)
    decide (&whole, merged ? &whole.merged.tally : &whole.gathering.tally);
  return sl_row_tags_settle (&whole.gathering.tags, aggregation->run,
                             merged ? whole.merged.items : whole.gathering.items,
                             aggregation->table, error)
         && sl_run_start (aggregation->run, aggregation->table, error)
         && write_items (&whole, error);
}
