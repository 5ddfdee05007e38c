/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "predict.h"

/* "4/255" or "0.01", in (0, 1]. */
gboolean
sl_parse_share (const char *name, const char *text, double *value, GError **error)
{
  char *end;
  double over = 1;
  *value = g_ascii_strtod (text, &end);
  if (end != text && *end == '/')
    {
      const char *rest = end + 1;
      over = g_ascii_strtod (rest, &end);
      if (end == rest)
        over = 0;
    }
  *value /= over;
  if (end != text && *end == '\0' && *value > 0 && *value <= 1)
    return TRUE;
  return sl_error_usage (error, "--%s: '%s' is no share of 1 such as 4/255 or 0.01", name, text);
}

double *
sl_parse_epsilons (const char *text, gsize *n, GError **error)
{
  g_auto (GStrv) words = g_strsplit (text != NULL ? text : "4/255", ",", -1);
  *n = g_strv_length (words);
  g_autofree double *epsilon = g_new (double, *n + 1);
  for (gsize i = 0; i < *n; i++)
    if (!sl_parse_share ("epsilon", words[i], &epsilon[i], error))
      return NULL;
  if (*n == 0)
    (void) sl_error_usage (error, "--epsilon: there is none");
  return *n > 0 ? g_steal_pointer (&epsilon) : NULL;
}
