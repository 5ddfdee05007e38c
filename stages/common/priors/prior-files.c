/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "prior-files.h"

#include "stages/common/answers/gathering.h"
#include "pipeline/base/number-text.h"
#include "pipeline/base/shown-text.h"
#include "pipeline/table/digest.h"
#include "schemas/kinds.h"
#include "stages/common/classes/class-coder.h"
#include "stages/common/classes/class-list.h"
#include "stages/common/files/csv-cells.h"
#include "predicted-items.h"

#include <string.h>
#include <math.h>

/* ---- costs, from CSV ---- */

typedef struct
{
  SlPriors *priors;
  SlCoder *classes;
  double *cost;    /* [n_classes][n_classes] */
  gint32 *column;  /* [n_classes]: the class of each column of costs */
  gboolean *found; /* [n_classes] */
} CostReading;

/* Hands the rows to PARSE, with the classes ready to be looked up. */
static gboolean
each (SlCsv *csv, const int *columns, int n_columns, void (*parse) (SlCsvRows *rows, gpointer data),
      CostReading *reading, GError **error)
{
  g_autoptr (SlIntern) priors = sl_classes_intern (reading->priors->classes);
  SlClassTexts texts;
  if (!sl_class_texts_init (&texts, TRUE, NULL, NULL, error))
    return FALSE;
  reading->classes = sl_coder_new (priors, &texts);
  sl_csv_skip_first (csv);
  gboolean ok = sl_csv_cells (csv, columns, n_columns, parse, NULL, reading, error);
  sl_coder_free (reading->classes);
  sl_class_texts_clear (&texts);
  return ok;
}

/* One row of costs: the true class, then what each decision costs. */
static void
parse_cost (SlCsvRows *rows, gpointer data)
{
  const CostReading *reading = data;
  gint32 n = reading->priors->n_classes;
  for (guint32 r = 0; r < rows->n; r++)
    {
      gsize length;
      const char *class = sl_csv_field (rows, 0, r, &length);
      gint32 k = sl_coder_code (reading->classes, class, length);
      if (k < 0 || reading->found[k])
        {
          g_autofree char *shown = sl_shown (class, length);
          sl_csv_rows_bad (rows, r,
                           k < 0 ? "'%s' is none of the classes of the answers"
                                 : "class '%s' has two rows",
                           shown);
          continue;
        }
      reading->found[k] = TRUE;
      for (gint32 c = 0; c < n; c++)
        {
          const char *text = sl_csv_field (rows, c + 1, r, &length);
          double *cost = &reading->cost[(gsize) k * (gsize) n + (gsize) reading->column[c]];
          if (!sl_parse_real (text, (gssize) length, cost))
            sl_csv_rows_bad (rows, r, "column %d is no number: a cost is wanted", c + 2);
        }
    }
}

/* The class of each column, from the header. */
static gboolean
find_columns (const SlPriors *priors, SlCsv *csv, gint32 *column, GError **error)
{
  g_autoptr (SlIntern) classes = sl_classes_intern (priors->classes);
  g_autofree gboolean *seen = g_new0 (gboolean, MAX (priors->n_classes, 1));
  for (int c = 1; c < csv->n_fields; c++)
    {
      gint32 k = sl_intern_find (classes, csv->first[c], strlen (csv->first[c]));
      if (k >= 0 && !seen[k] && c <= priors->n_classes)
        {
          column[c - 1] = k;
          seen[k] = TRUE;
          continue;
        }
      g_autofree char *shown = sl_shown (csv->first[c], strlen (csv->first[c]));
      return sl_error_bad_input (error,
                                 k < 0 ? "%s: row 1: '%s' is none of the classes of the answers"
                                       : "%s: row 1: class '%s' is there twice",
                                 csv->name, shown);
    }
  if (csv->n_fields == priors->n_classes + 1)
    return TRUE;
  return sl_error_bad_input (
      error, "%s: row 1 names %d classes; there are %d: give a column and a row for each",
      csv->name, csv->n_fields - 1, priors->n_classes);
}

/* [n_classes][n_classes] of the CSV file PATH: a header of class names, a row for each true
 * class. */
