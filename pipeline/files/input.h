/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A byte stream from a file or standard input that remembers what Arrow's reader cannot tell: how
 * it begins, whether its end was reached, and the system's own error. */
#pragma once

#include <gio/gunixinputstream.h>

G_BEGIN_DECLS

#define SL_TYPE_INPUT (sl_input_get_type ())
G_DECLARE_FINAL_TYPE (SlInput, sl_input, SL, INPUT, GUnixInputStream)

/* PATH "-" or NULL is standard input. */
SlInput *sl_input_open (const char *path, GError **error);

/* The first bytes, at most 8; they will be read again. */
const char *sl_input_peek (SlInput *input, gsize *length, GError **error);
void sl_input_skip_peeked (SlInput *input);

gboolean sl_input_at_end (SlInput *input);     /* a read has met the end */
gboolean sl_input_was_spoilt (SlInput *input); /* so ends the stream of a stage that failed */
const GError *sl_input_error (SlInput *input); /* the first failure of a read */
gint64 sl_input_position (SlInput *input);     /* bytes read */
gint64 sl_input_size (SlInput *input);         /* -1 where it is not a regular file */

void sl_input_cancel (SlInput *input); /* a read that waits, in another thread, fails */

G_END_DECLS
