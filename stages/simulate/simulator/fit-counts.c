/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit-counts.h"

#include "schemas/annotations.h"
#include "schemas/labels.h"
#include "stages/common/answers/votes-of-batch.h"
#include "pipeline/base/real-math.h"
#include "stages/common/figures/item-entropies.h"
#include "stages/common/figures/vote-figures.h"
#include "likeness.h"

#include <math.h>
#include <string.h>

/* Labels that answers are turned into, to see which classes go together: CIFAR-10S's. */
#define GAMMA 0.1

void
sl_fit_counts_init (SlFitCounts *counts, SlRun *run, gint32 n_classes)
{
  *counts = (SlFitCounts){
    .run = run,
    .n_classes = n_classes,
    .conversion = { .how = { .spread = SL_SPREAD_CLAMP, .top = 2, .gamma = GAMMA } },
    .threshold = (double) NAN,
  };
  for (int g = 0; g < SL_N_GROUPS; g++)
    counts->group[g] = (SlFitGroup){
      .first = g_array_new (FALSE, FALSE, sizeof (double)),
      .second = g_array_new (FALSE, FALSE, sizeof (double)),
      .alternatives = g_new0 (double, MAX (n_classes, 1)),
      .entropy = g_array_new (FALSE, FALSE, sizeof (double)),
    };
}

gboolean
sl_fit_counts_collect_likeness (SlFitCounts *counts, GError **error)
{
  gsize n = (gsize) counts->n_classes;
  counts->likeness = sl_run_alloc0 (counts->run, n * n, sizeof (double),
                                    "how often class and class go together", error);
  counts->mass = g_new0 (double, MAX (n, 1));
  return counts->likeness != NULL;
}

void
sl_fit_counts_collect_entropies (SlFitCounts *counts)
{
  counts->items = sl_intern_new ();
  sl_tally_init (&counts->tally, counts->n_classes);
}

void
sl_fit_counts_collect_people (SlFitCounts *counts)
{
  counts->annotators = sl_intern_new ();
  sl_panel_init (&counts->people);
  counts->taken = g_array_new (FALSE, FALSE, sizeof (SlTaken));
}

static gint32 *
person_said (const SlFitCounts *counts, int group, guint i)
{
  return &g_array_index (counts->people.said[group], SlSaid, i).person;
}

/* PERSON gets the place that the name has, if somebody answered by it; or, with PLACE NULL, did. */
static void
renumber (gint32 *person, const gint32 *place, gboolean *there)
{
  if (*person < 0)
    return;
  if (place != NULL)
    *person = place[*person];
  else
    there[*person] = TRUE;
}

void
sl_fit_counts_take_people (SlFitCounts *counts, SlPanel *people, SlPace *pace)
{
  gint32 n = sl_intern_size (counts->annotators);
  g_autofree gint32 *order = sl_intern_order (counts->annotators);
  g_autofree gint32 *place = g_new (gint32, MAX (n, 1));
  g_autofree gboolean *there = g_new0 (gboolean, MAX (n, 1));
  gint32 n_there = 0;
  for (int pass = 0; pass < 2; pass++)
    {
      const gint32 *places = pass == 1 ? place : NULL;
      for (int g = 0; g < SL_N_GROUPS; g++)
        for (guint i = 0; i < counts->people.said[g]->len; i++)
          renumber (person_said (counts, g, i), places, there);
      for (guint i = 0; i < counts->taken->len; i++)
        renumber (&g_array_index (counts->taken, SlTaken, i).person, places, there);
      for (gint32 p = 0, id; pass == 0 && p < n; p++)
        if (there[id = order != NULL ? order[p] : p])
          place[id] = n_there++;
    }
  sl_taken_arrange (counts->taken);
  sl_pace_fit (pace, counts->taken);
  sl_panel_clear (people);
  *people = counts->people;
  counts->people = (SlPanel){ 0 };
  sl_panel_arrange (people, n_there);
  sl_panel_set_icc (people, sl_panel_icc (people));
}

void
sl_fit_counts_finish_labels (SlFitCounts *counts)
{
  counts->finished = TRUE;
  counts->conversion.how.compat = TRUE;
}

