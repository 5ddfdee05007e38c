/* SPDX-License-Identifier: GPL-3.0-or-later */
/* simulate mixup: labels, or mixtures, in; mixtures with their labels out. Zhang, Cisse, Dauphin,
 * Lopez-Paz, ICLR 2018; Collins, MPhil thesis, Cambridge 2022, chapter 4 and appendix C. Formulas:
 * mixing.c. */
#include "mixtures/mixup.h"

#include "pipeline/command/options/option-rows.h"
#include "schemas/labels.h"
#include "schemas/mixtures.h"

typedef struct
{
  int target;   /* SlMixupTarget */
  double alpha; /* 0, or [LEAST_ALPHA, 1e6] */
  gint64 rounds;
  int design; /* 1: the thesis' */
  gint64 pairs;
  char *model;
  double smoothing; /* [0, 1) */
  gboolean exact_at_1;
} Options;

static const Options defaults = { .alpha = 1, .rounds = 1, .pairs = 6 };

/* With a smaller alpha nearly all shares are 0 or 1. */
#define LEAST_ALPHA 1e-3

static const char *const target_names[] = { "linear", "logistic", "human", "mean", NULL };

enum
{
  DESIGN_CIRCLE,
  DESIGN_THESIS,
};

#define OPTIONS Options

static const SlOption option_table[] = {
  CHOICE ("design", design, WORDS ("circle", "thesis"),
          "of labels: mix every item with another one; or, of labels of one class each, as for "
          "people to look at (Collins 2022), --pairs items of every two classes, each at lambda "
          "0.5, one of 0.1 and 0.25, and one of 0.75 and 0.9"),
  WHOLE ("pairs", pairs, 1, 1e6, "N",
         "so many pairs of items for every two classes; 6, of ten classes, make the published 810",
         .with = "design", .of = 1 << DESIGN_THESIS),
  REAL ("alpha", alpha, 0, 1e6, "A",
        "of labels: draw lambda, the share of the first item, from Beta(A, A); 0: lambda is 1",
        .with = "design", .of = 1 << DESIGN_CIRCLE),
  WHOLE ("rounds", rounds, 1, 1e9, "N",
         "of labels: make N mixtures for each item, with a partner that is drawn each time: it may "
         "come again",
         .with = "design", .of = 1 << DESIGN_CIRCLE),
  CHOICE ("target", target, target_names,
          "the share in the label. linear: lambda itself; logistic, of labels of one class each: "
          "lambda through the curves of --model; human: the share that each person saw; mean: the "
          "mean of what people saw. The last two are of mixtures that people judged"),
  INPUT ("model", model, "FILE", "the curves, from `softlabel simulate fit-mixup`",
         .with = "target", .of = 1 << SL_MIXUP_LOGISTIC),
  REAL ("confidence-smoothing", smoothing, 0, 0.999, "G",
        "label smoothing by confidence: of a person with confidence c, spread the part G^c of the "
        "label evenly over all classes; 0.005 is published; 0: none",
        .with = "target", .of = 1 << SL_MIXUP_HUMAN | 1 << SL_MIXUP_MEAN),
  FLAG ("exact-at-1", exact_at_1, "make that part (G^c - G) / (1 - G), which is 0 at confidence 1",
        .with = "confidence-smoothing"),
  { 0 },
};

static gboolean
is_of_people (const Options *options)
{
  return options->target == SL_MIXUP_HUMAN || options->target == SL_MIXUP_MEAN;
}

static gboolean
makes_parts (const SlOptions *given)
{
  const Options *options = given->values;
  return !is_of_people (options) && options->design != DESIGN_THESIS;
}

static gboolean
check_options (SlOptions *given, GError **error)
{
  const Options *options = given->values;
  if (options->alpha != 0 && options->alpha < LEAST_ALPHA)
    return sl_error_usage (error, "--alpha is 0, or 0.001 or more");
  if (options->target == SL_MIXUP_LOGISTIC && options->model == NULL)
    return sl_error_usage (error,
                           "--target logistic needs curves: --model FILE, from `softlabel simulate "
                           "fit-mixup`");
  return TRUE;
}

static gboolean
check_input (const SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  const SlTable *in = sl_reader_table (run->in);
  if (in->kind == &sl_labels)
    return is_of_people (options) ? sl_error_usage (
               error, "--target human and mean need people's answers about mixtures, not "
                      "labels: `softlabel ingest --from mixup`")
                                  : sl_labels_check_whole (in, sl_reader_name (run->in), error);
  if (sl_option_given (run->options, "alpha") || sl_option_given (run->options, "rounds")
      || options->design == DESIGN_THESIS)
    return sl_error_usage (
        error, "--alpha, --rounds and --design go with labels only: the input is of mixtures "
               "already");
  return TRUE;
}

