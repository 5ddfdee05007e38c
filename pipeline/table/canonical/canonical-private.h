/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of canonical.c share: each makes one type of column canonical. */
#pragma once

#include "pipeline/table/types/types.h"

struct _SlCanonical
{
  const SlTable *table;
  int column;
  const SlColumnSpec *spec; /* the column's */
  gint64 first_row;         /* for messages */
  /* [rows + 1]: where each row's members begin, while those of lists are made canonical. */
  const gint32 *starts;
};

/* The row, counted from 1, of the table that value (or member of a list) I belongs to. */
gint64 sl_canonical_row (const SlCanonical *context, gint64 i);

/* To Arrow's type for WANTED, one of those for which a table says nothing. */
GArrowArray *sl_canonical_cast (GArrowArray *array, SlType wanted, const SlCanonical *context,
                                GError **error);
GArrowArray *sl_canonical_cast_to (GArrowArray *array, GArrowDataType *type,
                                   const SlCanonical *context, GError **error);
gint64 sl_canonical_missing (GArrowArray *array); /* the first missing value; -1: none */
gboolean sl_canonical_no_nulls (GArrowArray *array, const SlCanonical *context, const char *what,
                                GError **error);

/* The table's code for each entry of a dictionary, or one of these. SAME: it is the table's own. */
#define SL_NO_CLASS (-1)
#define SL_NO_VALUE (-2)
gint32 *sl_canonical_match (GArrowDictionaryArray *array, const SlCanonical *context,
                            gboolean *same, GError **error);

/* The N lists of ARRAY as one array of members, and where each row's begin (memory for a
 * buffer). */
gboolean sl_canonical_open (GArrowArray *array, const SlCanonical *context, gint32 **offsets,
                            GArrowArray **members, GError **error);

/* For sl_types[]. */
GArrowArray *sl_canonical_plain (GArrowArray *array, const SlCanonical *context, GError **error);

/* Text without NULs, which no CSV could hold and no message show. */
GArrowArray *sl_canonical_text (GArrowArray *array, const SlCanonical *context, GError **error);
GArrowArray *sl_canonical_class (GArrowArray *array, const SlCanonical *context, GError **error);
GArrowArray *sl_canonical_list (GArrowArray *array, const SlCanonical *context, GError **error);
GArrowArray *sl_canonical_label (GArrowArray *array, const SlCanonical *context, GError **error);
GArrowArray *sl_canonical_tensor (GArrowArray *array, const SlCanonical *context, GError **error);
