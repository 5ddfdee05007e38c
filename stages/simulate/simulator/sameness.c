/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sameness.h"

#include "precision.h"

#include <math.h>

const char *const sl_manner_names[SL_N_MANNERS] = {
  "sum_100",     "sum_above_100", "r.first_second",  "r.first_alternatives",
  "sd.certain",  "sd.second",     "sd.alternatives", "sd.seconds",
  "again.class", "again.percent", "r.trial_first",   "r.trial_seconds",
};

static const SlSaid *
said_at (const SlPanel *people, int group, gsize i)
{
  return &g_array_index (people->said[group], SlSaid, i);
}

/* ---- figures ---- */

/* Sums over answers, from which all figures follow; those of everybody less one's own are those of
 * the others. */
enum
{
  N,
  SUM_100,
  SUM_ABOVE,
  /* n, x, x², y, y², x y of each correlation */
  SECOND,
  OPEN = SECOND + 6,
  /* the same, less each person's means */
  TRIAL = OPEN + 6,
  TRIAL_SECONDS = TRIAL + 6,
  /* items that came again; of these, the same class; and by how much the percent changed */
  AGAIN = TRIAL_SECONDS + 6,
  AGAIN_CLASS,
  AGAIN_PERCENT,
  /* of each tendency: answers, their sum, pairs of answers of one person, and products in these */
  TENDENCY,
  N_SUMS = TENDENCY + 4 * 4,
};

#define SECONDS 3 /* the last tendency */

static void
add_pair (double *sums, double x, double y, double n)
{
  sums[0] += n;
  sums[1] += n * x;
  sums[2] += n * x * x;
  sums[3] += n * y;
  sums[4] += n * y * y;
  sums[5] += n * x * y;
}

/* Adds N answers to tendency T: until end_tendency(), of one person alone. */
static void
add_tendency (double *sums, int t, double x, double n)
{
  double *of = sums + TENDENCY + 4 * t;
  of[0] += n;
  of[1] += n * x;
  of[3] -= n * x * x;
}

static void
end_tendency (double *sums, int t, gboolean known)
{
  double *of = sums + TENDENCY + 4 * t;
  of[2] = known ? of[0] * (of[0] - 1) : 0;
  of[3] = known ? of[1] * of[1] + of[3] : 0;
}

static void
add_said (double *sums, const SlSaid *said, gint32 n_classes)
{
  double n = (double) said->n, second = isnan (said->second) ? 0 : said->second;
  double open = n_classes > 1 ? said->alternatives / (n_classes - 1.0) : 0;
  const double tendency[3] = { said->first >= 100, !isnan (said->second), open };
  sums[N] += n;
  sums[SUM_100] += said->first + second == 100 ? n : 0;
  sums[SUM_ABOVE] += said->first + second > 100 ? n : 0;
  if (!isnan (said->second))
    add_pair (sums + SECOND, said->first / 100, second / 100, n);
  add_pair (sums + OPEN, said->first / 100, open, n);
  for (int t = 0; t < SECONDS; t++)
    add_tendency (sums, t, tendency[t], n);
}

/* Adds one person's answers FROM .. END - 1, and what is recorded beside them. */
static void
add_taken (double *sums, const GArray *taken, guint from, guint end)
{
  for (guint i = from; i < end; i++)
    {
      const SlTaken *one = &g_array_index (taken, SlTaken, i), *before = sl_taken_before (taken, i);
      if (one->check)
        continue;
      gboolean same = before != NULL && before->class == one->class;
      double change = same ? fabs (one->percent - before->percent) / 100 : 0;
      sums[AGAIN] += before != NULL;
      sums[AGAIN_CLASS] += same;
      sums[AGAIN_PERCENT] += isnan (change) ? 0 : change;
      if (sl_taken_is_timed (one))
        add_tendency (sums, SECONDS, one->log, 1);
      if (!isnan (one->place) && !isnan (one->percent))
        add_pair (sums + TRIAL, one->place, one->percent / 100, 1);
      if (!isnan (one->place) && sl_taken_is_timed (one))
        add_pair (sums + TRIAL_SECONDS, one->place, one->log, 1);
    }
}

/* Takes a person's means off the sums of a correlation. */
static void
center (double *sums)
{
  double n = sums[0], x = sums[1], y = sums[3];
  if (n == 0)
    return;
  sums[2] -= x * x / n;
  sums[4] -= y * y / n;
  sums[5] -= x * y / n;
  sums[1] = sums[3] = 0;
}

/* The sums of PERSON; -1: of those whom nobody knows, of whom no two answers are one person's. *AT:
 * where the person's begin in TAKEN, and then those of the next one. */
