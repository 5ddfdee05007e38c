/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --sandbox: a run opens what its command line names, and no more. */
#include "run-private.h"

#include "pipeline/base/sandbox.h"

#include <string.h>

const char *const sl_sandbox_names[] = { "auto", "on", "off", NULL };

enum
{
  AUTO,
  ON,
  OFF
};

static int
how_of (const SlRun *run)
{
  const char *set = g_getenv ("SOFTLABEL_SANDBOX");
  if (sl_option_given (run->common, "sandbox") || set == NULL)
    return sl_run_common (run)->sandbox;
  return strcmp (set, "on") == 0 ? ON : strcmp (set, "off") == 0 ? OFF : AUTO;
}

static void
let_write (SlSandbox *sandbox, const char *path)
{
  if (path != NULL && strcmp (path, "-") != 0)
    sl_sandbox_let_write (sandbox, path);
}

static void
let_options (SlSandbox *sandbox, const SlOptions *options)
{
  const SlOption *option = options->table;
  for (; option != NULL && option->name != NULL; option++)
    {
      for (gsize i = 0; sl_option_input (options, option, i) != NULL; i++)
        sl_sandbox_let_read (sandbox, sl_option_input (options, option, i));
      if (option->kind == SL_OPTION_OUTPUT)
        let_write (sandbox, sl_option_path (options, option));
    }
}

gboolean
sl_run_enter_sandbox (const SlRun *run, GError **error)
{
  int how = how_of (run);
  /* A command line within the command line names files of its own. */
  if (how == OFF || (how == AUTO && run->command->flags & SL_COMMAND_WORDS))
    return TRUE;
  g_autoptr (SlSandbox) sandbox = sl_sandbox_new ();
  if (sandbox != NULL)
    {
      const char *cache = sl_run_cache_folder (run);
      for (char **file = run->files; *file != NULL; file++)
        sl_sandbox_let_read (sandbox, *file);
      let_options (sandbox, run->options);
      let_write (sandbox, sl_run_common (run)->output);
      if (cache != NULL)
        (g_file_test (cache, G_FILE_TEST_IS_DIR) ? sl_sandbox_let_keep
                                                 : sl_sandbox_let_write) (sandbox, cache);
      if (sl_sandbox_enter (sandbox))
        return TRUE;
    }
  if (how == AUTO)
    return TRUE;
  g_set_error_literal (error, SL_ERROR, SL_ERROR_RUNTIME,
                       "--sandbox on: this kernel has no Landlock, or does not let it be used; "
                       "Linux has it from 5.13 on");
  return FALSE;
}
