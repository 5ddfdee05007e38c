/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crowd-votes.h"

#include "pipeline/base/draw.h"
#include "pipeline/base/intern/intern.h"
#include "pipeline/base/number-text.h"
#include "pipeline/base/parallel.h"
#include "schemas/annotations.h"
#include "schemas/labels.h"
#include "stages/common/classes/class-list.h"

#include <math.h>
#include <string.h>

/* What is to be simulated, from options and the tables that they name. */

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

#define SLAB 65536 /* answers at a time, or those of an item where it has more */
#define CHUNKS 16  /* of a slab's items, each one thread's */

void
sl_crowd_votes_init (SlCrowdVotes *votes, SlRun *run, const SlCrowdPeople *people,
                     const SlAssignment *assignment, SlTable *table)
{
  *votes = (SlCrowdVotes){
    .run = run,
    .people = people,
    .assignment = assignment,
    .votes = sl_builder_new (table),
    .truth_purpose = sl_random_purpose ("simulate crowd: truth"),
    .ease_purpose = sl_random_purpose ("simulate crowd: ease"),
    .vote_purpose = sl_random_purpose ("simulate crowd: answer"),
  };
}

void
sl_crowd_votes_clear (SlCrowdVotes *votes)
{
  g_clear_pointer (&votes->votes, sl_builder_free);
  g_clear_pointer (&votes->truth, sl_builder_free);
}

/* ---- drawn ---- */

/* Items that are being answered about, N from FIRST of those that were added. */
typedef struct
{
  const SlCrowdVotes *votes;
  const SlCrowdItems *items;
  gint64 first, n;
  gint32 *truth;       /* [n] */
  gint32 *who, *class; /* [n][assignment->n] */
} Slab;

/* What one thread works in. */
typedef struct
{
  gint32 *taken; /* [assignment->n] */
  double *sums;  /* [n_classes] */
} Room;

static inline const double *
row_of (const SlCrowdVotes *votes, gint32 a, gsize truth)
{
  gsize n = (gsize) votes->people->n_classes, theta = (gsize) votes->people->which[a];
  return votes->people->theta + (theta * n + truth) * n;
}

static void
answer_item (const Slab *slab, gint64 i, const Room *room)
{
  const SlCrowdVotes *votes = slab->votes;
  const SlCrowdItems *items = slab->items;
  gint64 item = slab->first + i;
  gsize n_classes = (gsize) votes->people->n_classes, n = (gsize) votes->assignment->n, length;
  guint64 seed = votes->run->seed;
  const char *name = sl_text_get (items->name, item, &length);
  guint64 key = sl_text_hash (name, length);

  SlRandom random = sl_random (seed, votes->truth_purpose, key, 0, 0);
  sl_draw_sums (items->share + (gsize) item * items->stride, (gint64) n_classes, room->sums);
  gsize truth = (gsize) sl_draw_by_weight (&random, room->sums, (gint64) n_classes);
  slab->truth[i] = (gint32) truth;

  gint32 *who = slab->who + (gsize) i * n, *class = slab->class + (gsize) i * n;
  if (votes->evenly)
    sl_assign_evenly (votes->assignment, items->first + item, who);
  else
    sl_assign (votes->assignment, key, who, room->taken);

  random = sl_random (seed, votes->ease_purpose, key, 0, 0);
  double ease = votes->sigma > 0 ? sl_crowd_ease (votes->sigma, &random) : 1;
  for (gsize j = 0; j < n;
       j++) /* their rows lie far apart: all are asked for before one is needed */
    for (gsize byte = 0; byte < MIN (n_classes * sizeof (double), 256); byte += 64)
      __builtin_prefetch ((const char *) row_of (votes, who[j], truth) + byte);
  for (gsize j = 0; j < n; j++)
    {
      const double *sums = row_of (votes, who[j], truth);
      if (votes->sigma > 0)
        {
          sl_crowd_ease_sums (sums, (gint32) n_classes, ease, room->sums);
          sums = room->sums;
        }
      random = sl_random (seed, votes->vote_purpose, key, votes->people->key[who[j]], 0);
      class[j] = (gint32) sl_draw_by_weight (&random, sums, (gint64) n_classes);
    }
}

