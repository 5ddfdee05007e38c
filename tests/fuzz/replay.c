/* SPDX-License-Identifier: GPL-3.0-or-later */
/* replay FOLDER [NAME]: gives each harness (or that one) the files in FOLDER/NAME, and reports in
 * TAP. What breaks a promise, or takes too long, ends the program, and is named. */
#include "fuzz.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECONDS 10 /* for one file */

static char tried[4096]; /* which file it is */
static int report = -1;

static void
on_end (int number)
{
  static const char text[] = "Bail out! it ended at ";
  (void) !write (report, text, sizeof text - 1);
  (void) !write (report, tried, strlen (tried));
  (void) !write (report, "\n", 1);
  (void) signal (number, SIG_DFL);
  (void) raise (number);
}

typedef struct
{
  char *path;
  char *data;
  gsize size;
} Input;

static void
input_free (gpointer data)
{
  Input *input = data;
  g_free (input->path);
  g_free (input->data);
  g_free (input);
}

static int
by_path (gconstpointer a, gconstpointer b)
{
  const Input *const *one = a, *const *other = b;
  return strcmp ((*one)->path, (*other)->path);
}

static GPtrArray *
inputs_of (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  GPtrArray *inputs = g_ptr_array_new_with_free_func (input_free);
  const char *file;
  while (dir != NULL && (file = g_dir_read_name (dir)) != NULL)
    {
      Input *input = g_new0 (Input, 1);
      input->path = g_build_filename (path, file, NULL);
      if (!g_file_get_contents (input->path, &input->data, &input->size, NULL))
        g_error ("%s cannot be read", input->path);
      g_ptr_array_add (inputs, input);
    }
  g_ptr_array_sort (inputs, by_path);
  return inputs;
}

/* In memory of exactly their size: what reads beyond it is found. */
static void
try_input (const SlFuzz *harness, const Input *input)
{
  (void) g_strlcpy (tried, input->path, sizeof tried);
  g_autofree guint8 *exact = g_memdup2 (input->data, input->size);
  const char *slow = g_getenv ("SOFTLABEL_SANITIZED");
  (void) alarm (slow != NULL && *slow != '\0' ? 6 * SECONDS : SECONDS);
  sl_fuzz_try (harness, exact, input->size);
  (void) alarm (0);
}

int
main (int argc, char **argv)
{
  static const int ends[] = { SIGABRT, SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL };
  if (argc < 2 || argc > 3 || (argc == 3 && sl_fuzz_find (argv[2]) == NULL))
    {
      fprintf (stderr, "usage: replay FOLDER [NAME]\n");
      return 2;
    }
  g_autofree char *folder = g_canonicalize_filename (argv[1], NULL);
  report = fcntl (STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  int nothing = open ("/dev/null", O_WRONLY | O_CLOEXEC);
  if (report < 0 || nothing < 0 || dup2 (nothing, STDOUT_FILENO) < 0)
    return 1;
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    (void) signal (ends[i], on_end);
  sl_fuzz_init ();
  int n = 0;
  for (const SlFuzz *each = sl_fuzz_harnesses; each->name != NULL; each++)
    if (argc == 2 || strcmp (argv[2], each->name) == 0)
      {
        g_autoptr (GPtrArray) inputs = inputs_of (folder, each->name);
        for (guint i = 0; i < inputs->len; i++)
          try_input (each, inputs->pdata[i]);
        dprintf (report, "%s %d - %s, %u inputs\n", inputs->len > 0 ? "ok" : "not ok", ++n,
                 each->name, inputs->len);
      }
  dprintf (report, "1..%d\n", n);
  return 0;
}
