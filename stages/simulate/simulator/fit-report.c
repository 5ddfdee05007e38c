/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit-report.h"

#include <gsl/gsl_statistics_double.h>

static const double points[] = { .05, .25, .5, .75, .95 };

static void
append_quantiles (GString *text, const SlShare *share, const GArray *values)
{
  g_string_append (text, "  data");
  for (gsize i = 0; i < G_N_ELEMENTS (points); i++)
    g_string_append_printf (
        text, "  %.3f",
        gsl_stats_quantile_from_sorted_data ((const double *) (gpointer) values->data, 1,
                                             values->len, points[i]));
  g_string_append_printf (text, "\n%68s", "fit ");
  for (gsize i = 0; i < G_N_ELEMENTS (points); i++)
    g_string_append_printf (text, "  %.3f",
                            share->scale * sl_beta_quantile (share->beta, points[i]));
  g_string_append_c (text, '\n');
}

static void
append_share (GString *text, const char *group, const char *name, const SlShare *share,
              const GArray *values)
{
  if (share->n == 0)
    return;
  g_string_append_printf (text, "%-5s  %-5s  %8" G_GINT64_FORMAT "  %.3f  %8.4f  %8.4f  %8.3f ",
                          group, name, share->n, share->mean, share->beta.alpha, share->beta.beta,
                          share->distance);
  append_quantiles (text, share, values);
}

void
sl_fit_report (SlRun *run, const SlSimulator *simulator, const SlFitCounts *counts)
{
  g_autoptr (GString) text = g_string_new ("group  share    values   mean     alpha      beta  "
                                           "distance        5 %    25 %   50 %   75 %   95 %\n");
  for (int g = 0; g < SL_N_GROUPS; g++)
    {
      append_share (text, sl_group_names[g], "top1", &simulator->group[g].first,
                    counts->group[g].first);
      append_share (text, sl_group_names[g], "top2", &simulator->group[g].second,
                    counts->group[g].second);
    }
  for (int g = 0; g < SL_N_GROUPS; g++)
    {
      if (simulator->group[g].answers == 0)
        continue;
      g_string_append_printf (
          text, "%-5s  other classes left possible, answers with 0, 1, ...:", sl_group_names[g]);
      for (gint32 k = 0; k < MIN (simulator->n_classes, 20); k++)
        g_string_append_printf (text, " %.0f", simulator->group[g].alternatives[k]);
      g_string_append (text, simulator->n_classes > 20 ? " ...\n" : "\n");
    }
  sl_run_report (run, text->str);
}
