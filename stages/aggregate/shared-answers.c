/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shared-answers.h"

#include <string.h>

static double
count_of (const SlAnswers *answers, gint64 j)
{
  return answers->count == NULL ? 1 : answers->count[j];
}

/* Adds answer J to the item's LABEL[n], COUNT times. */
static void
add_answer (const SlAnswers *answers, gint64 j, double count, gsize n, double *label)
{
  if (answers->distribution == NULL)
    label[answers->answer[j]] += count;
  for (gsize k = 0; answers->distribution != NULL && k < n; k++)
    label[k] += count * answers->distribution[(gsize) j * n + k];
}

void
sl_group_shares (SlItems *items, SlAnswers *answers, const gint32 *group, gint32 n_groups,
                 SlGroupShares *shared)
{
  gsize n = (gsize) items->n_classes;
  g_autofree double *total = g_new0 (double, (gsize) MAX (n_groups, 1));
  shared->count = g_new (double, (gsize) MAX (answers->n_answers, 1));
  shared->weight = g_new0 (double, (gsize) MAX (items->n_items, 1));
  memset (items->label, 0, (gsize) items->n_items * n * sizeof *items->label);
  for (gint64 first = 0, end; first < answers->n_answers; first = end)
    {
      gsize i = (gsize) answers->item[first];
      for (end = first; end < answers->n_answers && (gsize) answers->item[end] == i; end++)
        total[group[answers->annotator[end]]] += count_of (answers, end);
      for (gint64 j = first; j < end; j++)
        {
          shared->count[j] = count_of (answers, j) / total[group[answers->annotator[j]]];
          shared->weight[i] += shared->count[j];
          add_answer (answers, j, shared->count[j], n, &items->label[i * n]);
        }
      for (gint64 j = first; j < end; j++)
        total[group[answers->annotator[j]]] = 0;
    }
  answers->count = shared->count;
  items->weight = shared->weight;
}

gboolean
sl_share_answers (SlPriors *priors, const SlIntern *annotators, SlItems *items, SlAnswers *answers,
                  SlGroupShares *shared, GError **error)
{
  gsize bytes = 8 * (gsize) answers->n_answers + 8 * (gsize) items->n_items;
  g_autofree gint32 *group = g_new (gint32, MAX (answers->n_annotators, 1));
  if (!sl_run_claim (priors->run, bytes, "what each answer of a group counts", error))
    return FALSE;
  gint32 n = sl_priors_read_groups (priors, annotators, group, error);
  if (n >= 0)
    sl_group_shares (items, answers, group, n, shared);
  return n >= 0;
}

void
sl_group_shares_clear (SlGroupShares *shared)
{
  g_free (shared->count);
  g_free (shared->weight);
}
