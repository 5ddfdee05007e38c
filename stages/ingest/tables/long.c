/* SPDX-License-Identifier: GPL-3.0-or-later */
/* long: CSV or TSV, or a table of Parquet, Arrow or JSON Lines, one row per answer. */
#include "schemas/annotations.h"
#include "stages/common/files/column-names.h"
#include "pipeline/table/tag-columns.h"
#include "pipeline/table/types/types.h"
#include "stages/ingest/formats.h"
#include "stages/ingest/readers/row-format.h"

#include <math.h>
#include <string.h>

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
  /* Of what we wrote ourselves. */
  REPEAT,
  CHECK,
  REPAIRED,
  COMPLETE,
  EXCLUDED,
  TRIAL,
  BACKGROUND,
  ODD,
  N_ROLES,
  /* Of the page's answers. */
  SESSION = N_ROLES,
  N_SURVEY_ROLES,
};

/* Columns that say which of two things is better, and, where they say no such thing, a class. */
#define WINNER_NAMES "winner", "preferred", "preference", "better", "best", "chosen"

static const SlColumnRole roles[] = {
  [ITEM] = { "item", SL_NAMES (SL_ITEM_NAMES), TRUE, SL_NAMES (SL_ITEM_FALLBACK) },
  [ANNOTATOR]
  = { "annotator", SL_NAMES (SL_ANNOTATOR_NAMES), FALSE, SL_NAMES (SL_ANNOTATOR_FALLBACK) },
  [CLASS] = { "class", SL_NAMES (SL_CLASS_NAMES, "choices"), TRUE, SL_NAMES (WINNER_NAMES) },
  [PERCENT] = { "percent", SL_NAMES ("percent"), FALSE, NULL },
  [CLASS2] = { "class2", SL_NAMES ("class2"), FALSE, NULL },
  [PERCENT2] = { "percent2", SL_NAMES ("percent2"), FALSE, NULL },
  [IMPOSSIBLE] = { "impossible", SL_NAMES ("impossible"), FALSE, NULL },
  [GOLD]
  = { "gold", SL_NAMES ("gold", "truth", "truelabel", "trueclass", "goldlabel"), FALSE, NULL },
  [SECONDS] = { "seconds", SL_NAMES ("seconds"), FALSE, NULL },
  [COUNT] = { "count", SL_NAMES ("count"), FALSE, NULL },
  [REPEAT] = { "repeat", SL_NAMES ("repeat"), FALSE, NULL },
  [CHECK] = { "check", SL_NAMES ("check"), FALSE, NULL },
  [REPAIRED] = { "repaired", SL_NAMES ("repaired"), FALSE, NULL },
  [COMPLETE] = { "complete", SL_NAMES ("complete"), FALSE, NULL },
  [EXCLUDED] = { "excluded", SL_NAMES ("excluded"), FALSE, NULL },
  [TRIAL] = { "trial", SL_NAMES ("trial"), FALSE, NULL },
  [BACKGROUND] = { "background", SL_NAMES ("background"), FALSE, NULL },
  [ODD] = { "odd", SL_NAMES ("odd"), FALSE, NULL },
  [N_ROLES] = { 0 },
};

/* Columns of truth values. */
static const struct
{
  int role, column;
  const char *what;
} flags[] = {
  { REPEAT, SL_ANNOTATIONS_REPEAT, "repeat" },
  { CHECK, SL_ANNOTATIONS_CHECK, "check" },
  { REPAIRED, SL_ANNOTATIONS_REPAIRED, "repaired" },
  { COMPLETE, SL_ANNOTATIONS_COMPLETE, "complete" },
  { EXCLUDED, SL_ANNOTATIONS_EXCLUDED, "excluded" },
};

/* SlRowFormat.data of a file in which percents are as people have typed them. */
static const char as_typed[] = "as typed";

static gboolean
is_own_column (const char *name)
{
  for (int i = 0; sl_annotations.columns[i].name != NULL; i++)
    if (strcmp (sl_annotations.columns[i].name, name) == 0)
      return TRUE;
  return FALSE;
}

/* In other programs' files `check`, `trial` and the like may be anything: they are taken where the
 * user says so, or where all columns are those of our own tables. */
