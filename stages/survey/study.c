/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study.h"

#include "pipeline/base/shown-text.h"
#include "stages/common/classes/class-list.h"

#include <string.h>

#define MOST_CLASSES 200
#define CHECKED_EVERY 20 /* trials, as in Peterson et al. (ICCV 2019) */

static void
item_free (gpointer data)
{
  SlSurveyItem *item = data;
  g_free (item->name);
  g_free (item->gold);
  g_free (item->text);
  g_free (item->path);
  g_free (item->pixels.pixels);
  for (int e = 0; e < 2; e++)
    {
      g_free (item->end_name[e]);
      g_free (item->end_class[e]);
    }
  g_free (item);
}

SlSurveyItem *
sl_survey_item_new (const char *name, gssize length)
{
  SlSurveyItem *item = g_new0 (SlSurveyItem, 1);
  item->name = length < 0 ? g_strdup (name) : g_strndup (name, (gsize) length);
  item->end[0] = item->end[1] = -1;
  return item;
}

GPtrArray *
sl_survey_items_new (void)
{
  return g_ptr_array_new_with_free_func (item_free);
}

void
sl_study_clear (SlStudy *study)
{
  g_clear_pointer (&study->items, g_ptr_array_unref);
  g_clear_pointer (&study->ends, g_ptr_array_unref);
  g_clear_pointer (&study->classes, g_strfreev);
  g_clear_pointer (&study->allocation, g_hash_table_unref);
  g_clear_pointer (&study->allotted, g_ptr_array_unref);
}

static gboolean
check_class (const char *name, GError **error)
{
  if (strpbrk (name, "|;\r\n") == NULL)
    return TRUE;
  g_autofree char *shown = sl_shown (name, strlen (name));
  return sl_error_bad_input (error,
                             "--classes: '%s' has a | or ;, which stands between classes in "
                             "answers: call it otherwise",
                             shown);
}

/* A file that is there, or else a list. */
static gboolean
read_classes (SlStudy *study, GError **error)
{
  const char *given = study->options->classes;
  gboolean is_file = g_file_test (given, G_FILE_TEST_EXISTS);
  g_autoptr (GError) problem = NULL;
  if (!is_file && strchr (given, ',') == NULL)
    return sl_error_usage (error, "--classes: '%s' is neither a file nor a list such as A,B,C",
                           given);
  if (!sl_classes_given (is_file ? NULL : given, is_file ? given : NULL, &study->classes, &problem))
    {
      const char *text = problem->message, *other = "--classes-from: ";
      text += g_str_has_prefix (text, other) ? strlen (other) : 0;
      g_set_error (error, SL_ERROR, problem->code, "%s%s", is_file ? "--classes: " : "", text);
      return FALSE;
    }
  int n = (int) g_strv_length (study->classes);
  if (n < 2 || n > MOST_CLASSES)
    return sl_error_usage (error, "--classes: a page can ask for 2 to %d classes, not %d",
                           MOST_CLASSES, n);
  for (int c = 0; c < n; c++)
    if (!check_class (study->classes[c], error))
      return FALSE;
  return TRUE;
}

/* Items by their names, which are theirs alone. */
static GHashTable *
index_items (SlStudy *study, GError **error)
{
  g_autoptr (GHashTable) index = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < study->items->len; i++)
    {
      SlSurveyItem *item = study->items->pdata[i];
      g_autofree char *shown = sl_shown (item->name, strlen (item->name));
      sl_plan_opaque (study->run->seed, item->name, strlen (item->name), item->opaque);
      if (item->name[0] == '\0')
        sl_error_bad_input (error, "--items: row %u has an empty item", i + 1);
      else if (!g_utf8_validate (item->name, -1, NULL))
        sl_error_bad_input (error, "--items: '%s' is not UTF-8", shown);
      else if (!g_hash_table_insert (index, item->name, item))
        sl_error_bad_input (error, "--items: '%s' is there twice%s", shown,
                            item->path != NULL ? "; --item path names items by the folders, too"
                                               : "");
      else
        continue;
      return NULL;
    }
  return g_steal_pointer (&index);
}

/* Role by role; within one by a name that says nothing, so that neighbours have nothing in common.
 * */
static int
by_place (gconstpointer a, gconstpointer b)
{
  const SlSurveyItem *one = *(SlSurveyItem *const *) a, *other = *(SlSurveyItem *const *) b;
  if (one->role != other->role)
    return one->role < other->role ? -1 : 1;
  if (one->practice != other->practice)
    return one->practice < other->practice ? -1 : 1;
  return strcmp (one->opaque, other->opaque);
}

