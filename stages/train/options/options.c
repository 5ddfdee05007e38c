/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options.h"

const SlTrainOptions sl_train_defaults = {
  .temperature = 1,
  .mixup = -1,
  .least_weight = 0.7,
  .entropy_weight = 1,
  .mixed_share = 1,
  .conal_apart = 1e-5,
  .lr = 0.1,
  .momentum = 0.9,
  .beta1 = 0.9,
  .beta2 = 0.999,
  .weight_decay = 1e-4,
  .batch = 128,
  .drop_factor = 0.1,
  .seeds = 1,
  .folds = 1,
};

static const char *const target_names[]
    = { "labels", "gold", "category", "uniform", "random", NULL };
static const char *const pool_names[] = { "sample", "mean", NULL };
static const char *const fill_names[] = { "none", "gold", NULL };
static const char *const loss_names[] = { "cross-entropy", "ent-wc", "mix-maxent", "crowd", NULL };
static const char *const reduction_names[] = { "mean", "sum", NULL };
static const char *const lambda_names[] = { "batch", "item", NULL };
static const char *const gradient_names[] = { "through", "detached", NULL };
static const char *const pairing_names[] = { "different", "any", NULL };
static const char *const crowd_names[] = { "mw", "vw", "vb", "vw+b", "sw", "conal", NULL };
static const char *const crowd_input_names[] = { "softmax", "logits", NULL };
static const char *const precision_names[] = { "float32", "bf16", NULL };
static const char *const normalise_names[] = { "data", "none", "cifar10", NULL };
static const char *const optimiser_names[] = { "sgd", "adam", "adamw", NULL };
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

#define FIELD(f) .field = offsetof (SlTrainOptions, f)
#define CHOICE(n, f, c, h)                                                                         \
  {                                                                                                \
    .name = n, .kind = SL_OPTION_CHOICE, FIELD (f), .choices = c, .help = h                        \
  }
#define REAL(n, f, lo, hi, p, h)                                                                   \
  {                                                                                                \
    .name = n, .kind = SL_OPTION_REAL, FIELD (f), .min = lo, .max = hi, .placeholder = p,          \
    .help = h                                                                                      \
  }
#define WHOLE(n, f, lo, hi, h)                                                                     \
  {                                                                                                \
    .name = n, .kind = SL_OPTION_INTEGER, FIELD (f), .min = lo, .max = hi, .placeholder = "N",     \
    .help = h                                                                                      \
  }
#define FLAG(n, f, h)                                                                              \
  {                                                                                                \
    .name = n, .kind = SL_OPTION_FLAG, FIELD (f), .help = h                                        \
  }
#define INPUT(n, f, h)                                                                             \
  {                                                                                                \
    .name = n, .kind = SL_OPTION_INPUT, FIELD (f), .placeholder = "FILE", .help = h                \
  }
#define OUTPUT(n, f, h)                                                                            \
  {                                                                                                \
    .name = n, .kind = SL_OPTION_OUTPUT, FIELD (f), .placeholder = "FILE", .help = h               \
  }
#define TEXT(n, k, f, p, h)                                                                        \
  {                                                                                                \
    .name = n, .kind = k, FIELD (f), .placeholder = p, .help = h                                   \
  }

