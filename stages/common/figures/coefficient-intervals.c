/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "coefficient-intervals.h"

#include "pipeline/base/parallel.h"
#include "chances.h"
#include "pair-kappas.h"

#include <math.h>
#include <string.h>

#define PIECE 16          /* resamples that are one task */
#define MOST_DRAWN 5e7    /* items × resamples; beyond, groups are left out */
#define MOST_PAIRED 5e8   /* the same of cells of pairs */
#define MOST_LEFT_OUT 1e8 /* items × classes² for the acceleration */
#define GROUPS 200
#define MOST_GROUPED (1 << 25) /* sums × groups */

static const SlCoefficient pair_coefficients[SL_N_PAIR_FIGURES]
    = { SL_COHEN_KAPPA, SL_COHEN_KAPPA_LINEAR, SL_COHEN_KAPPA_QUADRATIC, SL_SCOTT_PI };

/* Means over pairs of annotators. */
typedef struct
{
  double sum[SL_N_PAIR_FIGURES], n[SL_N_PAIR_FIGURES];
} PairMeans;

typedef struct
{
  SlScale scale;
  const SlItems *items;
  const SlByItem *by;
  const SlIntervalPlan *plan;
  double *sums;
  gboolean draws_items, draws_pairs; /* rather than leaving groups out */
  /* Each item's terms: [first[i]] .. [first[i + 1] - 1]; only where items are drawn. */
  gsize *first;
  GArray *index, *value;
  double *by_group; /* [GROUPS][sums]; else */
  /* Of pairs: all cells, and where each pair's end; where they are drawn. */
  GArray *cells, *ends;
  PairMeans means, group_means[GROUPS]; /* the latter less MEANS */
  SlPairTable table;
  double *drawn; /* [SL_N_COEFFICIENTS][resamples] */
} Work;

static int
n_groups (const Work *work)
{
  return MIN (GROUPS, work->items->n_items);
}

static int
group_of (gint32 item)
{
  return item % GROUPS;
}

static void
find_terms (const Work *work, gint32 i, SlTerms *terms)
{
  const gint32 *answer = work->scale.n_raters > 0 ? work->by->answer + work->by->first[i] : NULL;
  sl_item_terms (&work->scale, work->items->label + (gsize) i * (gsize) work->scale.n_classes,
                 work->items->gold != NULL ? work->items->gold[i] : -1, answer, terms);
}

/* Whether everybody has answered every item once; then answers stand by rater. */
static gboolean
is_complete (const SlByItem *by)
{
  if (by == NULL || by->answer == NULL || by->n_annotators < 2
      || by->n_answers != (gint64) by->n_items * by->n_annotators)
    return FALSE;
  for (gint64 j = 0; j < by->n_answers; j++)
    if (by->annotator[j] != j % by->n_annotators || sl_by_item_count (by, j) != 1)
      return FALSE;
  for (gint32 i = 0; i <= by->n_items; i++)
    if (by->first[i] != (gint64) i * by->n_annotators)
      return FALSE;
  return TRUE;
}

static void
add_items (Work *work)
{
  gsize room = sl_terms_room (&work->scale), size = sl_sums_size (&work->scale);
  g_autofree gint32 *index = g_new (gint32, room);
  g_autofree double *value = g_new (double, room);
  SlTerms terms = { index, value, 0 };
  for (gint32 i = 0; i < work->items->n_items; i++)
    {
      find_terms (work, i, &terms);
      sl_add_terms (&terms, 1, work->sums);
      if (work->by_group != NULL)
        sl_add_terms (&terms, 1, work->by_group + (gsize) group_of (i) * size);
      if (work->first == NULL)
        continue;
      g_array_append_vals (work->index, index, (guint) terms.n);
      g_array_append_vals (work->value, value, (guint) terms.n);
      work->first[i + 1] = work->index->len;
    }
}

static SlTerms
terms_of (const Work *work, gint32 i)
{
  gsize first = work->first[i];
  return (SlTerms){ &g_array_index (work->index, gint32, first),
                    &g_array_index (work->value, double, first), work->first[i + 1] - first };
}

/* ---- pairs ---- */

/* MEANS += TIMES × the figures of TABLE, where it has them. */
static void
add_figures (PairMeans *means, const double *figure, double times)
{
  for (int f = 0; f < SL_N_PAIR_FIGURES; f++)
    if (!isnan (figure[f]))
      {
        means->sum[f] += times * figure[f];
        means->n[f] += times;
      }
}

