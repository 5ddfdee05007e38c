/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions in CSV: a column a class, named `cat`, `label.cat`, `prob.cat`, `p_cat` or, as in
 * spaCy, `cats.cat`; or one column `label` or `prob` of lists, 0.8|0.2, whose classes must be said.
 * With --classes those columns are read; without it the columns that have such a prefix, or, if
 * none has, all that have no role. */
#include "distributions.h"

#include "pipeline/base/number-text.h"
#include "pipeline/base/shown-text.h"
#include "stages/ingest/readers/answers.h"

#include <math.h>

enum
{
  ITEM,
  ANNOTATOR,
  WEIGHT,
  GOLD,
  RUN,
  N_ROLES,
};

#define MOST_NAMES 12 /* of columns, that a message lists */

static const char *const prefixes[] = { "label.", "prob.", "p_", "prob_", "cats." };

typedef struct
{
  SlDistributions *to;
  int role[N_ROLES]; /* columns; -1: not there */
  int list;          /* the column of lists; -1: none */
  int *class;        /* [n classes]: where its column is */
  double *p;         /* [n classes] */
  const SlColumnRole *roles;
} Reading;

static gboolean
fail (const SlCsv *csv, GError **error, const char *what, const char *name)
{
  g_autofree char *shown = name != NULL ? sl_shown (name, strlen (name)) : NULL;
  return sl_error_bad_input (error, "%s: %s%s%s%s", csv->name, what, shown != NULL ? " '" : "",
                             shown != NULL ? shown : "", shown != NULL ? "'" : "");
}

/* Which columns have roles; those of the item's second choice of names only where nothing else is
 * the item. */
static gboolean
find_roles (SlAnswersReader *answers, SlCsvAnswers *csv, Reading *reading, GError **error)
{
  char *const *given = answers->ingest->columns;
  gboolean labels = reading->to->weight >= 0;
  for (int r = 0; r < N_ROLES; r++)
    {
      reading->role[r] = -1;
      if ((labels && r == RUN) || (!labels && r == WEIGHT))
        {
          if (given[r] != NULL)
            return sl_error_bad_input (error, "--column %s: such a table has none",
                                       reading->roles[r].role);
          continue;
        }
      if (given[r] != NULL && given[r][0] == '\0')
        continue;
      g_autofree char *option = g_strconcat ("--column ", reading->roles[r].role, NULL);
      if (given[r] != NULL
          && !sl_csv_answers_given (answers, csv, option, given[r], &reading->role[r], error))
        return FALSE;
      for (int i = csv->csv->n_fields - 1; given[r] == NULL && i >= 0; i--)
        if (sl_role_matches (&reading->roles[r], csv->csv->first[i]))
          reading->role[r] = i;
    }
  const char *const *fallback = reading->roles[ITEM].fallback;
  for (int f = 0; reading->role[ITEM] < 0 && given[ITEM] == NULL && fallback[f] != NULL; f++)
    reading->role[ITEM] = sl_csv_answers_column (csv, fallback[f]);
  return TRUE;
}

static gboolean
has_role (const Reading *reading, int column)
{
  for (int r = 0; r < N_ROLES; r++)
    if (reading->role[r] == column)
      return TRUE;
  return FALSE;
}

/* The class's part of a header: behind PREFIX, or all of it. */
static const char *
class_part (const char *header, const char *prefix)
{
  return prefix == NULL                      ? header
         : g_str_has_prefix (header, prefix) ? header + strlen (prefix)
                                             : NULL;
}

/* The prefix that columns of classes have; NULL: none. */
static const char *
find_prefix (const SlCsv *csv, const Reading *reading)
{
  for (gsize p = 0; p < G_N_ELEMENTS (prefixes); p++)
    for (int i = 0; i < csv->n_fields; i++)
      if (!has_role (reading, i) && g_str_has_prefix (csv->first[i], prefixes[p]))
        return prefixes[p];
  return NULL;
}

/* The classes that the header names. */
static gboolean
name_classes (SlIngest *ingest, const SlCsv *csv, const Reading *reading, const char *prefix,
              GError **error)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  g_autoptr (GHashTable) met = g_hash_table_new (g_str_hash, g_str_equal);
  for (int i = 0; i < csv->n_fields; i++)
    {
      char *name = (char *) class_part (csv->first[i], prefix);
      if (name == NULL || has_role (reading, i))
        continue;
      if (name[0] == '\0')
        return fail (csv, error,
                     "a column has no name; if it has the items, --column item=POSITION says so",
                     NULL);
      if (!g_hash_table_add (met, name))
        return fail (csv, error, "there are two columns of the class", name);
      g_strv_builder_add (names, name);
    }
  ingest->classes = g_strv_builder_end (names);
  return ingest->classes[0] != NULL
         || fail (csv, error, "there are no columns of probabilities beside those that have a role",
                  NULL);
}

