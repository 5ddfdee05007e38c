/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "item-entropies.h"

#include "schemas/annotations.h"
#include "schemas/labels.h"
#include "stages/common/answers/gathering.h"
#include "vote-figures.h"

#include <math.h>

void
sl_entropies_init (SlEntropies *entropies, SlIntern *items, const SlTally *tally)
{
  *entropies = (SlEntropies){ items, g_new (double, MAX (tally->n_items, 1)) };
  for (gint32 i = 0; i < tally->n_items; i++)
    entropies->entropy[i] = tally->weight[i] > 0 ? sl_shares_entropy (
                                tally->sum + (gsize) i * (gsize) tally->n_classes, tally->n_classes)
                                                 : (double) NAN;
}

gboolean
sl_entropies_read (SlEntropies *entropies, SlRun *run, SlReader *reader, GError **error)
{
  g_auto (SlGathering) gathering = { 0 };
  sl_gathering_init (&gathering, run, reader);
  if (!sl_gathering_read (&gathering, error))
    {
      sl_reader_name_rows (reader, error);
      return FALSE;
    }
  sl_entropies_init (entropies, g_steal_pointer (&gathering.items), &gathering.tally);
  return TRUE;
}

gboolean
sl_entropies_open (SlEntropies *entropies, SlRun *run, const char *path, GError **error)
{
  static const SlKind *const kinds[] = { &sl_annotations, &sl_labels, NULL };
  g_autoptr (SlReader) reader = sl_run_open (run, "entropy-from", path, kinds, error);
  return reader != NULL && sl_entropies_read (entropies, run, reader, error);
}

void
sl_entropies_clear (SlEntropies *entropies)
{
  g_clear_pointer (&entropies->items, sl_intern_free);
  g_clear_pointer (&entropies->entropy, g_free);
}

double
sl_entropies_find (const SlEntropies *entropies, const char *item, gsize length)
{
  gint32 i = sl_intern_find (entropies->items, item, length);
  return i < 0 ? (double) NAN : entropies->entropy[i];
}
