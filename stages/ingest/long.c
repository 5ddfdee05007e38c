/* SPDX-License-Identifier: GPL-3.0-or-later */
/* long: CSV or TSV, one row per answer. */
#include "schemas/annotations.h"
#include "stages/common/files/column-names.h"
#include "formats.h"
#include "row-format.h"

enum
{
  ITEM,
  ANNOTATOR,
  CLASS,
  PERCENT,
  CLASS2,
  PERCENT2,
  IMPOSSIBLE,
  GOLD,
  SECONDS,
  COUNT,
  N_ROLES,
};

static const SlColumnRole roles[] = {
  [ITEM] = { "item", SL_NAMES (SL_ITEM_NAMES), TRUE, SL_NAMES (SL_ITEM_FALLBACK) },
  [ANNOTATOR]
  = { "annotator", SL_NAMES (SL_ANNOTATOR_NAMES), FALSE, SL_NAMES (SL_ANNOTATOR_FALLBACK) },
  [CLASS] = { "class", SL_NAMES (SL_CLASS_NAMES), TRUE, NULL },
  [PERCENT] = { "percent", SL_NAMES ("percent"), FALSE, NULL },
  [CLASS2] = { "class2", SL_NAMES ("class2"), FALSE, NULL },
  [PERCENT2] = { "percent2", SL_NAMES ("percent2"), FALSE, NULL },
  [IMPOSSIBLE] = { "impossible", SL_NAMES ("impossible"), FALSE, NULL },
  [GOLD]
  = { "gold", SL_NAMES ("gold", "truth", "truelabel", "trueclass", "goldlabel"), FALSE, NULL },
  [SECONDS] = { "seconds", SL_NAMES ("seconds"), FALSE, NULL },
  [COUNT] = { "count", SL_NAMES ("count"), FALSE, NULL },
  [N_ROLES] = { 0 },
};

static guint32
table_columns (const int *column)
{
  static const struct
  {
    int role, column;
  } made[] = {
    { ANNOTATOR, SL_ANNOTATIONS_ANNOTATOR }, { PERCENT, SL_ANNOTATIONS_CHOICES },
    { CLASS2, SL_ANNOTATIONS_CHOICES },      { PERCENT2, SL_ANNOTATIONS_CHOICES },
    { IMPOSSIBLE, SL_ANNOTATIONS_CHOICES },  { IMPOSSIBLE, SL_ANNOTATIONS_IMPOSSIBLE },
    { GOLD, SL_ANNOTATIONS_GOLD },           { SECONDS, SL_ANNOTATIONS_SECONDS },
    { COUNT, SL_ANNOTATIONS_COUNT },
  };
  guint32 columns = 1u << SL_ANNOTATIONS_ITEM;
  for (gsize i = 0; i < G_N_ELEMENTS (made); i++)
    if (column[made[i].role] >= 0)
      columns |= 1u << made[i].column;
  return columns & 1u << SL_ANNOTATIONS_CHOICES ? columns : columns | 1u << SL_ANNOTATIONS_CLASS;
}

static void
check (const SlRowReading *reading, SlCsvRows *records, SlRowPiece *piece)
{
  const int *place = reading->place;
  const SlIngest *ingest = reading->source.ingest;
  SlPercentScale scale = (SlPercentScale) ingest->options->percent_scale;
  gboolean trim = ingest->class_texts.trim;
  sl_fields_check_there (records, place[ITEM], "item", trim);
  sl_fields_check_there (records, place[CLASS], "class", FALSE);
  if (sl_row_has (reading, ANNOTATOR))
    sl_fields_check_there (records, place[ANNOTATOR], "annotator", trim);
  if (sl_table_has (reading->shape, SL_ANNOTATIONS_CHOICES))
    {
      sl_fields_percents (records, place[PERCENT], "percent", scale, sl_row_reals (piece, PERCENT),
                          &piece->percents);
      sl_fields_percents (records, place[PERCENT2], "second percent", scale,
                          sl_row_reals (piece, PERCENT2), &piece->percents);
    }
  if (sl_row_has (reading, SECONDS))
    sl_fields_numbers (records, place[SECONDS], "time", sl_row_reals (piece, SECONDS));
  if (sl_row_has (reading, COUNT))
    sl_fields_integers (records, place[COUNT], "count", 1, SL_COUNT_MOST, piece->integers);
}

