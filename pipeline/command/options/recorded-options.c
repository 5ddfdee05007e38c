/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recorded-options.h"

#include "pipeline/base/json.h"
#include "pipeline/command/commands.h"
#include "pipeline/command/provenance.h"
#include "option-scope.h"

#include <string.h>

/* Options as a history records them. */

static void
append_all (GString *json, char *const *texts, void (*append) (GString *json, const char *text))
{
  g_string_append_c (json, '[');
  for (char *const *text = texts; text != NULL && *text != NULL; text++)
    {
      if (text != texts)
        g_string_append_c (json, ',');
      append (json, *text);
    }
  g_string_append_c (json, ']');
}

static void
append_text_json (GString *json, const char *text)
{
  sl_json_string (json, text, -1);
}

void
sl_option_to_json (const SlOption *option, gconstpointer value, GString *json)
{
  switch (option->kind)
    {
    case SL_OPTION_FLAG:
      g_string_append (json, *(gboolean *) value ? "true" : "false");
      return;
    case SL_OPTION_INTEGER:
    case SL_OPTION_SIZE:
      g_string_append_printf (json, "%" G_GINT64_FORMAT, *(gint64 *) value);
      return;
    case SL_OPTION_REAL:
      sl_json_real (json, *(double *) value);
      return;
    case SL_OPTION_CHOICE:
      /* A required choice that has not been made. */
      if (*(int *) value < 0)
        g_string_append (json, "null");
      else
        sl_json_string (json, option->choices[*(int *) value], -1);
      return;
    case SL_OPTION_TEXTS:
      append_all (json, *(char ***) value, append_text_json);
      return;
    case SL_OPTION_INPUTS:
      append_all (json, *(char ***) value, sl_provenance_append_path);
      return;
    case SL_OPTION_OUTPUT:
      g_string_append (json, "true");
      return;
    case SL_OPTION_TEXT:
    case SL_OPTION_INPUT:
      if (*(char **) value == NULL)
        g_string_append (json, "null");
      else
        (option->kind == SL_OPTION_TEXT ? append_text_json
                                        : sl_provenance_append_path) (json, *(char **) value);
      return;
    }
}

/* Whether OPTION goes only with choices, of the option that decides it, that make another kind of
 * table than the one chosen. */
static gboolean
is_of_other_kind (const SlOptions *options, const SlOption *option)
{
  const SlOption *deciding = option->with != NULL && option->of != 0
                                 ? sl_option_find (options->table, option->with)
                                 : NULL;
  if (deciding == NULL || deciding->makes == NULL)
    return FALSE;
  int chosen = *(const int *) sl_option_field (deciding, options->values);
  for (int i = 0; chosen >= 0 && deciding->choices[i] != NULL; i++)
    if (deciding->makes[i] == deciding->makes[chosen] && sl_option_goes_with (option, deciding, i))
      return FALSE;
  return chosen >= 0;
}

static gboolean
is_recorded (const SlOption *option, gconstpointer value)
{
  if (option->kind == SL_OPTION_OUTPUT)
    return option->shapes_output && *(char **) value != NULL;
  return !option->unrecorded;
}

char *
sl_options_to_json (const SlOptions *options)
{
  GString *json = g_string_new ("{");
  for (const SlOption *option = options->table; option != NULL && option->name != NULL; option++)
    {
      gconstpointer value = sl_option_field (option, options->values);
      if (!is_recorded (option, value) || is_of_other_kind (options, option))
        continue;
      sl_json_member (json, option->name);
      sl_option_to_json (option, value, json);
    }
  g_string_append_c (json, '}');
  return g_string_free (json, FALSE);
}

gboolean
sl_recorded_is_default (SlJson defaults, const char *name, SlJson value)
{
  SlJson usual = sl_json_get (defaults, name);
  return sl_json_type (usual) != SL_JSON_ABSENT && sl_json_equal (usual, value);
}

/* The option of VERB; NULL where there is none. */
static const SlOption *
find_option (const char *verb, const char *name)
{
  const SlCommand *command = sl_command_by_name (verb);
  for (const SlOption *option = command != NULL ? command->options : NULL;
       option != NULL && option->name != NULL; option++)
    if (strcmp (option->name, name) == 0)
      return option;
  return NULL;
}

char *
sl_recorded_text (SlJson value)
{
  char room[SL_JSON_ROOM];
  SlCell text = sl_json_scalar (value, room);
  if (text.text == NULL || sl_json_type (value) == SL_JSON_BOOL)
    return NULL;
  if (!sl_json_is_real (value))
    return g_strndup (text.text, text.n);
  double real = sl_json_number (value);
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  for (int precision = 15; precision <= 17; precision++)
    {
      char format[8];
      g_snprintf (format, sizeof format, "%%.%dg", precision);
      g_ascii_formatd (digits, sizeof digits, format, real);
      if (g_ascii_strtod (digits, NULL) == real)
        break;
    }
  return g_strdup (digits);
}

/* Adds the words that say the option NAME to WORDS. FALSE where VALUE is nothing that is said. */
static gboolean
add_words (GPtrArray *words, const char *name, SlJson value)
{
  if (sl_json_type (value) == SL_JSON_ARRAY)
    {
      for (SlJsonEach each = sl_json_each (value); sl_json_each_next (&each);)
        if (sl_json_type (each.value) == SL_JSON_ARRAY || !add_words (words, name, each.value))
          return FALSE;
      return sl_json_length (value) > 0;
    }
  if (sl_json_type (value) == SL_JSON_BOOL)
    {
      if (sl_json_is_true (value))
        g_ptr_array_add (words, g_strconcat ("--", name, NULL));
      return sl_json_is_true (value);
    }
  g_autofree char *text = sl_recorded_text (value);
  if (text != NULL)
    g_ptr_array_add (words, g_strconcat ("--", name, "=", text, NULL));
  return text != NULL;
}

