/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What items are there for, by the tables that options name; and who has which batch. */
#include "pipeline/base/number-text.h"
#include "pipeline/base/shown-text.h"
#include "schemas/items.h"
#include "stages/common/files/column-names.h"
#include "side-csv.h"
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

/* VALUE[place in study->items] of the items of the table PATH; NaN where it has none. */
static double *
read_figures (SlStudy *study, const char *option, const char *path, int column, GError **error)
{
  static const SlKind *const kinds[] = { &sl_items, NULL };
  guint n = study->items->len;
  g_autoptr (SlReader) reader = sl_run_open (study->run, option, path, kinds, error);
  if (reader == NULL)
    return NULL;
  g_autoptr (GHashTable) place = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree double *value = g_new (double, (gsize) n + 1);
  for (guint i = 0; i < n; i++)
    {
      value[i] = (double) NAN;
      g_hash_table_insert (place, ((SlSurveyItem *) study->items->pdata[i])->name,
                           GINT_TO_POINTER ((int) i + 1));
    }
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    for (gint64 i = 0; i < batch->n_rows; i++)
      {
        gsize length;
        const char *text = sl_text_get (batch->column[SL_ITEMS_ITEM].text, i, &length);
        g_autofree char *name = g_strndup (text, length);
        int at = GPOINTER_TO_INT (g_hash_table_lookup (place, name));
        if (at > 0)
          value[at - 1] = batch->column[column].real[i];
      }
  return ok ? g_steal_pointer (&value) : NULL;
}

static gboolean
find_low (SlStudy *study, GError **error)
{
  const SlSurveyOptions *options = study->options;
  g_autofree double *entropy
      = read_figures (study, "entropy-from", options->entropy_from, SL_ITEMS_ENTROPY, error);
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
  if (one->gain != other->gain)
    return one->gain > other->gain ? -1 : 1;
  return strcmp (one->item->name, other->item->name);
}

/* Items of which nothing is known are worth nothing here: they have no answer yet, or are of
 * another study. */
static gboolean
keep_gains (SlStudy *study, GError **error)
{
  const SlSurveyOptions *options = study->options;
  g_autofree double *gain
      = read_figures (study, "from-agreement", options->from_agreement, SL_ITEMS_GAIN, error);
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
  sl_run_note (study->run, "asks about %u of %u items, with gains from %.4g to %.4g nats",
               MIN (n, most), n, wanted[0].gain, wanted[MIN (n, most) - 1].gain);
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
