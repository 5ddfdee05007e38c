/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several tables of one kind, read one after the other as if they were one: what cat and overlay
 * have in common. Classes in another order than the first table's are put into its order. */
#pragma once

#include "pipeline/command/run.h"

typedef struct
{
  SlRun *run;
  SlReaderOptions how;
  const char *const *order; /* of the classes; NULL: that of the first table */
  gboolean common;          /* leave out columns that not all tables have */
  char **paths;
  guint n;
  SlReader **readers; /* [n]; NULL: closed, to be opened again in its turn */
  char *first_name;
  SlTable *plain; /* what the tables are alike in: the kind's columns */
  SlTags tagged;  /* keys of all columns of tags */
  SlTable *table; /* what is written: PLAIN, and those columns */
  SlTable *own;   /* the table that is read, with those columns */
  guint at;       /* the table that is read */
  gint32 *map;    /* of its classes; NULL before its first batch */
  gboolean same_classes, as_is;
  SlBuilder *builder;
  gint64 rows; /* read so far */
} SlJoined;

/* The files of RUN, or standard input where there are none; HOW, ORDER and COMMON as above. */
void sl_joined_init (SlJoined *joined, SlRun *run, const SlReaderOptions *how,
                     const char *const *order, gboolean common);
void sl_joined_clear (SlJoined *joined);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlJoined, sl_joined_clear)

/* Sees all headers before the first row is read, and makes joined->table. Files are closed again
 * and opened anew in their turn, so that there may be thousands; what comes by a pipe stays
 * open. */
gboolean sl_joined_open (SlJoined *joined, GError **error);

/* The next batch of table joined->at, as one of joined->table; NULL at the end of all. */
gboolean sl_joined_next (SlJoined *joined, SlBatch **batch, GError **error);