static double *
read_cost (SlPriors *priors, const char *path, GError **error)
{
  gsize n = (gsize) priors->n_classes;
  g_autoptr (SlCsv) csv = sl_csv_open (path, error);
  g_autofree gint32 *column = g_new (gint32, MAX (n, 1));
  g_autofree int *columns = g_new (int, n + 1);
  g_autofree gboolean *found = g_new0 (gboolean, MAX (n, 1));
  g_autofree double *cost = g_new0 (double, MAX (n * n, 1));
  if (csv == NULL || !find_columns (priors, csv, column, error))
    return NULL;
  for (int c = 0; c <= priors->n_classes; c++)
    columns[c] = c;
  CostReading reading = { .priors = priors, .cost = cost, .column = column, .found = found };
  if (!each (csv, columns, priors->n_classes + 1, parse_cost, &reading, error))
    return NULL;
  for (gsize k = 0; k < n; k++)
    if (!found[k])
      {
        sl_error_bad_input (error, "%s: it has no row for true class '%s'", csv->name,
                            priors->classes[k]);
        return NULL;
      }
  return g_steal_pointer (&cost);
}

/* ---- confusion ---- */

/* How far the probabilities of one annotator and true class may be from 1. */
#define TOLERANCE 1e-6

typedef struct
{
  const SlPriors *priors;
  SlReader *reader;
  const SlIntern *annotators;
  const gint32 *map;
  double *confusion; /* [n_annotators][n_classes][n_classes] */
  gboolean *found;   /* [n_annotators] */
  double *crowd;     /* [n_classes][n_classes]: sums over all annotators of the table */
  double *prior;     /* [n_classes]; or NULL */
} Reading;

static gboolean
add_row (const Reading *reading, const SlBatch *batch, gint64 i, GError **error)
{
  gsize length, n = (gsize) reading->priors->n_classes;
  const SlColumn *column = batch->column;
  const char *name = sl_text_get (column[SL_CONFUSION_ANNOTATOR].text, i, &length);
  gint32 a = sl_intern_find (reading->annotators, name, length);
  gint32 from = column[SL_CONFUSION_TRUE].code[i], to = column[SL_CONFUSION_ANSWERED].code[i];
  gint32 k = reading->map[from], l = reading->map[to];
  double p = column[SL_CONFUSION_PROBABILITY].real[i];
  if (reading->prior != NULL && k >= 0 && column[SL_CONFUSION_PRIOR].real != NULL)
    reading->prior[k] = column[SL_CONFUSION_PRIOR].real[i];
  if (length > 0 && k >= 0 && l >= 0)
    reading->crowd[(gsize) k * n + (gsize) l] += p;
  if (a < 0)
    return TRUE;
  if (k < 0 || l < 0)
    return sl_error_row (error, batch->first_row + i + 1,
                         "'%s' is none of the classes of the answers",
                         batch->table->classes[k < 0 ? from : to]);
  reading->found[a] = TRUE;
  reading->confusion[((gsize) a * n + (gsize) k) * n + (gsize) l] += p;
  return TRUE;
}

/* Each true class of an annotator who is there must be whole. */
static gboolean
check_sums (const Reading *reading, GError **error)
{
  gint32 n = reading->priors->n_classes;
  const double *row = reading->confusion;
  for (gint32 a = 0; a < sl_intern_size (reading->annotators); a++)
    for (gint32 k = 0; k < n; k++, row += n)
      {
        double sum = 0;
        for (gint32 l = 0; l < n; l++)
          sum += row[l];
        gboolean less = reading->priors->weights && sum > 0 && sum < 1;
        if (!reading->found[a] || less || fabs (sum - 1) <= TOLERANCE * n)
          continue;
        gsize length;
        const char *name = sl_intern_get (reading->annotators, a, &length);
        return sl_error_bad_input (
            error,
            "%s: the probabilities of annotator '%.*s' for true class '%s' sum to %.9g, "
            "not to 1",
            sl_reader_name (reading->reader), (int) MIN (length, 1000), name,
            reading->priors->classes[k], sum);
      }
  return TRUE;
}

