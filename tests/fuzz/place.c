/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folder where harnesses work, and the files in it. */
#include "pipeline/arrow/threads.h"
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <gsl/gsl_errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Files that lines name. */
static const struct
{
  const char *name, *text;
} companions[] = {
  { "votes.csv",
    "item,annotator,class,gold\na,x,cat,cat\na,y,dog,cat\nb,x,dog,dog\nb,y,dog,dog\n" },
  { "plain.csv", "item,annotator,class\na,x,cat\na,y,dog\n" },
  { "classes.txt", "cat\ndog\n" },
  { "features.csv", "item,a,b,gold\na,0.5,1,cat\nb,2,3,dog\n" },
  { "predictions.csv", "item,cat,dog\na,0.25,0.75\nb,1,0\n" },
  { "bare.csv", "cat,dog\n1,0\n0,1\n" },
  { "survey.csv", "trial_type,img_id,response\nsurvey-html-form,1,\"{\"\"classSelect\"\":"
                  "\"\"mostProbcat\"\",\"\"prob\"\":\"\"8p\"\"}\"\n" },
};

static const char *const made[] = {
  "ingest --from long votes.csv -o votes.arrows",
  "redistribute votes.arrows -o labels.arrows",
  "ingest --from table features.csv -o features.arrows",
  "ingest --from predictions predictions.csv -o predictions.arrows",
};

/* Folders that lines name. */
#define FOLDERS "worker-response/iteration-1/0"

static int spoken = -1; /* standard error as it was */
static char *folder;

/* Where there is a sanitizer, its reports go where they can be seen. */
extern void __sanitizer_set_report_fd (void *fd) __attribute__ ((weak));

int
sl_fuzz_spoken (void)
{
  return spoken;
}

void
sl_fuzz_fail (const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  dprintf (spoken, "broken promise: %s\n", text);
  abort ();
}

/* What GLib has to say is no message of a command. */
static void
say (const char *text)
{
  (void) !write (spoken, text, strlen (text));
}

static void
on_log (const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
  (void) data;
  if (level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING))
    dprintf (spoken, "%s: %s\n", domain != NULL ? domain : "", message);
  if (level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL))
    abort ();
}

void
sl_fuzz_write (const char *name, const guint8 *data, gsize size)
{
  int fd = open (name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  gsize done = 0;
  while (fd >= 0 && done < size)
    {
      gssize n = write (fd, data + done, size - done);
      if (n < 0)
        break;
      done += (gsize) n;
    }
  if (fd < 0 || done < size || close (fd) != 0)
    sl_fuzz_fail ("%s cannot be written: %s", name, g_strerror (errno));
}

static int
remove_one (const char *path, const struct stat *info, int kind, struct FTW *at)
{
  (void) info, (void) kind, (void) at;
  return remove (path);
}

static void
remove_folder (void)
{
  (void) nftw (folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* In memory, where there is a place for it. */
static void
enter_folder (void)
{
  const char *given = g_getenv ("SOFTLABEL_FUZZ_FOLDER");
  const char *parent = given != NULL                    ? given
                       : access ("/dev/shm", W_OK) == 0 ? "/dev/shm"
                                                        : g_get_tmp_dir ();
  folder = g_build_filename (parent, "softlabel-fuzz-XXXXXX", NULL);
  if (g_mkdtemp (folder) == NULL || chdir (folder) != 0)
    sl_fuzz_fail ("%s cannot be entered: %s", folder, g_strerror (errno));
  (void) atexit (remove_folder);
}

void
sl_fuzz_init (void)
{
  spoken = fcntl (STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  if (__sanitizer_set_report_fd != NULL)
    __sanitizer_set_report_fd (GINT_TO_POINTER (spoken));
  (void) g_log_set_default_handler (on_log, NULL);
  (void) g_set_printerr_handler (say);
  /* It is for good, and one process runs many stages. */
  (void) g_setenv ("SOFTLABEL_SANDBOX", "off", TRUE);
  (void) g_setenv ("ARROW_DEFAULT_MEMORY_POOL", "system", FALSE);
  sl_arrow_init ();
  (void) signal (SIGPIPE, SIG_IGN);
  (void) gsl_set_error_handler_off ();
  enter_folder ();
  if (g_mkdir_with_parents (FOLDERS, 0700) != 0)
    sl_fuzz_fail ("%s cannot be made: %s", FOLDERS, g_strerror (errno));
  for (guint i = 0; i < G_N_ELEMENTS (companions); i++)
    sl_fuzz_write (companions[i].name, (const guint8 *) companions[i].text,
                   strlen (companions[i].text));
  for (guint i = 0; i < G_N_ELEMENTS (made); i++)
    if (sl_fuzz_run (made[i], NULL, 0) != 0)
      sl_fuzz_fail ("%s: failed", made[i]);
}

void
sl_fuzz_keep (const char *path, const char *name)
{
  if (rename (path, name) != 0)
    sl_fuzz_fail ("%s cannot become %s: %s", path, name, g_strerror (errno));
}

void
sl_fuzz_expect_same (const char *path, const char *other)
{
  g_autofree char *a = NULL, *b = NULL;
  gsize n_a = 0, n_b = 0;
  if (!g_file_get_contents (path, &a, &n_a, NULL) || !g_file_get_contents (other, &b, &n_b, NULL))
    sl_fuzz_fail ("%s or %s is not there", path, other);
  if (n_a != n_b || memcmp (a, b, n_a) != 0)
    sl_fuzz_fail ("%s and %s differ", path, other);
}
