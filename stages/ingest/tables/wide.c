/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wide: CSV with a row an item and a column an annotator, as cleanlab's frame of labels is;
 * --transpose: a row an annotator. The item is the column that goes by such a name, or the first.
 * An empty cell, and what --na says, is no answer. Programs that know missing values only in reals
 * write the class 2 as 2.0: it is read as 2. Whether -1 or a point is an answer nobody knows, so
 * the user is asked. */
#include "pipeline/base/shown-text.h"
#include "schemas/annotations.h"
#include "stages/common/files/column-names.h"
#include "stages/ingest/formats.h"

#include <math.h>

enum
{
  ITEM,
  GOLD,
};

static const SlColumnRole roles[] = {
  [ITEM] = { "item", SL_NAMES (SL_ITEM_NAMES), FALSE, NULL },
  [GOLD] = { "gold", SL_NAMES ("gold"), FALSE, NULL },
  { 0 },
};

static const SlColumnRole annotator_role
    = { "annotator", SL_NAMES (SL_ANNOTATOR_NAMES), FALSE, NULL };

static const SlColumnRole class_role
    = { "class", SL_NAMES (SL_CLASS_NAMES, "choices"), FALSE, NULL };

typedef struct
{
  int item, gold;
  GArray *answers; /* of int: the columns of annotators */
} Wide;

static void
find_item (SlAnswersReader *answers, const SlCsvAnswers *csv)
{
  Wide *state = answers->state;
  const SlColumnRole *role = answers->ingest->options->transpose ? &annotator_role : &roles[ITEM];
  state->item = 0;
  for (int i = csv->csv->n_fields - 1; i >= 0; i--)
    if (sl_role_matches (role, csv->csv->first[i]))
      state->item = i;
}

static gboolean
check_names (SlAnswersReader *answers, const SlCsvAnswers *csv, GError **error)
{
  const Wide *state = answers->state;
  g_autoptr (GHashTable) met = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < state->answers->len; i++)
    {
      char *name = csv->csv->first[g_array_index (state->answers, int, i)];
      if (name[0] != '\0' && g_hash_table_add (met, name))
        continue;
      g_autofree char *shown = sl_shown (name, strlen (name));
      return sl_error_bad_input (error, "%s: %s '%s'", answers->file,
                                 name[0] == '\0' ? "a column has no name" : "there are two columns",
                                 shown);
    }
  return TRUE;
}

/* Which columns are taken for annotators is a guess, and is said. */
static void
tell (SlAnswersReader *answers, const SlCsvAnswers *csv)
{
  const Wide *state = answers->state;
  gboolean turned = answers->ingest->options->transpose;
  if (answers->ingest->again || answers->path != answers->ingest->files[0])
    return;
  g_autoptr (GString) names = g_string_new (NULL);
  for (guint i = 0; i < state->answers->len && i < 3; i++)
    {
      const char *name = csv->csv->first[g_array_index (state->answers, int, i)];
      g_autofree char *shown = sl_shown (name, strlen (name));
      g_string_append_printf (names, "%s'%s'", i > 0 ? ", " : "", shown);
    }
  if (state->answers->len > 3)
    g_string_append (names, ", …");
  g_autofree char *first
      = sl_shown (csv->csv->first[state->item], strlen (csv->csv->first[state->item]));
  sl_run_warn (
      answers->ingest->run, "the %s is column %d, '%s'; %u other column%s taken for %s: %s%s",
      turned ? "annotator" : "item", state->item + 1, first, state->answers->len,
      state->answers->len == 1 ? " is" : "s are", turned ? "items" : "annotators", names->str,
      answers->ingest->options->columns_like != NULL ? "" : " (--columns PATTERN says which are)");
}

static gboolean
has_role (const SlCsvAnswers *csv, const SlColumnRole *role)
{
  for (int i = 0; i < csv->csv->n_fields; i++)
    if (sl_role_matches (role, csv->csv->first[i]))
      return TRUE;
  return FALSE;
}

/* A file with a column for the annotator and one for the class has an answer a row. */
static gboolean
check_not_long (const SlAnswersReader *answers, const SlCsvAnswers *csv, GError **error)
{
  return !has_role (csv, &annotator_role) || !has_role (csv, &class_role)
         || sl_error_bad_input (
             error,
             "%s: it has a column for the annotator and one for the class, so it has an answer a "
             "row; --columns PATTERN says which columns hold answers, if it is wide none the less",
             answers->file);
}

