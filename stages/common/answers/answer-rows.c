/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "answer-rows.h"

#include "pipeline/base/error.h"
#include "pipeline/base/parallel.h"

#include <string.h>

/* ---- answers in an order that rows have no part in ---- */

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

typedef struct
{
  const guint32 *row;
  gsize n;
  gboolean wide;
  gconstpointer from;
  gpointer to;
} Gather;

static void
gather_share (int share, gpointer data)
{
  const Gather *work = data;
  gsize end = MIN (((gsize) share + 1) * SHARE, work->n);
  for (gsize j = (gsize) share * SHARE; j < end; j++)
    if (work->wide)
      ((gint64 *) work->to)[j] = ((const gint64 *) work->from)[work->row[j]];
    else
      ((gint32 *) work->to)[j] = ((const gint32 *) work->from)[work->row[j]];
}

/* Puts ARRAY's elements, of 4 or 8 bytes, in the order of the sorted rows. */
static void
sort_array (GArray *array, const Sorting *sorting, int threads)
{
  if (array == NULL)
    return;
  gsize size = g_array_get_element_size (array), n = array->len;
  g_autofree char *to = g_malloc (n * size);
  Gather work = { sorting->row, n, size == sizeof (gint64), array->data, to };
  sl_parallel (threads, (int) (n / SHARE) + 1, gather_share, &work);
  memcpy (array->data, to, n * size);
}

/* The same in place, cycle by cycle: distributions may be most of the memory. */
static void
take_in_place (GArray *array, const Sorting *sorting)
{
  if (array == NULL)
    return;
  g_autofree guint8 *done = g_new0 (guint8, array->len);
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
  GArray *arrays[] = { collected->item, collected->annotator, collected->answer, collected->count };
  for (gsize a = 0; a < G_N_ELEMENTS (arrays); a++)
    sort_array (arrays[a], &sorting, threads);
  take_in_place (collected->distribution, &sorting);
}

/* ---- rows collected ---- */

/* GArray counts in 32 bits. */
#define MOST_ANSWERS (G_GINT64_CONSTANT (1) << 30)

static GArray *
integers (void)
{
  return g_array_new (FALSE, FALSE, sizeof (gint32));
}

void
sl_collected_init (SlCollected *collected, gint32 n_classes, gboolean labels, gboolean anonymous,
                   int threads)
{
  *collected = (SlCollected){
    .annotators = sl_intern_new (),
    .anonymous = anonymous,
    .n_classes = n_classes,
    .item = integers (),
    .annotator = integers (),
    .answer = labels ? NULL : integers (),
    .distribution = labels ? g_array_new (FALSE, FALSE, sizeof (double) * (guint) n_classes) : NULL,
  };
  sl_intern_set_threads (collected->annotators, threads);
}

void
sl_collected_add_choices (SlCollected *collected)
{
  collected->answer = integers ();
}

const guint32 *
sl_collected_merge (SlCollected *collected)
{
  guint32 *cell = (guint32 *) (gpointer) collected->annotator->data;
  const gint32 *answer = (const gint32 *) (gpointer) collected->answer->data;
  for (guint i = 0; i < collected->item->len; i++)
    cell[i] = cell[i] * (guint32) collected->n_classes + (guint32) answer[i];
  g_clear_pointer (&collected->answer, g_array_unref);
  return cell;
}

void
sl_collected_drop (SlCollected *collected)
{
  g_clear_pointer (&collected->item, g_array_unref);
  g_clear_pointer (&collected->annotator, g_array_unref);
  g_clear_pointer (&collected->answer, g_array_unref);
  g_clear_pointer (&collected->distribution, g_array_unref);
  g_clear_pointer (&collected->count, g_array_unref);
}

void
sl_collected_clear (SlCollected *collected)
{
  g_clear_pointer (&collected->annotators, sl_intern_free);
  sl_collected_drop (collected);
}

void
sl_collected_empty (SlCollected *collected)
{
  g_array_set_size (collected->item, 0);
  g_array_set_size (collected->annotator, 0);
  if (collected->answer != NULL)
    g_array_set_size (collected->answer, 0);
  if (collected->distribution != NULL)
    g_array_set_size (collected->distribution, 0);
  g_clear_pointer (&collected->count, g_array_unref);
}