static void
person_sums (const SlPanel *people, const GArray *taken, gint32 person, gint32 n_classes, guint *at,
             double *sums)
{
  gboolean known = person >= 0;
  guint from = *at;
  for (int s = 0; s < N_SUMS; s++)
    sums[s] = 0;
  for (int g = 0; g < SL_N_GROUPS; g++)
    {
      gsize first = known ? people->start[g][person] : 0;
      for (gsize i = first; i < people->start[g][person + 1]; i++)
        add_said (sums, said_at (people, g, i), n_classes);
    }
  while (*at < taken->len && g_array_index (taken, SlTaken, *at).person == person)
    ++*at;
  if (known)
    add_taken (sums, taken, from, *at);
  center (sums + TRIAL);
  center (sums + TRIAL_SECONDS);
  for (int t = 0; t <= SECONDS; t++)
    end_tendency (sums, t, known);
}

static double
correlation (const double *sums)
{
  double n = sums[0], xx = n * sums[2] - sums[1] * sums[1], yy = n * sums[4] - sums[3] * sums[3];
  double least = 1e-9 * n * n;
  return xx > least && yy > least ? (n * sums[5] - sums[1] * sums[3]) / sqrt (xx * yy)
                                  : (double) NAN;
}

/* Of two answers of one person, neither of which knows the other's chance: their covariance is the
 * variance of the tendency, without that of the few answers by which it shows. */
static double
deviation (const double *sums, int t)
{
  const double *of = sums + TENDENCY + 4 * t;
  double mean = of[1] / of[0];
  return of[2] > 0 ? sqrt (fmax (of[3] / of[2] - mean * mean, 0)) : (double) NAN;
}

static double
figure_of (const double *sums, SlManner manner)
{
  if (!(sums[N] > 0))
    return (double) NAN;
  switch (manner)
    {
    case SL_MANNER_SUM_100:
      return sums[SUM_100] / sums[N];
    case SL_MANNER_SUM_ABOVE:
      return sums[SUM_ABOVE] / sums[N];
    case SL_MANNER_R_SECOND:
      return correlation (sums + SECOND);
    case SL_MANNER_R_ALTERNATIVES:
      return correlation (sums + OPEN);
    case SL_MANNER_AGAIN_CLASS:
      return sums[AGAIN] > 0 ? sums[AGAIN_CLASS] / sums[AGAIN] : (double) NAN;
    case SL_MANNER_AGAIN_PERCENT:
      return sums[AGAIN_CLASS] > 0 ? sums[AGAIN_PERCENT] / sums[AGAIN_CLASS] : (double) NAN;
    case SL_MANNER_R_TRIAL:
      return correlation (sums + TRIAL);
    case SL_MANNER_R_TRIAL_SECONDS:
      return correlation (sums + TRIAL_SECONDS);
    default:
      return deviation (sums, (int) manner - SL_MANNER_SD_CERTAIN);
    }
}

/* The jackknife over people (Efron & Tibshirani, An Introduction to the Bootstrap, 1993, ch. 11):
 *     se² = (P - 1) / P Σ_p (f_p - mean f)²,   f_p: the figure without person p */
static double
standard_error (const double *all, const double *sums, gint32 n_people, SlManner manner)
{
  double mean = 0, square = 0;
  for (gint32 p = 0; p < n_people; p++)
    {
      double others[N_SUMS];
      for (int s = 0; s < N_SUMS; s++)
        others[s] = all[s] - sums[(gsize) p * N_SUMS + (gsize) s];
      double f = figure_of (others, manner), from_mean = f - mean;
      mean += from_mean / (p + 1);
      square += from_mean * (f - mean);
    }
  return n_people > 1 ? sqrt (square * (n_people - 1) / n_people) : (double) NAN;
}

void
sl_manner_figures (const SlPanel *people, const GArray *taken, gint32 n_classes,
                   SlMannerFigure *figure)
{
  guint at = 0;
  gint32 n = people->n_people;
  g_autofree double *sums = g_new (double, (gsize) MAX (n, 1) * N_SUMS);
  double all[N_SUMS];
  person_sums (people, taken, -1, n_classes, &at, all);
  for (gint32 p = 0; p < n; p++)
    {
      double *own = sums + (gsize) p * N_SUMS;
      person_sums (people, taken, p, n_classes, &at, own);
      for (int s = 0; s < N_SUMS; s++)
        all[s] += own[s];
    }
  for (int m = 0; m < SL_N_MANNERS; m++)
    figure[m] = (SlMannerFigure){ sl_fitted (figure_of (all, (SlManner) m)),
                                  sl_fitted (standard_error (all, sums, n, (SlManner) m)) };
}

/* ---- the energy distance ---- */

#define POINTS 4096 /* at most, of each table: evenly taken from all, in their order */
#define OWN 256     /* at most, of each person */

typedef struct
{
  double x[3], n;
} Point;

static Point
point_of (const SlSaid *said, gint32 n_classes)
{
  return (Point){ .x = { said->first / 100, isnan (said->second) ? 0 : said->second / 100,
                         n_classes > 1 ? said->alternatives / (n_classes - 1.0) : 0 },
                  .n = (double) said->n };
}