static gboolean
find_class_columns (SlIngest *ingest, const SlCsv *csv, Reading *reading, const char *prefix,
                    GError **error)
{
  reading->class = g_new (int, g_strv_length (ingest->classes));
  for (int k = 0; ingest->classes[k] != NULL; k++)
    {
      reading->class[k] = -1;
      for (int i = 0; i < csv->n_fields; i++)
        {
          const char *name = class_part (csv->first[i], prefix);
          if (name != NULL && !has_role (reading, i) && strcmp (name, ingest->classes[k]) == 0)
            reading->class[k] = i;
        }
      if (reading->class[k] < 0)
        return fail (csv, error, "there is no column for the class", ingest->classes[k]);
    }
  /* A column of a class that is not among those given would be left out, and sums would tell of
   * another mistake. */
  for (int i = 0; i < csv->n_fields && prefix != NULL; i++)
    {
      const char *name = class_part (csv->first[i], prefix);
      if (name != NULL && !g_strv_contains ((const char *const *) ingest->classes, name))
        return fail (csv, error, "there is a column for what is not one of the classes,", name);
    }
  return TRUE;
}

static guint32
optional_columns (const Reading *reading)
{
  const SlDistributions *to = reading->to;
  guint32 columns = 0;
  if (reading->role[GOLD] >= 0)
    columns |= 1u << to->gold;
  if (reading->role[ANNOTATOR] >= 0)
    columns |= 1u << to->annotator;
  return columns;
}

static gboolean
is_read (const Reading *reading, gint32 n_classes, int column)
{
  gboolean read = has_role (reading, column) || column == reading->list;
  for (gint32 k = 0; reading->class != NULL && k < n_classes; k++)
    read = read || reading->class[k] == column;
  return read;
}

/* The columns that are not read, in one line. */
static void
tell_left_out (const SlIngest *ingest, const SlCsv *csv, const Reading *reading)
{
  g_autoptr (GString) names = g_string_new (NULL);
  gint32 n_classes = (gint32) g_strv_length (ingest->classes);
  int n = 0;
  for (int i = 0; i < csv->n_fields; i++)
    {
      if (is_read (reading, n_classes, i) || n++ >= MOST_NAMES)
        continue;
      g_autofree char *shown = sl_shown (csv->first[i], strlen (csv->first[i]));
      g_string_append_printf (names, "%s'%s'", n > 1 ? ", " : "", shown);
    }
  if (n > MOST_NAMES)
    g_string_append_printf (names, ", and %d more", n - MOST_NAMES);
  if (n > 0)
    sl_run_warn (ingest->run, "%s: left out: %s (`softlabel cat` keeps all that softlabel wrote)",
                 csv->name, names->str);
}

static gboolean
begin (SlAnswersReader *answers, SlCsvAnswers *csv, GError **error)
{
  Reading *reading = answers->state;
  SlIngest *ingest = answers->ingest;
  gboolean started = ingest->table != NULL;
  if (!find_roles (answers, csv, reading, error))
    return FALSE;
  if (reading->role[ITEM] >= 0 && reading->to->items != NULL)
    return fail (csv->csv, error, "has a column of items, so --items is of no use", NULL);
  if (started && ingest->table->columns != (ingest->table->columns | optional_columns (reading)))
    return fail (csv->csv, error, "has other columns than the files before it", NULL);
  const char *prefix = find_prefix (csv->csv, reading);
  reading->list = prefix == NULL ? sl_csv_answers_column (csv, "label") : -1;
  if (prefix == NULL && reading->list < 0)
    reading->list = sl_csv_answers_column (csv, "prob");
  if (ingest->classes == NULL && reading->list >= 0)
    return fail (csv->csv, error,
                 "its distributions are lists, whose classes must be said, in their order: "
                 "--classes A,B,C",
                 NULL);
  if (ingest->classes == NULL && !name_classes (ingest, csv->csv, reading, prefix, error))
    return FALSE;
  if (reading->list < 0 && !find_class_columns (ingest, csv->csv, reading, prefix, error))
    return FALSE;
  if (!started)
    tell_left_out (ingest, csv->csv, reading);
  reading->p = g_new (double, g_strv_length (ingest->classes));
  return started || sl_distributions_start (reading->to, optional_columns (reading), error);
}

/* The numbers of a list, 0.8|0.2; NULL, or what is wrong. */
static const char *
read_list (const Reading *reading, SlCell list, gboolean decimal_comma)
{
  gint32 n = reading->to->ingest->table->n_classes;
  const char *at = list.text, *end = list.text + list.n;
  for (gint32 k = 0; k < n; k++)
    {
      const char *bar = at <= end ? memchr (at, '|', (gsize) (end - at)) : NULL;
      if (at > end || (bar == NULL) != (k == n - 1))
        return "the list is not as long as there are classes";
      char room[64];
      const gsize length = (gsize) ((bar != NULL ? bar : end) - at);
      const char *number = sl_with_point (decimal_comma, at, length, room);
      if (!sl_parse_real (number, (gssize) length, &reading->p[k]))
        return "the list holds what is no number";
      at = (bar != NULL ? bar : end) + 1;
    }
  return NULL;
}

