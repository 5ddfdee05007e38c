/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agreeing.h"

#include <math.h>

void
sl_share_agreeing (const gint32 *item, const gint32 *annotator, const gint32 *class,
                   const double *count, gsize n, gint32 n_items, gint32 n_classes,
                   gint32 n_annotators, double *votes, double *share)
{
  g_autofree double *all = g_new0 (double, n_items);
  g_autofree double *others = g_new0 (double, n_annotators);
  for (gsize i = 0; i < n; i++)
    {
      double w = count != NULL ? count[i] : 1;
      votes[(gsize) item[i] * (gsize) n_classes + (gsize) class[i]] += w;
      all[item[i]] += w;
    }
  for (gint32 a = 0; a < n_annotators; a++)
    share[a] = 0;
  for (gsize i = 0; i < n; i++)
    {
      double w = count != NULL ? count[i] : 1;
      share[annotator[i]]
          += w * (votes[(gsize) item[i] * (gsize) n_classes + (gsize) class[i]] - w);
      others[annotator[i]] += w * (all[item[i]] - w);
    }
  for (gint32 a = 0; a < n_annotators; a++)
    share[a] = others[a] > 0 ? share[a] / others[a] : (double) NAN;
}
