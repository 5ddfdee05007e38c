/* SPDX-License-Identifier: GPL-3.0-or-later */
/* simulate compare: two tables of answers or labels in; scores of how far they differ out, one row
 * a figure. Single answers are compared by Kolmogorov-Smirnov distances, all answers to an item
 * together by Pearson's correlation. */
#include "pipeline/command/options/option-rows.h"
#include "schemas/annotations.h"
#include "schemas/labels.h"
#include "stages/common/answers/repeats.h"
#include "stages/common/figures/item-entropies.h"
#include "stages/common/figures/vote-figures.h"
#include "simulator/fit-counts.h"
#include "simulator/precision.h"
#include "simulator/sameness.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>

typedef struct
{
  char *entropy_from; /* NULL: one group */
  double route_threshold;
  int repeats; /* SlCounted */
} Options;

static const Options defaults = { .route_threshold = 0.25 };

#define OPTIONS Options

static const SlOption option_table[] = {
  INPUT ("entropy-from", entropy_from, "FILE",
         "compare items of high and of low entropy separately; this table of answers or labels "
         "tells each item's entropy"),
  REAL ("route-threshold", route_threshold, 0, 100, "H",
        "an item is of high entropy if it has H nats or more", .with = "entropy-from"),
  SL_REPEATS_OPTION,
  { 0 },
};

/* One of the two tables. */
typedef struct
{
  SlTable *table;
  gboolean votes; /* it says nothing of percents, or of classes ruled out */
  gboolean typed; /* it says what was typed; labels do not */
  SlFitCounts counts;
  SlPanel people;    /* what they typed */
  SlPace pace;       /* what is recorded beside it is in the counts */
  SlEntropies items; /* entropies of what all answers say of each item */
} Side;

#define NORMAL_975 1.959963984540054 /* the normal quantile, of 95 % intervals */

