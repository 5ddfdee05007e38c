/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work shared among threads that sleep when there is none. OpenMP's threads spin for
 * milliseconds before they sleep; in a pipe of several stages they take the processors away from
 * the other stages, and wait for one another's turn. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Calls TASK (i, DATA) for every 0 <= i < N, each once, on at most THREADS threads, the caller's
 * among them; returns when all are done. Tasks begin in order but run side by side: what they
 * compute must not depend on one another. */
void sl_parallel (int threads, int n, void (*task) (int i, gpointer data), gpointer data);

G_END_DECLS
