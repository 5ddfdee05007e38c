/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/base/intern/intern.h"
#include "pipeline/base/parallel.h"
#include "schemas/labels.h"
#include "schemas/mixtures.h"
#include "stages/common/mixtures/mixing.h"
#include "mixup.h"
#include "pairing.h"

#include <string.h>

#define CHUNK 1024 /* rows that one thread takes at a time */

typedef struct
{
  const SlMixup *mixup;
  SlRun *run;
  guint32 purpose;
  gint32 n_classes;
  gint64 n, room;
  SlIntern *names;
  double *label; /* [n][n_classes] */
  gint32 *only;  /* [n]: the class that alone has mass; -1 where there are several */
  guint64 *hash; /* [n]: of the names */
  gsize claimed;
  gint32 *partner; /* [n], of this round */
  guint32 round;
  /* The rows being written, of those of the round. */
  SlBuilder *builder;
  gint64 first, n_rows;
  double *lambda; /* [a batch's rows] */
  double *mixed;  /* [n_rows][n_classes] */
} Items;

static void
items_clear (Items *items)
{
  g_clear_pointer (&items->names, sl_intern_free);
  g_clear_pointer (&items->builder, sl_builder_free);
  g_free (items->label);
  g_free (items->only);
  g_free (items->hash);
  g_free (items->partner);
  g_free (items->lambda);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Items, items_clear)

static gboolean
reserve (Items *items, gint64 n, GError **error)
{
  if (items->n + n > items->room)
    {
      items->room = MAX (items->n + n, items->room * 3 / 2);
      gsize labels;
      if (items->n + n > G_MAXINT32
          || !g_size_checked_mul (&labels, (gsize) items->room, (gsize) items->n_classes))
        return sl_error_row (error, items->n, "over 2^31 items are too many");
      items->label = g_renew (double, items->label, labels);
      items->only = g_renew (gint32, items->only, items->room);
      items->hash = g_renew (guint64, items->hash, items->room);
    }
  /* Keys that are sorted, with room for that, and partners besides. */
  gsize each = (gsize) items->n_classes * sizeof (double) + sizeof (gint32) + sizeof (guint64)
               + 2 * 16 + sizeof (gint32);
  gsize bytes = sl_intern_bytes (items->names) + (gsize) items->room * each;
  return sl_run_claim_up_to (items->run, &items->claimed, bytes,
                             "the label of every item, for their pairing", error);
}

static gboolean
add_items (Items *items, const SlBatch *batch, GError **error)
{
  SlLabels view = sl_labels_view (batch);
  if (!reserve (items, view.n, error))
    return FALSE;
  for (gint64 i = 0; i < view.n; i++)
    {
      gsize length;
      const char *name = sl_text_get (view.item, i, &length);
      gint64 row = batch->first_row + i + 1;
      const double *label = view.label + (gsize) i * (gsize) view.n_classes;
      if (sl_intern (items->names, name, length) != items->n)
        return sl_error_row (error, row,
                             "item '%.*s' is there twice; `softlabel aggregate` makes one label an "
                             "item",
                             (int) MIN (length, 1000), name);
      gint32 class = sl_mix_certain (label, view.n_classes);
      if (class < 0 && items->mixup->target == SL_MIXUP_LOGISTIC)
        return sl_error_row (error, row,
                             "the label of item '%.*s' is soft; --target logistic needs certain "
                             "ones (`softlabel aggregate --method majority`)",
                             (int) MIN (length, 1000), name);
      memcpy (items->label + (gsize) items->n * (gsize) view.n_classes, label,
              (gsize) view.n_classes * sizeof *label);
      items->only[items->n] = class;
      items->hash[items->n++] = sl_text_hash (name, length);
    }
  return TRUE;
}

static gboolean
read_items (Items *items, GError **error)
{
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (items->run, &batch, &ok, error))
    ok = add_items (items, batch, error);
  if (!ok)
    return FALSE;
  if (items->n >= 2)
    return TRUE;
  return sl_error_bad_input (error, "%s: %s; a mixture is of two", sl_reader_name (items->run->in),
                             items->n == 0 ? "there are no items in it"
                                           : "there is only one item in it");
}

static void
mix_chunk (int chunk, gpointer data)
{
  const Items *items = data;
  gint64 from = (gint64) chunk * CHUNK, to = MIN (items->n_rows, from + CHUNK);
  gsize n_classes = (gsize) items->n_classes;
  for (gint64 row = from; row < to; row++)
    {
      gint64 i = items->first + row, j = items->partner[i];
      SlRandom random
          = sl_random (items->run->seed, items->purpose, items->hash[i], 0, items->round);
      double lambda = sl_mix_draw (&random, items->mixup->alpha);
      double *mixed = items->mixed + (gsize) row * n_classes;
      items->lambda[row] = lambda;
      if (items->mixup->target == SL_MIXUP_LINEAR)
        sl_mix_labels (items->label + (gsize) i * n_classes, items->label + (gsize) j * n_classes,
                       lambda, items->n_classes, mixed);
      else
        sl_mix_classes (
            items->only[i], items->only[j],
            sl_mix_model_share (items->mixup->model, items->only[i], items->only[j], lambda), 0,
            items->n_classes, mixed);
    }
}

