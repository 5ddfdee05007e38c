/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "group-agreement.h"

#include "pair-kappas.h"
#include "pipeline/base/parallel.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define PIECE 16 /* resamples, or permutations, for one thread */
#define MOST_BLOCKS                                                                                \
  10000                /* of items; beyond it, they are drawn in blocks of each so many-th item */
#define MOST_TERMS 2e7 /* of all blocks */

/* Pairs within and between, as sums of distances and of numbers. */
typedef struct
{
  double within, n_within, between, n_between;
} Sums;

typedef struct
{
  gint32 first, second;
  double sum, n;
} Pair;

typedef struct
{
  const SlGroups *groups;
  const SlIntervalPlan *plan;
  gint32 n_blocks;
  gsize size;        /* of a block's terms: Sums of each figure, and then the margins */
  double *terms;     /* [n_blocks][size] */
  double *total;     /* [size] */
  GArray *pairs;     /* of Pair */
  double *drawn;     /* [3][n_figures][resamples] */
  gint32 *annotator; /* [n_grouped]: who has a group */
  gint32 n_grouped;
  gint64 *as_large; /* [pieces][n_figures] */
} Work;

static gint32
n_figures (const SlGroups *groups)
{
  return groups->n_groups + 1;
}

static gsize
n_margins (const SlGroups *groups)
{
  return groups->value != NULL ? 3 : (gsize) groups->by->n_classes;
}

static gsize
terms_size (const SlGroups *groups)
{
  return (gsize) n_figures (groups) * 4 + n_margins (groups);
}

static double *
terms_of (const Work *work, gint32 item)
{
  return work->terms + (gsize) (item % work->n_blocks) * work->size;
}

static double
distance (const SlGroups *groups, gint32 k, gint32 l)
{
  double apart = groups->value != NULL ? groups->value[k] - groups->value[l] : k != l;
  return apart * apart;
}

/* A pair of annotators of groups G and H: SUMS, of all figures, get its distances SUM, of N. */
static inline void
add_pair (Sums *sums, gint32 n_groups, gint32 g, gint32 h, double sum, double n)
{
  if (g == h)
    {
      sums[g].within += sum, sums[g].n_within += n;
      sums[n_groups].within += sum, sums[n_groups].n_within += n;
      return;
    }
  sums[g].between += sum, sums[g].n_between += n;
  sums[h].between += sum, sums[h].n_between += n;
  sums[n_groups].between += sum, sums[n_groups].n_between += n;
}

static void
visit (gint32 first, gint32 second, const SlPairCell *cells, gsize n, gpointer data)
{
  Work *work = data;
  const SlGroups *groups = work->groups;
  gint32 g = groups->group[first], h = groups->group[second];
  Pair pair = { first, second, 0, 0 };
  if (g < 0 || h < 0)
    return;
  for (gsize c = 0; c < n; c++)
    {
      const SlPairCell *cell = &cells[c];
      double apart = cell->weight * distance (groups, cell->first_class, cell->second_class);
      add_pair ((Sums *) (gpointer) terms_of (work, cell->item), groups->n_groups, g, h, apart,
                cell->weight);
      pair.sum += apart;
      pair.n += cell->weight;
    }
  g_array_append_val (work->pairs, pair);
}

/* Answers to items that two annotators with groups have answered. */
static void
add_margins (Work *work)
{
  const SlGroups *groups = work->groups;
  const SlByItem *by = groups->by;
  for (gint32 i = 0; i < by->n_items; i++)
    {
      gint32 one = -1;
      gboolean paired = FALSE;
      for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
        if (groups->group[by->annotator[j]] >= 0)
          {
            paired = paired || (one >= 0 && one != by->annotator[j]);
            one = by->annotator[j];
          }
      double *margin = terms_of (work, i) + n_figures (groups) * 4;
      for (gint64 j = by->first[i]; paired && j < by->first[i + 1]; j++)
        {
          double n = sl_by_item_count (by, j);
          double v = groups->value != NULL ? groups->value[by->answer[j]] : 0;
          if (groups->group[by->annotator[j]] < 0)
            continue;
          if (groups->value == NULL)
            margin[by->answer[j]] += n;
          else
            margin[0] += n, margin[1] += n * v, margin[2] += n * v * v;
        }
    }
}

/* D_e */
static double
expected (const SlGroups *groups, const double *margin)
{
  double all = 0, alike = 0;
  if (groups->value != NULL)
    return 2 * (margin[0] * margin[2] - margin[1] * margin[1]) / (margin[0] * (margin[0] - 1));
  for (gint32 k = 0; k < groups->by->n_classes; k++)
    {
      all += margin[k];
      alike += margin[k] * (margin[k] - 1);
    }
  return 1 - alike / (all * (all - 1));
}

