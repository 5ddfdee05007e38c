/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a program's first call of a kind fail, or a signal come before it, then the second, and
 * so on to the last, and looks at how it ends.
 *
 *     nth-call CALL error=N|signal=N FIRST SPREAD INPUT PROGRAM ARGUMENT...
 *
 * CALL is the name of a call to the system, or any, or allocation. All of the FIRST ones are
 * tried, of the others one more for each SPREAD-th part. INPUT comes by a pipe; - is none. The
 * folder before has what is there before a run, the folder after what a run without a fault
 * leaves; wanted is what it writes to standard output. A run is in the folder run.
 *
 * A call that fails: either the program does without, and leaves just what it leaves else; or it
 * ends with status 1, has said one line, and leaves everything as it was. A signal: the program
 * ends by it, every file is as before or as after, and nothing else is there; after SIGKILL
 * there may be temporary files. Broken streams are put into the folder streams, if there is one.
 *
 * Says on its last line how many faults there were; prints what is wrong, and ends with status 1
 * then. */
#include "traced-run.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct
{
  const char *call;
  Fault fault;
  const char *input;
  char *preloaded, **command;
  GHashTable *before, *after; /* from names to bytes */
  GBytes *wanted;
  int n_wrong, n_failed, n_streams;
} test;

static void
read_tree (const char *folder, const char *prefix, GHashTable *files)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL), *bytes = NULL;
      g_autofree char *whole = g_strconcat (prefix, name, NULL);
      gsize n = 0;
      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        {
          g_autofree char *below = g_strconcat (whole, "/", NULL);
          g_hash_table_insert (files, g_strdup (below), g_bytes_new_static ("", 0));
          read_tree (path, below, files);
        }
      else if (g_file_get_contents (path, &bytes, &n, NULL))
        g_hash_table_insert (files, g_steal_pointer (&whole),
                             g_bytes_new_take (g_steal_pointer (&bytes), n));
    }
}

static GHashTable *
tree (const char *folder)
{
  GHashTable *files
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_bytes_unref);
  read_tree (folder, "", files);
  return files;
}

static gboolean
has (GHashTable *files, const char *name, GBytes *bytes)
{
  GBytes *found = g_hash_table_lookup (files, name);
  return found != NULL && g_bytes_equal (found, bytes);
}

static gboolean
is_temporary (const char *name)
{
  const char *end = strstr (name, ".tmp");
  return *name == '.' && end != NULL && (end[4] == '\0' || end[4] == '/');
}

static void
wrong (const TracedRun *run, const char *what, const char *name)
{
  if (test.n_wrong++ >= 20)
    return;
  printf ("%s %d, %s %d: status %d: %s%s; it said: %.1000s\n", test.call, test.fault.number,
          test.fault.error != 0 ? "error" : "signal",
          test.fault.error != 0 ? test.fault.error : test.fault.signal, run->status, what, name,
          *run->said != '\0' ? run->said : "nothing\n");
  (void) fflush (stdout);
}

/* FILES are just those of WANTED. */
static void
check_same (const TracedRun *run, GHashTable *files, GHashTable *wanted, const char *what)
{
  GHashTableIter iter;
  gpointer name, bytes;
  g_hash_table_iter_init (&iter, files);
  while (g_hash_table_iter_next (&iter, &name, &bytes))
    if (!has (wanted, name, bytes))
      wrong (run, what, name);
  g_hash_table_iter_init (&iter, wanted);
  while (g_hash_table_iter_next (&iter, &name, &bytes))
    if (!g_hash_table_contains (files, name))
      wrong (run, "is gone: ", name);
}

/* Each of FILES is as before or as after, and none is missing that is there both times. */
static void
check_whole (const TracedRun *run, GHashTable *files)
{
  GHashTableIter iter;
  gpointer name, bytes;
  g_hash_table_iter_init (&iter, files);
  while (g_hash_table_iter_next (&iter, &name, &bytes))
    if (!has (test.before, name, bytes) && !has (test.after, name, bytes)
        && !(test.fault.signal == SIGKILL && is_temporary (name)))
      wrong (run, "is neither as before nor whole: ", name);
  g_hash_table_iter_init (&iter, test.before);
  while (g_hash_table_iter_next (&iter, &name, &bytes))
    if (!g_hash_table_contains (files, name) && g_hash_table_contains (test.after, name))
      wrong (run, "is gone: ", name);
}

