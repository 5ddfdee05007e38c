/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors: one domain; a code is the exit status of the program that stops on it. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define SL_ERROR (sl_error_quark ())

typedef enum
{
  SL_ERROR_RUNTIME = 1, /* reading, writing, memory */
  SL_ERROR_USAGE = 2,   /* the command line */
  SL_ERROR_INPUT = 3,   /* the input is invalid or incomplete */
} SlErrorCode;

GQuark sl_error_quark (void);

/* Sets ERROR to an SL_ERROR_INPUT that names the row (counted from 1); returns FALSE, to return in
 * turn. */
gboolean sl_error_row (GError **error, gint64 row, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* Sets ERROR to an SL_ERROR_INPUT; returns FALSE, to return in turn. */
gboolean sl_error_bad_input (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* Sets ERROR to an SL_ERROR_USAGE; returns FALSE, to return in turn. */
gboolean sl_error_usage (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* Sets ERROR to an SL_ERROR_RUNTIME; returns FALSE, to return in turn. */
gboolean sl_error_runtime (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* The exit status that fits ERROR: its code if it is an SL_ERROR, 1 otherwise. */
int sl_error_exit_status (const GError *error);

G_END_DECLS
