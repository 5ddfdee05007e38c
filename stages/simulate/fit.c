/* SPDX-License-Identifier: GPL-3.0-or-later */
/* simulate fit: annotations or labels in; a simulator of such answers out. Model: Collins, MPhil
 * thesis, Cambridge 2022, appendix B.5: Beta distributions of the shares that people give to their
 * first and second choice, a histogram of the classes they leave possible, and the order in which
 * classes come to mind. */
#include "pipeline/command/options/option-rows.h"
#include "pipeline/command/run.h"
#include "schemas/annotations.h"
#include "schemas/labels.h"
#include "stages/common/answers/repeats.h"
#include "stages/simulate/simulator/fit-counts.h"
#include "stages/simulate/simulator/likeness.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <gsl/gsl_statistics_double.h>

/* A fit beside what it was fitted to. */

static const double points[] = { .05, .25, .5, .75, .95 };

static void
append_share (GString *text, const char *group, const char *name, const SlShare *share,
              const GArray *values)
{
  if (share->n == 0)
    return;
  g_string_append_printf (text, "%-5s  %-5s  %8" G_GINT64_FORMAT "  %.3f  %8.4f  %8.4f  %8.3f ",
                          group, name, share->n, share->mean, share->beta.alpha, share->beta.beta,
                          share->distance);
  g_string_append (text, "  data");
  for (gsize i = 0; i < G_N_ELEMENTS (points); i++)
    g_string_append_printf (
        text, "  %.3f",
        gsl_stats_quantile_from_sorted_data ((const double *) (gpointer) values->data, 1,
                                             values->len, points[i]));
  g_string_append_printf (text, "\n%68s", "fit ");
  for (gsize i = 0; i < G_N_ELEMENTS (points); i++)
    g_string_append_printf (text, "  %.3f",
                            share->scale * sl_beta_quantile (share->beta, points[i]));
  g_string_append_c (text, '\n');
}

/* The shares of OBSERVED are sorted. */
static void
fit_report (SlRun *run, const SlSimulator *simulator, const SlFitCounts *counts)
{
  g_autoptr (GString) text = g_string_new ("group  share    values   mean     alpha      beta  "
                                           "distance        5 %    25 %   50 %   75 %   95 %\n");
  for (int g = 0; g < SL_N_GROUPS; g++)
    {
      append_share (text, sl_group_names[g], "top1", &simulator->group[g].first,
                    counts->group[g].first);
      append_share (text, sl_group_names[g], "top2", &simulator->group[g].second,
                    counts->group[g].second);
    }
  for (int g = 0; g < SL_N_GROUPS; g++)
    {
      if (simulator->group[g].answers == 0)
        continue;
      g_string_append_printf (
          text, "%-5s  other classes left possible, answers with 0, 1, ...:", sl_group_names[g]);
      for (gint32 k = 0; k < MIN (simulator->n_classes, 20); k++)
        g_string_append_printf (text, " %.0f", simulator->group[g].alternatives[k]);
      g_string_append (text, simulator->n_classes > 20 ? " ...\n" : "\n");
    }
  if (sl_panel_is_there (&simulator->people))
    g_string_append_printf (text, "people: %d; intraclass correlation of their answers: %.3f\n",
                            simulator->people.n_people, simulator->people.icc);
  sl_run_report (run, text->str);
}

enum
{
  BY_LIKELIHOOD,
  BY_MOMENTS,
  BY_AUTHORS,
};

/* Of the code that Collins fitted with: what is put in the place of shares of 1 and of 0. */
#define AUTHORS_ONE 0.95
#define AUTHORS_ZERO 1e-5

enum
{
  JOINT_AUTO,
  JOINT_ANSWERS,
  JOINT_NONE,
};

typedef struct
{
  int estimator;      /* BY_... */
  double clip;        /* (0, 0.5); NaN: the estimator's own */
  char *entropy_from; /* NULL: one group */
  double route_threshold;
  char *vectors, *likeness; /* at most one of them; both NULL: the answers themselves */
  int repeats;              /* SlCounted */
  int joint;                /* JOINT_... */
  int violations;           /* 0 refuse, 1 keep */
  gboolean report;
} Options;

static const Options defaults = { .clip = NAN, .route_threshold = 0.25 };

