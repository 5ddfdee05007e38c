/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shards.h"

#include "pipeline/base/number-text.h"
#include "pipeline/base/real-math.h"
#include "pipeline/command/run-tags.h"
#include "pipeline/base/vector-math.h"
#include "schemas/kinds.h"
#include "stages/common/answers/repeats.h"
#include "stages/aggregate/methods/abilities/glad-parts.h"
#include "stages/aggregate/methods/confusion/em/em.h"
#include "stages/aggregate/methods/fits.h"
#include "stages/aggregate/methods/repeated-answers.h"
#include "stages/common/figures/pair-agreement.h"
#include "stages/common/tables/confusion-rows.h"

#include <math.h>
#include <string.h>

#define SMOOTHING " --smoothing "

typedef struct
{
  gint32 n_classes;
  const SlIntern *annotators;
  const gint32 *place; /* of annotators, in the order in which they are written; NULL: the same */
  const double *sums;  /* [n_annotators][n_classes][n_classes] */
  const double *information; /* of glad: likewise; or NULL */
  const double *totals;      /* [n_classes] */
} Sums;

static gboolean
claim (const SlAggregation *aggregation, gsize n_annotators, gsize n_classes, GError **error)
{
  return sl_run_claim_array (aggregation->run, n_annotators,
                             n_classes * n_classes * sizeof (double),
                             "annotators × classes × classes sums", error);
}

/* The answers of SUMS: for each class an item of which it is known, and what was answered there. */
static gint64
collect (const Sums *sums, gint32 *item, gint32 *annotator, gint32 *answer, double *count)
{
  gint64 n_answers = 0;
  gint32 n = sums->n_classes, n_annotators = sl_intern_size (sums->annotators);
  for (gint32 k = 0; k < n; k++)
    for (gint32 a = 0; a < n_annotators; a++)
      for (gint32 l = 0; l < n; l++)
        {
          double c = sums->sums[((gsize) a * (gsize) n + (gsize) k) * (gsize) n + (gsize) l];
          if (!(c > 0))
            continue;
          item[n_answers] = k;
          annotator[n_answers] = a;
          answer[n_answers] = l;
          count[n_answers++] = c;
        }
  return n_answers;
}

static gboolean
is_glad (const SlAggregation *aggregation)
{
  return aggregation->method->fit == sl_fit_glad;
}

static void
learn_abilities (const Sums *sums, double *confusion)
{
  gsize n = (gsize) sums->n_classes, n_annotators = (gsize) sl_intern_size (sums->annotators);
  for (gsize at = 0; at < n_annotators * n * n; at += n * n)
    sl_glad_confusion (sl_glad_ability (&sums->sums[at], &sums->information[at], n), n,
                       &confusion[at]);
}

/* What the sums come to is the method's own step from labels to annotators, its first one, where
 * all labels are known: CONFUSION is like SUMS. */
static gboolean
learn (const SlAggregation *aggregation, const Sums *sums, double *confusion, GError **error)
{
  gsize n = (gsize) sums->n_classes, most = (gsize) sl_intern_size (sums->annotators) * n * n;
  SlRun *run = aggregation->run;
  if (is_glad (aggregation))
    {
      learn_abilities (sums, confusion);
      return TRUE;
    }
  g_autofree gint32 *places = sl_run_alloc0 (run, 3 * MAX (most, 1), sizeof (gint32),
                                             "annotators × classes × classes answers", error);
  g_autofree double *count = places != NULL ? sl_run_alloc0 (run, MAX (most, 1), sizeof *count,
                                                             "how often they were given", error)
                                            : NULL;
  if (count == NULL)
    return FALSE;
  g_autofree double *label = g_new0 (double, MAX (n * n, 1)), *weight = g_new0 (double, MAX (n, 1));
  g_autofree gint32 *gold = g_new (gint32, MAX (n, 1));
  SlAnswers answers = { .n_annotators = sl_intern_size (sums->annotators),
                        .item = places,
                        .annotator = places + most,
                        .answer = places + 2 * most,
                        .count = count };
  answers.n_answers = collect (sums, places, places + most, places + 2 * most, count);
  for (gint64 i = 0; i < answers.n_answers; i++)
    label[(gsize) answers.item[i] * n + (gsize) answers.answer[i]] += count[i];
  for (gsize k = 0; k < n; k++)
    {
      gold[k] = (gint32) k;
      for (gsize l = 0; l < n; l++)
        weight[k] += label[k * n + l];
      weight[k] = weight[k] > 0 ? weight[k] : 1;
    }
  const SlItems items = { .n_items = sums->n_classes,
                          .n_classes = sums->n_classes,
                          .label = label,
                          .weight = weight,
                          .gold = gold };
  SlMethodSettings settings = aggregation->settings;
  settings.fix_gold = TRUE;
  settings.iterations = 1;
  settings.tolerance = 0;
  SlMethodFlags flags = aggregation->method->flags;
  g_autofree double *right = flags & SL_METHOD_EVEN ? g_new0 (double, answers.n_annotators) : NULL;
  SlLearned learned = { .confusion = right != NULL ? NULL : confusion,
                        .reliability = right,
                        .weights = flags & SL_METHOD_WEIGHTS };
  if (!aggregation->method->fit (&items, &answers, &settings, &learned, error))
    return FALSE;
  for (gint32 a = 0; right != NULL && a < answers.n_annotators; a++)
    sl_even_confusion (right[a], 1 - right[a], n, &confusion[(gsize) a * n * n]);
  return TRUE;
}

