/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Optimal transport between two distributions over a few classes. */
#pragma once

#include <glib.h>

/* Room to work in. */
typedef struct _SlTransport SlTransport;

SlTransport *sl_transport_new (gint32 n);
void sl_transport_free (SlTransport *transport);

/* min Σ f_jk cost[j][k] over f >= 0 with Σ_k f_jk = from[j], Σ_j f_jk = to[k]: the 1-Wasserstein
 * distance of from[n] and to[n] where cost[n][n] is a metric. Costs are 0 or more. Exact but for
 * rounding, by successive shortest paths with potentials (Ahuja, Magnanti & Orlin, Network Flows,
 * 1993, section 9.7). */
double sl_transport_cost (SlTransport *transport, const double *from, const double *to,
                          const double *cost);
