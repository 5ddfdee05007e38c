/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a table is: its kind, its classes, its columns, its history.
 *
 * A kind (schemas/) says once which columns a table has, of what type and with what meaning; the
 * reader's checks, the builder, `softlabel schema` and the manual come from that. An SlTable is one
 * table's header: a kind, the classes in their order, and which of the kind's optional columns it
 * has. */
#pragma once

#include "tags.h"
#include "tensor.h"

#include "pipeline/arrow/arrow-types.h"

/* What a value is; types/types.h says what is done with each. */
typedef enum
{
  SL_TYPE_TEXT,    /* utf8 */
  SL_TYPE_CLASS,   /* dictionary<int32, utf8>, the dictionary being the table's classes */
  SL_TYPE_CLASSES, /* list<class> */
  SL_TYPE_CHOICES, /* list<struct<class: class, percent: float64?>> */
  SL_TYPE_LABEL,   /* fixed_size_list<float64>[number of classes] */
  SL_TYPE_BOOL,
  SL_TYPE_INT32,
  SL_TYPE_INT64,
  SL_TYPE_REAL,    /* float64 */
  SL_TYPE_FLOAT32, /* for what is large and comes from networks */
  /* arrow.fixed_shape_tensor of uint8 or float32; the table says which, and the shape */
  SL_TYPE_TENSOR,
  SL_TYPE_BINARY, /* bytes: an encoded image */
  SL_N_TYPES,
} SlType;

typedef enum
{
  SL_COLUMN_REQUIRED = 0,
  SL_COLUMN_OPTIONAL = 1 << 0, /* a table may be without it */
  SL_COLUMN_NULLABLE = 1 << 1, /* a value may be missing */
  SL_COLUMN_SCORES = 1 << 2,   /* any numbers, of a label: no distribution */
} SlColumnFlags;

typedef struct
{
  const char *name;
  SlType type;
  SlColumnFlags flags;
  const char *meaning;
} SlColumnSpec;

#define SL_MAX_COLUMNS 32 /* of a kind: SlTable has a bit for each */

typedef struct _SlBatch SlBatch;

typedef struct
{
  const char *name;            /* what `softlabel.table` says */
  const char *row;             /* what one row is */
  const char *invariants;      /* one sentence; checked by `check` */
  const SlColumnSpec *columns; /* ends with a NULL name; at most SL_MAX_COLUMNS */
  gboolean (*check) (const SlBatch *batch, GError **error); /* NULL: types say all */
  gboolean tags_in_rows; /* a table's tags are columns, too: tag-columns.h */
} SlKind;

/* Every kind there is; ends with NULL (schemas/kinds.c). */
extern const SlKind *const sl_kinds[];
const SlKind *sl_kind_find (const char *name);

typedef struct
{
  int ref_count;
  const SlKind *kind;
  char **classes; /* NULL-terminated, in class order */
  gint32 n_classes;
  double *values; /* of ordered classes (class-values.h); NULL: they are names alone */
  /* What column i is: the kind's, then tags' in the order of their keys; ends with a NULL name. */
  SlColumnSpec spec[SL_MAX_COLUMNS + 1];
  guint32 columns;                 /* bit i: the table has column i */
  char *provenance;                /* JSON array, one entry a stage; NULL for none */
  SlTags tags;                     /* the conditions it was made under */
  SlTensor tensor[SL_MAX_COLUMNS]; /* of the columns of tensors, what those are */
} SlTable;

/* A header with the kind's required columns; CLASSES is copied (NULL for none). */
SlTable *sl_table_new (const SlKind *kind, const char *const *classes);
SlTable *sl_table_ref (SlTable *table);
void sl_table_unref (SlTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlTable, sl_table_unref)

void sl_table_add (SlTable *table, int column); /* also has this optional column */
gboolean sl_table_has (const SlTable *table, int column);

/* Gives TABLE those columns of FROM, a table of the same kind, whose bits WANTED has. */
void sl_table_take_columns (SlTable *table, const SlTable *from, guint32 wanted);

/* Whether both have the same columns with the same form; *DIFFERENT, unless NULL, is the first that
 * is not. */
gboolean sl_table_columns_equal (const SlTable *a, const SlTable *b, int *different);

/* The tensors of COLUMN are N_DIMS-dimensional; FALSE where no such tensors can be. */
gboolean sl_table_set_tensor (SlTable *table, int column, SlNumber number, int n_dims,
                              const gint64 *dim, GError **error);

/* -1: no such class */
gint32 sl_table_class (const SlTable *table, const char *name, gssize length);

/* The classes of the metadata's JSON text: an array of distinct, non-empty texts. */
gboolean sl_classes_from_json (const char *json, char ***classes, GError **error);

/* The numbers of TABLE's classes among CLASSES[N]; -1: not there. To be freed with g_free(). */
gint32 *sl_table_class_map (const SlTable *table, char *const *classes, gint32 n);

int sl_table_column (const SlTable *table, const char *name); /* -1: no such column */

/* How many rows each batch of such a table has, except the last: a power of two, about 2 MiB of
 * values. It follows from the header alone, so the same rows give the same bytes however they
 * arrived. */
gint64 sl_table_batch_rows (const SlTable *table);

GArrowDataType *sl_table_column_type (const SlTable *table, int column);
GArrowSchema *sl_table_to_schema (const SlTable *table);

/* The header that SCHEMA's metadata and columns tell; KIND and CLASSES, where not NULL, stand in
 * for missing metadata. Columns the kind does not know are left out; a missing or mistyped column
 * is an error. */
SlTable *sl_table_from_schema (GArrowSchema *schema, const SlKind *kind, const char *const *classes,
                               GError **error);

/* A column of tensors may be lists that do not say how long they are. */
gboolean sl_table_is_settled (const SlTable *table);

/* Lists are as long as the first one of BATCH, whose columns are those that the header was made
 * from. FALSE where that is no length of tensors; not settled yet where the batch has no rows. */
gboolean sl_table_settle (SlTable *table, GArrowRecordBatch *batch, GError **error);
