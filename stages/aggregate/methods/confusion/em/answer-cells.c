/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cells and lanes of packed answers, and their memory. */
#include "pipeline/base/error.h"
#include "pipeline/base/large-pages.h"
#include "pipeline/base/process/shortage.h"
#include "packed-answers.h"

#include <stdlib.h>
#include <string.h>

/* Large blocks begin and end with a large page. */
gpointer
sl_aligned_new (gsize n, gsize m, gsize size, const char *what, GError **error)
{
  gsize bytes, align;
  gpointer memory = NULL;
  if (!__builtin_mul_overflow (n, m, &bytes) && !__builtin_mul_overflow (bytes, size, &bytes)
      && bytes < G_MAXSSIZE - SL_LARGE_PAGE)
    {
      align = bytes > SL_LARGE_PAGE / 4 ? SL_LARGE_PAGE : 64;
      bytes = (MAX (bytes, 1) + align - 1) / align * align;
      memory = sl_memory_try_aligned (align, bytes);
      if (memory != NULL && align == SL_LARGE_PAGE)
        sl_memory_use_large_pages (memory, bytes);
    }
  if (memory == NULL)
    sl_error_runtime (error, "not enough memory for %s", what);
  return memory;
}

/* Numbers the cells that occur: marks each in a map of bits, and counts the bits before every
 * word of it. */
gboolean
sl_packed_answers_drop_cells (SlPackedAnswers *packed, GError **error)
{
  gsize n_words = packed->n_cells / 64 + 1;
  g_autofree guint64 *word
      = sl_aligned_new (n_words, 1, sizeof *word, "a map of who said what", error);
  if (word == NULL)
    return FALSE;
  g_autofree guint32 *before
      = sl_aligned_new (n_words, 1, sizeof *before, "a map of who said what", error);
  if (before == NULL)
    return FALSE;
  packed->cell_start = g_new (guint32, (gsize) packed->n_annotators + 1);
  memset (word, 0, n_words * sizeof *word);
  for (gint64 j = 0; j < packed->n_answers; j++)
    word[packed->cell[j] / 64] |= (guint64) 1 << packed->cell[j] % 64;
  guint32 n = 0;
  for (gsize w = 0; w < n_words; w++)
    {
      before[w] = n;
      n += (guint32) __builtin_popcountll (word[w]);
    }
#define RANK(cell)                                                                                 \
  (before[(cell) / 64]                                                                             \
   + (guint32) __builtin_popcountll (word[(cell) / 64] & (((guint64) 1 << (cell) % 64) - 1)))
  for (gint64 j = 0; j < packed->n_answers; j++)
    packed->cell[j] = RANK (packed->cell[j]);
  guint32 n_classes = (guint32) packed->n_classes;
  for (guint32 a = 0; a <= (guint32) packed->n_annotators; a++)
    packed->cell_start[a] = RANK (a * n_classes);
  packed->cell_class = g_new (gint32, MAX (n, 1));
  for (gsize w = 0, i = 0; w < n_words; w++)
    for (guint64 bits = word[w]; bits != 0; bits &= bits - 1)
      packed->cell_class[i++] = (gint32) ((w * 64 + (gsize) __builtin_ctzll (bits)) % n_classes);
  packed->n_cells = n;
  return TRUE;
}

void
sl_packed_answers_clear (SlPackedAnswers *packed)
{
  g_free (packed->start);
  g_free (packed->stretch_start);
  g_free (packed->stretch);
  g_free (packed->item);
  free (packed->cell);
  free (packed->weight);
  g_free (packed->cell_start);
  g_free (packed->cell_class);
  *packed = (SlPackedAnswers){ 0 };
}

void
sl_packed_answers_cut (const SlPackedAnswers *packed, gint32 lanes, gint32 *start)
{
  start[0] = 0;
  for (gint32 l = 1, c = 0; l <= lanes; l++)
    {
      gint64 end = (gint64) ((__int128) packed->n_answers * l / lanes);
      while (c < packed->n_chunks && (l == lanes || packed->start[c] < end))
        c++;
      start[l] = c;
    }
}
