/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a program on many damaged copies of a file, and looks at how it ends.
 *
 *     damage cut STEP VIA FILE PROGRAM ARGUMENT...        FILE cut at every STEP-th offset
 *     damage flip COUNT VIA FILE PROGRAM ARGUMENT...      COUNT copies with a few bytes changed
 *     damage mangle COUNT VIA FILE PROGRAM ARGUMENT...    ... cut, doubled, with strange words
 *
 * VIA is file or pipe. Each run has a folder of its own, with the copy in it under FILE's
 * extension; to the arguments are added, via file, its name, and in any case -o out.arrows.
 * After a cut the program must end with status 3; after a flip with 3, or with 0; after mangling
 * with 3, 0, or 1 where what is asked for does not fit. Ending with 3 or 1 it must have said one
 * line on standard error and left no file. Prints what is wrong, and how many runs there were;
 * ends with status 1 if anything is wrong. */
#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_JOBS 64
#define SECONDS 60 /* a run that takes longer hangs */

typedef struct
{
  pid_t pid; /* 0: free */
  char *folder;
  gint64 number;
  gint64 began;
} Job;

static struct
{
  gboolean flips, mangles, by_pipe;
  gint64 step;
  char *bytes, *extension, **command;
  gsize size;
  char *folder;
  int n_jobs;
  Job jobs[MAX_JOBS];
  int n_wrong;
} test;

/* A piece of the copy goes, comes twice, is cut off, or a word stands in its place. */
static void
mangle_once (GString *copy, GRand *random)
{
  static const char *const words[] = { "\"",
                                       "\n",
                                       ",",
                                       ";",
                                       "\t",
                                       "\\",
                                       "{",
                                       "[",
                                       "]}",
                                       "null",
                                       "NaN",
                                       "-1",
                                       "1e999",
                                       "0x1p9",
                                       "\xff\xfe",
                                       "\xc3",
                                       "=1+1",
                                       "../x",
                                       "%s%n",
                                       "",
                                       "inf",
                                       "\r\n",
                                       "\"\"\"",
                                       "18446744073709551616",
                                       "\xef\xbb\xbf",
                                       "9007199254740993" };
  gsize n = copy->len, at = n > 0 ? (gsize) g_rand_int_range (random, 0, (gint32) n) : 0;
  gsize length = (gsize) 1 << g_rand_int_range (random, 0, 8);
  length = MIN (n - at, length);
  g_autofree char *piece = g_strndup (copy->str + at, length);
  switch (g_rand_int_range (random, 0, 8))
    {
    case 0:
      g_string_truncate (copy, at);
      break;
    case 1:
      g_string_insert_len (copy, (gssize) at, piece, (gssize) strlen (piece));
      break;
    case 2:
      g_string_erase (copy, (gssize) at, (gssize) length);
      break;
    case 3:
      g_string_insert_len (copy, (gssize) at, "", 1);
      break;
    case 4:
      if (at < n)
        copy->str[at] = (char) (copy->str[at] ^ (1 << g_rand_int_range (random, 0, 8)));
      break;
    default:
      g_string_insert (copy, (gssize) at,
                       words[g_rand_int_range (random, 0, G_N_ELEMENTS (words))]);
    }
}

static char *
mangled (gint64 number, gsize *size)
{
  g_autoptr (GRand) random = g_rand_new_with_seed ((guint32) number);
  GString *copy = g_string_new_len (test.bytes, (gssize) test.size);
  for (int n = g_rand_int_range (random, 1, 5); n > 0; n--)
    mangle_once (copy, random);
  *size = copy->len;
  return g_string_free (copy, FALSE);
}

/* The NUMBER-th damaged copy; *SIZE is its length. */
static char *
damaged (gint64 number, gsize *size)
{
  if (test.mangles)
    return mangled (number, size);
  char *copy = g_memdup2 (test.bytes, test.size);
  *size = test.flips ? test.size : (gsize) number;
  g_autoptr (GRand) random = g_rand_new_with_seed ((guint32) number);
  for (int n = g_rand_int_range (random, 1, 4); test.flips && n > 0; n--)
    {
      gsize at = (gsize) g_rand_int_range (random, 0, (gint32) test.size);
      static const char values[] = { 0, 1, 127, (char) 128, (char) 255 };
      if (g_rand_boolean (random))
        copy[at] = (char) (copy[at] ^ (1 << g_rand_int_range (random, 0, 8)));
      else
        copy[at] = values[g_rand_int_range (random, 0, sizeof values)];
    }
  return copy;
}

static void
run_child (const Job *job, const char *input)
{
  static char out[] = "out.arrows", option[] = "-o";
  int n = (int) g_strv_length (test.command);
  char **argv = g_new0 (char *, n + 4);
  memcpy (argv, test.command, sizeof *argv * (gsize) n);
  if (!test.by_pipe)
    argv[n++] = (char *) input;
  argv[n++] = option;
  argv[n++] = out;
  int ends[2];
  if (chdir (job->folder) != 0 || freopen ("err", "w", stderr) == NULL
      || freopen ("/dev/null", "w", stdout) == NULL
      || (!test.by_pipe && freopen ("/dev/null", "r", stdin) == NULL)
      || (test.by_pipe && pipe (ends) != 0))
    _exit (126);
  if (test.by_pipe)
    {
      /* A writer of its own, so that no size is too large for the pipe. */
      if (fork () == 0)
        {
          gsize size;
          g_autofree char *copy = damaged (job->number, &size);
          signal (SIGPIPE, SIG_IGN);
          close (ends[0]);
          for (gsize at = 0; at < size;)
            {
              ssize_t written = write (ends[1], copy + at, size - at);
              if (written <= 0)
                break;
              at += (gsize) written;
            }
          _exit (0);
        }
      dup2 (ends[0], STDIN_FILENO);
      close (ends[0]);
      close (ends[1]);
    }
  execv (argv[0], argv);
  _exit (127);
}

