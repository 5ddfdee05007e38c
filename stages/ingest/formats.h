/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a format is: one file, which defines an SlIngestFormat, and one row in formats.c. */
#pragma once

#include "ingestion.h"

/* What a format can make use of; an option of the others is refused (SlOption.of). */
typedef enum
{
  SL_FORMAT_COLUMN = 1 << 0,          /* --column */
  SL_FORMAT_HEADER = 1 << 1,          /* --header */
  SL_FORMAT_NA = 1 << 2,              /* --na */
  SL_FORMAT_NAMES = 1 << 3,           /* --trim, --rename-class */
  SL_FORMAT_PERCENTS = 1 << 4,        /* --percent-scale */
  SL_FORMAT_REPLACE_PERCENT = 1 << 5, /* --replace-percent, --zero-percent */
  SL_FORMAT_QUESTION = 1 << 6,        /* --question */
  SL_FORMAT_KEEP = 1 << 7,            /* --keep */
  SL_FORMAT_ANNOTATOR = 1 << 8,       /* --annotator */
  SL_FORMAT_REJECT_AS = 1 << 9,       /* --reject-as */
  SL_FORMAT_TRANSPOSE = 1 << 10,      /* --transpose */
  SL_FORMAT_COLUMNS = 1 << 11,        /* --columns */
  SL_FORMAT_TRIAL_TYPE = 1 << 12,     /* --trial-type */
  SL_FORMAT_DISTRIBUTIONS = 1 << 13,  /* --items, --rescale */
  SL_FORMAT_FOLDERS = 1 << 14,        /* a folder for the files in it */
} SlFormatTraits;

typedef struct
{
  const SlKind *kind;          /* of the table it makes */
  const SlColumnRole *roles;   /* for --column; NULL if that is of no use */
  const char *const *statuses; /* for --keep, NULL-terminated; NULL if that is of no use */
  /* Before any file is read; or NULL. */
  gboolean (*check) (const SlIngestOptions *options, GError **error);
  gboolean (*run) (SlIngest *ingest, GError **error);
} SlIngestFormat;

/* Every format there is, what --from calls it, and a clause for --help; end with NULL. */
extern const SlIngestFormat *const sl_ingest_formats[];
extern const char *const sl_ingest_format_names[];
extern const char *const sl_ingest_format_meanings[];
extern const guint32 sl_ingest_format_traits[]; /* SlFormatTraits of each */

/* The one that stands for a guess. */
extern const SlIngestFormat sl_ingest_auto;
