/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "formats.h"

/* A new format is a file that defines sl_ingest_NAME, and a row here. */
#define FORMATS(ROW)                                                                               \
  ROW (long, "CSV or TSV with one answer a row")                                                   \
  ROW (jspsych, "the CSV export of a jsPsych survey in the form of CIFAR-10S")                     \
  ROW (counts, "a matrix of votes, a row an item and a column a class, as NumPy array or CSV")     \
  ROW (cifar10h, "cifar10h-raw.csv, the single answers behind CIFAR-10H")                          \
  ROW (mixup, "CSV or TSV with one answer about a mixture of two items a row")

#define DECLARE(format, meaning) extern const SlIngestFormat sl_ingest_##format;
#define POINTER(format, meaning) &sl_ingest_##format,
#define NAME(format, meaning) #format,
#define MEANING(format, meaning) meaning,

FORMATS (DECLARE)
const SlIngestFormat *const sl_ingest_formats[] = { FORMATS (POINTER) NULL };
const char *const sl_ingest_format_names[] = { FORMATS (NAME) NULL };
const char *const sl_ingest_format_meanings[] = { FORMATS (MEANING) NULL };
