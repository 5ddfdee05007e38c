/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "all-figures.h"

#include "pipeline/table/tag-columns.h"
#include "schemas/annotations.h"
#include "stages/common/figures/chances.h"
#include "stages/common/figures/group-agreement.h"
#include "stages/common/figures/vote-figures.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>

#define GOOD 0.75 /* accuracy of an annotator */

void
sl_all_figures_one (GArray *scores, const char *metric, double value, gint64 n)
{
  SlAgreementFigure score = { metric, "", { value, NAN, NAN, n, "", "" }, NULL, NAN };
  g_array_append_val (scores, score);
}

/* The share WHOLE has of PART; NaN of nothing. */
static double
share (double part, double whole)
{
  return whole > 0 ? part / whole : (double) NAN;
}

static void
add_numbers (GArray *scores, const SlGathering *crowd)
{
  const SlTally *tally = &crowd->tally;
  gint64 n_answers = 0;
  for (gint64 i = 0; i < tally->n_items; i++)
    n_answers += (gint64) (tally->weight[i] + 0.5);
  gboolean named = !crowd->answers.anonymous;
  sl_all_figures_one (scores, "items", (double) tally->n_items, tally->n_items);
  sl_all_figures_one (scores, "annotators",
                      named ? sl_intern_size (crowd->answers.annotators) : (double) NAN,
                      named ? n_answers : 0);
  sl_all_figures_one (scores, "answers", (double) n_answers, n_answers);
}

gboolean
sl_all_figures_coefficients (GArray *scores, SlRun *run, const SlAgreed *agreed,
                             const SlIntervalPlan *plan, GError **error)
{
  SlCoefficientResult result[SL_N_COEFFICIENTS];
  gsize bytes = sl_agreement_bytes (agreed, plan);
  if (!sl_run_claim (run, bytes, "what intervals are made of", error))
    return FALSE;
  sl_agreement_coefficients (agreed, plan, result);
  sl_run_release (run, bytes);
  for (int c = 0; c < SL_N_COEFFICIENTS; c++)
    {
      const SlCoefficientRow *row = &sl_coefficient_rows[c];
      SlAgreementFigure score = { row->name, row->definition, result[c], NULL, NAN };
      if ((!row->ordered || agreed->scale.value != NULL)
          && (c != SL_ALPHA_CIRCULAR || agreed->scale.circle > 0))
        g_array_append_val (scores, score);
    }
  return TRUE;
}

/* How well an item's label is known, and would be by twice and by four times as many answers: the
 * mean width of Wilson's interval of the share of its commonest answer, where that share stays. */
static void
add_widths (GArray *scores, SlRun *run, const SlTally *tally, double level)
{
  static const struct
  {
    const char *metric, *definition;
    double times;
  } widths[]
      = { { "share_width",
            "mean width of the interval of the share of an item's commonest answer (Wilson)", 1 },
          { "share_width_2x", "the same with twice as many answers, if the share stays", 2 },
          { "share_width_4x", "the same with four times as many answers", 4 } };
  double mean[G_N_ELEMENTS (widths)] = { 0 };
  for (gint64 i = 0; i < tally->n_items; i++)
    {
      const double *votes = tally->sum + i * tally->n_classes;
      double n = tally->weight[i], most = n * sl_votes_consistency (votes, tally->n_classes);
      for (gsize w = 0; w < G_N_ELEMENTS (widths); w++)
        {
          double lower, upper, times = widths[w].times;
          sl_wilson (times * most, times * n, level, &lower, &upper);
          mean[w] += (upper - lower) / (double) tally->n_items;
        }
    }
  for (gsize w = 0; tally->n_items > 0 && w < G_N_ELEMENTS (widths); w++)
    {
      SlAgreementFigure score = { widths[w].metric,
                                  widths[w].definition,
                                  { mean[w], NAN, NAN, tally->n_items, "", "" } };
      g_array_append_val (scores, score);
    }
  if (tally->n_items > 0)
    sl_run_note (run,
                 "the share of an item's commonest answer is known to within %.2g; with twice as "
                 "many answers it would be to within %.2g, with four times as many %.2g",
                 mean[0] / 2, mean[1] / 2, mean[2] / 2);
}

/* Means over annotators, each by what they answered about items with gold, in the order of their
 * names: rows' order is not to be seen in the rounding. */
