/* SPDX-License-Identifier: GPL-3.0-or-later */
/* train: labels or annotations, and features, in; a network out. Peterson et al., ICCV 2019; Uma et
 * al., HCOMP 2020; Collins, Bhatt & Weller, HCOMP 2022; Collins, MPhil thesis, Cambridge 2022;
 * Rodrigues & Pereira, AAAI 2018; Chu, Ma, Wang, AAAI 2021; Herde et al., ECAI 2024. Formulas:
 * stages/common/losses/. */
#include "outputs/outputs.h"
#include "runs/set-up.h"
#include "schemas/annotations.h"
#include "schemas/labels.h"
#include "stages/common/answers/repeats.h"
#include "stages/common/mixtures/mixup-model.h"

#include <string.h>

/* What the run holds for all of its parts. */
typedef struct
{
  SlTrainData data;
  SlModelFile init;
  SlMixModel curves;
  SlItemFigures items;
  double *worth;
  float *mean, *std;
  SlTrainRuns runs;
} Train;

static void
train_clear (Train *train)
{
  sl_train_data_clear (&train->data);
  if (train->init.file.path != NULL)
    sl_model_file_clear (&train->init);
  sl_mix_model_clear (&train->curves);
  sl_item_figures_clear (&train->items);
  sl_run_grid_clear (&train->runs.grid);
  sl_results_clear (&train->runs.results);
  g_free (train->worth);
  g_free (train->mean);
  g_free (train->std);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Train, train_clear)

/* Whether inputs are normalised as in the model of --init, which has learned from such. */
static gboolean
normalised_by_init (const Train *train, const SlRun *run)
{
  const SlTrainOptions *options = run->options->values;
  return options->init != NULL && !sl_option_given (run->options, "normalise")
         && train->init.header.channels == train->data.features.examples.channels;
}

/* What inputs are divided by, if anything. */
static void
choose_normalisation (Train *train, const SlRun *run)
{
  const SlTrainOptions *options = run->options->values;
  static const float mean[] = { .4914f, .4822f, .4465f }, std[] = { .2023f, .1994f, .2010f };
  const SlExamples *examples = &train->data.features.examples;
  int how = options->normalise;
  gsize n = (gsize) examples->channels, n_used = 0;
  if (normalised_by_init (train, run))
    {
      train->mean = g_memdup2 (train->init.header.mean, n * sizeof (float));
      train->std = g_memdup2 (train->init.header.std, n * sizeof (float));
      return;
    }
  if (how == SL_TRAIN_NORMALISE_NONE)
    return;
  train->mean = g_new (float, n);
  train->std = g_new (float, n);
  if (how == SL_TRAIN_NORMALISE_CIFAR10)
    {
      memcpy (train->mean, mean, sizeof mean);
      memcpy (train->std, std, sizeof std);
      return;
    }
  g_autofree gint32 *which = g_new (gint32, examples->n);
  SlTargets targets = sl_train_data_targets (&train->data, options, 0);
  for (gint32 i = 0; i < examples->n; i++)
    if (sl_target_exists (&targets, train->data.cases[i].pool, train->data.cases[i].gold))
      which[n_used++] = i;
  sl_examples_statistics (examples, which, n_used, run->threads, train->mean, train->std);
}

static gboolean
check_images (const Train *train, const SlRun *run, GError **error)
{
  const SlTrainOptions *options = run->options->values;
  const SlExamples *examples = &train->data.features.examples;
  gboolean image = examples->height > 1 && examples->width > 1;
  if (options->normalise == SL_TRAIN_NORMALISE_CIFAR10 && !normalised_by_init (train, run)
      && (!examples->pixels || examples->channels != 3))
    return sl_error_usage (
        error,
        "--normalise cifar10%s%s is for colour images of bytes; others "
        "take --normalise data",
        sl_option_given (run->options, "normalise") ? "" : " of --preset ",
        sl_option_given (run->options, "normalise") ? "" : sl_train_presets[options->preset]);
  if (!image && (options->crop > 0 || options->flip || options->cutout > 0))
    return sl_error_usage (error, "--crop, --flip and --cutout are for images; %s has vectors",
                           options->features);
  int side = MIN (examples->height, examples->width);
  if (image && options->crop > side)
    return sl_error_usage (error,
                           "--crop %" G_GINT64_FORMAT ": images of %d × %d do not move so far",
                           options->crop, examples->height, examples->width);
  if (image && options->cutout >= side)
    return sl_error_usage (error,
                           "--cutout %" G_GINT64_FORMAT ": images of %d × %d would be left out",
                           options->cutout, examples->height, examples->width);
  return TRUE;
}

