/* SPDX-License-Identifier: GPL-3.0-or-later */
/* id: prints a digest of what a table says: its kind, its classes in order, its columns and every value, in row order.
 *
 * Two tables with the same id hold the same values. It does not depend on the file format, the cutting into batches, the history,
 * or how a missing value is stored. The digest is XXH3-128 (Yann Collet, https://xxhash.com) of a header and of each column's own
 * digest; it finds accidental differences and is no defence against someone who wants two tables to have the same id. */
#include "pipeline/command/run.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <math.h>
#include <string.h>

#define CHUNK 1024

/* Values as bytes: integers little-endian, as they are in memory on every machine that Arrow's own files suit. */
G_STATIC_ASSERT (G_BYTE_ORDER == G_LITTLE_ENDIAN);

/* What one column is made of; each part has its own digest, so that a part can be taken a whole batch at a time and yet does not
 * depend on where batches end. */
typedef struct
{
  XXH3_state_t *values;  /* text bytes, codes, numbers */
  XXH3_state_t *lengths; /* of texts and lists */
  XXH3_state_t *valid;
} ColumnState;

typedef struct
{
  SlTable *table;
  ColumnState column[SL_MAX_COLUMNS];
  gint64 n_rows;
} Digest;

static XXH3_state_t *
new_state (void)
{
  XXH3_state_t *state = XXH3_createState ();
  XXH3_128bits_reset (state);
  return state;
}

static void
digest_init (Digest *digest, SlTable *table)
{
  digest->table = table;
  for (gsize i = 0; i < G_N_ELEMENTS (digest->column); i++)
    digest->column[i] = (ColumnState){ new_state (), new_state (), new_state () };
}

static void
digest_clear (Digest *digest)
{
  for (gsize i = 0; i < G_N_ELEMENTS (digest->column); i++)
    {
      XXH3_freeState (digest->column[i].values);
      XXH3_freeState (digest->column[i].lengths);
      XXH3_freeState (digest->column[i].valid);
    }
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Digest, digest_clear)

static void
update (XXH3_state_t *state, gconstpointer bytes, gsize n)
{
  if (n > 0)
    XXH3_128bits_update (state, bytes, n);
}

/* Equal numbers have equal bytes: one NaN, and one zero (adding +0 turns -0 into it). */
static void
update_reals (XXH3_state_t *state, const double *values, gsize n)
{
  double chunk[CHUNK];
  for (gsize i = 0; i < n; i += CHUNK)
    {
      gsize m = MIN (n - i, CHUNK);
      for (gsize j = 0; j < m; j++)
        chunk[j] = isnan (values[i + j]) ? (double) NAN : values[i + j] + 0.0;
      update (state, chunk, m * sizeof *chunk);
    }
}

static void
update_lengths (XXH3_state_t *state, const gint32 *offsets, gint64 n)
{
  gint32 chunk[CHUNK];
  for (gint64 i = 0; i < n; i += CHUNK)
    {
      gint64 m = MIN (n - i, CHUNK);
      for (gint64 j = 0; j < m; j++)
        chunk[j] = offsets[i + j + 1] - offsets[i + j];
      update (state, chunk, (gsize) m * sizeof *chunk);
    }
}

static void
update_valid (XXH3_state_t *state, const guint8 *valid, gint64 n)
{
  guint8 chunk[CHUNK];
  for (gint64 i = 0; i < n; i += CHUNK)
    {
      gint64 m = MIN (n - i, CHUNK);
      for (gint64 j = 0; j < m; j++)
        chunk[j] = valid == NULL || valid[i + j] != 0;
      update (state, chunk, (gsize) m);
    }
}

/* N values of WIDTH bytes. What stands where a value is missing is anyone's; it counts as zero. */
static void
update_fixed (XXH3_state_t *state, gconstpointer values, gsize width, const guint8 *valid, gint64 n)
{
  static const guint8 zero[8];
  const guint8 *bytes = values;
  if (valid == NULL)
    {
      update (state, bytes, (gsize) n * width);
      return;
    }
  for (gint64 i = 0; i < n; i++)
    update (state, valid[i] ? bytes + (gsize) i * width : zero, width);
}

static void
update_texts (ColumnState *state, const SlColumn *column, gint64 n)
{
  const gint32 *offset = column->text.offset;
  if (column->valid == NULL)
    {
      update_lengths (state->lengths, offset, n);
      update (state->values, column->text.data + offset[0], (gsize) (offset[n] - offset[0]));
      return;
    }
  for (gint64 i = 0; i < n; i++)
    {
      gint32 length = column->valid[i] ? offset[i + 1] - offset[i] : 0;
      update (state->lengths, &length, sizeof length);
      update (state->values, column->text.data + offset[i], (gsize) length);
    }
}

/* Where a missing value has a value of its own (a code of -1, NaN) its validity says nothing new. */
static gboolean
has_validity (SlType type)
{
  return type == SL_TYPE_TEXT || type == SL_TYPE_BOOL || type == SL_TYPE_INT32
         || type == SL_TYPE_INT64;
}

