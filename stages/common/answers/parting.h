/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers parted by an attribute of their annotators: what those of one value say of an item is an
 * item by itself. Its name, here, is the item's, a NUL, which no name has, and the value. */
#pragma once

#include "stages/common/items/row-tags.h"
#include "row-votes.h"

typedef struct
{
  int column; /* of the answers' table; 0: they are not parted */
  const char *source;
  SlAnnotatorTags tags; /* sees that every annotator is of one part */
  gint64 n_without;     /* rows of no part, which are left out */
  GByteArray *names;    /* of the batch at hand */
  GArray *offsets;
} SlParting;

void sl_parting_init (SlParting *parting, const SlTable *answers, int column, const char *source);
void sl_parting_clear (SlParting *parting);

/* The rows of BATCH that are of a part. */
SlBatch *sl_parting_rows (SlParting *parting, SlBatch *batch, GError **error);

/* The items of ROWS, all of which are of a part, become those of the parts, until the next call. */
gboolean sl_parting_name (SlParting *parting, SlRowVotes *rows, GError **error);

/* How long the item's own name is, in NAME[length]. */
static inline gsize
sl_parting_item (const char *name, gsize length)
{
  const char *end = memchr (name, '\0', length);
  return end != NULL ? (gsize) (end - name) : length;
}
