/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "score-options.h"

#include "pipeline/base/error.h"
#include "pipeline/base/number-text.h"
#include "pipeline/command/options/option-rows.h"
#include "stages/common/answers/repeats.h"

#include <string.h>

gboolean *
sl_metrics_named (const char *list, GError **error)
{
  g_autofree gboolean *named = g_new0 (gboolean, sl_n_metrics);
  g_auto (GStrv) names = g_strsplit (list, ",", -1);
  for (char **name = names; *name != NULL; name++)
    {
      int m = sl_metric_find (*name);
      if (m < 0 && strcmp (*name, "all") != 0)
        {
          sl_error_usage (error, "--metrics: there is no metric '%s'; --help lists them", *name);
          return NULL;
        }
      for (int i = 0; i < sl_n_metrics; i++)
        named[i] |= m < 0 || i == m;
    }
  return g_steal_pointer (&named);
}

static const struct
{
  SlMetricFlags flag;
  const char *what;
} needs[] = {
  { SL_METRIC_SOFT, "labels to compare with: --against FILE" },
  { SL_METRIC_TARGET, "something to compare with: --against FILE, or --gold" },
  { SL_METRIC_CLASS, "classes: --gold, or labels by --against FILE" },
  { SL_METRIC_COST, "what mass costs to move: --cost FILE, or --vectors FILE" },
  { SL_METRIC_ANSWERS, "predictions with a column 'annotator', and annotations by --against FILE" },
  { SL_METRIC_QUESTIONS, "items of several questions: --questions SEP" },
  { SL_METRIC_LOSS, "a column 'loss', as predictions of an attack have" },
  { SL_METRIC_ORDERED, "ordered classes: `softlabel cat --ordered` makes them" },
  { SL_METRIC_RANKED, "items in the order of p, in which `softlabel score` puts them" },
  { SL_METRIC_BY_CLASS, "a row a class, as `softlabel score` has them" },
};

/* What METRIC needs and HAS does not say is there, or NULL. */
static const char *
lacks (const SlMetric *metric, SlMetricFlags has)
{
  for (gsize i = 0; i < G_N_ELEMENTS (needs); i++)
    if (metric->flags & needs[i].flag && !(has & needs[i].flag))
      return needs[i].what;
  return NULL;
}

static gboolean
is_named_itself (const char *list, const char *name)
{
  g_auto (GStrv) names = g_strsplit (list, ",", -1);
  return g_strv_contains ((const char *const *) names, name);
}

gboolean *
sl_metrics_chosen (const char *list, SlMetricFlags usual, SlMetricFlags has, GError **error)
{
  g_autofree gboolean *chosen
      = list != NULL ? sl_metrics_named (list, error) : g_new0 (gboolean, sl_n_metrics);
  gboolean compared = has & SL_METRIC_TARGET;
  if (chosen == NULL)
    return NULL;
  gboolean said = (has & SL_METRIC_SAID) != 0;
  for (int m = 0; m < sl_n_metrics; m++)
    {
      const SlMetric *metric = &sl_metrics[m];
      const char *lacked = lacks (metric, has);
      if (lacked == NULL && said != ((metric->flags & SL_METRIC_SAID) != 0))
        lacked = said ? "predictions or labels, not annotations: `softlabel aggregate` makes "
                        "labels of them"
                      : "annotations";
      if (list == NULL)
        chosen[m] = !(metric->flags & (SL_METRIC_HISTOGRAM | SL_METRIC_BY_CLASS))
                    && (metric->flags & (usual | SL_METRIC_SAID)
                        || (!compared && metric->flags & SL_METRIC_TABLE));
      if (chosen[m] && lacked != NULL && list != NULL && is_named_itself (list, metric->name))
        {
          sl_error_usage (error, "--metrics %s: it needs %s", metric->name, lacked);
          return NULL;
        }
      /* "all" is of single figures. */
      if (list != NULL && metric->flags & (SL_METRIC_HISTOGRAM | SL_METRIC_BY_CLASS)
          && !is_named_itself (list, metric->name))
        chosen[m] = FALSE;
      chosen[m] = chosen[m] && lacked == NULL;
    }
  return g_steal_pointer (&chosen);
}

void
sl_metrics_needs (const gboolean *chosen, guint64 *wanted, guint64 *keep, gboolean *bins,
                  gboolean *ranked)
{
  *wanted = *keep = 0;
  *bins = *ranked = FALSE;
  for (int m = 0; m < sl_n_metrics; m++)
    {
      const SlMetric *metric = &sl_metrics[m];
      if (!chosen[m])
        continue;
      *wanted |= metric->figures;
      *keep
          |= sl_metric_is_mean (metric) ? 0 : metric->figures; /* histograms look at columns, too */
      *bins |= (metric->flags & SL_METRIC_BINS) != 0;
      *ranked |= (metric->flags & SL_METRIC_RANKED) != 0;
    }
}

#define OPTIONS SlScoreOptions

