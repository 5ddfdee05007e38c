/* SPDX-License-Identifier: GPL-3.0-or-later */
/* control: labels, or annotations with gold, in; labels out that say nothing about what people see,
 * to compare others with. */
#include "pipeline/base/number-text.h"
#include "pipeline/base/shown-text.h"
#include "pipeline/command/options/option-rows.h"
#include "pipeline/command/run.h"
#include "schemas/labels.h"
#include "schemas/mixtures.h"
#include "stages/common/answers/votes-of-batch.h"
#include "controls.h"

#include <string.h>

/* ---- labels dealt out anew among the items ---- */

/* All labels, by the numbers of their items: their order. */
typedef struct
{
  SlRun *run;
  gint32 n_classes;
  SlIntern *items;
  GArray *label;         /* double[n_classes] */
  GArray *weight, *gold; /* double, gint32 */
  gsize claimed;
} Held;

static void
held_clear (Held *held)
{
  sl_intern_free (held->items);
  g_array_unref (held->label);
  g_array_unref (held->weight);
  g_array_unref (held->gold);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Held, held_clear)

static gboolean
hold (Held *held, SlBatch *batch, GError **error)
{
  SlLabels labels = sl_labels_view (batch);
  gsize row = 8 * ((gsize) held->n_classes + 1) + 4;
  /* An array that grows is there twice for a moment. */
  if (!sl_run_claim_up_to (held->run, &held->claimed,
                           2 * row * (held->weight->len + (gsize) labels.n)
                               + sl_intern_bytes (held->items),
                           "all labels", error))
    return FALSE;
  for (gint64 i = 0; i < labels.n; i++)
    {
      gsize length;
      const char *item = sl_text_get (labels.item, i, &length);
      if ((guint) sl_intern (held->items, item, length) == held->weight->len + (guint) i)
        continue;
      g_autofree char *shown = sl_shown (item, length);
      return sl_error_row (error, batch->first_row + i + 1,
                           "item '%s' has a label already; `softlabel aggregate` makes one label "
                           "an item",
                           shown);
    }
  g_array_append_vals (held->label, labels.label, (guint) labels.n);
  g_array_append_vals (held->weight, labels.weight, (guint) labels.n);
  if (labels.gold != NULL)
    g_array_append_vals (held->gold, labels.gold, (guint) labels.n);
  return TRUE;
}

static gboolean
write_all (const Held *held, SlTable *table, GError **error)
{
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  gint32 n = sl_intern_size (held->items);
  gsize width = (gsize) held->n_classes;
  g_autofree gint32 *from = sl_run_alloc0 (held->run, (gsize) n, sizeof *from, "all labels", error);
  /* Two keyed lists of the items are made for it. */
  if (from == NULL || !sl_run_claim (held->run, 32 * (gsize) n, "all labels", error))
    return FALSE;
  sl_control_permute (held->run->seed, held->items, from);
  for (gint32 i = 0; i < n; i++)
    {
      gsize length;
      const char *item = sl_intern_get (held->items, i, &length);
      sl_builder_text (builder, SL_LABELS_ITEM, item, length);
      memcpy (sl_builder_labels (builder, SL_LABELS_LABEL, 1),
              (const double *) (gpointer) held->label->data + (gsize) from[i] * width,
              width * sizeof (double));
      sl_builder_real (builder, SL_LABELS_WEIGHT, g_array_index (held->weight, double, from[i]));
      if (sl_table_has (table, SL_LABELS_GOLD))
        sl_builder_class (builder, SL_LABELS_GOLD, g_array_index (held->gold, gint32, i));
      if (!sl_writer_write_built (held->run->out, builder, FALSE, error))
        return FALSE;
    }
  return sl_writer_write_built (held->run->out, builder, TRUE, error);
}

/* Reads labels from run->in to its end, one an item, and writes them, each with its weight, to
 * another item. TABLE: their header. */
