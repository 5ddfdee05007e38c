/* SPDX-License-Identifier: GPL-3.0-or-later */
/* simulate fit-mixup: mixtures with what people see in them in; a logistic curve for each pair of
 * classes out. Model: Collins, MPhil thesis, Cambridge 2022, appendix C. */
#include "pipeline/command/options/option-rows.h"
#include "schemas/mixtures.h"
#include "stages/common/figures/item-entropies.h"
#include "stages/common/figures/vote-figures.h"
#include "stages/common/mixtures/mixup-model.h"
#include "stages/simulate/mixtures/fit-logistic.h"

#include <math.h>
#include <gsl/gsl_statistics_double.h>
#include <stdlib.h>
#include <glib.h>

/* What people see in mixtures, in figures (Collins, MPhil thesis, Cambridge 2022, section 4.2). */

/* The two items that a mixture is of, by what people say of each. */
typedef enum
{
  SL_ENDS_UNKNOWN,
  SL_ENDS_HARD, /* entropies of 0.5 nats or more */
  SL_ENDS_EASY, /* ... of 0.1 or less */
  SL_ENDS_OTHER,
  SL_N_ENDS,
} SlMixtureEnds;

/* One answer: of LAMBDA of the first class, HUMAN was seen. */
typedef struct
{
  double lambda, human, confidence; /* confidence: NaN where it is not known */
  SlMixtureEnds ends;
} SlMixtureSeen;

#define HARD 0.5
#define EASY 0.1

/* By the entropies of both; NaN is not known. */
static SlMixtureEnds
mixture_ends (double first, double second)
{
  if (isnan (first) || isnan (second))
    return SL_ENDS_UNKNOWN;
  return first >= HARD && second >= HARD   ? SL_ENDS_HARD
         : first <= EASY && second <= EASY ? SL_ENDS_EASY
                                           : SL_ENDS_OTHER;
}

/* Shares to two digits, so that there are 101 at most. */
static int
hundredths (const SlMixtureSeen *seen)
{
  return (int) rint (100 * seen->lambda);
}

/* A total order, so that sums do not depend on that of the rows. */
static int
compare_seen (gconstpointer a, gconstpointer b)
{
  const SlMixtureSeen *x = a, *y = b;
  int order = SL_COMPARE (hundredths (x), hundredths (y)) ?: SL_COMPARE (x->human, y->human);
  order = order ?: SL_COMPARE (x->lambda, y->lambda) ?: SL_COMPARE (x->ends, y->ends);
  order = order ?: isnan (x->confidence) - isnan (y->confidence);
  return order ?: SL_COMPARE (x->confidence, y->confidence);
}

/* The mean confidence of those of SEEN[N] that have one and are of ENDS (SL_N_ENDS: of all). */
static void
append_sure (GString *text, const SlMixtureSeen *seen, gsize n, SlMixtureEnds ends)
{
  double sum = 0, known = 0;
  for (gsize i = 0; i < n; i++)
    if (!isnan (seen[i].confidence) && (ends == SL_N_ENDS || seen[i].ends == ends))
      {
        sum += seen[i].confidence;
        known++;
      }
  if (known > 0)
    g_string_append_printf (text, "  %6.4f", sum / known);
  else
    g_string_append_printf (text, "  %6s", "-");
}

/* Of what SEEN[N], in order, saw. */
static double
quantile (const SlMixtureSeen *seen, gsize n, double p)
{
  return gsl_stats_quantile_from_sorted_data (&seen->human, sizeof *seen / sizeof seen->human, n,
                                              p);
}

static void
append_line (GString *text, const char *name, const SlMixtureSeen *seen, gsize n)
{
  static const double points[] = { .5, .25, .75 };
  double off = 0;
  for (gsize i = 0; i < n; i++)
    off += fabs (seen[i].human - seen[i].lambda);
  g_string_append_printf (text, "%8" G_GSIZE_FORMAT "  %6s", n, name);
  for (gsize p = 0; p < G_N_ELEMENTS (points); p++)
    g_string_append_printf (text, "  %6.4f", quantile (seen, n, points[p]));
  g_string_append_printf (text, "  %8.4f", off / (double) n);
  append_sure (text, seen, n, SL_N_ENDS);
  g_string_append_c (text, '\n');
}

