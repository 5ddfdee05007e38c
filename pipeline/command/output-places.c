/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the outputs beside the main one may go. The main output may replace an input: that was read
 * to its end by then, and the new table stands for the old one. A report or rejected rows that
 * replaced an input would only destroy it, so that is refused; so would a table that replaced what
 * was collected, which is no table. */
#include "run-private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* PATH without links, also where the file is not there yet. */
static char *
resolve (const char *path)
{
  char *whole = realpath (path, NULL);
  if (whole != NULL)
    return whole;
  g_autofree char *target = sl_output_target (path);
  const char *last = target != NULL ? target : path; /* links in a circle lead nowhere */
  g_autofree char *folder = g_path_get_dirname (last);
  g_autofree char *base = g_path_get_basename (last);
  g_autofree char *real = realpath (folder, NULL);
  return g_build_filename (real != NULL ? real : folder, base, NULL);
}

static gboolean
is_at (int fd, const struct stat *info)
{
  struct stat other;
  return fstat (fd, &other) == 0 && info->st_dev == other.st_dev && info->st_ino == other.st_ino;
}

static gboolean
leads_to (const char *path, const char *place)
{
  if (path == NULL || strcmp (path, "-") == 0)
    return FALSE;
  g_autofree char *whole = resolve (path);
  return strcmp (whole, place) == 0;
}

static gboolean
is_input (const SlRun *run, const char *place)
{
  for (char **file = run->files; *file != NULL; file++)
    if (leads_to (*file, place))
      return TRUE;
  for (const SlOption *option = run->command->options; option != NULL && option->name != NULL;
       option++)
    for (gsize i = 0; sl_option_input (run->options, option, i) != NULL; i++)
      if (leads_to (sl_option_input (run->options, option, i), place))
        return TRUE;
  return FALSE;
}

static gboolean
refuse (const SlOption *option, const char *path, const char *what, GError **error)
{
  g_autofree char *shown = g_filename_display_name (path);
  return sl_error_usage (error, "%s: %s; --%s needs a %s of its own",
                         strcmp (path, "-") == 0 ? "standard output" : shown, what, option->name,
                         option->is_folder ? "folder" : "file");
}

/* Whether one of PLACES lies in the folder PLACE. */
static gboolean
holds_one (const char *place, GHashTable *places)
{
  GHashTableIter iter;
  gpointer other;
  gsize n = strlen (place);
  g_hash_table_iter_init (&iter, places);
  while (g_hash_table_iter_next (&iter, &other, NULL))
    if (g_str_has_prefix (other, place) && ((char *) other)[n] == '/')
      return TRUE;
  return FALSE;
}

/* PLACES: of the outputs so far, by file without links; OPTION's is added. A device takes what
 * comes. */
static gboolean
check_place (const SlRun *run, const SlOption *option, const char *path, GHashTable *places,
             GError **error)
{
  gboolean to_stdout
      = sl_run_common (run)->output == NULL || strcmp (sl_run_common (run)->output, "-") == 0;
  struct stat info;
  gboolean there = stat (path, &info) == 0;
  if (there && S_ISCHR (info.st_mode))
    return TRUE;
  g_autofree char *place = resolve (path);
  if (option->is_folder && (strcmp (path, "-") == 0 || holds_one (place, places)))
    return refuse (option, path, *path == '-' ? "it is no folder" : "another output lies in it",
                   error);
  if (is_input (run, place) || (there && S_ISREG (info.st_mode) && is_at (STDIN_FILENO, &info)))
    return refuse (option, path, "it is an input", error);
  if (strcmp (path, "-") == 0 || (to_stdout && there && is_at (STDOUT_FILENO, &info))
      || !g_hash_table_add (places, g_steal_pointer (&place)))
    return refuse (option, path, "another output goes there", error);
  return TRUE;
}

/* They are opened when there is something to write, which may be hours later. */
static gboolean
check_side (const SlRun *run, const SlOption *option, GHashTable *places, GError **error)
{
  const char *path = sl_option_path (run->options, option);
  return path == NULL
         || (check_place (run, option, path, places, error)
             && (option->is_folder || sl_output_check (path, error)));
}

gboolean
sl_run_check_sides (const SlRun *run, GError **error)
{
  g_autoptr (GHashTable) places = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  const char *output = sl_run_common (run)->output;
  if (output != NULL && strcmp (output, "-") != 0)
    {
      g_autofree char *place = resolve (output);
      if (run->command->flags & SL_COMMAND_SOURCES && is_input (run, place))
        return sl_error_usage (error,
                               "-o %s: it is an input, and what was collected cannot be made of "
                               "the table again; name another file",
                               output);
      g_hash_table_add (places, g_steal_pointer (&place));
    }
  const SlOption *option = run->command->options;
  for (; option != NULL && option->name != NULL; option++)
    if (option->kind == SL_OPTION_OUTPUT && !check_side (run, option, places, error))
      return FALSE;
  return TRUE;
}

gboolean
sl_run_check_logs (const SlRun *run, GError **error)
{
  g_autoptr (GHashTable) places = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  const char *output = sl_run_common (run)->output;
  if (output != NULL && strcmp (output, "-") != 0)
    g_hash_table_add (places, resolve (output));
  const SlOption *option = run->command->options;
  for (; option != NULL && option->name != NULL; option++)
    if (option->kind == SL_OPTION_OUTPUT && sl_option_path (run->options, option) != NULL)
      g_hash_table_add (places, resolve (sl_option_path (run->options, option)));
  for (option = sl_common_options; option->name != NULL; option++)
    {
      const char *path = strcmp (option->name, "run-log") == 0 ? sl_run_log_path (run)
                         : strcmp (option->name, "run-metrics") == 0
                             ? sl_run_common (run)->run_metrics
                             : NULL;
      if (path != NULL && !check_place (run, option, path, places, error))
        return FALSE;
    }
  return TRUE;
}
