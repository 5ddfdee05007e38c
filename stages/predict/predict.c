/* SPDX-License-Identifier: GPL-3.0-or-later */
/* predict: features in; what networks say of them out, as they are, attacked or corrupted. Attacks:
 * Goodfellow, Shlens, Szegedy, ICLR 2015; Madry et al., ICLR 2018; as in Peterson et al., ICCV
 * 2019, and Collins, Bhatt & Weller, HCOMP 2022. */
#include "annotators.h"

#include "pipeline/base/number-text.h"
#include "pipeline/base/parallel.h"
#include "pipeline/command/options/option-rows.h"
#include "schemas/features.h"
#include "schemas/predictions.h"
#include "stages/common/classes/class-map.h"

#include <string.h>

/* ---- which corruptions are asked for, and corrupted examples' rows ---- */

#define SEVERITIES 5

static void
corrupt_plan_clear (SlCorruptPlan *plan)
{
  g_clear_pointer (&plan->condition, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlCorruptPlan, corrupt_plan_clear)

/* WANTED[s - 1] becomes TRUE of each severity s that "1-3" or "4" names. */
static gboolean
parse_severity (const char *text, gboolean *wanted, GError **error)
{
  const char *dash = strchr (text, '-');
  gint64 from = 0, to = 0;
  gboolean ok = sl_parse_integer (text, dash != NULL ? dash - text : -1, &from);
  to = from;
  ok = ok && (dash == NULL || sl_parse_integer (dash + 1, -1, &to));
  if (!ok || from < 1 || to > SEVERITIES || from > to)
    return sl_error_usage (error, "--severity: '%s' is none of 1 to 5, such as 3, 1,5 or 1-5",
                           text);
  for (gint64 s = from; s <= to; s++)
    wanted[s - 1] = TRUE;
  return TRUE;
}

static const SlCorruption *
find_corruption (const char *name, GError **error)
{
  g_autoptr (GString) all = g_string_new (NULL);
  for (const SlCorruption *corruption = sl_corruptions; corruption->name != NULL; corruption++)
    {
      if (strcmp (corruption->name, name) == 0)
        return corruption;
      g_string_append_printf (all, "%s%s", all->len > 0 ? ", " : "", corruption->name);
    }
  if (strcmp (name, "frost") == 0)
    sl_error_usage (error, "--corrupt: frost is laid over from photographs, which are not here; "
                           "`softlabel ingest --from npy --severity N frost.npy` reads "
                           "CIFAR-10-C's own");
  else
    sl_error_usage (error, "--corrupt: '%s' is not one of %s; or all, by itself", name, all->str);
  return NULL;
}

/* NAMES is "all" or a list of names, SEVERITIES a list such as "3", "1,5" or "1-5". */
static gboolean
corrupt_plan_init (SlCorruptPlan *plan, const char *names, const char *severities, GError **error)
{
  gboolean wanted[SEVERITIES] = { FALSE }, all = strcmp (names, "all") == 0;
  g_auto (GStrv) texts = g_strsplit (severities != NULL ? severities : "3", ",", -1);
  g_auto (GStrv) words = g_strsplit (names, ",", -1);
  *plan = (SlCorruptPlan){ .all = all };
  for (char **text = texts; *text != NULL; text++)
    if (!parse_severity (*text, wanted, error))
      return FALSE;
  gsize n_words = 0;
  while (all ? sl_corruptions[n_words].name != NULL : words[n_words] != NULL)
    n_words++;
  plan->condition = g_new (SlCorruptionLevel, n_words * SEVERITIES + 1);
  for (gsize i = 0; i < n_words; i++)
    {
      const SlCorruption *corruption = all ? &sl_corruptions[i] : find_corruption (words[i], error);
      if (corruption == NULL)
        return FALSE;
      for (gsize j = 0; j < plan->n; j++)
        if (plan->condition[j].corruption == corruption && !all)
          return sl_error_usage (error, "--corrupt: %s is there twice", corruption->name);
      for (int s = 0; s < SEVERITIES; s++)
        if (wanted[s])
          plan->condition[plan->n++] = (SlCorruptionLevel){ corruption, s + 1 };
    }
  return plan->n > 0 || sl_error_usage (error, "--corrupt names nothing");
}

/* Grey pictures. */
static gboolean
leave_out_coloured (SlCorruptPlan *plan, SlRun *run, GError **error)
{
  gsize n = 0;
  for (gsize i = 0; i < plan->n; i++)
    if (!plan->condition[i].corruption->coloured)
      plan->condition[n++] = plan->condition[i];
    else if (!plan->all)
      return sl_error_usage (error, "--corrupt %s is for pictures with colours; these are grey",
                             plan->condition[i].corruption->name);
    else if (i == 0 || plan->condition[i].corruption != plan->condition[i - 1].corruption)
      sl_run_warn (run, "--corrupt all: left out %s, which is for pictures with colours",
                   plan->condition[i].corruption->name);
  plan->n = n;
  return TRUE;
}

/* That the examples of PREDICTORS are pictures that can be corrupted so; claims the room. Of all
 * corruptions, grey pictures are left those that need no colours. */
static gboolean
corrupt_plan_fits (SlCorruptPlan *plan, SlRun *run, const SlPredictors *predictors, GError **error)
{
  gsize threads = (gsize) run->threads, n = (gsize) predictors->batch;
  gsize room = sl_corruption_room (predictors->channels, predictors->height, predictors->width);
  if (!predictors->pixels)
    return sl_error_usage (error, "--corrupt is for pixels; these features are other numbers");
  if (predictors->channels != 1 && predictors->channels != 3)
    return sl_error_usage (error,
                           "--corrupt is for pictures, grey or of three channels; these "
                           "examples have %d",
                           predictors->channels);
  if (predictors->channels == 1 && !leave_out_coloured (plan, run, error))
    return FALSE;
  return sl_run_claim_array (run, threads, room * sizeof (double), "pictures that are corrupted",
                             error)
         && sl_run_claim_array (run, n * predictors->size, sizeof (float), "corrupted pictures",
                                error)
         && sl_run_claim_array (run, plan->n * predictors->networks->len,
                                n * predictors->k * sizeof (float), "logits of all corruptions",
                                error);
}

/* One condition of a batch. */
typedef struct
{
  const SlPrediction *prediction;
  const SlPredictedRow *rows;
  SlCorruptionLevel condition;
  const float *x;
  float *to;
} Batch;

static void
corrupt_one (int i, gpointer data)
{
  const Batch *batch = data;
  const SlPredictors *predictors = batch->prediction->predictors;
  const SlPredictedRow *row = &batch->rows[i];
  gsize at = (gsize) i * predictors->size;
  g_autofree double *room = g_new (
      double, sl_corruption_room (predictors->channels, predictors->height, predictors->width));
  sl_corruption_apply (batch->condition.corruption, batch->condition.severity,
                       batch->prediction->corrupt->seed, sl_text_hash (row->item, row->length),
                       predictors->channels, predictors->height, predictors->width, batch->x + at,
                       room, batch->to + at);
}

/* As sl_predict_plain(), of each example in turn the rows of all conditions. */
static gboolean
predict_corrupted (SlPrediction *prediction, const float *x, const SlPredictedRow *rows, gsize n,
                   GError **error)
{
  const SlPredictors *predictors = prediction->predictors;
  const SlCorruptPlan *plan = prediction->corrupt;
  gsize k = predictors->k, n_networks = predictors->networks->len, each = n_networks * n * k;
  g_autofree float *logits = g_new (float, plan->n *each);
  g_autofree float *corrupted = g_new (float, n * predictors->size);
  for (gsize c = 0; c < plan->n; c++)
    {
      Batch batch = { prediction, rows, plan->condition[c], x, corrupted };
      sl_parallel (prediction->run->threads, (int) n, corrupt_one, &batch);
      if (!sl_predictors_logits (predictors, corrupted, n, logits + c * each, error))
        return FALSE;
    }
  for (gsize i = 0; i < n; i++)
    for (gsize c = 0; c < plan->n; c++)
      for (gsize r = 0; r < (prediction->mean ? 1 : n_networks); r++)
        {
          SlPredictedRow row = rows[i];
          row.run = (gint32) r;
          row.logits = logits + c * each + (r * n + i) * k;
          row.n_networks = n_networks;
          row.stride = n * k;
          row.corruption = plan->condition[c].corruption->name;
          row.severity = plan->condition[c].severity;
          if (!sl_write_row (prediction, &row, error))
            return FALSE;
        }
  return TRUE;
}

typedef struct
{
  char **model;
  int ensemble; /* 0: none, 1: mean */
  gboolean logits;
  gint64 batch;
  int precision; /* 0: float32, 1: bfloat16 */
  int attack;    /* SlAttackKind */
  char *epsilon;
  gint64 steps;
  char *step_size;
  gboolean random_start;
  char *targets;
  char *corrupt;
  char *severity;
  char *annotators;
} Options;

static const Options defaults = { .batch = 128, .steps = 10 };

static const char *const ensemble_names[] = { "none", "mean", NULL };
static const char *const precision_names[] = { "float32", "bf16", NULL };
static const char *const attack_names[] = { "none", "fgsm", "pgd", NULL };

#define OF_ATTACKS ((1 << SL_ATTACK_FGSM) | (1 << SL_ATTACK_PGD))
#define OF_PGD (1 << SL_ATTACK_PGD)

#define OPTIONS Options

static const SlOption option_table[] = {
  INPUTS ("model", model, "FILE",
          "a model of `softlabel train`; of several, every run of each is one"),
  CHOICE ("ensemble", ensemble, ensemble_names,
          "a row a run, or one with the mean of all runs' probabilities"),
  FLAG ("logits", logits,
        "write the logits as well; of a mean the logarithms of its probabilities"),
  WHOLE ("batch", batch, 1, 65536, "N", "examples at a time", .unrecorded = TRUE),
  CHOICE ("precision", precision, precision_names, "bf16: values between layers in 16 bits"),
  CHOICE ("attack", attack, attack_names,
          "move pixels so that the loss rises, by one step of epsilon, or by many small ones"),
  TEXT ("epsilon", epsilon, "E,E",
        "how far a pixel may move, of 1 for the whole range, one or several: 4/255 (the default), "
        "0.01",
        .with = "attack", .of = OF_ATTACKS),
  WHOLE ("steps", steps, 1, 10000, "N", "how many steps", .with = "attack", .of = OF_PGD),
  TEXT ("step-size", step_size, "A", "how far a pixel moves in a step; 2/255 unless it is given",
        .with = "attack", .of = OF_PGD),
  FLAG ("random-start", random_start, "begin anywhere within epsilon", .with = "attack",
        .of = OF_PGD),
  INPUT ("targets", targets, "FILE", "labels to lead away from; gold classes unless it is given",
         .with = "attack", .of = OF_ATTACKS),
  TEXT ("corrupt", corrupt, "NAME,NAME|all",
        "make pictures worse, as CIFAR-10-C is: all of the corruptions named below, or some"),
  TEXT ("severity", severity, "N,N|N-N",
        "how much, from 1 to 5, once or several times: 3 (the default), 1,5, 1-5",
        .with = "corrupt"),
  INPUT ("annotators", annotators, "FILE",
         "predict what annotators answer, by a model of single answers: by itself all that it has "
         "learned of, about every item; with a table of answers who is in it about which item, or "
         "with one of annotators those about every item",
         .by_itself = SL_ASK_ALL),
  { 0 },
};

static gboolean
check_options (SlOptions *given, GError **error)
{
  const Options *options = given->values;
  gsize n;
  double step;
  if (options->model == NULL)
    return sl_error_usage (error, "--model FILE is needed: what `softlabel train` has written");
  if (options->attack != SL_ATTACK_NONE && options->ensemble != 0)
    return sl_error_usage (error, "--ensemble does not go with --attack: each network is attacked "
                                  "by its own gradients");
  if (options->annotators != NULL
      && (options->attack != SL_ATTACK_NONE || options->corrupt != NULL))
    return sl_error_usage (error, "--annotators goes with examples as they are: neither with "
                                  "--attack nor with --corrupt");
  if (options->attack != SL_ATTACK_NONE && options->corrupt != NULL)
    return sl_error_usage (error, "--attack and --corrupt exclude each other");
  g_auto (SlCorruptPlan) plan = { 0 };
  if (options->corrupt != NULL
      && !corrupt_plan_init (&plan, options->corrupt, options->severity, error))
    return FALSE;
  g_autofree double *epsilon = sl_parse_epsilons (options->epsilon, &n, error);
  return epsilon != NULL
         && (options->step_size == NULL
             || sl_parse_share ("step-size", options->step_size, &step, error));
}

/* What one batch is put together in: [batch] of each. */
typedef struct
{
  SlPrediction *prediction;
  const SlAttackTargets *targets;
  const gint32 *map; /* classes of the features as the model's */
  float *x, *target;
  SlPredictedRow *rows;
} Room;

static gboolean
take_examples (Room *room, const SlBatch *batch, gint64 from, gsize n, GError **error)
{
  SlFeatures view = sl_features_view (batch);
  const SlPredictors *predictors = room->prediction->predictors;
  gsize size = predictors->size;
  for (gsize i = 0; i < n; i++)
    {
      gint64 at = from + (gint64) i;
      SlPredictedRow *row = &room->rows[i];
      *row = (SlPredictedRow){ .gold = -1 };
      row->item = sl_text_get (view.item, at, &row->length);
      if (view.gold != NULL && view.gold[at] >= 0)
        row->gold = room->map[view.gold[at]];
      for (gsize j = 0; j < size; j++)
        room->x[i * size + j] = view.pixels != NULL
                                    ? (float) view.pixels[(gsize) at * size + j] / 255.0f
                                    : view.numbers[(gsize) at * size + j];
      if (room->targets != NULL
          && !sl_attack_target (room->targets, row->item, row->length, row->gold,
                                room->target + i * predictors->k))
        return sl_error_row (error, batch->first_row + at + 1,
                             "item '%.*s' has no %s for the attack to lead away from",
                             (int) MIN (row->length, 1000), row->item,
                             room->targets->items != NULL ? "label in --targets" : "gold class");
    }
  return TRUE;
}

/* Gold classes that the model does not know are left out, which nobody should have to find out. */
static gint32 *
map_gold (SlRun *run, const SlPredictors *predictors)
{
  const SlTable *in = sl_reader_table (run->in);
  gint32 *map = sl_class_map_alike (in, predictors->classes, (gint32) predictors->k);
  for (gint32 k = 0; sl_table_has (in, SL_FEATURES_GOLD) && k < in->n_classes; k++)
    if (map[k] < 0)
      {
        sl_run_warn (run, "class '%s' is none of the model's: rows whose gold class it is get none",
                     in->classes[k]);
        break;
      }
  return map;
}

static gboolean
predict_all (Room *room, SlRun *run, gsize batch_rows, GError **error)
{
  SlPrediction *prediction = room->prediction;
  gboolean (*predict) (SlPrediction *, const float *, const SlPredictedRow *, gsize, GError **)
      = prediction->attack->kind != SL_ATTACK_NONE ? sl_predict_attacked
        : prediction->corrupt != NULL              ? predict_corrupted
        : prediction->asked != NULL                ? sl_predict_annotators
                                                   : sl_predict_plain;
  for (;;)
    {
      g_autoptr (SlBatch) batch = NULL;
      if (!sl_run_next (run, &batch, error))
        return FALSE;
      if (batch == NULL)
        return sl_writer_write_built (run->out, prediction->builder, TRUE, error);
      for (gint64 from = 0; from < batch->n_rows; from += (gint64) batch_rows)
        {
          gsize n = MIN (batch_rows, (gsize) (batch->n_rows - from));
          if (!take_examples (room, batch, from, n, error)
              || !predict (prediction, room->x, room->rows, n, error))
            return FALSE;
        }
    }
}

static gboolean
begin_attack (const Options *options, SlAttackPlan *plan, const SlPredictors *predictors,
              guint64 seed, GError **error)
{
  *plan = (SlAttackPlan){ .kind = (SlAttackKind) options->attack,
                          .steps = options->steps,
                          .step_size = 2.0 / 255,
                          .random_start = options->random_start,
                          .seed = seed };
  if (options->attack == SL_ATTACK_NONE)
    return TRUE;
  plan->epsilon = sl_parse_epsilons (options->epsilon, &plan->n_epsilon, error);
  if (plan->epsilon == NULL
      || (options->step_size != NULL
          && !sl_parse_share ("step-size", options->step_size, &plan->step_size, error)))
    return FALSE;
  return predictors->pixels
         || sl_error_usage (error, "--attack is for pixels; these features are other numbers");
}

static gboolean
start (SlPrediction *prediction, SlAttackTargets *targets, GError **error)
{
  SlRun *run = prediction->run;
  const Options *options = run->options->values;
  const SlPredictors *predictors = prediction->predictors;
  gboolean attacked = options->attack != SL_ATTACK_NONE;
  if (attacked
      && !sl_attack_targets_init (targets, run, options->targets, predictors->classes,
                                  predictors->k, error))
    return FALSE;
  prediction->table = sl_predictions_table (prediction, sl_reader_table (run->in));
  /* A mean of models is of no one condition in which they differ. */
  if (!prediction->mean && !sl_model_tags_columns (predictors->tags, prediction->table, error))
    return FALSE;
  prediction->builder = sl_builder_new (prediction->table);
  return sl_run_start (run, prediction->table, error);
}

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  gsize n = (gsize) options->batch;
  gboolean attacked = options->attack != SL_ATTACK_NONE;
  g_auto (SlPredictors) predictors = { 0 };
  g_auto (SlAttackTargets) targets = { 0 };
  SlAttackPlan attack;
  g_auto (SlAskedPeople) asked = { 0 };
  if (!sl_predictors_init (&predictors, run, options->model, (int) n, attacked,
                           options->annotators != NULL, options->precision == 1, error)
      || (options->annotators != NULL
          && !sl_asked_people_init (&asked, run, &predictors, options->annotators, error))
      || !begin_attack (options, &attack, &predictors, run->seed, error))
    return FALSE;
  g_autofree double *epsilon = attack.epsilon;
  g_auto (SlCorruptPlan) corrupt = { 0 };
  if (options->corrupt != NULL
      && (!corrupt_plan_init (&corrupt, options->corrupt, options->severity, error)
          || !corrupt_plan_fits (&corrupt, run, &predictors, error)))
    return FALSE;
  corrupt.seed = run->seed;
  SlPrediction prediction = { .run = run,
                              .predictors = &predictors,
                              .mean = options->ensemble == 1,
                              .logits = options->logits,
                              .attack = &attack,
                              .asked = options->annotators != NULL ? &asked : NULL,
                              .corrupt = options->corrupt != NULL ? &corrupt : NULL };
  gboolean started = start (&prediction, &targets, error);
  g_autoptr (SlTable) table = prediction.table;
  g_autoptr (SlBuilder) builder = prediction.builder;
  if (!started
      || !sl_run_claim (run, n * (predictors.size + predictors.k) * sizeof (float), "a batch",
                        error))
    return FALSE;
  g_autofree gint32 *map = map_gold (run, &predictors);
  g_autofree float *x = g_new (float, n *predictors.size), *target = g_new (float, n *predictors.k);
  g_autofree SlPredictedRow *rows = g_new (SlPredictedRow, n);
  prediction.target = target;
  Room room = { &prediction, attacked ? &targets : NULL, map, x, target, rows };
  return predict_all (&room, run, n, error)
         && (prediction.asked == NULL || sl_asked_people_end (&asked, run, error));
}