static gboolean
read_curves (Train *train, SlRun *run, const SlTrainOptions *options, GError **error)
{
  static const SlKind *const kinds[] = { &sl_simulator, NULL };
  sl_mix_model_init (&train->curves);
  if (options->mixup_curves == NULL)
    return TRUE;
  g_autoptr (SlTable) classes
      = sl_table_new (&sl_labels, (const char *const *) train->data.classes);
  g_autoptr (SlReader) reader
      = sl_run_open (run, "mixup-curves", options->mixup_curves, kinds, error);
  return reader != NULL && sl_mix_model_read (&train->curves, reader, classes, error);
}

static double
share_of (gpointer curves, gint32 first, gint32 second, double lambda)
{
  return sl_mix_model_share (curves, first, second, lambda);
}

/* Where no layer is normalised, annot-mix's confusions learn answers before the network learns
 * classes. */
static void
warn_of_confusions (SlRun *run, const SlTrainOptions *options)
{
  gboolean plain = strcmp (options->model, "softmax") == 0
                   || (g_str_has_prefix (options->model, "mlp")
                       && !g_str_has_prefix (options->model, "mlp-bn"));
  if (plain && sl_losses[options->loss].traits & SL_LOSS_PAIRS)
    sl_run_warn (run,
                 "--loss %s: without batch normalisation confusions may be learned in place of "
                 "classes; --model mlp-bn has it",
                 sl_losses[options->loss].name);
}

static gboolean
begin (Train *train, SlRun *run, const SlTrainOptions *options, GError **error)
{
  SlTrainRuns *runs = &train->runs;
  sl_results_init (&runs->results);
  if (!sl_run_grid_init (&runs->grid, options, error)
      || !sl_train_data_read (&train->data, run, error)
      || (options->init != NULL
          && (!sl_model_read (&train->init, run, "init", options->init, error)
              || !sl_run_add_tags (run, options->init, &train->init.tags, error)))
      || !check_images (train, run, error) || !read_curves (train, run, options, error)
      || !sl_item_log_begin (&train->items, &train->data, &train->worth, error))
    return FALSE;
  choose_normalisation (train, run);
  warn_of_confusions (run, options);
  runs->run = run;
  runs->items = options->item_log != NULL ? &train->items : NULL;
  runs->common = (SlTrainPlan){ .data = &train->data,
                                .options = *options,
                                .seed = run->seed,
                                .init = options->init != NULL ? &train->init : NULL,
                                .mean = train->mean,
                                .std = train->std,
                                .share = options->mixup_curves != NULL ? share_of : NULL,
                                .curves = &train->curves };
  return TRUE;
}

static gboolean
write_tables (Train *train, SlRun *run, const SlTrainOptions *options, GError **error)
{
  const SlTrainRuns *runs = &train->runs;
  return (options->log == NULL
          || sl_write_log (run, options->log, &runs->results, &runs->grid, error))
         && (options->item_log == NULL
             || sl_item_log_write (run, options->item_log, &train->data, &train->items, error))
         && (options->held_out == NULL
             || sl_write_held_out (run, options->held_out, &train->data, &runs->results, error))
         && (options->confusion == NULL
             || sl_learned_confusion_write (run, options->confusion, &train->data, &runs->results,
                                            error));
}

static void
append_number (GString *line, double n)
{
  const char *unit = n >= 1e9 ? "G" : n >= 1e6 ? "M" : n >= 1e3 ? "k" : "";
  double by = n >= 1e9 ? 1e9 : n >= 1e6 ? 1e6 : n >= 1e3 ? 1e3 : 1;
  g_autofree char *text = g_strdup_printf (n >= 1e3 ? "%.3g%s" : "%.0f%s", n / by, unit);
  g_string_append_printf (line, "  %8s", text);
}

static void
print_model (SlRun *run, const char *name, const char *summary, SlNetworkPlan plan)
{
  g_autoptr (GString) line = g_string_new (NULL);
  g_autoptr (GError) problem = NULL;
  SlNetworkSize size;
  plan.model = name;
  g_string_append_printf (line, "%-22s", name);
  if (!sl_network_size (&plan, &size, &problem))
    g_string_append_printf (line, "  not for this shape: %s", problem->message);
  else
    {
      append_number (line, (double) size.n_parameters);
      append_number (line, size.multiply_adds);
      append_number (line, (double) size.bytes_training);
      append_number (line, (double) size.bytes_prediction);
      g_string_append_printf (line, "  %s", summary);
    }
  sl_run_printf (run, "%s\n", line->str);
}

