/* SPDX-License-Identifier: GPL-3.0-or-later */
/* control: labels, or annotations with gold, in; labels out that say nothing about what people see,
 * to compare others with. */
#include "pipeline/base/number-text.h"
#include "pipeline/command/run.h"
#include "schemas/gold.h"
#include "controls.h"
#include "from-answers.h"
#include "permute.h"

#include <string.h>

typedef struct
{
  char *as;
  SlControl control; /* what `as` says */
} Options;

static const Options defaults = { 0 };

static const SlOption option_table[] = {
  { .name = "as",
    .kind = SL_OPTION_TEXT,
    .field = offsetof (Options, as),
    .placeholder = "CONTROL",
    .help = "gold: the true class, one-hot; uniform: 1/K for each of K classes; random: K draws "
            "from U[0, 1) over their sum, by --seed and item; argmax: the likeliest class, "
            "one-hot, of several the first; smooth=B: (1-B) of the label and B/K for each class; "
            "permute: the labels dealt out anew among the items, by --seed" },
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
    return sl_error_usage (error,
                           "--as: '%s' is not gold, uniform, random, argmax, smooth=B or "
                           "permute",
                           options->as);
  options->control.kind = (SlControlKind) how;
  if (equals != NULL
      && !(sl_parse_real (equals + 1, -1, &options->control.beta) && options->control.beta >= 0
           && options->control.beta <= 1))
    return sl_error_usage (error, "--as: '%s' is not smooth=B with B between 0 and 1", options->as);
  return TRUE;
}

/* Labels: row by row. All else that a row has stays. */
static gboolean
replace_labels (SlRun *run, SlBuilder *builder, SlBatch *batch, const SlControl *control,
                GError **error)
{
  SlLabels labels = sl_labels_view (batch);
  double *to = sl_builder_labels (builder, SL_LABELS_LABEL, labels.n);
  for (gint64 i = 0; i < labels.n; i++)
    {
      gsize length;
      const char *item = sl_text_get (labels.item, i, &length);
      gint64 at = i * labels.n_classes;
      if (!sl_control_make (control, item, length, labels.label + at,
                            labels.gold != NULL ? labels.gold[i] : -1, labels.n_classes, to + at))
        return sl_control_no_gold (item, length, batch->first_row + i + 1, error);
    }
  for (int c = 0; sl_labels.columns[c].name != NULL; c++)
    if (sl_table_has (batch->table, c) && c != SL_LABELS_LABEL)
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
  gboolean labels = table->kind == &sl_labels;
  const char *wrong = NULL;
  if (kind == SL_CONTROL_GOLD && !sl_table_has (table, sl_gold_column (table->kind)))
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
  SlTable *table = sl_table_new (&sl_labels, (const char *const *) in->classes);
  if (in->kind == &sl_labels)
    sl_table_take_columns (table, in, in->columns);
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
    return sl_permute_labels (run, table, error);
  return in->kind == &sl_labels ? from_labels (run, table, &control, error)
                                : sl_control_from_answers (run, table, &control, error);
}

static const SlKind *const reads[] = { &sl_labels, &sl_annotations, NULL };

const SlCommand sl_command_control = {
  .name = "control",
  .summary = "labels that say nothing new, to compare others with",
  .arguments = "[FILE…]",
  .reads = reads,
  .writes = &sl_labels,
  .flags = SL_COMMAND_SEEDED,
  SL_OPTIONS (option_table, defaults),
  .description
  = "Each row of labels gets another label; its item, annotator, weight and gold stay. Of "
    "annotations each item gets one label, of weight 1, for gold, uniform and random; attention "
    "checks and excluded annotators do not count.\n\n"
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
              "    random labels where there were some from people, gold elsewhere\n",
  .check = check_options,
  .run = run,
};