void
sl_fit_counts_clear (SlFitCounts *counts)
{
  if (counts->items != NULL)
    sl_tally_clear (&counts->tally);
  g_clear_pointer (&counts->items, sl_intern_free);
  g_clear_pointer (&counts->annotators, sl_intern_free);
  sl_panel_clear (&counts->people);
  for (int g = 0; g < SL_N_GROUPS; g++)
    {
      g_clear_pointer (&counts->group[g].first, g_array_unref);
      g_clear_pointer (&counts->group[g].second, g_array_unref);
      g_clear_pointer (&counts->group[g].entropy, g_array_unref);
      g_clear_pointer (&counts->group[g].alternatives, g_free);
    }
  g_clear_pointer (&counts->taken, g_array_unref);
  g_clear_pointer (&counts->likeness, g_free);
  g_clear_pointer (&counts->mass, g_free);
}

/* The group of the item in row I; NULL and ERROR where its entropy is not known. */
static SlFitGroup *
group_of (SlFitCounts *counts, SlText items, gint64 i, gint64 row, GError **error)
{
  if (counts->entropies == NULL)
    return &counts->group[SL_GROUP_ALL];
  gsize length;
  const char *item = sl_text_get (items, i, &length);
  double entropy = sl_entropies_find (counts->entropies, item, length);
  if (isnan (entropy))
    {
      sl_error_row (error, row,
                    "item '%.*s' is not in the table of --entropy-from, or has no answer there",
                    (int) MIN (length, 1000), item);
      return NULL;
    }
  return &counts->group[entropy >= counts->threshold ? SL_GROUP_HIGH : SL_GROUP_LOW];
}

static void
add_real (GArray *array, double value)
{
  g_array_append_val (array, value);
}

/* Answer I as PERSON typed it, before anything is made of it. A second choice that repeats the
 * first, or has no percent, is none. */
static SlSaid
read_answer (const SlFitCounts *counts, const SlRecords *answers, gint64 i, gint32 person,
             gboolean repaired, guint8 *ruled_out)
{
  gint32 start = answers->start[i], class = answers->choice[start];
  gboolean second = start + 1 < answers->start[i + 1] && answers->choice[start + 1] != class;
  SlSaid said = { .person = person,
                  .alternatives = counts->n_classes - 1,
                  .first = answers->percent[start],
                  .second = second ? answers->percent[start + 1] : (double) NAN,
                  .repaired = repaired,
                  .n = 1 };
  memset (ruled_out, 0, (gsize) counts->n_classes);
  ruled_out[class] = 1;
  for (gint32 j = answers->impossible_start[i]; j < answers->impossible_start[i + 1]; j++)
    {
      said.alternatives -= !ruled_out[answers->impossible[j]];
      ruled_out[answers->impossible[j]] = 1;
      said.ruled_out |= answers->impossible[j] == class ? SL_RULED_OUT_FIRST : 0;
    }
  if (!isnan (said.second) && ruled_out[answers->choice[start + 1]])
    said.ruled_out |= SL_RULED_OUT_SECOND;
  return said;
}

/* Keeps what is recorded beside answer I of PERSON, and whether it is to an attention check. */
static void
add_taken (SlFitCounts *counts, const SlAnnotations *view, gint64 i, gint32 person, int group,
           gboolean check)
{
  gsize length;
  const char *item = sl_text_get (view->item, i, &length);
  gint32 class = view->choice[view->start[i]];
  gboolean timed = view->seconds != NULL && view->seconds[i] > 0;
  gboolean placed = view->trial != NULL && (view->placed == NULL || view->placed[i]);
  const SlTaken taken = { .person = person,
                          .group = group,
                          .item = sl_text_hash (item, length),
                          .class = class,
                          .repeat = view->repeat != NULL && view->repeat[i],
                          .check = check,
                          .missed = check && class != view->gold[i],
                          .percent = view->percent[view->start[i]],
                          .log = timed ? sl_log (view->seconds[i]) : (double) NAN,
                          .place = placed ? view->trial[i] : (double) NAN };
  g_array_append_val (counts->taken, taken);
}