static void
add_annotators (GArray *scores, const SlHabits *habits)
{
  double sum = 0, sum_two = 0, least = NAN, tested = 0, in_two = 0;
  gint64 n = 0, good = 0;
  g_autofree gint32 *order = sl_intern_order (habits->names);
  for (guint a = 0; a < habits->of->len; a++)
    {
      const SlHabit *habit
          = &g_array_index (habits->of, SlHabit, order != NULL ? (guint) order[a] : a);
      tested += habit->tested;
      in_two += habit->in_two;
      if (!(habit->tested > 0))
        continue;
      double own = habit->right / habit->tested;
      n++;
      sum += own;
      sum_two += habit->in_two / habit->tested;
      good += own > GOOD;
      least = isnan (least) ? own : MIN (least, own);
    }
  if (habits->second)
    sl_all_figures_one (scores, "top2_accuracy", share (in_two, tested), (gint64) (tested + 0.5));
  if (sl_intern_size (habits->names) == 0)
    return;
  sl_all_figures_one (scores, "annotator_accuracy", share (sum, (double) n), n);
  if (habits->second)
    sl_all_figures_one (scores, "annotator_top2_accuracy", share (sum_two, (double) n), n);
  sl_all_figures_one (scores, "annotator_accuracy_least", least, n);
  sl_all_figures_one (scores, "annotator_accuracy_above_75", share ((double) good, (double) n), n);
}

static void
add_repeats (GArray *scores, const SlHabits *habits)
{
  double repeats = 0, repeated = 0, shifts = 0, shifted = 0;
  for (guint a = 0; a < habits->of->len; a++)
    {
      repeats += g_array_index (habits->of, SlHabit, a).repeats;
      repeated += g_array_index (habits->of, SlHabit, a).repeated;
      shifts += g_array_index (habits->of, SlHabit, a).shifts;
      shifted += g_array_index (habits->of, SlHabit, a).shifted;
    }
  sl_all_figures_one (scores, "repeat_consistency", share (repeated, repeats), (gint64) repeats);
  if (shifts > 0)
    sl_all_figures_one (scores, "repeat_percent_change", share (shifted, shifts), (gint64) shifts);
}

static void
add_seconds (GArray *scores, const SlHabits *habits)
{
  static const struct
  {
    const char *metric;
    double share;
  } quantiles[] = { { "seconds_q1", 0.25 }, { "seconds_median", 0.5 }, { "seconds_q3", 0.75 } };
  gsize n = habits->taken->len;
  double *seconds = (double *) (gpointer) habits->taken->data, sum = 0;
  gsl_sort (seconds, 1, n);
  for (gsize i = 0; i < n; i++)
    sum += seconds[i];
  sl_all_figures_one (scores, "seconds_mean", share (sum, (double) n), (gint64) n);
  for (gsize q = 0; q < G_N_ELEMENTS (quantiles); q++)
    sl_all_figures_one (
        scores, quantiles[q].metric,
        n > 0 ? gsl_stats_quantile_from_sorted_data (seconds, 1, n, quantiles[q].share) : NAN,
        (gint64) n);
}

static void
put_text (SlBuilder *builder, int column, const char *text)
{
  sl_builder_text (builder, column, text, strlen (text));
}

/* Of which group FIGURE is: attribute=value. */
static void
put_group (const SlAgreementFigure *figure, const char *attribute, const SlTable *table,
           SlBuilder *builder)
{
  const int column = sl_table_tag_column (table, attribute);
  g_autofree char *group
      = figure->of != NULL ? g_strconcat (attribute, "=", figure->of, NULL) : g_strdup ("");
  put_text (builder, SL_SCORES_GROUP, group);
  sl_builder_real (builder, SL_SCORES_P, figure->p);
  if (figure->of != NULL)
    put_text (builder, column, figure->of);
  else
    sl_builder_null (builder, column);
}

static void
put_figure (const SlAgreementFigure *figure, const SlTable *table, double level, SlBuilder *builder)
{
  const SlCoefficientResult *result = &figure->result;
  put_text (builder, SL_SCORES_METRIC, figure->metric);
  sl_builder_real (builder, SL_SCORES_VALUE, result->value);
  sl_builder_int (builder, SL_SCORES_N, result->n);
  put_text (builder, SL_SCORES_REASON, result->reason);
  put_text (builder, SL_SCORES_DEFINITION, figure->definition);
  if (!sl_table_has (table, SL_SCORES_LOWER))
    return;
  g_autofree char *interval = *result->interval != '\0'
                                  ? g_strdup_printf ("%g %% %s", level * 100, result->interval)
                                  : g_strdup ("");
  sl_builder_real (builder, SL_SCORES_LOWER, result->lower);
  sl_builder_real (builder, SL_SCORES_UPPER, result->upper);
  put_text (builder, SL_SCORES_INTERVAL, interval);
}