static gboolean
permute_labels (SlRun *run, SlTable *table, GError **error)
{
  g_auto (Held) held = { .run = run,
                         .n_classes = table->n_classes,
                         .items = sl_intern_new (),
                         .label = g_array_new (
                             FALSE, FALSE, (guint) (table->n_classes * (gint32) sizeof (double))),
                         .weight = g_array_new (FALSE, FALSE, sizeof (double)),
                         .gold = g_array_new (FALSE, FALSE, sizeof (gint32)) };
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (run, &batch, &ok, error))
    ok = hold (&held, batch, error);
  return ok && write_all (&held, table, error);
}

/* ---- of annotations: one label an item, where it is first seen ---- */

/* That no gold class of ITEM is known, in the row ROW (from 1). Returns FALSE. */
static gboolean
refuse_no_gold (const char *item, gsize length, gint64 row, GError **error)
{
  g_autofree char *shown = sl_shown (item, length);
  return sl_error_row (error, row,
                       "item '%s' has no gold class; `softlabel select --where 'gold present'` "
                       "leaves such rows out",
                       shown);
}

typedef struct
{
  SlRun *run;
  const SlControl *control;
  SlBuilder *builder;
  gint32 n_classes;
  SlIntern *items;
  GArray *gold; /* gint32, of the items */
  gsize claimed;
  gint32 *ids; /* [room] */
  gint64 room;
} Answered;

static void
answered_clear (Answered *answered)
{
  sl_builder_free (answered->builder);
  sl_intern_free (answered->items);
  g_array_unref (answered->gold);
  g_free (answered->ids);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Answered, answered_clear)

/* The label of an item that was not seen before row I. */
static gboolean
add_item (Answered *answered, const SlRowVotes *evidence, gint64 i, GError **error)
{
  SlBuilder *builder = answered->builder;
  gint32 gold = evidence->gold != NULL ? evidence->gold[i] : -1;
  gsize length;
  const char *item = sl_text_get (evidence->item, i, &length);
  if (!sl_control_make (answered->control, item, length, NULL, gold, answered->n_classes,
                        sl_builder_labels (builder, SL_LABELS_LABEL, 1)))
    return refuse_no_gold (item, length, sl_row_votes_row (evidence, i), error);
  g_array_append_val (answered->gold, gold);
  sl_builder_text (builder, SL_LABELS_ITEM, item, length);
  sl_builder_real (builder, SL_LABELS_WEIGHT, 1);
  if (evidence->gold != NULL)
    sl_builder_class (builder, SL_LABELS_GOLD, gold);
  return sl_writer_write_built (answered->run->out, builder, FALSE, error);
}

static gboolean
add_batch (Answered *answered, SlBatch *batch, GError **error)
{
  g_auto (SlRowVotes) evidence;
  if (!sl_row_votes_init (&evidence, batch, error))
    return FALSE;
  if (evidence.n > answered->room)
    answered->ids = g_renew (gint32, answered->ids, answered->room = evidence.n);
  sl_intern_column (answered->items, evidence.item, evidence.n, answered->ids);
  gsize bytes = sl_intern_bytes (answered->items)
                + (gsize) sl_intern_size (answered->items) * sizeof (gint32);
  if (!sl_run_claim_up_to (answered->run, &answered->claimed, bytes, "the items", error))
    return FALSE;
  for (gint64 i = 0; i < evidence.n; i++)
    {
      guint id = (guint) answered->ids[i];
      if (id == answered->gold->len)
        {
          if (!add_item (answered, &evidence, i, error))
            return FALSE;
          continue;
        }
      gint32 before = g_array_index (answered->gold, gint32, id);
      if (evidence.gold != NULL && evidence.gold[i] != before)
        return before >= 0 && evidence.gold[i] >= 0
                   ? sl_row_votes_gold_error (&evidence, i, before, error)
                   : sl_error_row (error, sl_row_votes_row (&evidence, i),
                                   "the gold class of an item is there in one row, and missing in "
                                   "another");
    }
  return TRUE;
}

