/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fit-counts.h"

#include "schemas/annotations.h"
#include "schemas/labels.h"
#include "stages/common/vote-figures.h"
#include "likeness.h"

#include <math.h>
#include <string.h>

/* Labels that answers are turned into, to see which classes go together: CIFAR-10S's. */
#define GAMMA 0.1

void
sl_observed_init (SlObserved *observed, SlRun *run, gint32 n_classes, gboolean drop_repeats)
{
  *observed = (SlObserved){
    .run = run,
    .n_classes = n_classes,
    .conversion = { .how = { .spread = SL_SPREAD_CLAMP, .top = 2, .gamma = GAMMA },
                    .drop_repeats = drop_repeats },
    .threshold = (double) NAN,
  };
  for (int g = 0; g < SL_N_GROUPS; g++)
    observed->group[g] = (SlObservedGroup){
      .first = g_array_new (FALSE, FALSE, sizeof (double)),
      .second = g_array_new (FALSE, FALSE, sizeof (double)),
      .alternatives = g_new0 (double, MAX (n_classes, 1)),
      .entropy = g_array_new (FALSE, FALSE, sizeof (double)),
    };
}

gboolean
sl_observed_collect_likeness (SlObserved *observed, GError **error)
{
  gsize n = (gsize) observed->n_classes;
  observed->likeness = sl_run_alloc0 (observed->run, n * n, sizeof (double),
                                      "how often class and class go together", error);
  observed->mass = g_new0 (double, MAX (n, 1));
  return observed->likeness != NULL;
}

void
sl_observed_collect_entropies (SlObserved *observed)
{
  observed->items = sl_intern_new ();
  sl_tally_init (&observed->tally, observed->n_classes);
}

void
sl_observed_finish_labels (SlObserved *observed)
{
  observed->finished = TRUE;
  observed->conversion.how.compat = TRUE;
}

void
sl_observed_clear (SlObserved *observed)
{
  if (observed->items != NULL)
    sl_tally_clear (&observed->tally);
  g_clear_pointer (&observed->items, sl_intern_free);
  for (int g = 0; g < SL_N_GROUPS; g++)
    {
      g_clear_pointer (&observed->group[g].first, g_array_unref);
      g_clear_pointer (&observed->group[g].second, g_array_unref);
      g_clear_pointer (&observed->group[g].entropy, g_array_unref);
      g_clear_pointer (&observed->group[g].alternatives, g_free);
    }
  g_clear_pointer (&observed->likeness, g_free);
  g_clear_pointer (&observed->mass, g_free);
}

/* The group of the item in row I; NULL and ERROR where its entropy is not known. */
static SlObservedGroup *
group_of (SlObserved *observed, SlText items, gint64 i, gint64 row, GError **error)
{
  if (observed->entropies == NULL)
    return &observed->group[SL_GROUP_ALL];
  gsize length;
  const char *item = sl_text_get (items, i, &length);
  double entropy = sl_entropies_find (observed->entropies, item, length);
  if (isnan (entropy))
    {
      sl_error_row (error, row,
                    "item '%.*s' is not in the table of --entropy-from, or has no answer there",
                    (int) MIN (length, 1000), item);
      return NULL;
    }
  return &observed->group[entropy >= observed->threshold ? SL_GROUP_HIGH : SL_GROUP_LOW];
}

static void
add_real (GArray *array, double value)
{
  g_array_append_val (array, value);
}

/* An answer: what was typed, not what became of it. A percent that is missing is no value; a second choice that is the first
 * again is none. */
static void
add_answer (SlObserved *observed, SlObservedGroup *group, const SlRecords *answers, gint64 i,
            guint8 *ruled_out)
{
  gint32 start = answers->start[i], class = answers->choice[start];
  double first = answers->percent[start];
  if (isnan (first))
    observed->untyped++;
  else
    add_real (group->first, first / 100);
  if (start + 1 < answers->start[i + 1]
      && answers->choice[start + 1] != class && !isnan (answers->percent[start + 1]))
    add_real (group->second, answers->percent[start + 1] / 100);
  gint32 alternatives = observed->n_classes - 1;
  memset (ruled_out, 0, (gsize) observed->n_classes);
  ruled_out[class] = 1;
  for (gint32 j = answers->impossible_start[i]; j < answers->impossible_start[i + 1]; j++)
    {
      alternatives -= !ruled_out[answers->impossible[j]];
      ruled_out[answers->impossible[j]] = 1;
    }
  group->alternatives[alternatives]++;
}

/* A label of which nothing else is known. Finished: a second probability that is the first again is
 * none, and 0 is one. */
static void
add_label (const SlObserved *observed, SlObservedGroup *group, const double *p)
{
  gint32 n_classes = observed->n_classes, alternatives = -1;
  double first = 0, second = 0, less = -1;
  for (gint32 k = 0; k < n_classes; k++)
    {
      alternatives += p[k] > 0;
      second = fmax (second, fmin (first, p[k]));
      less = p[k] > first ? (k > 0 ? first : less) : p[k] < first ? fmax (less, p[k]) : less;
      first = fmax (first, p[k]);
    }
  add_real (group->first, first);
  if (observed->finished ? less >= 0 : second > 0)
    add_real (group->second, observed->finished ? less : second);
  group->alternatives[MAX (alternatives, 0)]++;
}

