/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the system has no more of: memory, threads, descriptors. Libraries answer that by an abort,
 * each in its own words, or take it for something else. Here every allocation that fails, whoever
 * asked, ends the program in one way: one line on standard error, no temporary file, status 1. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* First of all: what libraries would abort on ends the program as said above, and Arrow allocates
 * by malloc(). Its other allocators reserve address space in large pieces, which schedulers limit
 * (`ulimit -v`). */
void sl_shortage_init (void);

/* The verb that the line names. */
void sl_shortage_name (const char *verb);

/* All that was asked for is done: what is lacking from here on ends the program with STATUS,
 * without a word. */
void sl_shortage_forgive (int status);

/* Ends the program for lack of WHAT, in one line. In any thread. */
void sl_shortage_end (const char *what) G_GNUC_NORETURN;

/* Whether this thread's mmap() ends the program where it fails: for a library that does without
 * looking. Anywhere else mmap() fails as ever. */
void sl_shortage_need_maps (gboolean needed);

/* The last of main(): ends the program with STATUS. What libraries would tear down goes with the
 * process; where memory is short, they fault at it. */
int sl_shortage_leave (int status);

/* N zeros of SIZE bytes each, to be freed with g_free(); NULL where there is no such memory, as no
 * other allocation returns it. */
gpointer sl_memory_try0 (gsize n, gsize size);

/* The same, but as it comes, at an address that is a multiple of ALIGNMENT, to be freed with
 * free(). */
gpointer sl_memory_try_aligned (gsize alignment, gsize bytes);

G_END_DECLS
