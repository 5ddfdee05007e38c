/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mixup: CSV or TSV, one row per answer about a mixture of two items; mixtures out. */
#include "pipeline/base/shown-text.h"
#include "schemas/mixtures.h"
#include "stages/common/files/column-names.h"
#include "stages/ingest/formats.h"
#include "stages/ingest/readers/row-format.h"

#include <math.h>
#include <string.h>

/* The columns that a file may have are the table's first ones. */
#define N_ROLES (SL_MIXTURES_CONFIDENCE + 1)

/* In the order of the table's columns. */
static const SlColumnRole roles[] = {
  [SL_MIXTURES_ITEM]
  = { "item",
      SL_NAMES ("item", "mixture", "mix", "stimulus", "image", "img", "example", "sample", "trial"),
      TRUE, SL_NAMES (SL_ITEM_FALLBACK) },
  [SL_MIXTURES_ANNOTATOR]
  = { "annotator", SL_NAMES (SL_ANNOTATOR_NAMES), FALSE, SL_NAMES (SL_ANNOTATOR_FALLBACK) },
  [SL_MIXTURES_FIRST]
  = { "first", SL_NAMES ("first", "firstitem", "item1", "itema", "imagea"), FALSE, NULL },
  [SL_MIXTURES_SECOND]
  = { "second", SL_NAMES ("second", "seconditem", "item2", "itemb", "imageb"), FALSE, NULL },
  [SL_MIXTURES_FIRST_CLASS]
  = { "first_class", SL_NAMES ("firstclass", "class1", "classa", "classi", "label1", "labela"),
      TRUE, NULL },
  [SL_MIXTURES_SECOND_CLASS]
  = { "second_class", SL_NAMES ("secondclass", "class2", "classb", "classj", "label2", "labelb"),
      TRUE, NULL },
  [SL_MIXTURES_LAMBDA]
  = { "lambda", SL_NAMES ("lambda", "lambdaf", "lam", "lamf", "mixingcoefficient"), TRUE, NULL },
  [SL_MIXTURES_HUMAN]
  = { "human", SL_NAMES ("human", "lambdah", "lamh", "humanlambda", "inferredlambda", "relabel"),
      TRUE, NULL },
  [SL_MIXTURES_CONFIDENCE]
  = { "confidence", SL_NAMES ("confidence", "omega", "conf"), FALSE, NULL },
  [N_ROLES] = { 0 },
};

static guint32
table_columns (const int *column)
{
  guint32 columns = 0;
  for (int i = 0; i < N_ROLES; i++)
    columns |= column[i] >= 0 ? 1u << i : 0;
  return columns;
}

/* Checks that every share is from 0 to 1, and that none is missing that must be there. */
static void
check_shares (const SlRowReading *reading, SlCsvRows *records, SlRowPiece *piece)
{
  static const char *const names[] = { [SL_MIXTURES_LAMBDA] = "lambda",
                                       [SL_MIXTURES_HUMAN] = "human share",
                                       [SL_MIXTURES_CONFIDENCE] = "confidence" };
  for (int role = SL_MIXTURES_LAMBDA; role < N_ROLES; role++)
    {
      double *share = sl_row_reals (piece, role);
      if (!sl_row_has (reading, role))
        continue;
      sl_fields_numbers (records, reading->place[role], names[role], share);
      for (guint32 r = 0; r < records->n; r++)
        if (share[r] < 0 || share[r] > 1)
          sl_csv_rows_bad (records, r, "%s is %.9g; it lies between 0 and 1", names[role],
                           share[r]);
        else if (isnan (share[r]) && role != SL_MIXTURES_CONFIDENCE)
          sl_csv_rows_bad (records, r, "%s is missing", names[role]);
    }
}

/* Texts that must be there, and two classes that differ. */
static void
check (const SlRowReading *reading, SlCsvRows *records, SlRowPiece *piece)
{
  static const char *const names[]
      = { "item", "annotator", "first item", "second item", "first class", "second class" };
  const int *place = reading->place;
  for (gsize role = 0; role < G_N_ELEMENTS (names); role++)
    if (place[role] >= 0)
      sl_fields_check_there (records, place[role], names[role],
                             reading->source.ingest->class_texts.trim);
  for (guint32 r = 0; r < records->n; r++)
    {
      gsize n, n_other;
      const char *first = sl_csv_field (records, place[SL_MIXTURES_FIRST_CLASS], r, &n);
      const char *second = sl_csv_field (records, place[SL_MIXTURES_SECOND_CLASS], r, &n_other);
      if (n > 0 && n == n_other && memcmp (first, second, n) == 0)
        {
          g_autofree char *shown = sl_shown (first, n);
          sl_csv_rows_bad (records, r, "both classes are '%s'", shown);
        }
    }
  check_shares (reading, records, piece);
}

/* Names that differ may be of one class. */
static void
code (const SlRowReading *reading, SlCsvRows *records, SlRowPiece *piece)
{
  gint32 *first = sl_row_codes (piece, SL_MIXTURES_FIRST_CLASS);
  gint32 *second = sl_row_codes (piece, SL_MIXTURES_SECOND_CLASS);
  sl_fields_classes (records, reading->place[SL_MIXTURES_FIRST_CLASS], "first class", piece->coder,
                     TRUE, first);
  sl_fields_classes (records, reading->place[SL_MIXTURES_SECOND_CLASS], "second class",
                     piece->coder, TRUE, second);
  for (guint32 r = 0; r < records->n; r++)
    if (first[r] >= 0 && first[r] == second[r])
      sl_csv_rows_bad (records, r, "both classes are the same");
}

static void
add (const SlRowReading *reading, const SlCsvRows *records, SlRowPiece *piece)
{
  for (int role = SL_MIXTURES_ITEM; role <= SL_MIXTURES_SECOND; role++)
    sl_row_add_texts (reading, records, role, role, piece);
  for (int role = SL_MIXTURES_FIRST_CLASS; role <= SL_MIXTURES_SECOND_CLASS; role++)
    sl_builder_classes (piece->rows, role, sl_row_codes (piece, role), records->n);
  for (int role = SL_MIXTURES_LAMBDA; role < N_ROLES; role++)
    for (guint32 r = 0; sl_row_has (reading, role) && r < records->n; r++)
      sl_builder_real (piece->rows, role, sl_row_reals (piece, role)[r]);
}

static const SlRowFormat format = {
  .kind = &sl_mixtures,
  .roles = roles,
  .n_roles = N_ROLES,
  .class_columns = (const int[]){ SL_MIXTURES_FIRST_CLASS, SL_MIXTURES_SECOND_CLASS, -1 },
  .gold_column = -1,
  .class_role = SL_MIXTURES_FIRST_CLASS,
  .columns = table_columns,
  .check = check,
  .code = code,
  .add = add,
};

const SlIngestFormat sl_ingest_mixup = {
  .roles = roles,
  .rows = &format,
};
