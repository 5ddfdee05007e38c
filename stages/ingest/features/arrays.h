/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the numbers of an array's row become an example. */
#pragma once

#include "stages/ingest/readers/array-file.h"
#include "pipeline/table/tensor.h"

typedef enum
{
  SL_LAYOUT_AUTO, /* the last dimension, or else the first, is of channels: it is 1 or 3 */
  SL_LAYOUT_HWC,
  SL_LAYOUT_CHW,
} SlImageLayout;

typedef struct
{
  SlNumber number;
  int n_dims;
  gint64 dim[3];   /* of the example: channels first, or the numbers of a vector */
  gsize stride[3]; /* bytes in the file between two numbers along each */
} SlArrayForm;

/* What rows of FILE are; NULL, or what is wrong with them, to be freed. */
char *sl_array_form_find (const SlArrayFile *file, SlImageLayout layout, SlArrayForm *form);

/* The row that begins at FROM as an example. */
void sl_array_form_take (const SlArrayForm *form, const SlNpy *npy, const guint8 *from,
                         gpointer to);
