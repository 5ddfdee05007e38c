/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options.h"

#include "pipeline/command/options/option-rows.h"
#include "stages/common/answers/repeats.h"
#include "stages/common/methods/method.h"

#include <math.h>
#include <string.h>

const SlAggregateOptions sl_aggregate_defaults
    = { .settings = { .temperature = 1, .tolerance = NAN, .smoothing = NAN, .prior_weight = 1 } };

static const char *const asked[] = { "truth", "people", NULL };
static const char *const ties[] = { "lowest", "random", "uniform", NULL };

#define OPTIONS SlAggregateOptions

const SlOption sl_aggregate_option_table[] = {
  CHOICE ("method", method, sl_method_names, "how an item's answers become its label",
          .traits = sl_method_traits, .meanings = sl_method_summaries, .placeholder = "METHOD",
          .or_with = "merge"),
  TEXT ("for", asked, "QUESTION",
        "truth: how likely each class is the right one; people: what the next person would answer. "
        "The table is tagged with it, for=truth or for=people; unless given it is the truth, "
        "without a tag",
        .choices = asked, .with = "method", .of = SL_METHOD_ASKED),
  REAL ("temperature", settings.temperature, 1e-6, 1e6, "T",
        "what the numbers of votes are divided by", .with = "method", .of = SL_METHOD_TEMPERATURE),
  WHOLE ("round", settings.digits, 0, 15, "N",
         "round to N digits after the point (8: as the code released with Uma et al. 2020); 0: not "
         "at all",
         .with = "method", .of = SL_METHOD_ROUND),
  CHOICE ("ties", settings.ties, ties,
          "of classes with equally many votes, the first, one drawn by seed and item, or all in "
          "equal shares",
          .with = "method", .of = SL_METHOD_TIES),
  FLAG ("sorted", sorted,
        "each item's rows come one behind the other: write it as soon as they have passed, holding "
        "one batch in memory, as la does by itself",
        .with = "method", .of = SL_METHOD_LOCAL, .unrecorded = TRUE),
  WHOLE ("iterations", settings.iterations, 0, 1e9, "N",
         "rounds at most; 0: as many as the method has by itself. la: 2 reads everything and votes "
         "again with what was learned",
         .with = "method", .of = SL_METHOD_ITERATIONS),
  REAL ("tolerance", settings.tolerance, 0, 1e9, "D",
        "a round that changes less is the last; unless given, the method's own", .with = "method",
        .of = SL_METHOD_TOLERANCE),
  REAL ("smoothing", settings.smoothing, 0, 1e9, "E",
        "pseudo-counts, or what a method has in their place: they keep it from being certain after "
        "few answers; unless given, the method's own",
        .with = "method", .of = SL_METHOD_SMOOTHING, .or_with = "merge"),
  WHOLE ("restarts", settings.restarts, 0, 1e6, "R",
         "random starts, of which the best is kept (mace: none with --init); 0: as the method has",
         .with = "method", .of = SL_METHOD_RESTARTS),
  INPUT ("gold", priors.gold, "FILE|column",
         "items with a known class keep it (with --for people it is the truth that people err "
         "from). It is read from FILE (a table, CSV, JSON lines or Parquet with item and gold), or "
         "from the gold column of the answers"),
  INPUT ("groups", priors.groups, "FILE",
         "annotators who err alike: FILE (CSV, JSON lines or Parquet) has columns annotator and "
         "group. What a group answers to an item counts as one answer, which its members share; "
         "who is not in FILE is a group alone. For methods that look at who answered"),
  TEXT ("questions", questions, "SEP",
        "several questions were asked about each item: the answers to each question are fitted by "
        "themselves. A row's item is ITEM, SEP and QUESTION, split at the last SEP, as `ingest "
        "--multi-label` writes it (/). For methods that look at who answered"),
  TEXT ("group", group, "ATTRIBUTE",
        "an attribute of annotators (`ingest --annotator-columns`, `join --by annotator`), as "
        "gender: the answers of each of its groups are fitted by themselves, and make a row for "
        "each item and group; answers of annotators without a value are left out"),
  INPUT ("weights", weights, "alike|FILE",
         "one label an item, the mean of the labels of the groups that answered it: all groups "
         "weigh alike, or as FILE says (CSV, JSON lines or Parquet with value and weight), such as "
         "a population's shares",
         .with = "group"),
  SL_REPEATS_OPTION,
  INPUT ("calibrate", calibrate, "FILE",
         "make labels as sure as they are right, judged by answers held back from the method, or "
         "with --gold by the gold classes; or as FILE's labels are, which were calibrated of a "
         "sample by the same method. auto does so by itself; of FILE, its labels of a sample, it "
         "takes over all that it decided",
         .by_itself = SL_BY_ANSWERS, .with = "method",
         .of = SL_METHOD_SHARES | SL_METHOD_POSTERIORS | SL_METHOD_SAMPLED),
  INPUT ("predictions", priors.predictions, "FILE",
         "a table of a model's predictions, or of labels, of each item; several rows of an item, "
         "such as runs, count as their mean",
         .with = "method", .of = SL_METHOD_PREDICTIONS),
  INPUT ("confusion-prior", priors.prior, "FILE",
         "a table of confusion: what is known of annotators, as pseudo-counts", .with = "method",
         .of = SL_METHOD_PRIOR),
  REAL ("prior-weight", settings.prior_weight, 0, 1e9, "W",
        "how many answers for each true class --confusion-prior counts as",
        .with = "confusion-prior"),
  INPUT ("init", priors.start, "FILE",
         "start from this table of confusion, of an earlier run, instead of the vote",
         .with = "method", .of = SL_METHOD_START),
  FLAG ("frozen", frozen, "make labels from what --init says of annotators, and learn nothing",
        .with = "method", .of = SL_METHOD_SHARDS),
  FLAG ("partial", partial,
        "write this part's sums of one round, a table of confusion, instead of labels; they start "
        "from --init, or else from the vote",
        .with = "method", .of = SL_METHOD_SHARDS),
  FLAG ("merge", merge,
        "reads the sums of all parts, joined by `softlabel cat`, and writes the confusion to give "
        "to --init in the next round, by the method and smoothing that they are for; sums of "
        "different rounds or settings are refused",
        .alone = TRUE),
  INPUT ("cost", priors.cost, "FILE",
         "a CSV of what it costs to decide for a class (columns) where another is true (rows, "
         "named by their first column): labels become the class expected to cost least"),
  OUTPUT ("annotators", annotators, "FILE",
          "write what was learned of each annotator: answers, accuracy, agreement, reliability, "
          "trace, spam score; of soft answers also how right their percents are: confidence, how "
          "far others confirm it, slope, strength"),
  OUTPUT ("confusion", confusion, "FILE",
          "write, of each annotator, how often each class is the answer where each class is true"),
  { 0 },
};

