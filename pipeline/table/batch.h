/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One piece of a table with checked, canonical columns, and the builder that makes such pieces. */
#pragma once

#include "pipeline/base/texts.h"
#include "table.h"

/* One column's values; which members are set follows from the type. Lists: row i has the values at
 * start[i] <= j < start[i + 1] of `code` (and `percent`). A missing value is -1 (class), NaN (real,
 * float32, percent), an empty text, an empty list, 0 (integer), FALSE; `valid`, where not NULL, has
 * one byte a row. */
typedef struct
{
  GArrowArray *array; /* as it came, to be handed on without a copy */
  const guint8 *valid;
  SlText text;          /* also bytes */
  const gint32 *start;  /* lists */
  const gint32 *code;   /* classes, as indices into the table's classes */
  const double *real;   /* reals; labels, [n_rows][n_classes]; the percents of choices */
  const float *float32; /* also tensors of them, [n_rows][size] */
  const guint8 *uint8;  /* tensors, [n_rows][size] */
  const gint32 *int32;
  const gint64 *int64;
  const guint8 *flag; /* booleans, one byte a row */
} SlColumn;

struct _SlBatch
{
  int ref_count;
  SlTable *table;
  gint64 n_rows;
  gint64 first_row; /* rows of the table before this batch */
  GArrowRecordBatch *arrow;
  /* By the kind's column index; .array is NULL where the table has no such column. */
  SlColumn column[SL_MAX_COLUMNS];
  GPtrArray *owned; /* memory behind the pointers */
  const guint8
      *aside; /* [n_rows]: rows that do not count, whatever they say; NULL: there are none */
};

/* ARROW has TABLE's canonical columns, in the kind's order. */
SlBatch *sl_batch_new (SlTable *table, GArrowRecordBatch *arrow, gint64 first_row, GError **error);
SlBatch *sl_batch_ref (SlBatch *batch);
void sl_batch_unref (SlBatch *batch);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlBatch, sl_batch_unref)

/* The rows with a non-zero byte in KEEP[n_rows]; NULL and ERROR on failure. */
SlBatch *sl_batch_filter (SlBatch *batch, const guint8 *keep, GError **error);

/* BATCH takes ASIDE[n_rows], unless it has rows set aside already. */
void sl_batch_set_aside (SlBatch *batch, guint8 *aside);

/* Bytes of memory that the batch's columns take. */
gsize sl_batch_bytes (const SlBatch *batch);

/* A batch ends with a column's so many bytes of text, or members of lists, however few its rows
 * are: offsets have 32 bits. */
#define SL_BATCH_FULL (1 << 28)

/* A builder collects values column by column and hands them out as batches. Appending never fails
 * but for memory, which aborts, as all of GLib's allocation does; of more text than a batch can
 * hold sl_builder_take() tells. Lists: append the values, then end the list. */
typedef struct _SlBuilder SlBuilder;

SlBuilder *sl_builder_new (SlTable *table);
void sl_builder_free (SlBuilder *builder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlBuilder, sl_builder_free)

/* A text; many at once: texts FIRST .. FIRST + N - 1. Columns of bytes take them too. */
void sl_builder_text (SlBuilder *builder, int column, const char *text, gsize length);
void sl_builder_texts (SlBuilder *builder, int column, SlText texts, gint64 first, gint64 n);

/* Codes of classes; -1 is missing. */
void sl_builder_class (SlBuilder *builder, int column, gint32 code);
void sl_builder_classes (SlBuilder *builder, int column, const gint32 *codes, gint64 n);

/* Lists, member by member: of classes, or of classes with a percent, which is NaN where it is
 * missing. */
void sl_builder_member (SlBuilder *builder, int column, gint32 code);
void sl_builder_choice (SlBuilder *builder, int column, gint32 code, double percent);
void sl_builder_end_list (SlBuilder *builder, int column);

/* Numbers; NaN is missing where the column is nullable. Integers go into columns of either
 * width. */
void sl_builder_real (SlBuilder *builder, int column, double value);
void sl_builder_float32 (SlBuilder *builder, int column, float value);
void sl_builder_int (SlBuilder *builder, int column, gint64 value);
void sl_builder_bool (SlBuilder *builder, int column, gboolean value);

/* A missing value, of any nullable column. */
void sl_builder_null (SlBuilder *builder, int column);

/* Room for N labels, zeroed, or for N tensors, not cleared. */
double *sl_builder_labels (SlBuilder *builder, int column, gint64 n);
gpointer sl_builder_tensors (SlBuilder *builder, int column, gint64 n);

/* All of FROM's rows of FROM_COLUMN, without a copy. */
void sl_builder_share (SlBuilder *builder, int column, const SlBatch *from, int from_column);

/* N texts, DATA[start[i]] up to DATA[end[i]]; 16 bytes from where one begins must be readable. */
void sl_builder_spans (SlBuilder *builder, int column, const char *data, const guint32 *start,
                       const guint32 *end, gint64 n);

gint64 sl_builder_rows (const SlBuilder *builder); /* rows so far, by the first column */

/* Rows until a batch is full; 0 too at SL_BATCH_FULL. */
gint64 sl_builder_room (const SlBuilder *builder);

/* Rows may be collected apart, by another thread or before the classes are known, in a builder of a
 * table of the same kind with the same columns, and added later: as many of FROM's rows from FIRST
 * up to END as BUILDER has room for. Returns the row behind them. */
gint64 sl_builder_append (SlBuilder *builder, const SlBuilder *from, gint64 first, gint64 end);

/* Every class c in COLUMN becomes MAP[c]. */
void sl_builder_recode (SlBuilder *builder, int column, const gint32 *map);

/* No rows any more; the memory is kept. */
void sl_builder_clear (SlBuilder *builder);

/* The rows are to wait: gives back the memory that they do not need. */
void sl_builder_shrink (SlBuilder *builder);
gsize sl_builder_bytes (const SlBuilder *builder);

/* What has been collected, as a batch; the builder is empty again. */
SlBatch *sl_builder_take (SlBuilder *builder, GError **error);