static void
add_entropy (const SlObserved *observed, SlObservedGroup *group, const double *p)
{
  if (observed->items != NULL)
    add_real (group->entropy, sl_shares_entropy (p, observed->n_classes));
}

/* Adds labels to what they say together: of classes, and of items. WEIGHT NULL: 1 each. */
static void
add_together (SlObserved *observed, SlText items, const double *label, const double *weight,
              gint64 n)
{
  gint32 n_classes = observed->n_classes;
  for (gint64 i = 0; observed->likeness != NULL && i < n; i++)
    if (weight == NULL || weight[i] > 0)
      sl_likeness_add (observed->likeness, observed->mass, label + (gsize) i * (gsize) n_classes,
                       n_classes);
  if (observed->items == NULL)
    return;
  g_autofree gint32 *ids = g_new (gint32, MAX (n, 1));
  g_autofree double *ones = g_new (double, MAX (n, 1));
  for (gint64 i = 0; i < n; i++)
    ones[i] = 1;
  sl_intern_column (observed->items, items, n, ids);
  sl_tally_resize (&observed->tally, sl_intern_size (observed->items));
  sl_tally_add_labels (&observed->tally, ids, n, label, weight != NULL ? weight : ones, 1);
}

static gboolean
claim (SlObserved *observed, GError **error)
{
  gsize bytes = 0;
  for (int g = 0; g < SL_N_GROUPS; g++)
    bytes += sizeof (double)
             * (observed->group[g].first->len + observed->group[g].second->len
                + observed->group[g].entropy->len);
  if (observed->items != NULL)
    bytes += sl_intern_bytes (observed->items)
             + (gsize) observed->tally.n_items * sl_tally_item_bytes (observed->n_classes);
  return sl_run_claim_up_to (observed->run, &observed->claimed, bytes,
                             "the shares that every answer gives", error);
}

static gboolean
add_annotations (SlObserved *observed, SlBatch *batch, GError **error)
{
  g_autofree guint8 *keep = g_new (guint8, MAX (batch->n_rows, 1));
  g_autoptr (SlBatch) rows = sl_convert_choose (&observed->conversion, batch, keep, error);
  if (rows == NULL)
    return FALSE;
  gsize n_classes = (gsize) observed->n_classes;
  g_autofree double *label = g_new (double, (gsize) MAX (rows->n_rows, 1) * n_classes);
  if (!sl_convert_fill (&observed->conversion, observed->run, batch, keep, rows, label, error))
    return FALSE;
  SlAnnotations view = sl_annotations_view (rows);
  const SlRecords answers = sl_annotations_records (&view);
  g_autofree guint8 *ruled_out = g_new (guint8, n_classes);
  gint64 row = batch->first_row;
  for (gint64 i = 0; i < view.n; i++, row++)
    {
      while (!keep[row - batch->first_row])
        row++;
      SlObservedGroup *group = group_of (observed, view.item, i, row + 1, error);
      if (group == NULL)
        return FALSE;
      if (view.count != NULL && view.count[i] != 1)
        return sl_error_row (error, row + 1,
                             "it stands for %" G_GINT64_FORMAT
                             " answers; `softlabel deaggregate --votes` writes one row an answer",
                             view.count[i]);
      group->answers++;
      if (observed->finished)
        add_label (observed, group, label + (gsize) i * n_classes);
      else
        add_answer (observed, group, &answers, i, ruled_out);
      add_entropy (observed, group, label + (gsize) i * n_classes);
    }
  add_together (observed, view.item, label, NULL, view.n);
  return TRUE;
}

static gboolean
add_labels (SlObserved *observed, SlBatch *batch, GError **error)
{
  SlLabels view = sl_labels_view (batch);
  for (gint64 i = 0; i < view.n; i++)
    {
      const double *p = view.label + (gsize) i * (gsize) view.n_classes;
      if (view.weight[i] == 0)
        continue;
      SlObservedGroup *group = group_of (observed, view.item, i, batch->first_row + i + 1, error);
      if (group == NULL)
        return FALSE;
      group->answers++;
      add_label (observed, group, p);
      add_entropy (observed, group, p);
    }
  add_together (observed, view.item, view.label, view.weight, view.n);
  return TRUE;
}

gboolean
sl_observed_read (SlObserved *observed, SlReader *reader, GError **error)
{
  const SlTable *table = sl_reader_table (reader);
  if (table->kind == &sl_annotations && !sl_table_has (table, SL_ANNOTATIONS_CHOICES))
    {
      g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
                   "%s: its answers are one class each; what is wanted is answers with percents "
                   "and classes ruled out, or labels",
                   sl_reader_name (reader));
      return FALSE;
    }
  for (;;)
    {
      g_autoptr (SlBatch) batch = NULL;
      if (!sl_run_next_of (observed->run, reader, &batch, error))
        return FALSE;
      if (batch == NULL)
        return TRUE;
      if (!(table->kind == &sl_labels ? add_labels : add_annotations) (observed, batch, error)
          || !claim (observed, error))
        return FALSE;
    }
}
