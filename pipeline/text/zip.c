/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PKWARE's APPNOTE.TXT 6.3: the end of the archive says where its list of members is, and that list
 * where each member's bytes are. Every length is checked against the file before it is used; bytes
 * of a member are counted and their CRC-32 is taken while they are read. */
#include "zip.h"

#include "pipeline/base/crc32.h"
#include "pipeline/base/error.h"
#include "pipeline/base/process/named-files.h"
#include "pipeline/base/shown-text.h"
#include "made-source.h"

#include <fcntl.h>
#include <gio/gio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define END_BYTES 22       /* of the record at the end, and */
#define MOST_COMMENT 65535 /* of the comment behind it */
#define ENTRY_BYTES 46
#define LOCAL_BYTES 30
#define MOST_LIST (64 << 20)
#define PACKED_BYTES (1 << 16)

enum
{
  STORED = 0,
  DEFLATED = 8,
};

typedef struct
{
  char *name;
  guint flags, method;
  guint32 crc;
  gint64 packed, plain; /* bytes */
  gint64 at;            /* of its local header */
} Entry;

typedef struct
{
  int fd;
  char *name; /* for messages */
  gint64 size;
  GArray *entries;
} Archive;

/* A member that is being read. */
typedef struct
{
  Archive *archive;
  Entry entry;
  gint64 at, left; /* of its packed bytes */
  gint64 given;    /* of its plain bytes */
  guint32 crc;
  GConverter *inflater;
  char *packed;
  gsize from, to; /* of PACKED, not used yet */
  gboolean ended;
} Member;

static guint
u16 (const guint8 *bytes)
{
  return bytes[0] | (guint) bytes[1] << 8;
}

static guint32
u32 (const guint8 *bytes)
{
  return u16 (bytes) | (guint32) u16 (bytes + 2) << 16;
}

static void
entry_clear (gpointer data)
{
  g_free (((Entry *) data)->name);
}

static void
archive_free (Archive *archive)
{
  if (archive->fd >= 0)
    (void) close (archive->fd);
  g_free (archive->name);
  g_array_unref (archive->entries);
  g_free (archive);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Archive, archive_free)

static gboolean
damaged (const Archive *archive, const char *what, GError **error)
{
  return sl_error_bad_input (error, "%s: %s", archive->name, what);
}

static gboolean
read_at (const Archive *archive, gint64 at, void *to, gsize n, GError **error)
{
  for (gsize done = 0; done < n;)
    {
      ssize_t got = pread (archive->fd, (char *) to + done, n - done, at + (gint64) done);
      if (got < 0)
        return sl_error_runtime (error, "%s: cannot be read: %s", archive->name,
                                 g_strerror (errno));
      if (got == 0)
        return damaged (archive, "is no whole zip archive: it was cut short", error);
      done += (gsize) got;
    }
  return TRUE;
}

/* The record at the end: where the list of members is, and how long. */
static gboolean
find_list (const Archive *archive, gint64 *at, gsize *bytes, guint *n, GError **error)
{
  gsize most = (gsize) MIN (archive->size, END_BYTES + MOST_COMMENT);
  g_autofree guint8 *end = g_malloc (most + 1);
  if (!read_at (archive, archive->size - (gint64) most, end, most, error))
    return FALSE;
  for (gssize i = (gssize) most - END_BYTES; i >= 0; i--)
    {
      const guint8 *record = end + i;
      if (memcmp (record, "PK\5\6", 4) != 0 || u16 (record + 20) != most - (gsize) i - END_BYTES)
        continue;
      *n = u16 (record + 10);
      *bytes = u32 (record + 12);
      *at = u32 (record + 16);
      if (u16 (record + 4) != 0 || u16 (record + 8) != *n)
        return damaged (archive, "is a zip archive of several parts; put them together first",
                        error);
      if (*n == 0xffff || *bytes == 0xffffffff || *at == 0xffffffff)
        return damaged (archive, "is a zip archive over 4 GiB or 65,535 members: unpack it", error);
      if (*at + (gint64) *bytes > archive->size || *bytes > MOST_LIST)
        return damaged (archive, "is no whole zip archive: its list of members is not in it",
                        error);
      return TRUE;
    }
  return damaged (archive, "is no whole zip archive: it was cut short, or is damaged", error);
}