/* Attention checks are no answers about items. */
static void
add_checks (SlFitCounts *counts, SlBatch *batch)
{
  SlAnnotations view = sl_annotations_view (batch);
  if (counts->annotators == NULL || view.check == NULL || view.gold == NULL)
    return;
  for (gint64 i = 0; i < view.n; i++)
    {
      if (!view.check[i] || view.gold[i] < 0 || (view.excluded != NULL && view.excluded[i]))
        continue;
      gint32 person = -1;
      gsize length;
      const char *name
          = view.annotator.offset != NULL ? sl_text_get (view.annotator, i, &length) : NULL;
      if (name != NULL)
        person = sl_intern (counts->annotators, name, length);
      add_taken (counts, &view, i, person, SL_GROUP_ALL, TRUE);
    }
}

static void
add_share (GArray *shares, double percent)
{
  if (percent >= 0 && percent <= 100)
    add_real (shares, percent / 100);
}

/* Adds the parts of what was typed. A percent that is missing, or out of range, is no value. */
static void
add_parts (SlFitCounts *counts, SlFitGroup *group, const SlSaid *said)
{
  counts->untyped += isnan (said->first);
  add_share (group->first, said->first);
  add_share (group->second, said->second);
  group->alternatives[said->alternatives]++;
}

/* Adds a label, of which nothing else is known. In a finished label a second probability equal to
 * the first is none, and 0 is a value. */
static void
add_label (const SlFitCounts *counts, SlFitGroup *group, const double *p)
{
  gint32 n_classes = counts->n_classes, alternatives = -1;
  double first = 0, second = 0, less = -1;
  for (gint32 k = 0; k < n_classes; k++)
    {
      alternatives += p[k] > 0;
      second = fmax (second, fmin (first, p[k]));
      less = p[k] > first ? (k > 0 ? first : less) : p[k] < first ? fmax (less, p[k]) : less;
      first = fmax (first, p[k]);
    }
  add_real (group->first, first);
  if (counts->finished ? less >= 0 : second > 0)
    add_real (group->second, counts->finished ? less : second);
  group->alternatives[MAX (alternatives, 0)]++;
}

static void
add_entropy (const SlFitCounts *counts, SlFitGroup *group, const double *p)
{
  if (counts->items != NULL)
    add_real (group->entropy, sl_shares_entropy (p, counts->n_classes));
}

/* Adds labels to the sums of which classes go together, and to those of the items. WEIGHT NULL: 1
 * each. */
static void
add_together (SlFitCounts *counts, SlText items, const double *label, const double *weight,
              gint64 n)
{
  gint32 n_classes = counts->n_classes;
  for (gint64 i = 0; counts->likeness != NULL && i < n; i++)
    if (weight == NULL || weight[i] > 0)
      sl_likeness_add (counts->likeness, counts->mass, label + (gsize) i * (gsize) n_classes,
                       n_classes);
  if (counts->items == NULL)
    return;
  g_autofree gint32 *ids = g_new (gint32, MAX (n, 1));
  g_autofree double *ones = g_new (double, MAX (n, 1));
  for (gint64 i = 0; i < n; i++)
    ones[i] = 1;
  sl_intern_column (counts->items, items, n, ids);
  sl_tally_resize (&counts->tally, sl_intern_size (counts->items));
  sl_tally_add_labels (&counts->tally, ids, n, label, weight != NULL ? weight : ones, 1);
}

static gboolean
claim (SlFitCounts *counts, GError **error)
{
  gsize bytes = counts->annotators != NULL ? sizeof (SlTaken) * counts->taken->len : 0, n_said = 0;
  for (int g = 0; counts->annotators != NULL && g < SL_N_GROUPS; g++)
    n_said += counts->people.said[g]->len;
  for (int g = 0; g < SL_N_GROUPS; g++)
    bytes += sizeof (double)
             * (counts->group[g].first->len + counts->group[g].second->len
                + counts->group[g].entropy->len);
  if (counts->annotators != NULL)
    bytes += sl_intern_bytes (counts->annotators) + n_said * (sizeof (SlSaid) + sizeof (gint64));
  if (counts->items != NULL)
    bytes += sl_intern_bytes (counts->items)
             + (gsize) counts->tally.n_items * sl_tally_item_bytes (counts->n_classes);
  return sl_run_claim_up_to (counts->run, &counts->claimed, bytes,
                             "the shares that every answer gives", error);
}

