/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "corrupting.h"

#include "pipeline/base/intern/intern.h"
#include "pipeline/base/number-text.h"
#include "pipeline/base/parallel.h"

#include <string.h>

#define SEVERITIES 5

void
sl_corrupt_plan_clear (SlCorruptPlan *plan)
{
  g_clear_pointer (&plan->condition, g_free);
}

/* WANTED[s - 1] becomes TRUE of each severity s that "1-3" or "4" names. */
static gboolean
parse_severity (const char *text, gboolean *wanted, GError **error)
{
  const char *dash = strchr (text, '-');
  gint64 from = 0, to = 0;
  gboolean ok = sl_parse_integer (text, dash != NULL ? dash - text : -1, &from);
  to = from;
  ok = ok && (dash == NULL || sl_parse_integer (dash + 1, -1, &to));
  if (!ok || from < 1 || to > SEVERITIES || from > to)
    return sl_error_usage (error, "--severity: '%s' is none of 1 to 5, such as 3, 1,5 or 1-5",
                           text);
  for (gint64 s = from; s <= to; s++)
    wanted[s - 1] = TRUE;
  return TRUE;
}

static const SlCorruption *
find (const char *name, GError **error)
{
  g_autoptr (GString) all = g_string_new (NULL);
  for (const SlCorruption *corruption = sl_corruptions; corruption->name != NULL; corruption++)
    {
      if (strcmp (corruption->name, name) == 0)
        return corruption;
      g_string_append_printf (all, "%s%s", all->len > 0 ? ", " : "", corruption->name);
    }
  if (strcmp (name, "frost") == 0)
    sl_error_usage (error, "--corrupt: frost is laid over from photographs, which are not here; "
                           "`softlabel ingest --from npy --severity N frost.npy` reads "
                           "CIFAR-10-C's own");
  else
    sl_error_usage (error, "--corrupt: '%s' is not one of %s; or all, by itself", name, all->str);
  return NULL;
}

gboolean
sl_corrupt_plan_init (SlCorruptPlan *plan, const char *names, const char *severities,
                      GError **error)
{
  gboolean wanted[SEVERITIES] = { FALSE }, all = strcmp (names, "all") == 0;
  g_auto (GStrv) texts = g_strsplit (severities != NULL ? severities : "3", ",", -1);
  g_auto (GStrv) words = g_strsplit (names, ",", -1);
  *plan = (SlCorruptPlan){ .all = all };
  for (char **text = texts; *text != NULL; text++)
    if (!parse_severity (*text, wanted, error))
      return FALSE;
  gsize n_words = 0;
  while (all ? sl_corruptions[n_words].name != NULL : words[n_words] != NULL)
    n_words++;
  plan->condition = g_new (SlCorruptionLevel, n_words * SEVERITIES + 1);
  for (gsize i = 0; i < n_words; i++)
    {
      const SlCorruption *corruption = all ? &sl_corruptions[i] : find (words[i], error);
      if (corruption == NULL)
        return FALSE;
      for (gsize j = 0; j < plan->n; j++)
        if (plan->condition[j].corruption == corruption && !all)
          return sl_error_usage (error, "--corrupt: %s is there twice", corruption->name);
      for (int s = 0; s < SEVERITIES; s++)
        if (wanted[s])
          plan->condition[plan->n++] = (SlCorruptionLevel){ corruption, s + 1 };
    }
  return plan->n > 0 || sl_error_usage (error, "--corrupt names nothing");
}

/* Grey pictures. */
static gboolean
leave_out_coloured (SlCorruptPlan *plan, SlRun *run, GError **error)
{
  gsize n = 0;
  for (gsize i = 0; i < plan->n; i++)
    if (!plan->condition[i].corruption->coloured)
      plan->condition[n++] = plan->condition[i];
    else if (!plan->all)
      return sl_error_usage (error, "--corrupt %s is for pictures with colours; these are grey",
                             plan->condition[i].corruption->name);
    else if (i == 0 || plan->condition[i].corruption != plan->condition[i - 1].corruption)
      sl_run_warn (run, "--corrupt all: left out %s, which is for pictures with colours",
                   plan->condition[i].corruption->name);
  plan->n = n;
  return TRUE;
}

gboolean
sl_corrupt_plan_fits (SlCorruptPlan *plan, SlRun *run, const SlPredictors *predictors,
                      GError **error)
{
  gsize threads = (gsize) run->threads, n = (gsize) predictors->batch;
  gsize room = sl_corruption_room (predictors->channels, predictors->height, predictors->width);
  if (!predictors->pixels)
    return sl_error_usage (error, "--corrupt is for pixels; these features are other numbers");
  if (predictors->channels != 1 && predictors->channels != 3)
    return sl_error_usage (error,
                           "--corrupt is for pictures, grey or of three channels; these "
                           "examples have %d",
                           predictors->channels);
  if (predictors->channels == 1 && !leave_out_coloured (plan, run, error))
    return FALSE;
  return sl_run_claim_array (run, threads, room * sizeof (double), "pictures that are corrupted",
                             error)
         && sl_run_claim_array (run, n * predictors->size, sizeof (float), "corrupted pictures",
                                error)
         && sl_run_claim_array (run, plan->n * predictors->networks->len,
                                n * predictors->k * sizeof (float), "logits of all corruptions",
                                error);
}

/* One condition of a batch. */
typedef struct
{
  const SlPrediction *prediction;
  const SlPredictedRow *rows;
  SlCorruptionLevel condition;
  const float *x;
  float *to;
} Batch;

static void
corrupt_one (int i, gpointer data)
{
  const Batch *batch = data;
  const SlPredictors *predictors = batch->prediction->predictors;
  const SlPredictedRow *row = &batch->rows[i];
  gsize at = (gsize) i * predictors->size;
  g_autofree double *room = g_new (
      double, sl_corruption_room (predictors->channels, predictors->height, predictors->width));
  sl_corruption_apply (batch->condition.corruption, batch->condition.severity,
                       batch->prediction->corrupt->seed, sl_text_hash (row->item, row->length),
                       predictors->channels, predictors->height, predictors->width, batch->x + at,
                       room, batch->to + at);
}

gboolean
sl_predict_corrupted (SlPrediction *prediction, const float *x, const SlPredictedRow *rows, gsize n,
                      GError **error)
{
  const SlPredictors *predictors = prediction->predictors;
  const SlCorruptPlan *plan = prediction->corrupt;
  gsize k = predictors->k, n_networks = predictors->networks->len, each = n_networks * n * k;
  g_autofree float *logits = g_new (float, plan->n *each);
  g_autofree float *corrupted = g_new (float, n * predictors->size);
  for (gsize c = 0; c < plan->n; c++)
    {
      Batch batch = { prediction, rows, plan->condition[c], x, corrupted };
      sl_parallel (prediction->run->threads, (int) n, corrupt_one, &batch);
      if (!sl_predictors_logits (predictors, corrupted, n, logits + c * each, error))
        return FALSE;
    }
  for (gsize i = 0; i < n; i++)
    for (gsize c = 0; c < plan->n; c++)
      for (gsize r = 0; r < (prediction->mean ? 1 : n_networks); r++)
        {
          SlPredictedRow row = rows[i];
          row.run = (gint32) r;
          row.logits = logits + c * each + (r * n + i) * k;
          row.n_networks = n_networks;
          row.stride = n * k;
          row.corruption = plan->condition[c].corruption->name;
          row.severity = plan->condition[c].severity;
          if (!sl_write_row (prediction, &row, error))
            return FALSE;
        }
  return TRUE;
}
