/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "text-reader.h"

#include <sys/stat.h>
#include <unistd.h>

static const char *const text_programs[]
    = { "less", "more", "most", "head", "tail", "grep",   "sed", "awk",
        "gawk", "mawk", "cut",  "sort", "uniq", "column", "jq",  NULL };

/* Whether PROCESS reads what is written to PIPE. */
static gboolean
reads (const char *process, const struct stat *pipe)
{
  struct stat info;
  g_autofree char *input = g_build_filename ("/proc", process, "fd", "0", NULL);
  return g_ascii_isdigit (process[0]) && stat (input, &info) == 0 && info.st_ino == pipe->st_ino
         && info.st_dev == pipe->st_dev;
}

char *
sl_text_reader (void)
{
  struct stat pipe;
  if (!isatty (STDERR_FILENO) || fstat (STDOUT_FILENO, &pipe) != 0 || !S_ISFIFO (pipe.st_mode))
    return NULL;
  g_autoptr (GDir) processes = g_dir_open ("/proc", 0, NULL);
  const char *process = NULL;
  while (processes != NULL && (process = g_dir_read_name (processes)) != NULL)
    if (reads (process, &pipe))
      break;
  g_autofree char *file = g_build_filename ("/proc", process != NULL ? process : "", "comm", NULL);
  g_autofree char *name = NULL;
  if (process == NULL || !g_file_get_contents (file, &name, NULL, NULL)
      || !g_strv_contains (text_programs, g_strchomp (name)))
    return NULL;
  return g_steal_pointer (&name);
}