static const SlKind *const reads[] = { &sl_features, NULL };

const SlCommand sl_command_predict = {
  .name = "predict",
  .summary = "what trained networks say of examples, as they are, attacked or corrupted",
  .arguments = "[FEATURES]",
  .reads = reads,
  .writes = &sl_predictions,
  .flags = SL_COMMAND_SEEDED | SL_COMMAND_NETWORKS,
  SL_OPTIONS (option_table, defaults),
  .description
  = "Each row is what one run of a model says of one example: the probability of each class. A "
    "model of several runs, and several models, give as many rows an example, numbered by `run` "
    "from 0; --ensemble mean gives one.\n\n"
    "--annotators asks a model that has learned from single answers what each annotator says: a "
    "row has the probability of each answer, not of each class, and `score --against` the answers "
    "scores them. An annotator whom the model has not seen gets the mean answer of those whom it "
    "has seen.\n\n"
    "--attack changes pixels, each by at most epsilon, so that the cross-entropy with the item's "
    "gold class, or with its label in --targets, rises: fgsm by one step of that length along the "
    "sign of the gradient, pgd by --steps of --step-size. Rows are of the changed example, with "
    "the loss at it; of pgd there is one before each step and one after the last.\n\n"
    "--corrupt makes pictures worse in the ways, and with the constants, that CIFAR-10-C was made "
    "with: gaussian_noise, shot_noise, impulse_noise, speckle_noise, gaussian_blur, defocus_blur, "
    "glass_blur, motion_blur, zoom_blur, fog, snow, spatter, contrast, brightness, saturate, "
    "elastic_transform, pixelate and jpeg_compression. There is a row for each of them and each "
    "--severity. What is drawn depends on the seed, the item, the corruption and the severity "
    "alone. Frost is not among them, as it is made from photographs: `softlabel ingest --from npy "
    "--severity N` reads CIFAR-10-C's own files.\n\n"
    "Bytes depend on the processor and on -j, as sums within a network are made in another order; "
    "probabilities agree to about six digits.\n\n"
    "Memory: the networks of all runs, and a batch of examples; with --annotators what they answer "
    "about a batch.",
  .examples
  = "softlabel predict --model m.safetensors test.parquet -o predictions.parquet\n"
    "    what every run of the model says\n"
    "softlabel predict --model m.safetensors --annotators=votes.parquet test.parquet\n"
    "    what those who answered would have said\n"
    "softlabel predict --model m.safetensors --attack pgd --epsilon 4/255,8/255 test.parquet\n"
    "    the loss step by step, for two bounds\n"
    "softlabel predict --model m.safetensors --corrupt all --severity 1-5 test.parquet -o "
    "c.parquet\n"
    "    what becomes of the predictions as pictures become worse\n",
  .check = check_options,
  .run = run,
  .load = sl_network_load,
};
