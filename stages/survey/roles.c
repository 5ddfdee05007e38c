/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What items are there for, by the tables that options name; who has which batch, and which items
 * are in it (--allocation). */
#include "pipeline/base/error.h"
#include "pipeline/base/json-value.h"
#include "pipeline/base/number-text.h"
#include "pipeline/base/process/named-files.h"
#include "pipeline/base/shown-text.h"
#include "plan.h"
#include "schemas/labels.h"
#include "stages/common/figures/vote-figures.h"
#include "stages/common/files/column-names.h"
#include "study.h"

#include <math.h>
#include <string.h>

typedef struct
{
  SlStudy *study;
  GHashTable *index;
  SlSurveyRole role;
} Giving;

static char *
not_there (const char *name)
{
  g_autofree char *shown = sl_shown (name, strlen (name));
  return g_strdup_printf ("'%s' is not one of the items", shown);
}

static char *
take_role (char **fields, gpointer data)
{
  Giving *giving = data;
  SlSurveyItem *item = g_hash_table_lookup (giving->index, fields[0]);
  if (item == NULL)
    return not_there (fields[0]);
  if (item->role != SL_ROLE_ASKED)
    return g_strdup ("this item is a check or practice already");
  item->role = giving->role;
  if (giving->role == SL_ROLE_PRACTICE)
    item->practice = ++giving->study->n_practice;
  if (fields[1][0] == '\0')
    return NULL;
  if (!g_strv_contains ((const char *const *) giving->study->classes, fields[1]))
    {
      g_autofree char *shown = sl_shown (fields[1], strlen (fields[1]));
      return g_strdup_printf ("gold '%s' is not one of the classes", shown);
    }
  g_free (item->gold);
  item->gold = g_strdup (fields[1]);
  return NULL;
}

static const SlColumnRole role_columns[]
    = { { "item", SL_NAMES (SL_ITEM_NAMES, "id"), TRUE, NULL },
        { "gold", SL_NAMES ("gold", "truth", "true", "label", "class"), FALSE, NULL } };

static gboolean
give_role (SlStudy *study, GHashTable *index, SlSurveyRole role, const char *option,
           const char *path, GError **error)
{
  Giving giving = { study, index, role };
  return path == NULL
         || sl_side_csv (study->run, option, path, role_columns, G_N_ELEMENTS (role_columns),
                         take_role, &giving, error);
}

/* Places in study->items, from 1, by their names. */
static GHashTable *
find_places (const SlStudy *study)
{
  GHashTable *place = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < study->items->len; i++)
    g_hash_table_insert (place, ((SlSurveyItem *) study->items->pdata[i])->name,
                         GINT_TO_POINTER ((int) i + 1));
  return place;
}

/* The place of row I's item, from 0; -1: it is none of the study's. */
static int
place_at (GHashTable *place, SlText item, gint64 i)
{
  g_autofree char *name = sl_text_dup (item, i);
  return GPOINTER_TO_INT (g_hash_table_lookup (place, name)) - 1;
}

/* VALUE[place in study->items] of the items in READER's table; NaN where it has none. */
static double *
read_figures (SlStudy *study, SlReader *reader, int column, GError **error)
{
  g_autoptr (GHashTable) place = find_places (study);
  g_autofree double *value = g_new (double, (gsize) study->items->len + 1);
  for (guint i = 0; i < study->items->len; i++)
    value[i] = (double) NAN;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    for (gint64 i = 0; i < batch->n_rows; i++)
      {
        int at = place_at (place, batch->column[SL_ITEMS_ITEM].text, i);
        if (at >= 0)
          value[at] = batch->column[column].real[i];
      }
  return ok ? g_steal_pointer (&value) : NULL;
}

typedef struct
{
  double *sum, *square, *answers; /* [n][n_classes], [n], [n] */
} Spread;

