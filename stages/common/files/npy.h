/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NumPy's .npy files of numbers in up to four dimensions (numpy.lib.format, versions 1.0 to
 * 3.0). */
#pragma once

#include "pipeline/text/source.h"

#define SL_NPY_MAGIC "\x93NUMPY"
#define SL_NPY_MAGIC_BYTES 6
#define SL_NPY_DIMS 4

typedef struct
{
  char kind; /* 'i', 'u', 'f' or 'b' */
  gsize width;
  gboolean swapped; /* not in this machine's byte order */
  gboolean fortran; /* column by column */
  int n_dims;
  gint64 dim[SL_NPY_DIMS]; /* 1 where there is no such dimension */
} SlNpy;

/* Reads what comes before the numbers. */
gboolean sl_npy_read_header (SlSource *source, SlNpy *npy, GError **error);

/* Parses the header's text, a Python dictionary. */
gboolean sl_npy_parse (const char *text, gsize n, SlNpy *npy, GError **error);

/* The number at BYTES. */
double sl_npy_value (const SlNpy *npy, const guint8 *bytes);

/* VALUE as a count; NULL, or what is wrong with it. */
const char *sl_npy_count (double value, gint64 *count);
