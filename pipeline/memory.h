/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Large arrays that are met at random, in pages of 2 MiB where the system has them: the processor
 * then finds them without walking page tables. */
#pragma once

#include <glib.h>

/* Asks for such pages in MEMORY, from malloc(). Where there are none, nothing is lost. */
void sl_memory_use_large_pages (gpointer memory, gsize bytes);

/* Room for BYTES in such pages, aligned to 64, not set, to be freed by free(); NULL where there is none. Pages
 * that are not used yet take no memory. */
gpointer sl_memory_try_new (gsize bytes);

/* The same; ends the program where there is none. */
gpointer sl_memory_new (gsize bytes);

/* Room for BYTES with the first USED bytes of MEMORY, which is freed. */
gpointer sl_memory_grow (gpointer memory, gsize used, gsize bytes);