static gboolean
list_models (SlRun *run, const SlTrainOptions *options, GError **error)
{
  g_auto (SlFeatureSet) set = { 0 };
  SlExamples examples = { .channels = 3, .height = 32, .width = 32 };
  gsize k = 10;
  if (options->features != NULL)
    {
      if (!sl_feature_set_read (&set, run, "features", options->features, error))
        return FALSE;
      examples = set.examples;
      k = MAX ((gsize) set.table->n_classes, 2);
    }
  sl_run_printf (run,
                 "inputs %dx%dx%d, %" G_GSIZE_FORMAT " classes, batches of %" G_GINT64_FORMAT "\n"
                 "%-22s  %8s  %8s  %8s  %8s\n",
                 examples.channels, examples.height, examples.width, k, options->batch, "network",
                 "numbers", "mult-adds", "training", "predicting");
  SlNetworkPlan plan
      = sl_network_plan_of (options, &examples, k, (int) options->batch, run->threads);
  if (options->model != NULL)
    {
      print_model (run, options->model, sl_model_find (options->model, NULL)->summary, plan);
      return TRUE;
    }
  for (const SlModelInfo *info = sl_models; info->name != NULL; info++)
    print_model (run, info->name, info->summary, plan);
  return TRUE;
}

static gboolean
run (SlRun *run, GError **error)
{
  const SlTrainOptions *options = run->options->values;
  if (options->list_models)
    return list_models (run, options, error);
  g_auto (Train) train = { 0 };
  if (!begin (&train, run, options, error) || !sl_train_runs (&train.runs, error))
    return FALSE;
  if (train.runs.grid.n_points > 1 && !train.runs.grid.inside)
    {
      const SlRunResult *best = g_ptr_array_index (train.runs.results.done, 0);
      sl_run_note (run, "the best of the grid is %s", train.runs.grid.names[best->step.point]);
    }
  return sl_write_model (&train.runs, error) && write_tables (&train, run, options, error);
}

static const SlKind *const reads[] = { &sl_labels, &sl_annotations, NULL };

const SlCommand sl_command_train = {
  .name = "train",
  .summary = "train a classifier on label distributions, or on annotators' own answers",
  .arguments = "[LABELS...]",
  .reads = reads,
  .flags = SL_COMMAND_SEEDED | SL_COMMAND_TABLES | SL_COMMAND_BYTES | SL_COMMAND_NETWORKS,
  .prints = "list-models",
  .opened = sl_repeats_opened,
  SL_OPTIONS (sl_train_option_table, sl_train_defaults),
  .description
  = "Labels are joined with the examples of --features by their items' names; of annotations, each "
    "vote is a label. Where several tables have labels of an item, the first one's count. An item "
    "with several labels is learned from one of them, drawn anew each time, or from their mean.\n\n"
    "The model is a safetensors file: arrays with names and layouts of PyTorch's modules, and in "
    "its header the network, the classes, the shape and normalisation of inputs, and its history. "
    "Several runs (--seeds, --folds) are in one file; their arrays' names then begin with 0., 1. "
    "and so on. `softlabel predict` takes it.\n\n"
    "--loss crowd, annot-mix, geo-reg-f and union learn from single annotators' answers, votes or "
    "labels that have a column annotator: each answer is that of the network, seen through what is "
    "learned of the annotator (Rodrigues & Pereira 2018; conal: Chu et al. 2021; Herde et al. "
    "2024; Ibrahim et al. 2023; Wei et al. 2022), which --confusion writes as a table. With "
    "annot-mix a batch has as many answers as its items have on average, and --mixup 0 mixes "
    "none.\n\n"
    "With softmax and cross-entropy training could go on until the loss stands still. -v tells how "
    "far it came, and a warning where it stopped early; often that does no harm.\n\n"
    "--log has the loss and accuracy of each epoch. --item-log has each item's mean confidence in "
    "its label, its variability (Swayamdipta et al. 2020), the area under its margin (Pleiss et "
    "al. 2020) and that of its answers (Lefort et al. 2022): it finds mislabelled and ambiguous "
    "items.\n\n"
    "With --checkpoint the first Ctrl-C stops after the last whole epoch, and --resume goes on to "
    "the same bytes as if nothing had happened.\n\n"
    "The same seed, data, options and -j give the same bytes on the same processor. Other "
    "processors, other numbers of threads and other releases of oneDNN add numbers up in another "
    "order: losses then agree to several digits, not to the last bit.\n\n"
    "Memory: the examples as they are in the file, the labels, and what --list-models says of the "
    "network.",
  .examples
  = "softlabel train --features embeddings.parquet --model mlp:128 labels.parquet -o "
    "m.safetensors\n"
    "    a small network on embeddings\n"
    "softlabel train --features cifar.parquet --preset collins2022 --seeds 5 \\\n"
    "    soft.parquet gold.parquet -o m.safetensors\n"
    "    a published protocol, five times; items without soft labels have their gold ones\n"
    "softlabel train --features x.parquet --model mlp:128 --loss crowd --confusion who.parquet \\\n"
    "    votes.parquet -o m.safetensors\n"
    "    straight from annotators' answers\n",
  .settle = sl_train_settle,
  .check = sl_train_check,
  .run = run,
  .load = sl_network_load,
};