/* share[n]: of the classes, whose labels sum to TOTALS; exp E log π of a method of weights, π ~
 * Dirichlet (1 + TOTALS); all the same where the method takes them to be. */
static void
set_shares (const SlAggregation *aggregation, const double *totals, gsize n, double *share)
{
  double all = 0;
  for (gsize k = 0; k < n; k++)
    all += totals[k];
  for (gsize k = 0; k < n; k++)
    if (aggregation->method->flags & SL_METHOD_WEIGHTS)
      share[k] = sl_exp (sl_scalar_digamma (1 + totals[k]) - sl_scalar_digamma ((double) n + all));
    else
      share[k] = all > 0 && !(aggregation->method->flags & SL_METHOD_EVEN) ? totals[k] / all
                                                                           : 1.0 / (double) n;
}

static gboolean
write_sums (const SlAggregation *aggregation, const Sums *sums, gboolean partial, GError **error)
{
  gint32 n = sums->n_classes;
  gsize n_annotators = (gsize) sl_intern_size (sums->annotators);
  if (!claim (aggregation, n_annotators, (gsize) n, error))
    return FALSE;
  g_autofree double *share = g_new (double, MAX (n, 1));
  set_shares (aggregation, sums->totals, (gsize) n, share);
  g_autofree double *confusion = g_new0 (double, MAX (n_annotators * (gsize) n * (gsize) n, 1));
  if (!learn (aggregation, sums, confusion, error))
    return FALSE;
  g_autoptr (SlBuilder) builder = sl_builder_new (aggregation->table);
  const double none = 0, *information = partial ? sums->information : NULL;
  for (gint32 k = 0; partial && k < n; k++)
    {
      const SlConfusionCell cell
          = { k, k, 1, sums->totals[k], share[k], information != NULL ? &none : NULL };
      if (!sl_confusion_write (aggregation->run->out, builder, "", 0, &cell, error))
        return FALSE;
    }
  for (gint32 seen = 0; (gsize) seen < n_annotators; seen++)
    {
      gsize length;
      gint32 a = sums->place != NULL ? sums->place[seen] : seen;
      gsize at = (gsize) a * (gsize) n * (gsize) n;
      const char *name = sl_intern_get (sums->annotators, a, &length);
      for (gint32 k = 0; k < n; k++)
        for (gint32 l = 0; l < n; l++, at++)
          {
            const SlConfusionCell cell = { k,
                                           l,
                                           confusion[at],
                                           sums->sums[at],
                                           share[k],
                                           information != NULL ? &information[at] : NULL };
            if (!sl_confusion_write (aggregation->run->out, builder, name, length, &cell, error))
              return FALSE;
          }
    }
  return sl_writer_write_built (aggregation->run->out, builder, TRUE, error);
}

/* The answers that count. */
static void
count_answers (const SlAggregation *aggregation, const SlItems *items, const SlAnswers *answers,
               SlDistinct *distinct)
{
  if (aggregation->method->flags & SL_METHOD_DISTINCT)
    sl_distinct_init (distinct, items, answers);
  else
    *distinct = (SlDistinct){ .answers = *answers };
}

/* Labels and the sums of glad. */
static gboolean
sum_abilities (const SlAggregation *aggregation, const SlItems *items, const SlAnswers *answers,
               double *sums, double *information, GError **error)
{
  gsize n = (gsize) MAX (items->n_items, 1);
  g_autofree double *ease
      = sl_run_alloc0 (aggregation->run, n, sizeof *ease, "how easy items are", error);
  if (ease == NULL)
    return FALSE;
  sl_glad_items (items, answers, &aggregation->settings, ease);
  sl_glad_sums (items, answers, &aggregation->settings, ease, sums, information);
  return TRUE;
}