static void
append_ends (GString *text, const SlMixtureSeen *seen, gsize n)
{
  static const char *const names[] = { "", "both 0.5 or more", "both 0.1 or less", "others" };
  g_string_append (text, " answers    sure  entropies of the items mixed\n");
  for (SlMixtureEnds ends = SL_ENDS_HARD; ends < SL_N_ENDS; ends++)
    {
      gsize of_these = 0;
      for (gsize i = 0; i < n; i++)
        of_these += seen[i].ends == ends;
      g_string_append_printf (text, "%8" G_GSIZE_FORMAT, of_these);
      append_sure (text, seen, n, ends);
      g_string_append_printf (text, "  %s\n", names[ends]);
    }
}

/* Adds the figures of SEEN[N], which it sorts, to TEXT. */
static void
mixture_report (GString *text, SlMixtureSeen *seen, gsize n)
{
  double off = 0;
  gboolean known = FALSE;
  qsort (seen, n, sizeof *seen, compare_seen);
  g_string_append (text, " answers  lambda  median     1/4     3/4  mean off    sure\n");
  for (gsize from = 0, to; from < n; from = to)
    {
      g_autofree char *name = g_strdup_printf ("%.2f", hundredths (&seen[from]) / 100.0);
      for (to = from; to < n && hundredths (&seen[to]) == hundredths (&seen[from]); to++)
        {
          off += fabs (seen[to].human - seen[to].lambda);
          known |= seen[to].ends != SL_ENDS_UNKNOWN;
        }
      append_line (text, name, seen + from, to - from);
    }
  g_string_append_printf (text, "%8" G_GSIZE_FORMAT "  %6s  %6s  %6s  %6s  %8.4f", n, "all", "", "",
                          "", off / (double) n);
  append_sure (text, seen, n, SL_N_ENDS);
  g_string_append_c (text, '\n');
  if (known)
    append_ends (text, seen, n);
}

typedef struct
{
  gboolean report;
  char *entropy_from; /* NULL: the items mixed are not looked at */
} Options;

static const Options defaults = { 0 };

#define OPTIONS Options

static const SlOption option_table[] = {
  FLAG ("report", report,
        "print on standard error each pair's curve and how well it fits, and, for each share "
        "mixed, what people saw, how far off it is, and how sure they were",
        .unrecorded = TRUE),
  INPUT ("entropy-from", entropy_from, "FILE",
         "let the report also tell how sure people were by the entropy of the two items mixed, "
         "which this table of answers or labels has",
         .unrecorded = TRUE),
  { 0 },
};

static gboolean
check_options (SlOptions *given, GError **error)
{
  const Options *options = given->values;
  return options->entropy_from == NULL || options->report
         || sl_error_usage (error, "--entropy-from is for the --report");
}

/* One answer: of X of class LOW, Y was seen. */
typedef struct
{
  gint32 low, high;
  double x, y;
} Point;

typedef struct
{
  SlRun *run;
  GArray *points;               /* of Point */
  GArray *seen;                 /* of SlMixtureSeen; NULL: no report */
  const SlEntropies *entropies; /* of the items mixed; NULL: nobody asks */
  gint64 missing;               /* rows without an answer */
} Points;

static int
compare_reals (double a, double b)
{
  return SL_COMPARE (a, b);
}

/* A total order, so that sums do not depend on that of the rows. */
static int
compare_points (gconstpointer a, gconstpointer b)
{
  const Point *x = a, *y = b;
  int order = SL_COMPARE (x->low, y->low) ?: SL_COMPARE (x->high, y->high);
  return order ?: compare_reals (x->x, y->x) ?: compare_reals (x->y, y->y);
}

static double
confidence_of (const SlBatch *batch, gint64 i)
{
  const double *confidence = batch->column[SL_MIXTURES_CONFIDENCE].real;
  return confidence != NULL ? confidence[i] : (double) NAN;
}

static SlMixtureEnds
ends_of (const Points *points, const SlBatch *batch, gint64 i)
{
  static const int columns[] = { SL_MIXTURES_FIRST, SL_MIXTURES_SECOND };
  double entropy[2];
  for (int end = 0; end < 2; end++)
    {
      gsize length;
      if (points->entropies == NULL)
        return SL_ENDS_UNKNOWN;
      const char *item = sl_text_get (batch->column[columns[end]].text, i, &length);
      entropy[end] = sl_entropies_find (points->entropies, item, length);
    }
  return mixture_ends (entropy[0], entropy[1]);
}

