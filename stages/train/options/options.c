/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options.h"

#include "pipeline/base/error.h"
#include "pipeline/command/options/option-rows.h"
#include "stages/common/answers/repeats.h"
#include "stages/common/files/model-file.h"
#include "stages/train/optimisers/optimiser.h"

#include <string.h>

const SlTrainOptions sl_train_defaults = {
  .mixup = -1,
  .mixed_share = 1,
  .of_loss
  = { .temperature = 1, .least = 0.7, .entropy = 1, .apart = 1e-5, .eta = 0.9, .volume = 1e-3 },
  .lr = 0.1,
  .momentum = 0.9,
  .beta1 = 0.9,
  .beta2 = 0.999,
  .weight_decay = 1e-4,
  .batch = 128,
  .clip = 1,
  .schedule = SL_SCHEDULE_COSINE,
  .warm_up = 1,
  .drop_factor = 0.1,
  .seeds = 1,
  .folds = 1,
};

static const char *const target_names[]
    = { "labels", "gold", "category", "uniform", "random", NULL };
static const char *const pool_names[] = { "sample", "mean", NULL };
static const char *const fill_names[] = { "none", "gold", NULL };
static const char *const reduction_names[] = { "mean", "sum", NULL };
static const char *const lambda_names[] = { "batch", "item", NULL };
static const char *const gradient_names[] = { "through", "detached", NULL };
static const char *const pairing_names[] = { "different", "any", NULL };
static const char *const crowd_names[] = { "mw", "vw", "vb", "vw+b", "sw", "conal", NULL };
static const char *const crowd_input_names[] = { "softmax", "logits", NULL };
static const char *const precision_names[] = { "float32", "bf16", NULL };
static const char *const normalise_names[] = { "data", "none", "cifar10", NULL };
static const char *const draw_names[] = { "epoch", "once", NULL };
static const char *const optimiser_names[] = { "sgd", "adam", "adamw", "radam", NULL };
static const char *const decay_names[] = { "all", "weights", NULL };
static const char *const schedule_names[] = { "constant", "step", "cosine", NULL };
static const char *const cosine_names[] = { "epoch", "batch", NULL };
static const char *const keep_names[] = { "last", "best", NULL };
static const char *const no_yes[] = { "no", "yes", NULL };
const char *const sl_train_presets[] = { "none",
                                         "uma2020",
                                         "uma2020-labelme",
                                         "collins2022",
                                         "thesis-mixture",
                                         "thesis-mixup",
                                         "peterson2019-scratch",
                                         "peterson2019-finetune",
                                         NULL };

#define OPTIONS SlTrainOptions

/* Scopes: with losses that have one of the traits HAS; with one of the choices ONE of another
 * option; with another option that is given. */
#define OF_LOSS(has) .with = "loss", .of = has
#define OF(option, one) .with = option, .of = one
#define BESIDE(option) .with = option
#define OF_SGD OF ("optimiser", 1 << SL_OPTIMISER_SGD)
#define OF_ADAM OF ("optimiser", ~(1u << SL_OPTIMISER_SGD))
#define OF_LABELS OF ("targets", 1 << SL_TRAIN_LABELS)
#define OF_SOFT OF ("targets", 1 << SL_TRAIN_LABELS | 1 << SL_TRAIN_CATEGORY)
#define OF_STEP OF ("schedule", 1 << SL_SCHEDULE_STEP)