static void
wrong (const Job *job, const char *what, int value)
{
  g_autofree char *err = g_build_filename (job->folder, "err", NULL);
  g_autofree char *said = NULL;
  (void) g_file_get_contents (err, &said, NULL, NULL);
  if (test.n_wrong++ < 20)
    printf ("%s %d of %s: %s %d; it said: %.2000s\n",
            test.mangles ? "mangled"
            : test.flips ? "flip"
                         : "the first",
            (int) job->number, test.extension, what, value,
            said != NULL && *said != '\0' ? said : "nothing\n");
  (void) fflush (stdout);
}

static gboolean
said_one_line (const Job *job)
{
  g_autofree char *err = g_build_filename (job->folder, "err", NULL);
  g_autofree char *said = NULL;
  gsize n;
  return g_file_get_contents (err, &said, &n, NULL) && n > 1 && strchr (said, '\n') == said + n - 1;
}

/* Removes the run's files, but for its copy; returns how many there were beside what it said. */
static int
clear_folder (const Job *job, const char *input)
{
  int n = 0;
  g_autoptr (GDir) dir = g_dir_open (job->folder, 0, NULL);
  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *path = g_build_filename (job->folder, name, NULL);
      if (strcmp (name, input) == 0)
        continue;
      n += strcmp (name, "err") != 0;
      (void) g_remove (path);
    }
  return n;
}

static void
judge (Job *job, int status, const char *input)
{
  gboolean one_line = said_one_line (job);
  int code = WIFEXITED (status) ? WEXITSTATUS (status) : -WTERMSIG (status);
  if (code != 3 && !(test.flips && code == 0) && !(test.mangles && code == 1))
    wrong (job, "exit status", code);
  else if (code != 0 && !one_line)
    wrong (job, "not one line, status", code);
  int left = clear_folder (job, input);
  if (left != (code == 0 ? 1 : 0))
    wrong (job, "files left:", left);
  job->pid = 0;
}

static void
wait_for_one (const char *input)
{
  for (;;)
    {
      int status;
      pid_t pid = waitpid (-1, &status, WNOHANG);
      for (int j = 0; j < test.n_jobs; j++)
        if (pid > 0 && test.jobs[j].pid == pid)
          {
            judge (&test.jobs[j], status, input);
            return;
          }
      for (int j = 0; j < test.n_jobs; j++)
        if (test.jobs[j].pid != 0
            && g_get_monotonic_time () - test.jobs[j].began > SECONDS * G_USEC_PER_SEC)
          {
            wrong (&test.jobs[j], "hangs after seconds:", SECONDS);
            kill (test.jobs[j].pid, SIGKILL);
            test.jobs[j].began = G_MAXINT64 / 2;
          }
      g_usleep (500);
    }
}

static void
start (gint64 number, const char *input)
{
  Job *job = NULL;
  while (job == NULL)
    {
      for (int j = 0; j < test.n_jobs && job == NULL; j++)
        if (test.jobs[j].pid == 0)
          job = &test.jobs[j];
      if (job == NULL)
        wait_for_one (input);
    }
  job->number = number;
  job->began = g_get_monotonic_time ();
  if (!test.by_pipe)
    {
      gsize size;
      g_autofree char *copy = damaged (number, &size);
      g_autofree char *path = g_build_filename (job->folder, input, NULL);
      FILE *file = fopen (path, "w");
      if (file == NULL || fwrite (copy, 1, size, file) != size || fclose (file) != 0)
        g_error ("%s: %s", path, g_strerror (errno));
    }
  job->pid = fork ();
  if (job->pid == 0)
    run_child (job, input);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  if (argc < 6 || !g_file_get_contents (argv[4], &test.bytes, &test.size, &error))
    {
      fprintf (stderr, "damage: %s\n",
               error != NULL
                   ? error->message
                   : "usage: damage cut|flip|mangle N file|pipe FILE PROGRAM ARGUMENT...");
      return 2;
    }
  test.mangles = strcmp (argv[1], "mangle") == 0;
  test.flips = test.mangles || strcmp (argv[1], "flip") == 0;
  test.step = g_ascii_strtoll (argv[2], NULL, 10);
  test.by_pipe = strcmp (argv[3], "pipe") == 0;
  test.extension = strrchr (argv[4], '.') != NULL ? strrchr (argv[4], '.') : argv[4];
  test.command = argv + 5;
  test.folder = g_dir_make_tmp ("softlabel-damage-XXXXXX", NULL);
  test.n_jobs = (int) CLAMP (g_get_num_processors () + 1, 2, MAX_JOBS);
  for (int j = 0; j < test.n_jobs; j++)
    {
      test.jobs[j].folder = g_strdup_printf ("%s/%d", test.folder, j);
      (void) g_mkdir (test.jobs[j].folder, 0700);
    }
  g_autofree char *input = g_strconcat ("in", test.extension, NULL);
  gint64 n = test.flips ? test.step : (gint64) test.size, step = test.flips ? 1 : test.step;
  int n_runs = 0;
  for (gint64 number = 0; number < n; number += step, n_runs++)
    start (number, input);
  for (int j = 0; j < test.n_jobs; j++)
    while (test.jobs[j].pid != 0)
      wait_for_one (input);
  printf ("%d runs\n", n_runs);
  g_autofree char *command = g_strdup_printf ("rm -rf '%s'", test.folder);
  if (system (command) != 0)
    return 2;
  return test.n_wrong > 0;
}
