/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "attack-targets.h"

#include "schemas/labels.h"
#include "stages/common/classes/class-map.h"

#include <string.h>

static gboolean
add_batch (SlAttackTargets *targets, SlRun *run, const SlBatch *batch, const gint32 *map,
           GError **error)
{
  SlLabels view = sl_labels_view (batch);
  for (gint64 i = 0; i < view.n; i++)
    {
      gsize length;
      const char *name = sl_text_get (view.item, i, &length);
      gsize item = (gsize) sl_intern (targets->items, name, length);
      if (item == targets->sum->len)
        {
          if (!sl_run_claim (run, targets->k * 2 * sizeof (double), "the labels of --targets",
                             error))
            return FALSE;
          g_array_set_size (targets->sum, (guint) item + 1);
        }
      double *sum = (double *) (gpointer) targets->sum->data + item * targets->k;
      for (gsize j = 0; j < targets->k; j++)
        sum[map[j]] += view.weight[i] * view.label[(gsize) i * targets->k + j];
    }
  return TRUE;
}

gboolean
sl_attack_targets_init (SlAttackTargets *targets, SlRun *run, const char *path,
                        char *const *classes, gsize k, GError **error)
{
  static const SlKind *const kinds[] = { &sl_labels, NULL };
  *targets = (SlAttackTargets){ .k = k };
  if (path == NULL)
    return TRUE;
  targets->items = sl_intern_new ();
  targets->sum = g_array_new (FALSE, TRUE, (guint) (k * sizeof (double)));
  g_autoptr (SlTable) own = sl_table_new (&sl_labels, (const char *const *) classes);
  g_autoptr (SlReader) reader = sl_run_open (run, "targets", path, kinds, error);
  g_autofree gint32 *map = reader != NULL ? sl_class_map (reader, own, error) : NULL;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (map != NULL && sl_reader_each (reader, &batch, &ok, error))
    ok = add_batch (targets, run, batch, map, error);
  return map != NULL && ok;
}

void
sl_attack_targets_clear (SlAttackTargets *targets)
{
  g_clear_pointer (&targets->items, sl_intern_free);
  g_clear_pointer (&targets->sum, g_array_unref);
}

gboolean
sl_attack_target (const SlAttackTargets *targets, const char *name, gsize length, gint32 gold,
                  float *out)
{
  gsize k = targets->k;
  memset (out, 0, k * sizeof *out);
  if (targets->items == NULL)
    {
      if (gold >= 0)
        out[gold] = 1;
      return gold >= 0;
    }
  gint32 item = sl_intern_find (targets->items, name, length);
  if (item < 0)
    return FALSE;
  const double *sum = (const double *) (gpointer) targets->sum->data + (gsize) item * k;
  double whole = 0;
  for (gsize j = 0; j < k; j++)
    whole += sum[j];
  for (gsize j = 0; whole > 0 && j < k; j++)
    out[j] = (float) (sum[j] / whole);
  return whole > 0;
}