static gboolean
add_row (Points *points, const SlBatch *batch, gint64 i, GError **error)
{
  const SlColumn *column = batch->column;
  gint32 first = column[SL_MIXTURES_FIRST_CLASS].code[i];
  gint32 second = column[SL_MIXTURES_SECOND_CLASS].code[i];
  double lambda = column[SL_MIXTURES_LAMBDA].real[i], human = column[SL_MIXTURES_HUMAN].real[i];
  if (isnan (human))
    {
      points->missing++;
      return TRUE;
    }
  if (first < 0 || second < 0)
    return sl_error_row (error, batch->first_row + i + 1, "a class is missing");
  if (first == second)
    return sl_error_row (error, batch->first_row + i + 1,
                         "both classes are '%s'; curves are those of two",
                         batch->table->classes[first]);
  if (points->seen != NULL)
    {
      const SlMixtureSeen seen
          = { lambda, human, confidence_of (batch, i), ends_of (points, batch, i) };
      g_array_append_val (points->seen, seen);
    }
  Point point = { first, second, lambda, human };
  if (first > second)
    point = (Point){ second, first, 1 - lambda, 1 - human };
  g_array_append_val (points->points, point);
  return TRUE;
}

static gboolean
read_points (Points *points, GError **error)
{
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (points->run, &batch, &ok, error))
    {
      if ((guint64) points->points->len + (guint64) batch->n_rows > G_MAXINT32)
        return sl_error_row (error, batch->first_row + 1, "over 2^31 answers are too many");
      /* They are sorted, which takes as much again. */
      if (!sl_run_claim (
              points->run,
              (gsize) batch->n_rows * 2
                  * (sizeof (Point) + (points->seen != NULL ? sizeof (SlMixtureSeen) : 0)),
              "every answer", error))
        return FALSE;
      for (gint64 i = 0; i < batch->n_rows; i++)
        if (!add_row (points, batch, i, error))
          return FALSE;
    }
  if (!ok)
    return FALSE;
  if (points->points->len > 0)
    return TRUE;
  return sl_error_bad_input (error, "%s: there are no answers in it",
                             sl_reader_name (points->run->in));
}

static void
fit_pairs (SlMixModel *model, GArray *points)
{
  g_array_sort (points, compare_points);
  g_autofree double *x = g_new (double, points->len), *y = g_new (double, points->len);
  for (guint from = 0, to; from < points->len; from = to)
    {
      const Point *first = &g_array_index (points, Point, from);
      for (to = from; to < points->len; to++)
        {
          const Point *point = &g_array_index (points, Point, to);
          if (point->low != first->low || point->high != first->high)
            break;
          x[to - from] = point->x;
          y[to - from] = point->y;
        }
      const SlMixPair pair
          = { first->low, first->high, to - from, sl_logistic_fit (x, y, to - from) };
      g_array_append_val (model->pairs, pair);
    }
}

#define MOST_LINES 1000