static const char *const estimators[] = { "mle", "moments", "authors", NULL };
static const char *const violations[] = { "refuse", "keep", NULL };
static const char *const joints[] = { "auto", "answers", "none", NULL };

#define OPTIONS Options

static const SlOption option_table[] = {
  CHOICE ("estimator", estimator, estimators,
          "how a Beta distribution is fitted: mle by maximum likelihood; moments by mean and "
          "variance; authors as the code behind the thesis does, to finished labels"),
  REAL ("clip", clip, 1e-12, 0.49, "C",
        "bring shares into [C, 1 - C] before they are fitted; unless given, C is 0.001, and 1e-5 "
        "for authors",
        .with = "estimator", .of = 1 << BY_LIKELIHOOD | 1 << BY_AUTHORS),
  INPUT ("entropy-from", entropy_from, "FILE",
         "fit items of high and of low entropy separately; this table of answers or labels tells "
         "each item's entropy"),
  REAL ("route-threshold", route_threshold, 0, 100, "H",
        "an item is of high entropy if it has H nats or more", .with = "entropy-from"),
  INPUT ("vectors", vectors, "FILE",
         "likeness of classes: the cosine of the word vectors of their names, from this text file "
         "(GloVe, word2vec)"),
  INPUT ("likeness", likeness, "FILE",
         "likeness of classes: as this table says, either confusion (how often one class is taken "
         "for the other) or labels (how often they go together)"),
  SL_REPEATS_OPTION,
  CHOICE ("joint", joint, joints,
          "how an answer's percents and the number of classes it leaves possible go together: "
          "answers keeps every person's answers, of which whole ones are drawn; none draws each "
          "part by itself, from what was fitted to it; auto is answers, but none of labels and "
          "with --estimator authors"),
  CHOICE (
      "violations", violations, violations,
      "what to do about a percent outside 0 to 100: stop, or keep it as it was typed, among what "
      "that person said, and leave it out of the Beta distributions"),
  FLAG ("report", report,
        "compare the fit with the data on standard error: quantiles, and the Kolmogorov-Smirnov "
        "distance of each share",
        .unrecorded = TRUE),
  { 0 },
};

static gboolean
check_options (SlOptions *given, GError **error)
{
  const Options *options = given->values;
  if (options->vectors != NULL && options->likeness != NULL)
    return sl_error_usage (error, "--vectors and --likeness exclude each other");
  if (g_strcmp0 (options->vectors, "-") == 0)
    return sl_error_usage (error, "--vectors needs a file; standard input is for the answers");
  return TRUE;
}

/* The largest value is the scale: with beta below 1, as here, the likelihood of a scale grows
 * without end as it comes down to that. Leaves sorted shares of it. */
static double
scale_values (double *x, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    x[i] = x[i] >= 1 ? AUTHORS_ONE : x[i] <= 0 ? AUTHORS_ZERO : x[i];
  gsl_sort (x, 1, (gsize) n);
  double scale = x[n - 1];
  for (gint64 i = 0; i < n; i++)
    x[i] /= scale;
  return scale;
}

/* Sorts VALUES on the way. */
static SlShare
fit_share (const Options *options, GArray *values)
{
  SlShare share = { .n = values->len, .scale = 1 };
  gboolean authors = options->estimator == BY_AUTHORS;
  double clip = !isnan (options->clip) ? options->clip : authors ? 1e-5 : 1e-3;
  if (share.n == 0)
    return share;
  double *x = (double *) (gpointer) values->data;
  gsl_sort (x, 1, values->len);
  if (authors)
    share.scale = scale_values (x, share.n);
  for (gint64 i = 0; i < share.n; i++)
    share.mean += x[i] / (double) share.n;
  for (gint64 i = 0; i < share.n; i++)
    share.variance += (x[i] - share.mean) * (x[i] - share.mean) / (double) share.n;
  share.beta = options->estimator == BY_MOMENTS ? sl_beta_by_moments (share.mean, share.variance)
                                                : sl_beta_by_likelihood (x, share.n, clip);
  share.distance = sl_beta_distance (share.beta, x, share.n);
  /* What the values are, not their parts of the scale. */
  for (gint64 i = 0; authors && i < share.n; i++)
    x[i] *= share.scale;
  share.mean *= share.scale;
  share.variance *= share.scale * share.scale;
  return share;
}

