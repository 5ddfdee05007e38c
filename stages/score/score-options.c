/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "score-options.h"

#include "chosen-metrics.h"
#include "pipeline/base/error.h"
#include "pipeline/base/number-text.h"

const SlOption sl_score_option_table[] = {
  { .name = "against",
    .kind = SL_OPTION_INPUT,
    .field = offsetof (SlScoreOptions, against),
    .placeholder = "FILE",
    .help = "labels to compare predictions with; also predictions of one run, or annotations, "
            "whose shares of votes are the labels" },
  { .name = "gold",
    .kind = SL_OPTION_INPUT,
    .field = offsetof (SlScoreOptions, gold),
    .placeholder = "FILE",
    .by_itself = "column",
    .help = "right is the gold class, from the column 'gold' or from FILE (a table, "
            "CSV, JSON lines or Parquet with item and gold); without it, the largest class of "
            "--against" },
  { .name = "inner",
    .kind = SL_OPTION_FLAG,
    .field = offsetof (SlScoreOptions, inner),
    .help = "score the items that both tables have, where not all are in both; and runs of "
            "different items, each by its own" },
  { .name = "metrics",
    .kind = SL_OPTION_TEXT,
    .field = offsetof (SlScoreOptions, metrics),
    .choices = sl_metric_names,
    .meanings = sl_metric_definitions,
    .placeholder = "A,B,C",
    .help
    = "which figures are made; all: every one that the tables allow; unless given, the usual "
      "ones. In what follows p is the prediction, t the target, y the class, K the number of "
      "classes, H the entropy; logarithms are natural, 0 log 0 = 0, ties go to the first class" },
  { .name = "by",
    .kind = SL_OPTION_TEXT,
    .field = offsetof (SlScoreOptions, by),
    .placeholder = "KEY,KEY",
    .help = "a row for each value: of a tag, or of class, entropy, run or annotator; none: tables "
            "with different tags are runs of one kind. Unless given, by the tags that differ" },
  { .name = "mean-over",
    .kind = SL_OPTION_TEXT,
    .field = offsetof (SlScoreOptions, mean_over),
    .placeholder = "KEY",
    .help = "a run's figure is the mean of its figures for each value, each with the same weight: "
            "corruption" },
  { .name = "entropy-from",
    .kind = SL_OPTION_INPUT,
    .field = offsetof (SlScoreOptions, entropy_from),
    .placeholder = "FILE",
    .help
    = "for --by entropy: labels or annotations whose entropies items are grouped by, in place "
      "of those of --against, or of the table itself" },
  { .name = "entropy-edges",
    .kind = SL_OPTION_TEXT,
    .field = offsetof (SlScoreOptions, edges),
    .placeholder = "H,H",
    .help = "for --by entropy: where groups begin, in nats (default 0.25)" },
  { .name = "second-best",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (SlScoreOptions, second),
    .choices = (const char *const[]){ "untied", "behind-first", "any", "wrong", NULL },
    .help = "the items of second_best_accuracy. untied: the target has a second class above 0 "
            "that is tied with no other; behind-first: of these, the first class is right; any: "
            "all items; wrong: the first class is not right, and the second is compared with the "
            "target's first" },
  { .name = "clip",
    .kind = SL_OPTION_REAL,
    .field = offsetof (SlScoreOptions, clip),
    .min = 0,
    .max = 0.5,
    .placeholder = "P",
    .help = "take probabilities to [P, 1 - P] before their logarithm; 0: as they are" },
  { .name = "cost",
    .kind = SL_OPTION_INPUT,
    .field = offsetof (SlScoreOptions, cost),
    .placeholder = "FILE",
    .help
    = "for w_cost: CSV with what mass costs to move, a header of classes, then a row a class: "
      "from, to" },
  { .name = "vectors",
    .kind = SL_OPTION_INPUT,
    .field = offsetof (SlScoreOptions, vectors),
    .placeholder = "FILE",
    .help = "for w_cost: word vectors as text (GloVe, word2vec); the cost is 1 - cosine" },
  { .name = "bin-size",
    .kind = SL_OPTION_INTEGER,
    .field = offsetof (SlScoreOptions, bin_size),
    .min = 1,
    .max = 1e9,
    .placeholder = "N",
    .help = "items in a bin of calibration_rms, _l1 and _max" },
  { .name = "skip-last-bin",
    .kind = SL_OPTION_FLAG,
    .field = offsetof (SlScoreOptions, skip_last_bin),
    .help = "leave the last of those bins out, and count its items, as published figures do" },
  { .name = "bins",
    .kind = SL_OPTION_INTEGER,
    .field = offsetof (SlScoreOptions, bins),
    .min = 1,
    .max = 10000,
    .placeholder = "N",
    .help = "bins of equal width, for ece, mce and the like" },
  { .name = "bin-edge",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (SlScoreOptions, edge),
    .choices = (const char *const[]){ "left", "right", NULL },
    .help = "which edge belongs to such a bin: [lo, hi), or (lo, hi]" },
  { .name = "bin-of-one",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (SlScoreOptions, bin_of_one),
    .choices = (const char *const[]){ "last", "own", NULL },
    .help = "the bin of confidence 1: the last, or one more, as torchmetrics has it" },
  { .name = "interval",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (SlScoreOptions, interval),
    .choices = (const char *const[]){ "auto", "none", "t", "normal", "bootstrap", NULL },
    .help
    = "of several runs: mean ± t s / √n, the same with 1.96 for t, or quantiles of runs drawn "
      "again. Of one run: quantiles of items drawn again. auto: t; of one run Wilson's interval "
      "of a share, a formula of balanced_accuracy and ece_rms_debiased, the bootstrap of all "
      "others unless resamples × items are over 50 million. Extremes and other calibration errors "
      "of one run have no interval" },
  { .name = "level",
    .kind = SL_OPTION_REAL,
    .field = offsetof (SlScoreOptions, level),
    .min = 0.5,
    .max = 0.9999,
    .placeholder = "P",
    .help = "the share of intervals that hold what they are about" },
  { .name = "resamples",
    .kind = SL_OPTION_INTEGER,
    .field = offsetof (SlScoreOptions, resamples),
    .min = 10,
    .max = 1e6,
    .placeholder = "N",
    .help = "how often the bootstrap draws" },
  { .name = "questions",
    .kind = SL_OPTION_TEXT,
    .field = offsetof (SlScoreOptions, questions),
    .placeholder = "SEP",
    .help = "several questions were asked about each item: a row's name is the item, SEP and the "
            "question, parted at the last SEP; for lewidi2025_multilabel, and its single "
            "annotators" },
  { .name = "scale",
    .kind = SL_OPTION_REAL,
    .field = offsetof (SlScoreOptions, scale),
    .min = 1e-9,
    .max = 1e9,
    .placeholder = "S",
    .help
    = "what lewidi2025_absolute_distance is divided by; unless given, the largest class less the "
      "smallest, and 1" },
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
  if (options->cost != NULL && options->vectors != NULL)
    return sl_error_usage (error, "--cost and --vectors both say what mass costs to move; one is "
                                  "enough");
  return TRUE;
}
