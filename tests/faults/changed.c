/* SPDX-License-Identifier: GPL-3.0-or-later */
/* changed N FILE...: reads N copies of each file with a few bytes changed, in this process, and looks at every value. A
 * copy is either refused or a table all of whose values can be used; nothing crashes, hangs or leaks. Reports in TAP.
 * The copies are read in a child, which a new one replaces if it dies. */
#include "../../pipeline/reader.h"
#include "../../pipeline/text-format.h"

#include "../../pipeline/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
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

/* Reads copies from *AT on, which counts them as they are begun. */
static void
read_copies (const char *bytes, gsize size, int n, volatile int *at)
{
  g_autofree char *path = NULL;
  for (; *at < n; (*at)++)
    {
      g_autoptr (GRand) random = g_rand_new_with_seed ((guint32) *at);
      g_autoptr (GByteArray) copy = g_byte_array_new ();
      g_byte_array_append (copy, (const guint8 *) bytes, (guint) size);
      change (copy, random);
      int fd = memfd_create ("copy", 0);
      if (fd < 0 || write (fd, copy->data, copy->len) != (gssize) copy->len)
        g_error ("no memory for a copy");
      (void) lseek (fd, 0, SEEK_SET);
      path = g_strdup_printf ("/proc/self/fd/%d", fd);
      alarm (SECONDS);
      read_through (path);
      alarm (0);
      g_clear_pointer (&path, g_free);
      (void) close (fd);
    }
}

/* How many copies of FILE make a reader die. */
static int
try_file (const char *file, int n, volatile int *at)
{
  g_autofree char *bytes = NULL;
  gsize size;
  if (!g_file_get_contents (file, &bytes, &size, NULL))
    g_error ("%s cannot be read", file);
  int deaths = 0;
  for (*at = 0; *at < n && deaths < 20;)
    {
      (void) fflush (stdout);
      pid_t pid = fork ();
      if (pid == 0)
        {
          read_copies (bytes, size, n, at);
          exit (0);
        }
      int status;
      (void) waitpid (pid, &status, 0);
      if (status == 0)
        continue;
      printf ("# %s, copy %d: %s %d\n", file, *at, WIFSIGNALED (status) ? "signal" : "exit status",
              WIFSIGNALED (status) ? WTERMSIG (status) : WEXITSTATUS (status));
      deaths++;
      (*at)++;
    }
  return deaths;
}

int
main (int argc, char **argv)
{
  int n = argc > 2 ? atoi (argv[1]) : 0;
  volatile int *at
      = mmap (NULL, sizeof *at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (n <= 0 || at == MAP_FAILED)
    {
      fprintf (stderr, "usage: changed N FILE...\n");
      return 2;
    }
  int failed = 0;
  for (int i = 2; i < argc; i++)
    {
      gboolean ok = try_file (argv[i], n, at) == 0;
      printf ("%s %d - %d changed copies of %s\n", ok ? "ok" : "not ok", i - 1, n, argv[i]);
      failed += !ok;
    }
  printf ("1..%d\n", argc - 2);
  return failed > 0;
}
