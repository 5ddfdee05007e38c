/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Large arrays that are met at random, in pages of 2 MiB where the system has them: the processor
 * then finds them without walking page tables. Pages that are not used yet take no memory. */
#pragma once

#include <glib.h>

#define SL_LARGE_PAGE ((gsize) 1 << 21)

/* Asks for such pages in MEMORY, from malloc(). Where there are none, nothing is lost. */
void sl_memory_use_large_pages (gpointer memory, gsize bytes);

/* Room for BYTES, all 0, that goes back to the system when it is freed. */
gpointer sl_memory_new (gsize bytes);
void sl_memory_free (gpointer memory, gsize bytes); /* as many as it has */

/* MEMORY of BEFORE bytes becomes one of BYTES, whose rest is 0. */
gpointer sl_memory_grow (gpointer memory, gsize before, gsize bytes);