gboolean
sl_all_figures_add (GArray *scores, const SlGathering *crowd, const SlHabits *habits,
                    const SlAgreed *agreed, const SlIntervalPlan *plan, GError **error)
{
  add_numbers (scores, crowd);
  if (!sl_all_figures_coefficients (scores, crowd->run, agreed, plan, error))
    return FALSE;
  add_widths (scores, crowd->run, &crowd->tally, plan->level);
  if (habits->gold)
    add_annotators (scores, habits);
  if (habits->repeat)
    add_repeats (scores, habits);
  if (habits->timed)
    add_seconds (scores, habits);
  return TRUE;
}

gboolean
sl_all_figures_write (const GArray *scores, SlRun *run, double level, const char *attribute,
                      SlTable *table, GError **error)
{
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  for (guint i = 0; i < scores->len; i++)
    {
      const SlAgreementFigure *figure = &g_array_index (scores, SlAgreementFigure, i);
      put_figure (figure, table, level, builder);
      if (attribute != NULL)
        put_group (figure, attribute, table, builder);
    }
  return sl_writer_write_built (run->out, builder, TRUE, error);
}

gboolean
sl_agreement_groups_add (SlAgreementGroups *groups, SlBatch *batch, GError **error)
{
  return groups->column < 0
         || sl_annotator_tags_add (&groups->tags, batch,
                                   batch->column[SL_ANNOTATIONS_ANNOTATOR].text, groups->source,
                                   error);
}

/* ---- groups of annotators ---- */

/* What annotators of the groups are called, and who is in which. */
typedef struct
{
  gint32 *group; /* [n_annotators], by place; -1: none */
  char **name;   /* [n], in the order of sl_intern_order() */
  gint32 n;
} Named;

static void
named_clear (Named *named)
{
  g_free (named->group);
  g_strfreev (named->name);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Named, named_clear)

static void
name_groups (const SlAgreementGroups *groups, const SlGathering *crowd, Named *named)
{
  const SlIntern *annotators = crowd->answers.annotators, *values = groups->tags.tags.tag->values;
  const gint32 n_annotators = sl_intern_size (annotators);
  gint64 without = 0;
  named->n = sl_intern_size (values);
  named->name = g_new0 (char *, named->n + 1);
  named->group = g_new (gint32, MAX (n_annotators, 1));
  g_autofree gint32 *order = sl_intern_order (values), *place = g_new (gint32, named->n + 1);
  for (gint32 g = 0; g < named->n; g++)
    {
      named->name[g] = sl_intern_dup (values, order != NULL ? order[g] : g);
      place[order != NULL ? order[g] : g] = g;
    }
  for (gint32 a = 0; a < n_annotators; a++)
    {
      gsize length;
      const char *name = sl_intern_get (annotators, a, &length);
      gint32 value = sl_annotator_tags_find (&groups->tags, 0, name, length);
      named->group[a] = value >= 0 ? place[value] : -1;
      without += value < 0;
    }
  if (without > 0)
    sl_run_warn (crowd->run, "annotators without %s, who are in no group: %" G_GINT64_FORMAT,
                 groups->key, without);
}

/* Answers of one group alone, in the order of all. */
typedef struct
{
  gint32 *item, *annotator, *answer, *gold;
  double *count, *label, *weight;
} Own;

static void
own_clear (Own *own)
{
  g_free (own->item);
  g_free (own->annotator);
  g_free (own->answer);
  g_free (own->gold);
  g_free (own->count);
  g_free (own->label);
  g_free (own->weight);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Own, own_clear)

static void
take_own (Own *own, const SlAgreed *agreed, const Named *named, gint32 group, SlItems *items,
          SlAnswers *answers)
{
  const SlByItem *by = agreed->by;
  const gsize n_classes = (gsize) by->n_classes, n = (gsize) by->n_answers;
  g_autofree gint32 *number = g_new (gint32, MAX (by->n_annotators, 1));
  gint32 n_annotators = 0, n_items = 0;
  gint64 n_own = 0;
  *own = (Own){ .item = g_new (gint32, n + 1),
                .annotator = g_new (gint32, n + 1),
                .answer = g_new (gint32, n + 1),
                .gold = g_new (gint32, by->n_items + 1),
                .count = g_new (double, n + 1),
                .label = g_new0 (double, (gsize) by->n_items *n_classes + 1),
                .weight = g_new0 (double, (gsize) by->n_items + 1) };
  for (gint32 a = 0; a < by->n_annotators; a++)
    number[a] = named->group[a] == group ? n_annotators++ : -1;
  for (gint32 i = 0; i < by->n_items; i++)
    {
      gint64 before = n_own;
      for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
        {
          if (number[by->annotator[j]] < 0)
            continue;
          double count = sl_by_item_count (by, j);
          own->item[n_own] = n_items;
          own->annotator[n_own] = number[by->annotator[j]];
          own->answer[n_own] = by->answer[j];
          own->count[n_own++] = count;
          own->weight[n_items] += count;
          own->label[(gsize) n_items * n_classes + (gsize) by->answer[j]] += count;
        }
      own->gold[n_items] = agreed->items->gold != NULL ? agreed->items->gold[i] : -1;
      n_items += n_own > before;
    }
  *items = (SlItems){ n_items, by->n_classes, own->label, own->weight, own->gold, NULL };
  *answers = (SlAnswers){ .n_answers = n_own,
                          .n_annotators = n_annotators,
                          .item = own->item,
                          .annotator = own->annotator,
                          .answer = own->answer,
                          .count = own->count };
}