static void
side_clear (Side *side)
{
  if (side->counts.run != NULL)
    sl_fit_counts_clear (&side->counts);
  sl_panel_clear (&side->people);
  sl_entropies_clear (&side->items);
  g_clear_pointer (&side->table, sl_table_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Side, side_clear)

/* OTHER: the side that has been read before, of the same classes; or NULL. */
static gboolean
read_side (Side *side, SlRun *run, const char *path, const Side *other,
           const SlEntropies *entropies, GError **error)
{
  const Options *options = run->options->values;
  static const SlKind *const kinds[] = { &sl_annotations, &sl_labels, NULL };
  g_autoptr (SlReader) reader = sl_run_open (run, NULL, path, kinds, error);
  if (reader == NULL)
    return FALSE;
  SlTable *table = sl_reader_table (reader);
  side->table = sl_table_ref (table);
  g_autofree gint32 *map = other != NULL ? sl_class_map (reader, other->table, error) : NULL;
  if (other != NULL && map == NULL)
    return FALSE;
  side->typed = table->kind == &sl_annotations;
  side->votes = side->typed && !sl_table_has (table, SL_ANNOTATIONS_CHOICES);
  if (side->votes)
    return sl_entropies_read (&side->items, run, reader, error);
  SlFitCounts *counts = &side->counts;
  sl_fit_counts_init (counts, run, table->n_classes);
  sl_fit_counts_collect_entropies (counts);
  sl_fit_counts_collect_people (counts);
  counts->entropies = entropies;
  counts->threshold = options->route_threshold;
  if (!sl_fit_counts_read (counts, reader, error))
    {
      sl_reader_name_rows (reader, error);
      return FALSE;
    }
  sl_fit_counts_take_people (counts, &side->people, &side->pace);
  sl_entropies_init (&side->items, g_steal_pointer (&counts->items), &counts->tally);
  sl_tally_clear (&counts->tally);
  return TRUE;
}

typedef struct
{
  SlRun *run;
  SlBuilder *builder;
  const char *group; /* of items; NULL: of all */
  const char *table; /* which of the two, as `compare` has it; "": both */
} Scores;

/* BOUND: how far the value's interval reaches; NaN: there is none. */
static void
add_bounded (const Scores *scores, const char *metric, double value, double bound, gint64 n)
{
  g_autofree char *name
      = scores->group != NULL ? g_strconcat (scores->group, ".", metric, NULL) : g_strdup (metric);
  sl_builder_text (scores->builder, SL_SCORES_GROUP, scores->table, strlen (scores->table));
  sl_builder_text (scores->builder, SL_SCORES_METRIC, name, strlen (name));
  sl_builder_real (scores->builder, SL_SCORES_VALUE, value);
  sl_builder_real (scores->builder, SL_SCORES_LOWER, value - bound);
  sl_builder_real (scores->builder, SL_SCORES_UPPER, value + bound);
  sl_builder_int (scores->builder, SL_SCORES_N, n);
}

static void
add (const Scores *scores, const char *metric, double value, gint64 n)
{
  add_bounded (scores, metric, value, (double) NAN, n);
}

/* Makes equal what differs by the order of a sum alone, as entropies of the same shares do: 2^-40
 * is far above rounding, and far below what tells answers apart. */
static void
round_off (GArray *numbers)
{
  for (guint i = 0; i < numbers->len; i++)
    {
      double *number = &g_array_index (numbers, double, i);
      *number = ldexp (rint (ldexp (*number, 40)), -40);
    }
}

/* n is that of the smaller sample, which says how fine a distance can be. */
static void
add_distance (const Scores *scores, const char *metric, GArray *a, GArray *b)
{
  gint64 n = MIN (a->len, b->len);
  round_off (a);
  round_off (b);
  gsl_sort ((double *) (gpointer) a->data, 1, a->len);
  gsl_sort ((double *) (gpointer) b->data, 1, b->len);
  double distance = n > 0 ? sl_sample_distance ((const double *) (gpointer) a->data, a->len,
                                                (const double *) (gpointer) b->data, b->len)
                          : (double) NAN;
  add (scores, metric, distance, n);
}

static GArray *
logs_of (const Side *side, int group)
{
  GArray *logs = g_array_new (FALSE, FALSE, sizeof (double));
  for (guint i = 0; i < side->counts.taken->len; i++)
    {
      const SlTaken *one = &g_array_index (side->counts.taken, SlTaken, i);
      if (one->group == group && sl_taken_is_timed (one))
        g_array_append_val (logs, one->log);
    }
  return logs;
}

static void
compare_seconds (const Scores *scores, const Side *a, const Side *b, int group)
{
  g_autoptr (GArray) x = logs_of (a, group), y = logs_of (b, group);
  if (x->len > 0 && y->len > 0)
    add_distance (scores, "seconds.distance", x, y);
}

/* What single answers say. */
static void
compare_answers (Scores *scores, Side *a, Side *b)
{
  for (int g = 0; g < SL_N_GROUPS; g++)
    {
      SlFitGroup *x = &a->counts.group[g], *y = &b->counts.group[g];
      if (x->answers == 0 && y->answers == 0)
        continue;
      scores->group = g == SL_GROUP_ALL ? NULL : sl_group_names[g];
      add_distance (scores, "top1.distance", x->first, y->first);
      add_distance (scores, "top2.distance", x->second, y->second);
      double a_sum = 0, b_sum = 0, most = 0;
      for (gint32 k = 0; k < a->table->n_classes; k++)
        {
          a_sum += x->alternatives[k] / (double) MAX (x->answers, 1);
          b_sum += y->alternatives[k] / (double) MAX (y->answers, 1);
          most = fmax (most, fabs (a_sum - b_sum));
        }
      gint64 n = MIN (x->answers, y->answers);
      add (scores, "alternatives.distance", n > 0 ? most : (double) NAN, n);
      add_distance (scores, "entropy.distance", x->entropy, y->entropy);
      compare_seconds (scores, a, b, g);
      if (!a->typed || !b->typed)
        continue;
      double expected, apart = sl_energy_distance (&a->people, &b->people, (SlGroup) g,
                                                   a->table->n_classes, &expected);
      add (scores, "joint.distance", apart, n);
      add (scores, "joint.expected", expected, n);
    }
  scores->group = NULL;
}

/* What goes together in whole answers, how much people differ, and how answers change in the course
 * of a session: either table's figure, the difference, and how large that would be on average if
 * other people like these had answered, as the mean size of a normal variable. n is the number of
 * people. Of what is not recorded in both tables there is nothing. */
static void
compare_manners (Scores *scores, const Side *a, const Side *b)
{
  SlMannerFigure x[SL_N_MANNERS], y[SL_N_MANNERS];
  sl_manner_figures (&a->people, a->counts.taken, a->table->n_classes, x);
  sl_manner_figures (&b->people, b->counts.taken, b->table->n_classes, y);
  gint64 n[2] = { a->people.n_people, b->people.n_people }, least = MIN (n[0], n[1]);
  for (int m = 0; m < SL_N_MANNERS; m++)
    {
      if (m >= SL_MANNER_SD_SECONDS && (isnan (x[m].value) || isnan (y[m].value)))
        continue;
      double se = sqrt (x[m].se * x[m].se + y[m].se * y[m].se);
      scores->table = "table=first";
      add_bounded (scores, sl_manner_names[m], x[m].value, NORMAL_975 * x[m].se, n[0]);
      scores->table = "table=second";
      add_bounded (scores, sl_manner_names[m], y[m].value, NORMAL_975 * y[m].se, n[1]);
      scores->table = "table=first - second";
      add_bounded (scores, sl_manner_names[m], x[m].value - y[m].value, NORMAL_975 * se, least);
      scores->table = "";
      g_autofree char *expected = g_strconcat (sl_manner_names[m], ".expected", NULL);
      add (scores, expected, sl_fitted (se * sqrt (2 / G_PI)), least);
    }
}

/* What the answers to an item say together, for the items that both have. */
static void
compare_items (const Scores *scores, const Side *a, const Side *b)
{
  g_autoptr (GArray) x = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) y = g_array_new (FALSE, FALSE, sizeof (double));
  for (gint32 i = 0; i < sl_intern_size (a->items.items); i++)
    {
      gsize length;
      const char *item = sl_intern_get (a->items.items, i, &length);
      double there = sl_entropies_find (&b->items, item, length);
      if (isnan (there) || isnan (a->items.entropy[i]))
        continue;
      g_array_append_val (x, a->items.entropy[i]);
      g_array_append_val (y, there);
    }
  round_off (x);
  round_off (y);
  double pearson = x->len > 1
                       ? gsl_stats_correlation ((const double *) (gpointer) x->data, 1,
                                                (const double *) (gpointer) y->data, 1, x->len)
                       : (double) NAN;
  add (scores, "item_entropy.pearson", pearson, x->len);
  add_distance (scores, "item_entropy.distance", x, y);
}