static gboolean
refuse (const SlAggregateOptions *options, const char *option, const char *why, GError **error)
{
  return sl_error_usage (error, "--%s %s --method %s", option, why,
                         sl_methods[options->method].name);
}

gboolean
sl_aggregate_streams (const SlAggregateOptions *options)
{
  return options->sorted
         || (sl_methods[options->method].stream != NULL && options->settings.iterations != 2);
}

gboolean
sl_aggregate_gold_is_column (const SlAggregateOptions *options)
{
  return g_strcmp0 (options->priors.gold, "column") == 0;
}

gboolean
sl_aggregate_calibrates_as (const SlAggregateOptions *options)
{
  return options->calibrate != NULL && strcmp (options->calibrate, SL_BY_ANSWERS) != 0;
}

/* One round of a part is not a whole run. */
static gboolean
check_shards (SlOptions *given, GError **error)
{
  const SlAggregateOptions *options = given->values;
  const char *rounds[] = { "iterations", "tolerance", "confusion-prior", "for", "calibrate" };
  const char *labels[] = { "cost", "annotators", "confusion", "frozen" };
  if (options->frozen && options->priors.start == NULL)
    return refuse (options, "frozen", "needs --init, with", error);
  gsize n = G_N_ELEMENTS (rounds) - (options->frozen && sl_aggregate_calibrates_as (options));
  for (gsize i = 0; (options->frozen || options->partial) && i < n; i++)
    if (sl_option_given (given, rounds[i]))
      return refuse (options, rounds[i], "is for a whole run, not for one round of", error);
  for (gsize i = 0; options->partial && i < G_N_ELEMENTS (labels); i++)
    if (sl_option_given (given, labels[i]))
      return refuse (options, labels[i], "does not go with --partial, with", error);
  return TRUE;
}

