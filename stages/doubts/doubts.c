/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doubts: labels in, a model's predictions of the same items beside them; out a row an item, those
 * first whose label and prediction have least in common (confident-joint.h). */
#include "confident-joint.h"
#include "pipeline/base/intern/intern.h"
#include "pipeline/base/largest.h"
#include "pipeline/base/shown-text.h"
#include "pipeline/command/options/option-rows.h"
#include "pipeline/command/run.h"
#include "schemas/labels.h"
#include "stages/common/answers/tally.h"
#include "stages/common/classes/class-map.h"
#include "stages/common/items/item-texts.h"
#include "stages/common/methods/posterior.h"
#include "stages/common/priors/predicted-items.h"

#include <math.h>
#include <stdlib.h>

typedef struct
{
  SlRun *run;
  gsize k;
  SlIntern *items;
  SlTally labels; /* of the items */
  SlItemTexts texts;
  SlRowTags tags; /* of the items: their texts */
  SlPredictedItems predictions;
  gsize claimed;
  gint32 *item; /* [n]: those that have both, in order of appearance */
  gint64 n;
  double *t, *p; /* [n][k]: labels and predictions with sum 1, in their memory */
} Labelled;

static void
labelled_clear (Labelled *labelled)
{
  g_clear_pointer (&labelled->items, sl_intern_free);
  sl_tally_clear (&labelled->labels);
  sl_predicted_items_clear (&labelled->predictions);
  sl_item_texts_clear (&labelled->texts);
  sl_row_tags_clear (&labelled->tags);
  g_free (labelled->item);
}

static gboolean
resize (Labelled *labelled, GError **error)
{
  gint32 n = sl_intern_size (labelled->items);
  sl_tally_resize (&labelled->labels, n);
  gsize bytes
      = (gsize) n * sl_tally_item_bytes ((gint32) labelled->k) + sl_intern_bytes (labelled->items);
  return sl_run_claim_up_to (labelled->run, &labelled->claimed, bytes, "the labels of all items",
                             error);
}

static gboolean
read_labels (Labelled *labelled, GError **error)
{
  for (;;)
    {
      g_autoptr (SlBatch) batch = NULL;
      if (!sl_run_next (labelled->run, &batch, error))
        return FALSE;
      if (batch == NULL)
        return TRUE;
      SlLabels labels = sl_labels_view (batch);
      g_autofree gint32 *ids = g_new (gint32, MAX (labels.n, 1));
      sl_intern_column (labelled->items, labels.item, labels.n, ids);
      sl_row_tags_add (&labelled->tags, batch, ids);
      if (!resize (labelled, error))
        return FALSE;
      sl_tally_add_labels (&labelled->labels, ids, labels.n, labels.label, labels.weight,
                           labelled->run->threads);
      gint64 wrong = labels.gold != NULL
                         ? sl_tally_add_gold (&labelled->labels, ids, labels.n, labels.gold)
                         : -1;
      if (wrong >= 0)
        return sl_error_row (error, batch->first_row + wrong + 1,
                             "gold is '%s', and was another class in a row of the same item before",
                             batch->table->classes[labels.gold[wrong]]);
    }
}

static gboolean
read_predictions (Labelled *labelled, const char *path, GError **error)
{
  g_autoptr (SlReader) reader = sl_predictions_open (labelled->run, path, error);
  if (reader == NULL)
    return FALSE;
  g_autofree gint32 *map = sl_class_map (reader, sl_reader_table (labelled->run->in), error);
  labelled->predictions = (SlPredictedItems){
    .run = labelled->run, .items = labelled->items, .n_classes = (gint32) labelled->k, .map = map
  };
  return map != NULL && sl_predicted_items_read (&labelled->predictions, reader, error);
}

static gboolean
no_prediction (const Labelled *labelled, gint32 item, const char *what, GError **error)
{
  g_autofree char *shown = sl_intern_shown (labelled->items, item);
  return sl_error_bad_input (error, "item '%s' has %s; --inner leaves such items out", shown, what);
}

