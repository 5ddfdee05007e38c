/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "formats.h"

#include "schemas/annotations.h"

/* A new format is a file that defines sl_ingest_NAME, and a row here. */
#define FORMATS(ROW)                                                                               \
  ROW (long, "CSV or TSV with one answer a row",                                                   \
       SL_FORMAT_COLUMN | SL_FORMAT_HEADER | SL_FORMAT_NA | SL_FORMAT_NAMES | SL_FORMAT_PERCENTS)  \
  ROW (jspsych,                                                                                    \
       "a jsPsych survey in the form of CIFAR-10S, CSV; with --trial-type or --question, any "     \
       "trials, CSV or JSON",                                                                      \
       SL_FORMAT_COLUMN | SL_FORMAT_NA | SL_FORMAT_PERCENTS | SL_FORMAT_REPLACE_PERCENT            \
           | SL_FORMAT_TRIAL_TYPE | SL_FORMAT_QUESTION | SL_FORMAT_NAMES | SL_FORMAT_ANNOTATOR)    \
  ROW (counts, "a matrix of votes, a row an item and a column a class, as NumPy array or CSV",     \
       SL_FORMAT_HEADER)                                                                           \
  ROW (cifar10h, "cifar10h-raw.csv, the single answers behind CIFAR-10H", SL_FORMAT_COLUMN)        \
  ROW (mixup, "CSV or TSV with one answer about a mixture of two items a row",                     \
       SL_FORMAT_COLUMN | SL_FORMAT_HEADER | SL_FORMAT_NA | SL_FORMAT_NAMES)                       \
  ROW (labelstudio, "Label Studio's JSON, JSON_MIN or CSV",                                        \
       SL_FORMAT_FOLDERS | SL_FORMAT_COLUMN | SL_FORMAT_NA | SL_FORMAT_NAMES | SL_FORMAT_QUESTION  \
           | SL_FORMAT_KEEP | SL_FORMAT_ANNOTATOR)                                                 \
  ROW (prodigy, "Prodigy's JSON Lines, of db-out",                                                 \
       SL_FORMAT_FOLDERS | SL_FORMAT_NA | SL_FORMAT_NAMES | SL_FORMAT_COLUMN | SL_FORMAT_ANNOTATOR \
           | SL_FORMAT_REJECT_AS)                                                                  \
  ROW (doccano, "doccano's JSON Lines, JSON or CSV, a file a member",                              \
       SL_FORMAT_FOLDERS | SL_FORMAT_NA | SL_FORMAT_NAMES | SL_FORMAT_COLUMN                       \
           | SL_FORMAT_ANNOTATOR)                                                                  \
  ROW (mturk, "batch results of Amazon Mechanical Turk, CSV",                                      \
       SL_FORMAT_NA | SL_FORMAT_NAMES | SL_FORMAT_COLUMN | SL_FORMAT_QUESTION | SL_FORMAT_KEEP)    \
  ROW (groundtruth, "SageMaker Ground Truth's worker responses, and its output manifest",          \
       SL_FORMAT_FOLDERS | SL_FORMAT_NA | SL_FORMAT_NAMES | SL_FORMAT_QUESTION | SL_FORMAT_KEEP    \
           | SL_FORMAT_ANNOTATOR)                                                                  \
  ROW (toloka, "assignments of Toloka, TSV",                                                       \
       SL_FORMAT_NA | SL_FORMAT_NAMES | SL_FORMAT_COLUMN | SL_FORMAT_QUESTION | SL_FORMAT_KEEP)    \
  ROW (argilla, "Argilla's records, JSON or JSON Lines",                                           \
       SL_FORMAT_FOLDERS | SL_FORMAT_NA | SL_FORMAT_NAMES | SL_FORMAT_COLUMN | SL_FORMAT_QUESTION  \
           | SL_FORMAT_KEEP | SL_FORMAT_ANNOTATOR)                                                 \
  ROW (wide, "CSV with a row an item and a column an annotator, as cleanlab has it",               \
       SL_FORMAT_NA | SL_FORMAT_NAMES | SL_FORMAT_COLUMN | SL_FORMAT_COLUMNS                       \
           | SL_FORMAT_TRANSPOSE)                                                                  \
  ROW (rodrigues, "answers.txt, a matrix of numbers with -1 for no answer",                        \
       SL_FORMAT_NA | SL_FORMAT_NAMES)                                                             \
  ROW (peerannot, "answers.json of peerannot",                                                     \
       SL_FORMAT_NA | SL_FORMAT_NAMES | SL_FORMAT_TRANSPOSE)                                       \
  ROW (wrench, "a data set of WRENCH, votes of labelling functions",                               \
       SL_FORMAT_NA | SL_FORMAT_NAMES)                                                             \
  ROW (lewidi, "sets of the shared tasks Learning With Disagreements, of 2023 and 2025",           \
       SL_FORMAT_NA | SL_FORMAT_NAMES | SL_FORMAT_QUESTION)                                        \
  ROW (qualtrics, "a survey of Qualtrics, CSV or TSV",                                             \
       SL_FORMAT_NA | SL_FORMAT_NAMES | SL_FORMAT_COLUMN | SL_FORMAT_COLUMNS | SL_FORMAT_KEEP)     \
  ROW (googleforms, "the CSV of a Google form",                                                    \
       SL_FORMAT_NA | SL_FORMAT_NAMES | SL_FORMAT_COLUMN | SL_FORMAT_COLUMNS)                      \
  ROW (labels,                                                                                     \
       "distributions, a column a class or a list, as CSV, Parquet, Arrow, JSON Lines or NumPy "   \
       "array",                                                                                    \
       SL_FORMAT_COLUMN | SL_FORMAT_PERCENTS | SL_FORMAT_DISTRIBUTIONS)                            \
  ROW (predictions, "the same of what a model says",                                               \
       SL_FORMAT_COLUMN | SL_FORMAT_PERCENTS | SL_FORMAT_DISTRIBUTIONS)                            \
  ROW (auto, "what the first file looks like, by the names in it; which that is, is said",         \
       SL_FORMAT_FOLDERS)

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

/* In its place comes the format that is guessed. */
const SlIngestFormat sl_ingest_auto = { .kind = &sl_annotations };