/* Votes behind row I. */
static double
count_of (const SlRowVotes *rows, gint64 i)
{
  if (rows->label != NULL)
    return rows->weight[i];
  return rows->count != NULL ? (double) rows->count[i] : 1;
}

/* Counts are kept only once there is one that is not 1. */
static void
add_counts (SlCollected *collected, const SlRowVotes *rows, gint64 from, gint64 to)
{
  gboolean plain = collected->count == NULL;
  for (gint64 i = from; plain && i < to; i++)
    plain = count_of (rows, i) == 1;
  if (plain)
    return;
  const double one = 1;
  if (collected->count == NULL)
    {
      collected->count = g_array_new (FALSE, FALSE, sizeof (double));
      for (guint i = 0; i < collected->item->len; i++)
        g_array_append_val (collected->count, one);
    }
  for (gint64 i = from; i < to; i++)
    {
      double count = count_of (rows, i);
      g_array_append_val (collected->count, count);
    }
}

static void
add_annotators (SlCollected *collected, const SlRowVotes *rows, gint64 from, gint64 n)
{
  guint before = collected->annotator->len;
  g_array_set_size (collected->annotator, before + (guint) n);
  gint32 *ids = &g_array_index (collected->annotator, gint32, before);
  SlText names = rows->annotator;
  if (!collected->anonymous)
    sl_intern_column (collected->annotators, (SlText){ names.offset + from, names.data }, n, ids);
  for (gint64 i = 0; collected->anonymous && i < n; i++)
    ids[i] = sl_intern (collected->annotators, "", 0);
}

/* Rows FROM .. TO - 1, all of which are answers. */
static void
add_rows (SlCollected *collected, const SlRowVotes *rows, const gint32 *ids, gint64 from, gint64 to)
{
  if (to == from)
    return;
  guint n = (guint) (to - from);
  add_counts (collected, rows, from, to);
  add_annotators (collected, rows, from, to - from);
  g_array_append_vals (collected->item, ids + from, n);
  if (collected->distribution != NULL)
    g_array_append_vals (collected->distribution,
                         rows->label + (gsize) from * (gsize) collected->n_classes, n);
  if (collected->answer != NULL)
    g_array_append_vals (collected->answer, rows->vote + from, n);
}

gboolean
sl_collected_add (SlCollected *collected, const SlRowVotes *rows, const gint32 *ids, gint64 from,
                  gint64 to, GError **error)
{
  if ((gint64) collected->item->len + to - from > MOST_ANSWERS)
    return sl_error_bad_input (error, "more than 2^30 answers are too many for this method");
  for (gint64 i = from; i < to; i++)
    if (!(count_of (rows, i) > 0))
      {
        add_rows (collected, rows, ids, from, i);
        from = i + 1;
      }
  add_rows (collected, rows, ids, from, to);
  return TRUE;
}

static gsize
bytes (const GArray *array)
{
  return array != NULL ? (gsize) array->len * g_array_get_element_size ((GArray *) array) : 0;
}

gsize
sl_collected_bytes (const SlCollected *collected)
{
  return sl_intern_bytes (collected->annotators) + bytes (collected->item)
         + bytes (collected->annotator) + bytes (collected->answer)
         + bytes (collected->distribution) + bytes (collected->count);
}

gsize
sl_collected_answer_bytes (const SlCollected *collected)
{
  const GArray *arrays[] = { collected->item, collected->annotator, collected->answer,
                             collected->distribution, collected->count };
  gsize bytes = 0;
  for (gsize i = 0; i < G_N_ELEMENTS (arrays); i++)
    bytes += arrays[i] != NULL ? g_array_get_element_size ((GArray *) arrays[i]) : 0;
  return bytes;
}

static gconstpointer
data (const GArray *array)
{
  return array != NULL ? array->data : NULL;
}

SlAnswers
sl_collected_answers (const SlCollected *collected)
{
  return (SlAnswers){
    .n_answers = collected->item->len,
    .n_annotators = sl_intern_size (collected->annotators),
    .item = data (collected->item),
    .annotator = data (collected->annotator),
    .answer = data (collected->answer),
    .distribution = data (collected->distribution),
    .count = data (collected->count),
  };
}