/* What the pair's figures are without each group, less what they are with it. */
static void
leave_groups_out (Work *work, const SlPairCell *cells, gsize n, const double *whole)
{
  guint64 seen[(GROUPS + 63) / 64] = { 0 };
  for (gsize c = 0; c < n; c++)
    {
      int group = group_of (cells[c].item);
      double figure[SL_N_PAIR_FIGURES];
      if (seen[group / 64] >> (group % 64) & 1)
        continue;
      seen[group / 64] |= G_GUINT64_CONSTANT (1) << (group % 64);
      for (gsize o = c; o < n; o++)
        if (group_of (cells[o].item) == group)
          sl_pair_table_add (&work->table, &cells[o], -1);
      sl_pair_figures (&work->table, figure);
      for (gsize o = c; o < n; o++)
        if (group_of (cells[o].item) == group)
          sl_pair_table_add (&work->table, &cells[o], 1);
      add_figures (&work->group_means[group], figure, 1);
      add_figures (&work->group_means[group], whole, -1);
    }
}

static void
visit_pair (gint32 first, gint32 second, const SlPairCell *cells, gsize n, gpointer data)
{
  Work *work = data;
  double figure[SL_N_PAIR_FIGURES];
  (void) first, (void) second;
  for (gsize c = 0; c < n; c++)
    sl_pair_table_add (&work->table, &cells[c], 1);
  sl_pair_figures (&work->table, figure);
  add_figures (&work->means, figure, 1);
  if (work->draws_pairs)
    {
      g_array_append_vals (work->cells, cells, (guint) n);
      g_array_append_val (work->ends, work->cells->len);
    }
  else if (work->plan->bootstrap.resamples > 0)
    leave_groups_out (work, cells, n, figure);
  sl_pair_table_empty (&work->table, cells, n);
}

static void
set_means (const PairMeans *means, const PairMeans *less, double *value)
{
  for (int f = 0; f < SL_N_PAIR_FIGURES; f++)
    {
      double n = means->n[f] + (less != NULL ? less->n[f] : 0);
      double sum = means->sum[f] + (less != NULL ? less->sum[f] : 0);
      value[pair_coefficients[f]] = n > 0.5 ? sum / n : (double) NAN;
    }
}

/* The means over pairs of items drawn COUNT[i] times. */
static void
draw_pairs (const Work *work, const guint32 *count, SlPairTable *table, double *value)
{
  PairMeans means = { { 0 }, { 0 } };
  const SlPairCell *cells = (const SlPairCell *) (gpointer) work->cells->data;
  for (guint p = 0, first = 0, end; p < work->ends->len; p++, first = end)
    {
      double figure[SL_N_PAIR_FIGURES];
      end = g_array_index (work->ends, guint, p);
      for (guint c = first; c < end; c++)
        if (count[cells[c].item] > 0)
          sl_pair_table_add (table, &cells[c], count[cells[c].item]);
      sl_pair_figures (table, figure);
      add_figures (&means, figure, 1);
      sl_pair_table_empty (table, cells + first, end - first);
    }
  set_means (&means, NULL, value);
}

/* ---- items drawn again ---- */

static void
draw_piece (int piece, gpointer data)
{
  const Work *work = data;
  const SlBootstrap *bootstrap = &work->plan->bootstrap;
  gint64 first = (gint64) piece * PIECE, end = MIN (first + PIECE, bootstrap->resamples);
  gint32 n_items = work->items->n_items, n = work->scale.n_classes;
  gsize size = sl_sums_size (&work->scale);
  guint32 purpose = sl_random_purpose ("agreement: bootstrap of items");
  g_autofree guint32 *count = g_new (guint32, MAX (n_items, 1));
  g_autofree double *sums = g_new (double, size), *room = g_new (double, MAX (n, 1));
  g_auto (SlPairTable) table;
  sl_pair_table_init (&table, n, work->scale.value);
  for (gint64 r = first; r < end; r++)
    {
      double value[SL_N_COEFFICIENTS];
      SlRandom random = sl_random (bootstrap->seed, purpose, bootstrap->key, 0, (guint32) r);
      sl_draw_counts (&random, (guint32) n_items, count);
      memset (sums, 0, size * sizeof *sums);
      for (gint32 i = 0; work->draws_items && i < n_items; i++)
        if (count[i] > 0)
          {
            SlTerms terms = terms_of (work, i);
            sl_add_terms (&terms, count[i], sums);
          }
      sl_coefficients (&work->scale, sums, room, value);
      if (work->draws_pairs)
        draw_pairs (work, count, &table, value);
      for (int c = 0; c < SL_N_COEFFICIENTS; c++)
        work->drawn[c * bootstrap->resamples + r] = value[c];
    }
}