static void
clear (gpointer data)
{
  g_clear_pointer (&((Wide *) data)->answers, g_array_unref);
}

static gboolean
begin (SlAnswersReader *answers, SlCsvAnswers *csv, GError **error)
{
  Wide *state = answers->state;
  char *const *given = answers->ingest->columns;
  const char *like = answers->ingest->options->columns_like;
  g_autoptr (GPatternSpec) pattern = like != NULL ? g_pattern_spec_new (like) : NULL;
  state->gold = -1;
  find_item (answers, csv);
  if (given[ITEM] != NULL
      && !sl_csv_answers_given (answers, csv, "--column item", given[ITEM], &state->item, error))
    return FALSE;
  if (given[GOLD] != NULL
      && !sl_csv_answers_given (answers, csv, "--column gold", given[GOLD], &state->gold, error))
    return FALSE;
  if (like == NULL && !check_not_long (answers, csv, error))
    return FALSE;
  clear (state);
  state->answers = g_array_new (FALSE, FALSE, sizeof (int));
  for (int i = 0; i < csv->csv->n_fields; i++)
    if (i != state->item && i != state->gold
        && (pattern == NULL || g_pattern_spec_match_string (pattern, csv->csv->first[i])))
      g_array_append_val (state->answers, i);
  if (state->answers->len == 0)
    {
      return sl_error_bad_input (error, "%s: there are no columns of answers beside '%s'%s",
                                 answers->file, csv->csv->first[state->item],
                                 pattern != NULL ? " that --columns fits" : "; is it --delimiter?");
    }
  if (!check_names (answers, csv, error))
    return FALSE;
  tell (answers, csv);
  return TRUE;
}

/* 2.0 is 2. */
static SlCell
without_fraction (SlCell cell)
{
  gsize digits = 0;
  while (digits < cell.n && g_ascii_isdigit (cell.text[digits]))
    digits++;
  if (digits > 0 && cell.n == digits + 2 && memcmp (cell.text + digits, ".0", 2) == 0)
    cell.n -= 2;
  return cell;
}

/* Cells that often mean that there is no answer, where the user has said nothing about them. */
static gboolean
is_doubtful (const SlIngest *ingest, SlCell cell)
{
  return (sl_cell_is (cell, "-1") || sl_cell_is (cell, "-1.0") || sl_cell_is (cell, ".")
          || sl_cell_is (cell, "?") || sl_cell_is (cell, "-"))
         && ingest->options->missing == NULL && ingest->options->classes == NULL
         && ingest->options->classes_from == NULL;
}

static gboolean
take (SlAnswersReader *answers, SlCsvAnswers *csv, GError **error)
{
  const Wide *state = answers->state;
  const SlIngest *ingest = answers->ingest;
  SlCell row = sl_csv_answers_cell (csv, state->item);
  SlCell gold = without_fraction (sl_csv_answers_cell (csv, state->gold));
  for (guint i = 0; i < state->answers->len; i++)
    {
      int c = g_array_index (state->answers, int, i);
      const char *name = csv->csv->first[c];
      SlCell column = { name, strlen (name) };
      SlCell class = sl_csv_answers_cell (csv, c);
      if (class.n == 0 || sl_class_texts_missing (&ingest->class_texts, class.text, class.n))
        continue;
      if (is_doubtful (ingest, class)
          && !sl_answers_bad (
              answers, error,
              "'%s' in column '%s' may be an answer, or none: --na '%s' or --classes says which",
              class.text, name, class.text))
        return FALSE;
      if (is_doubtful (ingest, class))
        continue;
      SlAnswer answer = { .item = ingest->options->transpose ? column : row,
                          .annotator = ingest->options->transpose ? row : column,
                          .class = without_fraction (class),
                          .gold = gold,
                          .seconds = (double) NAN };
      if (!sl_answers_add (answers, &answer, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
check (const SlIngestOptions *options, GError **error)
{
  for (char **text = options->columns; options->transpose && text != NULL && *text != NULL; text++)
    if (g_str_has_prefix (*text, "gold="))
      return sl_error_usage (error, "--transpose: a column cannot hold the gold class of items");
  return TRUE;
}

static const SlAnswersFormat format = {
  .columns = 1u << SL_ANNOTATIONS_ANNOTATOR,
  .csv = { .begin = begin, .take = take },
  .state_bytes = sizeof (Wide),
  .clear = clear,
};

const SlIngestFormat sl_ingest_wide = { .roles = roles, .check = check, .answers = &format };
