/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "answer-rows.h"

#include "pipeline/base/error.h"

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
