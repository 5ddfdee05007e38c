/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shown-text.h"

#include <string.h>

#define SHOWN_CHARS 100 /* of a text in a message */

char *
sl_shown (const char *text, gsize n)
{
  g_autofree char *valid = g_utf8_make_valid (text, (gssize) n);
  glong most = SHOWN_CHARS;
  GString *shown = g_string_new (NULL);
  for (const char *p = valid; *p != '\0' && most > 0; p = g_utf8_next_char (p), most--)
    {
      gunichar c = g_utf8_get_char (p);
      if (g_unichar_isprint (c))
        g_string_append_unichar (shown, c);
      else
        g_string_append_printf (shown, "\\u%04x", c);
    }
  if (most == 0 && strlen (valid) > shown->len)
    g_string_append (shown, "…");
  return g_string_free (shown, FALSE);
}
