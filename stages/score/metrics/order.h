/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

/* order[n] <- the items from the least of value[n], all 0 or more, to the largest; ties stay in
 * their order. */
void sl_order_by (const double *value, gint32 n, gint32 *order);

/* Bytes that this takes for an item, ORDER among them. */
gsize sl_order_bytes (void);
