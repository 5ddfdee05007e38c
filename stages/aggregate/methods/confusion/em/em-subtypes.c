/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merges the subtypes that no item needs, which in time are most of them. Once the sums of several
 * subtypes vanish beside the pseudo-counts, their weights are equal in every bit, and so are their
 * labels and sums from then on. One state then stands for all of them, with their priors added up.
 * If an item comes to need it, its mass is divided among them as it would have been. */
#include "em.h"

/* So far below the pseudo-counts a sum is lost, with room for what repeats of an answer add. */
#define LOST_BESIDE 1e-22

static void
set_subtypes (SlEm *em, gint32 n)
{
  em->n_subtypes = n;
  em->n_states = em->items->n_classes * n;
  em->stride = (em->n_states + 3) / 4 * 4;
  for (gint32 z = em->n_states; z < em->stride; z++)
    {
      em->log_prior[z] = SL_EM_NEVER;
      em->prior[z] = 0;
      em->alike[z] = 1;
    }
  sl_em_fill_base (em);
}

void
sl_em_restore_subtypes (SlEm *em)
{
  for (gint32 z = 0; z < em->items->n_classes * em->all_subtypes; z++)
    em->alike[z] = 1;
  set_subtypes (em, em->all_subtypes);
}

static gboolean
is_idle (const SlEm *em, gint32 state)
{
  return em->total[state] * em->heaviest < LOST_BESIDE * MIN (em->subtype_alpha, em->off);
}

static gint32
count_idle (const SlEm *em, gint32 k)
{
  gint32 idle = 0;
  for (gint32 z = k * em->n_subtypes; z < (k + 1) * em->n_subtypes; z++)
    idle += is_idle (em, z);
  return idle;
}

/* Which N states of class K stay, in their order, to FROM; the first idle one of them stands for
 * those that do not. */
static void
choose_states (SlEm *em, gint32 k, gint32 n, gint32 *from)
{
  gint32 first = k * em->n_subtypes, end = first + em->n_subtypes, stands = -1;
  gint32 leave = em->n_subtypes - n; /* the last so many idle ones */
  for (gint32 z = first, left = count_idle (em, k); z < end; z++)
    if (!is_idle (em, z))
      *from++ = z;
    else if (left-- > leave)
      {
        *from++ = z;
        stands = stands < 0 ? z : stands;
      }
    else
      em->alike[stands] += em->alike[z];
}

/* Rows of the table become shorter, each moving to the front. */
static void
move_table (SlEm *em, const gint32 *from, gsize stride, gint32 n_states)
{
  gsize to = ((gsize) n_states + 3) / 4 * 4;
  g_autofree double *row = g_new0 (double, to);
  for (gsize c = 0; c < em->packed.n_cells; c++)
    {
      for (gint32 z = 0; z < n_states; z++)
        row[z] = em->table[c * stride + (gsize) from[z]];
      memcpy (em->table + c * to, row, to * sizeof *row);
    }
}

gint32
sl_em_needed_subtypes (const SlEm *em)
{
  gint32 most = em->alike == NULL ? em->n_subtypes : 1;
  for (gint32 k = 0; k < em->items->n_classes && em->alike != NULL; k++)
    {
      gint32 idle = count_idle (em, k);
      most = MAX (most, em->n_subtypes - idle + (idle > 0));
    }
  return most;
}

void
sl_em_merge_subtypes (SlEm *em, gint32 n)
{
  gint32 n_states = em->items->n_classes * n;
  g_autofree gint32 *from = g_new (gint32, n_states);
  for (gint32 k = 0; k < em->items->n_classes; k++)
    choose_states (em, k, n, from + k * n);
  move_table (em, from, (gsize) em->stride, n_states);
  for (gint32 z = 0; z < n_states; z++)
    {
      em->total[z] = em->total[from[z]];
      em->alike[z] = em->alike[from[z]];
    }
  set_subtypes (em, n);
}
