/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a format is: one file, which defines an SlIngestFormat, and one row in formats.c. */
#pragma once

#include "stages/ingest/readers/answers.h"

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
  SL_FORMAT_UNNAMED = 1 << 8,         /* --items */
  SL_FORMAT_LABELS = 1 << 9,          /* --labels */
  SL_FORMAT_LAYOUT = 1 << 10,         /* --layout, --severity */
  SL_FORMAT_IMAGES = 1 << 11,         /* --resize, --fit, --item, --pattern, --class-map */
  SL_FORMAT_QUESTION = 1 << 12,       /* --question */
  SL_FORMAT_KEEP = 1 << 13,           /* --keep */
  SL_FORMAT_ANNOTATOR = 1 << 14,      /* --annotator */
  SL_FORMAT_REJECT_AS = 1 << 15,      /* --reject-as */
  SL_FORMAT_TRANSPOSE = 1 << 16,      /* --transpose */
  SL_FORMAT_COLUMNS = 1 << 17,        /* --columns */
  SL_FORMAT_TRIAL_TYPE = 1 << 18,     /* --trial-type */
  SL_FORMAT_DISTRIBUTIONS = 1 << 19,  /* --items, --rescale */
  SL_FORMAT_GOLD = 1 << 20,           /* --gold */
  SL_FORMAT_REPEATS = 1 << 21,        /* --repeats */
  SL_FORMAT_LISTS = 1 << 22,          /* --multi-label */
  SL_FORMAT_CODES = 1 << 23,          /* numbers are classes for want of names, not a scale */
  SL_FORMAT_ATTRIBUTES = 1 << 24,     /* --annotator-columns */
  SL_FORMAT_NUMBERS = 1 << 25,        /* --decimal-comma */
} SlFormatTraits;

typedef struct
{
  const SlColumnRole *roles;   /* for --column; NULL if that is of no use */
  const char *const *statuses; /* for --keep, NULL-terminated; NULL if that is of no use */
  /* Before any file is read; or NULL. */
  gboolean (*check) (const SlIngestOptions *options, GError **error);
  /* What the files hold: answers, of which the reader in answers.h makes rows; records that are a
   * row each (row-format.h); or else what reads them. */
  const SlAnswersFormat *answers;
  const struct _SlRowFormat *rows;
  gboolean (*run) (SlIngest *ingest, GError **error);
  gboolean in_turn; /* what RUN reads is written a file after the other, as of the first two */
} SlIngestFormat;

/* Every format there is, what --from calls it, the kind of table it makes, and a clause for --help;
 * end with NULL. */
extern const SlIngestFormat *const sl_ingest_formats[];
extern const char *const sl_ingest_format_names[];
extern const SlKind *const sl_ingest_format_kinds[];
extern const char *const sl_ingest_format_meanings[];
extern const guint32 sl_ingest_format_traits[]; /* SlFormatTraits of each */

/* For --column of a format that knows one role alone. */
extern const SlColumnRole sl_role_item[], sl_role_annotator[];

/* The one that stands for a guess. */
extern const SlIngestFormat sl_ingest_auto;