/* Who is not there becomes the mean of all who are in the table. */
static gboolean
fill_in (const Reading *reading, GError **error)
{
  gsize n = (gsize) reading->priors->n_classes;
  for (gsize k = 0; k < n; k++)
    {
      double *row = reading->crowd + k * n, sum = 0;
      for (gsize l = 0; l < n; l++)
        sum += row[l];
      for (gsize l = 0; l < n; l++)
        row[l] /= sum;
      if (sum > 0)
        continue;
      return sl_error_bad_input (error, "%s: no annotator in it has the true class '%s'",
                                 sl_reader_name (reading->reader), reading->priors->classes[k]);
    }
  for (gint32 a = 0; a < sl_intern_size (reading->annotators); a++)
    if (!reading->found[a])
      memcpy (reading->confusion + (gsize) a * n * n, reading->crowd, n * n * sizeof (double));
  return TRUE;
}

double *
sl_priors_read_confusion (SlPriors *priors, SlReader *reader, const SlIntern *annotators,
                          double *prior, GError **error)
{
  gsize n = (gsize) priors->n_classes, n_annotators = (gsize) sl_intern_size (annotators);
  const char *what = "annotators × classes × classes known probabilities";
  g_autofree double *confusion
      = sl_run_alloc0 (priors->run, n_annotators, n * n * sizeof (double), what, error);
  g_autofree double *crowd
      = confusion == NULL ? NULL : sl_run_alloc0 (priors->run, n * n, sizeof (double), what, error);
  if (crowd == NULL)
    return NULL;
  g_autofree gboolean *found = g_new0 (gboolean, MAX (n_annotators, 1));
  g_autofree gint32 *map
      = sl_table_class_map (sl_reader_table (reader), priors->classes, priors->n_classes);
  Reading reading = { priors, reader, annotators, map, confusion, found, crowd, prior };
  for (gsize k = 0; prior != NULL && k < n; k++)
    prior[k] = NAN;
  g_autoptr (SlTableDigest) digest = reader == priors->start && priors->names_start
                                         ? sl_table_digest_new (sl_reader_table (reader))
                                         : NULL;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    {
      if (digest != NULL)
        sl_table_digest_add (digest, batch);
      for (gint64 i = 0; ok && i < batch->n_rows; i++)
        ok = add_row (&reading, batch, i, error);
    }
  if (!ok)
    return NULL;
  if (digest != NULL)
    priors->start_id = sl_table_digest_text (digest);
  if (!check_sums (&reading, error))
    return NULL;
  if (prior != NULL && !fill_in (&reading, error))
    return NULL;
  return g_steal_pointer (&confusion);
}

static const SlKind *const confusion_kinds[] = { &sl_confusion, NULL };

static gboolean
open_gold (SlPriors *priors, GError **error)
{
  const char *path = priors->files->gold;
  if (path == NULL)
    return TRUE;
  if (!sl_item_values_open (&priors->gold, priors->run, "gold", path, error))
    return FALSE;
  sl_item_values_want (&priors->gold, "gold", SL_TYPE_CLASS, TRUE);
  return TRUE;
}

static gboolean
open_groups (SlPriors *priors, GError **error)
{
  const char *path = priors->files->groups;
  if (path == NULL)
    return TRUE;
  if (!sl_item_values_open_of (&priors->groups, priors->run, "groups", path, &sl_annotator_role,
                               error))
    return FALSE;
  sl_item_values_want (&priors->groups, "group", SL_TYPE_TEXT, FALSE);
  return TRUE;
}

static gboolean
open_table (SlPriors *priors, const char *option, const char *path, const SlKind *const *kinds,
            SlReader **reader, GError **error)
{
  if (path != NULL)
    *reader = sl_run_open (priors->run, option, path, kinds, error);
  return path == NULL || *reader != NULL;
}

/* ---- all that options name ---- */

static gboolean
open_cost (SlPriors *priors, GError **error)
{
  const char *path = priors->files->cost;
  if (path == NULL)
    return TRUE;
  priors->cost = read_cost (priors, path, error);
  return priors->cost != NULL && sl_run_add_option_file (priors->run, "cost", path, error);
}

gboolean
sl_priors_open (SlPriors *priors, SlRun *run, const SlPriorFiles *files, const SlTable *table,
                GError **error)
{
  *priors = (SlPriors){
    .run = run, .files = files, .classes = table->classes, .n_classes = table->n_classes
  };
  return open_gold (priors, error) && open_groups (priors, error) && open_cost (priors, error)
         && (files->predictions == NULL
             || (priors->predictions = sl_predictions_open (run, files->predictions, error))
                    != NULL)
         && open_table (priors, "confusion-prior", files->prior, confusion_kinds, &priors->prior,
                        error)
         && open_table (priors, "init", files->start, confusion_kinds, &priors->start, error);
}