/* One member of the list, LIST[n]; *USED: its bytes there. */
static gboolean
take_entry (Archive *archive, const guint8 *list, gsize n, gsize *used, gint64 *packed,
            GError **error)
{
  if (n < ENTRY_BYTES || memcmp (list, "PK\1\2", 4) != 0)
    return damaged (archive, "is damaged: its list of members is no such list", error);
  gsize name = u16 (list + 28);
  *used = ENTRY_BYTES + name + u16 (list + 30) + u16 (list + 32);
  if (*used > n)
    return damaged (archive, "is damaged: its list of members is cut short", error);
  Entry entry = { .flags = u16 (list + 8),
                  .method = u16 (list + 10),
                  .crc = u32 (list + 16),
                  .packed = u32 (list + 20),
                  .plain = u32 (list + 24),
                  .at = u32 (list + 42) };
  /* Members that lie over each other are how a small archive becomes a huge one. */
  *packed += entry.packed;
  if (entry.at + LOCAL_BYTES + entry.packed > archive->size || *packed > archive->size)
    return damaged (archive, "is damaged: its members take more than the archive has", error);
  if (memchr (list + ENTRY_BYTES, '\0', name) != NULL)
    return damaged (archive, "is damaged: a member's name has a NUL in it", error);
  entry.name = g_strndup ((const char *) list + ENTRY_BYTES, name);
  g_array_append_val (archive->entries, entry);
  return TRUE;
}

static Archive *
archive_open (const char *path, GError **error)
{
  g_autoptr (Archive) archive = g_new0 (Archive, 1);
  struct stat info;
  gint64 at = 0, packed = 0;
  gsize bytes = 0, used = 0;
  guint n = 0;
  archive->name = g_filename_display_name (path);
  archive->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  g_array_set_clear_func (archive->entries, entry_clear);
  archive->fd = sl_named_file_open (path);
  if (archive->fd < 0 || fstat (archive->fd, &info) != 0)
    {
      sl_error_runtime (error, "%s: cannot be read: %s", archive->name, g_strerror (errno));
      return NULL;
    }
  archive->size = info.st_size;
  if (!find_list (archive, &at, &bytes, &n, error))
    return NULL;
  g_autofree guint8 *list = g_malloc (bytes + 1);
  if (!read_at (archive, at, list, bytes, error))
    return NULL;
  for (const guint8 *next = list; n > 0; n--, next += used)
    if (!take_entry (archive, next, (gsize) (list + bytes - next), &used, &packed, error))
      return NULL;
  return g_steal_pointer (&archive);
}

gboolean
sl_zip_is_archive (const char *path)
{
  struct stat info;
  char head[4] = "";
  if (stat (path, &info) != 0 || !S_ISREG (info.st_mode))
    return FALSE;
  int fd = sl_named_file_open (path);
  gboolean yes = fd >= 0 && read (fd, head, 4) == 4
                 && (memcmp (head, "PK\3\4", 4) == 0 || memcmp (head, "PK\5\6", 4) == 0);
  if (fd >= 0)
    (void) close (fd);
  return yes;
}

char *
sl_zip_archive_of (const char *path)
{
  for (const char *slash = strchr (path, '/'); slash != NULL; slash = strchr (slash + 1, '/'))
    {
      g_autofree char *before = g_strndup (path, (gsize) (slash - path));
      if (slash > path && slash[1] != '\0' && sl_zip_is_archive (before))
        return g_steal_pointer (&before);
    }
  return NULL;
}

char **
sl_zip_members (const char *path, GError **error)
{
  g_autoptr (Archive) archive = archive_open (path, error);
  if (archive == NULL)
    return NULL;
  g_autoptr (GStrvBuilder) members = g_strv_builder_new ();
  for (guint i = 0; i < archive->entries->len; i++)
    {
      const char *name = g_array_index (archive->entries, Entry, i).name;
      g_autofree char *whole = g_strconcat (path, "/", name, NULL);
      if (name[0] != '\0' && !g_str_has_suffix (name, "/"))
        g_strv_builder_add (members, whole);
    }
  return g_strv_builder_end (members);
}

static void
member_free (gpointer data)
{
  Member *member = data;
  g_clear_pointer (&member->archive, archive_free);
  g_clear_object (&member->inflater);
  g_free (member->packed);
  g_free (member);
}

static gboolean
fail (const Member *member, const char *what, GError **error)
{
  g_autofree char *name = sl_shown (member->entry.name, strlen (member->entry.name));
  return sl_error_bad_input (error, "%s/%s: %s", member->archive->name, name, what);
}

