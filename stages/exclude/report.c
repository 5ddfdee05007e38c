/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report.h"

#include <string.h>

#include "schemas/annotators.h"

SlTable *
sl_report_table (gboolean agreement)
{
  SlTable *table = sl_table_new (&sl_annotators, NULL);
  for (int column = 0; column <= SL_ANNOTATORS_REASON; column++)
    sl_table_add (table, column);
  if (agreement)
    sl_table_add (table, SL_ANNOTATORS_AGREEMENT);
  return table;
}

static void
put_conduct (SlBuilder *builder, const SlConduct *conduct)
{
  sl_builder_int (builder, SL_ANNOTATORS_ANSWERS, conduct->answers);
  sl_builder_real (builder, SL_ANNOTATORS_ACCURACY, sl_conduct_accuracy (conduct));
  sl_builder_int (builder, SL_ANNOTATORS_CHECKS, conduct->checks);
  sl_builder_real (builder, SL_ANNOTATORS_CHECK_ACCURACY, sl_conduct_check_accuracy (conduct));
  sl_builder_int (builder, SL_ANNOTATORS_RANGE, conduct->violations[SL_RULE_RANGE]);
  sl_builder_int (builder, SL_ANNOTATORS_IMPOSSIBLE, conduct->violations[SL_RULE_IMPOSSIBLE]);
  sl_builder_int (builder, SL_ANNOTATORS_MISSING, conduct->violations[SL_RULE_MISSING]);
}

gboolean
sl_report_write (SlWriter *writer, SlTable *table, const SlCensus *census,
                 const SlVerdictRule *rule, gboolean knows_complete, GError **error)
{
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  for (gint32 i = 0; i < sl_intern_size (census->names); i++)
    {
      gsize length;
      const char *name = sl_intern_get (census->names, i, &length);
      const SlConduct *conduct = &g_array_index (census->conduct, SlConduct, i);
      sl_builder_text (builder, SL_ANNOTATORS_ANNOTATOR, name, length);
      put_conduct (builder, conduct);
      if (census->digests != NULL)
        sl_builder_int (builder, SL_ANNOTATORS_DUPLICATES, conduct->duplicates);
      else
        sl_builder_null (builder, SL_ANNOTATORS_DUPLICATES);
      if (knows_complete)
        sl_builder_bool (builder, SL_ANNOTATORS_COMPLETE, !conduct->incomplete);
      else
        sl_builder_null (builder, SL_ANNOTATORS_COMPLETE);
      sl_builder_bool (builder, SL_ANNOTATORS_EXCLUDED, census->grounds[i] != 0);
      g_autofree char *reason = sl_verdict_reason (rule, conduct, census->grounds[i]);
      if (reason != NULL)
        sl_builder_text (builder, SL_ANNOTATORS_REASON, reason, strlen (reason));
      else
        sl_builder_null (builder, SL_ANNOTATORS_REASON);
      if (sl_table_has (table, SL_ANNOTATORS_AGREEMENT))
        sl_builder_real (builder, SL_ANNOTATORS_AGREEMENT, conduct->agreement);
      if (!sl_writer_write_built (writer, builder, FALSE, error))
        return FALSE;
    }
  return sl_writer_write_built (writer, builder, TRUE, error);
}

void
sl_report_note (SlRun *run, const SlCensus *census)
{
  gint64 violations[SL_N_RULES] = { 0 };
  gint32 n_offenders = 0;
  gint32 n_excluded = 0;
  for (gint32 i = 0; i < census->n_judged; i++)
    {
      const SlConduct *conduct = &g_array_index (census->conduct, SlConduct, i);
      gboolean offends = FALSE;
      for (int rule = 0; rule < SL_N_RULES; rule++)
        {
          violations[rule] += conduct->violations[rule];
          offends |= conduct->violations[rule] > 0;
        }
      n_offenders += offends;
      n_excluded += census->grounds[i] != 0;
    }
  sl_run_note (run,
               "%d of %d annotators with violations (range %" G_GINT64_FORMAT
               ", impossible %" G_GINT64_FORMAT ", missing %" G_GINT64_FORMAT "), %d excluded",
               n_offenders, census->n_judged, violations[SL_RULE_RANGE],
               violations[SL_RULE_IMPOSSIBLE], violations[SL_RULE_MISSING], n_excluded);
  if (census->digests != NULL)
    sl_run_note (run, "%u rows repeat an earlier one", census->duplicates->len);
}
