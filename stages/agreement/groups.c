/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "groups.h"

#include "schemas/annotations.h"
#include "stages/common/figures/group-agreement.h"

#include <math.h>
#include <string.h>

gboolean
sl_agreement_groups_add (SlAgreementGroups *groups, SlBatch *batch, GError **error)
{
  return groups->column < 0
         || sl_annotator_tags_add (&groups->tags, batch,
                                   batch->column[SL_ANNOTATIONS_ANNOTATOR].text, groups->source,
                                   error);
}

/* What annotators of the groups are called, and who is in which. */
typedef struct
{
  gint32 *group; /* [n_annotators], by place; -1: none */
  char **name;   /* [n], in the order of sl_intern_order() */
  gint32 n;
} Named;

static void
named_clear (Named *named)
{
  g_free (named->group);
  g_strfreev (named->name);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Named, named_clear)

static void
name_groups (const SlAgreementGroups *groups, const SlGathering *crowd, Named *named)
{
  const SlIntern *annotators = crowd->answers.annotators, *values = groups->tags.tags.tag->values;
  const gint32 n_annotators = sl_intern_size (annotators);
  gint64 without = 0;
  named->n = sl_intern_size (values);
  named->name = g_new0 (char *, named->n + 1);
  named->group = g_new (gint32, MAX (n_annotators, 1));
  g_autofree gint32 *order = sl_intern_order (values), *place = g_new (gint32, named->n + 1);
  for (gint32 g = 0; g < named->n; g++)
    {
      gsize length;
      const char *text = sl_intern_get (values, order != NULL ? order[g] : g, &length);
      named->name[g] = g_strndup (text, length);
      place[order != NULL ? order[g] : g] = g;
    }
  for (gint32 a = 0; a < n_annotators; a++)
    {
      gsize length;
      const char *name = sl_intern_get (annotators, a, &length);
      gint32 value = sl_annotator_tags_find (&groups->tags, 0, name, length);
      named->group[a] = value >= 0 ? place[value] : -1;
      without += value < 0;
    }
  if (without > 0)
    sl_run_warn (crowd->run, "annotators without %s, who are in no group: %" G_GINT64_FORMAT,
                 groups->key, without);
}

/* Answers of one group alone, in the order of all. */
typedef struct
{
  gint32 *item, *annotator, *answer, *gold;
  double *count, *label, *weight;
} Own;

static void
own_clear (Own *own)
{
  g_free (own->item);
  g_free (own->annotator);
  g_free (own->answer);
  g_free (own->gold);
  g_free (own->count);
  g_free (own->label);
  g_free (own->weight);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Own, own_clear)

static void
take_own (Own *own, const SlAgreed *agreed, const Named *named, gint32 group, SlItems *items,
          SlAnswers *answers)
{
  const SlByItem *by = agreed->by;
  const gsize n_classes = (gsize) by->n_classes, n = (gsize) by->n_answers;
  g_autofree gint32 *number = g_new (gint32, MAX (by->n_annotators, 1));
  gint32 n_annotators = 0, n_items = 0;
  gint64 n_own = 0;
  *own = (Own){ .item = g_new (gint32, n + 1),
                .annotator = g_new (gint32, n + 1),
                .answer = g_new (gint32, n + 1),
                .gold = g_new (gint32, by->n_items + 1),
                .count = g_new (double, n + 1),
                .label = g_new0 (double, (gsize) by->n_items *n_classes + 1),
                .weight = g_new0 (double, (gsize) by->n_items + 1) };
  for (gint32 a = 0; a < by->n_annotators; a++)
    number[a] = named->group[a] == group ? n_annotators++ : -1;
  for (gint32 i = 0; i < by->n_items; i++)
    {
      gint64 before = n_own;
      for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
        {
          if (number[by->annotator[j]] < 0)
            continue;
          double count = sl_by_item_count (by, j);
          own->item[n_own] = n_items;
          own->annotator[n_own] = number[by->annotator[j]];
          own->answer[n_own] = by->answer[j];
          own->count[n_own++] = count;
          own->weight[n_items] += count;
          own->label[(gsize) n_items * n_classes + (gsize) by->answer[j]] += count;
        }
      own->gold[n_items] = agreed->items->gold != NULL ? agreed->items->gold[i] : -1;
      n_items += n_own > before;
    }
  *items = (SlItems){ n_items, by->n_classes, own->label, own->weight, own->gold, NULL };
  *answers = (SlAnswers){ .n_answers = n_own,
                          .n_annotators = n_annotators,
                          .item = own->item,
                          .annotator = own->annotator,
                          .answer = own->answer,
                          .count = own->count };
}

