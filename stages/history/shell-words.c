/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shell-words.h"

#include "pipeline/base/error.h"
#include "pipeline/display/terminal.h"

#include <string.h>

gboolean
sl_history_malformed (GError **error)
{
  return sl_error_bad_input (error, "its history is not in the form that softlabel writes");
}

void
sl_shell_word (GString *out, const char *text)
{
  static const char plain[]
      = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:,=+@%^";
  g_autoptr (GString) shown = g_string_new (NULL);
  sl_display_text (shown, text, -1);
  gboolean escaped = strcmp (shown->str, text) != 0;
  if (!escaped && *text != '\0' && strspn (text, plain) == strlen (text))
    {
      g_string_append (out, text);
      return;
    }
  g_string_append (out, escaped ? "$'" : "'");
  for (const char *c = text; !escaped && *c != '\0'; c++)
    g_string_append_printf (out, *c == '\'' ? "'\\''" : "%c", *c);
  for (const char *c = text; escaped && *c != '\0'; c = g_utf8_next_char (c))
    if (*c == '\'' || *c == '\\')
      g_string_append_printf (out, "\\%c", *c);
    else
      sl_display_text (out, c, g_utf8_next_char (c) - c);
  g_string_append_c (out, '\'');
}

gboolean
sl_shell_option (GString *out, const char *name, SlJson value, SlRecordedForm form, GError **error)
{
  if (sl_json_type (value) == SL_JSON_ARRAY)
    {
      SlJsonEach each = sl_json_each (value);
      while (sl_json_each_next (&each))
        {
          if (sl_json_type (each.value) == SL_JSON_ARRAY)
            return sl_history_malformed (error);
          if (!sl_shell_option (out, name, each.value, form, error))
            return FALSE;
        }
      return TRUE;
    }
  gboolean flag = sl_json_type (value) == SL_JSON_BOOL;
  if (sl_json_type (value) == SL_JSON_NULL || (flag && !sl_json_is_true (value)))
    return TRUE;
  g_autofree char *text = flag ? NULL : sl_recorded_text (value);
  g_autofree char *word = g_strconcat ("--", name, NULL);
  g_string_append_c (out, ' ');
  sl_shell_word (out, word);
  if (form == SL_RECORDED_OUTPUT)
    g_string_append (out, " /dev/null");
  if (flag)
    return TRUE;
  if (text == NULL)
    return sl_history_malformed (error);
  /* A value that begins with a dash would be taken for an option. */
  g_string_append_c (out, *text == '-' || form == SL_RECORDED_JOINED ? '=' : ' ');
  sl_shell_word (out, text);
  return TRUE;
}

void
sl_shell_file (GString *out, const char *name)
{
  g_string_append_c (out, ' ');
  /* A name that begins with a dash would be taken for an option. */
  g_autofree char *safe = g_strconcat (*name == '-' && name[1] != '\0' ? "./" : "", name, NULL);
  sl_shell_word (out, safe);
}
