/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The types of columns: one row of sl_types[] holds all that the pipeline does with values of one
 * type. How a terminal shows them is in display/value-text.c, in a table of the same length. A new
 * type is one enumerator at the end of SlType (table.h) and one row in each of the two. */
#pragma once

#include "pipeline/base/intern/intern.h"
#include "pipeline/table/batch.h"
#include "pipeline/table/carray.h"

typedef struct _SlCanonical SlCanonical;       /* canonical/canonical.c */
typedef struct _SlColumnDigest SlColumnDigest; /* digest.h */

/* Where values read from text go. */
typedef struct
{
  SlBuilder *builder;
  const SlTable *table;
  SlIntern *classes; /* their names */
  gboolean learn;    /* a class that is not among them is a new one */
} SlTextRow;

typedef enum
{
  SL_STORAGE_FIXED, /* every value takes the same number of bytes */
  SL_STORAGE_BYTES, /* offsets into bytes */
  SL_STORAGE_LISTS, /* offsets into members */
} SlStorage;

typedef struct
{
  const char *name; /* as people write it: "dictionary<int32, utf8>" */
  SlStorage storage;
  /* Of a value; of bytes and lists, what a usual one is reckoned to take where batches are cut. */
  int bytes;
  gint64 (*n_bytes) (const SlTable *table, int column); /* where the table says how many; or NULL */
  /* Of SL_STORAGE_FIXED: where SlColumn points to them, and the bytes of one that is missing. */
  gsize values;
  gconstpointer missing; /* NULL: zeros */

  /* As Arrow has it. */
  GArrowDataType *(*arrow) (const SlTable *table, int column);
  GHashTable *(*metadata) (const SlTable *table, int column); /* of the field; NULL: none */
  gboolean (*fits) (GArrowDataType *type);                    /* in a table from elsewhere */
  gboolean (*learn) (SlTable *table, int column, GArrowField *field, GError **error); /* or NULL */
  GArrowArray *(*canonical) (GArrowArray *array, const SlCanonical *context, GError **error);

  /* In batches and builders. */
  void (*point) (SlBatch *batch, int column, const struct ArrowArray *array);
  void (*take) (SlBuilder *builder, int column, struct ArrowArray *out);
  gboolean (*is_missing) (const SlColumn *values, gint64 row); /* NULL: `valid` says all */
  void (*copy) (SlBuilder *builder, int column, const SlBatch *batch, gint64 row);
  int (*compare) (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column);
  /* NULL: it has no classes in it. */
  void (*map) (SlBuilder *builder, int column, const SlBatch *batch, const gint32 *classes);
  void (*digest) (SlColumnDigest *digest, const SlBatch *batch, int column);

  /* As text. */
  void (*csv_names) (GString *out, const SlTable *table, int column); /* NULL: one field */
  void (*csv) (GString *out, const SlBatch *batch, int column, gint64 row);
  void (*json) (GString *out, const SlBatch *batch, int column, gint64 row);
  /* One value of the texts that csv() wrote: a FIELD, or, of labels, one a class. Returns NULL, or
   * what is wrong, to be freed. NULL: it cannot be read. */
  char *(*read) (const SlTextRow *to, int column, char *const *field);
} SlTypeRow;

extern const SlTypeRow sl_types[SL_N_TYPES];

/* The row of COLUMN's type. */
static inline const SlTypeRow *
sl_type_of (const SlTable *table, int column)
{
  return &sl_types[table->spec[column].type];
}

/* Bytes of one value of COLUMN, as SlTypeRow.bytes has it. */
gint64 sl_type_bytes (const SlTable *table, int column);

/* Whether row ROW of COLUMN has no value. */
gboolean sl_value_is_missing (const SlBatch *batch, int column, gint64 row);

/* Compares two values by some total order in which NaN has a place and -0 differs from 0. Returns 0
 * where they are alike. */
int sl_value_compare (const SlBatch *a, gint64 i, const SlBatch *b, gint64 j, int column);

/* Appends row ROW's value to the builder's column of the same number, which is of a table with the
 * same classes. */
void sl_value_copy (SlBuilder *builder, int column, const SlBatch *batch, gint64 row);

/* A member of a list, as it stands between bars and colons in CSV: those in it are behind a
 * backslash (type-text.c). */
void sl_csv_append_member (GString *out, const char *text, gsize length);
