/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crowd-plan.h"

#include "pipeline/base/number-text.h"
#include "schemas/annotations.h"
#include "schemas/confusion.h"
#include "schemas/labels.h"
#include "stages/common/classes/class-list.h"

#include <math.h>
#include <string.h>

#define MOST_CLASSES 10000
#define MOST_ANNOTATORS 10000000

void
sl_crowd_plan_clear (SlCrowdPlan *plan)
{
  g_clear_pointer (&plan->confusion, sl_reader_free);
  g_clear_pointer (&plan->table, sl_table_unref);
  g_clear_pointer (&plan->priors, g_free);
  sl_crowd_people_clear (&plan->people);
  sl_assignment_clear (&plan->assignment);
}

/* --classes: a number alone is how many. */
static char **
made_classes (const SlCrowdPlan *plan, GError **error)
{
  char **classes = NULL;
  gint64 n;
  if (!sl_parse_integer (plan->settings->classes, -1, &n))
    return sl_classes_given (plan->settings->classes, NULL, &classes, error) ? classes : NULL;
  if (n < 2 || n > MOST_CLASSES)
    {
      sl_error_usage (error, "--classes: '%s' is not between 2 and %d", plan->settings->classes,
                      MOST_CLASSES);
      return NULL;
    }
  classes = g_new0 (char *, n + 1);
  for (gint64 k = 0; k < n; k++)
    classes[k] = g_strdup_printf ("c%" G_GINT64_FORMAT, k + 1);
  return classes;
}

static gboolean
open_all (SlCrowdPlan *plan, SlRun *run, GError **error)
{
  static const SlKind *const kinds[] = { &sl_confusion, NULL };
  if (run->in != NULL
      && !sl_labels_check_whole (sl_reader_table (run->in), sl_reader_name (run->in), error))
    return FALSE;
  if (plan->settings->confusion != NULL)
    plan->confusion = sl_run_open (run, "confusion", plan->settings->confusion, kinds, error);
  if (plan->settings->confusion != NULL && plan->confusion == NULL)
    return FALSE;
  SlReader *named = run->in != NULL ? run->in : plan->confusion;
  g_auto (GStrv) classes
      = named != NULL ? g_strdupv (sl_reader_table (named)->classes) : made_classes (plan, error);
  if (classes == NULL)
    return FALSE;
  plan->table = sl_table_new (&sl_annotations, (const char *const *) classes);
  sl_table_add (plan->table, SL_ANNOTATIONS_ANNOTATOR);
  sl_table_add (plan->table, SL_ANNOTATIONS_CLASS);
  if (plan->table->n_classes > 1)
    return TRUE;
  if (named == NULL)
    return sl_error_usage (error, "--classes: there is one class; two are the least");
  return sl_error_bad_input (error, "%s: it has one class; two are the least",
                             sl_reader_name (named));
}

static gboolean
make_people (SlCrowdPlan *plan, SlRun *run, GError **error)
{
  gint32 n_classes = plan->table->n_classes;
  gint64 n = plan->settings->annotators;
  if (n == 0) /* an item's annotators are different ones, so more may be there than have M */
    n = MAX (plan->settings->answers,
             (gint64) ceil ((double) plan->settings->items * (double) plan->settings->answers
                            / (double) plan->settings->items_per_annotator));
  if (n > MOST_ANNOTATORS)
    return sl_error_usage (error, "--items-per-annotator: %.9g annotators are too many",
                           (double) n);
  g_autoptr (GArray) mix = sl_crowd_mix_parse (
      plan->settings->crowd != NULL ? plan->settings->crowd : "reliable=1", error);
  g_autofree gint32 *group = g_new (gint32, n_classes);
  if (mix == NULL
      || !sl_crowd_groups_parse (plan->settings->groups, plan->table->classes, group, error))
    return FALSE;
  gboolean has_students = FALSE;
  for (guint i = 0; i < mix->len; i++)
    has_students |= g_array_index (mix, SlCrowdPart, i).type == SL_CROWD_STUDENT;
  if (plan->settings->groups != NULL && !has_students)
    return sl_error_usage (error, "--groups is about students; there are none in --crowd");
  return sl_crowd_people_make (&plan->people, run, (gint32) n, mix, group, n_classes, error);
}

static gboolean
set_priors (SlCrowdPlan *plan, GError **error)
{
  gint32 n = plan->table->n_classes;
  if (plan->settings->items == 0)
    return TRUE;
  plan->priors = g_new (double, n);
  if (plan->settings->priors != NULL)
    return sl_crowd_priors_parse (plan->settings->priors, n, plan->priors, error);
  if (plan->people.priors != NULL && isnan (plan->settings->imbalance))
    memcpy (plan->priors, plan->people.priors, (gsize) n * sizeof (double));
  else
    sl_crowd_long_tail (isnan (plan->settings->imbalance) ? 1 : plan->settings->imbalance, n,
                        plan->priors);
  return TRUE;
}

static gboolean
assign (SlCrowdPlan *plan, SlRun *run, GError **error)
{
  gint32 n = plan->people.n;
  if (plan->settings->answers > n)
    return sl_error_usage (error,
                           "%" G_GINT64_FORMAT
                           " answers an item (--answers-per-item) need as many annotators; there "
                           "%s %d",
                           plan->settings->answers, n == 1 ? "is" : "are", n);
  if (plan->settings->items_per_annotator > 0
      && (double) n * (double) plan->settings->items_per_annotator
             < (double) plan->settings->items * (double) plan->settings->answers)
    return sl_error_usage (error,
                           "--items-per-annotator: %d annotators with %" G_GINT64_FORMAT
                           " items each are too few for %" G_GINT64_FORMAT
                           " items with %" G_GINT64_FORMAT " answers each",
                           n, plan->settings->items_per_annotator, plan->settings->items,
                           plan->settings->answers);
  sl_assignment_init (&plan->assignment, run->seed, n, (gint32) plan->settings->answers,
                      plan->settings->activity);
  return TRUE;
}

gboolean
sl_crowd_plan_init (SlCrowdPlan *plan, SlRun *run, const SlCrowdSettings *settings, GError **error)
{
  plan->settings = settings;
  if (!open_all (plan, run, error))
    return FALSE;
  if (plan->confusion != NULL
          ? !sl_crowd_people_read (&plan->people, run, plan->confusion, plan->table, error)
          : !make_people (plan, run, error))
    return FALSE;
  return set_priors (plan, error) && assign (plan, run, error);
}