static gboolean
add_labels (GHashTable *place, const Spread *spread, const SlBatch *batch, GError **error)
{
  SlLabels view = sl_labels_view (batch);
  gsize n_classes = (gsize) view.n_classes;
  for (gint64 i = 0; i < view.n; i++)
    {
      int at = place_at (place, view.item, i);
      const double *label = view.label + (gsize) i * n_classes;
      if (view.weight[i] != 1)
        return sl_error_row (error, batch->first_row + i + 1,
                             "its weight is %.9g: labels of single answers are wanted, as "
                             "`softlabel redistribute` writes them",
                             view.weight[i]);
      for (gsize k = 0; at >= 0 && k < n_classes; k++)
        {
          spread->sum[(gsize) at * n_classes + k] += label[k];
          spread->square[at] += label[k] * label[k];
        }
      if (at >= 0)
        spread->answers[at]++;
    }
  return TRUE;
}

/* The gains of the items by the labels of their answers, in READER's table. */
static double *
read_spread (SlStudy *study, SlReader *reader, GError **error)
{
  gsize n = study->items->len, n_classes = (gsize) sl_reader_table (reader)->n_classes;
  g_autoptr (GHashTable) place = find_places (study);
  g_autofree double *sum
      = sl_run_alloc0 (study->run, n * n_classes, sizeof (double), "the items' labels", error);
  g_autofree double *square = g_new0 (double, n + 1), *answers = g_new0 (double, n + 1);
  g_autofree double *gain = g_new (double, n + 1);
  const Spread spread = { sum, square, answers };
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = sum != NULL;
  while (ok && sl_reader_each (reader, &batch, &ok, error))
    ok = add_labels (place, &spread, batch, error);
  if (!ok)
    return NULL;
  if (sl_spread_gain (sum, square, answers, (gint64) n, (gint32) n_classes, gain))
    return g_steal_pointer (&gain);
  sl_error_bad_input (error, "--from-agreement: %s: no item of the study has two answers in it",
                      sl_reader_name (reader));
  return NULL;
}

static gboolean
find_low (SlStudy *study, GError **error)
{
  const SlSurveyOptions *options = study->options;
  static const SlKind *const kinds[] = { &sl_items, NULL };
  g_autoptr (SlReader) reader
      = sl_run_open (study->run, "entropy-from", options->entropy_from, kinds, error);
  if (reader == NULL)
    return FALSE;
  g_autofree double *entropy = read_figures (study, reader, SL_ITEMS_ENTROPY, error);
  for (guint i = 0; entropy != NULL && i < study->items->len; i++)
    {
      SlSurveyItem *item = study->items->pdata[i];
      if (item->role != SL_ROLE_ASKED)
        continue;
      if (isnan (entropy[i]))
        return sl_error_bad_input (error, "--entropy-from: %s does not say the entropy of '%s'",
                                   options->entropy_from, item->name);
      if (entropy[i] <= options->low_entropy)
        item->role = SL_ROLE_LOW;
    }
  return entropy != NULL;
}

typedef struct
{
  SlSurveyItem *item;
  double gain;
} Wanted;

static int
by_gain (gconstpointer a, gconstpointer b)
{
  const Wanted *one = a, *other = b;
  return SL_COMPARE (other->gain, one->gain) ?: strcmp (one->item->name, other->item->name);
}

/* Items of which nothing is known are worth nothing here: they have no answer yet, or are of
 * another study. */
