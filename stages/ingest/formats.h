/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a format is: one file, which defines an SlIngestFormat, and one row in formats.c. */
#pragma once

#include "ingestion.h"

typedef struct
{
  const SlKind *kind;        /* of the table it makes */
  const SlColumnRole *roles; /* for --column; NULL if that is of no use */
  /* Of the options that only some formats have, those that this one has; NULL-terminated. */
  const char *const *uses;
  /* Before any file is read; or NULL. */
  gboolean (*check) (const SlIngestOptions *options, GError **error);
  gboolean (*run) (SlIngest *ingest, GError **error);
} SlIngestFormat;

/* Every format there is, what --from calls it, and a clause for --help; end with NULL. */
extern const SlIngestFormat *const sl_ingest_formats[];
extern const char *const sl_ingest_format_names[];
extern const char *const sl_ingest_format_meanings[];