gboolean
sl_aggregate_check (SlOptions *given, GError **error)
{
  const SlAggregateOptions *options = given->values;
  const SlMethod *method = &sl_methods[options->method];
  if (options->asked != NULL && !g_strv_contains (asked, options->asked))
    return sl_error_usage (error, "--for is truth or people, not '%s'", options->asked);
  if (options->merge)
    return !sl_option_given (given, "method") || method->flags & SL_METHOD_SHARDS
           || refuse (options, "merge", "does not go with", error);
  if (method->flags & SL_METHOD_SAMPLED && options->calibrate != NULL
      && !sl_aggregate_calibrates_as (options))
    return refuse (options, "calibrate", "takes the labels of a sample, --calibrate=FILE, with",
                   error);
  if (method->flags & SL_METHOD_PREDICTIONS && options->priors.predictions == NULL)
    return refuse (options, "predictions", "is needed for", error);
  if (options->priors.groups != NULL
      && (method->fit == NULL || method->flags & SL_METHOD_ANONYMOUS || options->partial))
    return refuse (options, "groups", "is for whole runs of methods that look at who answered, not",
                   error);
  const char *of_one[]
      = { "annotators", "confusion", "init", "confusion-prior", "partial", "frozen", "sorted" };
  if (options->questions != NULL && (method->fit == NULL || method->flags & SL_METHOD_ANONYMOUS))
    return refuse (options, "questions", "is for methods that look at who answered, not", error);
  for (gsize i = 0; options->questions != NULL && i < G_N_ELEMENTS (of_one); i++)
    if (sl_option_given (given, of_one[i]))
      return refuse (options, of_one[i], "is about one question, and there are --questions, with",
                     error);
  const char *of_all[] = { "annotators", "confusion", "init",  "confusion-prior", "partial",
                           "frozen",     "sorted",    "merge", "predictions" };
  for (gsize i = 0; options->group != NULL && i < G_N_ELEMENTS (of_all); i++)
    if (sl_option_given (given, of_all[i]))
      return refuse (options, of_all[i], "does not go with --group, with", error);
  if (options->group != NULL
      && (sl_aggregate_streams (options) || (method->fit == NULL && options->calibrate != NULL)))
    return refuse (options, options->calibrate != NULL ? "calibrate" : "group",
                   "needs all answers of a group at once, not", error);
  if ((options->questions != NULL || options->group != NULL)
      && sl_aggregate_calibrates_as (options))
    return refuse (options, "calibrate",
                   "FILE tells of all answers, and not of parts of them, with", error);
  if (method->stream != NULL && options->settings.iterations > 2)
    return refuse (options, "iterations", "is 1 or 2 for", error);
  const char *whole[] = { "calibrate", "cost", "annotators", "confusion", "groups" };
  for (gsize i = 0; sl_aggregate_streams (options) && i < G_N_ELEMENTS (whole); i++)
    if (sl_option_given (given, whole[i]))
      return refuse (options, whole[i],
                     options->sorted ? "needs all items at once, not --sorted with"
                                     : "needs all items at once, as has --iterations 2 of",
                     error);
  for (gsize i = 1; method->flags & SL_METHOD_ABSTAINS && i < G_N_ELEMENTS (whole); i++)
    if (sl_option_given (given, whole[i]))
      return refuse (options, whole[i], "wants a label of every item, and not all have one with",
                     error);
  if (sl_aggregate_streams (options) && options->priors.gold != NULL
      && !sl_aggregate_gold_is_column (options))
    return refuse (options, "gold", "reads FILE last: not with --sorted, nor with", error);
  return check_shards (given, error);
}