/* Labels and predictions of the items that have both, each with sum 1. */
static gboolean
pair (Labelled *labelled, gboolean hard, gboolean inner, GError **error)
{
  gsize k = labelled->k, n_items = (gsize) sl_intern_size (labelled->items);
  labelled->item = sl_run_alloc0 (labelled->run, n_items, sizeof (gint32), "the items", error);
  if (labelled->item == NULL)
    return FALSE;
  labelled->t = labelled->labels.sum;
  labelled->p = (double *) (gpointer) labelled->predictions.sum->data;
  for (gsize i = 0; i < n_items; i++)
    {
      double *t = labelled->t + (gsize) labelled->n * k, *p = labelled->p + (gsize) labelled->n * k;
      memmove (t, labelled->t + i * k, k * sizeof *t);
      memmove (p, labelled->p + i * k, k * sizeof *p);
      gboolean has_label = sl_posterior_from_scores (t, (gint32) k);
      gboolean has_prediction = sl_posterior_from_scores (p, (gint32) k);
      if (!(has_label && has_prediction) && !inner)
        return no_prediction (labelled, (gint32) i,
                              has_label ? "no prediction" : "only labels of weight 0", error);
      if (!(has_label && has_prediction))
        continue;
      if (hard)
        sl_posterior_set (t, (gint32) k, sl_largest (t, (gint32) k));
      labelled->item[labelled->n++] = (gint32) i;
    }
  if ((gsize) labelled->n < n_items)
    sl_run_warn (labelled->run,
                 "%" G_GINT64_FORMAT " of %" G_GSIZE_FORMAT
                 " labelled items are left out, as they have no predictions",
                 (gint64) n_items - labelled->n, n_items);
  if (labelled->predictions.n_strange > 0)
    sl_run_note (labelled->run, "%" G_GINT64_FORMAT " predictions are of items without labels",
                 labelled->predictions.n_strange);
  return TRUE;
}

/* Reads run->in, a table of labels, and PREDICTIONS. HARD: labels become their largest class.
 * INNER: items without predictions are left out, instead of an error. */
static gboolean
labelled_read (Labelled *labelled, SlRun *run, const char *predictions, const char *text,
               gboolean hard, gboolean inner, GError **error)
{
  gint32 k = sl_reader_table (run->in)->n_classes;
  *labelled = (Labelled){ .run = run, .k = (gsize) k, .items = sl_intern_new () };
  sl_intern_set_threads (labelled->items, run->threads);
  sl_tally_init (&labelled->labels, k);
  if (!sl_item_texts_open (&labelled->texts, run, text, run->in, error))
    return FALSE;
  sl_item_texts_want (&labelled->texts, &labelled->tags, sl_reader_table (run->in));
  if (!read_labels (labelled, error) || !read_predictions (labelled, predictions, error)
      || !pair (labelled, hard, inner, error))
    return FALSE;
  return labelled->n > 0
         || sl_error_bad_input (error, "%s: it has no items with predictions",
                                sl_reader_name (run->in));
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Labelled, labelled_clear)

typedef struct
{
  char *predictions;
  gboolean hard, inner;
  char *noise, *text;
} Options;

static const Options defaults = { 0 };

#define OPTIONS Options

static const SlOption option_table[] = {
  INPUT ("predictions", predictions, "FILE",
         "a table of predictions, of models that have not learned from these labels (`train "
         "--folds`), or of labels; several rows of an item count as their mean"),
  FLAG ("hard", hard, "take each label as its largest class alone, the first of several"),
  FLAG ("inner", inner, "leave out labels whose items have no predictions, instead of refusing"),
  OUTPUT ("noise", noise, "FILE",
          "write the confident joint and the estimated noise, a row for each two classes, to FILE"),
  SL_TEXT_OPTION ("what items say, as the column tag_text"),
  { 0 },
};

static gboolean
check_options (SlOptions *given, GError **error)
{
  const Options *options = given->values;
  return options->predictions != NULL
         || sl_error_usage (error, "doubts by what? give --predictions FILE");
}

typedef struct
{
  SlRun *run;
  Labelled labelled;
  gint32 *confident;        /* [n] */
  double *threshold, *sums; /* [k] */
} Doubts;

static void
doubts_clear (Doubts *doubts)
{
  labelled_clear (&doubts->labelled);
  g_free (doubts->confident);
  g_free (doubts->threshold);
  g_free (doubts->sums);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Doubts, doubts_clear)