/* Puts a backslash before what has a meaning in names of mixtures, so that each name stands for one
 * pair and round. */
static void
append_item (GString *name, const char *item, gsize length)
{
  for (gsize i = 0; i < length; i++)
    {
      if (item[i] == '+' || item[i] == '#' || item[i] == '\\')
        g_string_append_c (name, '\\');
      g_string_append_c (name, item[i]);
    }
}

void
sl_mixup_append_name (GString *name, const char *first, gsize n_first, const char *second,
                      gsize n_second)
{
  append_item (name, first, n_first);
  g_string_append_c (name, '+');
  append_item (name, second, n_second);
}

/* FIRST+SECOND; from the second round on, FIRST+SECOND#2. */
static void
append_name (const Items *items, GString *name, gint32 i, gint32 j)
{
  gsize n_first, n_second;
  const char *first = sl_intern_get (items->names, i, &n_first);
  const char *second = sl_intern_get (items->names, j, &n_second);
  g_string_truncate (name, 0);
  sl_mixup_append_name (name, first, n_first, second, n_second);
  sl_builder_text (items->builder, SL_MIXTURES_FIRST, first, n_first);
  sl_builder_text (items->builder, SL_MIXTURES_SECOND, second, n_second);
  if (items->round > 0)
    g_string_append_printf (name, "#%u", items->round + 1);
  sl_builder_text (items->builder, SL_MIXTURES_ITEM, name->str, name->len);
}

/* The mixtures of this round with the numbers FROM up to before TO. */
static gboolean
write_round (Items *items, gint64 from, gint64 to, gboolean with_classes, GError **error)
{
  g_autoptr (GString) name = g_string_new (NULL);
  for (items->first = from; items->first < to; items->first += items->n_rows)
    {
      items->n_rows = MIN (to - items->first, sl_builder_room (items->builder));
      items->mixed = sl_builder_labels (items->builder, SL_MIXTURES_LABEL, items->n_rows);
      sl_parallel (items->run->threads, (int) ((items->n_rows + CHUNK - 1) / CHUNK), mix_chunk,
                   items);
      for (gint64 row = 0; row < items->n_rows; row++)
        {
          gint32 i = (gint32) (items->first + row), j = items->partner[i];
          append_name (items, name, i, j);
          if (with_classes)
            {
              sl_builder_class (items->builder, SL_MIXTURES_FIRST_CLASS, items->only[i]);
              sl_builder_class (items->builder, SL_MIXTURES_SECOND_CLASS, items->only[j]);
            }
          sl_builder_real (items->builder, SL_MIXTURES_LAMBDA, items->lambda[row]);
        }
      if (!sl_writer_write_built (items->run->out, items->builder, FALSE, error))
        return FALSE;
      sl_run_progress (items->run, items->n, (gint64) items->round * items->n + items->first,
                       items->mixup->rounds * items->n);
    }
  return TRUE;
}

gboolean
sl_mixup_items (const SlMixup *mixup, SlRun *run, GError **error)
{
  const SlTable *in = sl_reader_table (run->in);
  g_auto (Items) items = { .mixup = mixup,
                           .run = run,
                           .purpose = sl_random_purpose ("simulate mixup: shares"),
                           .n_classes = in->n_classes,
                           .names = sl_intern_new () };
  if (!read_items (&items, error))
    return FALSE;
  gboolean any_certain = FALSE;
  for (gint64 i = 0; i < items.n && !any_certain; i++)
    any_certain = items.only[i] >= 0;
  g_autoptr (SlTable) table = sl_table_new (&sl_mixtures, (const char *const *) in->classes);
  sl_table_add (table, SL_MIXTURES_FIRST);
  sl_table_add (table, SL_MIXTURES_SECOND);
  sl_table_add (table, SL_MIXTURES_LABEL);
  if (any_certain)
    {
      sl_table_add (table, SL_MIXTURES_FIRST_CLASS);
      sl_table_add (table, SL_MIXTURES_SECOND_CLASS);
    }
  if (!sl_run_start (run, table, error))
    return FALSE;
  items.builder = sl_builder_new (table);
  items.lambda = g_new (double, sl_table_batch_rows (table));
  items.partner = g_new (gint32, items.n);
  gint64 from, to;
  sl_run_part (run, mixup->rounds * items.n, &from, &to);
  for (items.round = (guint32) (from / items.n); items.round * items.n < to; items.round++)
    {
      gint64 before = items.round * items.n;
      sl_pair_up (items.names, items.hash, run->seed, items.round, run->threads, items.partner);
      if (!write_round (&items, MAX (from - before, 0), MIN (to - before, items.n), any_certain,
                        error))
        return FALSE;
    }
  return sl_writer_write_built (run->out, items.builder, TRUE, error);
}