/* Σ U³ / 6 (Σ U²)^(3/2) of U_i = mean of T_(j) - T_(i), what coefficients are without item i. */
static void
find_accelerations (const Work *work, double *acceleration)
{
  gint32 n = work->items->n_items, n_classes = work->scale.n_classes;
  double width = work->scale.value != NULL ? n_classes : 1;
  double mean[SL_N_COEFFICIENTS] = { 0 }, squares[SL_N_COEFFICIENTS] = { 0 };
  double cubes[SL_N_COEFFICIENTS] = { 0 };
  memset (acceleration, 0, SL_N_COEFFICIENTS * sizeof *acceleration);
  if ((double) n * n_classes * width > MOST_LEFT_OUT || n == 0)
    return;
  g_autofree double *room = g_new (double, MAX (n_classes, 1));
  g_autofree double *without = g_new (double, (gsize) n *SL_N_COEFFICIENTS);
  for (gint32 i = 0; i < n; i++)
    {
      SlTerms terms = terms_of (work, i);
      double *value = without + (gsize) i * SL_N_COEFFICIENTS;
      sl_add_terms (&terms, -1, work->sums);
      sl_coefficients (&work->scale, work->sums, room, value);
      sl_add_terms (&terms, 1, work->sums);
      for (int c = 0; c < SL_N_COEFFICIENTS; c++)
        mean[c] += value[c] / n;
    }
  for (gsize v = 0; v < (gsize) n * SL_N_COEFFICIENTS; v++)
    {
      double u = mean[v % SL_N_COEFFICIENTS] - without[v];
      squares[v % SL_N_COEFFICIENTS] += u * u;
      cubes[v % SL_N_COEFFICIENTS] += u * u * u;
    }
  for (int c = 0; c < SL_N_COEFFICIENTS; c++)
    if (squares[c] > 0)
      acceleration[c] = cubes[c] / (6 * squares[c] * sqrt (squares[c]));
}

/* ---- groups of items left out ---- */

/* without[GROUPS][SL_N_COEFFICIENTS] */
static double *
find_without_groups (const Work *work)
{
  gsize size = sl_sums_size (&work->scale);
  g_autofree double *sums = g_new (double, size);
  g_autofree double *room = g_new (double, MAX (work->scale.n_classes, 1));
  double *without = g_new (double, GROUPS *SL_N_COEFFICIENTS);
  for (int g = 0; g < n_groups (work); g++)
    {
      double *value = without + g * SL_N_COEFFICIENTS;
      for (gsize s = 0; s < size; s++)
        sums[s] = work->sums[s] - (work->by_group != NULL ? work->by_group[g * size + s] : 0);
      sl_coefficients (&work->scale, sums, room, value);
      set_means (&work->means, &work->group_means[g], value);
    }
  return without;
}

static void
leave_out (const double *without, int n, SlCoefficient c, double level, SlCoefficientResult *result)
{
  double mean = 0, squares = 0;
  for (int g = 0; g < n; g++)
    mean += without[g * SL_N_COEFFICIENTS + (int) c] / n;
  for (int g = 0; g < n; g++)
    {
      double apart = without[g * SL_N_COEFFICIENTS + (int) c] - mean;
      squares += apart * apart;
    }
  double half = n > 1 ? sl_t_quantile (0.5 + level / 2, n - 1) * sqrt (squares * (n - 1) / n)
                      : (double) NAN;
  if (isnan (half) || half == 0)
    {
      result->reason = "no interval: its groups of items do not tell how far it may be off";
      return;
    }
  result->lower = result->value - half;
  result->upper = result->value + half;
  sl_interval_hold (result->value, sl_coefficient_rows[c].range, &result->lower, &result->upper);
  result->interval = "jackknife over groups of items";
}

/* ---- all of it ---- */

static gboolean
is_of_pairs (SlCoefficient c)
{
  return c >= SL_COHEN_KAPPA && c <= SL_SCOTT_PI;
}

static void
find_intervals (Work *work, SlCoefficientResult *result)
{
  const SlBootstrap *bootstrap = &work->plan->bootstrap;
  gboolean pairs = work->by != NULL;
  double acceleration[SL_N_COEFFICIENTS] = { 0 };
  g_autofree double *without = NULL;
  work->drawn = g_new (double, SL_N_COEFFICIENTS *(gsize) bootstrap->resamples);
  if (work->draws_items || work->draws_pairs)
    sl_parallel (bootstrap->threads, (int) ((bootstrap->resamples + PIECE - 1) / PIECE), draw_piece,
                 work);
  if (work->draws_items)
    find_accelerations (work, acceleration);
  if (!work->draws_items || (pairs && !work->draws_pairs))
    without = find_without_groups (work);
  for (int c = 0; c < SL_N_COEFFICIENTS; c++)
    {
      gboolean drawn = is_of_pairs (c) ? work->draws_pairs : work->draws_items;
      const SlEstimate estimate
          = { result[c].value, sl_coefficient_rows[c].range,
              c == SL_ACCURACY ? sl_coefficient_n (work->sums, SL_CONSISTENCY) : result[c].n,
              acceleration[c] };
      if (isnan (result[c].value))
        continue;
      if (!drawn && !is_of_pairs (c) && work->by_group == NULL)
        result[c].reason = "no interval: there are too many classes to draw items again";
      else if (!drawn)
        leave_out (without, n_groups (work), c, work->plan->level, &result[c]);
      else
        {
          SlItemInterval interval
              = sl_drawn_interval (&estimate, work->drawn + c * bootstrap->resamples,
                                   bootstrap->resamples, work->plan->level, "bootstrap over items");
          result[c].lower = interval.lower;
          result[c].upper = interval.upper;
          result[c].interval = interval.kind;
          result[c].reason = interval.reason != NULL ? interval.reason : "";
        }
    }
}

