/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "formats.h"

#include "schemas/annotations.h"
#include "schemas/features.h"
#include "schemas/mixtures.h"

/* A new format is a file that defines sl_ingest_NAME, and a row here, beside those of its kind. */
#define FORMATS(ROW)                                                                               \
  ROW (long, annotations, "CSV or TSV with one answer a row",                                      \
       SL_FORMAT_DELIMITER | SL_FORMAT_COLUMN | SL_FORMAT_HEADER | SL_FORMAT_NA | SL_FORMAT_NAMES  \
           | SL_FORMAT_PERCENTS)                                                                   \
  ROW (jspsych, annotations, "the CSV export of a jsPsych survey in the form of CIFAR-10S",        \
       SL_FORMAT_DELIMITER | SL_FORMAT_COLUMN | SL_FORMAT_NA | SL_FORMAT_PERCENTS                  \
           | SL_FORMAT_REPLACE_PERCENT)                                                            \
  ROW (counts, annotations,                                                                        \
       "a matrix of votes, a row an item and a column a class, as NumPy array or CSV",             \
       SL_FORMAT_DELIMITER | SL_FORMAT_HEADER)                                                     \
  ROW (cifar10h, annotations, "cifar10h-raw.csv, the single answers behind CIFAR-10H",             \
       SL_FORMAT_DELIMITER | SL_FORMAT_COLUMN)                                                     \
  ROW (mixup, mixtures, "CSV or TSV with one answer about a mixture of two items a row",           \
       SL_FORMAT_DELIMITER | SL_FORMAT_COLUMN | SL_FORMAT_HEADER | SL_FORMAT_NA | SL_FORMAT_NAMES) \
  ROW (cifar10, features, "CIFAR-10 in its binary version: test_batch.bin, data_batch_1.bin ...",  \
       SL_FORMAT_EXAMPLES | SL_FORMAT_UNNAMED)                                                     \
  ROW (idx, features, "MNIST's idx files, gzipped or not",                                         \
       SL_FORMAT_EXAMPLES | SL_FORMAT_UNNAMED | SL_FORMAT_LABELS | SL_FORMAT_NA)                   \
  ROW (                                                                                            \
      npy, features, "a NumPy array with a row an example: images, or vectors such as embeddings", \
      SL_FORMAT_EXAMPLES | SL_FORMAT_UNNAMED | SL_FORMAT_LABELS | SL_FORMAT_LAYOUT | SL_FORMAT_NA) \
  ROW (table, features, "numeric columns, or one of lists, of CSV, Parquet or Arrow",              \
       SL_FORMAT_EXAMPLES | SL_FORMAT_DELIMITER | SL_FORMAT_COLUMN | SL_FORMAT_NA                  \
           | SL_FORMAT_NAMES)                                                                      \
  ROW (images, features, "folders of PNG and JPEG files", SL_FORMAT_EXAMPLES | SL_FORMAT_IMAGES)

#define DECLARE(format, kind, meaning, traits) extern const SlIngestFormat sl_ingest_##format;
#define POINTER(format, kind, meaning, traits) &sl_ingest_##format,
#define NAME(format, kind, meaning, traits) #format,
#define KIND(format, kind, meaning, traits) &sl_##kind,
#define MEANING(format, kind, meaning, traits) meaning,
#define TRAITS(format, kind, meaning, traits) traits,

FORMATS (DECLARE)
const SlIngestFormat *const sl_ingest_formats[] = { FORMATS (POINTER) NULL };
const char *const sl_ingest_format_names[] = { FORMATS (NAME) NULL };
const SlKind *const sl_ingest_format_kinds[] = { FORMATS (KIND) NULL };
const char *const sl_ingest_format_meanings[] = { FORMATS (MEANING) NULL };
const guint32 sl_ingest_format_traits[] = { FORMATS (TRAITS) };
