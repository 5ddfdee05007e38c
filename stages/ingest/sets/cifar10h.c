/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cifar10h: cifar10h-raw.csv, the single answers behind CIFAR-10H (Peterson, Battleday, Griffiths &
 * Russakovsky 2019). An item is an image's index in CIFAR-10's test set; attention checks, whose
 * index is -99999, are other images, and go by their file names. */
#include "schemas/annotations.h"
#include "stages/common/files/column-names.h"
#include "stages/ingest/features/cifar10-classes.h"
#include "stages/ingest/formats.h"
#include "stages/ingest/readers/row-format.h"

#include <math.h>
#include <string.h>

enum
{
  ANNOTATOR,
  TRIAL,
  CHECK,
  GOLD,
  CLASS,
  INDEX,
  FILE_NAME,
  TIME,
  N_ROLES,
};

static const SlColumnRole roles[] = {
  [ANNOTATOR] = { "annotator_id", SL_NAMES ("annotator"), TRUE, NULL },
  [TRIAL] = { "trial_index", SL_NAMES ("trialindex"), TRUE, NULL },
  [CHECK] = { "is_attn_check", SL_NAMES ("isattncheck"), TRUE, NULL },
  [GOLD] = { "true_category", SL_NAMES ("truecategory"), TRUE, NULL },
  [CLASS] = { "chosen_category", SL_NAMES ("chosencategory"), TRUE, NULL },
  [INDEX]
  = { "cifar10_test_test_idx", SL_NAMES ("cifar10testtestidx", "cifar10testsetidx"), TRUE, NULL },
  [FILE_NAME] = { "image_filename", SL_NAMES ("imagefilename"), TRUE, NULL },
  [TIME] = { "reaction_time", SL_NAMES ("reactiontime"), TRUE, NULL },
  [N_ROLES] = { 0 },
};

static const guint32 table_columns = 1u << SL_ANNOTATIONS_ITEM | 1u << SL_ANNOTATIONS_ANNOTATOR
                                     | 1u << SL_ANNOTATIONS_CLASS | 1u << SL_ANNOTATIONS_GOLD
                                     | 1u << SL_ANNOTATIONS_CHECK | 1u << SL_ANNOTATIONS_TRIAL
                                     | 1u << SL_ANNOTATIONS_SECONDS;

static guint32
columns_of_table (const int *column)
{
  return table_columns;
}

/* The numbers of record R. What is not known is -99999. */
static void
check_numbers (SlCsvRows *records, guint32 r, SlRowPiece *piece)
{
  double check, index, trial, time;
  sl_fields_number (records, CHECK, r, "is_attn_check", &check);
  sl_fields_number (records, INDEX, r, "cifar10_test_test_idx", &index);
  sl_fields_number (records, TRIAL, r, "trial_index", &trial);
  sl_fields_number (records, TIME, r, "reaction_time", &time);
  gboolean is_check = check == 1 || index < 0;
  if (!is_check && !(index == floor (index) && index < 1e9))
    sl_csv_rows_bad (records, r, "cifar10_test_test_idx is not an index");
  gsize n;
  sl_csv_field (records, FILE_NAME, r, &n);
  if (is_check && n == 0)
    sl_csv_rows_bad (records, r, "the file name of an attention check is empty");
  sl_row_reals (piece, CHECK)[r] = is_check;
  sl_row_reals (piece, TRIAL)[r] = trial >= 0 && trial <= G_MAXINT32 ? floor (trial) : (double) NAN;
  /* In milliseconds. */
  sl_row_reals (piece, TIME)[r] = time >= 0 ? time / 1000 : (double) NAN;
}

static void
check (const SlRowReading *reading, SlCsvRows *records, SlRowPiece *piece)
{
  sl_fields_check_there (records, ANNOTATOR, "annotator", FALSE);
  sl_fields_check_there (records, CLASS, "class", FALSE);
  for (guint32 r = 0; r < records->n; r++)
    check_numbers (records, r, piece);
}

static void
code (const SlRowReading *reading, SlCsvRows *records, SlRowPiece *piece)
{
  sl_fields_classes (records, CLASS, "class", piece->coder, TRUE, sl_row_codes (piece, CLASS));
  sl_fields_classes (records, GOLD, "true class", piece->gold_coder, FALSE,
                     sl_row_codes (piece, GOLD));
}

static void
add (const SlRowReading *reading, const SlCsvRows *records, SlRowPiece *piece)
{
  SlBuilder *rows = piece->rows;
  sl_row_add_texts (reading, records, ANNOTATOR, SL_ANNOTATIONS_ANNOTATOR, piece);
  sl_builder_classes (rows, SL_ANNOTATIONS_CLASS, sl_row_codes (piece, CLASS), records->n);
  sl_builder_classes (rows, SL_ANNOTATIONS_GOLD, sl_row_codes (piece, GOLD), records->n);
  for (guint32 r = 0; r < records->n; r++)
    {
      gsize n;
      gboolean is_check = sl_row_reals (piece, CHECK)[r] != 0;
      const char *item = sl_csv_field (records, is_check ? FILE_NAME : INDEX, r, &n);
      double trial = sl_row_reals (piece, TRIAL)[r];
      if (!is_check && n > 2 && memcmp (item + n - 2, ".0", 2) == 0)
        n -= 2;
      sl_builder_text (rows, SL_ANNOTATIONS_ITEM, item, n);
      sl_builder_bool (rows, SL_ANNOTATIONS_CHECK, is_check);
      sl_builder_real (rows, SL_ANNOTATIONS_SECONDS, sl_row_reals (piece, TIME)[r]);
      if (isnan (trial))
        sl_builder_null (rows, SL_ANNOTATIONS_TRIAL);
      else
        sl_builder_int (rows, SL_ANNOTATIONS_TRIAL, (gint64) trial);
    }
}

static const SlRowFormat format = {
  .kind = &sl_annotations,
  .roles = roles,
  .n_roles = N_ROLES,
  .named = TRUE,
  .classes = sl_cifar10_classes,
  .class_columns = (const int[]){ SL_ANNOTATIONS_CLASS, -1 },
  .gold_column = SL_ANNOTATIONS_GOLD,
  .class_role = CLASS,
  .columns = columns_of_table,
  .check = check,
  .code = code,
  .add = add,
};

const SlIngestFormat sl_ingest_cifar10h = {
  .roles = roles,
  .rows = &format,
};