static void
answer_chunk (int chunk, gpointer data)
{
  const Slab *slab = data;
  g_autofree gint32 *taken = g_new (gint32, slab->votes->assignment->n);
  g_autofree double *sums = g_new (double, slab->votes->people->n_classes);
  const Room room = { taken, sums };
  for (gint64 i = slab->n * chunk / CHUNKS; i < slab->n * (chunk + 1) / CHUNKS; i++)
    answer_item (slab, i, &room);
}

/* ---- written ---- */

static gboolean
write_votes (const Slab *slab, GError **error)
{
  const SlCrowdVotes *votes = slab->votes;
  SlBuilder *builder = votes->votes;
  gint64 n = votes->assignment->n, n_rows = slab->n * n, n_now;
  for (gint64 row = 0; row < n_rows; row += n_now)
    {
      n_now = MIN (n_rows - row, sl_builder_room (builder));
      for (gint64 i = row; i < row + n_now; i++)
        {
          sl_builder_texts (builder, SL_ANNOTATIONS_ITEM, slab->items->name, slab->first + i / n,
                            1);
          sl_builder_texts (builder, SL_ANNOTATIONS_ANNOTATOR, votes->people->names, slab->who[i],
                            1);
        }
      sl_builder_classes (builder, SL_ANNOTATIONS_CLASS, slab->class + row, n_now);
      if (!sl_writer_write_built (votes->run->out, builder, FALSE, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_truth (const Slab *slab, GError **error)
{
  const SlCrowdVotes *votes = slab->votes;
  SlBuilder *builder = votes->truth;
  gsize n_classes = (gsize) votes->people->n_classes;
  gint64 n_now;
  for (gint64 i = 0; i < slab->n; i += n_now)
    {
      n_now = MIN (slab->n - i, sl_builder_room (builder));
      double *label = sl_builder_labels (builder, SL_LABELS_LABEL, n_now);
      for (gint64 j = 0; j < n_now; j++)
        {
          label[(gsize) j * n_classes + (gsize) slab->truth[i + j]] = 1;
          sl_builder_real (builder, SL_LABELS_WEIGHT, 1);
        }
      sl_builder_texts (builder, SL_LABELS_ITEM, slab->items->name, slab->first + i, n_now);
      sl_builder_classes (builder, SL_LABELS_GOLD, slab->truth + i, n_now);
      if (!sl_writer_write_built (votes->truth_writer, builder, FALSE, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
sl_crowd_votes_add (SlCrowdVotes *votes, const SlCrowdItems *items, GError **error)
{
  gint64 n = votes->assignment->n, most = MIN (MAX (SLAB / n, 1), MAX (items->n, 1));
  g_autofree gint32 *truth = g_new (gint32, most);
  g_autofree gint32 *who = g_new (gint32, most * n);
  g_autofree gint32 *class = g_new (gint32, most * n);
  Slab slab = { .votes = votes, .items = items, .truth = truth, .who = who, .class = class };
  for (; slab.first < items->n; slab.first += slab.n)
    {
      slab.n = MIN (most, items->n - slab.first);
      sl_parallel (votes->run->threads, CHUNKS, answer_chunk, &slab);
      if (!write_votes (&slab, error) || (votes->truth != NULL && !write_truth (&slab, error)))
        return FALSE;
    }
  return TRUE;
}

gboolean
sl_crowd_votes_end (SlCrowdVotes *votes, GError **error)
{
  return sl_writer_write_built (votes->run->out, votes->votes, TRUE, error)
         && (votes->truth == NULL
             || sl_writer_write_built (votes->truth_writer, votes->truth, TRUE, error));
}
