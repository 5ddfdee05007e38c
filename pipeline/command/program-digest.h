/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which program this is: two that could give other bytes have other digests. */
#pragma once

#include <glib.h>

/* 32 hexadecimal digits, of the program's own file and of all libraries that are loaded; FALSE
 * where that file cannot be read. */
gboolean sl_program_digest (char xxh3[33]);

/* A line about this processor, as far as networks compute otherwise on others. */
void sl_processor_digest (char xxh3[33]);