static gboolean
keep_gains (SlStudy *study, GError **error)
{
  const SlSurveyOptions *options = study->options;
  static const SlKind *const kinds[] = { &sl_items, &sl_labels, NULL };
  g_autoptr (SlReader) reader
      = sl_run_open (study->run, "from-agreement", options->from_agreement, kinds, error);
  if (reader == NULL)
    return FALSE;
  gboolean spread = sl_reader_table (reader)->kind == &sl_labels;
  g_autofree double *gain = spread ? read_spread (study, reader, error)
                                   : read_figures (study, reader, SL_ITEMS_GAIN, error);
  if (gain == NULL)
    return FALSE;
  guint n = 0, most = (guint) (options->ask > 0 ? options->ask : options->batch - options->repeats);
  g_autofree Wanted *wanted = g_new (Wanted, (gsize) study->items->len + 1);
  for (guint i = 0; i < study->items->len; i++)
    {
      SlSurveyItem *item = study->items->pdata[i];
      if (item->role == SL_ROLE_ASKED && !isnan (gain[i]))
        wanted[n++] = (Wanted){ item, gain[i] };
      if (item->role == SL_ROLE_ASKED)
        item->role = SL_ROLE_NONE;
    }
  if (n == 0)
    return sl_error_bad_input (error, "--from-agreement: %s says nothing of the items",
                               options->from_agreement);
  qsort (wanted, n, sizeof *wanted, by_gain);
  for (guint i = 0; i < MIN (n, most); i++)
    wanted[i].item->role = SL_ROLE_ASKED;
  sl_run_note (study->run, "asks about %u of %u items, with gains from %.4g to %.4g%s",
               MIN (n, most), n, wanted[0].gain, wanted[MIN (n, most) - 1].gain,
               spread ? "" : " nats");
  return TRUE;
}

gboolean
sl_study_give_roles (SlStudy *study, GHashTable *index, GError **error)
{
  const SlSurveyOptions *options = study->options;
  return give_role (study, index, SL_ROLE_CHECK, "checks", options->checks, error)
         && give_role (study, index, SL_ROLE_PRACTICE, "practice", options->practice, error)
         && (options->from_agreement == NULL || keep_gains (study, error))
         && (options->entropy_from == NULL || find_low (study, error));
}

static char *
take_allocation (char **fields, gpointer data)
{
  SlStudy *study = data;
  gint64 batch;
  int batches = sl_plan_batches (&study->plan);
  if (fields[0][0] == '\0' || !g_utf8_validate (fields[0], -1, NULL))
    return g_strdup ("the annotator is empty, or not UTF-8");
  if (!sl_parse_integer (fields[1], -1, &batch) || batch < 1 || batch > batches)
    return g_strdup_printf ("batch '%s' is none of 1 to %d", fields[1], batches);
  if (g_hash_table_contains (study->allocation, fields[0]))
    return g_strdup ("this annotator is there already");
  char *name = g_strdup (fields[0]);
  g_ptr_array_add (study->allotted, name);
  g_hash_table_insert (study->allocation, name, GINT_TO_POINTER ((int) batch));
  return NULL;
}

static const SlColumnRole allocation_columns[]
    = { { "annotator", SL_NAMES (SL_ANNOTATOR_NAMES, "prolificpid", "workerid"), TRUE, NULL },
        { "batch", SL_NAMES ("batch"), TRUE, NULL } };

gboolean
sl_study_read_allocation (SlStudy *study, GError **error)
{
  study->allocation = g_hash_table_new (g_str_hash, g_str_equal);
  study->allotted = g_ptr_array_new_with_free_func (g_free);
  return sl_side_csv (study->run, "allocation", study->options->allocation, allocation_columns,
                      G_N_ELEMENTS (allocation_columns), take_allocation, study, error);
}

/* --allocation of items to batches: JSON, an array of batches, each an array of items; or an object
 * whose members are the batches. */
typedef struct
{
  SlStudy *study;
  const char *path;
  GHashTable *index; /* names to items */
  GHashTable *met;   /* items, by names: to the batch that they were in last, from 1 */
} Dealing;

