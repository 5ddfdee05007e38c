/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Examples that a format reads, into a table of features: their names, that no name is there twice,
 * that all numbers are finite. */
#pragma once

#include "stages/ingest/ingestion.h"
#include "stages/ingest/readers/text-lines.h"

typedef struct
{
  SlIngest *ingest;
  SlTensor tensor;   /* of every example, once the first file was seen */
  SlTextLines names; /* of --items */
  SlIntern *items;
  const char *advice; /* for names that come again; NULL: the usual */
  gsize claimed;
  gint64 n; /* examples so far, bad ones too */
} SlExamplesOut;

typedef struct
{
  const char *file; /* for messages, */
  gint64 row;       /* and where it is there; -1: the file has but one */
  const char *name; /* NULL: it has none but its number */
  gint64 number;
  gconstpointer x; /* as the tensor says */
  gint32 gold;     /* -1: not known */
} SlExample;

/* Reads what --items names. */
gboolean sl_examples_init (SlExamplesOut *out, SlIngest *ingest, GError **error);
void sl_examples_clear (SlExamplesOut *out);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlExamplesOut, sl_examples_clear)

/* Those of FILE, which come next, are tensors of N_DIMS dimensions. The first time the table
 * begins, with the classes by now, and gold where GOLD; then they must be as those before them. */
gboolean sl_examples_start (SlExamplesOut *out, const char *file, SlNumber number, int n_dims,
                            const gint64 *dim, gboolean gold, GError **error);

gboolean sl_examples_add (SlExamplesOut *out, const SlExample *example, GError **error);

/* After the last one. */
gboolean sl_examples_end (SlExamplesOut *out, GError **error);
