/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "formats.h"

#include "schemas/kinds.h"
#include "stages/common/files/column-names.h"

/* A new format is a file that defines sl_ingest_NAME, and a row here, beside those of its kind. */
#define FORMATS(ROW)                                                                               \
  ROW (long, annotations, "CSV or TSV with one answer a row",                                      \
       SL_FORMAT_ATTRIBUTES | SL_FORMAT_REPEATS | SL_FORMAT_GOLD | SL_FORMAT_DELIMITER             \
           | SL_FORMAT_COLUMN | SL_FORMAT_HEADER | SL_FORMAT_NA | SL_FORMAT_NAMES                  \
           | SL_FORMAT_PERCENTS | SL_FORMAT_LISTS | SL_FORMAT_NUMBERS)                             \
  ROW (jspsych, annotations,                                                                       \
       "a jsPsych survey in the form of CIFAR-10S, CSV; with --trial-type or --question, any "     \
       "trials, CSV or JSON",                                                                      \
       SL_FORMAT_REPEATS | SL_FORMAT_GOLD | SL_FORMAT_DELIMITER | SL_FORMAT_COLUMN | SL_FORMAT_NA  \
           | SL_FORMAT_PERCENTS | SL_FORMAT_REPLACE_PERCENT | SL_FORMAT_TRIAL_TYPE                 \
           | SL_FORMAT_NUMBERS | SL_FORMAT_QUESTION | SL_FORMAT_NAMES | SL_FORMAT_ANNOTATOR)       \
  ROW (counts, annotations,                                                                        \
       "a matrix of votes, a row an item and a column a class, as NumPy array or CSV",             \
       SL_FORMAT_GOLD | SL_FORMAT_DELIMITER | SL_FORMAT_HEADER | SL_FORMAT_CODES)                  \
  ROW (cifar10h, annotations, "cifar10h-raw.csv, the single answers behind CIFAR-10H",             \
       SL_FORMAT_ATTRIBUTES | SL_FORMAT_GOLD | SL_FORMAT_DELIMITER | SL_FORMAT_COLUMN)             \
  ROW (labelstudio, annotations, "Label Studio's JSON, JSON_MIN or CSV",                           \
       SL_FORMAT_LISTS | SL_FORMAT_ATTRIBUTES | SL_FORMAT_REPEATS | SL_FORMAT_GOLD                 \
           | SL_FORMAT_DELIMITER | SL_FORMAT_COLUMN | SL_FORMAT_NA | SL_FORMAT_NAMES               \
           | SL_FORMAT_QUESTION | SL_FORMAT_KEEP | SL_FORMAT_ANNOTATOR)                            \
  ROW (prodigy, annotations, "Prodigy's JSON Lines, of db-out",                                    \
       SL_FORMAT_LISTS | SL_FORMAT_ATTRIBUTES | SL_FORMAT_REPEATS | SL_FORMAT_GOLD | SL_FORMAT_NA  \
           | SL_FORMAT_NAMES | SL_FORMAT_COLUMN | SL_FORMAT_ANNOTATOR | SL_FORMAT_REJECT_AS)       \
  ROW (doccano, annotations, "doccano's JSON Lines, JSON or CSV, a file a member",                 \
       SL_FORMAT_LISTS | SL_FORMAT_ATTRIBUTES | SL_FORMAT_REPEATS | SL_FORMAT_GOLD                 \
           | SL_FORMAT_DELIMITER | SL_FORMAT_NA | SL_FORMAT_NAMES | SL_FORMAT_COLUMN               \
           | SL_FORMAT_ANNOTATOR)                                                                  \
  ROW (mturk, annotations, "batch results of Amazon Mechanical Turk, CSV",                         \
       SL_FORMAT_ATTRIBUTES | SL_FORMAT_REPEATS | SL_FORMAT_GOLD | SL_FORMAT_DELIMITER             \
           | SL_FORMAT_NA | SL_FORMAT_NAMES | SL_FORMAT_COLUMN | SL_FORMAT_QUESTION                \
           | SL_FORMAT_KEEP)                                                                       \
  ROW (groundtruth, annotations,                                                                   \
       "SageMaker Ground Truth's worker responses, and its output manifest",                       \
       SL_FORMAT_ATTRIBUTES | SL_FORMAT_REPEATS | SL_FORMAT_GOLD | SL_FORMAT_NA | SL_FORMAT_NAMES  \
           | SL_FORMAT_QUESTION | SL_FORMAT_KEEP | SL_FORMAT_ANNOTATOR)                            \
  ROW (toloka, annotations, "assignments of Toloka, TSV",                                          \
       SL_FORMAT_ATTRIBUTES | SL_FORMAT_REPEATS | SL_FORMAT_GOLD | SL_FORMAT_DELIMITER             \
           | SL_FORMAT_NA | SL_FORMAT_NAMES | SL_FORMAT_COLUMN | SL_FORMAT_QUESTION                \
           | SL_FORMAT_KEEP)                                                                       \
  ROW (argilla, annotations, "Argilla's records, JSON or JSON Lines",                              \
       SL_FORMAT_ATTRIBUTES | SL_FORMAT_REPEATS | SL_FORMAT_GOLD | SL_FORMAT_NA | SL_FORMAT_NAMES  \
           | SL_FORMAT_COLUMN | SL_FORMAT_QUESTION | SL_FORMAT_KEEP | SL_FORMAT_ANNOTATOR)         \
  ROW (survey, annotations, "answers from the page of `softlabel survey`, CSV or JSON",            \
       SL_FORMAT_ATTRIBUTES)                                                                       \
  ROW (wide, annotations, "CSV with a row an item and a column an annotator, as cleanlab has it",  \
       SL_FORMAT_REPEATS | SL_FORMAT_GOLD | SL_FORMAT_DELIMITER | SL_FORMAT_NA | SL_FORMAT_NAMES   \
           | SL_FORMAT_COLUMN | SL_FORMAT_COLUMNS | SL_FORMAT_TRANSPOSE)                           \
  ROW (rodrigues, annotations, "answers.txt, a matrix of numbers with -1 for no answer",           \
       SL_FORMAT_CODES | SL_FORMAT_REPEATS | SL_FORMAT_GOLD | SL_FORMAT_NA | SL_FORMAT_NAMES)      \
  ROW (peerannot, annotations, "answers.json of peerannot",                                        \
       SL_FORMAT_CODES | SL_FORMAT_REPEATS | SL_FORMAT_GOLD | SL_FORMAT_NA | SL_FORMAT_NAMES       \
           | SL_FORMAT_TRANSPOSE)                                                                  \
  ROW (wrench, annotations, "a data set of WRENCH, votes of labelling functions",                  \
       SL_FORMAT_CODES | SL_FORMAT_REPEATS | SL_FORMAT_GOLD | SL_FORMAT_NA | SL_FORMAT_NAMES)      \
  ROW (lewidi, annotations,                                                                        \
       "sets of the shared tasks Learning With Disagreements, of 2023 and 2025",                   \
       SL_FORMAT_REPEATS | SL_FORMAT_GOLD | SL_FORMAT_NA | SL_FORMAT_NAMES | SL_FORMAT_QUESTION)   \
  ROW (qualtrics, annotations, "a survey of Qualtrics, CSV or TSV",                                \
       SL_FORMAT_ATTRIBUTES | SL_FORMAT_REPEATS | SL_FORMAT_GOLD | SL_FORMAT_DELIMITER             \
           | SL_FORMAT_NA | SL_FORMAT_NAMES | SL_FORMAT_COLUMN | SL_FORMAT_COLUMNS                 \
           | SL_FORMAT_KEEP)                                                                       \
  ROW (googleforms, annotations, "the CSV of a Google form",                                       \
       SL_FORMAT_ATTRIBUTES | SL_FORMAT_REPEATS | SL_FORMAT_GOLD | SL_FORMAT_DELIMITER             \
           | SL_FORMAT_NA | SL_FORMAT_NAMES | SL_FORMAT_COLUMN | SL_FORMAT_COLUMNS)                \
  ROW (auto, annotations,                                                                          \
       "the format that the first file looks like, by the names in it; a note says which",         \
       SL_FORMAT_GOLD | SL_FORMAT_DELIMITER)                                                       \
  ROW (labels, labels,                                                                             \
       "distributions, a column a class or a list, as CSV, Parquet, Arrow, JSON Lines or NumPy "   \
       "array",                                                                                    \
       SL_FORMAT_GOLD | SL_FORMAT_DELIMITER | SL_FORMAT_COLUMN | SL_FORMAT_PERCENTS                \
           | SL_FORMAT_DISTRIBUTIONS | SL_FORMAT_CODES | SL_FORMAT_NUMBERS)                        \
  ROW (predictions, predictions, "the same of what a model says",                                  \
       SL_FORMAT_GOLD | SL_FORMAT_DELIMITER | SL_FORMAT_COLUMN | SL_FORMAT_PERCENTS                \
           | SL_FORMAT_DISTRIBUTIONS | SL_FORMAT_CODES | SL_FORMAT_NUMBERS)                        \
  ROW (mixup, mixtures, "CSV or TSV with one answer about a mixture of two items a row",           \
       SL_FORMAT_DELIMITER | SL_FORMAT_COLUMN | SL_FORMAT_HEADER | SL_FORMAT_NA | SL_FORMAT_NAMES  \
           | SL_FORMAT_NUMBERS)                                                                    \
  ROW (hmix, mixtures, "H-Mix's CSV files, what people said of mixtures of CIFAR-10's images",     \
       SL_FORMAT_DELIMITER | SL_FORMAT_COLUMN)                                                     \
  ROW (cifar10, features, "CIFAR-10 in its binary version: test_batch.bin, data_batch_1.bin ...",  \
       SL_FORMAT_EXAMPLES | SL_FORMAT_UNNAMED)                                                     \
  ROW (idx, features, "MNIST's idx files, gzipped or not",                                         \
       SL_FORMAT_EXAMPLES | SL_FORMAT_UNNAMED | SL_FORMAT_LABELS | SL_FORMAT_NA)                   \
  ROW (                                                                                            \
      npy, features, "a NumPy array with a row an example: images, or vectors such as embeddings", \
      SL_FORMAT_EXAMPLES | SL_FORMAT_UNNAMED | SL_FORMAT_LABELS | SL_FORMAT_LAYOUT | SL_FORMAT_NA) \
  ROW (table, features, "numeric columns, or one of lists, of CSV, Parquet or Arrow",              \
       SL_FORMAT_EXAMPLES | SL_FORMAT_DELIMITER | SL_FORMAT_COLUMN | SL_FORMAT_NA                  \
           | SL_FORMAT_NAMES | SL_FORMAT_NUMBERS)                                                  \
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

const SlColumnRole sl_role_item[] = { { "item", SL_NAMES ("item"), FALSE, NULL }, { 0 } };
const SlColumnRole sl_role_annotator[]
    = { { "annotator", SL_NAMES ("annotator"), FALSE, NULL }, { 0 } };

/* In its place comes the format that is guessed. */
const SlIngestFormat sl_ingest_auto = { 0 };