static gboolean
take_item (Dealing *dealing, guint batch, SlJson name, GError **error)
{
  char room[SL_JSON_ROOM];
  SlCell cell = sl_json_scalar (name, room);
  g_autofree char *text = cell.text != NULL ? g_strndup (cell.text, cell.n) : g_strdup ("");
  g_autofree char *shown = sl_shown (text, strlen (text));
  SlSurveyItem *item = g_hash_table_lookup (dealing->index, text);
  if (item == NULL)
    return sl_error_bad_input (error, "--allocation: %s: batch %u: '%s' is not one of the items",
                               dealing->path, batch, shown);
  if (item->role != SL_ROLE_ASKED)
    return sl_error_bad_input (error, "--allocation: %s: batch %u: '%s' is a check or practice",
                               dealing->path, batch, shown);
  if (GPOINTER_TO_UINT (g_hash_table_lookup (dealing->met, item->name)) == batch)
    return sl_error_bad_input (error, "--allocation: %s: batch %u has '%s' twice", dealing->path,
                               batch, shown);
  g_hash_table_insert (dealing->met, item->name, GUINT_TO_POINTER (batch));
  g_ptr_array_add (dealing->study->dealt_items, item);
  return TRUE;
}

static gboolean
take_batches (Dealing *dealing, SlJson batches, GError **error)
{
  SlStudy *study = dealing->study;
  guint n = 0;
  for (SlJsonEach batch = sl_json_each (batches); sl_json_each_next (&batch);)
    {
      gsize length = sl_json_length (batch.value);
      n++;
      if (sl_json_type (batch.value) != SL_JSON_ARRAY || length == 0)
        return sl_error_bad_input (error, "--allocation: %s: batch %u is no list of items",
                                   dealing->path, n);
      study->dealt_each = n == 1 ? length : study->dealt_each;
      if (length != study->dealt_each)
        return sl_error_bad_input (
            error,
            "--allocation: %s: batch %u and batch 1 have %zu and %zu items: they must have as many",
            dealing->path, n, length, study->dealt_each);
      for (SlJsonEach item = sl_json_each (batch.value); sl_json_each_next (&item);)
        if (!take_item (dealing, n, item.value, error))
          return FALSE;
    }
  return n > 0
         || sl_error_bad_input (error, "--allocation: %s: there are no batches in it",
                                dealing->path);
}

gboolean
sl_study_read_dealt (SlStudy *study, GHashTable *index, GError **error)
{
  const char *path = study->options->allocation;
  g_autoptr (GError) problem = NULL;
  g_autofree char *text = NULL;
  gsize n;
  SlJson batches;
  if (!sl_named_file_read (path, &text, &n, &problem))
    return sl_error_runtime (error, "--allocation: %s: cannot be read: %s", path, problem->message);
  g_autoptr (SlJsonParser) parser = sl_json_parser_new ();
  const char *wrong = sl_json_parse_cell (parser, (SlCell){ text, n }, &batches);
  if (wrong != NULL)
    return sl_error_bad_input (error, "--allocation: %s: %s", path, wrong);
  g_autoptr (GHashTable) met = g_hash_table_new (g_str_hash, g_str_equal);
  Dealing dealing = { study, path, index, met };
  study->dealt_items = g_ptr_array_new ();
  if (!take_batches (&dealing, batches, error))
    return FALSE;
  guint left = 0;
  for (guint i = 0; i < study->items->len; i++)
    {
      SlSurveyItem *item = study->items->pdata[i];
      if (item->role != SL_ROLE_ASKED || g_hash_table_contains (met, item->name))
        continue;
      item->role = SL_ROLE_NONE;
      left++;
    }
  if (left > 0)
    sl_run_warn (study->run, "--allocation: items in no batch, which are not asked about: %u",
                 left);
  return TRUE;
}

gint32 *
sl_study_dealt (const SlStudy *study)
{
  g_autoptr (GHashTable) place = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < study->items->len; i++)
    g_hash_table_insert (place, study->items->pdata[i], GINT_TO_POINTER ((int) i));
  gint32 *dealt = g_new (gint32, study->dealt_items->len);
  for (guint i = 0; i < study->dealt_items->len; i++)
    dealt[i] = GPOINTER_TO_INT (g_hash_table_lookup (place, study->dealt_items->pdata[i]));
  return dealt;
}
