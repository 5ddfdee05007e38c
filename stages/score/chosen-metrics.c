/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chosen-metrics.h"

#include "pipeline/base/error.h"

#include <string.h>

gboolean *
sl_metrics_named (const char *list, GError **error)
{
  g_autofree gboolean *named = g_new0 (gboolean, sl_n_metrics);
  g_auto (GStrv) names = g_strsplit (list, ",", -1);
  for (char **name = names; *name != NULL; name++)
    {
      int m = sl_metric_find (*name);
      if (m < 0 && strcmp (*name, "all") != 0)
        {
          sl_error_usage (error, "--metrics: there is no metric '%s'; --help lists them", *name);
          return NULL;
        }
      for (int i = 0; i < sl_n_metrics; i++)
        named[i] |= m < 0 || i == m;
    }
  return g_steal_pointer (&named);
}

static const struct
{
  SlMetricFlags flag;
  const char *what;
} needs[] = {
  { SL_METRIC_SOFT, "labels to compare with: --against FILE" },
  { SL_METRIC_TARGET, "something to compare with: --against FILE, or --gold" },
  { SL_METRIC_CLASS, "classes: --gold, or labels by --against FILE" },
  { SL_METRIC_COST, "what mass costs to move: --cost FILE, or --vectors FILE" },
  { SL_METRIC_ANSWERS, "predictions with a column 'annotator', and annotations by --against FILE" },
  { SL_METRIC_QUESTIONS, "items of several questions: --questions SEP" },
  { SL_METRIC_LOSS, "a column 'loss', as predictions of an attack have" },
};

/* What METRIC needs and HAS does not say is there, or NULL. */
static const char *
lacks (const SlMetric *metric, SlMetricFlags has)
{
  for (gsize i = 0; i < G_N_ELEMENTS (needs); i++)
    if (metric->flags & needs[i].flag && !(has & needs[i].flag))
      return needs[i].what;
  return NULL;
}

static gboolean
is_named_itself (const char *list, const char *name)
{
  g_auto (GStrv) names = g_strsplit (list, ",", -1);
  return g_strv_contains ((const char *const *) names, name);
}

gboolean *
sl_metrics_chosen (const char *list, SlMetricFlags usual, SlMetricFlags has, GError **error)
{
  g_autofree gboolean *chosen
      = list != NULL ? sl_metrics_named (list, error) : g_new0 (gboolean, sl_n_metrics);
  gboolean compared = has & SL_METRIC_TARGET;
  if (chosen == NULL)
    return NULL;
  gboolean said = (has & SL_METRIC_SAID) != 0;
  for (int m = 0; m < sl_n_metrics; m++)
    {
      const SlMetric *metric = &sl_metrics[m];
      const char *lacked = lacks (metric, has);
      if (lacked == NULL && said != ((metric->flags & SL_METRIC_SAID) != 0))
        lacked = said ? "predictions or labels, not annotations: `softlabel aggregate` makes "
                        "labels of them"
                      : "annotations";
      if (list == NULL)
        chosen[m] = !(metric->flags & SL_METRIC_HISTOGRAM)
                    && (metric->flags & (usual | SL_METRIC_SAID)
                        || (!compared && metric->flags & SL_METRIC_TABLE));
      if (chosen[m] && lacked != NULL && list != NULL && is_named_itself (list, metric->name))
        {
          sl_error_usage (error, "--metrics %s: it needs %s", metric->name, lacked);
          return NULL;
        }
      /* "all" is of single figures. */
      if (list != NULL && metric->flags & SL_METRIC_HISTOGRAM
          && !is_named_itself (list, metric->name))
        chosen[m] = FALSE;
      chosen[m] = chosen[m] && lacked == NULL;
    }
  return g_steal_pointer (&chosen);
}

static gboolean
is_mean (const SlMetric *metric)
{
  return metric->value == sl_metric_mean || metric->value == sl_metric_mean_by_class
         || metric->value == sl_metric_mean_by_log || metric->value == sl_metric_rounded_mean;
}

void
sl_metrics_needs (const gboolean *chosen, guint64 *wanted, guint64 *keep, gboolean *bins)
{
  *wanted = *keep = 0;
  *bins = FALSE;
  for (int m = 0; m < sl_n_metrics; m++)
    {
      const SlMetric *metric = &sl_metrics[m];
      if (!chosen[m])
        continue;
      *wanted |= metric->figures;
      *keep |= is_mean (metric) ? 0 : metric->figures; /* histograms look at columns, too */
      *bins |= (metric->flags & SL_METRIC_BINS) != 0;
    }
}
