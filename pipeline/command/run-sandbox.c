/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --sandbox: a run opens what its command line names, and no more. */
#include "pipeline/base/process/named-files.h"
#include "pipeline/base/process/sandbox.h"
#include "pipeline/files/cache-entry.h"
#include "pipeline/text/zip.h"
#include "run-private.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const sl_sandbox_names[] = { "auto", "on", "off", NULL };

enum
{
  AUTO,
  ON,
  OFF
};

/* Whether another program writes to standard input at the same time. */
static gboolean
is_in_pipeline (void)
{
  struct stat info;
  return fstat (STDIN_FILENO, &info) == 0 && (S_ISFIFO (info.st_mode) || S_ISSOCK (info.st_mode));
}

static void
allow_read (SlSandbox *sandbox, const char *path)
{
  if (strcmp (path, "-") == 0)
    return;
  g_autofree char *archive = sl_zip_archive_of (path);
  const char *file = archive != NULL ? archive : path;
  /* The stage before may make it only now, or put another file into its place: it is opened late,
   * by its name. Else it is what it is now, whatever is put into its place. */
  gboolean late = is_in_pipeline ();
  int fd = sl_named_file_hold (file, late);
  if (fd >= 0)
    sl_sandbox_allow_read_open (sandbox, fd);
  else
    sl_sandbox_allow_read (sandbox, file, TRUE);
  g_autofree char *folder = g_path_get_dirname (path);
  if (late)
    sl_sandbox_allow_read (sandbox, folder, FALSE);
}

static void
allow_write (SlSandbox *sandbox, const char *path)
{
  g_autofree char *target
      = path != NULL && strcmp (path, "-") != 0 ? sl_output_target (path) : NULL;
  struct stat info;
  if (target == NULL)
    return;
  if (stat (target, &info) == 0 && !S_ISREG (info.st_mode) && !S_ISDIR (info.st_mode))
    {
      sl_sandbox_allow_write (sandbox, target);
      return;
    }
  for (gsize n = strlen (target); n > 1 && target[n - 1] == '/'; n--)
    target[n - 1] = '\0';
  g_autofree char *folder = g_path_get_dirname (target);
  sl_sandbox_allow_changes (sandbox, folder);
}

static void
allow_options (SlSandbox *sandbox, const SlOptions *options)
{
  const SlOption *option = options->table;
  for (; option != NULL && option->name != NULL; option++)
    {
      const char *path;
      for (gsize i = 0; (path = sl_option_input (options, option, i)) != NULL; i++)
        if (g_strcmp0 (path, option->by_itself) != 0)
          allow_read (sandbox, path);
      if (option->kind == SL_OPTION_OUTPUT)
        allow_write (sandbox, sl_option_path (options, option));
    }
}

static gboolean
mode_of (const SlRun *run, int *mode, GError **error)
{
  const char *set = g_getenv ("SOFTLABEL_SANDBOX");
  *mode = sl_run_common (run)->sandbox;
  if (sl_option_given (run->common, "sandbox") || set == NULL || *set == '\0')
    return TRUE;
  for (*mode = AUTO; *mode <= OFF; ++*mode)
    if (strcmp (set, sl_sandbox_names[*mode]) == 0)
      return TRUE;
  return sl_error_usage (error, "SOFTLABEL_SANDBOX is '%s', which is none of auto, on, off", set);
}

/* What is opened by a name that the command line does not have is opened, or made, before. */
static gboolean
prepare (const SlRun *run, const char *cache, GError **error)
{
  if (run->command->load != NULL)
    (void) run->command->load ();
  return cache == NULL || sl_command_prints (run->command) || sl_cache_folder (cache, TRUE, error);
}

gboolean
sl_run_enter_sandbox (const SlRun *run, GError **error)
{
  int mode;
  if (!mode_of (run, &mode, error))
    return FALSE;
  /* A command line within the command line names files of its own. */
  if (mode == OFF || (mode == AUTO && run->command->flags & SL_COMMAND_WORDS))
    return TRUE;
  g_autoptr (SlSandbox) sandbox = sl_sandbox_new ();
  if (sandbox != NULL)
    {
      const char *cache = sl_run_cache_folder (run);
      if (!prepare (run, cache, error))
        return FALSE;
      for (char **file = run->files; *file != NULL; file++)
        allow_read (sandbox, *file);
      char *const *folder
          = run->command->library_folders != NULL ? run->command->library_folders () : NULL;
      for (; folder != NULL && *folder != NULL; folder++)
        sl_sandbox_allow_read (sandbox, *folder, TRUE);
      allow_options (sandbox, run->options);
      allow_write (sandbox, sl_run_common (run)->output);
      allow_write (sandbox, sl_run_common (run)->run_metrics);
      if (cache != NULL)
        sl_sandbox_allow_changes (sandbox, cache);
      if (sl_sandbox_enter (sandbox))
        return TRUE;
    }
  if (mode == AUTO)
    return TRUE;
  g_set_error_literal (error, SL_ERROR, SL_ERROR_RUNTIME,
                       "--sandbox on: this kernel has no Landlock, or does not let it be used; "
                       "Linux has it from 5.13 on");
  return FALSE;
}
