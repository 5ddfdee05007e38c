/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which rows are written, and in which order. */
#pragma once

#include <glib.h>

/* The rows with at least LEAST ANSWERS, in the order of VALUE, the largest first unless ASCENDING;
 * those without a value come last, and equal ones stay in their order. VALUE NULL: all stay. *N
 * becomes how many there are, TOP at most (0: no limit). To be freed with g_free(). */
gint32 *sl_order_rows (const double *value, const double *answers, double least, gboolean ascending,
                       gint64 top, gint32 *n);