static gboolean
fit_groups (const Options *options, SlSimulator *simulator, const SlFitCounts *counts,
            const char *name, GError **error)
{
  gint64 answers = 0;
  for (int g = 0; g < SL_N_GROUPS; g++)
    {
      const SlFitGroup *from = &counts->group[g];
      SlGroupFit *fit = &simulator->group[g];
      answers += from->answers;
      fit->answers = from->answers;
      fit->first = fit_share (options, from->first);
      fit->second = fit_share (options, from->second);
      for (gint32 k = 0; k < counts->n_classes; k++)
        fit->alternatives[k] = from->alternatives[k];
      if (from->answers == 0 || fit->first.n > 0)
        continue;
      return sl_error_bad_input (
          error, "%s: no first choice%s%s has a percent, so there is nothing to fit", name,
          g == SL_GROUP_ALL ? "" : " in the group ", g == SL_GROUP_ALL ? "" : sl_group_names[g]);
    }
  if (answers > 0)
    return TRUE;
  return sl_error_bad_input (error, "%s: there are no answers in it", name);
}

/* Fills the simulator's likeness, from what OBSERVED has or from the file that an option names. */
static gboolean
find_likeness (SlSimulator *simulator, SlRun *run, const SlFitCounts *counts, GError **error)
{
  const Options *options = run->options->values;
  const SlTable *in = sl_reader_table (run->in);
  if (options->vectors != NULL)
    return sl_likeness_of_names (simulator->likeness, run, options->vectors, in, error);
  if (options->likeness != NULL)
    return sl_likeness_of_table (simulator->likeness, run, options->likeness, in, error);
  sl_likeness_together (simulator->likeness, counts->likeness, counts->mass, in->n_classes);
  return TRUE;
}

/* A class that goes with none is followed by the others in class order, which is no one's wish. */
static void
warn_of_lone_classes (SlRun *run, const SlSimulator *simulator)
{
  gint32 n = simulator->n_classes, lone = 0, one = -1;
  for (gint32 c = 0; c < n; c++)
    {
      double most = 0;
      for (gint32 k = 0; k < n; k++)
        if (k != c)
          most = fmax (most, fabs (simulator->likeness[(gsize) c * (gsize) n + (gsize) k]));
      if (most > 0)
        continue;
      lone++;
      one = one < 0 ? c : one;
    }
  if (lone > 0 && n > 1)
    sl_run_warn (run,
                 "%d of %d classes go with no other ('%s'%s), so those that are simulated beside "
                 "them are the first in class order; --likeness or --vectors can tell more",
                 lone, n, sl_reader_table (run->in)->classes[one], lone > 1 ? ", ..." : "");
}

static gboolean
is_joint (const SlRun *run, gboolean *joint, GError **error)
{
  const Options *options = run->options->values;
  gboolean labels = sl_reader_table (run->in)->kind == &sl_labels;
  *joint = options->joint == JOINT_ANSWERS
           || (options->joint == JOINT_AUTO && !labels && options->estimator != BY_AUTHORS);
  return !(labels && *joint)
         || sl_error_usage (error, "--joint answers: labels do not tell what was typed");
}

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  const SlTable *in = sl_reader_table (run->in);
  gboolean joint;
  if (!is_joint (run, &joint, error))
    return FALSE;
  g_auto (SlEntropies) entropies = { 0 };
  g_auto (SlSimulator) simulator = { 0 };
  g_auto (SlFitCounts) counts = { 0 };
  sl_fit_counts_init (&counts, run, in->n_classes);
  if (options->estimator == BY_AUTHORS)
    sl_fit_counts_finish_labels (&counts);
  if (joint)
    sl_fit_counts_collect_people (&counts);
  counts.conversion.clamp = options->violations == 1;
  gboolean own_likeness = options->vectors == NULL && options->likeness == NULL;
  if (!sl_simulator_init (&simulator, in->n_classes, run, error)
      || (own_likeness && !sl_fit_counts_collect_likeness (&counts, error))
      || (options->entropy_from != NULL
          && !sl_entropies_open (&entropies, run, options->entropy_from, error)))
    return FALSE;
  if (options->entropy_from != NULL)
    {
      counts.entropies = &entropies;
      counts.threshold = simulator.threshold = options->route_threshold;
    }
  if (!sl_fit_counts_read (&counts, run->in, error)
      || !fit_groups (options, &simulator, &counts, sl_reader_name (run->in), error)
      || !find_likeness (&simulator, run, &counts, error))
    return FALSE;
  if (joint)
    sl_fit_counts_take_people (&counts, &simulator.people, &simulator.pace);
  warn_of_lone_classes (run, &simulator);
  if (counts.untyped > 0)
    sl_run_note (run, "first choices without a percent, left out: %" G_GINT64_FORMAT,
                 counts.untyped);
  if (counts.heaviest > counts.lightest)
    sl_run_warn (run, "each label counts once, though weights go from %g to %g", counts.lightest,
                 counts.heaviest);
  if (options->report)
    fit_report (run, &simulator, &counts);
  g_autoptr (SlTable) table = sl_table_new (&sl_simulator, (const char *const *) in->classes);
  sl_table_add (table, SL_SIMULATOR_CLASS);
  sl_table_add (table, SL_SIMULATOR_OTHER);
  for (int column = SL_SIMULATOR_PERSON; joint && column <= SL_SIMULATOR_REPAIRED; column++)
    sl_table_add (table, column);
  return sl_run_start (run, table, error) && sl_simulator_write (&simulator, run, table, error);
}