/* value[3][n_figures]: within, between and their difference; NaN: there are no such pairs. */
static void
figures_of (const SlGroups *groups, const double *terms, double *value)
{
  const gint32 n = n_figures (groups);
  const Sums *sums = (const Sums *) (gconstpointer) terms;
  double chance = expected (groups, terms + n * 4);
  for (gint32 f = 0; f < n; f++)
    {
      gboolean told = chance > 0; /* not NaN */
      value[f] = told && sums[f].n_within > 0 ? 1 - sums[f].within / sums[f].n_within / chance
                                              : (double) NAN;
      value[n + f] = told && sums[f].n_between > 0
                         ? 1 - sums[f].between / sums[f].n_between / chance
                         : (double) NAN;
      value[2 * n + f] = value[f] - value[n + f];
    }
}

static void
draw_piece (int piece, gpointer data)
{
  const Work *work = data;
  const SlBootstrap *bootstrap = &work->plan->bootstrap;
  gint64 first = (gint64) piece * PIECE, end = MIN (first + PIECE, bootstrap->resamples);
  const gsize n_values = 3 * (gsize) n_figures (work->groups);
  guint32 purpose = sl_random_purpose ("agreement: bootstrap of items, groups of annotators");
  g_autofree guint32 *count = g_new (guint32, MAX (work->n_blocks, 1));
  g_autofree double *sum = g_new (double, work->size), *value = g_new (double, n_values);
  for (gint64 r = first; r < end; r++)
    {
      SlRandom random = sl_random (bootstrap->seed, purpose, bootstrap->key, 0, (guint32) r);
      sl_draw_counts (&random, (guint32) work->n_blocks, count);
      memset (sum, 0, work->size * sizeof *sum);
      for (gint32 b = 0; b < work->n_blocks; b++)
        for (gsize t = 0; count[b] > 0 && t < work->size; t++)
          sum[t] += count[b] * work->terms[(gsize) b * work->size + t];
      figures_of (work->groups, sum, value);
      for (gsize v = 0; v < n_values; v++)
        work->drawn[v * (gsize) bootstrap->resamples + (gsize) r] = value[v];
    }
}

/* Distances between less those within, which within less between is in proportion to. */
static double
apart (const Sums *sums)
{
  return sums->between / sums->n_between - sums->within / sums->n_within;
}

static void
permute_piece (int piece, gpointer data)
{
  const Work *work = data;
  const SlGroups *groups = work->groups;
  const gint32 n = n_figures (groups);
  gint64 first = (gint64) piece * PIECE, end = MIN (first + PIECE, groups->permutations);
  guint32 purpose = sl_random_purpose ("agreement: permutation of groups");
  const Sums *own = (const Sums *) (gconstpointer) work->total;
  g_autofree gint32 *group
      = g_memdup2 (groups->group, (gsize) MAX (groups->by->n_annotators, 1) * sizeof *group);
  g_autofree gint32 *shuffled = g_new (gint32, MAX (work->n_grouped, 1));
  g_autofree Sums *sums = g_new (Sums, n);
  for (gint64 r = first; r < end; r++)
    {
      SlRandom random = sl_random (work->plan->bootstrap.seed, purpose, work->plan->bootstrap.key,
                                   0, (guint32) r);
      for (gint32 a = 0; a < work->n_grouped; a++)
        shuffled[a] = groups->group[work->annotator[a]];
      sl_random_shuffle (&random, shuffled, (gsize) work->n_grouped);
      for (gint32 a = 0; a < work->n_grouped; a++)
        group[work->annotator[a]] = shuffled[a];
      memset (sums, 0, (gsize) n * sizeof *sums);
      for (guint p = 0; p < work->pairs->len; p++)
        {
          const Pair *pair = &g_array_index (work->pairs, Pair, p);
          add_pair (sums, groups->n_groups, group[pair->first], group[pair->second], pair->sum,
                    pair->n);
        }
      /* What differs by rounding alone is as large. */
      for (gint32 f = 0; f < n; f++)
        work->as_large[piece * n + f]
            += !(fabs (apart (&sums[f])) < fabs (apart (&own[f])) * (1 - 1e-9));
    }
}

static int
n_pieces (gint64 n)
{
  return (int) ((n + PIECE - 1) / PIECE);
}