static int
count_role (const SlStudy *study, SlSurveyRole role)
{
  int n = 0;
  for (guint i = 0; i < study->items->len; i++)
    n += ((SlSurveyItem *) study->items->pdata[i])->role == role;
  return n;
}

static int
checks_of (const SlSurveyOptions *options)
{
  if (options->checks == NULL)
    return 0;
  return options->checks_each > 0 ? (int) options->checks_each
                                  : (int) MAX (options->batch / CHECKED_EVERY, 1);
}

static gboolean
check_plan (const SlStudy *study, GError **error)
{
  const SlPlan *plan = &study->plan;
  int high = plan->n_items - plan->n_low, high_each = plan->each - plan->low_each;
  if (plan->each < 1)
    return sl_error_usage (error, "--batch %" G_GINT64_FORMAT " is all repeats and checks",
                           study->options->batch);
  if (plan->repeats > (plan->each + 1) / 2)
    return sl_error_usage (error, "--repeats %d: of %d items at most half come again",
                           plan->repeats, plan->each);
  if (plan->checks_each > plan->n_checks)
    return sl_error_usage (error, "--checks has %d items; a batch wants %d of them (--checks-each)",
                           plan->n_checks, plan->checks_each);
  if (high_each < 0)
    return sl_error_usage (error, "--low-each %d: a batch has only %d items", plan->low_each,
                           plan->each);
  if (high_each > high)
    return sl_error_usage (error,
                           "there are %d %sitems to ask about, and a batch has %d: make "
                           "--batch smaller",
                           high, plan->low_each > 0 ? "other " : "", high_each);
  if (plan->low_each > plan->n_low)
    return sl_error_usage (error,
                           "%d items have an entropy up to --low-entropy, and a batch wants "
                           "%d (--low-each)",
                           plan->n_low, plan->low_each);
  return TRUE;
}

static gboolean
make_plan (SlStudy *study, GError **error)
{
  const SlSurveyOptions *options = study->options;
  int n = 0;
  while (study->classes[n] != NULL)
    n++;
  study->n_practice = count_role (study, SL_ROLE_PRACTICE);
  study->plan = (SlPlan){
    .seed = study->run->seed,
    .n_low = count_role (study, SL_ROLE_LOW),
    .n_checks = count_role (study, SL_ROLE_CHECK),
    .low_each = (int) options->low_each,
    .checks_each = checks_of (options),
    .repeats = (int) options->repeats,
    .repeats_at_end = options->repeats_at == 1,
    .n_classes = n,
  };
  study->plan.n_items = count_role (study, SL_ROLE_ASKED) + study->plan.n_low;
  study->plan.each = (int) options->batch - study->plan.repeats - study->plan.checks_each;
  return check_plan (study, error);
}

/* Warns where some batches have more annotators than others. */
static void
tell_coverage (const SlStudy *study)
{
  int batches = sl_plan_batches (&study->plan);
  gint64 n = study->options->annotators;
  if (sl_option_given (study->run->options, "annotators") && study->allocation == NULL
      && n % batches != 0)
    sl_run_warn (study->run, "%" G_GINT64_FORMAT " annotators, %d batches: %s", n, batches,
                 n < batches ? "some batches are seen by nobody"
                             : "some batches are seen by one annotator more than others");
}

gboolean
sl_study_read (SlStudy *study, SlRun *run, GError **error)
{
  study->run = run;
  study->options = run->options->values;
  study->items = sl_survey_items_new ();
  if (!read_classes (study, error))
    return FALSE;
  if (!(study->options->task == SL_TASK_MIXTURE ? sl_study_read_mixtures (study, error)
                                                : sl_study_read_items (study, study->items, error)))
    return FALSE;
  g_autoptr (GHashTable) index = index_items (study, error);
  if (index == NULL || !sl_study_give_roles (study, index, error))
    return FALSE;
  qsort (study->items->pdata, study->items->len, sizeof *study->items->pdata, by_place);
  if (!make_plan (study, error)
      || (study->options->allocation != NULL && !sl_study_read_allocation (study, error)))
    return FALSE;
  tell_coverage (study);
  return TRUE;
}

int
sl_study_batch_of (const SlStudy *study, const char *name)
{
  gpointer batch = study->allocation != NULL ? g_hash_table_lookup (study->allocation, name) : NULL;
  return batch != NULL ? GPOINTER_TO_INT (batch) - 1
                       : sl_plan_batch_of (&study->plan, name, strlen (name));
}
