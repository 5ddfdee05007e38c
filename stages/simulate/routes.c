/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "routes.h"

#include "../aggregate/gathering.h"
#include "../agreement/figures.h"

#include <math.h>

void
sl_routes_init (SlRoutes *routes, SlIntern *items, const SlTally *tally)
{
  *routes = (SlRoutes){ items, g_new (double, MAX (tally->n_items, 1)) };
  for (gint32 i = 0; i < tally->n_items; i++)
    {
      const double *sum = tally->sum + (gsize) i * (gsize) tally->n_classes;
      double all = 0;
      for (gint32 k = 0; k < tally->n_classes; k++)
        all += sum[k];
      routes->entropy[i] = all > 0 ? sl_shares_entropy (sum, tally->n_classes) : (double) NAN;
    }
}

gboolean
sl_routes_read (SlRoutes *routes, SlRun *run, SlReader *reader, GError **error)
{
  g_auto (SlGathering) gathering;
  sl_gathering_init (&gathering, run, reader);
  if (!sl_gathering_read (&gathering, error))
    {
      sl_reader_name_rows (reader, error);
      return FALSE;
    }
  sl_routes_init (routes, g_steal_pointer (&gathering.items), &gathering.tally);
  return TRUE;
}

void
sl_routes_clear (SlRoutes *routes)
{
  g_clear_pointer (&routes->items, sl_intern_free);
  g_clear_pointer (&routes->entropy, g_free);
}

double
sl_routes_entropy (const SlRoutes *routes, const char *item, gsize length)
{
  gint32 i = sl_intern_find (routes->items, item, length);
  return i < 0 ? (double) NAN : routes->entropy[i];
}