gboolean
sl_shard_label (const SlAggregation *aggregation, const SlItems *items, const SlAnswers *answers,
                GError **error)
{
  g_auto (SlDistinct) distinct;
  count_answers (aggregation, items, answers, &distinct);
  if (is_glad (aggregation))
    {
      if (!aggregation->options->partial) /* whose labels are made with the sums */
        sl_glad_items (items, answers, &aggregation->settings, NULL);
      return TRUE;
    }
  if (aggregation->method->flags & SL_METHOD_EVEN)
    {
      SlMethodSettings settings = aggregation->settings;
      SlLearned nothing = { 0 };
      settings.iterations = 1;
      return aggregation->method->fit (items, &distinct.answers, &settings, &nothing, error);
    }
  return sl_em_first_labels (items, &distinct.answers, &aggregation->settings, error);
}

/* What SL_SUMS_TAG says of these sums. */
static char *
how_made (const SlAggregation *aggregation, const char *start_id)
{
  const SlAggregateOptions *options = aggregation->options;
  GString *made = g_string_new (aggregation->method->name);
  if (!isnan (options->settings.smoothing))
    {
      char text[SL_REAL_CHARS];
      gsize length = sl_format_real (text, options->settings.smoothing);
      g_string_append_printf (made, SMOOTHING "%.*s", (int) length, text);
    }
  if (options->priors.gold != NULL)
    g_string_append (made, " --gold");
  if (options->repeats != SL_COUNTED_ALL)
    g_string_append_printf (made, " --repeats %s", sl_repeats_names[options->repeats]);
  if (start_id != NULL)
    g_string_append_printf (made, " --init %s", start_id);
  return g_string_free (made, FALSE);
}

gboolean
sl_shard_write (const SlAggregation *aggregation, const SlItems *items, const SlAnswers *answers,
                const SlGathering *crowd, const char *start_id, GError **error)
{
  gsize n = (gsize) items->n_classes;
  g_autofree char *made = how_made (aggregation, start_id);
  if (!claim (aggregation, (gsize) answers->n_annotators, n, error)
      || !sl_run_add_tag (aggregation->run, "--partial", SL_SUMS_TAG, made, error)
      || !sl_run_start (aggregation->run, aggregation->table, error))
    return FALSE;
  g_autofree double *sums = g_new0 (double, MAX ((gsize) answers->n_annotators * n * n, 1));
  SlItems copy = *items; /* whose labels become votes */
  g_autofree double *votes
      = g_memdup2 (items->label, (gsize) items->n_items * n * sizeof *items->label);
  copy.label = votes;
  g_auto (SlDistinct) distinct;
  count_answers (aggregation, &copy, answers, &distinct);
  gboolean glad = is_glad (aggregation);
  g_autofree double *information
      = glad ? g_new0 (double, MAX ((gsize) answers->n_annotators * n * n, 1)) : NULL;
  if (!glad)
    sl_expected_answers (items, &distinct.answers, sums);
  else if (!claim (aggregation, (gsize) answers->n_annotators, n, error)
           || !sum_abilities (aggregation, items, answers, sums, information, error))
    return FALSE;
  g_autofree double *totals = g_new0 (double, MAX (n, 1));
  for (gint32 i = 0; i < items->n_items; i++)
    for (gsize k = 0; k < n; k++)
      totals[k] += items->label[(gsize) i * n + k];
  const Sums all = { .n_classes = items->n_classes,
                     .annotators = crowd->answers.annotators,
                     .place = crowd->annotator_place,
                     .sums = sums,
                     .information = information,
                     .totals = totals };
  return write_sums (aggregation, &all, TRUE, error);
}

/* ---- merging ---- */

static gboolean
no_sums (const char *name, GError **error)
{
  return sl_error_bad_input (
      error, "%s: these are not the sums of parts, as `aggregate --partial` writes them", name);
}

typedef struct
{
  SlIntern *annotators;
  GArray *sums, *information; /* double */
  double *totals;
  gboolean has_totals;
} Merge;

static void
merge_clear (Merge *merge)
{
  g_clear_pointer (&merge->annotators, sl_intern_free);
  g_clear_pointer (&merge->sums, g_array_unref);
  g_clear_pointer (&merge->information, g_array_unref);
  g_free (merge->totals);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Merge, merge_clear)

