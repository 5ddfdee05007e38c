/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "words.h"

#include "pipeline/base/error.h"
#include "pipeline/base/process/named-files.h"
#include "pipeline/base/shown-text.h"

#include <string.h>

#define MOST_NAMES 12 /* that a message lists */

static void
add_name (GString *list, guint *n, const char *name)
{
  if ((*n)++ < MOST_NAMES)
    g_string_append_printf (list, "%s%s", *n > 1 ? ", " : "", name);
}

/* FALSE and ERROR where LIST has names, N of them; WHAT says what is wrong with them. */
static gboolean
check_none (const char *path, const char *what, const GString *list, guint n, GError **error)
{
  g_autofree char *shown = sl_shown (list->str, list->len);
  g_autofree char *more
      = n > MOST_NAMES ? g_strdup_printf (", and %u more", n - MOST_NAMES) : g_strdup ("");
  return n == 0 || sl_error_bad_input (error, "--language: %s: %s: %s%s", path, what, shown, more);
}

/* Whether each {name} in TEXT is in ENGLISH, too. */
static gboolean
places_fit (const char *text, const char *english)
{
  const char *end;
  for (const char *at = strchr (text, '{'); at != NULL; at = strchr (end, '{'))
    {
      end = strchr (at, '}');
      if (end == NULL)
        return FALSE;
      g_autofree char *place = g_strndup (at, (gsize) (end - at) + 1);
      if (strstr (english, place) == NULL)
        return FALSE;
    }
  return TRUE;
}

/* Whether WORDS have the names of ENGLISH, each with a text. */
static gboolean
check_names (const SlWords *words, SlJson english, const char *path, GError **error)
{
  g_autoptr (GString) missing = g_string_new (NULL), unknown = g_string_new (NULL),
                      misplaced = g_string_new (NULL);
  guint n_missing = 0, n_unknown = 0, n_misplaced = 0;
  for (SlJsonEach each = sl_json_each (english); sl_json_each_next (&each);)
    {
      const char *text = sl_words_get (words, each.key.text);
      if (text == NULL || *text == '\0')
        add_name (missing, &n_missing, each.key.text);
      else if (!places_fit (text, sl_json_c_str (each.value)))
        add_name (misplaced, &n_misplaced, each.key.text);
    }
  for (SlJsonEach each = sl_json_each (words->all); sl_json_each_next (&each);)
    if (sl_json_type (sl_json_get (english, each.key.text)) == SL_JSON_ABSENT)
      add_name (unknown, &n_unknown, each.key.text);
  return check_none (path, "texts are missing", missing, n_missing, error)
         && check_none (path, "these are no texts of the page", unknown, n_unknown, error)
         && check_none (path, "a {place} in these is none of the English text", misplaced,
                        n_misplaced, error);
}

static gboolean
check_language (const SlWords *words, const char *path, GError **error)
{
  const char *lang = sl_words_get (words, "lang"), *dir = sl_words_get (words, "dir");
  for (const char *at = lang; *at != '\0'; at++)
    if (!g_ascii_isalnum (*at) && *at != '-')
      return sl_error_bad_input (error, "--language: %s: lang is no name of a language such as de",
                                 path);
  return strcmp (dir, "ltr") == 0 || strcmp (dir, "rtl") == 0
         || sl_error_bad_input (error, "--language: %s: dir is neither ltr nor rtl", path);
}

/* TEXT[n] with what a parser wants behind it. */
static const char *
parse (SlJsonParser *parser, const char *text, gsize n, SlJson *value)
{
  return sl_json_parse_cell (parser, (SlCell){ text, n }, value);
}

gboolean
sl_words_init (SlWords *words, GBytes *own, const char *path, GError **error)
{
  gsize n;
  SlJson english;
  const char *text = g_bytes_get_data (own, &n), *wrong;
  words->english_parser = sl_json_parser_new ();
  words->parser = sl_json_parser_new ();
  wrong = parse (words->english_parser, text, n, &english);
  g_assert (wrong == NULL);
  words->all = english;
  if (path == NULL)
    return TRUE;
  g_autoptr (GError) problem = NULL;
  g_autofree char *read = NULL;
  if (!sl_named_file_read (path, &read, &n, &problem))
    return sl_error_runtime (error, "--language: %s: cannot be read: %s", path, problem->message);
  wrong = parse (words->parser, read, n, &words->all);
  if (wrong == NULL && sl_json_type (words->all) != SL_JSON_OBJECT)
    wrong = "no object of names and texts";
  if (wrong != NULL)
    return sl_error_bad_input (error, "--language: %s: %s", path, wrong);
  return check_names (words, english, path, error) && check_language (words, path, error);
}

void
sl_words_clear (SlWords *words)
{
  g_clear_pointer (&words->parser, sl_json_parser_free);
  g_clear_pointer (&words->english_parser, sl_json_parser_free);
}

const char *
sl_words_get (const SlWords *words, const char *name)
{
  return sl_json_c_str (sl_json_get (words->all, name));
}
