/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tensors of one shape, as Arrow's canonical extension type has them (arrow.fixed_shape_tensor):
 * fixed-size lists whose field says in its metadata how the numbers are folded.
 * https://arrow.apache.org/docs/format/CanonicalExtensions.html */
#pragma once

#include "pipeline/arrow/arrow-types.h"

/* What tensors hold. Other numbers are made single precision. */
typedef enum
{
  SL_NUMBER_FLOAT32,
  SL_NUMBER_UINT8,
} SlNumber;

#define SL_MAX_DIMS 8

/* The form that all tensors of a column have. */
typedef struct
{
  SlNumber number;
  int n_dims;              /* 0: the column is none of tensors */
  gint32 dim[SL_MAX_DIMS]; /* numbers that differ in the last dimension alone lie side by side */
  gint32 size;             /* numbers in one; 0: lists whose length only a row tells */
  /* In a table from elsewhere, what lies as its dimension i is axis[i] of these. */
  gint8 axis[SL_MAX_DIMS];
} SlTensor;

/* The largest tensor: more is taken for a mistake, and would not fit a batch. */
#define SL_TENSOR_BYTES (1 << 28)

/* FALSE where there are too many dimensions or numbers, or none. */
gboolean sl_tensor_init (SlTensor *tensor, SlNumber number, int n_dims, const gint64 *dim,
                         GError **error);

gboolean sl_tensor_equal (const SlTensor *a, const SlTensor *b);
gint32 sl_tensor_width (const SlTensor *tensor); /* bytes of a number */
char *sl_tensor_text (const SlTensor *tensor);   /* "uint8 3x32x32" */

GArrowDataType *sl_tensor_number_type (const SlTensor *tensor);
GHashTable *sl_tensor_metadata (const SlTensor *tensor); /* of the field */

/* Whether TYPE is one of lists of numbers, in lists of fixed size or not. */
gboolean sl_tensor_fits (GArrowDataType *type);

/* The form that FIELD, whose type fits, says its tensors have. */
gboolean sl_tensor_learn (SlTensor *tensor, GArrowField *field, GError **error);