static void
code (const SlRowReading *reading, SlCsvRows *records, SlRowPiece *piece)
{
  const int *place = reading->place;
  sl_fields_classes (records, place[CLASS], "class", piece->coder, TRUE,
                     sl_row_codes (piece, CLASS));
  if (sl_table_has (reading->shape, SL_ANNOTATIONS_CHOICES))
    sl_fields_classes (records, place[CLASS2], "second class", piece->coder, FALSE,
                       sl_row_codes (piece, CLASS2));
  if (sl_row_has (reading, GOLD))
    sl_fields_classes (records, place[GOLD], "gold class", piece->gold_coder, FALSE,
                       sl_row_codes (piece, GOLD));
  if (sl_row_has (reading, IMPOSSIBLE))
    sl_fields_class_lists (records, place[IMPOSSIBLE], "impossible class", piece->coder,
                           &piece->lists);
}

static void
add_choices (const SlRowPiece *piece, guint32 n)
{
  const gint32 *first = sl_row_codes (piece, CLASS), *second = sl_row_codes (piece, CLASS2);
  const double *percent = sl_row_reals (piece, PERCENT), *percent2 = sl_row_reals (piece, PERCENT2);
  for (guint32 r = 0; r < n; r++)
    {
      sl_builder_choice (piece->rows, SL_ANNOTATIONS_CHOICES, first[r], percent[r]);
      if (second[r] >= 0)
        sl_builder_choice (piece->rows, SL_ANNOTATIONS_CHOICES, second[r], percent2[r]);
      sl_builder_end_list (piece->rows, SL_ANNOTATIONS_CHOICES);
    }
}

static void
add_impossible (const SlRowPiece *piece, guint32 n)
{
  guint32 i = 0;
  for (guint32 r = 0; r < n; r++)
    {
      for (; i < piece->lists.end[r]; i++)
        sl_builder_member (piece->rows, SL_ANNOTATIONS_IMPOSSIBLE,
                           g_array_index (piece->lists.codes, gint32, i));
      sl_builder_end_list (piece->rows, SL_ANNOTATIONS_IMPOSSIBLE);
    }
}

static void
add (const SlRowReading *reading, const SlCsvRows *records, SlRowPiece *piece)
{
  SlBuilder *rows = piece->rows;
  guint32 n = records->n;
  sl_row_add_texts (reading, records, ITEM, SL_ANNOTATIONS_ITEM, piece);
  sl_row_add_texts (reading, records, ANNOTATOR, SL_ANNOTATIONS_ANNOTATOR, piece);
  if (sl_table_has (reading->shape, SL_ANNOTATIONS_CHOICES))
    add_choices (piece, n);
  else
    sl_builder_classes (rows, SL_ANNOTATIONS_CLASS, sl_row_codes (piece, CLASS), n);
  if (sl_row_has (reading, IMPOSSIBLE))
    add_impossible (piece, n);
  if (sl_row_has (reading, GOLD))
    sl_builder_classes (rows, SL_ANNOTATIONS_GOLD, sl_row_codes (piece, GOLD), n);
  for (guint32 r = 0; sl_row_has (reading, SECONDS) && r < n; r++)
    sl_builder_real (rows, SL_ANNOTATIONS_SECONDS, sl_row_reals (piece, SECONDS)[r]);
  for (guint32 r = 0; sl_row_has (reading, COUNT) && r < n; r++)
    sl_builder_int (rows, SL_ANNOTATIONS_COUNT, piece->integers[r]);
}

static gboolean
run (SlIngest *ingest, GError **error)
{
  static const int class_columns[]
      = { SL_ANNOTATIONS_CLASS, SL_ANNOTATIONS_CHOICES, SL_ANNOTATIONS_IMPOSSIBLE, -1 };
  static const SlRowFormat format = {
    .kind = &sl_annotations,
    .roles = roles,
    .n_roles = N_ROLES,
    .class_columns = class_columns,
    .gold_column = SL_ANNOTATIONS_GOLD,
    .class_role = CLASS,
    .columns = table_columns,
    .check = check,
    .code = code,
    .add = add,
  };
  return sl_row_format_run (&format, ingest, error);
}

const SlIngestFormat sl_ingest_long = {
  .kind = &sl_annotations,
  .roles = roles,
  .run = run,
};