static const SlKind *const reads[] = { &sl_annotations, &sl_labels, NULL };

const SlCommand sl_command_simulate_fit = {
  .name = "simulate fit",
  .summary = "fit a simulator to people's answers",
  .arguments = "[FILE…]",
  .reads = reads,
  .writes = &sl_simulator,
  .opened = sl_repeats_opened_silently,
  SL_OPTIONS (option_table, defaults),
  .description
  = "Learns four things from answers with percents: a Beta distribution of the first "
    "choice's percent, another of the second choice's, how many other classes people leave "
    "possible, and how much each class is like each other one. `softlabel simulate elicit` "
    "then answers for any items, as these people would.\n\n"
    "The three numbers of an answer go together: whoever is sure names no second class, and "
    "percents sum to 100 more often than not. And people differ: some are always sure, some rule "
    "nothing out. So the table also keeps what each person said, without items, classes or names "
    "(--joint answers), and icc, the intraclass correlation of a person's answers: the mean of "
    "those of saying 100, of naming a second class, and of the number of classes left "
    "possible.\n\n"
    "Labels do not tell what was typed. Of a label, the largest probability stands for the "
    "first choice's percent, the second largest for the second choice's, and the classes "
    "above 0 are those left possible. Each counts once, whatever its weight, unless that is 0.\n\n"
    "Two classes are alike as much as they go together in the answers: the mean mass that "
    "one of them gets in labels (top 2, clamp) which mean the other. --vectors and "
    "--likeness say otherwise.\n\n"
    "--estimator authors is the recipe of the code behind the thesis. It fits finished "
    "labels (top 2, clamp, as the released code makes them): the largest probability, the "
    "largest one below that, and the classes above 0. A share of 1 counts as 0.95, one of 0 "
    "as 1e-5. Shares are divided by the largest of them before the Beta is fitted; the table "
    "keeps that as scale, and `simulate elicit` multiplies by it.\n\n"
    "A percent outside 0 to 100 is an error, unless --violations keep is given; a missing one is "
    "left out. Attention checks are no answers about items; rows that `exclude --mark` has marked "
    "are left out. The table's mean and variance are those of the shares before they are "
    "clipped.\n\n"
    "Where the table has seconds, they are fitted, too: their logarithm is normal, with a mean and "
    "a deviation of each group, a deviation over people and, with trials, a drift in the course of "
    "a session. Where it has repeats, so are how often an item comes again, and how often it then "
    "gets the same class, and the same percent; where it has attention checks, how many of the "
    "answers these are, how often they are right, and how much people differ in that. Answers that "
    "rule out what they choose, and first percents that were replaced, are kept as such. `simulate "
    "elicit --study` writes all of that.\n\n"
    "Memory: 16 bytes an answer, 180 with --joint answers, and classes × classes.",
  .examples
  = "softlabel simulate fit --report answers.parquet -o fit.parquet\n"
    "    one model of all items, and how well it fits\n"
    "softlabel simulate fit --entropy-from counts.parquet answers.parquet -o fit.parquet\n"
    "    items that people agree on, and items that they do not, apart\n",
  .check = check_options,
  .run = run,
};
