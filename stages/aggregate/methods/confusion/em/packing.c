/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "packing.h"

#include "pipeline/base/vector-math.h"

#include <stdlib.h>
#include <string.h>

static int
compare_keys (gconstpointer a, gconstpointer b)
{
  guint64 x = *(const guint64 *) a, y = *(const guint64 *) b;
  return (x > y) - (x < y);
}

/* Items with so many answers or more are sorted by comparing, all others by counting. */
#define MANY 256

/* Lists the N items of a chunk in item[], by their number of answers; items with equally many
 * stay in order. */
static void
sort_chunk (gint32 n, const gint32 *answers, guint16 *item, guint64 *key)
{
  gint32 place[MANY + 1] = { 0 };
  for (gint32 i = 0; i < n; i++)
    place[MIN (answers[i], MANY - 1) + 1]++;
  for (int d = 0; d < MANY; d++)
    place[d + 1] += place[d];
  gint32 first_many = place[MANY - 1];
  for (gint32 i = 0; i < n; i++)
    item[place[MIN (answers[i], MANY - 1)]++] = (guint16) i;
  for (gint32 i = first_many; i < n; i++)
    key[i] = (guint64) answers[item[i]] << 16 | item[i];
  if (first_many < n)
    qsort (key + first_many, (gsize) (n - first_many), sizeof *key, compare_keys);
  for (gint32 i = first_many; i < n; i++)
    item[i] = (guint16) key[i];
}

static void
add_stretches (gint32 n, const gint32 *answers, const guint16 *item, GArray *stretches)
{
  SlStretch stretch = { answers[item[0]], 0 };
  for (gint32 i = 0; i < n; i++)
    {
      if (answers[item[i]] != stretch.answers)
        {
          g_array_append_val (stretches, stretch);
          stretch = (SlStretch){ answers[item[i]], 0 };
        }
      stretch.items++;
    }
  g_array_append_val (stretches, stretch);
}

/* How many answers each of the N items from FIRST on has, and the first row of them, where rows
 * are in the items' order. */
static void
find_rows (const SlPacking *packing, gint64 begin, gint64 end, gint32 first, gint32 n,
           gint32 *answers, gint64 *row)
{
  const gint32 *item = packing->answers->item;
  for (gint64 j = begin; j < end; j++)
    row[item[j] - first] = j + 1;
  gint64 before = begin;
  for (gint32 i = 0; i < n; i++)
    {
      gint64 after = MAX (row[i], before);
      answers[i] = (gint32) (after - before);
      row[i] = before;
      before = after;
    }
}

typedef struct
{
  guint32 cell;
  double weight;
} Entry;

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  const Entry *x = a, *y = b;
  return x->cell != y->cell ? (x->cell > y->cell) - (x->cell < y->cell)
                            : (x->weight > y->weight) - (x->weight < y->weight);
}

static void
sort_entries (guint32 *cell, double *weight, gint32 n)
{
  g_autofree Entry *entry = g_new (Entry, n);
  for (gint32 j = 0; j < n; j++)
    entry[j] = (Entry){ cell[j], weight != NULL ? weight[j] : 1 };
  qsort (entry, (gsize) n, sizeof *entry, compare_entries);
  for (gint32 j = 0; j < n; j++)
    {
      cell[j] = entry[j].cell;
      if (weight != NULL)
        weight[j] = entry[j].weight;
    }
}

static void
sort_cells (guint32 *cell, gint32 n)
{
  for (gint32 j = 1; j < n; j++)
    {
      guint32 one = cell[j];
      gint32 at = j;
      for (; at > 0 && cell[at - 1] > one; at--)
        cell[at] = cell[at - 1];
      cell[at] = one;
    }
}

#define FEW 32 /* answers to an item that are sorted without a call */
#define SIDE 8 /* items with equally many answers that are sorted side by side, without branches */

typedef guint32 Side __attribute__ ((vector_size (4 * SIDE)));

/* SIDE items with N answers each: insertion, of each place in all of them. */
SL_INLINE void
sort_side (guint32 *cell, gint32 n)
{
  union
  {
    guint32 one[SIDE];
    Side all;
  } row[FEW];
  for (gint32 i = 0; i < SIDE; i++)
    for (gint32 j = 0; j < n; j++)
      row[j].one[i] = cell[i * n + j];
  for (gint32 j = 1; j < n; j++)
    for (gint32 at = j; at > 0; at--)
      {
        Side low = row[at - 1].all, high = row[at].all, less = (Side) (high < low);
        row[at - 1].all = (high & less) | (low & ~less);
        row[at].all = (low & less) | (high & ~less);
      }
  for (gint32 i = 0; i < SIDE; i++)
    for (gint32 j = 0; j < n; j++)
      cell[i * n + j] = row[j].one[i];
}

/* The answers of N_ITEMS items, one behind the other from FIRST on, each item's by their cells;
 * mostly the next item has as many. Those that are not to be spent have been sorted before. */