static void
choose (Work *work)
{
  double resamples = (double) work->plan->bootstrap.resamples;
  gint32 n_items = work->items->n_items;
  gsize size = sl_sums_size (&work->scale);
  if (resamples == 0)
    return;
  work->draws_items = n_items * resamples <= MOST_DRAWN;
  work->draws_pairs = work->by != NULL && n_items * resamples <= MOST_DRAWN
                      && sl_pairs_cells (work->by) * resamples <= MOST_PAIRED;
  if (work->draws_items)
    work->first = g_new0 (gsize, (gsize) n_items + 1);
  else if (size * GROUPS <= MOST_GROUPED)
    work->by_group = g_new0 (double, size *GROUPS);
}

static const char *
no_pairs (const Work *work)
{
  return work->by == NULL ? "nobody knows whose answers they are"
         : work->means.n[SL_PAIR_KAPPA] > 0 || work->by->n_annotators < 2
             ? "there are no two annotators"
             : "no two annotators have an item in common on which they can differ";
}

void
sl_agreement_coefficients (const SlAgreed *agreed, const SlIntervalPlan *plan,
                           SlCoefficientResult *result)
{
  Work work = { .scale = agreed->scale, .items = agreed->items, .by = agreed->by, .plan = plan };
  double value[SL_N_COEFFICIENTS];
  work.scale.n_raters
      = work.scale.value != NULL && is_complete (work.by) ? work.by->n_annotators : 0;
  work.sums = g_new0 (double, sl_sums_size (&work.scale));
  work.index = g_array_new (FALSE, FALSE, sizeof (gint32));
  work.value = g_array_new (FALSE, FALSE, sizeof (double));
  work.cells = g_array_new (FALSE, FALSE, sizeof (SlPairCell));
  work.ends = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree double *room = g_new (double, MAX (work.scale.n_classes, 1));
  sl_pair_table_init (&work.table, work.scale.n_classes, work.scale.value);
  choose (&work);
  add_items (&work);
  if (work.by != NULL)
    sl_pairs_each (work.by, visit_pair, &work);
  sl_coefficients (&work.scale, work.sums, room, value);
  set_means (&work.means, NULL, value);
  for (int c = 0; c < SL_N_COEFFICIENTS; c++)
    {
      const char *reason
          = is_of_pairs (c) ? no_pairs (&work) : sl_no_coefficient (&work.scale, work.sums, c);
      result[c] = (SlCoefficientResult){ value[c], NAN,
                                         NAN,      sl_coefficient_n (work.sums, c),
                                         "",       isnan (value[c]) ? reason : "" };
    }
  if (plan->bootstrap.resamples > 0)
    find_intervals (&work, result);
  sl_pair_table_clear (&work.table);
  g_array_unref (work.index);
  g_array_unref (work.value);
  g_array_unref (work.cells);
  g_array_unref (work.ends);
  g_free (work.first);
  g_free (work.by_group);
  g_free (work.drawn);
  g_free (work.sums);
}

gsize
sl_agreement_bytes (const SlAgreed *agreed, const SlIntervalPlan *plan)
{
  gsize n_items = (gsize) agreed->items->n_items, term = sizeof (gint32) + sizeof (double);
  gsize sums = sl_sums_size (&agreed->scale) * sizeof (double), bytes = 2 * sums, answers = 0;
  gboolean draws = (double) n_items * (double) plan->bootstrap.resamples <= MOST_DRAWN;
  double cells = agreed->by != NULL ? sl_pairs_cells (agreed->by) : 0;
  for (gsize i = 0; i < n_items; i++)
    {
      double n = MIN (agreed->items->weight[i], agreed->scale.n_classes);
      answers += (gsize) (20 + 2 * n + (agreed->scale.value != NULL ? n * n / 2 : 0));
    }
  if (plan->bootstrap.resamples == 0)
    return bytes;
  bytes += draws ? answers * term : MIN (sums * GROUPS, MOST_GROUPED * sizeof (double));
  if (draws && cells * (double) plan->bootstrap.resamples <= MOST_PAIRED)
    bytes += (gsize) cells * sizeof (SlPairCell);
  return bytes + SL_N_COEFFICIENTS * (gsize) plan->bootstrap.resamples * sizeof (double);
}
