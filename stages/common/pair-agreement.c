/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pair-agreement.h"

void
sl_agreement_clear (SlAgreement *c)
{
  g_free (c->first);
  g_free (c->column);
  g_free (c->value);
}

/* Of annotator a's answers, order[first[a]] .. order[first[a + 1] - 1] are places in BY. */
typedef struct
{
  gint64 *first, *order;
  gint32 *item; /* [n_answers], by place */
} ByAnnotator;

static void
by_annotator_clear (ByAnnotator *own)
{
  g_free (own->first);
  g_free (own->order);
  g_free (own->item);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ByAnnotator, by_annotator_clear)

static void
by_annotator_init (ByAnnotator *own, const SlByItem *by)
{
  own->first = g_new0 (gint64, (gsize) by->n_annotators + 2);
  own->order = g_new (gint64, (gsize) by->n_answers);
  own->item = g_new (gint32, (gsize) by->n_answers);
  for (gint64 j = 0; j < by->n_answers; j++)
    own->first[by->annotator[j] + 2]++;
  for (gint32 a = 0; a < by->n_annotators; a++)
    own->first[a + 2] += own->first[a + 1];
  for (gint32 i = 0; i < by->n_items; i++)
    for (gint64 j = by->first[i]; j < by->first[i + 1]; j++)
      {
        own->order[own->first[by->annotator[j] + 1]++] = j;
        own->item[j] = i;
      }
}

/* Adds the pairs of one answer to common[n_annotators][2], all and alike; notes whom it met. */
static void
add_pairs (const SlByItem *by, gint64 j, gint32 i, double *common, GArray *met)
{
  for (gint64 other = by->first[i]; other < by->first[i + 1]; other++)
    {
      gint32 b = by->annotator[other];
      double count = sl_by_item_count (by, j) * sl_by_item_count (by, other);
      if (b == by->annotator[j] || !(count > 0))
        continue;
      if (common[2 * b] == 0)
        g_array_append_val (met, b);
      common[2 * b] += count;
      common[2 * b + 1] += by->answer[j] == by->answer[other] ? count : 0;
    }
}

void
sl_agreement_init (SlAgreement *c, const SlByItem *by)
{
  double n = by->n_classes;
  g_auto (ByAnnotator) own;
  by_annotator_init (&own, by);
  g_autofree double *common = g_new0 (double, (gsize) by->n_annotators * 2);
  g_autoptr (GArray) met = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_autoptr (GArray) columns = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (double));
  *c = (SlAgreement){ .n = by->n_annotators,
                      .first = g_new0 (gint64, (gsize) by->n_annotators + 1) };
  for (gint32 a = 0; a < c->n; a++)
    {
      g_array_set_size (met, 0);
      for (gint64 o = own.first[a]; o < own.first[a + 1]; o++)
        add_pairs (by, own.order[o], own.item[own.order[o]], common, met);
      for (guint m = 0; m < met->len; m++)
        {
          double *pair = &common[2 * g_array_index (met, gint32, m)];
          double value = n > 1 ? pair[1] / pair[0] * n / (n - 1) - 1 / (n - 1) : 0;
          g_array_append_val (values, value);
          pair[0] = pair[1] = 0;
        }
      g_array_append_vals (columns, met->data, met->len);
      c->first[a + 1] = columns->len;
    }
  c->column = (gint32 *) (gpointer) g_array_free (g_steal_pointer (&columns), FALSE);
  c->value = (double *) (gpointer) g_array_free (g_steal_pointer (&values), FALSE);
}
