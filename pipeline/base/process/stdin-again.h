/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Standard input that was read once already, for its digest or to see what it is, is read again. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Standard input gives again what was read of it: SIZE bytes of the file COPY, then REST[n_rest],
 * which it takes. */
void sl_stdin_give_again (int copy, gint64 size, char *rest, gsize n_rest);

/* Standard input gives these N bytes, n <= 16, once more, before all others. */
void sl_stdin_unread (const char *bytes, gsize n);

/* Takes up to N bytes of those; 0 where none are left: standard input itself goes on. */
gssize sl_stdin_again (void *bytes, gsize n);

G_END_DECLS
