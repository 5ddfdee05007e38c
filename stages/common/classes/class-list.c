/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "class-list.h"

#include "pipeline/base/error.h"
#include "pipeline/base/shown-text.h"
#include "pipeline/text/source.h"

#include <string.h>

enum
{
  MAX_LIST_BYTES = 1 << 24,
};

/* CLASSES are of OPTION, or of FILE where it is not NULL. */
static gboolean
check_list (char **classes, const char *option, const char *file, GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  const char *wrong = NULL;
  g_autofree char *shown = NULL;
  for (char **name = classes; wrong == NULL && *name != NULL; name++)
    {
      g_free (shown);
      shown = sl_shown (*name, strlen (*name));
      wrong = **name == '\0'                              ? "has no name"
              : !g_utf8_validate (*name, -1, NULL)        ? "is not UTF-8"
              : !g_hash_table_add (seen, *name)           ? "is there twice"
              : g_hash_table_size (seen) > SL_MAX_CLASSES ? "is one too many: at most 65536"
                                                          : NULL;
    }
  if (wrong == NULL)
    return TRUE;
  if (file == NULL)
    return sl_error_usage (error, "--%s: class '%s' %s", option, shown, wrong);
  g_autofree char *name = g_filename_display_name (file);
  return sl_error_bad_input (error, "--classes-from: %s: class '%s' %s",
                             strcmp (file, "-") == 0 ? "standard input" : name, shown, wrong);
}

/* The text of PATH, and its length. */
static char *
read_text (const char *path, gsize *n, GError **error)
{
  g_autoptr (SlSource) source = sl_source_open (path, error);
  g_autofree char *text = g_malloc (MAX_LIST_BYTES + 1);
  if (source == NULL || !sl_source_read (source, text, MAX_LIST_BYTES, n, error))
    {
      g_prefix_error (error, "--classes-from: ");
      return NULL;
    }
  text[*n] = '\0';
  const char *wrong = *n == 0                ? "is empty"
                      : *n == MAX_LIST_BYTES ? "is too large"
                      : strlen (text) < *n   ? "is not text"
                                             : NULL;
  if (wrong == NULL)
    return g_steal_pointer (&text);
  sl_error_bad_input (error, "--classes-from: %s: %s", source->name, wrong);
  return NULL;
}

static char **
read_lines (const char *path, GError **error)
{
  gsize n;
  g_autofree char *text = read_text (path, &n, error);
  if (text == NULL)
    return NULL;
  const char *start = g_str_has_prefix (text, "\xef\xbb\xbf") ? text + 3 : text;
  while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == '\r'))
    text[--n] = '\0';
  /* An empty file is one class without a name. */
  char **lines = g_strsplit (*start == '\0' ? "\n" : start, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    if (g_str_has_suffix (*line, "\r"))
      (*line)[strlen (*line) - 1] = '\0';
  return lines;
}

char **
sl_classes_listed (const char *option, const char *list, GError **error)
{
  g_auto (GStrv) names = g_strsplit (list, ",", -1);
  for (char **name = names; *name != NULL; name++)
    g_strstrip (*name);
  return check_list (names, option, NULL, error) ? g_steal_pointer (&names) : NULL;
}

gboolean
sl_classes_given (const char *list, const char *file, char ***classes, GError **error)
{
  *classes = NULL;
  if (list == NULL && file == NULL)
    return TRUE;
  if (list != NULL)
    return (*classes = sl_classes_listed ("classes", list, error)) != NULL;
  g_auto (GStrv) names = read_lines (file, error);
  if (names == NULL || !check_list (names, NULL, file, error))
    return FALSE;
  *classes = g_steal_pointer (&names);
  return TRUE;
}

SlIntern *
sl_classes_intern (char *const *classes)
{
  SlIntern *intern = sl_intern_new ();
  for (; *classes != NULL; classes++)
    sl_intern (intern, *classes, strlen (*classes));
  return intern;
}

SlFolded *
sl_folded_new (char *const *classes, gboolean is_file, GError **error)
{
  g_autoptr (SlFolded) folded = g_new0 (SlFolded, 1);
  folded->folded = sl_intern_new ();
  folded->names = g_ptr_array_new_with_free_func (g_free);
  for (gint32 i = 0; classes != NULL && classes[i] != NULL; i++)
    if (sl_folded_code (folded, classes[i], TRUE) != i)
      {
        g_set_error (error, SL_ERROR, is_file ? SL_ERROR_INPUT : SL_ERROR_USAGE,
                     "%s: class '%s' is there twice: upper and lower case do not matter here",
                     is_file ? "--classes-from" : "--classes", classes[i]);
        return NULL;
      }
  return g_steal_pointer (&folded);
}

void
sl_folded_free (SlFolded *folded)
{
  sl_intern_free (folded->folded);
  g_ptr_array_unref (folded->names);
  g_free (folded);
}

gint32
sl_folded_code (SlFolded *folded, const char *name, gboolean learn)
{
  g_autofree char *key = g_utf8_casefold (name, -1);
  gint32 code = sl_intern_find (folded->folded, key, strlen (key));
  if (code >= 0 || !learn)
    return code;
  g_ptr_array_add (folded->names, g_strdup (name));
  return sl_intern (folded->folded, key, strlen (key));
}