static gboolean
find_confident (Doubts *doubts, GError **error)
{
  const Labelled *from = &doubts->labelled;
  gsize k = from->k, n = (gsize) from->n;
  doubts->confident = sl_run_alloc0 (doubts->run, n, sizeof (gint32), "the items", error);
  if (doubts->confident == NULL)
    return FALSE;
  doubts->threshold = g_new (double, k);
  doubts->sums = g_new0 (double, k);
  sl_confident_thresholds (from->t, from->p, from->n, k, doubts->threshold);
  for (gsize i = 0; i < n; i++)
    {
      doubts->confident[i] = sl_confident_class (from->p + i * k, doubts->threshold, k);
      for (gsize j = 0; j < k; j++)
        doubts->sums[j] += from->t[i * k + j];
    }
  return TRUE;
}

typedef struct
{
  double self_confidence;
  gint64 i;
} Rank;

static int
compare (gconstpointer a, gconstpointer b)
{
  const Rank *x = a, *y = b;
  return SL_COMPARE (x->self_confidence, y->self_confidence) ?: SL_COMPARE (x->i, y->i);
}

static gboolean
write_item (const Doubts *doubts, const Rank *rank, SlBuilder *builder, const SlTable *table,
            GError **error)
{
  const Labelled *from = &doubts->labelled;
  gsize k = from->k, length;
  const double *t = from->t + (gsize) rank->i * k, *p = from->p + (gsize) rank->i * k;
  gint32 item = from->item[rank->i], given = sl_largest (t, (gint32) k);
  gint32 confident = doubts->confident[rank->i];
  const char *name = sl_intern_get (from->items, item, &length);
  sl_builder_text (builder, SL_DOUBTS_ITEM, name, length);
  sl_builder_class (builder, SL_DOUBTS_GIVEN, given);
  const gint32 predicted = sl_largest (p, (gint32) k);
  const gboolean doubted = confident >= 0 && confident != given;
  sl_builder_class (builder, SL_DOUBTS_PREDICTED, predicted);
  sl_builder_real (builder, SL_DOUBTS_SELF_CONFIDENCE, rank->self_confidence);
  sl_builder_real (builder, SL_DOUBTS_MARGIN, sl_normalised_margin (t, p, k));
  sl_builder_class (builder, SL_DOUBTS_CONFIDENT, confident);
  sl_builder_bool (builder, SL_DOUBTS_DOUBTED, doubted);
  sl_builder_bool (builder, SL_DOUBTS_ISSUE, doubted && predicted != given);
  if (sl_table_has (table, SL_DOUBTS_GOLD))
    sl_builder_class (builder, SL_DOUBTS_GOLD, from->labels.gold[item]);
  sl_row_tags_write (&from->tags, builder, table, item, item + 1);
  return sl_writer_write_built (doubts->run->out, builder, FALSE, error);
}