static int
compare_points (gconstpointer a, gconstpointer b)
{
  const Point *p = a, *q = b;
  for (int d = 0; d < 3; d++)
    if (p->x[d] != q->x[d])
      return p->x[d] < q->x[d] ? -1 : 1;
  return 0;
}

/* Sorts POINTS, makes one of those that are alike, and takes POINTS of the answers if there are
 * still more. */
static void
merge_points (GArray *points)
{
  guint kept = 0;
  double n = 0, seen = 0;
  g_array_sort (points, compare_points);
  Point *point = (Point *) (gpointer) points->data;
  for (guint i = 0; i < points->len; i++)
    {
      n += point[i].n;
      if (kept > 0 && compare_points (&point[kept - 1], &point[i]) == 0)
        point[kept - 1].n += point[i].n;
      else
        point[kept++] = point[i];
    }
  guint all = kept;
  for (guint i = kept = 0; all > POINTS && i < all; i++)
    {
      double taken = floor ((seen + point[i].n) * POINTS / n) - floor (seen * POINTS / n);
      seen += point[i].n;
      if (taken > 0)
        point[kept++] = (Point){ { point[i].x[0], point[i].x[1], point[i].x[2] }, taken };
    }
  g_array_set_size (points, all > POINTS ? kept : all);
}

static double
apart (const Point *p, const Point *q)
{
  double a = p->x[0] - q->x[0], b = p->x[1] - q->x[1], c = p->x[2] - q->x[2];
  return sqrt (a * a + b * b + c * c);
}

/* The mean distance of a point of each. */
static double
mean_distance (const GArray *a, const GArray *b)
{
  const Point *p = (const Point *) (gconstpointer) a->data,
              *q = (const Point *) (gconstpointer) b->data;
  double sum = 0, n = 0, m = 0;
  for (guint i = 0; i < a->len; i++)
    n += p[i].n;
  for (guint j = 0; j < b->len; j++)
    m += q[j].n;
  for (guint i = 0; i < a->len; i++)
    for (guint j = 0; j < b->len; j++)
      sum += p[i].n * q[j].n * apart (&p[i], &q[j]);
  return sum / n / m;
}

typedef struct
{
  GArray *points;
  double n;
  double own;    /* the share of pairs, an answer with itself among them, that are one person's */
  double within; /* the sum of these pairs' distances, over all pairs */
} Cloud;

static void
cloud_clear (Cloud *cloud)
{
  g_clear_pointer (&cloud->points, g_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Cloud, cloud_clear)

static void
cloud_init (Cloud *cloud, const SlPanel *people, int group, gint32 n_classes)
{
  gsize n = people->said[group]->len;
  *cloud = (Cloud){ .points = g_array_new (FALSE, FALSE, sizeof (Point)),
                    .n = (double) people->before[group][n] };
  for (gsize i = 0; i < n; i++)
    {
      const Point point = point_of (said_at (people, group, i), n_classes);
      g_array_append_val (cloud->points, point);
    }
  cloud->own = (double) people->before[group][people->start[group][0]];
  for (gint32 p = 0; p < people->n_people; p++)
    {
      gsize first = people->start[group][p], end = people->start[group][p + 1];
      double many = (double) (people->before[group][end] - people->before[group][first]);
      g_autoptr (GArray) own = g_array_new (FALSE, FALSE, sizeof (Point));
      for (gsize i = first; i < end; i += (end - first + OWN - 1) / OWN)
        g_array_append_val (own, g_array_index (cloud->points, Point, i));
      cloud->own += many * many;
      if (own->len > 0)
        cloud->within += many * many * mean_distance (own, own);
    }
  cloud->own /= cloud->n * cloud->n;
  cloud->within /= cloud->n * cloud->n;
  merge_points (cloud->points);
}

/* Of points X and Y: 2 E|X - Y| - E|X - X'| - E|Y - Y'|, the means taken over all pairs, an answer
 * with itself among them (Székely & Rizzo, J. Statistical Planning and Inference 143, 2013). If all
 * were drawn alike, person by person, pairs of two people would be mu apart in all three means, so
 * that on average it is the sum over both tables of own mu - within. */
double
sl_energy_distance (const SlPanel *a, const SlPanel *b, SlGroup group, gint32 n_classes,
                    double *expected)
{
  *expected = (double) NAN;
  if (a->said[group]->len == 0 || b->said[group]->len == 0)
    return (double) NAN;
  g_auto (Cloud) x, y;
  cloud_init (&x, a, group, n_classes);
  cloud_init (&y, b, group, n_classes);
  double xx = mean_distance (x.points, x.points), yy = mean_distance (y.points, y.points);
  double between = (1 - x.own) * x.n * x.n + (1 - y.own) * y.n * y.n;
  double mu = ((xx - x.within) * x.n * x.n + (yy - y.within) * y.n * y.n) / between;
  if (between > 0)
    *expected = fmax (x.own * mu - x.within, 0) + fmax (y.own * mu - y.within, 0);
  return sl_fitted (2 * mean_distance (x.points, y.points) - xx - yy);
}
