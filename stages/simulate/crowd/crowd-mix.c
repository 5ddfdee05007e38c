/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crowd-mix.h"

#include "pipeline/base/error.h"
#include "pipeline/base/number-text.h"
#include "pipeline/base/real-math.h"

#include <math.h>
#include <string.h>

/* How far shares that people type may sum from 1. */
#define TOLERANCE 1e-9

/* ---- the types ---- */

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
