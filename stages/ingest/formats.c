/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "formats.h"

/* A new format is a file that defines sl_ingest_NAME, and a row here. */
#define FORMATS(ROW)                                                                               \
  ROW (long, "CSV or TSV with one answer a row",                                                   \
       SL_FORMAT_COLUMN | SL_FORMAT_HEADER | SL_FORMAT_NA | SL_FORMAT_NAMES | SL_FORMAT_PERCENTS)  \
  ROW (jspsych, "the CSV export of a jsPsych survey in the form of CIFAR-10S",                     \
       SL_FORMAT_COLUMN | SL_FORMAT_NA | SL_FORMAT_PERCENTS | SL_FORMAT_REPLACE_PERCENT)           \
  ROW (counts, "a matrix of votes, a row an item and a column a class, as NumPy array or CSV",     \
       SL_FORMAT_HEADER)                                                                           \
  ROW (cifar10h, "cifar10h-raw.csv, the single answers behind CIFAR-10H", SL_FORMAT_COLUMN)        \
  ROW (mixup, "CSV or TSV with one answer about a mixture of two items a row",                     \
       SL_FORMAT_COLUMN | SL_FORMAT_HEADER | SL_FORMAT_NA | SL_FORMAT_NAMES)

#define DECLARE(format, meaning, traits) extern const SlIngestFormat sl_ingest_##format;
#define POINTER(format, meaning, traits) &sl_ingest_##format,
#define NAME(format, meaning, traits) #format,
#define MEANING(format, meaning, traits) meaning,
#define TRAITS(format, meaning, traits) traits,

FORMATS (DECLARE)
const SlIngestFormat *const sl_ingest_formats[] = { FORMATS (POINTER) NULL };
const char *const sl_ingest_format_names[] = { FORMATS (NAME) NULL };
const char *const sl_ingest_format_meanings[] = { FORMATS (MEANING) NULL };
const guint32 sl_ingest_format_traits[] = { FORMATS (TRAITS) };