static void
report (SlRun *run, const SlMixModel *model, const SlTable *in, GArray *seen)
{
  g_autoptr (GString) text = g_string_new (" answers          k       x0  root error  classes\n");
  for (guint p = 0; p < MIN (model->pairs->len, MOST_LINES); p++)
    {
      const SlMixPair *pair = &g_array_index (model->pairs, SlMixPair, p);
      g_string_append_printf (text, "%8" G_GINT64_FORMAT "  ", pair->n);
      if (pair->curve.identity)
        g_string_append_printf (text, "%9s  %7s  ", "identity", "");
      else
        g_string_append_printf (text, "%9.4f  %7.4f  ", pair->curve.k, pair->curve.x0);
      /* Root mean square. */
      g_string_append_printf (text, "%10.6f  %s, %s\n", sqrt (pair->curve.sse / (double) pair->n),
                              in->classes[pair->low], in->classes[pair->high]);
    }
  if (model->pairs->len > MOST_LINES)
    g_string_append_printf (text, "and %u more pairs\n", model->pairs->len - MOST_LINES);
  mixture_report (text, (SlMixtureSeen *) (gpointer) seen->data, seen->len);
  sl_run_report (run, text->str);
}

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  const SlTable *in = sl_reader_table (run->in);
  g_autoptr (GArray) array = g_array_new (FALSE, FALSE, sizeof (Point));
  g_autoptr (GArray) seen = g_array_new (FALSE, FALSE, sizeof (SlMixtureSeen));
  g_auto (SlEntropies) entropies = { 0 };
  Points points = { .run = run,
                    .points = array,
                    .seen = options->report ? seen : NULL,
                    .entropies = options->entropy_from != NULL ? &entropies : NULL };
  guint32 ends
      = options->entropy_from != NULL ? 1u << SL_MIXTURES_FIRST | 1u << SL_MIXTURES_SECOND : 0;
  g_auto (SlMixModel) model;
  sl_mix_model_init (&model);
  if (!sl_mixtures_require (in,
                            1u << SL_MIXTURES_FIRST_CLASS | 1u << SL_MIXTURES_SECOND_CLASS
                                | 1u << SL_MIXTURES_HUMAN | ends,
                            sl_reader_name (run->in), error)
      || (options->entropy_from != NULL
          && !sl_entropies_open (&entropies, run, options->entropy_from, error))
      || !read_points (&points, error))
    return FALSE;
  fit_pairs (&model, points.points);
  guint n = 0;
  for (guint p = 0; p < model.pairs->len; p++)
    n += g_array_index (model.pairs, SlMixPair, p).curve.identity;
  if (n > 0)
    sl_run_warn (run,
                 "pairs of classes whose shares stay as they are, for want of three different ones "
                 "or of a fit: %u of %u",
                 n, model.pairs->len);
  if (points.missing > 0)
    sl_run_note (run, "rows without an answer, left out: %" G_GINT64_FORMAT, points.missing);
  if (options->report)
    report (run, &model, in, seen);
  g_autoptr (SlTable) table = sl_table_new (&sl_simulator, (const char *const *) in->classes);
  sl_table_add (table, SL_SIMULATOR_CLASS);
  sl_table_add (table, SL_SIMULATOR_OTHER);
  return sl_run_start (run, table, error) && sl_mix_model_write (&model, run, table, error);
}

static const SlKind *const reads[] = { &sl_mixtures, NULL };

const SlCommand sl_command_simulate_fit_mixup = {
  .name = "simulate fit-mixup",
  .summary = "fit how people see mixtures of two classes, pair by pair",
  .arguments = "[FILE…]",
  .reads = reads,
  .writes = &sl_simulator,
  SL_OPTIONS (option_table, defaults),
  .description
  = "Fits one curve for each pair of classes that people were shown mixtures of: the "
    "logistic curve 1 / (1 + exp (-k (x - x0))). x is the share of the class that comes "
    "first in the table's classes; the curve says which share people see (the column "
    "`human`). The fit is by least squares over all answers (Levenberg and Marquardt's "
    "method from k = 5, x0 = 0.5). `softlabel simulate mixup --target logistic` then labels "
    "other mixtures as these people would.\n\n"
    "The parameters of a pair are mixup.k, mixup.x0, mixup.sse (sum of squared errors), "
    "mixup.n (answers) and mixup.identity. The latter is 1, and there are no k and x0, where "
    "answers have fewer than three different shares or no curve was found; shares of such "
    "pairs stay as they are.\n\n"
    "Rows without an answer are left out. How sure people are is not looked at. The order of "
    "rows does not matter.\n\n"
    "The report has the root mean square error of each pair. Then, for each share of the "
    "first class to two digits, it has the median and the quartiles of the share that people "
    "saw, the mean error, and, where the table says so, how sure people were on average. "
    "--entropy-from divides the latter by the items mixed: both of 0.5 nats or more, both of "
    "0.1 or less, or others (Collins, section 4.2).\n\n"
    "Memory: about 70 bytes an answer.",
  .examples
  = "softlabel ingest --from mixup answers.csv | softlabel simulate fit-mixup --report -o "
    "curves.parquet\n"
    "    curves from a CSV file of answers, and how well they fit\n",
  .check = check_options,
  .run = run,
};