static gboolean
read_model (SlMixModel *model, SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  static const SlKind *const kinds[] = { &sl_simulator, NULL };
  g_autoptr (SlReader) reader = sl_run_open (run, "model", options->model, kinds, error);
  return reader != NULL && sl_mix_model_read (model, reader, sl_reader_table (run->in), error);
}

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  const SlTable *in = sl_reader_table (run->in);
  g_auto (SlMixModel) model;
  sl_mix_model_init (&model);
  if (!check_input (run, error) || (options->model != NULL && !read_model (&model, run, error)))
    return FALSE;
  const SlMixup mixup = { .target = (SlMixupTarget) options->target,
                          .alpha = options->alpha,
                          .rounds = options->rounds,
                          .pairs = options->pairs,
                          .gamma = options->smoothing,
                          .exact_at_1 = options->exact_at_1,
                          .model = options->model != NULL ? &model : NULL };
  if (in->kind == &sl_labels)
    return (options->design == DESIGN_THESIS ? sl_mixup_design : sl_mixup_items) (&mixup, run,
                                                                                  error);
  gint64 from, to;
  sl_run_part (run, G_MAXINT32, &from, &to);
  if (to - from < G_MAXINT32)
    return sl_error_usage (error, "--shard: mixtures get their labels in one run; what is made in "
                                  "parts is mixtures of items, or --target human");
  return options->target == SL_MIXUP_HUMAN ? sl_mixup_answers (&mixup, run, error)
                                           : sl_mixup_mixtures (&mixup, run, error);
}

static const SlKind *const reads[] = { &sl_labels, &sl_mixtures, NULL };

const SlCommand sl_command_simulate_mixup = {
  .name = "simulate mixup",
  .summary = "mix items in pairs, with labels by share or as people see them",
  .arguments = "[FILE…]",
  .reads = reads,
  .writes = &sl_mixtures,
  .flags = SL_COMMAND_SEEDED,
  SL_OPTIONS (option_table, defaults),
  .description
  = "Of labels, one an item, each item is mixed with another one. The output has one row a "
    "mixture: its name, the two items, their classes where the labels are certain, the share "
    "lambda of the first item, and the label. The label is lambda y1 + (1 - lambda) y2 "
    "(linear). With logistic, which takes certain labels, the curve of the two classes says "
    "the share in place of lambda; pairs without a curve keep lambda. Training code mixes "
    "the examples by lambda.\n\n"
    "For each round the items are put into a circle, in an order that is drawn; an item's "
    "partner is the next one. So in a round each item is once first and once second. What is "
    "drawn depends on the seed, the round and the item's name. It does not depend on the "
    "order of rows or on threads, and one item more changes one pair. The first rounds are "
    "the same however many follow.\n\n"
    "Of mixtures that people have judged (`softlabel ingest --from mixup`), linear and "
    "logistic write one row a mixture, from lambda. mean writes one row a mixture, from the "
    "mean of what people saw and of how sure they were. human writes one row an answer, each "
    "a target of its own. The label is s e1 + (1 - s) e2 with share s, where e1 is the first "
    "class and e2 the second; --confidence-smoothing smooths it. Mixtures are joined by "
    "their names.\n\n"
    "With --shard I/N all items are read, and part I of N of their mixtures is made: the parts, "
    "one after the other, are what one run makes.\n\n"
    "Memory: items × classes; of mixtures 100 bytes each, and 50 bytes an answer (mean), or "
    "one batch (human).",
  .examples
  = "softlabel simulate mixup --alpha 0.2 --rounds 10 labels.parquet -o mixed.parquet\n"
    "    plain mixup: ten mixtures an item\n"
    "softlabel simulate mixup --target logistic --model curves.parquet hard.parquet\n"
    "    the same with labels as people would see the mixtures\n"
    "softlabel simulate mixup --design thesis hard.parquet -o stimuli.parquet\n"
    "    mixtures for `softlabel survey --task mixture`\n"
    "softlabel ingest --from mixup answers.csv \\\n"
    "  | softlabel simulate mixup --target human --confidence-smoothing 0.005 -o separate.parquet\n"
    "    every answer about a mixture as a soft label\n",
  .check = check_options,
  .parts = makes_parts,
  .run = run,
};
