/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "apart.h"

#include "pipeline/base/shown-text.h"
#include "stages/common/answers/answers-by-item.h"
#include "stages/common/items/question.h"

#include <string.h>

gint32 *
sl_parts_of (const SlGathering *gathering, const char *separator, SlIntern *names, GError **error)
{
  gsize length;
  gint32 n = gathering->tally.n_items;
  g_autofree gint32 *group = g_new (gint32, MAX (n, 1));
  for (gint32 i = 0; i < n; i++)
    {
      const char *name = sl_intern_get (gathering->items, i, &length);
      gsize own = sl_parting_item (name, length);
      const char *at = separator != NULL ? sl_question_in (name, own, separator) : name + own;
      if (at == NULL)
        {
          g_autofree char *shown = sl_shown (name, own);
          sl_error_bad_input (error, "item '%s' has no '%s' that parts it from its question", shown,
                              separator);
          return NULL;
        }
      group[sl_gathering_place (gathering, i)]
          = sl_intern (names, at, (gsize) (name + length - at));
    }
  return g_steal_pointer (&group);
}

/* The arrays of one group. */
typedef struct
{
  gint32 *gold, *item, *annotator, *answer;
  double *label, *weight, *distribution, *count, *prediction;
  guint64 *key;
} Part;

static void
part_clear (Part *part)
{
  g_free (part->gold);
  g_free (part->item);
  g_free (part->annotator);
  g_free (part->answer);
  g_free (part->label);
  g_free (part->weight);
  g_free (part->distribution);
  g_free (part->count);
  g_free (part->prediction);
  g_free (part->key);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Part, part_clear)

/* WIDTH numbers of FROM's row ROW become those of TO's row AT, unless there are none. */
static void
copy_row (double *to, gsize at, const double *from, gsize row, gsize width)
{
  if (to != NULL)
    memcpy (to + at * width, from + row * width, width * sizeof *to);
}

static double *
rows_like (const double *from, gsize n, gsize width)
{
  return from != NULL ? g_new (double, MAX (n * width, 1)) : NULL;
}

static int
compare_numbers (gconstpointer a, gconstpointer b)
{
  const gint32 x = *(const gint32 *) a, y = *(const gint32 *) b;
  return SL_COMPARE (x, y);
}

/* NUMBER, of who has answered the items WHICH[N], becomes 0, 1, 2 ... in the order there was;
 * returns how many they are. */
static gint32
number_annotators (const SlByItem *by, const gint32 *which, gint32 n, gint32 *number)
{
  g_autoptr (GArray) there = g_array_new (FALSE, FALSE, sizeof (gint32));
  for (gint32 i = 0; i < n; i++)
    for (gint64 j = by->first[which[i]]; j < by->first[which[i] + 1]; j++)
      if (number[by->annotator[j]] < 0)
        {
          number[by->annotator[j]] = 0;
          g_array_append_vals (there, &by->annotator[j], 1);
        }
  g_array_sort (there, compare_numbers);
  for (guint a = 0; a < there->len; a++)
    number[g_array_index (there, gint32, a)] = (gint32) a;
  return (gint32) there->len;
}

/* The items WHICH[N] of ITEMS, with N_ANSWERS. NUMBER[n_annotators] is all -1, before and after. */
static void
take_part (Part *part, const SlItems *items, const SlAnswers *answers, const SlByItem *by,
           const gint32 *which, gint32 n, gint64 n_answers, gint32 *number, SlItems *some,
           SlAnswers *said)
{
  gsize k = (gsize) items->n_classes, at = 0, m = (gsize) n_answers;
  *part = (Part){ .gold = items->gold != NULL ? g_new (gint32, n) : NULL,
                  .item = g_new (gint32, m),
                  .annotator = g_new (gint32, m),
                  .answer = by->answer != NULL ? g_new (gint32, m) : NULL,
                  .label = g_new (double, (gsize) n *k),
                  .weight = rows_like (items->weight, (gsize) n, 1),
                  .distribution = rows_like (by->distribution, m, k),
                  .count = rows_like (by->count, m, 1),
                  .prediction = rows_like (answers->prediction, (gsize) n, k),
                  .key = items->key != NULL ? g_new (guint64, n) : NULL };
  const gint32 n_annotators = number_annotators (by, which, n, number);
  for (gint32 i = 0; i < n; i++)
    {
      gsize old = (gsize) which[i];
      copy_row (part->label, (gsize) i, items->label, old, k);
      copy_row (part->weight, (gsize) i, items->weight, old, 1);
      copy_row (part->prediction, (gsize) i, answers->prediction, old, k);
      if (part->gold != NULL)
        part->gold[i] = items->gold[old];
      if (part->key != NULL)
        part->key[i] = items->key[old];
      for (gint64 j = by->first[old]; j < by->first[old + 1]; j++, at++)
        {
          part->item[at] = i;
          part->annotator[at] = number[by->annotator[j]];
          if (part->answer != NULL)
            part->answer[at] = by->answer[j];
          copy_row (part->count, at, by->count, (gsize) j, 1);
          if (part->distribution != NULL)
            copy_row (part->distribution, at, sl_by_item_distribution (by, j), 0, k);
        }
    }
  for (gint32 i = 0; i < n; i++)
    for (gint64 j = by->first[which[i]]; j < by->first[which[i] + 1]; j++)
      number[by->annotator[j]] = -1;
  *some = (SlItems){ n, items->n_classes, part->label, part->weight, part->gold, part->key };
  *said = (SlAnswers){ .n_answers = n_answers,
                       .n_annotators = n_annotators,
                       .item = part->item,
                       .annotator = part->annotator,
                       .answer = part->answer,
                       .distribution = part->distribution,
                       .count = part->count,
                       .prediction = part->prediction };
}

gboolean
sl_fit_apart (const SlItems *items, const SlAnswers *answers, const gint32 *group, gint32 n_groups,
              SlFitPart fit, gpointer data, GError **error)
{
  g_auto (SlByItem) by;
  sl_by_item_init (&by, items, answers, 0);
  g_autofree gint32 *number = g_new (gint32, MAX (answers->n_annotators, 1));
  memset (number, 0xff, (gsize) answers->n_annotators * sizeof *number);
  g_autofree gint32 *end = g_new0 (gint32, (gsize) n_groups + 1),
                    *which = g_new (gint32, MAX (items->n_items, 1));
  for (gint32 i = 0; i < items->n_items; i++)
    end[group[i]]++;
  for (gint32 g = 1; g <= n_groups; g++)
    end[g] += end[g - 1];
  for (gint32 i = items->n_items; i-- > 0;)
    which[--end[group[i]]] = i; /* end[g] is where the group begins, now */
  for (gint32 g = 0; g < n_groups; g++)
    {
      const gint32 *own = which + end[g];
      gint32 n = end[g + 1] - end[g];
      gint64 n_answers = 0;
      for (gint32 i = 0; i < n; i++)
        n_answers += by.first[own[i] + 1] - by.first[own[i]];
      g_auto (Part) part;
      SlItems some;
      SlAnswers said;
      take_part (&part, items, answers, &by, own, n, n_answers, number, &some, &said);
      if (!fit (data, g, own, &some, &said, error))
        return FALSE;
      for (gint32 i = 0; i < n; i++)
        copy_row (items->label, (gsize) own[i], some.label, (gsize) i, (gsize) items->n_classes);
    }
  return TRUE;
}