static SlCoefficientResult
result_of (const Work *work, double value, double n, const double *drawn, double most,
           const char *none)
{
  const SlBootstrap *bootstrap = &work->plan->bootstrap;
  SlCoefficientResult result
      = { value, NAN, NAN, (gint64) (n + 0.5), "", isnan (value) ? none : "" };
  if (isnan (value) || bootstrap->resamples == 0)
    return result;
  const SlEstimate estimate = { value, { -DBL_MAX, most }, work->n_blocks, 0 };
  g_autofree double *sorted = g_memdup2 (drawn, (gsize) bootstrap->resamples * sizeof *sorted);
  SlItemInterval interval = sl_drawn_interval (
      &estimate, sorted, bootstrap->resamples, work->plan->level,
      work->n_blocks < work->groups->by->n_items ? "bootstrap over 10000 blocks of items"
                                                 : "bootstrap over items");
  result.lower = interval.lower;
  result.upper = interval.upper;
  result.interval = interval.kind;
  result.reason = interval.reason != NULL ? interval.reason : "";
  return result;
}

static void
find_figures (const Work *work, SlGroupFigures *figure)
{
  const gint32 n = n_figures (work->groups);
  const gsize resamples = (gsize) work->plan->bootstrap.resamples;
  const Sums *sums = (const Sums *) (gconstpointer) work->total;
  g_autofree double *value = g_new (double, 3 * (gsize) n);
  figures_of (work->groups, work->total, value);
  for (gint32 f = 0; f < n; f++)
    {
      double as_large = 0;
      for (int p = 0; p < n_pieces (work->groups->permutations); p++)
        as_large += (double) work->as_large[p * n + f];
      figure[f].within
          = result_of (work, value[f], sums[f].n_within, work->drawn + (gsize) f * resamples, 1,
                       "no two annotators of a group have an item in common, or all say the same");
      figure[f].between = result_of (
          work, value[n + f], sums[f].n_between, work->drawn + (gsize) (n + f) * resamples, 1,
          "no two annotators of two groups have an item in common, or all say the "
          "same");
      figure[f].difference
          = result_of (work, value[2 * n + f], sums[f].n_within + sums[f].n_between,
                       work->drawn + (gsize) (2 * n + f) * resamples, DBL_MAX,
                       "there are no pairs within, or none between");
      figure[f].p = isnan (value[2 * n + f]) || work->groups->permutations == 0
                        ? (double) NAN
                        : (1 + as_large) / (1 + (double) work->groups->permutations);
    }
}

static gint32
count_blocks (const SlGroups *groups)
{
  double most = floor (MOST_TERMS / (double) terms_size (groups));
  return (gint32) MAX (MIN (MIN (groups->by->n_items, MOST_BLOCKS), most), 1);
}

void
sl_group_agreement (const SlGroups *groups, const SlIntervalPlan *plan, SlGroupFigures *figure)
{
  const gsize n = (gsize) n_figures (groups);
  const SlBootstrap *bootstrap = &plan->bootstrap;
  Work work = { .groups = groups,
                .plan = plan,
                .n_blocks = count_blocks (groups),
                .size = terms_size (groups),
                .pairs = g_array_new (FALSE, FALSE, sizeof (Pair)) };
  work.terms = g_new0 (double, (gsize) work.n_blocks *work.size);
  work.total = g_new0 (double, work.size);
  work.drawn = g_new (double, 3 * n * (gsize) bootstrap->resamples + 1);
  work.as_large = g_new0 (gint64, n * (gsize) n_pieces (groups->permutations) + 1);
  work.annotator = g_new (gint32, MAX (groups->by->n_annotators, 1));
  for (gint32 a = 0; a < groups->by->n_annotators; a++)
    if (groups->group[a] >= 0)
      work.annotator[work.n_grouped++] = a;
  sl_pairs_each (groups->by, visit, &work);
  add_margins (&work);
  for (gint32 b = 0; b < work.n_blocks; b++)
    for (gsize t = 0; t < work.size; t++)
      work.total[t] += work.terms[(gsize) b * work.size + t];
  if (bootstrap->resamples > 0)
    sl_parallel (bootstrap->threads, n_pieces (bootstrap->resamples), draw_piece, &work);
  if (groups->permutations > 0)
    sl_parallel (bootstrap->threads, n_pieces (groups->permutations), permute_piece, &work);
  find_figures (&work, figure);
  g_array_unref (work.pairs);
  g_free (work.terms);
  g_free (work.total);
  g_free (work.drawn);
  g_free (work.as_large);
  g_free (work.annotator);
}

gsize
sl_group_agreement_bytes (const SlGroups *groups, const SlIntervalPlan *plan)
{
  double n = groups->by->n_annotators, pairs = MIN (sl_pairs_cells (groups->by), n * (n - 1) / 2);
  double bytes = 2 * pairs * sizeof (Pair)
                 + (double) count_blocks (groups) * (double) terms_size (groups) * sizeof (double)
                 + 24.0 * n_figures (groups) * (double) plan->bootstrap.resamples;
  return (gsize) MIN (bytes, 1e18);
}
