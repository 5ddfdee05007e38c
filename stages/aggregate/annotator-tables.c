/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "annotator-tables.h"

#include "schemas/kinds.h"
#include "stages/common/figures/pair-agreement.h"
#include "stages/common/tables/confusion-rows.h"

#include <math.h>

gboolean
sl_annotator_tables_open (SlAnnotatorTables *tables, SlRun *run, const char *annotators,
                          const char *confusion, char *const *classes, gboolean knows_gold,
                          GError **error)
{
  tables->run = run;
  if (annotators != NULL)
    {
      SlTable *table = tables->annotators_table = sl_table_new (&sl_annotators, NULL);
      if (knows_gold)
        sl_table_add (table, SL_ANNOTATORS_ACCURACY);
      for (int column = SL_ANNOTATORS_AGREEMENT; column <= SL_ANNOTATORS_SPAM_SCORE; column++)
        sl_table_add (table, column);
      for (int c = SL_ANNOTATORS_CONFIDENCE; tables->percents && c <= SL_ANNOTATORS_STRENGTH; c++)
        sl_table_add (table, c);
      for (int c = SL_ANNOTATORS_BIAS; tables->rated && c <= SL_ANNOTATORS_SPREAD; c++)
        sl_table_add (table, c);
      tables->annotators = sl_run_side_table (run, annotators, table, error);
      if (tables->annotators == NULL)
        return FALSE;
    }
  if (confusion != NULL)
    {
      SlTable *table = tables->confusion_table = sl_confusion_table (classes);
      tables->confusion = sl_run_side_table (run, confusion, table, error);
      if (tables->confusion == NULL)
        return FALSE;
    }
  return TRUE;
}

void
sl_annotator_tables_clear (SlAnnotatorTables *tables)
{
  g_clear_pointer (&tables->annotators_table, sl_table_unref);
  g_clear_pointer (&tables->confusion_table, sl_table_unref);
  g_clear_pointer (&tables->learned.confusion, g_free);
  g_clear_pointer (&tables->learned.expected, g_free);
  g_clear_pointer (&tables->learned.reliability, g_free);
  g_clear_pointer (&tables->learned.prior, g_free);
  g_clear_pointer (&tables->learned.percents, g_free);
  g_clear_pointer (&tables->learned.lower, g_free);
  g_clear_pointer (&tables->learned.upper, g_free);
  g_clear_pointer (&tables->learned.bias, g_free);
  g_clear_pointer (&tables->learned.spread, g_free);
}