static gboolean
add_own (const SlAgreed *agreed, const Named *named, gint32 group, SlRun *run,
         const SlIntervalPlan *plan, GArray *scores, GError **error)
{
  g_auto (Own) own;
  SlItems items;
  SlAnswers answers;
  take_own (&own, agreed, named, group, &items, &answers);
  g_auto (SlByItem) by;
  sl_by_item_init (&by, &items, &answers, 0);
  const SlAgreed theirs = { agreed->scale, &items, &by };
  double n = 0;
  for (gint64 j = 0; j < answers.n_answers; j++)
    n += own.count[j];
  guint first = scores->len;
  sl_all_figures_one (scores, "items", items.n_items, items.n_items);
  sl_all_figures_one (scores, "annotators", answers.n_annotators, (gint64) (n + 0.5));
  sl_all_figures_one (scores, "answers", n, (gint64) (n + 0.5));
  if (!sl_all_figures_coefficients (scores, run, &theirs, plan, error))
    return FALSE;
  for (guint s = first; s < scores->len; s++)
    g_array_index (scores, SlAgreementFigure, s).of = g_intern_string (named->name[group]);
  return TRUE;
}

#define WITHIN                                                                                     \
  "alpha of pairs of annotators of one group: 1 - their disagreement / that of any two answers"
#define BETWEEN "the same of pairs of annotators of two groups"
#define DIFFERENCE "within less between; p by permuting groups among annotators"

/* NAMES: of within, between and their difference. */
static void
add_compared (const SlGroupFigures *figure, const char *const *names, const char *of,
              GArray *scores)
{
  const SlAgreementFigure rows[] = { { names[0], WITHIN, figure->within, of, NAN },
                                     { names[1], BETWEEN, figure->between, of, NAN },
                                     { names[2], DIFFERENCE, figure->difference, of, figure->p } };
  g_array_append_vals (scores, rows, G_N_ELEMENTS (rows));
}

gboolean
sl_agreement_groups_figures (const SlAgreementGroups *groups, SlGathering *crowd,
                             const SlAgreed *agreed, const SlIntervalPlan *plan, GArray *scores,
                             GError **error)
{
  static const char *const names[] = { "alpha_within", "alpha_between", "alpha_difference" };
  static const char *const ordered[]
      = { "alpha_interval_within", "alpha_interval_between", "alpha_interval_difference" };
  g_auto (Named) named = { 0 };
  if (groups->column < 0)
    return TRUE;
  name_groups (groups, crowd, &named);
  SlGroups compared = { agreed->by, named.group, named.n, NULL, groups->permutations };
  gsize bytes = 2 * sl_group_agreement_bytes (&compared, plan);
  g_autofree SlGroupFigures *figure = g_new0 (SlGroupFigures, named.n + 1),
                            *valued = g_new0 (SlGroupFigures, named.n + 1);
  if (!sl_run_claim (crowd->run, bytes, "pairs of annotators, and what items say of groups", error))
    return FALSE;
  sl_group_agreement (&compared, plan, figure);
  compared.value = agreed->scale.value;
  if (compared.value != NULL)
    sl_group_agreement (&compared, plan, valued);
  sl_run_release (crowd->run, bytes);
  for (gint32 g = named.n, n = 0; n <= named.n; g = n++)
    {
      const char *of = g < named.n ? g_intern_string (named.name[g]) : NULL;
      add_compared (&figure[g], names, of, scores);
      if (compared.value != NULL)
        add_compared (&valued[g], ordered, of, scores);
      if (g < named.n && !add_own (agreed, &named, g, crowd->run, plan, scores, error))
        return FALSE;
    }
  return TRUE;
}