const SlOption sl_train_option_table[] = {
  INPUT ("features", features, "FILE", "the examples: a table of features, one row an item"),
  TEXT ("model", model, "NAME",
        "the network, such as softmax, mlp:128,64 or resnet34a (see --list-models)"),
  CHOICE ("preset", preset, sl_train_presets,
          "a published protocol: fills in what the command line does not say"),
  FLAG ("list-models", list_models,
        "print the networks with their sizes, for examples as given or of 3x32x32, and stop"),
  CHOICE ("targets", targets, target_names,
          "what is learned: the labels; gold classes alone, without a table of labels; the mean "
          "label of the gold class; or, as controls, uniform or random ones",
          OF_LOSS (SL_LOSS_TARGETS)),
  CHOICE ("pool", pool, pool_names,
          "of an item with several labels: one, drawn by weight each time that it is met, or "
          "their mean",
          OF_LABELS),
  FLAG ("hard-sample", hard_sample, "draw a class from the label each time that it is met",
        OF_SOFT),
  FLAG ("hard", hard, "the label's largest class in its place", OF_SOFT),
  CHOICE ("fill", fill, fill_names, "items without a label are left out, or have their gold class",
          OF_LABELS),
  REAL ("label-smoothing", label_smoothing, 0, 0.999, "B", "every target t is (1 - B) t + B / K",
        OF ("targets", ~(1u << SL_TRAIN_UNIFORM))),
  INPUTS ("teacher", teacher, "FILE",
          "predictions to learn from in place of labels, of several networks their mean",
          OF_LABELS),
  REAL ("temperature", of_loss.temperature, 0.01, 1000, "T",
        "of teachers' and the network's softmax, in cross-entropy; above 1 the teachers' tables "
        "need logits",
        BESIDE ("teacher")),
  INPUT ("augment", augment, "FILE",
         "mixtures of items with labels, as examples beside the others; several rows of one "
         "mixture are its pool",
         OF_LOSS (SL_LOSS_TARGETS)),
  INPUT ("validation", validation, "FILE", "labels to validate with",
         BESIDE ("validation-features")),
  INPUT ("validation-features", validation_features, "FILE",
         "the examples of --validation, or with gold classes instead of it"),
  REAL ("validation-share", validation_share, 0, 0.9, "S",
        "the share of the items that is kept back for validation"),
  CHOICE ("loss", loss, sl_loss_names, "what is lowered", .meanings = sl_loss_summaries,
          .traits = sl_loss_traits, .placeholder = "LOSS"),
  CHOICE ("reduction", reduction, reduction_names, "a batch's loss is its examples' mean or sum"),
  REAL ("mixup", mixup, -1, 1e6, "A",
        "mix examples and targets, with annot-mix annotators too, lambda from Beta(A, A); 0: not; "
        "-1: 0.2 for ent-wc, 10 for mix-maxent, 1 for annot-mix, else not",
        OF_LOSS (SL_LOSS_TARGETS | SL_LOSS_PAIRS)),
  CHOICE ("mixup-lambda", mixup_lambda, lambda_names,
          "one lambda a batch, or one an item; of annot-mix, unless it is given, an item",
          OF_LOSS (SL_LOSS_MIXED | SL_LOSS_PAIRS), .or_with = "mixup"),
  INPUT ("mixup-curves", mixup_curves, "FILE",
         "let the share in the target be as people see it: curves of `simulate fit-mixup`",
         OF_LOSS (SL_LOSS_MIXED), .or_with = "mixup"),
  REAL ("ent-wc-least", of_loss.least, 0, 1, "W", "the least weight", OF_LOSS (SL_LOSS_WEIGHTED)),
  CHOICE ("ent-wc-gradient", of_loss.detached, gradient_names,
          "whether the gradient flows through the weight", OF_LOSS (SL_LOSS_WEIGHTED)),
  REAL ("entropy-weight", of_loss.entropy, 0, 1e6, "W", "of the entropy's part",
        OF_LOSS (SL_LOSS_ENTROPY)),
  REAL ("mixed-share", mixed_share, 0.01, 10, "S", "mixed examples for each other one of a batch",
        OF_LOSS (SL_LOSS_BESIDE)),
  CHOICE ("pairing", pairing, pairing_names, "the classes of what is mixed",
          OF_LOSS (SL_LOSS_BESIDE)),
  CHOICE ("crowd", of_loss.crowd, crowd_names, "what is learned of each annotator",
          OF_LOSS (SL_LOSS_LAYER)),
  CHOICE ("crowd-input", of_loss.of_logits, crowd_input_names, "what that is applied to",
          OF ("crowd", ~(1u << SL_CROWD_CONAL))),
  REAL ("conal-apart", of_loss.apart, 0, 1e6, "W",
        "how strongly annotators' own confusions are kept from the common one",
        OF ("crowd", 1 << SL_CROWD_CONAL)),
  REAL ("annotators-right", of_loss.eta, 0.001, 0.999, "P",
        "of annot-mix: how likely an annotator is right, before anything is learned",
        OF_LOSS (SL_LOSS_PAIRS)),
  SL_REPEATS_OPTION,
  TEXT ("annotator-columns", annotator_columns, "NAME,...",
        "attributes of annotators that annot-mix learns from, too: columns annotator.NAME of the "
        "answers; what is learned of them tells how strangers answer",
        OF_LOSS (SL_LOSS_PAIRS)),
  REAL ("volume-weight", of_loss.volume, 0, 1e6, "W",
        "of geo-reg-f: how strongly a batch's classes are kept apart", OF_LOSS (SL_LOSS_VOLUME)),
  REAL ("dropout", dropout, 0, 0.99, "P", "of mlp: the share of hidden units that is left out"),
  INPUT ("init", init, "FILE",
         "a model to begin with, whose network it is unless --model says so; its last layer is "
         "begun anew where the classes differ"),
  CHOICE ("precision", precision, precision_names,
          "bf16: values between layers in 16 bits, weights and sums in 32"),
  CHOICE ("normalise", normalise, normalise_names,
          "inputs, channel by channel, by the mean and deviation of the training data, not, or by "
          "those of CIFAR-10; the model keeps them, and with --init, unless it is given, they are "
          "that model's"),
  WHOLE ("crop", crop, 0, 1000, "N", "move images by up to N pixels; 0: not"),
  CHOICE ("flip", flip, no_yes, "mirror images, half of the time"),
  WHOLE ("cutout", cutout, 0, 1000, "N", "leave out a square of N pixels; 0: not"),
  CHOICE (
      "draw", draw, draw_names,
      "how --crop, --flip and --cutout change an image is drawn in every epoch, or once, before "
      "training"),
  CHOICE ("optimiser", optimiser, optimiser_names,
          "as PyTorch computes them; of softmax and mlp, unless it is given, adam"),
  REAL ("lr", lr, 0, 1e6, "R",
        "learning rate at the beginning; unless it is given, 0.01 of softmax and mlp, else 0.001 "
        "with all but sgd"),
  REAL ("momentum", momentum, 0, 0.9999, "M", "how much of the last step is taken along", OF_SGD),
  CHOICE ("nesterov", nesterov, no_yes, "Nesterov's momentum", OF_SGD),
  REAL ("beta1", beta1, 0, 0.9999, "B", "decay of the gradients' mean", OF_ADAM),
  REAL ("beta2", beta2, 0, 0.999999, "B", "decay of their squares' mean", OF_ADAM),
  REAL ("weight-decay", weight_decay, 0, 1e6, "W",
        "added to gradients, or with adamw to steps; of softmax and mlp with adam, unless it is "
        "given, 0"),
  CHOICE ("decay", decay, decay_names,
          "what decays: all parameters, as in PyTorch and the papers' code, or weights alone"),
  REAL (
      "clip", clip, 0, 1e9, "L",
      "scale gradients down to length L in all; 0: not; of softmax and mlp, unless it is given, 0"),
  WHOLE (
      "epochs", epochs, 0, 1e6, "N",
      "passes over the training data; 0: 30, or up to 300 where those make fewer than 600 steps"),
  WHOLE ("batch", batch, 1, 65536, "N", "examples in a batch"),
  CHOICE ("schedule", schedule, schedule_names,
          "how the learning rate goes on; with --preset constant, unless that says otherwise"),
  TEXT ("drops", drops, "E,E",
        "the epochs, from 0, at whose beginning the rate drops; the schedule is then step, unless "
        "it is given",
        OF_STEP),
  REAL ("drop-factor", drop_factor, 0, 1, "F", "what the rate is multiplied by", OF_STEP),
  CHOICE (
      "cosine-by", cosine_by, cosine_names,
      "whether the rate falls from epoch to epoch, as in the papers' code, or from batch to batch",
      OF ("schedule", 1 << SL_SCHEDULE_COSINE)),
  CHOICE ("reset-at-drop", reset_at_drop, no_yes, "the optimiser forgets, too", OF_STEP),
  REAL ("warm-up", warm_up, 0, 1e6, "E",
        "epochs in which the rate grows from 0; of softmax and mlp, unless it is given, 0"),
  CHOICE ("keep", keep, keep_names,
          "the model of the last epoch, or of the one with the best accuracy in validation"),
  WHOLE ("seeds", seeds, 1, 1000, "N",
         "train N runs, with this seed and the N - 1 numbers after it"),
  WHOLE ("folds", folds, 1, 1000, "N",
         "cross-validate: N runs, each trained without an N-th of the items; 1: not"),
  TEXTS ("grid", grid, "NAME=V,V",
         "train with each value of the option NAME and keep the best in validation; with --folds "
         "or --held-out each run chooses by a part of what it is trained on, and is then trained "
         "on all of it"),
  OUTPUT ("log", log, "FILE", "write a table with a row an epoch"),
  OUTPUT ("item-log", item_log, "FILE", "write a table with a row an item: how it was learned"),
  OUTPUT ("held-out", held_out, "FILE",
          "write predictions of the items that each run was not shown", .shapes_output = TRUE),
  OUTPUT ("confusion", confusion, "FILE", "write what was learned of each annotator",
          OF_LOSS (SL_LOSS_ANSWERS)),
  INPUT ("worth", worth, "FILE",
         "of annotations: a confusion table that says how much each answer counts",
         BESIDE ("item-log")),
  OUTPUT ("checkpoint", checkpoint, "FILE", "write all there is to go on from, after each epoch",
          .lands_early = TRUE),
  FLAG ("resume", resume, "go on from the checkpoint, where there is one", .unrecorded = TRUE,
        .with = "checkpoint"),
  { 0 },
};

