/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes random numbers without end, 32 bits each.
 *
 *     numbers stream         of one stream
 *     numbers items          the first of each of many streams, which differ by their item,
 *     numbers annotators     by their annotator,
 *     numbers draws          by their draw,
 *     numbers seeds          by their seed
 *     numbers counter        not random at all: a battery of tests has to find it out */
#include "pipeline/base/intern/intern.h"
#include "pipeline/base/random.h"

#include <stdio.h>
#include <string.h>

static guint64
key (guint64 i)
{
  char name[32];
  int length = snprintf (name, sizeof name, "%" G_GUINT64_FORMAT, i);
  return sl_text_hash (name, (gsize) length);
}

int
main (int argc, char **argv)
{
  const char *way = argc == 2 ? argv[1] : "";
  guint32 purpose = sl_random_purpose ("test"), number[4096];
  SlRandom stream = sl_random (1, purpose, key (1), key (2), 0);
  for (guint64 i = 0;;)
    {
      for (gsize n = 0; n < G_N_ELEMENTS (number); n++, i++)
        {
          SlRandom random = stream;
          if (strcmp (way, "items") == 0)
            random = sl_random (1, purpose, key (i), key (2), 0);
          else if (strcmp (way, "annotators") == 0)
            random = sl_random (1, purpose, key (1), key (i), 0);
          else if (strcmp (way, "draws") == 0)
            random = sl_random (1, purpose, key (1), key (2), (guint32) i);
          else if (strcmp (way, "seeds") == 0)
            random = sl_random (i, purpose, key (1), key (2), 0);
          else if (strcmp (way, "stream") != 0 && strcmp (way, "counter") != 0)
            return 2;
          number[n] = *way == 'c'                   ? (guint32) i * 2654435761U
                      : strcmp (way, "stream") == 0 ? sl_random_u32 (&stream)
                                                    : sl_random_u32 (&random);
        }
      if (fwrite (number, sizeof number, 1, stdout) != 1)
        return 0;
    }
}
