/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crowd-mix.h"

#include "pipeline/base/draw.h"
#include "pipeline/base/error.h"
#include "pipeline/base/number-text.h"
#include "pipeline/base/real-math.h"
#include "pipeline/base/vector-math.h"

#include <math.h>
#include <string.h>

/* ---- how each kind answers ---- */

/* Kinds of annotators: theta[n_classes][n_classes], row: the true class, column: the answer; and
 * how an item's ease changes a row. */

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

const char *const sl_crowd_type_texts[] = { "reliable=SHARE:P",      "teacher=SHARE:P",
                                            "hammer=SHARE",          "spammer=SHARE",
                                            "one-class=SHARE",       "adversary=SHARE:P",
                                            "pair-flipper=SHARE:P",  "student=SHARE:P",
                                            "independent=SHARE:P:S", NULL };
const char *const sl_crowd_type_meanings[] = {
  "right with probability P (0.8), errs evenly",
  "the same with P 0.95",
  "always right",
  "any class, evenly, whatever is asked",
  "always one class, which is drawn for the annotator",
  "wrong with probability P (1), evenly",
  "the next class, after the last the first, with probability P (0.45)",
  "another class of the same group (see --groups) with probability P (0.4), evenly",
  "confusion drawn for each annotator, from the Dirichlet distribution around reliable with P "
  "(0.7) and concentration S (10)",
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

/* ---- the types, from the text of options ---- */

/* How far shares that people type may sum from 1. */
#define TOLERANCE 1e-9

static gboolean
set_type (SlCrowdPart *part, const char *name, GError **error)
{
  g_autoptr (GString) known = g_string_new (NULL);
  for (int type = 0; type < SL_N_CROWD_TYPES; type++)
    {
      if (strcmp (name, sl_crowd_types[type].name) == 0)
        {
          *part = (SlCrowdPart){ .type = (SlCrowdType) type,
                                 .p = sl_crowd_types[type].p,
                                 .s = sl_crowd_types[type].s };
          return TRUE;
        }
      g_string_append_printf (known, "%s%s", type > 0 ? ", " : "", sl_crowd_types[type].name);
    }
  return sl_error_usage (error, "--crowd: '%s' is none of %s", name, known->str);
}

static gboolean
set_values (SlCrowdPart *part, char **texts, GError **error)
{
  const SlCrowdTypeInfo *type = &sl_crowd_types[part->type];
  gboolean open = part->type == SL_CROWD_INDEPENDENT; /* a Dirichlet has no mean of 0 or 1 */
  if ((int) g_strv_length (texts) > 1 + type->n_values)
    return sl_error_usage (error, "--crowd: %s takes %d numbers after its share, not %d",
                           type->name, type->n_values, (int) g_strv_length (texts) - 1);
  double *const values[] = { &part->share, &part->p, &part->s };
  for (int i = 0; texts[i] != NULL; i++)
    if (!sl_parse_real (texts[i], -1, values[i]))
      return sl_error_usage (error, "--crowd: '%s' is not a number", texts[i]);
  if (!(part->share >= 0 && part->share <= 1))
    return sl_error_usage (error, "--crowd: the share of %s is %.9g; it lies between 0 and 1",
                           type->name, part->share);
  if (!(part->p >= 0 && part->p <= 1) || (open && (part->p == 0 || part->p == 1)))
    return sl_error_usage (error,
                           "--crowd: the probability of %s is %.9g; it lies between 0 and 1%s",
                           type->name, part->p, open ? ", and is neither" : "");
  if (open && !(part->s >= 0.01 && part->s <= 1e9))
    return sl_error_usage (error,
                           "--crowd: the concentration of %s is %.9g; it lies between 0.01 and 1e9",
                           type->name, part->s);
  return TRUE;
}

GArray *
sl_crowd_mix_parse (const char *text, GError **error)
{
  g_autoptr (GArray) mix = g_array_new (FALSE, TRUE, sizeof (SlCrowdPart));
  g_auto (GStrv) words = g_strsplit (text, ",", -1);
  double sum = 0;
  for (char **word = words; *word != NULL; word++)
    {
      g_auto (GStrv) sides = g_strsplit (*word, "=", 2);
      SlCrowdPart part;
      if (sides[0] == NULL || sides[1] == NULL)
        {
          sl_error_usage (error, "--crowd: '%s' is not TYPE=SHARE, such as reliable=0.8", *word);
          return NULL;
        }
      g_auto (GStrv) numbers = g_strsplit (sides[1], ":", -1);
      if (!set_type (&part, sides[0], error) || !set_values (&part, numbers, error))
        return NULL;
      sum += part.share;
      g_array_append_val (mix, part);
    }
  if (fabs (sum - 1) <= TOLERANCE)
    return g_steal_pointer (&mix);
  sl_error_usage (error, "--crowd: the shares sum to %.9g, not to 1", sum);
  return NULL;
}

void
sl_crowd_mix_counts (const GArray *mix, gint64 n, gint64 *counts)
{
  g_autofree double *rest = g_new (double, mix->len);
  gint64 left = n;
  for (guint i = 0; i < mix->len; i++)
    {
      double wanted = g_array_index (mix, SlCrowdPart, i).share * (double) n;
      /* .29 × 100 is below 29. */
      counts[i] = MIN (left, (gint64) floor (wanted + 1e-6));
      rest[i] = wanted - (double) counts[i];
      left -= counts[i];
    }
  for (; left > 0; left--)
    {
      guint best = 0;
      for (guint i = 1; i < mix->len; i++)
        if (rest[i] > rest[best])
          best = i;
      counts[best]++;
      rest[best] -= 1;
    }
}

/* ---- the classes ---- */

static gint32
find_class (char *const *classes, const char *name)
{
  for (gint32 k = 0; classes[k] != NULL; k++)
    if (strcmp (classes[k], name) == 0)
      return k;
  return -1;
}

static gboolean
set_group (char **names, gint32 number, char *const *classes, gint32 *group, gint32 n,
           GError **error)
{
  if (*names == NULL)
    return sl_error_usage (error, "--groups: there is a group without a class");
  for (; *names != NULL; names++)
    {
      gint32 k = find_class (classes, *names);
      if (k < 0)
        return sl_error_usage (error, "--groups: '%s' is no class", *names);
      if (group[k] < n)
        return sl_error_usage (error, "--groups: '%s' is there twice", *names);
      group[k] = number;
    }
  return TRUE;
}

gboolean
sl_crowd_groups_parse (const char *text, char *const *classes, gint32 *group, GError **error)
{
  gint32 n = (gint32) g_strv_length ((char **) classes);
  for (gint32 k = 0; k < n; k++)
    group[k] = text != NULL ? n + k : MIN (k / 2, MAX (n / 2 - 1, 0));
  g_auto (GStrv) words = g_strsplit (text != NULL ? text : "", ",", -1);
  for (gint32 i = 0; words[i] != NULL; i++)
    {
      g_auto (GStrv) names = g_strsplit (words[i], "|", -1);
      if (!set_group (names, MIN (i, n - 1), classes, group, n, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
sl_crowd_priors_parse (const char *text, gint32 n_classes, double *share, GError **error)
{
  g_auto (GStrv) words = g_strsplit (text, ",", -1);
  if ((gint32) g_strv_length (words) != n_classes)
    return sl_error_usage (error, "--priors: %d shares for %d classes", (int) g_strv_length (words),
                           n_classes);
  double sum = 0;
  for (gint32 k = 0; k < n_classes; k++)
    {
      if (!sl_parse_real (words[k], -1, &share[k]) || !(share[k] >= 0 && share[k] <= 1))
        return sl_error_usage (error, "--priors: '%s' is not a number between 0 and 1", words[k]);
      sum += share[k];
    }
  return fabs (sum - 1) <= TOLERANCE
         || sl_error_usage (error, "--priors: the shares sum to %.9g, not to 1", sum);
}

void
sl_crowd_long_tail (double ratio, gint32 n_classes, double *share)
{
  double sum = 0;
  for (gint32 k = 0; k < n_classes; k++)
    sum += share[k] = sl_exp (-(double) k / MAX (n_classes - 1, 1) * sl_log (ratio));
  for (gint32 k = 0; k < n_classes; k++)
    share[k] /= sum;
}
