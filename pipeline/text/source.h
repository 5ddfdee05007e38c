/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytes of one source file, or of standard input. */
#pragma once

#include <glib.h>

typedef struct
{
  char *name;  /* for messages */
  char *path;  /* "-": standard input; NULL: none */
  gint64 size; /* bytes; 0 if not known */
  /* Bytes of the file itself that were read, however many they unpack or are made into; 0 if not
   * known. */
  gint64 taken;
  gboolean ended;  /* all was read */
  gboolean at_end; /* of what is there, some of which may be in the head */
  int fd;
  gint64 at; /* where the next byte lies in a regular file, -1 elsewhere */
  char head[16];
  gsize n_head;                   /* bytes looked at, but not yet read */
  struct _SlUnpacking *unpacking; /* of gzip and its like; NULL: bytes are as they lie */
  struct _SlMadeBytes *made;      /* of bytes that no file has so (made-source.h); or NULL */
  gboolean is_file;               /* made bytes are a file's, of an archive, and not another form */
} SlSource;

/* PATH "-" is standard input; that of a member of a zip archive is `archive.zip/member`. Of what is
 * packed by gzip, zstd, bzip2 or lz4, as its first bytes tell, come the bytes that were packed. */
SlSource *sl_source_open (const char *path, GError **error);
void sl_source_free (SlSource *source);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlSource, sl_source_free)

/* Whether PATH is a regular file, a member of a zip archive, or standard input that comes from a
 * file: opened again, it begins again. */
gboolean sl_source_can_reopen (const char *path);

/* Fills head with N bytes, n <= 16, or with all there are; they are read later none the less. */
gboolean sl_source_peek (SlSource *source, gsize n, GError **error);

/* Whether the source begins with START[n], n <= 16; they are read later none the less. */
gboolean sl_source_begins (SlSource *source, const char *start, gsize n, gboolean *begins,
                           GError **error);

/* Before the first byte is read, where the source was not opened by name: what it unpacks to is
 * read in its place. */
gboolean sl_source_unpack (SlSource *source, GError **error);

/* Reads MOST bytes, or fewer where the source ends. */
gboolean sl_source_read (SlSource *source, void *to, gsize most, gsize *n, GError **error);
