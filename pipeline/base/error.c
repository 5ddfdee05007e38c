/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "error.h"

G_DEFINE_QUARK (sl - error - quark, sl_error)

gboolean
sl_error_row (GError **error, gint64 row, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, SL_ERROR, SL_ERROR_INPUT, "row %" G_GINT64_FORMAT ": %s", row, what);
  return FALSE;
}

G_GNUC_PRINTF (3, 0)
static void
fail (GError **error, SlErrorCode code, const char *format, va_list args)
{
  g_autofree char *what = g_strdup_vprintf (format, args);
  g_set_error_literal (error, SL_ERROR, code, what);
}

gboolean
sl_error_bad_input (GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  fail (error, SL_ERROR_INPUT, format, args);
  va_end (args);
  return FALSE;
}

gboolean
sl_error_usage (GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  fail (error, SL_ERROR_USAGE, format, args);
  va_end (args);
  return FALSE;
}

gboolean
sl_error_runtime (GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  fail (error, SL_ERROR_RUNTIME, format, args);
  va_end (args);
  return FALSE;
}

int
sl_error_exit_status (const GError *error)
{
  return error->domain == SL_ERROR ? error->code : SL_ERROR_RUNTIME;
}
