/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recurring-values.h"

#include <string.h>

#define SAMPLE 8192
#define NEW_ONE_IN 16

/* A power of two, more than there can be numbers that are new. */
#define SLOTS 2048

typedef struct
{
  guint64 slots[SLOTS]; /* 0: free */
  gsize n_new;
  gboolean has_zero;
} Seen;

static void
see (Seen *seen, guint64 value)
{
  if (value == 0)
    {
      seen->n_new += !seen->has_zero;
      seen->has_zero = TRUE;
      return;
    }
  /* Fibonacci hashing: the highest bits of a product with 2^64 over the golden ratio. */
  for (gsize i = (value * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) >> 53;; i = (i + 1) % SLOTS)
    {
      if (seen->slots[i] == value)
        return;
      if (seen->slots[i] != 0)
        continue;
      seen->slots[i] = value;
      seen->n_new++;
      return;
    }
}

gboolean
sl_values_recur (gconstpointer values, gsize n_rows, gsize length, gsize size)
{
  const gsize in_row = MIN (length, SAMPLE);
  const gsize rows = MIN (n_rows, SAMPLE / in_row);
  const gsize most = rows * in_row / NEW_ONE_IN;
  Seen seen = { { 0 }, 0, FALSE };
  for (gsize i = 0; i < rows; i++)
    {
      const guint8 *row = (const guint8 *) values + i * n_rows / rows * length * size;
      for (gsize j = 0; j < in_row; j++)
        {
          guint64 value = 0;
          memcpy (&value, row + j * size, size);
          see (&seen, value);
          if (seen.n_new > most)
            return FALSE;
        }
    }
  return TRUE;
}