static gboolean
write_items (const Doubts *doubts, SlTable *table, GError **error)
{
  const Labelled *from = &doubts->labelled;
  gsize k = from->k, n = (gsize) from->n;
  g_autofree Rank *ranks = sl_run_alloc0 (doubts->run, n, sizeof (Rank), "the items", error);
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  if (ranks == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    ranks[i] = (Rank){ sl_self_confidence (from->t + i * k, from->p + i * k, k), (gint64) i };
  qsort (ranks, n, sizeof *ranks, compare);
  for (gsize i = 0; i < n; i++)
    if (!write_item (doubts, &ranks[i], builder, table, error))
      return FALSE;
  return sl_writer_write_built (doubts->run->out, builder, TRUE, error);
}

static double
sum_of (const double *values, gsize n, gsize step)
{
  double sum = 0;
  for (gsize j = 0; j < n; j++)
    sum += values[j * step];
  return sum;
}

/* Of no items there is no share. */
static double
share (double part, double whole)
{
  return whole > 0 ? part / whole : NAN;
}

/* Writes it to --noise, unless WRITER is NULL, and tells the whole. */
static gboolean
write_noise (const Doubts *doubts, SlWriter *writer, SlTable *table, GError **error)
{
  const Labelled *from = &doubts->labelled;
  gsize k = from->k;
  g_autofree double *count = sl_run_alloc0 (doubts->run, k * k, sizeof *count, "the noise", error);
  g_autofree double *joint = sl_run_alloc0 (doubts->run, k * k, sizeof *joint, "the noise", error);
  if (count == NULL || joint == NULL)
    return FALSE;
  sl_confident_joint (from->t, doubts->confident, from->n, k, count);
  sl_calibrated_joint (count, doubts->sums, k, joint);
  double right = 0;
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  for (gsize c = 0; c < k * k; c++)
    {
      gsize given = c / k, true_class = c % k;
      right += given == true_class ? joint[c] : 0;
      sl_builder_class (builder, SL_NOISE_GIVEN, (gint32) given);
      sl_builder_class (builder, SL_NOISE_TRUE, (gint32) true_class);
      sl_builder_real (builder, SL_NOISE_COUNT, count[c]);
      sl_builder_real (builder, SL_NOISE_JOINT, joint[c]);
      sl_builder_real (builder, SL_NOISE_GIVEN_OF_TRUE,
                       share (joint[c], sum_of (joint + true_class, k, k)));
      sl_builder_real (builder, SL_NOISE_TRUE_OF_GIVEN,
                       share (joint[c], sum_of (joint + given * k, k, 1)));
      if (writer != NULL && !sl_writer_write_built (writer, builder, FALSE, error))
        return FALSE;
    }
  sl_run_note (doubts->run, "an estimated %.3g of 100 labels are wrong", 100 * (1 - right));
  return writer == NULL || sl_writer_write_built (writer, builder, TRUE, error);
}

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  const SlTable *in = sl_reader_table (run->in);
  const char *const *classes = (const char *const *) in->classes;
  g_autoptr (SlTable) table = sl_table_new (&sl_doubts, classes);
  g_autoptr (SlTable) noise = sl_table_new (&sl_noise, classes);
  sl_table_add (table, SL_DOUBTS_ISSUE);
  if (sl_table_has (in, SL_LABELS_GOLD))
    sl_table_add (table, SL_DOUBTS_GOLD);
  g_auto (Doubts) doubts = { .run = run };
  if (!labelled_read (&doubts.labelled, run, options->predictions, options->text, options->hard,
                      options->inner, error)
      || !find_confident (&doubts, error)
      || !sl_item_texts_settle (&doubts.labelled.texts, &doubts.labelled.tags, run,
                                doubts.labelled.items, table, error))
    return FALSE;
  SlWriter *writer = NULL;
  if (!sl_run_start (run, table, error)
      || (options->noise != NULL
          && (writer = sl_run_side_table (run, options->noise, noise, error)) == NULL))
    return FALSE;
  return write_items (&doubts, table, error) && write_noise (&doubts, writer, noise, error);
}

static const SlKind *const reads[] = { &sl_labels, NULL };

const SlCommand sl_command_doubts = {
  .name = "doubts",
  .summary = "which labels a model doubts, and how many of them are wrong",
  .arguments = "[LABELS]",
  .reads = reads,
  .writes = &sl_doubts,
  SL_OPTIONS (option_table, defaults),
  .check = check_options,
  .description
  = "Writes a row for each item. Self-confidence is what the label t and the prediction p have in "
    "common, Σ min (t, p): of a label of one class, the probability that the model gives that "
    "class. Items with the least come first. The margin is (1 + a - b) / 2, where a is the "
    "probability of the label's class and b that of the likeliest other one; a label of several "
    "classes has the mean over them.\n\n"
    "The model is confident of a class if its probability is at least the mean that the model "
    "gives this class where it is the label; if several classes are, of the likeliest. A label is "
    "doubted if the model is confident of another class. --noise counts labels by given class and "
    "confident class (the confident joint), brings the counts to the labels' shares, and tells how "
    "much of a true class is labelled as each other. An issue is a doubted label whose class the "
    "model does not find likeliest either: where classes differ in how sure the model is of them, "
    "it may find the given one likeliest and yet be confident of another alone. Confident "
    "learning, as cleanlab has it, where each label is one class (--hard makes them so); a soft "
    "label counts for each class as much as it says. Issues are those of cleanlab's "
    "find_label_issues with filter_by='confident_learning', doubted labels the off-diagonals of "
    "its confident joint.\n\n"
    "Predictions must be of models that have not learned from the same labels: a model doubts "
    "little of what it has learned by heart.\n\n"
    "Memory: items × classes, twice.",
  .examples
  = "softlabel doubts --predictions held-out.parquet labels.parquet -o doubts.parquet\n"
    "    what to look at again, the most doubtful first\n"
    "softlabel doubts -v --predictions held-out.parquet --noise noise.parquet labels.parquet\n"
    "    how many labels of each class are wrong, too\n",
  .run = run,
};