gint64 *
sl_train_drops (const SlTrainOptions *options, gsize *n, GError **error)
{
  g_auto (GStrv) words = g_strsplit (options->drops != NULL ? options->drops : "", ",", -1);
  *n = g_strv_length (words);
  gint64 *drops = g_new (gint64, *n + 1);
  for (gsize i = 0; i < *n; i++)
    {
      guint64 epoch;
      if (g_ascii_string_to_unsigned (words[i], 10, 0, 1000000, &epoch, NULL)
          && (i == 0 || (gint64) epoch > drops[i - 1]))
        {
          drops[i] = (gint64) epoch;
          continue;
        }
      g_free (drops);
      (void) sl_error_usage (error, "--drops: '%s' is no list of growing epochs such as 51,56",
                             options->drops);
      return NULL;
    }
  return drops;
}

/* The options that --grid may vary: numbers that need no other network or data. */
static const char *const grid_names[]
    = { "lr",      "weight-decay", "momentum",       "mixup",  "label-smoothing", "clip",
        "dropout", "ent-wc-least", "entropy-weight", "epochs", "warm-up",         NULL };

static gboolean
in_grid (const SlTrainOptions *options, const char *name)
{
  g_autofree char *first = g_strdup_printf ("%s=", name);
  for (char **grid = options->grid; grid != NULL && *grid != NULL; grid++)
    if (g_str_has_prefix (*grid, first))
      return TRUE;
  return FALSE;
}