/* Reads run->in to its end, and writes labels of the header TABLE. */
static gboolean
from_answers (SlRun *run, SlTable *table, const SlControl *control, GError **error)
{
  g_auto (Answered) answered = { .run = run,
                                 .control = control,
                                 .builder = sl_builder_new (table),
                                 .n_classes = table->n_classes,
                                 .items = sl_intern_new (),
                                 .gold = g_array_new (FALSE, FALSE, sizeof (gint32)) };
  sl_intern_set_threads (answered.items, run->threads);
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (run, &batch, &ok, error))
    ok = add_batch (&answered, batch, error);
  return ok && sl_writer_write_built (run->out, answered.builder, TRUE, error);
}

typedef struct
{
  char *as;
  SlControl control; /* what `as` says */
} Options;

static const Options defaults = { 0 };

#define OPTIONS Options

static const SlOption option_table[] = {
  TEXT ("as", as, "CONTROL",
        "gold: the true class, one-hot; uniform: 1/K for each of K classes; random: K draws from "
        "U[0, 1) over their sum, by --seed and item; argmax: the likeliest class, one-hot, of "
        "several the first; smooth=B: (1-B) of the label and B/K for each class; permute: the "
        "labels dealt out anew among the items, by --seed"),
  { 0 },
};

static gboolean
check_options (SlOptions *given, GError **error)
{
  static const char *const names[]
      = { "gold", "uniform", "random", "argmax", "smooth", "permute", NULL };
  Options *options = given->values;
  if (options->as == NULL)
    return sl_error_usage (error, "which control? give --as gold, uniform, random, argmax, "
                                  "smooth=B or permute");
  const char *equals = strchr (options->as, '=');
  g_autofree char *name = g_strndup (options->as, equals != NULL ? (gsize) (equals - options->as)
                                                                 : strlen (options->as));
  int how = 0;
  while (names[how] != NULL && strcmp (names[how], name) != 0)
    how++;
  if (names[how] == NULL || (equals != NULL) != (how == SL_CONTROL_SMOOTH))
    return sl_error_usage (
        error, "--as: '%s' is not gold, uniform, random, argmax, smooth=B or permute", options->as);
  options->control.kind = (SlControlKind) how;
  if (equals != NULL
      && !(sl_parse_real (equals + 1, -1, &options->control.beta) && options->control.beta >= 0
           && options->control.beta <= 1))
    return sl_error_usage (error, "--as: '%s' is not smooth=B with B between 0 and 1", options->as);
  return TRUE;
}

/* Labels, and mixtures: row by row. All else that a row has stays. */
static gboolean
replace_labels (SlRun *run, SlBuilder *builder, SlBatch *batch, const SlControl *control,
                GError **error)
{
  const SlKind *kind = batch->table->kind;
  gboolean mixtures = kind == &sl_mixtures;
  int column = mixtures ? SL_MIXTURES_LABEL : SL_LABELS_LABEL;
  gint32 n_classes = batch->table->n_classes;
  SlText items = batch->column[mixtures ? SL_MIXTURES_ITEM : SL_LABELS_ITEM].text;
  const double *label = batch->column[column].real;
  const gint32 *gold = mixtures ? NULL : batch->column[SL_LABELS_GOLD].code;
  double *to = sl_builder_labels (builder, column, batch->n_rows);
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      gsize length;
      const char *item = sl_text_get (items, i, &length);
      gint64 at = i * n_classes;
      if (!sl_control_make (control, item, length, label != NULL ? label + at : NULL,
                            gold != NULL ? gold[i] : -1, n_classes, to + at))
        return refuse_no_gold (item, length, batch->first_row + i + 1, error);
    }
  for (int c = 0; kind->columns[c].name != NULL; c++)
    if (sl_table_has (batch->table, c) && c != column)
      sl_builder_share (builder, c, batch, c);
  return sl_writer_write_built (run->out, builder, TRUE, error);
}

static gboolean
from_labels (SlRun *run, SlTable *table, const SlControl *control, GError **error)
{
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (run, &batch, &ok, error))
    ok = replace_labels (run, builder, batch, control, error);
  return ok;
}

