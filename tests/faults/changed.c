/* SPDX-License-Identifier: GPL-3.0-or-later */
/* changed N FILE AT: reads copies of FILE with a few bytes changed, in this process, and looks at
 * every value. A copy is either refused or a table all of whose values can be used; nothing
 * crashes, hangs or leaks. The file AT has the number of the copy that is being read: the first is
 * the one that it has at the start, the last is N - 1. So who started a run that died finds out by
 * which copy, and can go on behind it.
 *
 * There is no fork() here: libraries have threads at work from the start, and what these have
 * locked stays locked in a child. */
#include "pipeline/base/error.h"
#include "pipeline/files/reader.h"
#include "pipeline/files/text/csv-json-out.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SECONDS 60 /* for one copy */

static void
change (GByteArray *copy, GRand *random)
{
  static const guint32 words[] = { 0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 8, 64, 0x10000 };
  for (int n = g_rand_int_range (random, 1, 5); n > 0 && copy->len > 8; n--)
    {
      guint at = (guint) g_rand_int_range (random, 0, (gint32) copy->len - 8);
      switch (g_rand_int_range (random, 0, 5))
        {
        case 0:
          copy->data[at] = (guint8) (copy->data[at] ^ (1 << g_rand_int_range (random, 0, 8)));
          break;
        case 1:
          copy->data[at] = (guint8) g_rand_int (random);
          break;
        case 2: /* a length or an offset, as it lies in the file */
          memcpy (copy->data + (at & ~3u),
                  &words[g_rand_int_range (random, 0, G_N_ELEMENTS (words))], 4);
          break;
        case 3:
          g_byte_array_remove_range (copy, at,
                                     MIN (copy->len - at, (guint) g_rand_int_range (random, 1, 9)));
          break;
        default:
          memmove (copy->data + at,
                   copy->data + (guint) g_rand_int_range (random, 0, (gint32) copy->len - 8), 8);
          break;
        }
    }
}

/* Reads PATH and looks at every value. A failure must be one that says so. */
static void
read_through (const char *path)
{
  static const SlReaderOptions options = { .threads = 1 };
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (SlReader) reader = sl_reader_open (path, &options, &error);
  gboolean ok = reader != NULL, ended = FALSE;
  while (ok && !ended)
    {
      g_autoptr (SlBatch) batch = NULL;
      ok = sl_reader_next (reader, &batch, &error);
      ended = batch == NULL;
      for (gint64 i = 0; batch != NULL && i < batch->n_rows; i++)
        {
          sl_csv_append (text, batch, i);
          sl_jsonl_append (text, batch, i);
          g_string_truncate (text, 0);
        }
    }
  if (ok ? error != NULL
         : (error == NULL || error->domain != SL_ERROR || error->message[0] == '\0'))
    g_error ("success %d with message '%s'", ok, error != NULL ? error->message : "");
}

/* The number in the file. */
static int
get_number (int file)
{
  char text[16] = "";
  if (pread (file, text, sizeof text - 1, 0) < 0)
    g_error ("the copy's number cannot be read");
  return atoi (text);
}

static void
put_number (int file, int number)
{
  g_autofree char *text = g_strdup_printf ("%d\n", number);
  if (pwrite (file, text, strlen (text), 0) != (gssize) strlen (text))
    g_error ("the copy's number cannot be written");
}

static void
read_copy (const char *bytes, gsize size, int number)
{
  g_autoptr (GRand) random = g_rand_new_with_seed ((guint32) number);
  g_autoptr (GByteArray) copy = g_byte_array_new ();
  g_byte_array_append (copy, (const guint8 *) bytes, (guint) size);
  change (copy, random);
  int fd = memfd_create ("copy", 0);
  if (fd < 0 || write (fd, copy->data, copy->len) != (gssize) copy->len)
    g_error ("no memory for a copy");
  (void) lseek (fd, 0, SEEK_SET);
  g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", fd);
  alarm (SECONDS);
  read_through (path);
  alarm (0);
  (void) close (fd);
}

int
main (int argc, char **argv)
{
  g_autofree char *bytes = NULL;
  gsize size;
  int at = argc == 4 ? open (argv[3], O_RDWR | O_CREAT, 0600) : -1;
  if (at < 0 || !g_file_get_contents (argv[2], &bytes, &size, NULL))
    {
      fprintf (stderr, "usage: changed N FILE AT\n");
      return 2;
    }
  for (int number = get_number (at); number < atoi (argv[1]); number++)
    {
      put_number (at, number);
      read_copy (bytes, size, number);
    }
  return 0;
}
