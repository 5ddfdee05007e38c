/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What builder.c (collecting) and builder-take.c (handing out) share. */
#pragma once

#include "batch.h"
#include "carray.h"

/* A growing buffer that becomes part of an array. */
typedef struct
{
  char *memory;
  gsize used, size; /* bytes */
} SlBuffer;

typedef struct
{
  SlType type;
  gint64 n;             /* rows so far; for lists, ended lists */
  gint64 n_inner;       /* list members so far */
  SlBuffer values;      /* fixed-width values, codes, text bytes; a byte a row for booleans */
  SlBuffer offsets;     /* text and lists */
  SlBuffer reals;       /* percents */
  SlBuffer valid;       /* a byte a row; empty as long as all are there */
  SlBuffer inner_valid; /* likewise, of the percents */
  struct ArrowArray shared;
} SlBuilderColumn;

struct _SlBuilder
{
  SlTable *table;
  GArrowSchema *schema;
  GArrowArray *classes;
  gint64 batch_rows;
  /* SL_BATCH_FULL and G_MAXINT32, but in tests: of text or list members in a column */
  gint64 full, most;
  gboolean over; /* something did not fit and was left out: no batch comes of it */
  SlBuilderColumn column[SL_MAX_COLUMNS];
  int n_columns;
};

gpointer sl_grow (SlBuffer *buffer, gsize bytes); /* room for so many more */

/* Whether a column can have MORE bytes of text, or members of lists, behind its END; if not, the
 * batch is spoilt. */
gboolean sl_builder_fits (SlBuilder *builder, gint64 end, gint64 more);
