/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each test in a folder of its own, for tests of files. */
#pragma once

#include "arrays.h"

#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char *folder; /* the current one of each test; empty at first */

static int
setup (void **state)
{
  (void) state;
  folder = g_dir_make_tmp ("softlabel-XXXXXX", NULL);
  umask (022);
  return folder != NULL && chdir (folder) == 0 ? 0 : 1;
}

static int
teardown (void **state)
{
  (void) state;
  g_autofree char *command = g_strdup_printf ("chmod -R u+rwX '%s'; rm -rf '%s'", folder, folder);
  int failed = chdir ("/") != 0 || system (command) != 0;
  g_clear_pointer (&folder, g_free);
  return failed;
}

G_GNUC_UNUSED static void
put (const char *name, const char *text)
{
  g_autoptr (GError) error = NULL;
  if (!g_file_set_contents (name, text, -1, &error))
    fail_msg ("%s", error->message);
}
