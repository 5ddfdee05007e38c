/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "corrected-rate.h"

#include "stages/common/figures/chances.h"

#include <math.h>

#define FEW 5 /* items of a class: of fewer, spreads are no guide */

/* What is said, x, and the truth, y, where it is known. */
typedef struct
{
  double n, x, y, xx, xy, yy; /* how many; means; covariances, with n - 1 */
} Moments;

typedef enum
{
  ALL,
  SLICE,
  REST, /* what is not in the slice */
} Part;

static gboolean
is_in (Part part, gint8 truth)
{
  return part == ALL || (part == SLICE) == (truth >= 0);
}

static Moments
moments_of (const SlJudgedClass *judged, Part part)
{
  Moments m = { 0 };
  for (gint64 i = 0; i < judged->n; i++)
    if (is_in (part, judged->truth[i]))
      {
        m.n++;
        m.x += judged->said[i];
        m.y += judged->truth[i] == 1;
      }
  m.x /= MAX (m.n, 1);
  m.y /= MAX (m.n, 1);
  for (gint64 i = 0; i < judged->n; i++)
    if (is_in (part, judged->truth[i]))
      {
        double x = judged->said[i] - m.x, y = (judged->truth[i] == 1) - m.y;
        m.xx += x * x / MAX (m.n - 1, 1);
        m.xy += x * y / MAX (m.n - 1, 1);
        m.yy += y * y / MAX (m.n - 1, 1);
      }
  return m;
}

/* MIDDLE ± z √VARIANCE, as far as a rate can be. */
static void
set_interval (SlRate *rate, double middle, double variance, double z)
{
  double half = z * sqrt (variance);
  rate->lower = CLAMP (MIN (middle - half, rate->value), 0, 1);
  rate->upper = CLAMP (MAX (middle + half, rate->value), 0, 1);
}

static SlRate
none (const char *reason)
{
  return (SlRate){ NAN, NAN, NAN, reason };
}

/* How often the judge names the class: of all items, of those without gold, and of those of the
 * slice that have it, and have it not. */
typedef struct
{
  double n, named, unknown, named_unknown, positive, found, negative, passed;
} Named;

static SlRate
rogan_gladen (const Named *count, double z)
{
  if (count->positive == 0 || count->negative == 0)
    return none (count->positive == 0 ? "no item of the slice has the class"
                                      : "all items of the slice have the class");
  double p = count->named / count->n, a = count->found / count->positive,
         b = count->passed / count->negative;
  if (!(a + b > 1))
    return none ("the judge names the class no more often where it is true");
  SlRate rate = { CLAMP ((p + b - 1) / (a + b - 1), 0, 1), NAN, NAN, NULL };
  double n = count->unknown + z * z, positive = count->positive + 2, negative = count->negative + 2,
         m = count->positive + count->negative, slice = m / count->n, g = count->positive / m;
  p = (count->named_unknown + z * z / 2) / n;
  a = (count->found + 1) / positive;
  b = (count->passed + 1) / negative;
  if (!(a + b > 1) || count->positive < FEW || count->negative < FEW)
    {
      rate.reason = "no interval: the slice has too few items of the class, or of others";
      return rate;
    }
  double pi = (p + b - 1) / (a + b - 1), rest = 1 - pi;
  double spread_a = a * (1 - a) / positive, spread_b = b * (1 - b) / negative;
  double variance = (p * (1 - p) / n + pi * pi * spread_a + rest * rest * spread_b)
                    / ((a + b - 1) * (a + b - 1));
  set_interval (&rate, slice * g + (1 - slice) * pi,
                slice * slice * g * (1 - g) / m + (1 - slice) * (1 - slice) * variance, z);
  return rate;
}

/* What the rate is off by, squared, of power λ. Moments of the slice are with 1 / m: of power 0 it
 * is what gold alone is. */
static double
variance_of (const Moments *slice, const Moments *rest, double power)
{
  double own = slice->yy - 2 * power * slice->xy + power * power * slice->xx, m = slice->n;
  return own * (m - 1) / (m * m) + (rest->n > 0 ? power * power * rest->xx / rest->n : 0);
}

static void
predict (const Moments *slice, const Moments *all, const Moments *rest, double level,
         SlRates *rates)
{
  double m = slice->n, unknown = rest->n;
  /* The covariance is that with 1 / m, as ppi_py has it. */
  if (unknown == 0 || !(all->xx > 0))
    rates->power = 0;
  else
    rates->power = CLAMP (slice->xy * (m - 1) / m / ((1 + m / unknown) * all->xx), 0, 1);
  /* It is chosen by all that the judge says; where what it says of the slice speaks for gold alone,
   * that is taken. */
  if (variance_of (slice, rest, rates->power) > variance_of (slice, rest, 0))
    rates->power = 0;
  double variance = variance_of (slice, rest, rates->power);
  double value = CLAMP (slice->y + rates->power * (rest->x - slice->x), 0, 1);
  rates->predicted = (SlRate){ value, NAN, NAN, NULL };
  double positive = rint (m * slice->y);
  if (positive < FEW || m - positive < FEW)
    {
      rates->predicted.reason
          = "no interval: the slice has too few items of the class, or of others";
      return;
    }
  rates->worth = variance_of (slice, rest, 0) / variance * m;
  /* As many items of gold, of this rate, would be as sure. */
  double like = value * (1 - value) / variance;
  if (like > 0)
    sl_wilson (value * like, like, level, &rates->predicted.lower, &rates->predicted.upper);
  else
    rates->predicted.reason = "no interval: the rate comes to its range's end";
}

void
sl_corrected_rates (const SlJudgedClass *judged, double level, SlRates *rates)
{
  const Moments all = moments_of (judged, ALL), slice = moments_of (judged, SLICE),
                rest = moments_of (judged, REST);
  Named count = { .n = (double) judged->n };
  double z = sl_t_quantile (0.5 + level / 2, 0);
  for (gint64 i = 0; i < judged->n; i++)
    {
      gint8 truth = judged->truth[i];
      count.named += judged->named[i];
      count.unknown += truth < 0;
      count.named_unknown += truth < 0 && judged->named[i];
      count.positive += truth == 1;
      count.negative += truth == 0;
      count.found += truth == 1 && judged->named[i];
      count.passed += truth == 0 && !judged->named[i];
    }
  *rates = (SlRates){ .n = judged->n, .n_gold = (gint64) slice.n, .power = NAN, .worth = NAN };
  rates->judged = rates->gold = none ("there are no items");
  rates->rogan_gladen = rates->predicted = none ("no item of the judge has a gold class");
  if (judged->n == 0)
    return;
  rates->judged = (SlRate){ all.x, NAN, NAN, NULL };
  sl_wilson (all.x * all.n, all.n, level, &rates->judged.lower, &rates->judged.upper);
  rates->gold = rates->predicted;
  if (slice.n < 1)
    return;
  rates->gold = (SlRate){ slice.y, NAN, NAN, NULL };
  sl_wilson (rint (slice.y * slice.n), slice.n, level, &rates->gold.lower, &rates->gold.upper);
  rates->rogan_gladen = rogan_gladen (&count, z);
  if (slice.n < 2)
    rates->predicted = none ("one item alone has a gold class");
  else
    predict (&slice, &all, &rest, level, rates);
}
