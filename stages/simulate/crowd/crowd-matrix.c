/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crowd-matrix.h"

#include "pipeline/base/real-math.h"
#include "pipeline/base/vector-math.h"
#include "pipeline/base/draw.h"

#include <math.h>

const SlCrowdTypeInfo sl_crowd_types[SL_N_CROWD_TYPES] = {
  [SL_CROWD_RELIABLE] = { .name = "reliable", .n_values = 1, .p = 0.8 },
  [SL_CROWD_HAMMER] = { .name = "hammer", .p = 1 },
  [SL_CROWD_SPAMMER] = { .name = "spammer" },
  [SL_CROWD_ONE_CLASS] = { .name = "one-class", .is_drawn = TRUE },
  [SL_CROWD_ADVERSARY] = { .name = "adversary", .n_values = 1, .p = 1 },
  [SL_CROWD_PAIR_FLIPPER] = { .name = "pair-flipper", .n_values = 1, .p = 0.45 },
  [SL_CROWD_TEACHER] = { .name = "teacher", .n_values = 1, .p = 0.95 },
  [SL_CROWD_STUDENT] = { .name = "student", .n_values = 1, .p = 0.4 },
  [SL_CROWD_INDEPENDENT]
  = { .name = "independent", .n_values = 2, .p = 0.7, .s = 10, .is_drawn = TRUE },
};

/* P on the diagonal, the rest spread evenly. */
static void
even_errors (double p, gint32 n, gint32 k, double *row)
{
  for (gint32 l = 0; l < n; l++)
    row[l] = l == k ? p : (1 - p) / (n - 1);
}

static void
even_flips (double p, gint32 n, gint32 k, const gint32 *group, double *row)
{
  gint32 others = -1;
  for (gint32 l = 0; l < n; l++)
    others += group[l] == group[k];
  for (gint32 l = 0; l < n; l++)
    row[l] = l == k ? (others > 0 ? 1 - p : 1) : (group[l] == group[k] ? p / others : 0);
}

/* θ_k ~ Dirichlet (s × even errors): Gamma variables over their sum. Rounded to 2^-32, so that the
 * row sums to 1 exactly. */
static void
independent_errors (const SlCrowdPart *part, gint32 n, gint32 k, SlRandom *random, double *row)
{
  even_errors (part->p, n, k, row);
  for (gint32 l = 0; l < n; l++)
    row[l] = sl_random_log_gamma (random, row[l] * part->s);
  double highest = row[0], sum = 0, others = 0;
  for (gint32 l = 1; l < n; l++)
    highest = MAX (highest, row[l]);
  for (gint32 l = 0; l < n; l++)
    sum += row[l] = sl_exp (row[l] - highest);
  for (gint32 l = 0; l < n; l++)
    {
      row[l] = rint (row[l] / sum * 0x1p32) * 0x1p-32;
      others += l != k ? row[l] : 0;
    }
  row[k] = MAX (1 - others, 0);
}

void
sl_crowd_matrix (const SlCrowdPart *part, gint32 n, const gint32 *group, SlRandom *random,
                 double *theta)
{
  gint32 favourite
      = part->type == SL_CROWD_ONE_CLASS ? (gint32) sl_random_below (random, (guint64) n) : -1;
  for (gint32 k = 0; k < n; k++)
    {
      double *row = theta + (gsize) k * (gsize) n;
      switch (part->type)
        {
        case SL_CROWD_RELIABLE:
        case SL_CROWD_HAMMER:
        case SL_CROWD_TEACHER:
          even_errors (part->p, n, k, row);
          break;
        case SL_CROWD_SPAMMER:
          even_errors (1.0 / n, n, k, row);
          break;
        case SL_CROWD_ADVERSARY:
          even_errors (1 - part->p, n, k, row);
          break;
        case SL_CROWD_ONE_CLASS:
          for (gint32 l = 0; l < n; l++)
            row[l] = l == favourite;
          break;
        case SL_CROWD_PAIR_FLIPPER:
          for (gint32 l = 0; l < n; l++)
            row[l] = l == k ? 1 - part->p : (l == (k + 1) % n ? part->p : 0);
          break;
        case SL_CROWD_STUDENT:
          even_flips (part->p, n, k, group, row);
          break;
        case SL_CROWD_INDEPENDENT:
          independent_errors (part, n, k, random, row);
          break;
        case SL_N_CROWD_TYPES:
          g_assert_not_reached ();
        }
    }
}

double
sl_crowd_ease (double sigma, SlRandom *random)
{
  return sl_exp (sigma * sl_random_normal (random));
}

/* Whitehill et al. (NIPS 2009) have an annotator of ability α be right about an item of ease β with
 * probability σ (α β). With θ_kl^β / Σ_j θ_kj^β in place of θ_kl, and two classes, that is so with
 * α = log (θ_kk / θ_kl); with more, and even errors, it is σ (α β - log (n - 1)), which on the
 * hardest items is chance. β = 1 leaves θ as it is; even rows and those of one class stay as they
 * are, any other is sharper for β > 1 and flatter for β < 1. The largest is 1, so that all else may
 * underflow. */
void
sl_crowd_ease_sums (const double *log_theta, gint32 n, double ease, double *sums)
{
  double highest = log_theta[0];
  for (gint32 l = 1; l < n; l++)
    highest = MAX (highest, log_theta[l]);
  for (gint32 l = 0; l < n; l++)
    sums[l] = log_theta[l] > -INFINITY ? sl_scalar_exp (ease * (log_theta[l] - highest)) : 0;
  sl_draw_sums (sums, n, sums);
}
