/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "digest.h"

#include "pipeline/arrow/digest-chain.h"
#include "types/types-private.h"

#include <math.h>
#include <string.h>

#define CHUNK 1024

/* Values as bytes: integers little-endian, as they are in memory on every machine that Arrow's own
 * files suit. */
G_STATIC_ASSERT (G_BYTE_ORDER == G_LITTLE_ENDIAN);

/* What one column is made of; each part has its own digest, so that a part can be taken a whole
 * batch at a time and yet does not depend on where batches end. */
struct _SlColumnDigest
{
  XXH3_state_t *values;  /* text bytes, codes, numbers */
  XXH3_state_t *lengths; /* of texts and lists */
  XXH3_state_t *valid;
};

struct _SlTableDigest
{
  SlTable *table;
  SlColumnDigest column[SL_MAX_COLUMNS];
  gint64 n_rows;
};

static XXH3_state_t *
new_state (void)
{
  XXH3_state_t *state = XXH3_createState ();
  XXH3_128bits_reset (state);
  return state;
}

SlTableDigest *
sl_table_digest_new (SlTable *table)
{
  SlTableDigest *digest = g_new0 (SlTableDigest, 1);
  digest->table = sl_table_ref (table);
  for (gsize i = 0; i < G_N_ELEMENTS (digest->column); i++)
    digest->column[i] = (SlColumnDigest){ new_state (), new_state (), new_state () };
  return digest;
}

void
sl_table_digest_free (SlTableDigest *digest)
{
  for (gsize i = 0; i < G_N_ELEMENTS (digest->column); i++)
    {
      XXH3_freeState (digest->column[i].values);
      XXH3_freeState (digest->column[i].lengths);
      XXH3_freeState (digest->column[i].valid);
    }
  sl_table_unref (digest->table);
  g_free (digest);
}

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
update_float32s (XXH3_state_t *state, const float *values, gsize n)
{
  float chunk[CHUNK];
  for (gsize i = 0; i < n; i += CHUNK)
    {
      gsize m = MIN (n - i, CHUNK);
      for (gsize j = 0; j < m; j++)
        chunk[j] = isnan (values[i + j]) ? NAN : values[i + j] + 0.0f;
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

/* Only of types whose missing values have no value of their own, like a code of -1 or NaN. */
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

void
sl_digest_text (SlColumnDigest *digest, const SlBatch *batch, int column)
{
  const SlColumn *values = &batch->column[column];
  const gint32 *offset = values->text.offset;
  gint64 n = batch->n_rows;
  if (values->valid == NULL)
    {
      update_lengths (digest->lengths, offset, n);
      update (digest->values, values->text.data + offset[0], (gsize) (offset[n] - offset[0]));
    }
  for (gint64 i = 0; values->valid != NULL && i < n; i++)
    {
      gint32 length = values->valid[i] ? offset[i + 1] - offset[i] : 0;
      update (digest->lengths, &length, sizeof length);
      update (digest->values, values->text.data + offset[i], (gsize) length);
    }
  update_valid (digest->valid, values->valid, n);
}

void
sl_digest_class (SlColumnDigest *digest, const SlBatch *batch, int column)
{
  const gint32 *code = batch->column[column].code;
  update (digest->values, code, (gsize) batch->n_rows * sizeof *code);
}

void
sl_digest_classes (SlColumnDigest *digest, const SlBatch *batch, int column)
{
  const SlColumn *list = &batch->column[column];
  gint32 first = list->start[0], end = list->start[batch->n_rows];
  update_lengths (digest->lengths, list->start, batch->n_rows);
  update (digest->values, list->code + first, (gsize) (end - first) * sizeof *list->code);
}

/* A list is never null, so the percents have the third state. */
void
sl_digest_choices (SlColumnDigest *digest, const SlBatch *batch, int column)
{
  const SlColumn *list = &batch->column[column];
  gint32 first = list->start[0], end = list->start[batch->n_rows];
  sl_digest_classes (digest, batch, column);
  update_reals (digest->valid, list->real + first, (gsize) (end - first));
}

/* What stands where a value is missing is anyone's; it counts as zero. */
void
sl_digest_fixed (SlColumnDigest *digest, const SlBatch *batch, int column)
{
  static const guint8 zero[8];
  const guint8 *bytes = sl_values_of (batch, column), *valid = batch->column[column].valid;
  const gsize width = (gsize) sl_type_of (batch->table, column)->bytes;
  if (valid == NULL)
    update (digest->values, bytes, (gsize) batch->n_rows * width);
  for (gint64 i = 0; valid != NULL && i < batch->n_rows; i++)
    update (digest->values, valid[i] ? bytes + (gsize) i * width : zero, width);
  update_valid (digest->valid, valid, batch->n_rows);
}

void
sl_digest_real (SlColumnDigest *digest, const SlBatch *batch, int column)
{
  const gsize n = (gsize) (batch->n_rows * sl_type_bytes (batch->table, column)) / sizeof (double);
  update_reals (digest->values, batch->column[column].real, n);
}

void
sl_digest_float32 (SlColumnDigest *digest, const SlBatch *batch, int column)
{
  const SlColumn *values = &batch->column[column];
  const gsize bytes = (gsize) (batch->n_rows * sl_type_bytes (batch->table, column));
  if (values->uint8 != NULL)
    update (digest->values, values->uint8, bytes);
  else
    update_float32s (digest->values, values->float32, bytes / sizeof (float));
}

void
sl_table_digest_add (SlTableDigest *digest, const SlBatch *batch)
{
  for (int i = 0; digest->table->spec[i].name != NULL; i++)
    if (sl_table_has (digest->table, i))
      sl_type_of (digest->table, i)->digest (&digest->column[i], batch, i);
  digest->n_rows += batch->n_rows;
}

static void
update_state (XXH3_state_t *all, const XXH3_state_t *part)
{
  XXH128_canonical_t bytes;
  XXH128_canonicalFromHash (&bytes, XXH3_128bits_digest (part));
  update (all, &bytes, sizeof bytes);
}

static void
update_tensor (XXH3_state_t *all, const SlTensor *tensor)
{
  gint32 form[2] = { (gint32) tensor->number, tensor->n_dims };
  update (all, form, sizeof form);
  update (all, tensor->dim, (gsize) tensor->n_dims * sizeof *tensor->dim);
}

/* Texts with their final NUL, which none of them contains, and counts first: no two headers run
 * together alike. */
char *
sl_table_digest_text (const SlTableDigest *digest)
{
  const SlTable *table = digest->table;
  XXH3_state_t *all = new_state ();
  update (all, table->kind->name, strlen (table->kind->name) + 1);
  update (all, &table->n_classes, sizeof table->n_classes);
  for (gint32 k = 0; k < table->n_classes; k++)
    update (all, table->classes[k], strlen (table->classes[k]) + 1);
  update (all, &digest->n_rows, sizeof digest->n_rows);
  for (int i = 0; table->spec[i].name != NULL; i++)
    if (sl_table_has (table, i))
      {
        update (all, table->spec[i].name, strlen (table->spec[i].name) + 1);
        if (table->tensor[i].n_dims > 0)
          update_tensor (all, &table->tensor[i]);
        update_state (all, digest->column[i].values);
        update_state (all, digest->column[i].lengths);
        update_state (all, digest->column[i].valid);
      }
  char text[SL_DIGEST_DIGITS + 1];
  sl_digest_chain_text (all, text);
  XXH3_freeState (all);
  return g_strdup (text);
}
