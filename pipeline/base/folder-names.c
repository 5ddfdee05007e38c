/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "folder-names.h"

#include "error.h"

#include <string.h>

GPtrArray *
sl_folder_names (const char *folder, const char *left_out, GError **error)
{
  g_autoptr (GError) problem = NULL;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, &problem);
  if (dir == NULL)
    {
      g_autofree char *shown = g_filename_display_name (folder);
      sl_error_runtime (error, "%s: cannot be read: %s", shown, problem->message);
      return NULL;
    }
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    if (strchr (left_out, name[0]) == NULL)
      g_ptr_array_add (names, g_strdup (name));
  return names;
}