/* The row's own values beside its distribution; NULL, or what is wrong. */
static const char *
read_row (const Reading *reading, const SlCsvAnswers *csv, SlDistributionRow *row, char room[24])
{
  const SlDistributions *to = reading->to;
  SlCell item = sl_csv_answers_cell (csv, reading->role[ITEM]);
  row->item = reading->role[ITEM] >= 0 ? item.text : sl_distributions_item (to, to->n_rows, room);
  if (row->item == NULL)
    return "--items has fewer items than there are rows";
  row->item_length = strlen (row->item);
  row->annotator = sl_csv_answers_cell (csv, reading->role[ANNOTATOR]).text;
  row->gold = sl_csv_answers_cell (csv, reading->role[GOLD]).text;
  if (row->item_length == 0)
    return "the item is empty";
  if (reading->role[ANNOTATOR] >= 0 && row->annotator[0] == '\0')
    return "the annotator is empty";
  if (row->gold[0] != '\0' && sl_table_class (to->ingest->table, row->gold, -1) < 0)
    return "the gold class is not one of the classes";
  row->gold = row->gold[0] != '\0' ? row->gold : NULL;
  row->weight = reading->role[WEIGHT] >= 0 ? sl_csv_answers_number (csv, reading->role[WEIGHT]) : 1;
  if (row->weight != 0 && !(row->weight >= 0x1p-100 && row->weight <= 0x1p+100))
    return "the weight is neither 0 nor between 2^-100 and 2^100";
  double run = reading->role[RUN] >= 0 ? sl_csv_answers_number (csv, reading->role[RUN]) : 0;
  if (!(run >= 0 && run <= G_MAXINT32 && run == floor (run)))
    return "the run is not a whole number from 0";
  row->run = (gint64) run;
  return NULL;
}

/* A mean over both would be a guess, and so would the last one. */
static gboolean
fail_again (SlAnswersReader *answers, const Reading *reading, const SlDistributionRow *row,
            GError **error)
{
  g_autofree char *item = sl_shown (row->item, row->item_length);
  const char *way = reading->to->run >= 0
                        ? "which run it is, a column 'run' says, and whose answer "
                          "it predicts, a column 'annotator'"
                        : "whose distribution it is, a column 'annotator' says";
  gboolean told = reading->role[reading->to->run >= 0 ? RUN : ANNOTATOR] >= 0;
  return sl_answers_bad (answers, error, "the item '%s' has a row already%s%s", item,
                         told ? ", of the same " : "; ",
                         !told                   ? way
                         : reading->to->run >= 0 ? "run"
                                                 : "annotator");
}

static gboolean
take (SlAnswersReader *answers, SlCsvAnswers *csv, GError **error)
{
  const Reading *reading = answers->state;
  char room[24];
  SlDistributionRow row;
  const char *wrong = read_row (reading, csv, &row, room);
  if (wrong == NULL && reading->list >= 0)
    wrong = read_list (reading, sl_csv_answers_cell (csv, reading->list), csv->decimal_comma);
  for (gint32 k = 0; reading->list < 0 && k < reading->to->ingest->table->n_classes; k++)
    reading->p[k] = sl_csv_answers_number (csv, reading->class[k]);
  reading->to->n_rows++;
  if (wrong != NULL)
    return sl_answers_bad (answers, error, "%s", wrong);
  g_autofree char *fault = sl_distributions_check (reading->to, reading->p);
  gboolean again = FALSE;
  if (fault == NULL && reading->role[ITEM] >= 0
      && !sl_distributions_again (reading->to, &row, &again, error))
    return FALSE;
  if (again)
    return fail_again (answers, reading, &row, error);
  return fault != NULL ? sl_answers_bad (answers, error, "%s", fault)
                       : sl_distributions_add (reading->to, &row, reading->p, error);
}

gboolean
sl_distributions_read_csv (SlDistributions *to, const char *path, SlSource *source, GError **error)
{
  static const SlCsvTake how = { .begin = begin, .take = take };
  g_autofree char *name = sl_ingest_file_name (path);
  Reading reading = { .to = to, .roles = to->roles };
  SlAnswersReader answers = { .ingest = to->ingest, .state = &reading, .path = path, .file = name };
  /* A pipe is at hand already, in SOURCE. */
  const char *const none[] = { NULL };
  if (strcmp (path, "-") != 0 && !sl_ingest_find_classes (to->ingest, none, error))
    {
      sl_source_free (source);
      return FALSE;
    }
  gboolean ok = sl_csv_answers_read (&answers, source, &how, error);
  g_free (reading.class);
  g_free (reading.p);
  return ok;
}
