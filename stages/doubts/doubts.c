/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doubts: labels in, a model's predictions of the same items beside them; out a row an item, those
 * first whose label and prediction have least in common (confident-joint.h). */
#include "pipeline/base/largest.h"
#include "pipeline/command/run.h"
#include "schemas/doubts.h"
#include "schemas/labels.h"
#include "schemas/noise.h"
#include "stages/common/methods/posterior.h"
#include "confident-joint.h"
#include "labelled.h"

#include <math.h>
#include <stdlib.h>

typedef struct
{
  char *predictions;
  gboolean hard, inner;
  char *noise;
} Options;

static const Options defaults = { 0 };

static const SlOption option_table[] = {
  { .name = "predictions",
    .kind = SL_OPTION_INPUT,
    .field = offsetof (Options, predictions),
    .placeholder = "FILE",
    .help = "a table of predictions, of models that have not learned from these labels (`train "
            "--folds`), or of labels; several rows of an item count as their mean" },
  { .name = "hard",
    .kind = SL_OPTION_FLAG,
    .field = offsetof (Options, hard),
    .help = "take each label as its largest class alone, the first of several" },
  { .name = "inner",
    .kind = SL_OPTION_FLAG,
    .field = offsetof (Options, inner),
    .help = "leave out labels whose items have no predictions, instead of refusing" },
  { .name = "noise",
    .kind = SL_OPTION_OUTPUT,
    .field = offsetof (Options, noise),
    .placeholder = "FILE",
    .help = "write the confident joint and the estimated noise, a row for each two classes, to "
            "FILE" },
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
  SlLabelled labelled;
  gint32 *confident;        /* [n] */
  double *threshold, *sums; /* [k] */
} Doubts;

static void
doubts_clear (Doubts *doubts)
{
  sl_labelled_clear (&doubts->labelled);
  g_free (doubts->confident);
  g_free (doubts->threshold);
  g_free (doubts->sums);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Doubts, doubts_clear)

static gboolean
find_confident (Doubts *doubts, GError **error)
{
  const SlLabelled *from = &doubts->labelled;
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
  if (x->self_confidence != y->self_confidence)
    return x->self_confidence < y->self_confidence ? -1 : 1;
  return x->i < y->i ? -1 : x->i > y->i;
}

static gboolean
write_item (const Doubts *doubts, const Rank *rank, SlBuilder *builder, gboolean gold,
            GError **error)
{
  const SlLabelled *from = &doubts->labelled;
  gsize k = from->k, length;
  const double *t = from->t + (gsize) rank->i * k, *p = from->p + (gsize) rank->i * k;
  gint32 item = from->item[rank->i], given = sl_largest (t, (gint32) k);
  gint32 confident = doubts->confident[rank->i];
  const char *name = sl_intern_get (from->items, item, &length);
  sl_builder_text (builder, SL_DOUBTS_ITEM, name, length);
  sl_builder_class (builder, SL_DOUBTS_GIVEN, given);
  sl_builder_class (builder, SL_DOUBTS_PREDICTED, sl_largest (p, (gint32) k));
  sl_builder_real (builder, SL_DOUBTS_SELF_CONFIDENCE, rank->self_confidence);
  sl_builder_real (builder, SL_DOUBTS_MARGIN, sl_normalised_margin (t, p, k));
  sl_builder_class (builder, SL_DOUBTS_CONFIDENT, confident);
  sl_builder_bool (builder, SL_DOUBTS_DOUBTED, confident >= 0 && confident != given);
  if (gold)
    sl_builder_class (builder, SL_DOUBTS_GOLD, from->labels.gold[item]);
  return sl_writer_write_built (doubts->run->out, builder, FALSE, error);
}

static gboolean
write_items (const Doubts *doubts, SlTable *table, GError **error)
{
  const SlLabelled *from = &doubts->labelled;
  gsize k = from->k, n = (gsize) from->n;
  g_autofree Rank *ranks = sl_run_alloc0 (doubts->run, n, sizeof (Rank), "the items", error);
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  if (ranks == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    ranks[i] = (Rank){ sl_self_confidence (from->t + i * k, from->p + i * k, k), (gint64) i };
  qsort (ranks, n, sizeof *ranks, compare);
  for (gsize i = 0; i < n; i++)
    if (!write_item (doubts, &ranks[i], builder, sl_table_has (table, SL_DOUBTS_GOLD), error))
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
  const SlLabelled *from = &doubts->labelled;
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
  if (sl_table_has (in, SL_LABELS_GOLD))
    sl_table_add (table, SL_DOUBTS_GOLD);
  g_auto (Doubts) doubts = { .run = run };
  if (!sl_labelled_read (&doubts.labelled, run, options->predictions, options->hard, options->inner,
                         error)
      || !find_confident (&doubts, error))
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
  = "Writes a row for each item, those first whose label and prediction have least in common: "
    "Σ min (t, p), which of a label of one class is that class's probability (self-confidence). "
    "The margin is half of 1 and the probability of the label's class less that of the likeliest "
    "other one; of a label of several classes the mean over them.\n\n"
    "The model is confident of a class whose probability reaches the mean of what it gives that "
    "class where it is the label; of several, of the likeliest. A label is doubted where it is "
    "confident of another class. --noise counts labels by given class and confident class (the "
    "confident joint), brings the counts to the labels' shares, and tells how much of a true class "
    "is labelled as each other. Confident learning, as cleanlab has it, where each label is one "
    "class (--hard makes them so); a soft label counts for each class as much as it says.\n\n"
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