/* More of the packed bytes. */
static gboolean
fetch (Member *member, GError **error)
{
  memmove (member->packed, member->packed + member->from, member->to - member->from);
  member->to -= member->from;
  member->from = 0;
  gsize n = MIN (PACKED_BYTES - member->to, (gsize) member->left);
  if (!read_at (member->archive, member->at, member->packed + member->to, n, error))
    return FALSE;
  member->at += (gint64) n;
  member->left -= (gint64) n;
  member->to += n;
  return TRUE;
}

/* Appends what becomes of some packed bytes to TEXT. */
static gboolean
unpack (Member *member, GString *text, GError **error)
{
  gsize waiting = member->to - member->from, before = text->len, taken = waiting, made = waiting;
  if (member->inflater == NULL)
    g_string_append_len (text, member->packed + member->from, (gssize) waiting);
  else
    {
      g_autoptr (GError) problem = NULL;
      g_string_set_size (text, before + PACKED_BYTES);
      taken = made = 0;
      GConverterResult result = g_converter_convert (
          member->inflater, member->packed + member->from, waiting, text->str + before,
          PACKED_BYTES, member->left == 0 ? G_CONVERTER_INPUT_AT_END : G_CONVERTER_NO_FLAGS, &taken,
          &made, &problem);
      g_string_set_size (text, before + made);
      member->ended = result == G_CONVERTER_FINISHED;
      if (result == G_CONVERTER_ERROR
          && !(g_error_matches (problem, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT) && member->left > 0))
        return fail (member, "is damaged: it does not unpack", error);
    }
  member->from += taken;
  member->given += (gint64) made;
  member->crc = sl_crc32 (member->crc, (const guint8 *) text->str + before, made);
  if (member->inflater == NULL)
    member->ended = member->left == 0;
  return TRUE;
}

static gboolean
more (gpointer data, GString *text, GError **error)
{
  Member *member = data;
  while (text->len == 0 && !member->ended)
    {
      if (!fetch (member, error) || !unpack (member, text, error))
        return FALSE;
      if (member->given > member->entry.plain)
        return fail (member, "is damaged: it unpacks to more than the archive says", error);
      if (member->ended
          && (member->given != member->entry.plain || member->crc != member->entry.crc))
        return fail (member, "is damaged: it unpacks to something else than was packed", error);
    }
  return TRUE;
}

/* Where its packed bytes begin. */
static gboolean
find_bytes (Member *member, GError **error)
{
  guint8 local[LOCAL_BYTES];
  const Entry *entry = &member->entry;
  if (entry->flags & 1)
    return fail (member, "is encrypted: unpack the archive with its password", error);
  if (entry->method != STORED && entry->method != DEFLATED)
    return fail (member, "is packed in a way that is not read here: unpack the archive", error);
  if (!read_at (member->archive, entry->at, local, sizeof local, error))
    return FALSE;
  member->at = entry->at + LOCAL_BYTES + u16 (local + 26) + u16 (local + 28);
  member->left = entry->packed;
  if (memcmp (local, "PK\3\4", 4) != 0 || member->at + member->left > member->archive->size)
    return fail (member, "is damaged: it is not where the archive says", error);
  if (entry->method == STORED && entry->packed != entry->plain)
    return fail (member, "is damaged: it is as long as it was, and is not", error);
  return TRUE;
}

SlSource *
sl_zip_open (const char *path, GError **error)
{
  static const SlSourceMaker maker = { more, member_free };
  g_autofree char *archive_path = sl_zip_archive_of (path);
  g_assert (archive_path != NULL);
  const char *name = path + strlen (archive_path) + 1;
  g_autofree char *shown = g_filename_display_name (path);
  Member *member = g_new0 (Member, 1);
  member->archive = archive_open (archive_path, error);
  const Entry *found = NULL;
  for (guint i = 0; member->archive != NULL && i < member->archive->entries->len; i++)
    if (strcmp (g_array_index (member->archive->entries, Entry, i).name, name) == 0)
      found = &g_array_index (member->archive->entries, Entry, i);
  gboolean ok = found != NULL;
  if (ok)
    {
      member->entry = *found;
      member->packed = g_malloc (PACKED_BYTES);
      if (found->method == DEFLATED)
        member->inflater = G_CONVERTER (g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_RAW));
      ok = find_bytes (member, error);
    }
  else if (member->archive != NULL)
    sl_error_bad_input (error, "%s: the archive has no such member", shown);
  if (!ok)
    {
      member_free (member);
      return NULL;
    }
  SlSource *source = sl_source_new_made (shown, &maker, member);
  source->is_file = TRUE;
  source->size = found->plain;
  return source;
}