/* OWN, to be cleared, <- the options of COMMAND as WORDS say them, and what is settled by them.
 * FALSE where they are none. */
static gboolean
parse_words (const SlCommand *command, const GPtrArray *words, SlOptions *own)
{
  SlOptions common;
  char **argv = g_new0 (char *, words->len + 1);
  for (guint i = 0; i < words->len; i++)
    argv[i] = g_strdup (words->pdata[i]);
  sl_command_options (command, own);
  sl_options_init (&common, NULL, NULL, 0);
  gboolean ok = sl_options_parse (own, &common, &argv, NULL)
                && (command->settle == NULL || command->settle (own, NULL));
  g_strfreev (argv);
  sl_options_clear (&common);
  return ok;
}

/* Whether COMMAND takes WORDS as its options. */
static gboolean
takes (const SlCommand *command, const GPtrArray *words)
{
  SlOptions own;
  gboolean ok = parse_words (command, words, &own) && sl_options_check_scope (&own, NULL)
                && (command->check == NULL || command->check (&own, NULL));
  sl_options_clear (&own);
  return ok;
}

/* Words for what RECORDED, of VERB, has beside DEFAULTS. */
static GPtrArray *
words_of (const char *verb, SlJson recorded, SlJson defaults)
{
  GPtrArray *words = g_ptr_array_new_with_free_func (g_free);
  for (SlJsonEach each = sl_json_each (recorded); sl_json_each_next (&each);)
    {
      const SlOption *option = find_option (verb, each.key.text);
      if (option != NULL && option->kind == SL_OPTION_OUTPUT)
        g_ptr_array_add (words, g_strdup_printf ("--%s=-", option->name));
      else if (!sl_recorded_is_default (defaults, each.key.text, each.value))
        add_words (words, each.key.text, each.value);
    }
  return words;
}

/* DEFAULTS without what the other options that are RECORDED settle otherwise, so that it must be
 * said. */
static char *
without_settled (const SlCommand *command, SlJson recorded, SlJson defaults)
{
  SlOptions own;
  SlJson settled = { NULL, 0 };
  g_autoptr (SlJsonParser) parser = sl_json_parser_new ();
  g_autoptr (GPtrArray) words = words_of (command->name, recorded, defaults);
  if (parse_words (command, words, &own))
    {
      g_autofree char *json = sl_options_to_json (&own);
      (void) sl_json_parse_text (parser, json, &settled);
    }
  sl_options_clear (&own);
  GString *kept = g_string_new ("{");
  for (SlJsonEach each = sl_json_each (defaults); sl_json_each_next (&each);)
    {
      SlJson value = sl_json_get (recorded, each.key.text);
      if (sl_json_type (settled) != SL_JSON_ABSENT && sl_json_type (value) != SL_JSON_ABSENT
          && !sl_recorded_is_default (settled, each.key.text, value))
        continue;
      g_autofree char *usual = sl_json_to_string (each.value);
      sl_json_member (kept, each.key.text);
      g_string_append (kept, usual);
    }
  return g_string_free (g_string_append_c (kept, '}'), FALSE);
}

SlJson
sl_recorded_defaults (SlJsonParser *parser, const char *verb, const char *version, SlJson recorded)
{
  SlJson defaults = { NULL, 0 };
  const SlCommand *command = sl_command_by_name (verb);
  if (command == NULL || command->options == NULL || g_strcmp0 (version, SL_VERSION) != 0)
    return defaults;
  SlOptions options;
  sl_command_options (command, &options);
  g_autofree char *json = sl_options_to_json (&options);
  sl_options_clear (&options);
  (void) sl_json_parse_text (parser, json, &defaults);
  if (command->settle == NULL || sl_json_type (recorded) == SL_JSON_ABSENT)
    return defaults;
  g_autofree char *kept = without_settled (command, recorded, defaults);
  (void) sl_json_parse_text (parser, kept, &defaults);
  return defaults;
}

GHashTable *
sl_recorded_sayable (const char *verb, SlJson recorded, SlJson defaults)
{
  GHashTable *sayable = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  const SlCommand *command = sl_command_by_name (verb);
  if (command == NULL || sl_json_type (defaults) == SL_JSON_ABSENT)
    return sayable;
  g_autoptr (GPtrArray) words = words_of (verb, recorded, defaults);
  for (SlJsonEach each = sl_json_each (recorded); sl_json_each_next (&each);)
    {
      guint before = words->len;
      if (!sl_recorded_is_default (defaults, each.key.text, each.value))
        continue;
      if (add_words (words, each.key.text, each.value) && takes (command, words))
        g_hash_table_add (sayable, g_strdup (each.key.text));
      else
        g_ptr_array_set_size (words, (int) before);
    }
  return sayable;
}

SlRecordedForm
sl_recorded_form (const char *verb, const char *name, SlJson value)
{
  const SlOption *option = find_option (verb, name);
  if (option == NULL)
    return SL_RECORDED_PLAIN;
  if (option->kind == SL_OPTION_OUTPUT)
    return sl_json_is_true (value) ? SL_RECORDED_OUTPUT : SL_RECORDED_PLAIN;
  /* The word that it means by itself is its own; any other could be taken for an input. */
  return option->by_itself == NULL || sl_cell_is (sl_json_text (value), option->by_itself)
             ? SL_RECORDED_PLAIN
             : SL_RECORDED_JOINED;
}