static void
settle (const SlIngest *ingest, const SlCsv *csv, int *column)
{
  gboolean own = csv->has_names;
  for (int i = 0; own && i < csv->n_fields; i++)
    own = is_own_column (csv->first[i]);
  for (int role = REPEAT; !own && role < N_ROLES; role++)
    if (ingest->columns[role] == NULL)
      column[role] = -1;
}

static const SlColumnRole winner_role
    = { "winner", SL_NAMES (WINNER_NAMES, "choice", "vote", "judgment", "judgement", "verdict"),
        FALSE, NULL };

/* The header of the column NAME; NULL: there is none. */
static const char *
header_of (const SlCsv *csv, const char *name)
{
  const SlColumnRole role = { name, SL_NAMES (name), FALSE, NULL };
  for (int i = 0; i < csv->n_fields; i++)
    if (sl_role_matches (&role, csv->first[i]))
      return csv->first[i];
  return NULL;
}

/* The winner of two things is no class: left and right are others in each row. */
static gboolean
refuse_comparisons (SlRowReading *reading, gboolean first, GError **error)
{
  static const char *const sides[][2]
      = { { "left", "right" },           { "modela", "modelb" },   { "responsea", "responseb" },
          { "answera", "answerb" },      { "optiona", "optionb" }, { "itema", "itemb" },
          { "candidatea", "candidateb" } };
  const SlCsv *csv = reading->source.csv;
  const char *class = csv->first[reading->column[CLASS]];
  for (gsize s = 0; csv->has_names && s < G_N_ELEMENTS (sides); s++)
    {
      const char *one = header_of (csv, sides[s][0]), *other = header_of (csv, sides[s][1]);
      if (one != NULL && other != NULL && sl_role_matches (&winner_role, class))
        return sl_error_bad_input (
            error,
            "%s: it has comparisons: '%s' says which of '%s' and '%s' is better, and these are "
            "others in each row, so it is no vote for a class; Bradley-Terry and the like rank by "
            "comparisons, as evalica and crowd-kit have them, and softlabel does not (if they are "
            "the same in all rows of an item, rename '%s')",
            csv->name, class, one, other, class);
    }
  return TRUE;
}

static guint32
table_columns (const int *column)
{
  static const struct
  {
    int role, column;
  } made[] = {
    { ANNOTATOR, SL_ANNOTATIONS_ANNOTATOR },
    { PERCENT, SL_ANNOTATIONS_CHOICES },
    { CLASS2, SL_ANNOTATIONS_CHOICES },
    { PERCENT2, SL_ANNOTATIONS_CHOICES },
    { IMPOSSIBLE, SL_ANNOTATIONS_CHOICES },
    { IMPOSSIBLE, SL_ANNOTATIONS_IMPOSSIBLE },
    { GOLD, SL_ANNOTATIONS_GOLD },
    { SECONDS, SL_ANNOTATIONS_SECONDS },
    { COUNT, SL_ANNOTATIONS_COUNT },
    { TRIAL, SL_ANNOTATIONS_TRIAL },
    { BACKGROUND, SL_ANNOTATIONS_BACKGROUND },
    { ODD, SL_ANNOTATIONS_ODD },
  };
  guint32 columns = 1u << SL_ANNOTATIONS_ITEM;
  for (gsize i = 0; i < G_N_ELEMENTS (made); i++)
    if (column[made[i].role] >= 0)
      columns |= 1u << made[i].column;
  for (gsize i = 0; i < G_N_ELEMENTS (flags); i++)
    if (column[flags[i].role] >= 0)
      columns |= 1u << flags[i].column;
  return columns & 1u << SL_ANNOTATIONS_CHOICES ? columns : columns | 1u << SL_ANNOTATIONS_CLASS;
}

static void
check_trials (SlCsvRows *records, int c, double *trial)
{
  sl_fields_numbers (records, c, "trial", trial);
  for (guint32 r = 0; r < records->n; r++)
    if (!isnan (trial[r]) && !(trial[r] == floor (trial[r]) && fabs (trial[r]) <= G_MAXINT32))
      sl_csv_rows_bad (records, r, "the trial is not a whole number");
}

