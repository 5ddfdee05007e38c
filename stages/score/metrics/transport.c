/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "transport.h"

#include <math.h>
#include <string.h>

/* Mass below this is rounding. */
#define NOTHING 1e-15

struct _SlTransport
{
  gint32 n;
  double *supply, *demand;         /* [n] */
  double *flow;                    /* [n][n] */
  double *up, *down;               /* potentials of sources and sinks */
  double *near_source, *near_sink; /* least reduced cost of a way there */
  gint32 *by_source, *by_sink;     /* the node before on that way; -1: it begins there */
  gboolean *done_source, *done_sink;
};

SlTransport *
sl_transport_new (gint32 n)
{
  SlTransport *t = g_new0 (SlTransport, 1);
  gsize size = (gsize) n;
  t->n = n;
  t->supply = g_new (double, size);
  t->demand = g_new (double, size);
  t->flow = g_new (double, size *size);
  t->up = g_new (double, size);
  t->down = g_new (double, size);
  t->near_source = g_new (double, size);
  t->near_sink = g_new (double, size);
  t->by_source = g_new (gint32, size);
  t->by_sink = g_new (gint32, size);
  t->done_source = g_new (gboolean, size);
  t->done_sink = g_new (gboolean, size);
  return t;
}

void
sl_transport_free (SlTransport *t)
{
  g_free (t->supply);
  g_free (t->demand);
  g_free (t->flow);
  g_free (t->up);
  g_free (t->down);
  g_free (t->near_source);
  g_free (t->near_sink);
  g_free (t->by_source);
  g_free (t->by_sink);
  g_free (t->done_source);
  g_free (t->done_sink);
  g_free (t);
}

static void
relax (double *near, gint32 *by, gint32 node, double length, gint32 from)
{
  if (length < near[node])
    {
      near[node] = length;
      by[node] = from;
    }
}

/* Dijkstra from all sources that have something left; returns the nearest sink that wants
 * something, or -1. */
static gint32
find_way (SlTransport *t, const double *cost)
{
  gint32 n = t->n;
  for (gint32 k = 0; k < n; k++)
    {
      t->near_source[k] = t->supply[k] > NOTHING ? 0 : (double) INFINITY;
      t->near_sink[k] = INFINITY;
      t->by_source[k] = t->by_sink[k] = -1;
      t->done_source[k] = t->done_sink[k] = FALSE;
    }
  for (;;)
    {
      gint32 source = -1, sink = -1;
      for (gint32 k = 0; k < n; k++)
        {
          if (!t->done_source[k] && isfinite (t->near_source[k])
              && (source < 0 || t->near_source[k] < t->near_source[source]))
            source = k;
          if (!t->done_sink[k] && isfinite (t->near_sink[k])
              && (sink < 0 || t->near_sink[k] < t->near_sink[sink]))
            sink = k;
        }
      if (source < 0 && sink < 0)
        return -1;
      if (sink >= 0 && (source < 0 || t->near_sink[sink] <= t->near_source[source]))
        {
          if (t->demand[sink] > NOTHING)
            return sink;
          t->done_sink[sink] = TRUE;
          for (gint32 j = 0; j < n; j++)
            if (!t->done_source[j] && t->flow[j * n + sink] > NOTHING)
              relax (t->near_source, t->by_source, j,
                     t->near_sink[sink] + MAX (t->down[sink] - t->up[j] - cost[j * n + sink], 0),
                     sink);
          continue;
        }
      t->done_source[source] = TRUE;
      for (gint32 k = 0; k < n; k++)
        if (!t->done_sink[k])
          relax (t->near_sink, t->by_sink, k,
                 t->near_source[source]
                     + MAX (cost[source * n + k] + t->up[source] - t->down[k], 0),
                 source);
    }
}

/* Sends what can be sent along the way to SINK; potentials keep reduced costs at 0 or more. */
static void
send (SlTransport *t, gint32 sink)
{
  gint32 n = t->n;
  double far = t->near_sink[sink], most = t->demand[sink];
  for (gint32 k = 0; k < n; k++)
    {
      t->up[k] += MIN (t->near_source[k], far);
      t->down[k] += MIN (t->near_sink[k], far);
    }
  gint32 k = sink, j = t->by_sink[k];
  for (; t->by_source[j] >= 0; j = t->by_sink[k])
    {
      k = t->by_source[j];
      most = MIN (most, t->flow[j * n + k]);
    }
  most = MIN (most, t->supply[j]);
  t->supply[j] -= most;
  t->demand[sink] -= most;
  for (k = sink, j = t->by_sink[k];; j = t->by_sink[k])
    {
      t->flow[j * n + k] += most;
      if (t->by_source[j] < 0)
        break;
      k = t->by_source[j];
      t->flow[j * n + k] -= most;
    }
}

double
sl_transport_cost (SlTransport *t, const double *from, const double *to, const double *cost)
{
  gint32 n = t->n, sink;
  gsize size = (gsize) n;
  double sum = 0;
  memset (t->flow, 0, size * size * sizeof *t->flow);
  memset (t->up, 0, size * sizeof *t->up);
  memset (t->down, 0, size * sizeof *t->down);
  memcpy (t->supply, from, size * sizeof *from);
  memcpy (t->demand, to, size * sizeof *to);
  while ((sink = find_way (t, cost)) >= 0)
    send (t, sink);
  for (gsize i = 0; i < size * size; i++)
    sum += t->flow[i] * cost[i];
  return sum;
}