static gboolean
check_loss (const SlTrainOptions *o, GError **error)
{
  if (o->mixup < 0 && o->mixup != -1)
    return sl_error_usage (error, "--mixup is 0 or more, or -1");
  if (o->mixup == 0 && sl_losses[o->loss].traits & SL_LOSS_MIXED)
    return sl_error_usage (error, "--loss %s is of mixed examples: --mixup is above 0 there",
                           sl_loss_names[o->loss]);
  return TRUE;
}

static gboolean
check_grid_values (const SlTrainOptions *options, const char *name, const char *text,
                   GError **error)
{
  g_auto (GStrv) values = g_strsplit (text, ",", -1);
  SlTrainOptions trial = *options;
  for (char **value = values; *value != NULL; value++)
    {
      if (!sl_train_set (&trial, name, *value, error) || !check_loss (&trial, error))
        return FALSE;
      for (char **before = values; before < value; before++)
        if (g_ascii_strtod (*before, NULL) == g_ascii_strtod (*value, NULL))
          return sl_error_usage (error, "--grid: %s=%s is there twice", name, *value);
    }
  return TRUE;
}

static gboolean
check_grid (const SlOptions *given, GError **error)
{
  const SlTrainOptions *options = given->values;
  for (char **grid = options->grid; grid != NULL && *grid != NULL; grid++)
    {
      g_auto (GStrv) pair = g_strsplit (*grid, "=", 2);
      if (pair[0] == NULL || pair[1] == NULL || pair[1][0] == '\0')
        return sl_error_usage (error, "--grid: '%s' is not of the form lr=0.1,0.01", *grid);
      if (!g_strv_contains (grid_names, pair[0]))
        {
          g_autofree char *all = g_strjoinv (", ", (char **) grid_names);
          return sl_error_usage (error, "--grid: '%s' is none of the options that it varies: %s",
                                 pair[0], all);
        }
      g_autofree char *first = g_strdup_printf ("%s=", pair[0]);
      for (char **before = options->grid; before < grid; before++)
        if (g_str_has_prefix (*before, first))
          return sl_error_usage (error, "--grid %s is given twice: all its values go into one",
                                 pair[0]);
      if (sl_option_given (given, pair[0]))
        return sl_error_usage (error, "--%s and --grid %s exclude one another", pair[0], pair[0]);
      if (!check_grid_values (options, pair[0], pair[1], error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
check_data (const SlOptions *given, GError **error)
{
  const SlTrainOptions *o = given->values;
  if (o->features == NULL)
    return sl_error_usage (error, "--features FILE is needed: the examples, as `softlabel ingest` "
                                  "makes them of images, .npy or embeddings");
  if (o->model == NULL)
    return sl_error_usage (error, "--model NAME is needed; --list-models names all");
  if (sl_model_find (o->model, error) == NULL)
    return FALSE;
  if (o->validation_share > 0 && o->validation_features != NULL)
    return sl_error_usage (error, "--validation-share and --validation-features exclude one "
                                  "another");
  if (o->validation_share > 0 && o->folds > 1)
    return sl_error_usage (error, "--validation-share and --folds exclude one another: each fold "
                                  "validates with what it leaves out");
  return TRUE;
}

/* What would do nothing beside the others, or would not do, and is not said in the option table. */
static gboolean
check_use (const SlOptions *given, GError **error)
{
  const SlTrainOptions *o = given->values;
  guint32 traits = sl_losses[o->loss].traits;
  gboolean mixes
      = o->mixup > 0 || in_grid (o, "mixup") || (o->mixup < 0 && sl_losses[o->loss].alpha > 0);
  gboolean decays = o->weight_decay > 0 || in_grid (o, "weight-decay");
  const struct
  {
    const char *name;
    gboolean applies;
    const char *rule;
  } rules[] = {
    { "temperature", (traits & SL_LOSS_TEMPERED) != 0, "goes with --loss cross-entropy only" },
    { "pool", o->teacher == NULL, "does not go with --teacher: of teachers it is the mean" },
    { "hard", !o->hard_sample, "and --hard-sample exclude one another" },
    { "dropout", g_str_has_prefix (o->model, "mlp"), "goes with --model mlp only" },
    { "draw", o->crop > 0 || o->flip || o->cutout > 0,
      "goes with --crop, --flip or --cutout only" },
    { "decay", decays, "goes with --weight-decay above 0 only" },
    { "item-log", traits & SL_LOSS_BESIDE || !mixes,
      "goes neither with --mixup nor with --loss ent-wc, and with annot-mix only beside --mixup 0: "
      "items are seen only mixed with others" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rules); i++)
    if (sl_option_given (given, rules[i].name) && !rules[i].applies)
      return sl_error_usage (error, "--%s %s", rules[i].name, rules[i].rule);
  return TRUE;
}

static gboolean
check_runs (const SlOptions *given, GError **error)
{
  const SlTrainOptions *o = given->values;
  gboolean validated = o->validation_features != NULL || o->validation_share > 0 || o->folds > 1;
  if (o->keep == 1 && !validated)
    return sl_error_usage (error,
                           "--keep best%s%s needs --validation-features or "
                           "--validation-share",
                           sl_option_given (given, "keep") ? "" : " of --preset ",
                           sl_option_given (given, "keep") ? "" : sl_train_presets[o->preset]);
  if (o->keep == 1 && o->held_out != NULL && o->validation_features == NULL)
    return sl_error_usage (error, "--held-out: with --keep best the epoch is chosen by the items "
                                  "that are held out, so what it says of them is too good; "
                                  "--keep last, or --validation-features, does without them");
  if (o->grid != NULL && !validated)
    return sl_error_usage (error, "--grid needs --validation-features, --validation-share or "
                                  "--folds to choose by");
  if (o->held_out != NULL && o->folds == 1 && o->validation_share == 0)
    return sl_error_usage (error, "--held-out needs --folds or --validation-share: else all items "
                                  "are shown");
  if (o->schedule == 1 && o->drops == NULL)
    return sl_error_usage (error, "--schedule step needs --drops E,E: when the rate drops");
  if (o->nesterov && o->momentum == 0)
    return sl_error_usage (error, "--nesterov goes with a momentum above 0 only");
  return TRUE;
}

/* Without --model the network is that of --init: what is settled by the network asks for it. */
static gboolean
take_model_of_init (SlTrainOptions *options, GError **error)
{
  if (options->model != NULL || options->init == NULL || strcmp (options->init, "-") == 0)
    return TRUE;
  options->model = sl_model_network_of (options->init, error);
  return options->model != NULL;
}

gboolean
sl_train_settle (SlOptions *given, GError **error)
{
  SlTrainOptions *options = given->values;
  if (options->list_models)
    return TRUE;
  if (!take_model_of_init (options, error) || !check_grid (given, error))
    return FALSE;
  for (char **grid = options->grid; grid != NULL && *grid != NULL; grid++)
    {
      g_autofree char *name = g_strndup (*grid, strcspn (*grid, "="));
      sl_train_mark_given (given, name);
    }
  return sl_train_fill_preset (given, error);
}

gboolean
sl_train_check (SlOptions *given, GError **error)
{
  SlTrainOptions *options = given->values;
  if (options->list_models)
    return options->model == NULL || sl_model_find (options->model, error) != NULL;
  if (!check_data (given, error) || !check_loss (options, error) || !check_use (given, error)
      || !check_runs (given, error))
    return FALSE;
  gsize n;
  g_autofree gint64 *drops = sl_train_drops (options, &n, error);
  return drops != NULL;
}