/* A percent that is no number is kept, for `exclude` to count. */
static void
take_percents (SlCsvRows *records, int c, double *percent)
{
  SlPercentCounts none = { 0 };
  for (guint32 r = 0; r < records->n; r++)
    {
      gsize n = 0;
      const char *text = c >= 0 ? sl_csv_field (records, c, r, &n) : "";
      percent[r] = (double) NAN;
      if (n > 0 && !sl_percent_read (text, n, SL_PERCENT_OF_100, &percent[r], &none))
        percent[r] = SL_PERCENT_UNREADABLE;
    }
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
  if (reading->format->data == as_typed && !reading->has_choices)
    {
      take_percents (records, place[PERCENT], sl_row_reals (piece, PERCENT));
      take_percents (records, place[PERCENT2], sl_row_reals (piece, PERCENT2));
    }
  else if (sl_table_has (reading->shape, SL_ANNOTATIONS_CHOICES) && !reading->has_choices)
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
  for (gsize i = 0; i < G_N_ELEMENTS (flags); i++)
    if (sl_row_has (reading, flags[i].role))
      sl_fields_flags (records, place[flags[i].role], flags[i].what,
                       sl_row_reals (piece, flags[i].role));
  if (sl_row_has (reading, TRIAL))
    check_trials (records, place[TRIAL], sl_row_reals (piece, TRIAL));
  if (sl_row_has (reading, BACKGROUND))
    sl_fields_numbers (records, place[BACKGROUND], "time in the background",
                       sl_row_reals (piece, BACKGROUND));
}

