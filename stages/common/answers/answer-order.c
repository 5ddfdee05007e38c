/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers in an order that rows do not have a part in. */
#include "answer-rows.h"

#include "pipeline/base/parallel.h"

#include <stdlib.h>
#include <string.h>

enum
{
  SHARE = 1 << 16, /* answers, or about as many, for one thread at a time */
  FEW = 16,        /* answers to an item that are not worth a call */
};

typedef struct
{
  gint32 *number;
  gint64 n;
  const gint32 *new_number;
} Renumber;

static void
renumber_share (int share, gpointer data)
{
  const Renumber *work = data;
  gint64 end = MIN (((gint64) share + 1) * SHARE, work->n);
  for (gint64 j = (gint64) share * SHARE; j < end; j++)
    work->number[j] = work->new_number[work->number[j]];
}

static void
renumber (GArray *numbers, const gint32 *new_number, int threads)
{
  if (new_number == NULL)
    return;
  Renumber work = { (gint32 *) (gpointer) numbers->data, numbers->len, new_number };
  sl_parallel (threads, (int) (numbers->len / SHARE) + 1, renumber_share, &work);
}

void
sl_collected_renumber (SlCollected *collected, const gint32 *item_number,
                       const gint32 *annotator_number, int threads)
{
  renumber (collected->item, item_number, threads);
  renumber (collected->annotator, annotator_number, threads);
}

/* An answer to an item. */
typedef struct
{
  guint64 key; /* the annotator, and the answer where it is a vote */
  double count;
  const double *distribution; /* NULL: a vote */
  guint32 row;
} Answer;

static inline int
compare (const Answer *a, const Answer *b, gint32 n_classes)
{
  if (a->key != b->key)
    return a->key < b->key ? -1 : 1;
  if (a->count != b->count)
    return a->count < b->count ? -1 : 1;
  return a->distribution == NULL
             ? 0
             : memcmp (a->distribution, b->distribution, (gsize) n_classes * sizeof (double));
}

static int
compare_answers (gconstpointer a, gconstpointer b, gpointer data)
{
  return compare (a, b, *(const gint32 *) data);
}

typedef struct
{
  SlAnswers answers;
  gint32 n_items, n_classes;
  gint64 *first; /* [n_items + 1]: of each item's answers */
  guint32 *row;  /* [n_answers]: by place */
  gint32 *share; /* [n_shares + 1]: items */
} Sorting;

static inline Answer
answer_of (const Sorting *sorting, guint32 row)
{
  const SlAnswers *all = &sorting->answers;
  return (Answer){
    .key
    = (guint64) all->annotator[row] << 32 | (all->answer != NULL ? (guint32) all->answer[row] : 0),
    .count = all->count != NULL ? all->count[row] : 1,
    .distribution = all->distribution != NULL
                        ? all->distribution + (gsize) row * (gsize) sorting->n_classes
                        : NULL,
    .row = row,
  };
}

static gboolean
is_sorted (const Sorting *sorting)
{
  const gint32 *item = sorting->answers.item;
  if (sorting->answers.n_answers == 0)
    return TRUE;
  Answer before = answer_of (sorting, 0);
  for (gint64 j = 1; j < sorting->answers.n_answers; j++)
    {
      Answer here = answer_of (sorting, (guint32) j);
      if (item[j] < item[j - 1]
          || (item[j] == item[j - 1] && compare (&before, &here, sorting->n_classes) > 0))
        return FALSE;
      before = here;
    }
  return TRUE;
}

/* Rows item by item, each item's in their order; and items for one thread at a time. */
static int
sort_by_item (Sorting *sorting)
{
  const SlAnswers *all = &sorting->answers;
  int n_shares = 0;
  for (gint64 j = 0; j < all->n_answers; j++)
    sorting->first[all->item[j] + 1]++;
  for (gint32 i = 0; i < sorting->n_items; i++)
    {
      if (sorting->first[i] >= (gint64) n_shares * SHARE)
        sorting->share[n_shares++] = i;
      sorting->first[i + 1] += sorting->first[i];
    }
  sorting->share[n_shares] = sorting->n_items;
  g_autofree gint64 *next
      = g_memdup2 (sorting->first, ((gsize) sorting->n_items + 1) * sizeof *next);
  for (gint64 j = 0; j < all->n_answers; j++)
    sorting->row[next[all->item[j]]++] = (guint32) j;
  return n_shares;
}

static void
sort_item (const Sorting *sorting, guint32 *row, gsize n, GArray *room)
{
  g_array_set_size (room, (guint) n);
  Answer *answer = (Answer *) (gpointer) room->data;
  for (gsize j = 0; j < n; j++)
    {
      Answer one = answer_of (sorting, row[j]);
      gsize at = j;
      for (; n <= FEW && at > 0 && compare (&answer[at - 1], &one, sorting->n_classes) > 0; at--)
        answer[at] = answer[at - 1];
      answer[at] = one;
    }
  if (n > FEW)
    g_qsort_with_data (answer, (gint) n, sizeof *answer, compare_answers,
                       (gpointer) &sorting->n_classes);
  for (gsize j = 0; j < n; j++)
    row[j] = answer[j].row;
}

static void
sort_share (int share, gpointer data)
{
  const Sorting *sorting = data;
  g_autoptr (GArray) room = g_array_new (FALSE, FALSE, sizeof (Answer));
  for (gint32 i = sorting->share[share]; i < sorting->share[share + 1]; i++)
    sort_item (sorting, sorting->row + sorting->first[i],
               (gsize) (sorting->first[i + 1] - sorting->first[i]), room);
}

/* Puts ARRAY's elements in the order of the sorted rows, in place, cycle by cycle: distributions
 * may be most of the memory. DONE[rows] is 0 between calls. */
static void
take (GArray *array, const Sorting *sorting, guint8 *done)
{
  if (array == NULL)
    return;
  gsize size = g_array_get_element_size (array), n = array->len;
  g_autofree char *first = g_malloc (size);
  for (gsize start = 0; start < n; start++)
    {
      if (done[start])
        continue;
      gsize to = start;
      memcpy (first, array->data + start * size, size);
      for (gsize from; (from = sorting->row[to]) != start; to = from)
        {
          memcpy (array->data + to * size, array->data + from * size, size);
          done[to] = 1;
        }
      memcpy (array->data + to * size, first, size);
      done[to] = 1;
    }
  memset (done, 0, n);
}

void
sl_collected_sort (SlCollected *collected, gint32 n_items, int threads)
{
  Sorting sorting = { .answers = sl_collected_answers (collected),
                      .n_items = n_items,
                      .n_classes = collected->n_classes };
  if (is_sorted (&sorting))
    return;
  gsize n = (gsize) sorting.answers.n_answers;
  g_autofree gint64 *first = sorting.first = g_new0 (gint64, (gsize) n_items + 1);
  g_autofree guint32 *row = sorting.row = g_new (guint32, n);
  g_autofree gint32 *share = sorting.share = g_new (gint32, n / SHARE + 2);
  sl_parallel (threads, sort_by_item (&sorting), sort_share, &sorting);
  g_autofree guint8 *done = g_new0 (guint8, n);
  GArray *arrays[] = { collected->item, collected->annotator, collected->answer,
                       collected->distribution, collected->count };
  for (gsize a = 0; a < G_N_ELEMENTS (arrays); a++)
    take (arrays[a], &sorting, done);
}