static void
update_column (ColumnState *state, const SlColumn *column, SlType type, gint64 n, gint32 n_classes)
{
  const gint32 *start = column->start;
  switch (type)
    {
    case SL_TYPE_TEXT:
      update_texts (state, column, n);
      break;
    case SL_TYPE_CLASSES:
    case SL_TYPE_CHOICES:
      update_lengths (state->lengths, start, n);
      update (state->values, column->code + start[0],
              (gsize) (start[n] - start[0]) * sizeof *column->code);
      /* A list is never null, so the percents have the third state. */
      if (type == SL_TYPE_CHOICES)
        update_reals (state->valid, column->real + start[0], (gsize) (start[n] - start[0]));
      break;
    case SL_TYPE_CLASS:
      update (state->values, column->code, (gsize) n * sizeof *column->code);
      break;
    case SL_TYPE_LABEL:
      update_reals (state->values, column->real, (gsize) n * (gsize) n_classes);
      break;
    case SL_TYPE_REAL:
      update_reals (state->values, column->real, (gsize) n);
      break;
    case SL_TYPE_BOOL:
      update_fixed (state->values, column->flag, sizeof *column->flag, column->valid, n);
      break;
    case SL_TYPE_INT32:
      update_fixed (state->values, column->int32, sizeof *column->int32, column->valid, n);
      break;
    case SL_TYPE_INT64:
      update_fixed (state->values, column->int64, sizeof *column->int64, column->valid, n);
      break;
    }
  if (has_validity (type))
    update_valid (state->valid, column->valid, n);
}

static void
digest_batch (Digest *digest, const SlBatch *batch)
{
  const SlColumnSpec *specs = digest->table->kind->columns;
  for (int i = 0; specs[i].name != NULL; i++)
    if (sl_table_has (digest->table, i))
      update_column (&digest->column[i], &batch->column[i], specs[i].type, batch->n_rows,
                     digest->table->n_classes);
  digest->n_rows += batch->n_rows;
}

static void
update_state (XXH3_state_t *all, const XXH3_state_t *part)
{
  XXH128_canonical_t bytes;
  XXH128_canonicalFromHash (&bytes, XXH3_128bits_digest (part));
  update (all, &bytes, sizeof bytes);
}

/* Texts with their final NUL, which none of them contains, and counts first: no two headers run together alike. */
static char *
digest_finish (const Digest *digest)
{
  const SlTable *table = digest->table;
  XXH3_state_t *all = new_state ();
  update (all, table->kind->name, strlen (table->kind->name) + 1);
  update (all, &table->n_classes, sizeof table->n_classes);
  for (gint32 k = 0; k < table->n_classes; k++)
    update (all, table->classes[k], strlen (table->classes[k]) + 1);
  update (all, &digest->n_rows, sizeof digest->n_rows);
  for (int i = 0; table->kind->columns[i].name != NULL; i++)
    if (sl_table_has (table, i))
      {
        update (all, table->kind->columns[i].name, strlen (table->kind->columns[i].name) + 1);
        update_state (all, digest->column[i].values);
        update_state (all, digest->column[i].lengths);
        update_state (all, digest->column[i].valid);
      }
  XXH128_canonical_t bytes;
  XXH128_canonicalFromHash (&bytes, XXH3_128bits_digest (all));
  XXH3_freeState (all);
  GString *text = g_string_new (NULL);
  for (gsize i = 0; i < sizeof bytes.digest; i++)
    g_string_append_printf (text, "%02x", bytes.digest[i]);
  return g_string_free (text, FALSE);
}

/* As sha256sum does it: a name with a line break or backslash has them escaped, and the line begins with a backslash. */
static void
print_line (SlRun *run, const char *digest, const char *name)
{
  g_autoptr (GString) shown = g_string_new (NULL);
  for (const char *c = name; *c != '\0'; c++)
    if (*c == '\n' || *c == '\r' || *c == '\\')
      g_string_append (shown, *c == '\n' ? "\\n" : *c == '\r' ? "\\r" : "\\\\");
    else
      g_string_append_c (shown, *c);
  sl_run_printf (run, "%s%s  %s\n", strlen (name) == shown->len ? "" : "\\", digest, shown->str);
}

static gboolean
print_id (SlRun *run, const char *path, GError **error)
{
  g_autoptr (SlReader) reader = sl_run_open (run, NULL, path, NULL, error);
  if (reader == NULL)
    return FALSE;
  g_auto (Digest) digest = { 0 };
  digest_init (&digest, sl_reader_table (reader));
  for (;;)
    {
      g_autoptr (SlBatch) batch = NULL;
      if (!sl_reader_next (reader, &batch, error))
        return FALSE;
      if (batch == NULL)
        break;
      digest_batch (&digest, batch);
    }
  g_autofree char *text = digest_finish (&digest);
  print_line (run, text, path);
  return TRUE;
}

static gboolean
run (SlRun *run, GError **error)
{
  if (run->files[0] == NULL)
    return print_id (run, "-", error);
  for (char **path = run->files; *path != NULL; path++)
    if (!print_id (run, *path, error))
      return FALSE;
  return TRUE;
}

const SlCommand sl_command_id = {
  .name = "id",
  .summary = "print a digest of what tables say, whatever their format and history",
  .arguments = "[FILE…]",
  .flags = SL_COMMAND_TABLES | SL_COMMAND_TEXT,
  .description = "Prints one line a table: 32 hexadecimal digits and the file's name. The digest "
                 "covers the kind of table, the classes in their order, which columns there are, "
                 "and every value in row order. It does not cover the file format, compression, "
                 "cutting into batches, or history (`softlabel history`), so tables that were "
                 "made in different ways can be compared. Equal numbers count as equal: -0 as "
                 "0.\n\n"
                 "The digest is XXH3-128, which is made to find accidents, not to withstand "
                 "attacks.",
  .examples = "softlabel id labels.parquet labels.arrows\n"
              "    two equal digests if one was converted from the other\n"
              "softlabel redistribute answers.arrows | softlabel id\n"
              "    the digest of what a stage writes\n",
  .run = run,
};
