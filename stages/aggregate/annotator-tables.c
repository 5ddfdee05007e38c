/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "annotator-tables.h"

#include "schemas/annotators.h"
#include "stages/common/answer-conduct.h"
#include "stages/common/confusion-rows.h"

#include <math.h>

gboolean
sl_findings_open (SlFindings *findings, SlRun *run, const char *annotators, const char *confusion,
                  char *const *classes, gboolean knows_gold, GError **error)
{
  *findings = (SlFindings){ .run = run };
  if (annotators != NULL)
    {
      SlTable *table = findings->annotators_table = sl_table_new (&sl_annotators, NULL);
      if (knows_gold)
        sl_table_add (table, SL_ANNOTATORS_ACCURACY);
      for (int column = SL_ANNOTATORS_AGREEMENT; column <= SL_ANNOTATORS_SPAM_SCORE; column++)
        sl_table_add (table, column);
      findings->annotators = sl_run_side_table (run, annotators, table, error);
      if (findings->annotators == NULL)
        return FALSE;
    }
  if (confusion != NULL)
    {
      SlTable *table = findings->confusion_table = sl_confusion_table (classes);
      findings->confusion = sl_run_side_table (run, confusion, table, error);
      if (findings->confusion == NULL)
        return FALSE;
    }
  return TRUE;
}

void
sl_findings_clear (SlFindings *findings)
{
  g_clear_pointer (&findings->annotators_table, sl_table_unref);
  g_clear_pointer (&findings->confusion_table, sl_table_unref);
  g_clear_pointer (&findings->learned.confusion, g_free);
  g_clear_pointer (&findings->learned.reliability, g_free);
  g_clear_pointer (&findings->learned.prior, g_free);
}

gboolean
sl_findings_make_room (SlFindings *findings, gint32 n_annotators, gint32 n_classes, GError **error)
{
  gsize n = MAX ((gsize) n_annotators, 1), k = MAX ((gsize) n_classes, 1);
  const char *what = "annotators × classes × classes probabilities";
  SlLearned *learned = &findings->learned;
  /* What is written of them takes as much again. */
  return (!findings->confusion || sl_run_claim_array (findings->run, n, k * k * 8, what, error))
         && (learned->confusion = sl_run_alloc0 (findings->run, n, k * k * 8, what, error)) != NULL
         && (learned->reliability = sl_run_alloc0 (findings->run, n, 8, what, error)) != NULL
         && (learned->prior = sl_run_alloc0 (findings->run, k, 8, what, error)) != NULL;
}

/* ---- annotators ---- */

/* Raykar & Yu, Journal of Machine Learning Research 13, 2012: the mean squared distance between
 * two rows of the confusion theta[n][n], over what it can be at most,
 *   Σ_{k < k'} Σ_l (θ_kl - θ_k'l)² / (n (n - 1)) = (n Σ θ_kl² - Σ_l (Σ_k θ_kl)²) / (n (n - 1)) */
static double
spam_score (const double *theta, gint32 n)
{
  double squares = 0, sums = 0;
  for (gint32 l = 0; l < n; l++)
    {
      double sum = 0;
      for (gint32 k = 0; k < n; k++)
        {
          double p = theta[(gsize) k * (gsize) n + (gsize) l];
          squares += p * p;
          sum += p;
        }
      sums += sum * sum;
    }
  return n > 1 ? MAX (0, (n * squares - sums) / ((double) n * (n - 1))) : 0;
}

static double
trace (const double *theta, gint32 n)
{
  double sum = 0;
  for (gint32 k = 0; k < n; k++)
    sum += theta[(gsize) k * (gsize) n + (gsize) k];
  return sum / n;
}

static gboolean
write_annotators (const SlFindings *findings, const SlItems *items, const SlAnswers *answers,
                  const SlIntern *names, GError **error)
{
  gint32 n = items->n_classes;
  g_auto (SlByItem) by;
  sl_by_item_init (&by, items, answers, 0);
  g_autofree SlAnswerConduct *conduct = sl_answer_conduct (&by, items->gold);
  g_autoptr (SlBuilder) builder = sl_builder_new (findings->annotators_table);
  gboolean knows_gold = sl_table_has (findings->annotators_table, SL_ANNOTATORS_ACCURACY);
  for (gint32 a = 0; a < answers->n_annotators; a++)
    {
      gsize length;
      const char *name = sl_intern_get (names, a, &length);
      const SlAnswerConduct *own = &conduct[a];
      const double *theta = findings->learned.confusion + (gsize) a * (gsize) n * (gsize) n;
      sl_builder_text (builder, SL_ANNOTATORS_ANNOTATOR, name, length);
      sl_builder_int (builder, SL_ANNOTATORS_ANSWERS, (gint64) (own->answers + 0.5));
      if (knows_gold)
        sl_builder_real (builder, SL_ANNOTATORS_ACCURACY,
                         own->tested > 0 ? own->right / own->tested : NAN);
      sl_builder_real (builder, SL_ANNOTATORS_AGREEMENT,
                       own->pairs > 0 ? own->same / own->pairs : NAN);
      sl_builder_real (builder, SL_ANNOTATORS_RELIABILITY, findings->learned.reliability[a]);
      sl_builder_real (builder, SL_ANNOTATORS_TRACE, trace (theta, n));
      sl_builder_real (builder, SL_ANNOTATORS_SPAM_SCORE, spam_score (theta, n));
      if (!sl_writer_write_built (findings->annotators, builder, FALSE, error))
        return FALSE;
    }
  return sl_writer_write_built (findings->annotators, builder, TRUE, error);
}

/* ---- confusion ---- */

static gboolean
write_confusion (const SlFindings *findings, const SlItems *items, const SlAnswers *answers,
                 const SlIntern *names, GError **error)
{
  gsize n = (gsize) items->n_classes, cell = 0;
  g_autofree double *sums = sl_expected_answers (items, answers);
  g_autoptr (SlBuilder) builder = sl_builder_new (findings->confusion_table);
  for (gint32 a = 0; a < answers->n_annotators; a++)
    {
      gsize length;
      const char *name = sl_intern_get (names, a, &length);
      for (gsize k = 0; k < n; k++)
        for (gsize l = 0; l < n; l++, cell++)
          {
            const SlConfusionCell row = { (gint32) k, (gint32) l, findings->learned.confusion[cell],
                                          sums[cell], findings->learned.prior[k] };
            if (!sl_confusion_write (findings->confusion, builder, name, length, &row, error))
              return FALSE;
          }
    }
  return sl_writer_write_built (findings->confusion, builder, TRUE, error);
}

gboolean
sl_findings_write (const SlFindings *findings, const SlItems *items, const SlAnswers *answers,
                   const SlIntern *names, GError **error)
{
  return (findings->annotators == NULL || write_annotators (findings, items, answers, names, error))
         && (findings->confusion == NULL
             || write_confusion (findings, items, answers, names, error));
}
