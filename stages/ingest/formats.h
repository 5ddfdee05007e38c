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
  SL_FORMAT_DELIMITER = 1 << 6,       /* --delimiter */
  SL_FORMAT_EXAMPLES = 1 << 7,        /* --item-prefix */
  SL_FORMAT_UNNAMED = 1 << 8,         /* --items-from */
  SL_FORMAT_LABELS = 1 << 9,          /* --labels */
  SL_FORMAT_LAYOUT = 1 << 10,         /* --layout, --severity */
  SL_FORMAT_IMAGES = 1 << 11,         /* --resize, --fit, --item, --pattern, --class-map */
} SlFormatTraits;

typedef struct
{
  const SlColumnRole *roles; /* for --column; NULL if that is of no use */
  /* Before any file is read; or NULL. */
  gboolean (*check) (const SlIngestOptions *options, GError **error);
  gboolean (*run) (SlIngest *ingest, GError **error);
} SlIngestFormat;

/* Every format there is, what --from calls it, the kind of table it makes, and a clause for --help;
 * end with NULL. */
extern const SlIngestFormat *const sl_ingest_formats[];
extern const char *const sl_ingest_format_names[];
extern const SlKind *const sl_ingest_format_kinds[];
extern const char *const sl_ingest_format_meanings[];
extern const guint32 sl_ingest_format_traits[]; /* SlFormatTraits of each */
