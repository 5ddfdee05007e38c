/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "class-search.h"

#include "pipeline/base/shown-text.h"
#include "stages/common/classes/class-list.h"
#include "stages/common/classes/look-alikes.h"

#include <string.h>

#define MOST_NAMES 8 /* that a warning lists */

void
sl_class_search_init (SlClassSearch *search, char *const *classes, gboolean ignore_case)
{
  search->known = classes != NULL ? sl_classes_intern (classes) : NULL;
  search->found = sl_intern_new ();
  search->answered = g_array_new (FALSE, TRUE, sizeof (gboolean));
  search->folded
      = ignore_case ? g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) : NULL;
}

void
sl_class_search_clear (SlClassSearch *search)
{
  g_clear_pointer (&search->known, sl_intern_free);
  g_clear_pointer (&search->found, sl_intern_free);
  g_clear_pointer (&search->answered, g_array_unref);
  g_clear_pointer (&search->folded, g_hash_table_unref);
}

gboolean
sl_class_search_add (SlClassSearch *search, const SlCoder *coder, GArray *map, gboolean answered)
{
  guint before = map->len;
  gboolean few = sl_coder_merge (coder, search->found, search->folded, map);
  g_array_set_size (search->answered, (guint) sl_intern_size (search->found));
  for (guint i = before; answered && i < map->len; i++)
    g_array_index (search->answered, gboolean, g_array_index (map, gint32, i)) = TRUE;
  return few;
}

char **
sl_class_search_end (SlClassSearch *search, gint32 *place, SlRun *run)
{
  gint32 n = sl_intern_size (search->found);
  char **classes = sl_classes_sorted (search->found, place);
  g_autofree gboolean *answered = g_new0 (gboolean, n + 1);
  for (gint32 i = 0; i < n; i++)
    answered[place[i]] = g_array_index (search->answered, gboolean, i);
  sl_classes_warn (classes, answered, run);
  search->known = sl_classes_intern (classes);
  return classes;
}

/* Lists the classes that PICKED marks, for a message; NULL where it marks none. */
static char *
list_classes (char *const *classes, const gboolean *picked)
{
  g_autoptr (GString) text = g_string_new (NULL);
  int n = 0;
  for (int i = 0; classes[i] != NULL; i++)
    {
      if (!picked[i] || n++ >= MOST_NAMES)
        continue;
      g_autofree char *shown = sl_shown (classes[i], strlen (classes[i]));
      g_string_append_printf (text, "%s'%s'", n > 1 ? ", " : "", shown);
    }
  if (n > MOST_NAMES)
    g_string_append_printf (text, ", and %d more", n - MOST_NAMES);
  return n > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}

void
sl_classes_warn (char *const *classes, const gboolean *answered, SlRun *run)
{
  guint n = g_strv_length ((char **) classes);
  const char *first = NULL, *second = NULL;
  g_autofree gboolean *alike = g_new0 (gboolean, n + 1), *picked = g_new0 (gboolean, n + 1);
  g_autofree char *groups = sl_look_alikes (classes, &first, &second, alike);
  if (groups != NULL)
    {
      g_autofree char *from = sl_shown (second, strlen (second)),
                      *to = sl_shown (first, strlen (first));
      sl_run_warn (run, "classes that look alike: %s (--rename-class '%s=%s' makes them one)",
                   groups, from, to);
    }
  for (guint i = 0; i < n; i++)
    picked[i] = sl_looks_missing (classes[i]);
  g_autofree char *missing = list_classes (classes, picked);
  if (missing != NULL)
    sl_run_warn (run, "classes that may stand for no answer: %s (--na TEXT leaves them out)",
                 missing);
  for (guint i = 0; i < n; i++)
    picked[i] = !answered[i] && !alike[i];
  g_autofree char *unanswered = list_classes (classes, picked);
  if (unanswered != NULL)
    sl_run_warn (run,
                 "gold classes that nobody answered: %s; the table has them as classes all the "
                 "same (--rename-class OLD=NEW, if they are other names of answers)",
                 unanswered);
}