static gboolean
check_files (const SlRun *run, GError **error)
{
  if (g_strv_length (run->files) == 2)
    return TRUE;
  return sl_error_usage (error, "two tables are compared; name both (- is standard input)");
}

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  g_auto (SlEntropies) entropies = { 0 };
  g_auto (Side) a = { 0 };
  g_auto (Side) b = { 0 };
  if (!check_files (run, error))
    return FALSE;
  if (options->entropy_from != NULL
      && !sl_entropies_open (&entropies, run, options->entropy_from, error))
    return FALSE;
  const SlEntropies *used = options->entropy_from != NULL ? &entropies : NULL;
  if (!read_side (&a, run, run->files[0], NULL, used, error)
      || !read_side (&b, run, run->files[1], &a, used, error))
    return FALSE;
  if (used != NULL && (a.votes || b.votes))
    sl_run_warn (run, "single votes say nothing of percents, so there is nothing to tell apart by "
                      "--entropy-from");
  else if (!a.votes && !b.votes && a.typed != b.typed)
    sl_run_warn (run, "answers are compared with labels, which do not tell what was typed: their "
                      "shares and classes left possible are not alike; `softlabel redistribute` "
                      "makes labels of answers");
  g_autoptr (SlTable) table = sl_table_new (&sl_scores, NULL);
  sl_table_add (table, SL_SCORES_GROUP);
  sl_table_add (table, SL_SCORES_LOWER);
  sl_table_add (table, SL_SCORES_UPPER);
  if (!sl_run_start (run, table, error))
    return FALSE;
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  Scores scores = { run, builder, NULL, "" };
  if (!a.votes && !b.votes)
    compare_answers (&scores, &a, &b);
  if (a.typed && b.typed && !a.votes && !b.votes)
    compare_manners (&scores, &a, &b);
  compare_items (&scores, &a, &b);
  return sl_writer_write_built (run->out, builder, TRUE, error);
}

const SlCommand sl_command_simulate_compare = {
  .name = "simulate compare",
  .summary = "measure how far simulated answers differ from people's",
  .arguments = "FILE FILE",
  .writes = &sl_scores,
  .flags = SL_COMMAND_TABLES,
  .opened = sl_repeats_opened_silently,
  SL_OPTIONS (option_table, defaults),
  .description
  = "Compares two tables of answers with percents, or two tables of labels, and writes one "
    "figure a row.\n\n"
    "Kolmogorov-Smirnov distances (0: alike, 1: nothing in common) compare the shares of "
    "first choices, those of second choices, the numbers of other classes left possible, and "
    "the entropies of the answers' labels (top 2, clamp). Two more figures compare the items "
    "that both tables have, by the entropy of all answers to an item together: Pearson's "
    "correlation, and the distance. n is the size of the smaller sample.\n\n"
    "Of answers with percents, joint.distance is the energy distance of what goes together in one: "
    "first percent, second percent, number of classes left possible, each from 0 to 1. "
    "joint.expected is what it would be on average if other people like these had answered. "
    "Further figures have a row for the first table, one for the second and one for the "
    "difference, each of its group, with 95 % intervals by the jackknife over people. `.expected` "
    "is how large the difference would be on average if other people like these had answered. "
    "They are: how often the percents sum to 100 (sum_100), or to more (sum_above_100); the "
    "correlations of the first percent with the second (r.first_second) and with the number left "
    "possible (r.first_alternatives); and how much people differ, as standard deviations of what "
    "they tend to, without that of the few answers by which it shows: to say 100 (sd.certain), to "
    "name a second class (sd.second), and in the share of other classes that they leave possible "
    "(sd.alternatives).\n\n"
    "Where both tables record it: how much people differ in the logarithm of seconds "
    "(sd.seconds), and the Kolmogorov-Smirnov distance of the seconds (seconds.distance); how "
    "often an item that comes again gets the same class (again.class), and by how much such an "
    "answer changes its percent (again.percent, 0 to 1); and the drift in the course of a session, "
    "as correlations, within people, of the trial with the first percent (r.trial_first) and with "
    "the logarithm of seconds (r.trial_seconds). Attention checks are left out. `report` draws "
    "the figures of both tables side by side.\n\n"
    "Of single votes and counts only the items are compared.\n\n"
    "Memory: 200 bytes an answer, and items × classes.",
  .examples = "softlabel simulate compare human.parquet simulated.parquet\n"
              "    whether a simulation is like what it was fitted to\n"
              "softlabel simulate compare counts.parquet simulated.parquet\n"
              "    whether people doubt where the simulation does\n",
  .run = run,
};
