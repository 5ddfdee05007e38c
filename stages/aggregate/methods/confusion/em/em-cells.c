/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answers of each cell, for em-wide.c. */
#include "pipeline/base/error.h"
#include "em.h"

SL_INLINE void
place_item (SlEm *em, gint32 item, gint64 first, gint32 answers, gpointer data)
{
  for (gint64 j = first; j < first + answers; j++)
    {
      gint64 place = em->cell_first[em->packed.cell[j]]++;
      em->cell_item[place] = item;
      if (em->cell_weight != NULL)
        em->cell_weight[place] = em->packed.weight[j];
    }
}

static void
list_cells (SlEm *em)
{
  const SlPackedAnswers *packed = &em->packed;
  gsize cells = packed->n_cells;
  memset (em->cell_first, 0, (cells + 1) * sizeof *em->cell_first);
  for (gint64 j = 0; j < packed->n_answers; j++)
    em->cell_first[packed->cell[j]]++;
  gint64 sum = 0;
  for (gsize c = 0; c <= cells; c++)
    {
      gint64 n = em->cell_first[c];
      em->cell_first[c] = sum;
      sum += n;
    }
  sl_em_each_item (em, 0, packed->n_chunks, place_item, NULL);
  memmove (em->cell_first + 1, em->cell_first, cells * sizeof *em->cell_first);
  em->cell_first[0] = 0;
}

gboolean
sl_em_wide_init (SlEm *em, GError **error)
{
  const SlPackedAnswers *packed = &em->packed;
  gsize cells = packed->n_cells, answers = (gsize) packed->n_answers;
  gsize limit = MAX (MAX (answers * 8, (gsize) packed->n_items * (gsize) packed->n_classes * 2),
                     (gsize) 64 << 20);
  if (em->n_subtypes > 1)
    return sl_error_runtime (
        error,
        "%d annotators and %d classes are too many for confusion matrices of %d "
        "subtypes of each class",
        packed->n_annotators, packed->n_classes, em->n_subtypes);
  em->block = 4;
  em->logs = TRUE;
  while (em->block < em->stride && em->block < 64
         && cells * (gsize) em->block * 2 * sizeof (double) <= limit)
    em->block *= 2;
  const char *what = "who said what, by annotator";
  em->cell_first = sl_aligned_new (cells + 1, 1, sizeof *em->cell_first, what, error);
  if (em->cell_first == NULL)
    return FALSE;
  em->cell_item = sl_aligned_new (answers, 1, sizeof *em->cell_item, what, error);
  if (em->cell_item == NULL)
    return FALSE;
  if (packed->weight != NULL)
    em->cell_weight = sl_aligned_new (answers, 1, sizeof *em->cell_weight, what, error);
  if (packed->weight != NULL && em->cell_weight == NULL)
    return FALSE;
  em->table = sl_aligned_new (cells, (gsize) em->block, sizeof *em->table, what, error);
  if (em->table == NULL)
    return FALSE;
  list_cells (em);
  return TRUE;
}
