/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "habits.h"

#include "schemas/annotations.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#define FIRST_ANSWER_BYTES 64 /* about, of one in the table of them */

typedef struct
{
  gint64 key; /* annotator and item */
  gint32 class;
  double percent; /* NaN: none */
} SlFirstAnswer;

void
sl_habits_init (SlHabits *habits, SlRun *run, const SlTable *table)
{
  *habits = (SlHabits){ .run = run,
                        .gold = sl_table_has (table, SL_ANNOTATIONS_GOLD),
                        .second = sl_table_has (table, SL_ANNOTATIONS_CHOICES),
                        .repeat = sl_table_has (table, SL_ANNOTATIONS_REPEAT),
                        .timed = sl_table_has (table, SL_ANNOTATIONS_SECONDS),
                        .names = sl_intern_new (),
                        .items = sl_intern_new (),
                        .of = g_array_new (FALSE, TRUE, sizeof (SlHabit)),
                        .before = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL),
                        .who = g_array_new (FALSE, FALSE, sizeof (gint32)),
                        .taken = g_array_new (FALSE, FALSE, sizeof (double)) };
}

void
sl_habits_clear (SlHabits *habits)
{
  g_clear_pointer (&habits->names, sl_intern_free);
  g_clear_pointer (&habits->items, sl_intern_free);
  g_clear_pointer (&habits->of, g_array_unref);
  g_clear_pointer (&habits->before, g_hash_table_unref);
  g_clear_pointer (&habits->who, g_array_unref);
  g_clear_pointer (&habits->taken, g_array_unref);
  g_clear_pointer (&habits->seconds, g_free);
}

/* ANSWER to an item that was judged before counts as a repeat where the first one is known. */
static void
add_repeat (SlHabits *habits, SlHabit *habit, const SlFirstAnswer *answer, gboolean repeats)
{
  const SlFirstAnswer *first = g_hash_table_lookup (habits->before, answer);
  if (!repeats && first == NULL)
    g_hash_table_add (habits->before, g_memdup2 (answer, sizeof *answer));
  if (!repeats || first == NULL)
    return;
  double shift = fabs (answer->percent - first->percent);
  gboolean same = first->class == answer->class, known = same && !isnan (shift);
  habit->repeats++;
  habit->repeated += same;
  habit->shifts += known;
  habit->shifted += known ? shift : 0;
}

/* OUT: the answer does not count but for what is said of repeats. */
static void
add_answer (SlHabits *habits, const SlAnnotations *view, gint64 i, gint32 annotator, gint32 item,
            gboolean out)
{
  SlHabit *habit = &g_array_index (habits->of, SlHabit, annotator);
  const gint32 *choice = view->choice + view->start[i];
  gint32 n = view->start[i + 1] - view->start[i];
  double count = view->count != NULL ? (double) view->count[i] : 1;
  if (n == 0)
    return;
  double percent = view->percent[view->start[i]];
  if (!out && view->gold != NULL && view->gold[i] >= 0)
    {
      habit->tested += count;
      habit->right += choice[0] == view->gold[i] ? count : 0;
      habit->in_two
          += choice[0] == view->gold[i] || (n > 1 && choice[1] == view->gold[i]) ? count : 0;
    }
  if (item >= 0)
    add_repeat (habits, habit,
                &(SlFirstAnswer){ ((gint64) annotator << 32) | item, choice[0],
                                  percent >= 0 ? percent : NAN },
                view->repeat[i]);
  if (!out && view->seconds != NULL && isfinite (view->seconds[i]) && view->seconds[i] >= 0)
    {
      habit->n_seconds++;
      g_array_append_val (habits->who, annotator);
      g_array_append_val (habits->taken, view->seconds[i]);
    }
}

gboolean
sl_habits_add (gpointer data, SlBatch *batch, GError **error)
{
  SlHabits *habits = data;
  SlAnnotations view = sl_annotations_view (batch);
  gboolean named = view.annotator.offset != NULL;
  g_autofree gint32 *annotator = g_new0 (gint32, MAX (view.n, 1));
  g_autofree gint32 *item = habits->repeat && named ? g_new (gint32, MAX (view.n, 1)) : NULL;
  if (named)
    sl_intern_column (habits->names, view.annotator, view.n, annotator);
  if (item != NULL)
    sl_intern_column (habits->items, view.item, view.n, item);
  g_array_set_size (habits->of, (guint) MAX (sl_intern_size (habits->names), 1));
  for (gint64 i = 0; i < view.n; i++)
    if (!(view.check != NULL && view.check[i]) && !(view.excluded != NULL && view.excluded[i]))
      add_answer (habits, &view, i, annotator[i], item != NULL ? item[i] : -1,
                  batch->aside != NULL && batch->aside[i]);
  gsize bytes = sl_intern_bytes (habits->names) + sl_intern_bytes (habits->items)
                + habits->of->len * sizeof (SlHabit)
                + g_hash_table_size (habits->before) * FIRST_ANSWER_BYTES
                + habits->taken->len * (2 * sizeof (double) + sizeof (gint32));
  return sl_run_claim_up_to (habits->run, &habits->claimed, bytes, "what annotators did", error);
}

void
sl_habits_finish (SlHabits *habits)
{
  gsize n = habits->taken->len, at = 0;
  g_autofree gsize *next = g_new (gsize, habits->of->len + 1);
  habits->seconds = g_new (double, n + 1); /* claimed as they came */
  for (guint a = 0; a < habits->of->len; a++)
    {
      SlHabit *habit = &g_array_index (habits->of, SlHabit, a);
      next[a] = habit->first_second = at;
      at += habit->n_seconds;
    }
  for (gsize i = 0; i < n; i++)
    habits->seconds[next[g_array_index (habits->who, gint32, i)]++]
        = g_array_index (habits->taken, double, i);
  for (guint a = 0; a < habits->of->len; a++)
    {
      const SlHabit *habit = &g_array_index (habits->of, SlHabit, a);
      gsl_sort (habits->seconds + habit->first_second, 1, habit->n_seconds);
    }
}

const SlHabit *
sl_habits_find (const SlHabits *habits, const char *name, gsize length)
{
  gint32 number = sl_intern_find (habits->names, name, length);
  return number >= 0 ? &g_array_index (habits->of, SlHabit, number) : NULL;
}

double
sl_habits_seconds (const SlHabits *habits, const SlHabit *habit, double share)
{
  return habit->n_seconds > 0 ? gsl_stats_quantile_from_sorted_data (
             habits->seconds + habit->first_second, 1, habit->n_seconds, share)
                              : NAN;
}
