/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "controls.h"

#include "pipeline/base/largest.h"
#include "pipeline/base/random.h"
#include "stages/common/labels/smoothing.h"

#include <stdlib.h>
#include <string.h>

void
sl_control_one_hot (gint32 class, gint32 n_classes, double *to)
{
  for (gint32 k = 0; k < n_classes; k++)
    to[k] = k == class;
}

/* to[n_classes] <- 1/K each. */
static void
make_uniform (gint32 n_classes, double *to)
{
  for (gint32 k = 0; k < n_classes; k++)
    to[k] = 1.0 / n_classes;
}

void
sl_control_random (guint64 seed, const char *item, gsize length, gint32 n_classes, double *to)
{
  SlRandom random
      = sl_random (seed, sl_random_purpose ("control: random"), sl_text_hash (item, length), 0, 0);
  double sum = 0;
  for (gint32 k = 0; k < n_classes; k++)
    sum += to[k] = sl_random_unit (&random);
  /* Nothing but zeros is drawn with probability 2^-53 K. */
  if (sum == 0)
    make_uniform (n_classes, to);
  for (gint32 k = 0; sum > 0 && k < n_classes; k++)
    to[k] /= sum;
}

void
sl_control_smooth (const double *label, gint32 n_classes, double beta, double *to)
{
  for (gint32 k = 0; k < n_classes; k++)
    to[k] = sl_smooth (label[k], beta, (gsize) n_classes);
}

gboolean
sl_control_make (const SlControl *control, const char *item, gsize length, const double *label,
                 gint32 gold, gint32 n_classes, double *to)
{
  switch (control->kind)
    {
    case SL_CONTROL_GOLD:
      sl_control_one_hot (gold, n_classes, to);
      return gold >= 0;
    case SL_CONTROL_UNIFORM:
      make_uniform (n_classes, to);
      return TRUE;
    case SL_CONTROL_RANDOM:
      sl_control_random (control->seed, item, length, n_classes, to);
      return TRUE;
    case SL_CONTROL_ARGMAX:
      sl_control_one_hot (sl_largest (label, n_classes), n_classes, to);
      return TRUE;
    case SL_CONTROL_SMOOTH:
      sl_control_smooth (label, n_classes, control->beta, to);
      return TRUE;
    default:
      g_assert_not_reached ();
    }
}

typedef struct
{
  guint64 key;
  gint32 item;
} Keyed;

static int
compare (gconstpointer a, gconstpointer b, gpointer items)
{
  const Keyed *x = a, *y = b;
  return SL_COMPARE (x->key, y->key) ?: sl_intern_compare (items, x->item, y->item);
}

/* keyed[n] <- the items in an order that their names tell: by random numbers of (seed, item), or
 * with PURPOSE 0 by a digest. */
static void
put_in_order (guint64 seed, guint32 purpose, const SlIntern *items, Keyed *keyed)
{
  gint32 n = sl_intern_size (items);
  for (gint32 i = 0; i < n; i++)
    {
      gsize length;
      const char *item = sl_intern_get (items, i, &length);
      guint64 hash = sl_text_hash (item, length);
      SlRandom random = sl_random (seed, purpose, hash, 0, 0);
      keyed[i] = (Keyed){ purpose != 0 ? sl_random_u64 (&random) : hash, i };
    }
  qsort_r (keyed, (gsize) n, sizeof *keyed, compare, (gpointer) items);
}

/* The item that is i-th by digest gets what the i-th by random numbers has. */
void
sl_control_permute (guint64 seed, const SlIntern *items, gint32 *from)
{
  gint32 n = sl_intern_size (items);
  g_autofree Keyed *keyed = g_new (Keyed, 2 * (gsize) n + 1);
  put_in_order (seed, 0, items, keyed);
  put_in_order (seed, sl_random_purpose ("control: permute"), items, keyed + n);
  for (gint32 i = 0; i < n; i++)
    from[keyed[i].item] = keyed[n + i].item;
}