gboolean
sl_annotator_tables_make_room (SlAnnotatorTables *tables, gint32 n_annotators, gint32 n_classes,
                               GError **error)
{
  gsize n = MAX ((gsize) n_annotators, 1), k = MAX ((gsize) n_classes, 1);
  const char *what = "annotators × classes × classes probabilities";
  SlLearned *learned = &tables->learned;
  return (!tables->confusion
          || (learned->expected = sl_run_alloc0 (tables->run, n, k * k * 8, what, error)) != NULL)
         && (learned->confusion = sl_run_alloc0 (tables->run, n, k * k * 8, what, error)) != NULL
         && (learned->reliability = sl_run_alloc0 (tables->run, n, 8, what, error)) != NULL
         && (learned->prior = sl_run_alloc0 (tables->run, k, 8, what, error)) != NULL
         && (!tables->rated
             || ((learned->bias = sl_run_alloc0 (tables->run, n, 8, what, error)) != NULL
                 && (learned->spread = sl_run_alloc0 (tables->run, n, 8, what, error)) != NULL))
         && (!tables->percents
             || (learned->percents
                 = sl_run_alloc0 (tables->run, n, sizeof *learned->percents, what, error))
                    != NULL);
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

static void
add_percents (SlBuilder *builder, const SlPercents *percents)
{
  sl_builder_real (builder, SL_ANNOTATORS_CONFIDENCE, percents->confidence);
  sl_builder_real (builder, SL_ANNOTATORS_CONFIRMED, percents->confirmed);
  sl_builder_real (builder, SL_ANNOTATORS_SLOPE, percents->slope);
  sl_builder_real (builder, SL_ANNOTATORS_STRENGTH, percents->strength);
}

static gboolean
write_annotators (const SlAnnotatorTables *tables, const SlItems *items, const SlAnswers *answers,
                  const SlGathering *crowd, GError **error)
{
  gint32 n = items->n_classes;
  g_auto (SlByItem) by;
  sl_by_item_init (&by, items, answers, 0);
  g_autofree SlAnswerConduct *conduct = sl_answer_conduct (&by, items->gold);
  g_autoptr (SlBuilder) builder = sl_builder_new (tables->annotators_table);
  gboolean knows_gold = sl_table_has (tables->annotators_table, SL_ANNOTATORS_ACCURACY);
  for (gint32 seen = 0; seen < answers->n_annotators; seen++)
    {
      gsize length;
      gint32 a = sl_gathering_annotator_place (crowd, seen);
      const char *name = sl_intern_get (crowd->answers.annotators, a, &length);
      const SlAnswerConduct *own = &conduct[a];
      const double *theta = tables->learned.confusion + (gsize) a * (gsize) n * (gsize) n;
      if (!(own->answers < 0x1p63))
        return sl_error_bad_input (error, "annotator '%.*s' has more answers than 2^63",
                                   (int) MIN (length, 1000), name);
      sl_builder_text (builder, SL_ANNOTATORS_ANNOTATOR, name, length);
      sl_builder_int (builder, SL_ANNOTATORS_ANSWERS, (gint64) (own->answers + 0.5));
      if (knows_gold)
        sl_builder_real (builder, SL_ANNOTATORS_ACCURACY,
                         own->tested > 0 ? own->right / own->tested : NAN);
      sl_builder_real (builder, SL_ANNOTATORS_AGREEMENT,
                       own->pairs > 0 ? own->same / own->pairs : NAN);
      sl_builder_real (builder, SL_ANNOTATORS_RELIABILITY, tables->learned.reliability[a]);
      sl_builder_real (builder, SL_ANNOTATORS_TRACE, trace (theta, n));
      sl_builder_real (builder, SL_ANNOTATORS_SPAM_SCORE, spam_score (theta, n));
      if (tables->percents)
        add_percents (builder, &tables->learned.percents[a]);
      if (tables->rated)
        {
          sl_builder_real (builder, SL_ANNOTATORS_BIAS, tables->learned.bias[a]);
          sl_builder_real (builder, SL_ANNOTATORS_SPREAD, tables->learned.spread[a]);
        }
      if (!sl_writer_write_built (tables->annotators, builder, FALSE, error))
        return FALSE;
    }
  return sl_writer_write_built (tables->annotators, builder, TRUE, error);
}

/* ---- confusion ---- */

static gboolean
write_confusion (const SlAnnotatorTables *tables, const SlItems *items, const SlAnswers *answers,
                 const SlGathering *crowd, GError **error)
{
  gsize n = (gsize) items->n_classes;
  g_autoptr (SlBuilder) builder = sl_builder_new (tables->confusion_table);
  for (gint32 seen = 0; seen < answers->n_annotators; seen++)
    {
      gsize length;
      gint32 a = sl_gathering_annotator_place (crowd, seen);
      const char *name = sl_intern_get (crowd->answers.annotators, a, &length);
      for (gsize k = 0; k < n; k++)
        for (gsize l = 0; l < n; l++)
          {
            gsize cell = ((gsize) a * n + k) * n + l;
            const SlConfusionCell row
                = { (gint32) k, (gint32) l, tables->learned.confusion[cell],
                    tables->learned.expected[cell], tables->learned.prior[k] };
            if (!sl_confusion_write (tables->confusion, builder, name, length, &row, error))
              return FALSE;
          }
    }
  return sl_writer_write_built (tables->confusion, builder, TRUE, error);
}

gboolean
sl_annotator_tables_write (const SlAnnotatorTables *tables, const SlItems *items,
                           const SlAnswers *answers, const SlGathering *crowd, GError **error)
{
  return (tables->annotators == NULL || write_annotators (tables, items, answers, crowd, error))
         && (tables->confusion == NULL || write_confusion (tables, items, answers, crowd, error));
}
