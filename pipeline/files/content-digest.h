/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands in files, as XXH3-128 of all their bytes (Yann Collet, https://xxhash.com): made to
 * find accidents, not to withstand attacks. Times and sizes of files are not trusted, but where
 * the same bytes stand at two moments, stamps tell whether others stood there between. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gint64 size;
  gint64 files; /* of a folder; -1 for a file */
  char xxh3[33];
  guint64 stamp; /* another one after any change of the files, also one that was taken back */
} SlContent;

/* The bytes of the regular file FD from FROM on, LENGTH of them, or with -1 to the end. FALSE and
 * errno where they cannot be read. */
gboolean sl_content_of (int fd, gint64 from, gint64 length, SlContent *content);

/* A file, or a folder with all that is in it: names and bytes. FALSE where it cannot be read, or
 * is neither: *WHY then says it, to be freed. */
gboolean sl_content_of_path (const char *path, SlContent *content, char **why);

/* Standard input becomes a file without a name in FOLDER, which holds what it had yet to give.
 * FALSE and ERROR where that cannot be; whoever reads it still gets all. */
gboolean sl_stdin_keep (const char *folder, GError **error);

/* A file without a name in FOLDER, to be written and read; -1 and errno. */
int sl_open_unnamed (const char *folder);

/* A digest of TEXT[n]. */
void sl_content_of_text (const char *text, gsize n, char xxh3[33]);

/* Writes all of them; FALSE and errno. */
gboolean sl_write_whole (int fd, const char *bytes, gsize n);

G_END_DECLS