/* What a run that failed has written to a pipe. From what failed after its stream's last byte no
 * row is missing. */
static void
keep_stream (const TracedRun *run)
{
  gsize n;
  const char *wanted = g_bytes_get_data (test.wanted, &n);
  if (run->out->len == 0 || !g_file_test ("streams", G_FILE_TEST_IS_DIR)
      || (run->out->len >= n && memcmp (run->out->data, wanted, n) == 0))
    return;
  g_autofree char *path = NULL;
  do
    {
      g_free (path);
      path = g_strdup_printf ("streams/%d.arrows", ++test.n_streams);
    }
  while (g_file_test (path, G_FILE_TEST_EXISTS));
  if (!g_file_set_contents (path, (char *) run->out->data, run->out->len, NULL))
    g_error ("%s: cannot be written", path);
}

static gboolean
said_one_line (const char *said)
{
  const char *end = strchr (said, '\n');
  return g_str_has_prefix (said, "softlabel") && end != NULL && end[1] == '\0';
}

static void
judge (const TracedRun *run)
{
  g_autoptr (GHashTable) files = tree ("run");
  gsize n;
  const void *wanted = g_bytes_get_data (test.wanted, &n);
  if (run->hung)
    wrong (run, "hangs", "");
  if (run->status == 0)
    {
      check_same (run, files, test.after, "is another than without a fault: ");
      if (run->out->len != n || (n > 0 && memcmp (run->out->data, wanted, n) != 0))
        wrong (run, "other bytes to standard output", "");
      return;
    }
  test.n_failed++;
  keep_stream (run);
  if (test.fault.signal != 0 && run->status == 128 + test.fault.signal)
    check_whole (run, files);
  else
    {
      if (run->status != 1 || !said_one_line (run->said))
        wrong (run, "status 1 and one line were due", "");
      check_same (run, files, test.before, "is left: ");
    }
}

/* The faults that are tried: 1, 2 ... FIRST, and then fewer. Returns how many there were. */
static int
try_all (int first, int spread)
{
  int n = 0;
  for (int at = 1; test.n_wrong < 20; at += at < first ? 1 : 1 + at / spread)
    {
      if (system ("rm -rf run && cp -a before run") != 0)
        g_error ("cannot make the folder run");
      test.fault.number = at;
      g_autoptr (TracedRun) run
          = traced_run (test.command, "run", test.input, test.preloaded, &test.fault);
      if (!run->fired)
        break;
      n++;
      judge (run);
    }
  return n;
}

int
main (int argc, char **argv)
{
  g_autofree char *wanted = NULL;
  gsize n = 0;
  if (argc < 7 || (test.fault.call = traced_call (argv[1])) == NO_CALL
      || (sscanf (argv[2], "error=%d", &test.fault.error) != 1
          && sscanf (argv[2], "signal=%d", &test.fault.signal) != 1))
    {
      fprintf (stderr,
               "usage: nth-call CALL error=N|signal=N FIRST SPREAD INPUT PROGRAM ARGUMENT...\n");
      return 2;
    }
  g_autofree char *here = g_path_get_dirname (argv[0]);
  test.call = argv[1];
  test.preloaded = g_canonicalize_filename ("fail-calls.so", here);
  test.input = strcmp (argv[5], "-") == 0 ? NULL : argv[5];
  test.command = argv + 6;
  test.before = tree ("before");
  test.after = tree ("after");
  (void) g_file_get_contents ("wanted", &wanted, &n, NULL);
  test.wanted = g_bytes_new (wanted, n);
  int n_tried = try_all (atoi (argv[3]), MAX (atoi (argv[4]), 1));
  printf ("%d faults, %d failures\n", n_tried, test.n_failed);
  return test.n_wrong > 0;
}