static gboolean
add_annotations (SlFitCounts *counts, SlBatch *batch, GError **error)
{
  g_autofree guint8 *keep = g_new (guint8, MAX (batch->n_rows, 1));
  g_autoptr (SlBatch) rows = sl_convert_choose (&counts->conversion, batch, keep, error);
  if (rows == NULL)
    return FALSE;
  gsize n_classes = (gsize) counts->n_classes;
  g_autofree double *label = g_new (double, (gsize) MAX (rows->n_rows, 1) * n_classes);
  if (!sl_convert_fill (&counts->conversion, counts->run, batch, keep, rows, label, error))
    return FALSE;
  SlAnnotations view = sl_annotations_view (rows);
  const SlRecords answers = sl_annotations_records (&view);
  g_autofree guint8 *ruled_out = g_new (guint8, n_classes);
  g_autofree gint32 *person = g_new (gint32, MAX (view.n, 1));
  memset (person, -1, (gsize) view.n * sizeof *person);
  if (counts->annotators != NULL && view.annotator.offset != NULL)
    sl_intern_column (counts->annotators, view.annotator, view.n, person);
  gint64 row = batch->first_row;
  for (gint64 i = 0; i < view.n; i++, row++)
    {
      while (!keep[row - batch->first_row])
        row++;
      SlFitGroup *group = group_of (counts, view.item, i, row + 1, error);
      if (group == NULL)
        return FALSE;
      if (view.count != NULL && view.count[i] != 1)
        return sl_error_row (error, row + 1,
                             "it stands for %" G_GINT64_FORMAT
                             " answers; `softlabel deaggregate --votes` writes one row an answer",
                             view.count[i]);
      const SlSaid said = read_answer (counts, &answers, i, person[i],
                                       view.repaired != NULL && view.repaired[i], ruled_out);
      group->answers++;
      if (counts->finished)
        add_label (counts, group, label + (gsize) i * n_classes);
      else
        add_parts (counts, group, &said);
      if (counts->annotators != NULL && !isnan (said.first))
        g_array_append_val (counts->people.said[group - counts->group], said);
      if (counts->annotators != NULL)
        add_taken (counts, &view, i, person[i], (int) (group - counts->group), FALSE);
      add_entropy (counts, group, label + (gsize) i * n_classes);
    }
  add_together (counts, view.item, label, NULL, view.n);
  add_checks (counts, batch);
  return TRUE;
}

static gboolean
add_labels (SlFitCounts *counts, SlBatch *batch, GError **error)
{
  g_auto (SlRowVotes) rows;
  if (!sl_row_votes_init (&rows, batch, error))
    return FALSE;
  for (gint64 i = 0; i < rows.n; i++)
    {
      const double *p = rows.label + (gsize) i * (gsize) counts->n_classes;
      if (rows.weight[i] == 0)
        continue;
      SlFitGroup *group = group_of (counts, rows.item, i, sl_row_votes_row (&rows, i), error);
      if (group == NULL)
        return FALSE;
      group->answers++;
      counts->heaviest = MAX (counts->heaviest, rows.weight[i]);
      counts->lightest
          = counts->lightest > 0 ? MIN (counts->lightest, rows.weight[i]) : rows.weight[i];
      add_label (counts, group, p);
      add_entropy (counts, group, p);
    }
  add_together (counts, rows.item, rows.label, rows.weight, rows.n);
  return TRUE;
}

gboolean
sl_fit_counts_read (SlFitCounts *counts, SlReader *reader, GError **error)
{
  const SlTable *table = sl_reader_table (reader);
  if (table->kind == &sl_annotations && !sl_table_has (table, SL_ANNOTATIONS_CHOICES))
    return sl_error_bad_input (
        error,
        "%s: its answers are one class each; what is wanted is answers with percents "
        "and classes ruled out, or labels",
        sl_reader_name (reader));
  for (;;)
    {
      g_autoptr (SlBatch) batch = NULL;
      if (!sl_run_next_of (counts->run, reader, &batch, error))
        return FALSE;
      if (batch == NULL)
        return TRUE;
      if (!(table->kind == &sl_labels ? add_labels : add_annotations) (counts, batch, error)
          || !claim (counts, error))
        return FALSE;
    }
}