SL_VECTORS static void
sort_answers (const SlPacking *packing, gint64 first, gint32 n_items, const gint32 *answers,
              const guint16 *item)
{
  if (packing->cell == NULL)
    return;
  guint32 *cell = packing->packed->cell + first;
  double *weight = packing->packed->weight != NULL ? packing->packed->weight + first : NULL;
  for (gint32 i = 0, alike; i < n_items; i += alike)
    {
      gint32 n = answers[item[i]];
      alike = 1;
      while (alike < SIDE && i + alike < n_items && answers[item[i + alike]] == n)
        alike++;
      if (alike == SIDE && n <= FEW && weight == NULL)
        sort_side (cell, n);
      else
        for (gint32 each = 0; each < alike; each++)
          if (n > FEW || weight != NULL)
            sort_entries (cell + each * n, weight != NULL ? weight + each * n : NULL, n);
          else
            sort_cells (cell + each * n, n);
      cell += alike * n;
      weight = weight != NULL ? weight + alike * n : NULL;
    }
}

/* Rows that are in the items' order to their places; returns the place after them. */
static gint64
place_rows (const SlPacking *packing, gint32 n, const gint32 *answers, const gint64 *row,
            const guint16 *item, gint64 place)
{
  const SlAnswers *rows = packing->answers;
  SlPackedAnswers *packed = packing->packed;
  for (gint32 i = 0; i < n; i++)
    {
      gint64 from = row[item[i]];
      gint32 n_here = answers[item[i]];
      for (gint32 j = 0; j < n_here; j++)
        packed->cell[place + j] = sl_packing_cell (packing, from + j);
      for (gint32 j = 0; packed->weight != NULL && j < n_here; j++)
        packed->weight[place + j] = rows->count[from + j];
      place += n_here;
    }
  return place;
}

/* Where the answers of each of the N items go; returns the place after them. */
static gint64
plan_places (gint32 n, const gint32 *answers, gint64 *at, const guint16 *item, gint64 place)
{
  for (gint32 i = 0; i < n; i++)
    {
      at[item[i]] = place;
      place += answers[item[i]];
    }
  return place;
}

/* Answers BEGIN .. END - 1 from the order of the rows to places AT of their items. */
static void
move_answers (const SlPacking *packing, gint64 begin, gint64 end, gint64 *at)
{
  SlPackedAnswers *packed = packing->packed;
  gsize n = (gsize) (end - begin);
  const guint16 *item = packing->item + begin;
  g_autofree guint32 *cell = g_memdup2 (packed->cell + begin, n * sizeof *cell);
  g_autofree double *weight
      = packed->weighted ? g_memdup2 (packed->weight + begin, n * sizeof *weight) : NULL;
  for (gsize j = 0; j < n; j++)
    {
      gint64 to = at[item[j]]++;
      packed->cell[to] = cell[j];
      if (weight != NULL)
        packed->weight[to] = weight[j];
    }
}

void
sl_arrange_bucket (int b, gpointer data)
{
  SlPacking *packing = data;
  SlPackedAnswers *packed = packing->packed;
  gint32 first = b << packing->bucket_shift,
         n = MIN (1 << packing->bucket_shift, packed->n_items - first);
  gint64 begin = packing->bucket[b], end = packing->bucket[b + 1], place = begin;
  gboolean in_order = packing->item == NULL;
  g_autofree gint64 *at = g_new0 (gint64, n);
  g_autofree gint32 *answers = g_new0 (gint32, n);
  g_autofree guint64 *key = g_new (guint64, packed->chunk);
  if (in_order)
    find_rows (packing, begin, end, first, n, answers, at);
  else
    for (gint64 j = begin; j < end; j++)
      answers[packing->item[j]]++;
  for (gint32 i = 0; i < n; i += packed->chunk)
    {
      gint32 c = (first + i) / packed->chunk, n_here = MIN (packed->chunk, n - i);
      guint before = packing->stretches[b]->len;
      guint16 *item = packed->item + first + i;
      sort_chunk (n_here, answers + i, item, key);
      add_stretches (n_here, answers + i, item, packing->stretches[b]);
      packed->start[c] = place;
      packed->stretch_start[c] = packing->stretches[b]->len - before; /* their number, for now */
      place = in_order ? place_rows (packing, n_here, answers + i, at + i, item, place)
                       : plan_places (n_here, answers + i, at + i, item, place);
    }
  if (!in_order)
    move_answers (packing, begin, end, at);
  for (gint32 i = 0; i < n; i += packed->chunk)
    sort_answers (packing, packed->start[(first + i) / packed->chunk], MIN (packed->chunk, n - i),
                  answers + i, packed->item + first + i);
}

void
sl_join_stretches (SlPacking *packing)
{
  SlPackedAnswers *packed = packing->packed;
  gint64 n = 0;
  for (gint32 c = 0; c < packed->n_chunks; c++)
    {
      gint64 here = packed->stretch_start[c];
      packed->stretch_start[c] = n;
      n += here;
    }
  packed->stretch_start[packed->n_chunks] = n;
  packed->stretch = g_new (SlStretch, n);
  SlStretch *to = packed->stretch;
  for (int b = 0; b < packing->n_buckets; b++)
    {
      const GArray *from = packing->stretches[b];
      memcpy (to, from->data, from->len * sizeof *to);
      to += from->len;
    }
}