const SlOption sl_score_option_table[] = {
  INPUT ("against", against, "FILE",
         "labels to compare predictions with; also predictions of one run, or annotations, whose "
         "shares of votes are the labels"),
  INPUT ("gold", gold, "FILE",
         "right is the gold class, from the column 'gold' or from FILE (a table, CSV, JSON lines "
         "or Parquet with item and gold); without it, the largest class of --against",
         .by_itself = "column"),
  FLAG ("inner", inner,
        "score the items that both tables have, where not all are in both; and runs of different "
        "items, each by its own"),
  TEXT ("metrics", metrics, "A,B,C",
        "which figures are made; all: every one that the tables allow; unless given, the usual "
        "ones. In what follows p is the prediction, t the target, y the class, K the number of "
        "classes, H the entropy; logarithms are natural, 0 log 0 = 0, ties go to the first class",
        .choices = sl_metric_names, .meanings = sl_metric_definitions),
  TEXT ("by", by, "KEY,KEY",
        "a row for each value: of a tag, or of class, entropy, run, annotator or question; none: "
        "tables with different tags are runs of one kind. Unless given, by the tags that differ"),
  TEXT ("mean-over", mean_over, "KEY",
        "a run's figure is the mean of its figures for each value, each with the same weight: "
        "corruption"),
  INPUT ("entropy-from", entropy_from, "FILE",
         "for --by entropy: labels or annotations whose entropies items are grouped by, in place "
         "of those of --against, or of the table itself"),
  TEXT ("entropy-edges", edges, "H,H",
        "for --by entropy: where groups begin, in nats (default 0.25)"),
  CHOICE (
      "second-best", second, WORDS ("untied", "behind-first", "any", "wrong"),
      "the items of second_best_accuracy. untied: the target has a second class above 0 that is "
      "tied with no other; behind-first: of these, the first class is right; any: all items; "
      "wrong: the first class is not right, and the second is compared with the target's first"),
  REAL ("clip", clip, 0, 0.5, "P",
        "take probabilities to [P, 1 - P] before their logarithm; 0: as they are"),
  INPUT ("cost", cost, "FILE",
         "for w_cost: CSV with what mass costs to move, a header of classes, then a row a class: "
         "from, to"),
  INPUT ("vectors", vectors, "FILE",
         "for w_cost: word vectors as text (GloVe, word2vec); the cost is 1 - cosine"),
  WHOLE ("bin-size", bin_size, 1, 1e9, "N", "items in a bin of calibration_rms, _l1 and _max"),
  FLAG ("skip-last-bin", skip_last_bin,
        "leave the last of those bins out, and count its items, as published figures do"),
  WHOLE ("bins", bins, 1, 10000, "N", "bins of equal width, for ece, mce and the like"),
  CHOICE ("bin-edge", edge, WORDS ("left", "right"),
          "which edge belongs to such a bin: [lo, hi), or (lo, hi]"),
  CHOICE ("bin-of-one", bin_of_one, WORDS ("last", "own"),
          "the bin of confidence 1: the last, or one more, as torchmetrics has it"),
  CHOICE ("interval", interval, WORDS ("auto", "none", "t", "normal", "bootstrap"),
          "of several runs: mean ± t s / √n, the same with 1.96 for t, or quantiles of runs drawn "
          "again. Of one run: quantiles of items drawn again. auto: t; of one run Wilson's "
          "interval of a share, a formula of balanced_accuracy and ece_rms_debiased, the bootstrap "
          "of all others unless resamples × items are over 50 million. Extremes and other "
          "calibration errors of one run have no interval"),
  REAL ("level", level, 0.5, 0.9999, "P", "the share of intervals that hold what they are about"),
  WHOLE ("resamples", resamples, 10, 1e6, "N", "how often the bootstrap draws"),
  TEXT ("questions", questions, "SEP",
        "several questions were asked about each item: a row's name is the item, SEP and the "
        "question, parted at the last SEP, as `ingest --multi-label` writes it (/); for --by "
        "question, exact_match, lewidi2025_multilabel and single annotators of that"),
  REAL ("scale", scale, 1e-9, 1e9, "S",
        "what lewidi2025_absolute_distance is divided by; unless given, the largest class less the "
        "smallest, and 1"),
  SL_REPEATS_OPTION,
  { 0 },
};

double *
sl_score_edges (const SlScoreOptions *options, gint32 *n, GError **error)
{
  const char *text = options->edges != NULL ? options->edges : "0.25";
  g_auto (GStrv) words = g_strsplit (text, ",", -1);
  *n = (gint32) g_strv_length (words);
  g_autofree double *edges = g_new (double, MAX (*n, 1));
  for (gint32 i = 0; i < *n; i++)
    if (!sl_parse_real (words[i], -1, &edges[i]) || edges[i] < 0
        || (i > 0 && edges[i] <= edges[i - 1]))
      {
        sl_error_usage (error, "--entropy-edges '%s': rising numbers are wanted, such as 0.1,0.25",
                        text);
        return NULL;
      }
  return g_steal_pointer (&edges);
}

gboolean
sl_score_has_key (const SlScoreOptions *options, const char *key)
{
  g_auto (GStrv) keys = g_strsplit (options->by != NULL ? options->by : "", ",", -1);
  return g_strv_contains ((const char *const *) keys, key);
}

gboolean
sl_score_check_options (SlOptions *given, GError **error)
{
  const SlScoreOptions *options = given->values;
  gint32 n;
  g_autofree double *edges = sl_score_edges (options, &n, error);
  g_autofree gboolean *named
      = options->metrics != NULL ? sl_metrics_named (options->metrics, error) : NULL;
  if (edges == NULL || (named == NULL && options->metrics != NULL))
    return FALSE;
  if (!sl_score_has_key (options, "entropy")
      && (options->edges != NULL || options->entropy_from != NULL))
    return sl_error_usage (error, "--%s goes with --by entropy",
                           options->edges != NULL ? "entropy-edges" : "entropy-from");
  if (sl_score_has_key (options, "class") && options->against == NULL && options->gold == NULL)
    return sl_error_usage (error, "--by class needs classes: --gold, or labels by --against");
  if (sl_score_has_key (options, "question") && options->questions == NULL)
    return sl_error_usage (error, "--by question needs --questions SEP");
  if (options->cost != NULL && options->vectors != NULL)
    return sl_error_usage (error, "--cost and --vectors both say what mass costs to move; one is "
                                  "enough");
  return TRUE;
}