static gboolean
merge_batch (const SlAggregation *aggregation, Merge *merge, const SlBatch *batch, GError **error)
{
  guint n = (guint) batch->table->n_classes;
  const SlColumn *column = batch->column;
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      gsize length;
      const char *name = sl_text_get (column[SL_CONFUSION_ANNOTATOR].text, i, &length);
      guint k = (guint) column[SL_CONFUSION_TRUE].code[i];
      double answers = column[SL_CONFUSION_ANSWERS].real[i];
      double information = is_glad (aggregation) ? column[SL_CONFUSION_INFORMATION].real[i] : 0;
      gboolean odd = !(answers >= 0 && answers < HUGE_VAL);
      if (odd || !(information >= 0 && information < HUGE_VAL))
        return sl_error_row (error, batch->first_row + i + 1, "%s is %.9g; it is 0 or more",
                             odd ? "answers" : "information", odd ? answers : information);
      if (length == 0)
        {
          merge->has_totals = TRUE;
          merge->totals[k] += answers;
          continue;
        }
      gint32 a = sl_intern (merge->annotators, name, length);
      if ((guint64) (a + 1) * n * n > G_MAXUINT / sizeof (double))
        return sl_error_bad_input (error, "more annotators × classes × classes than can be merged");
      if (((guint) a + 1) * n * n > merge->sums->len)
        {
          if (!claim (aggregation, 1 + is_glad (aggregation), n, error))
            return FALSE;
          g_array_set_size (merge->sums, ((guint) a + 1) * n * n);
          if (is_glad (aggregation))
            g_array_set_size (merge->information, ((guint) a + 1) * n * n);
        }
      guint l = (guint) column[SL_CONFUSION_ANSWERED].code[i];
      g_array_index (merge->sums, double, ((guint) a * n + k) * n + l) += answers;
      if (is_glad (aggregation))
        g_array_index (merge->information, double, ((guint) a * n + k) * n + l) += information;
    }
  return TRUE;
}

/* Puts sums together by the method and the smoothing that MADE, their tag, says. */
static gboolean
read_made (SlAggregation *aggregation, const char *made, GError **error)
{
  const char *name = sl_reader_name (aggregation->run->in);
  g_autofree char *method_name = made == NULL ? NULL : g_strndup (made, strcspn (made, " "));
  const SlMethod *method = method_name == NULL ? NULL : sl_method_find (method_name);
  if (method == NULL || !(method->flags & SL_METHOD_SHARDS))
    return no_sums (name, error);
  if (sl_option_given (aggregation->run->options, "method") && method != aggregation->method)
    return sl_error_bad_input (error,
                               "%s: these are sums for --method %s, not %s: leave --method out, or "
                               "make them anew by `aggregate --method %s --partial`",
                               name, method_name, aggregation->method->name,
                               aggregation->method->name);
  /* The sums say what was answered, soft or not. */
  aggregation->method = method->flags & SL_METHOD_SOFT ? sl_method_find ("dawid-skene") : method;
  const char *smoothing = strstr (made, SMOOTHING);
  double of_sums = NAN, *given = &aggregation->settings.smoothing;
  if (smoothing != NULL)
    sl_scan_real (smoothing + strlen (SMOOTHING), strcspn (smoothing + strlen (SMOOTHING), " "),
                  &of_sums);
  if (!isnan (of_sums) && !isnan (*given) && of_sums != *given)
    return sl_error_bad_input (error,
                               "%s: these are sums of `%s`: leave --smoothing out, or make them "
                               "anew",
                               name, made);
  *given = sl_or_own (*given, of_sums);
  return TRUE;
}

gboolean
sl_shard_merge (SlAggregation *aggregation, GError **error)
{
  const SlTable *in = sl_reader_table (aggregation->run->in);
  const char *name = sl_reader_name (aggregation->run->in);
  if (!read_made (aggregation, sl_tags_get (&in->tags, SL_SUMS_TAG), error))
    return FALSE;
  sl_run_take_off_tag (aggregation->run, SL_SUMS_TAG);
  g_auto (Merge) merge = { .annotators = sl_intern_new (),
                           .sums = g_array_new (FALSE, TRUE, sizeof (double)),
                           .information = g_array_new (FALSE, TRUE, sizeof (double)),
                           .totals = g_new0 (double, MAX (in->n_classes, 1)) };
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  gboolean whole = sl_table_has (in, SL_CONFUSION_ANSWERS)
                   && (!is_glad (aggregation) || sl_table_has (in, SL_CONFUSION_INFORMATION));
  while (whole && sl_run_each (aggregation->run, &batch, &ok, error))
    ok = merge_batch (aggregation, &merge, batch, error);
  if (!ok)
    return FALSE;
  if (!merge.has_totals)
    return no_sums (name, error);
  const Sums sums = { .n_classes = in->n_classes,
                      .annotators = merge.annotators,
                      .sums = (double *) (gpointer) merge.sums->data,
                      .information = (double *) (gpointer) merge.information->data,
                      .totals = merge.totals };
  return sl_run_start (aggregation->run, aggregation->table, error)
         && write_sums (aggregation, &sums, FALSE, error);
}