/* That the table has what the control is made from. */
static gboolean
check_input (SlRun *run, SlControlKind kind, GError **error)
{
  const SlTable *table = sl_reader_table (run->in);
  gboolean labels = table->kind == &sl_labels, mixtures = table->kind == &sl_mixtures;
  const char *wrong = NULL;
  if (mixtures)
    wrong
        = kind == SL_CONTROL_GOLD || kind == SL_CONTROL_PERMUTE
              ? "it has mixtures: uniform and random go with them, and of those with labels argmax "
                "and smooth"
          : kind >= SL_CONTROL_ARGMAX && !sl_table_has (table, SL_MIXTURES_LABEL)
              ? "its mixtures have no labels; `softlabel simulate mixup` makes some"
              : NULL;
  else if (kind == SL_CONTROL_GOLD && !sl_table_has (table, sl_gold_column (table->kind)))
    wrong = "it has no column 'gold'; `softlabel join` brings one";
  else if (!labels && kind >= SL_CONTROL_ARGMAX)
    wrong = "it has answers, not labels; `softlabel aggregate` makes labels of them";
  if (wrong == NULL)
    return kind != SL_CONTROL_PERMUTE
           || sl_labels_check_whole (table, sl_reader_name (run->in), error);
  return sl_error_bad_input (error, "%s: %s", sl_reader_name (run->in), wrong);
}

static SlTable *
output_table (const SlTable *in)
{
  gboolean mixtures = in->kind == &sl_mixtures;
  SlTable *table
      = sl_table_new (mixtures ? &sl_mixtures : &sl_labels, (const char *const *) in->classes);
  if (mixtures || in->kind == &sl_labels)
    sl_table_take_columns (table, in, in->columns);
  if (mixtures)
    sl_table_add (table, SL_MIXTURES_LABEL);
  else if (sl_table_has (in, SL_ANNOTATIONS_GOLD))
    sl_table_add (table, SL_LABELS_GOLD);
  return table;
}

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  SlControl control = options->control;
  control.seed = run->seed;
  const SlTable *in = sl_reader_table (run->in);
  g_autoptr (SlTable) table = output_table (in);
  if (!check_input (run, control.kind, error) || !sl_run_start (run, table, error))
    return FALSE;
  if (control.kind == SL_CONTROL_PERMUTE)
    return permute_labels (run, table, error);
  return in->kind == &sl_annotations ? from_answers (run, table, &control, error)
                                     : from_labels (run, table, &control, error);
}

static const SlKind *const reads[] = { &sl_labels, &sl_annotations, &sl_mixtures, NULL };

static const SlAlsoWrites also_writes[] = { { &sl_mixtures, "mixtures" }, { 0 } };

const SlCommand sl_command_control = {
  .name = "control",
  .summary = "labels that say nothing new, to compare others with",
  .arguments = "[FILE…]",
  .reads = reads,
  .writes = &sl_labels,
  .also_writes = also_writes,
  .flags = SL_COMMAND_SEEDED,
  SL_OPTIONS (option_table, defaults),
  .description
  = "Each row of labels gets another label; its item, annotator, weight and gold stay. Of "
    "annotations each item gets one label, of weight 1, for gold, uniform and random; attention "
    "checks and excluded annotators do not count. Mixtures stay as they are and get labels that "
    "are uniform or random: one for all answers to a mixture.\n\n"
    "Random labels depend on the seed, the item and the classes alone. The draws are those of the "
    "published comparisons: a class's share is a uniform number over the sum of K of them, so that "
    "labels lie nearer to 1/K than if all distributions were equally likely.\n\n"
    "permute takes labels of one row an item: each label goes, with its weight, to an item that "
    "the seed and the set of items tell, whatever their order.\n\n"
    "Memory: one batch; of annotations the items, of permute all labels.",
  .examples = "softlabel control --as gold answers.parquet -o hard.parquet\n"
              "    the true class of each item, as a label\n"
              "softlabel control --as smooth=0.05 hard.parquet -o smoothed.parquet\n"
              "    label smoothing\n"
              "softlabel control --as random soft.parquet | softlabel overlay - hard.parquet\n"
              "    random labels where there were some from people, gold elsewhere\n"
              "softlabel control --as uniform mixtures.parquet -o uniform.parquet\n"
              "    mixtures that say nothing, for `softlabel train --augment`\n",
  .check = check_options,
  .run = run,
};