static void
code (const SlRowReading *reading, SlCsvRows *records, SlRowPiece *piece)
{
  const int *place = reading->place;
  if (reading->has_choices)
    sl_fields_choices (records, place[CLASS], piece->coder, &piece->choices,
                       piece->choice_percents);
  else
    sl_fields_classes (records, place[CLASS], "class", piece->coder, TRUE,
                       sl_row_codes (piece, CLASS));
  if (sl_table_has (reading->shape, SL_ANNOTATIONS_CHOICES) && !reading->has_choices)
    sl_fields_classes (records, place[CLASS2], "second class", piece->coder, FALSE,
                       sl_row_codes (piece, CLASS2));
  if (sl_row_has (reading, GOLD))
    sl_fields_classes (records, place[GOLD], "gold class", piece->gold_coder, FALSE,
                       sl_row_codes (piece, GOLD));
  if (sl_row_has (reading, IMPOSSIBLE))
    sl_fields_class_lists (records, place[IMPOSSIBLE], "impossible class", piece->coder, "|;",
                           FALSE, &piece->lists);
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

/* Choices that came as lists. */
static void
add_lists (const SlRowPiece *piece, guint32 n)
{
  guint32 i = 0;
  for (guint32 r = 0; r < n; r++)
    {
      for (; i < piece->choices.end[r]; i++)
        sl_builder_choice (piece->rows, SL_ANNOTATIONS_CHOICES,
                           g_array_index (piece->choices.codes, gint32, i),
                           g_array_index (piece->choice_percents, double, i));
      sl_builder_end_list (piece->rows, SL_ANNOTATIONS_CHOICES);
    }
}

static void
add_oddities (const SlRowReading *reading, const SlCsvRows *records, SlRowPiece *piece)
{
  for (guint32 r = 0; r < records->n; r++)
    {
      gsize n = 0;
      const char *odd = sl_csv_field (records, reading->place[ODD], r, &n);
      if (n > 0)
        sl_builder_text (piece->rows, SL_ANNOTATIONS_ODD, odd, n);
      else
        sl_builder_null (piece->rows, SL_ANNOTATIONS_ODD);
    }
}

/* Values that we wrote ourselves. */
static void
add_own (const SlRowReading *reading, const SlCsvRows *records, SlRowPiece *piece)
{
  guint32 n = records->n;
  for (gsize i = 0; i < G_N_ELEMENTS (flags); i++)
    for (guint32 r = 0; sl_row_has (reading, flags[i].role) && r < n; r++)
      sl_builder_bool (piece->rows, flags[i].column, sl_row_reals (piece, flags[i].role)[r] != 0);
  for (guint32 r = 0; sl_row_has (reading, TRIAL) && r < n; r++)
    if (isnan (sl_row_reals (piece, TRIAL)[r]))
      sl_builder_null (piece->rows, SL_ANNOTATIONS_TRIAL);
    else
      sl_builder_int (piece->rows, SL_ANNOTATIONS_TRIAL, (gint64) sl_row_reals (piece, TRIAL)[r]);
  for (guint32 r = 0; sl_row_has (reading, BACKGROUND) && r < n; r++)
    sl_builder_real (piece->rows, SL_ANNOTATIONS_BACKGROUND, sl_row_reals (piece, BACKGROUND)[r]);
  if (sl_row_has (reading, ODD))
    add_oddities (reading, records, piece);
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
  if (reading->has_choices)
    add_lists (piece, n);
  else if (sl_table_has (reading->shape, SL_ANNOTATIONS_CHOICES))
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
  add_own (reading, records, piece);
}

#define ONE_ANSWER_A_ROW                                                                           \
  .kind = &sl_annotations,                                                                         \
  .class_columns = (const int[]){ SL_ANNOTATIONS_CLASS, SL_ANNOTATIONS_CHOICES,                    \
                                  SL_ANNOTATIONS_IMPOSSIBLE, -1 },                                 \
  .gold_column = SL_ANNOTATIONS_GOLD, .class_role = CLASS, .repeat_column = SL_ANNOTATIONS_REPEAT, \
  .takes_choices = TRUE, .columns = table_columns, .check = check, .code = code

static const SlRowFormat long_format = { ONE_ANSWER_A_ROW,
                                         .roles = roles,
                                         .n_roles = N_ROLES,
                                         .item_role = ITEM,
                                         .annotator_role = ANNOTATOR,
                                         .settle = settle,
                                         .find_more = refuse_comparisons,
                                         .add = add };

/* --multi-label: an answer is a set of classes, and each class a question that it says yes or no
 * to, about an item ITEM/CLASS. While the classes are not known, rows have sets: those of answers
 * as classes ruled out would be, those of gold as choices. */

typedef struct
{
  char between[3]; /* parts the members of a set */
  SlBuilder *sets; /* once the questions are known */
  gint64 n_empty;
} Sets;

static guint32
columns_of_sets (const int *column)
{
  return 1u << SL_ANNOTATIONS_ITEM | 1u << SL_ANNOTATIONS_IMPOSSIBLE
         | (column[ANNOTATOR] >= 0 ? 1u << SL_ANNOTATIONS_ANNOTATOR : 0)
         | (column[GOLD] >= 0 ? 1u << SL_ANNOTATIONS_CHOICES : 0);
}

static void
leave_sets_alone (const SlIngest *ingest, const SlCsv *csv, int *column)
{
  for (int role = 0; role < N_ROLES; role++) /* attributes, which follow, stay */
    if (role != ITEM && role != ANNOTATOR && role != CLASS && role != GOLD)
      column[role] = -1;
}

static void
check_sets (const SlRowReading *reading, SlCsvRows *records, SlRowPiece *piece)
{
  gboolean trim = reading->source.ingest->class_texts.trim;
  sl_fields_check_there (records, reading->place[ITEM], "item", trim);
  if (sl_row_has (reading, ANNOTATOR))
    sl_fields_check_there (records, reading->place[ANNOTATOR], "annotator", trim);
}

static void
code_sets (const SlRowReading *reading, SlCsvRows *records, SlRowPiece *piece)
{
  const Sets *state = reading->format->data;
  sl_fields_class_lists (records, reading->place[CLASS], "class", piece->coder, state->between,
                         TRUE, &piece->lists);
  if (sl_row_has (reading, GOLD))
    sl_fields_class_lists (records, reading->place[GOLD], "gold class", piece->coder,
                           state->between, FALSE, &piece->choices);
}

static void
add_sets (const SlRowReading *reading, const SlCsvRows *records, SlRowPiece *piece)
{
  sl_row_add_texts (reading, records, ITEM, SL_ANNOTATIONS_ITEM, piece);
  sl_row_add_texts (reading, records, ANNOTATOR, SL_ANNOTATIONS_ANNOTATOR, piece);
  add_impossible (piece, records->n);
  guint32 i = 0;
  for (guint32 r = 0; sl_row_has (reading, GOLD) && r < records->n; r++)
    {
      for (; i < piece->choices.end[r]; i++)
        sl_builder_choice (piece->rows, SL_ANNOTATIONS_CHOICES,
                           g_array_index (piece->choices.codes, gint32, i), (double) NAN);
      sl_builder_end_list (piece->rows, SL_ANNOTATIONS_CHOICES);
    }
}

static gboolean
start_questions (SlRowReading *reading, GError **error)
{
  Sets *state = reading->format->data;
  SlIngest *ingest = reading->source.ingest;
  g_auto (GStrv) questions = sl_ingest_ask (ingest, error);
  if (questions == NULL)
    return FALSE;
  g_autoptr (SlTable) table = sl_table_new (&sl_annotations, (const char *const *) questions);
  g_autoptr (SlTable) shape = sl_table_new (&sl_annotations, NULL);
  sl_table_take_columns (table, reading->shape, reading->shape->columns);
  shape->columns = reading->shape->columns
                   & (1u << SL_ANNOTATIONS_ITEM | 1u << SL_ANNOTATIONS_ANNOTATOR
                      | 1u << SL_ANNOTATIONS_REPEAT);
  sl_table_add (shape, SL_ANNOTATIONS_CLASS);
  if (sl_row_has (reading, GOLD))
    sl_table_add (shape, SL_ANNOTATIONS_GOLD);
  if (!sl_attributes_add (ingest, shape, error))
    return FALSE;
  state->sets = sl_builder_new (table);
  return sl_ingest_start_as (ingest, shape, error);
}

/* The set that row R of COLUMN has, [n_classes]. */
static void
mark_members (const SlColumn *column, gint64 r, gint32 n_classes, guint8 *member)
{
  memset (member, 0, (gsize) n_classes);
  for (gint32 j = column->start[r]; j < column->start[r + 1]; j++)
    member[column->code[j]] = 1;
}

static gboolean
ask (SlIngest *ingest, const SlBatch *batch, gint64 r, const guint8 *yes, const guint8 *gold,
     GError **error)
{
  const SlColumn *column = batch->column;
  gsize length;
  const char *item = sl_text_get (column[SL_ANNOTATIONS_ITEM].text, r, &length);
  g_autoptr (GString) name = g_string_new_len (item, (gssize) length);
  g_string_append (name, SL_QUESTION);
  gsize own = name->len;
  const gint32 *truth = column[SL_ANNOTATIONS_CHOICES].start;
  gboolean known = truth != NULL && truth[r] < truth[r + 1];
  for (gint32 k = 0; k < batch->table->n_classes; k++)
    {
      g_string_append (g_string_truncate (name, own), batch->table->classes[k]);
      sl_builder_text (ingest->builder, SL_ANNOTATIONS_ITEM, name->str, name->len);
      if (sl_table_has (ingest->table, SL_ANNOTATIONS_ANNOTATOR))
        sl_builder_texts (ingest->builder, SL_ANNOTATIONS_ANNOTATOR,
                          column[SL_ANNOTATIONS_ANNOTATOR].text, r, 1);
      sl_builder_class (ingest->builder, SL_ANNOTATIONS_CLASS, yes[k]);
      if (gold != NULL)
        sl_builder_class (ingest->builder, SL_ANNOTATIONS_GOLD, known ? gold[k] : -1);
      if (sl_table_has (ingest->table, SL_ANNOTATIONS_REPEAT))
        sl_builder_bool (ingest->builder, SL_ANNOTATIONS_REPEAT,
                         column[SL_ANNOTATIONS_REPEAT].flag[r]);
      for (int a = 0; a < ingest->n_attributes; a++)
        sl_value_copy (ingest->builder,
                       sl_table_tag_column (batch->table, ingest->attribute[a].key), batch, r);
      if (!sl_ingest_added (ingest, 1, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
put_sets (SlRowReading *reading, SlBuilder *rows, const guint8 *left_out, GError **error)
{
  Sets *state = reading->format->data;
  gint64 n = sl_builder_rows (rows), first = 0;
  while (first < n)
    {
      gint64 before = first;
      first = sl_builder_append (state->sets, rows, first, n);
      g_autoptr (SlBatch) batch = sl_builder_take (state->sets, error);
      if (batch == NULL)
        return FALSE;
      gint32 k = batch->table->n_classes;
      const SlColumn *answer = &batch->column[SL_ANNOTATIONS_IMPOSSIBLE],
                     *truth = &batch->column[SL_ANNOTATIONS_CHOICES];
      g_autofree guint8 *yes = g_malloc0 ((gsize) k + 1), *gold = g_malloc0 ((gsize) k + 1);
      for (gint64 r = 0; r < batch->n_rows; r++)
        {
          if (left_out != NULL && left_out[before + r])
            continue;
          mark_members (answer, r, k, yes);
          state->n_empty += answer->start[r] == answer->start[r + 1];
          if (truth->start != NULL)
            mark_members (truth, r, k, gold);
          if (!ask (reading->source.ingest, batch, r, yes, truth->start != NULL ? gold : NULL,
                    error))
            return FALSE;
        }
    }
  sl_builder_clear (rows);
  return TRUE;
}

static gboolean
run_sets (SlIngest *ingest, GError **error)
{
  /* A list of JSON or Parquet comes with bars. */
  Sets state = { .between = { '|', ingest->options->multi_label[0] } };
  const SlRowFormat format = {
    .kind = &sl_annotations,
    .roles = roles,
    .n_roles = N_ROLES,
    .class_columns = (const int[]){ SL_ANNOTATIONS_IMPOSSIBLE, SL_ANNOTATIONS_CHOICES, -1 },
    .gold_column = -1,
    .class_role = CLASS,
    .item_role = ITEM,
    .annotator_role = ANNOTATOR,
    .repeat_column = SL_ANNOTATIONS_REPEAT,
    .settle = leave_sets_alone,
    .columns = columns_of_sets,
    .check = check_sets,
    .code = code_sets,
    .add = add_sets,
    .find_more = refuse_comparisons,
    .start = start_questions,
    .put = put_sets,
    .data = &state,
  };
  gboolean ok = sl_row_format_run (&format, ingest, error);
  if (ok && state.n_empty > 0)
    sl_run_warn (ingest->run, SL_EMPTY_SETS, state.n_empty);
  g_clear_pointer (&state.sets, sl_builder_free);
  return ok;
}

static gboolean
run_long (SlIngest *ingest, GError **error)
{
  return ingest->options->multi_label != NULL ? run_sets (ingest, error)
                                              : sl_row_format_run (&long_format, ingest, error);
}

const SlIngestFormat sl_ingest_long = { .roles = roles, .run = run_long, .in_turn = TRUE };

/* survey: what the page of `softlabel survey` hands out or sends, CSV or JSON, one answer a row.
 * The first row of a session names the classes in the study's order. */
static int
column_of (const SlCsv *csv, const char *name)
{
  for (int c = 0; c < csv->n_fields; c++)
    if (strcmp (csv->first[c], name) == 0)
      return c;
  return -1;
}

static gboolean
begin_survey (SlRowReading *reading, gboolean first, GError **error)
{
  SlCsv *csv = reading->source.csv;
  int classes = column_of (csv, "classes");
  if (column_of (csv, "study") < 0 || column_of (csv, "session") < 0 || classes < 0)
    return sl_error_bad_input (error,
                               "%s: it lacks the columns study, session and classes that the page "
                               "of `softlabel survey` writes",
                               csv->name);
  if (!first || reading->source.ingest->classes != NULL)
    return TRUE;
  g_autoptr (GPtrArray) record = sl_csv_peek (csv, error);
  if (record == NULL)
    return FALSE;
  const char *told = (guint) classes < record->len ? record->pdata[classes] : "";
  if (told[0] == '\0')
    return TRUE;
  g_auto (GStrv) names = g_strsplit (told, "|", -1);
  sl_row_set_classes (reading, names);
  return TRUE;
}

static void
add_survey (const SlRowReading *reading, const SlCsvRows *records, SlRowPiece *piece)
{
  add (reading, records, piece);
  for (guint32 r = 0; r < records->n; r++)
    {
      gsize n = 0;
      if (sl_row_has (reading, ODD))
        (void) sl_csv_field (records, reading->place[ODD], r, &n);
      g_byte_array_append (piece->marked, &(guint8){ n > 0 }, 1);
    }
}

static gboolean
run_survey (SlIngest *ingest, GError **error)
{
  SlColumnRole own[N_SURVEY_ROLES + 1]
      = { [SESSION] = { "session", SL_NAMES ("session"), FALSE, NULL } };
  memcpy (own, roles, N_ROLES * sizeof *roles);
  const SlRowFormat format = { ONE_ANSWER_A_ROW,          .roles = own,
                               .n_roles = N_SURVEY_ROLES, .named = TRUE,
                               .find_more = begin_survey, .data = (gpointer) as_typed,
                               .add = add_survey,         .item_role = SESSION,
                               .annotator_role = TRIAL,   .of_sessions = TRUE };
  return sl_row_format_run (&format, ingest, error);
}

const SlIngestFormat sl_ingest_survey = { .run = run_survey, .in_turn = TRUE };