void
sl_priors_clear (SlPriors *priors)
{
  sl_item_values_clear (&priors->gold);
  sl_item_values_clear (&priors->groups);
  g_clear_pointer (&priors->predictions, sl_reader_free);
  g_clear_pointer (&priors->prior, sl_reader_free);
  g_clear_pointer (&priors->start, sl_reader_free);
  g_clear_pointer (&priors->cost, g_free);
  g_clear_pointer (&priors->start_id, g_free);
}

/* How many of ITEMS have a gold class now. A file of which less than half fits, and that gives less
 * than half of the items a class, may be another's: then an item of each side shows how they
 * differ. */
static void
tell_matched (const SlPriors *priors, const SlIntern *items, const gint32 *gold,
              const guint8 *matched)
{
  const SlItemValues *values = &priors->gold;
  gint32 n_items = sl_intern_size (items), n = 0, n_gold = 0, n_matched = 0, other = -1;
  for (gint32 i = 0; i < n_items; i++)
    n += gold[i] >= 0;
  for (gint32 v = 0; v < sl_intern_size (values->items); v++)
    if (sl_item_values_get (values, 0, v) != NULL)
      {
        n_gold++;
        n_matched += matched[v];
        other = !matched[v] && other < 0 ? v : other;
      }
  if (n_items == 0 || other < 0 || 2 * n_matched >= n_gold || 2 * n >= n_items)
    {
      sl_run_note (priors->run, "--gold %s has the class of %d of %d items", values->name, n,
                   n_items);
      return;
    }
  g_autofree char *unmatched = sl_intern_shown (values->items, other);
  g_autofree char *shown = sl_intern_shown (items, 0);
  sl_run_warn (priors->run,
               "--gold %s has the class of only %d of %d items; %d of the %d that it has a class "
               "of are others, such as '%s', where the answers have '%s': are items named alike in "
               "both?",
               values->name, n, n_items, n_gold - n_matched, n_gold, unmatched, shown);
}

gint32
sl_priors_read_groups (SlPriors *priors, const SlIntern *annotators, gint32 *group, GError **error)
{
  SlItemValues *values = &priors->groups;
  if (!sl_item_values_read (values, priors->classes, priors->n_classes, NULL, error))
    return -1;
  gint32 n = sl_intern_size (values->texts), named = 0;
  for (gint32 a = 0; a < sl_intern_size (annotators); a++)
    {
      gsize length;
      const char *name = sl_intern_get (annotators, a, &length);
      const SlItemValue *value
          = sl_item_values_get (values, 0, sl_item_values_find (values, name, length));
      named += value != NULL;
      group[a] = value != NULL ? (gint32) value->integer : n++;
    }
  if (named == 0 && sl_intern_size (annotators) > 0)
    sl_error_bad_input (error, "%s: it has the group of none of the annotators", values->name);
  gboolean ok = named > 0 || sl_intern_size (annotators) == 0;
  sl_item_values_clear (values);
  return ok ? n : -1;
}

gboolean
sl_priors_read_gold (SlPriors *priors, const SlIntern *items, gint32 *gold, GError **error)
{
  SlItemValues *values = &priors->gold;
  if (priors->files->gold == NULL)
    return TRUE;
  if (!sl_item_values_read (values, priors->classes, priors->n_classes, NULL, error))
    return FALSE;
  g_autofree guint8 *matched = g_new0 (guint8, MAX (sl_intern_size (values->items), 1));
  for (gint32 i = 0; i < sl_intern_size (items); i++)
    {
      gsize length;
      const char *item = sl_intern_get (items, i, &length);
      gint32 found = sl_item_values_find (values, item, sl_parting_item (item, length));
      if (!sl_item_values_class (values, 0, found, &gold[i], error))
        return FALSE;
      if (found >= 0)
        matched[found] = 1;
    }
  tell_matched (priors, items, gold, matched);
  sl_item_values_clear (values);
  return TRUE;
}
