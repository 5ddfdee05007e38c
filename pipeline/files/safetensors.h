/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of named arrays: 8 bytes with the header's length, the header in JSON, the numbers.
 * https://huggingface.co/docs/safetensors. A file that is read is not trusted: lengths, offsets,
 * overlaps, types and sizes are checked. */
#pragma once

#include "output.h"

#define SL_SAVED_DIMS 8

typedef enum
{
  SL_SAVED_FLOAT32,
  SL_SAVED_FLOAT64,
  SL_SAVED_FLOAT16,
  SL_SAVED_BFLOAT16,
  SL_SAVED_INT64,
  SL_SAVED_INT32,
  SL_SAVED_INT16,
  SL_SAVED_INT8,
  SL_SAVED_UINT8,
  SL_SAVED_BOOL,
} SlSavedType;

typedef struct
{
  const char *name;
  SlSavedType type;
  int n_dims;
  gint64 dim[SL_SAVED_DIMS];
  gconstpointer data; /* [product of dim], in the machine's order, aligned to nothing */
} SlSavedArray;

gsize sl_saved_size (const SlSavedArray *array);  /* numbers */
gsize sl_saved_bytes (const SlSavedArray *array); /* that they take */

/* XXH3 of the numbers in ARRAYS[n], those without any left out: tells whether one has changed. */
char *sl_saved_digest (const SlSavedArray *arrays, gsize n);

/* The numbers as single precision. */
void sl_saved_floats (const SlSavedArray *array, float *out);

/* Writes ARRAYS[n]. METADATA: names and texts by turns, NULL-terminated; or NULL. */
gboolean sl_safetensors_write (SlOutput *output, const char *const *metadata,
                               const SlSavedArray *arrays, gsize n, GError **error);

typedef struct
{
  char *path;           /* for messages */
  GHashTable *metadata; /* of texts by name */
  SlSavedArray *array;  /* [n], in the file's order */
  gsize n;
  gsize n_bytes;         /* of all numbers */
  struct _SlInput *from; /* private */
  guint8 *bytes;
  GPtrArray *names;
} SlSafetensors;

/* Reads the header of the file PATH, "-" being standard input. Then the caller knows n_bytes, and
 * may claim them. */
gboolean sl_safetensors_open (SlSafetensors *file, const char *path, GError **error);

/* Reads the numbers, up to the file's end. */
gboolean sl_safetensors_load (SlSafetensors *file, GError **error);

/* The array NAME, or NULL. */
const SlSavedArray *sl_safetensors_find (const SlSafetensors *file, const char *name);

/* The text of NAME in the metadata, or NULL. */
const char *sl_safetensors_text (const SlSafetensors *file, const char *name);

void sl_safetensors_clear (SlSafetensors *file);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlSafetensors, sl_safetensors_clear)