static gboolean
add_own (const SlAgreed *agreed, const Named *named, gint32 group, SlRun *run,
         const SlIntervalPlan *plan, GArray *scores, GError **error)
{
  g_auto (Own) own;
  SlItems items;
  SlAnswers answers;
  take_own (&own, agreed, named, group, &items, &answers);
  g_auto (SlByItem) by;
  sl_by_item_init (&by, &items, &answers, 0);
  const SlAgreed theirs = { agreed->scale, &items, &by };
  double n = 0;
  for (gint64 j = 0; j < answers.n_answers; j++)
    n += own.count[j];
  guint first = scores->len;
  sl_all_figures_one (scores, "items", items.n_items, items.n_items);
  sl_all_figures_one (scores, "annotators", answers.n_annotators, (gint64) (n + 0.5));
  sl_all_figures_one (scores, "answers", n, (gint64) (n + 0.5));
  if (!sl_all_figures_coefficients (scores, run, &theirs, plan, error))
    return FALSE;
  for (guint s = first; s < scores->len; s++)
    g_array_index (scores, SlAgreementFigure, s).of = g_intern_string (named->name[group]);
  return TRUE;
}

#define WITHIN                                                                                     \
  "alpha of pairs of annotators of one group: 1 - their disagreement / that of any two answers"
#define BETWEEN "the same of pairs of annotators of two groups"
#define DIFFERENCE "within less between; p by permuting groups among annotators"

/* NAMES: of within, between and their difference. */
static void
add_compared (const SlGroupFigures *figure, const char *const *names, const char *of,
              GArray *scores)
{
  const SlAgreementFigure rows[] = { { names[0], WITHIN, figure->within, of, NAN },
                                     { names[1], BETWEEN, figure->between, of, NAN },
                                     { names[2], DIFFERENCE, figure->difference, of, figure->p } };
  g_array_append_vals (scores, rows, G_N_ELEMENTS (rows));
}

gboolean
sl_agreement_groups_figures (const SlAgreementGroups *groups, SlGathering *crowd,
                             const SlAgreed *agreed, const SlIntervalPlan *plan, GArray *scores,
                             GError **error)
{
  static const char *const names[] = { "alpha_within", "alpha_between", "alpha_difference" };
  static const char *const ordered[]
      = { "alpha_interval_within", "alpha_interval_between", "alpha_interval_difference" };
  g_auto (Named) named = { 0 };
  if (groups->column < 0)
    return TRUE;
  name_groups (groups, crowd, &named);
  SlGroups compared = { agreed->by, named.group, named.n, NULL, groups->permutations };
  gsize bytes = 2 * sl_group_agreement_bytes (&compared, plan);
  g_autofree SlGroupFigures *figure = g_new0 (SlGroupFigures, named.n + 1),
                            *valued = g_new0 (SlGroupFigures, named.n + 1);
  if (!sl_run_claim (crowd->run, bytes, "pairs of annotators, and what items say of groups", error))
    return FALSE;
  sl_group_agreement (&compared, plan, figure);
  compared.value = agreed->scale.value;
  if (compared.value != NULL)
    sl_group_agreement (&compared, plan, valued);
  sl_run_release (crowd->run, bytes);
  for (gint32 g = named.n, n = 0; n <= named.n; g = n++)
    {
      const char *of = g < named.n ? g_intern_string (named.name[g]) : NULL;
      add_compared (&figure[g], names, of, scores);
      if (compared.value != NULL)
        add_compared (&valued[g], ordered, of, scores);
      if (g < named.n && !add_own (agreed, &named, g, crowd->run, plan, scores, error))
        return FALSE;
    }
  return TRUE;
}
