/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distinct texts numbered 0, 1, 2 ... in order of first appearance, however many threads look
 * them up. */
#pragma once

#include "pipeline/base/texts.h"

typedef struct _SlIntern SlIntern;

SlIntern *sl_intern_new (void);
void sl_intern_free (SlIntern *intern);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlIntern, sl_intern_free)

/* Threads that sl_intern_column() may use; 1 unless this is called. The numbers do not depend on
 * it. */
void sl_intern_set_threads (SlIntern *intern, int threads);

/* The number of TEXT, a new one where it is new. */
gint32 sl_intern (SlIntern *intern, const char *text, gsize length);

/* Its number; -1 where it is not there. */
gint32 sl_intern_find (const SlIntern *intern, const char *text, gsize length);

/* sl_intern() of the text that has number ID in FROM. */
gint32 sl_intern_copy (SlIntern *intern, const SlIntern *from, gint32 id);

/* sl_intern(), sl_intern_find() of text I of TEXTS. */
static inline gint32
sl_intern_text (SlIntern *intern, SlText texts, gint64 i)
{
  gsize length;
  const char *text = sl_text_get (texts, i, &length);
  return sl_intern (intern, text, length);
}

static inline gint32
sl_intern_find_text (const SlIntern *intern, SlText texts, gint64 i)
{
  gsize length;
  const char *text = sl_text_get (texts, i, &length);
  return sl_intern_find (intern, text, length);
}

/* ids[i] becomes the number of text i; those that are new get one. */
void sl_intern_column (SlIntern *intern, SlText texts, gint64 n, gint32 *ids);

/* ids[i] is the number of text i, -1 where it is not there. May run beside other look-ups. */
void sl_intern_find_column (const SlIntern *intern, SlText texts, gint64 n, int threads,
                            gint32 *ids);

/* Whether TEXTS[n] are those of the numbers FIRST, FIRST + 1, …, as where two tables are in one
 * order. */
gboolean sl_intern_follows (const SlIntern *intern, gint32 first, SlText texts, gint64 n);

/* No text will be looked up any more, only numbers: gives back the memory that it takes. */
void sl_intern_close (SlIntern *intern);

gint32 sl_intern_size (const SlIntern *intern);
gsize sl_intern_bytes (const SlIntern *intern); /* memory it takes */

/* The text of number ID, valid until the next new text. */
const char *sl_intern_get (const SlIntern *intern, gint32 id, gsize *length);

char *sl_intern_dup (const SlIntern *intern, gint32 id);   /* the same, to be freed */
char *sl_intern_shown (const SlIntern *intern, gint32 id); /* ... as sl_shown() has it */

/* The texts of A and B by their bytes: less than 0, 0 or more. */
int sl_intern_compare (const SlIntern *intern, gint32 a, gint32 b);

/* The texts of numbers FIRST .. FIRST + N - 1 (at most 2 GiB of them) as a column, valid until
 * the next new text; OFFSET[N + 1] is room for the column's offsets. */
SlText sl_intern_texts (const SlIntern *intern, gint32 first, gint32 n, gint32 *offset);

/* The hash behind it: XXH3, 64 bits; also the key of an item or annotator for random numbers. */
guint64 sl_text_hash (const char *text, gsize length);

/* The numbers in the order of their texts, shorter ones first, equally long ones by their bytes: an
 * order that does not depend on which came first. NULL where that is 0, 1, 2 … already. To be freed
 * with g_free(). */
gint32 *sl_intern_order (const SlIntern *intern);

#define SL_ORDER_BYTES 18 /* that this takes meanwhile for each text, twice */
