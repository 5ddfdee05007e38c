/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Harnesses: what is done with the bytes that a fuzzer makes up. Each is a row in harnesses.c. The
 * same sources make two programs: with clang's libFuzzer in them one that makes up bytes (driver.c
 * alone), with any compiler one that tries those of the seeds (replay.c). */
#pragma once

#include <glib.h>

#define SL_FUZZ_LINES 8

typedef struct
{
  const char *name;  /* of the harness, and of its folder of seeds */
  const char *words; /* a dictionary beside this file, without `.dict`; NULL: none */
  /* Command lines, each of which gets the bytes as a file `in.EXT`, as the end of a word `=TEXT`,
   * or, where the line begins with `| `, by a pipe. What is written is out.EXT. */
  const char *lines[SL_FUZZ_LINES];
  gboolean same; /* all of them end alike, and write the same bytes */
  /* In place of lines. */
  void (*check) (const guint8 *data, gsize size);
} SlFuzz;

extern const SlFuzz sl_fuzz_harnesses[]; /* ends with a row without name */

const SlFuzz *sl_fuzz_find (const char *name);

/* Once, before all else: a folder of its own becomes the current one, with the files in it that
 * lines name beside in.EXT. */
void sl_fuzz_init (void);

void sl_fuzz_try (const SlFuzz *harness, const guint8 *data, gsize size);

/* Runs one command line on the bytes, and looks at how it ends: by a status that says so, with
 * messages that are lines of text, and with an output that is a whole table, or none. Returns the
 * status. */
int sl_fuzz_run (const char *line, const guint8 *data, gsize size);

void sl_fuzz_write (const char *name, const guint8 *data, gsize size);

/* PATH gets another name, as the next line would remove it. */
void sl_fuzz_keep (const char *path, const char *name);

/* That the files hold the same bytes; that they are there. */
void sl_fuzz_expect_same (const char *path, const char *other);

/* Standard error as it was before commands were run. */
int sl_fuzz_spoken (void);

/* A promise is broken: says so, and ends the program as a crash does. */
void sl_fuzz_fail (const char *format, ...) G_GNUC_PRINTF (1, 2) G_GNUC_NORETURN;

/* Checks that need more than lines. */
void sl_fuzz_round_trip (const guint8 *data, gsize size);
void sl_fuzz_text_trip (const guint8 *data, gsize size);
void sl_fuzz_made_table (const guint8 *data, gsize size);
void sl_fuzz_csv_plain (const guint8 *data, gsize size);
void sl_fuzz_history (const guint8 *data, gsize size);
void sl_fuzz_classes (const guint8 *data, gsize size);
void sl_fuzz_tags (const guint8 *data, gsize size);