const SlOption sl_train_option_table[] = {
  INPUT ("features", features, "the examples: a table of features, one row an item"),
  TEXT ("model", SL_OPTION_TEXT, model, "NAME",
        "the network, such as softmax, mlp:128,64 or resnet34a (see --list-models)"),
  CHOICE ("preset", preset, sl_train_presets,
          "a published protocol: fills in what the command line does not say"),
  FLAG ("list-models", list_models,
        "print the networks with their sizes, for examples as given or of 3x32x32, and stop"),
  CHOICE ("targets", targets, target_names,
          "what is learned: the labels; gold classes alone, without a table of labels; the mean "
          "label of the gold class; or, as controls, uniform or random ones"),
  CHOICE ("pool", pool, pool_names,
          "of an item with several labels: one, drawn by weight each time that it is met, or "
          "their mean"),
  FLAG ("hard-sample", hard_sample, "draw a class from the label each time that it is met"),
  FLAG ("hard", hard, "the label's largest class in its place"),
  CHOICE ("fill", fill, fill_names, "items without a label are left out, or have their gold class"),
  REAL ("label-smoothing", label_smoothing, 0, 0.999, "B", "every target t is (1 - B) t + B / K"),
  TEXT ("teacher", SL_OPTION_INPUTS, teacher, "FILE",
        "predictions to learn from in place of labels, of several networks their mean"),
  REAL ("temperature", temperature, 0.01, 1000, "T",
        "of teachers' and the network's softmax; above 1 the teachers' tables need logits"),
  INPUT ("augment", augment,
         "mixtures of items with labels, as examples beside the others; several rows of one "
         "mixture are its pool"),
  INPUT ("validation", validation, "labels to validate with"),
  INPUT ("validation-features", validation_features,
         "the examples of --validation, or with gold classes instead of it"),
  REAL ("validation-share", validation_share, 0, 0.9, "S",
        "the share of the items that is kept back for validation"),
  CHOICE ("loss", loss, loss_names,
          "cross-entropy; of mixup, weighted by entropy, or with the entropy of mixed examples "
          "raised; or of single annotators' answers"),
  CHOICE ("reduction", reduction, reduction_names, "a batch's loss is its examples' mean or sum"),
  REAL ("mixup", mixup, -1, 1e6, "A",
        "mix examples and targets, lambda from Beta(A, A); 0: not; -1: 0.2 for ent-wc, 10 for "
        "mix-maxent, else not"),
  CHOICE ("mixup-lambda", mixup_lambda, lambda_names, "one lambda a batch, or one an item"),
  INPUT ("mixup-curves", mixup_curves,
         "let the share in the target be as people see it: curves of `simulate fit-mixup`"),
  REAL ("ent-wc-least", least_weight, 0, 1, "W", "of ent-wc: the least weight"),
  CHOICE ("ent-wc-gradient", weight_gradient, gradient_names,
          "of ent-wc: whether the gradient flows through the weight"),
  REAL ("entropy-weight", entropy_weight, 0, 1e6, "W", "of mix-maxent: of the entropy's part"),
  REAL ("mixed-share", mixed_share, 0.01, 10, "S",
        "of mix-maxent: mixed examples for each other one of a batch"),
  CHOICE ("pairing", pairing, pairing_names, "of mix-maxent: the classes of what is mixed"),
  CHOICE ("crowd", crowd, crowd_names, "of crowd: what is learned of each annotator"),
  CHOICE ("crowd-input", crowd_input, crowd_input_names, "of crowd: what that is applied to"),
  REAL ("conal-apart", conal_apart, 0, 1e6, "W",
        "of conal: how strongly annotators' own confusions are kept from the common one"),
  REAL ("dropout", dropout, 0, 0.99, "P", "of mlp: the share of hidden units that is left out"),
  INPUT ("init", init,
         "a model to begin with, whose network it is unless --model says so; its last layer is "
         "begun anew where the classes differ"),
  CHOICE ("precision", precision, precision_names,
          "bf16: values between layers in 16 bits, weights and sums in 32"),
  CHOICE ("normalise", normalise, normalise_names,
          "inputs, channel by channel, by the mean and deviation of the training data, not, or by "
          "those of CIFAR-10; the model keeps them, and with --init, unless it is given, they are "
          "that model's"),
  WHOLE ("crop", crop, 0, 1000, "move images by up to N pixels, drawn each time; 0: not"),
  CHOICE ("flip", flip, no_yes, "mirror images, half of the time"),
  WHOLE ("cutout", cutout, 0, 1000, "leave out a square of N pixels, drawn each time; 0: not"),
  CHOICE ("optimiser", optimiser, optimiser_names,
          "as PyTorch computes them; of softmax and mlp, unless it is given, adam"),
  REAL ("lr", lr, 0, 1e6, "R",
        "learning rate at the beginning; of softmax and mlp with adam, unless it is given, 0.01"),
  REAL ("momentum", momentum, 0, 0.9999, "M", "of sgd"),
  CHOICE ("nesterov", nesterov, no_yes, "of sgd"),
  REAL ("beta1", beta1, 0, 0.9999, "B", "of adam and adamw"),
  REAL ("beta2", beta2, 0, 0.999999, "B", "of adam and adamw"),
  REAL ("weight-decay", weight_decay, 0, 1e6, "W",
        "added to gradients, or with adamw to steps; of softmax and mlp with adam, unless it is "
        "given, 0"),
  CHOICE ("decay", decay, decay_names,
          "what decays: all parameters, as in PyTorch and the papers' code, or weights alone"),
  REAL ("clip", clip, 0, 1e9, "L", "scale gradients down to length L in all; 0: not"),
  WHOLE (
      "epochs", epochs, 0, 1e6,
      "passes over the training data; 0: 30, or up to 300 where those make fewer than 600 steps"),
  WHOLE ("batch", batch, 1, 65536, "examples in a batch"),
  CHOICE ("schedule", schedule, schedule_names, "how the learning rate goes on"),
  TEXT ("drops", SL_OPTION_TEXT, drops, "E,E",
        "of step: the epochs, from 0, at whose beginning the rate drops"),
  REAL ("drop-factor", drop_factor, 0, 1, "F", "of step: what the rate is multiplied by"),
  CHOICE ("cosine-by", cosine_by, cosine_names,
          "of cosine: whether the rate falls from epoch to epoch, as in the papers' code, or from "
          "batch to batch"),
  CHOICE ("reset-at-drop", reset_at_drop, no_yes, "of step: the optimiser forgets, too"),
  REAL ("warm-up", warm_up, 0, 1e6, "E", "epochs in which the rate grows from 0"),
  CHOICE ("keep", keep, keep_names,
          "the model of the last epoch, or of the one with the best accuracy in validation"),
  WHOLE ("seeds", seeds, 1, 1000, "train N runs, with this seed and the N - 1 numbers after it"),
  WHOLE ("folds", folds, 1, 1000,
         "cross-validate: N runs, each trained without an N-th of the items; 1: not"),
  TEXT ("grid", SL_OPTION_TEXTS, grid, "NAME=V,V",
        "train with each value of the option NAME and keep the best in validation"),
  OUTPUT ("log", log, "write a table with a row an epoch"),
  OUTPUT ("item-log", item_log, "write a table with a row an item: how it was learned"),
  OUTPUT ("held-out", held_out, "write predictions of the items that each run was not shown"),
  OUTPUT ("confusion", confusion, "of crowd: write what was learned of each annotator"),
  INPUT ("worth", worth,
         "for --item-log of annotations: a confusion table that says how much each answer counts"),
  { .name = "checkpoint",
    .kind = SL_OPTION_OUTPUT,
    FIELD (checkpoint),
    .placeholder = "FILE",
    .lands_early = TRUE,
    .help = "write all there is to go on from, after each epoch" },
  { .name = "resume",
    .kind = SL_OPTION_FLAG,
    FIELD (resume),
    .unrecorded = TRUE,
    .help = "go on from the checkpoint, where there is one" },
  { 0 },
};
