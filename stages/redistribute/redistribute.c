/* SPDX-License-Identifier: GPL-3.0-or-later */
/* redistribute: annotations in, labels out, one distribution for each answer, in order. Rule:
 * Collins, Bhatt & Weller, HCOMP 2022, sections 4 and 5 (stages/common/labels/redistribution.c). */
#include "pipeline/command/options/option-rows.h"
#include "pipeline/command/run.h"
#include "pipeline/base/vector-math.h"
#include "pipeline/files/input.h"
#include "pipeline/table/class-values.h"
#include "pipeline/table/tag-columns.h"
#include "schemas/annotations.h"
#include "schemas/labels.h"
#include "stages/common/answers/repeats.h"
#include "stages/common/labels/convert.h"
#include "stages/common/classes/word-vectors.h"

enum
{
  TOP_1,
  TOP_2,
  TOP_ALL
};

enum
{
  WEIGHT_COSINE,
  WEIGHT_SOFTMAX
};

typedef struct
{
  int top;      /* TOP_... */
  int spread;   /* SlSpread */
  double gamma; /* [0, 1] */
  gboolean compat;
  gboolean select;
  gboolean hard;
  double smooth; /* [0, 1] */
  char *vectors;
  int semantic_weight;         /* WEIGHT_... */
  double semantic_temperature; /* above 0 */
  int semantic_over;           /* 0 uniform, 1 clamp */
  double width;                /* of the kernel over ranks, above 0 */
  int repeats;                 /* SlCounted */
} Options;

static const Options defaults = {
  .top = TOP_2, .spread = SL_SPREAD_CLAMP, .gamma = 0.1, .semantic_temperature = 1, .width = 1
};

static const char *const tops[] = { "1", "2", "all", NULL };
static const char *const spreads[] = { "uniform", "clamp", "semantic", "none", "neighbours", NULL };
static const char *const weights[] = { "cosine", "softmax", NULL };
static const char *const overs[] = { "uniform", "clamp", NULL };

#define OPTIONS Options

static const SlOption option_table[] = {
  CHOICE ("top", top, tops, "how many choices count, from the best"),
  CHOICE (
      "spread", spread, spreads,
      "where the mass goes that the percents leave over: to all classes without any (uniform), "
      "to those of them not ruled out (clamp), by likeness of meaning to the first choice "
      "(semantic), nowhere (none); of ordered classes, as clamp, but the nearer to the choices the "
      "more (neighbours)"),
  REAL ("gamma", gamma, 0, 1, "G",
        "clamp and neighbours: the mass that possible classes get where the percents leave nothing "
        "over, with neighbours of plain votes, too; without effect on other spreads"),
  FLAG ("compat", compat, "compute as the code released with CIFAR-10S did, bit for bit"),
  FLAG ("select-top", select, "equal mass on the choices that count, whatever their percents"),
  FLAG ("hard", hard, "all mass on the first choice"),
  REAL (
      "smooth", smooth, 0, 1, "BETA",
      "label smoothing, at the end: mix each label with the uniform one, (1 - BETA) p + BETA / K"),
  INPUT ("vectors", vectors, "FILE", "word vectors as text (GloVe, word2vec)", .with = "spread",
         .of = 1 << SL_SPREAD_SEMANTIC),
  CHOICE ("semantic-weight", semantic_weight, weights,
          "what a class's share is in proportion to, its cosine (negative ones as 0) or exp "
          "(cosine / T)",
          .with = "spread", .of = 1 << SL_SPREAD_SEMANTIC),
  REAL ("semantic-temperature", semantic_temperature, 1e-6, 1e6, "T", "the softmax's temperature",
        .with = "semantic-weight", .of = 1 << WEIGHT_SOFTMAX),
  CHOICE ("semantic-over", semantic_over, overs,
          "spread over the classes that uniform or that clamp would take", .with = "spread",
          .of = 1 << SL_SPREAD_SEMANTIC),
  REAL ("width", width, 1e-3, 1e6, "T",
        "a class so many ranks from a choice gets exp (-ranks / T) for each share of mass that the "
        "choice has",
        .with = "spread", .of = 1 << SL_SPREAD_NEIGHBOURS),
  SL_REPEATS_OPTION,
  { 0 },
};

/* Which of NAMES, which ends with NULL, was given; NULL for none. */
static const char *
which_given (const SlOptions *given, const char *const *names)
{
  while (*names != NULL && !sl_option_given (given, *names))
    names++;
  return *names;
}

/* Refuses options that would change nothing. --gamma is taken with every spread, for scripts that
 * try one spread after the other. A default that contradicts a given option gives way, so that the
 * provenance tells what was done. */
static gboolean
check_options (SlOptions *given, GError **error)
{
  Options *options = given->values;
  static const char *const of_percents[] = { "gamma", "compat", NULL };
  gboolean no_percents = options->hard || options->select;
  if (options->hard && options->select)
    return sl_error_usage (error, "--hard and --select-top exclude each other");
  if (options->hard && !sl_option_given (given, "top"))
    options->top = TOP_1;
  if (options->hard && options->top != TOP_1)
    return sl_error_usage (error, "--hard takes the first choice only; leave out --top");
  if (no_percents && !sl_option_given (given, "spread"))
    options->spread = SL_SPREAD_NONE;
  if (no_percents && options->spread != SL_SPREAD_NONE)
    return sl_error_usage (
        error, "--hard and --select-top use no percents, so nothing is left over to --spread");
  if (no_percents && which_given (given, of_percents) != NULL)
    return sl_error_usage (error,
                           "--hard and --select-top use no percents, so --%s would change nothing",
                           which_given (given, of_percents));
  if ((options->spread == SL_SPREAD_SEMANTIC || options->spread == SL_SPREAD_NEIGHBOURS)
      && options->compat)
    return sl_error_usage (error, "--compat: the released code has no --spread %s",
                           spreads[options->spread]);
  if (options->spread == SL_SPREAD_SEMANTIC && options->vectors == NULL)
    return sl_error_usage (error, "--spread semantic needs word vectors: --vectors FILE");
  if (g_strcmp0 (options->vectors, "-") == 0)
    return sl_error_usage (error, "--vectors needs a file; standard input is for the annotations");
  return TRUE;
}

/* nearness[n][n], exp (-|k - l| / width). */
static double *
find_nearness (gint32 n, double width)
{
  double *nearness = g_new (double, MAX ((gsize) n * (gsize) n, 1));
  for (gint32 k = 0; k < n; k++)
    for (gint32 l = 0; l < n; l++)
      nearness[(gsize) k * (gsize) n + (gsize) l] = sl_scalar_exp (-ABS (k - l) / width);
  return nearness;
}

/* Reads the word vectors, where they are needed: likeness[n_classes][n_classes], to be freed. */
static gboolean
read_likeness (SlRun *run, const SlTable *in, double **likeness, GError **error)
{
  const Options *options = run->options->values;
  *likeness = NULL;
  if (options->spread == SL_SPREAD_NEIGHBOURS && !sl_classes_are_ordered (in))
    return sl_error_bad_input (error, "--spread neighbours: the classes are names, in no order; "
                                      "`softlabel cat --ordered` says that they have one");
  if (options->spread == SL_SPREAD_NEIGHBOURS)
    *likeness = find_nearness (in->n_classes, options->width);
  if (options->vectors == NULL)
    return TRUE;
  if (!sl_run_add_option_file (run, "vectors", options->vectors, error))
    return FALSE;
  g_autoptr (SlInput) text = sl_input_open (options->vectors, error);
  if (text == NULL)
    g_prefix_error (error, "%s: ", options->vectors);
  else
    *likeness = sl_vectors_read (G_INPUT_STREAM (text), options->vectors,
                                 (const char *const *) in->classes, error);
  return *likeness != NULL;
}

static SlConversion
chosen_conversion (const Options *options, const SlTable *in, const double *likeness)
{
  static const gint32 counting[] = { [TOP_1] = 1, [TOP_2] = 2, [TOP_ALL] = G_MAXINT32 };
  return (SlConversion){
    .how = { .spread = (SlSpread) options->spread,
             .top = options->hard ? 1 : counting[options->top],
             .gamma = options->gamma,
             .compat = options->compat,
             .clamped = options->semantic_over == 1,
             .softmax = options->semantic_weight == WEIGHT_SOFTMAX,
             .temperature = options->semantic_temperature,
             .likeness = likeness },
    /* A plain vote says 100 percent and that every other class is impossible, so there is nothing
     * to spread. */
    .select
    = options->hard || options->select
      || (sl_table_has (in, SL_ANNOTATIONS_CLASS) && options->spread != SL_SPREAD_NEIGHBOURS),
    .smooth = options->smooth,
  };
}

static void
summarise (SlRun *run, const SlConversion *conversion)
{
  const Options *options = run->options->values;
  const SlAnswerCounts *counts = &conversion->counts;
  gboolean later = options->compat && !conversion->select;
  const struct
  {
    gint64 n;
    const char *what;
  } notes[] = {
    { conversion->n_checks, "attention checks left out" },
    { conversion->n_excluded, "rows marked as excluded, left out" },
    { counts->assumed, "first choices without a percent, taken as 100" },
    { counts->ignored, "later choices without a percent, ignored" },
    { counts->renamed, later ? "classes named again, the later percent taken"
                             : "classes named again, the earlier one taken" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (notes); i++)
    if (notes[i].n > 0)
      sl_run_note (run, "%s: %" G_GINT64_FORMAT, notes[i].what, notes[i].n);
  if (counts->beyond > 0 && !sl_option_given (run->options, "top"))
    sl_run_warn (run,
                 "percents of third and later choices, which --top 2 leaves out: %" G_GINT64_FORMAT
                 "; --top all counts them, and whole distributions want --spread none, too",
                 counts->beyond);
  if (counts->flat > 0)
    sl_run_warn (run, "answers without mass on any class, labelled as uniform: %" G_GINT64_FORMAT,
                 counts->flat);
}

static gboolean
run (SlRun *run, GError **error)
{
  const SlTable *in = sl_reader_table (run->in);
  g_autofree double *likeness = NULL;
  if (!read_likeness (run, in, &likeness, error))
    return FALSE;
  SlConversion conversion = chosen_conversion (run->options->values, in, likeness);
  g_autoptr (SlTable) table = sl_table_new (&sl_labels, (const char *const *) in->classes);
  if (sl_table_has (in, SL_ANNOTATIONS_ANNOTATOR))
    sl_table_add (table, SL_LABELS_ANNOTATOR);
  if (sl_table_has (in, SL_ANNOTATIONS_GOLD))
    sl_table_add (table, SL_LABELS_GOLD);
  if (!sl_table_add_tag_columns (table, in, error) || !sl_run_start (run, table, error))
    return FALSE;
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (run, &batch, &ok, error))
    ok = sl_convert_batch (&conversion, run, batch, table, builder, error);
  if (!ok)
    return FALSE;
  summarise (run, &conversion);
  return TRUE;
}

static const SlKind *const reads[] = { &sl_annotations, NULL };

const SlCommand sl_command_redistribute = {
  .name = "redistribute",
  .summary = "turn each answer into a distribution over the classes",
  .arguments = "[FILE…]",
  .reads = reads,
  .writes = &sl_labels,
  .opened = sl_repeats_opened,
  SL_OPTIONS (option_table, defaults),
  .description
  = "Each annotator's percents become a label. What they leave over of 100 is spread over "
    "other classes as --spread says; where they reach 100 or more they are scaled to 1, and "
    "with clamp the classes that were neither named nor ruled out get --gamma of the mass.\n"
    "A first choice without a percent counts as 100, a later one is ignored. A class named twice "
    "keeps its first percent (--compat: takes the last). A plain vote is certain: all mass on its "
    "class, whatever the spread but neighbours, which has --gamma of it go to the classes beside. "
    "Classes named keep their mass even if they are also ruled out.\n"
    "There is one label for each row, in order. Left out are attention checks and rows marked as "
    "excluded. A percent outside 0 to 100 among the choices that count is "
    "an error.\n"
    "Memory does not grow with the number of rows.",
  .examples
  = "softlabel redistribute --spread clamp answers.parquet -o labels.parquet\n"
    "    The labels of CIFAR-10S, strictly by the published rule.\n"
    "softlabel redistribute --spread semantic --vectors glove.6B.300d.txt < answers.arrows\n"
    "    What is left over goes to classes that mean something like the first choice.\n"
    "softlabel redistribute --spread neighbours --gamma 0.2 ratings.parquet -o labels.parquet\n"
    "    Ratings on a scale: a fifth of each goes to the steps beside it.\n"
    "softlabel redistribute --hard --smooth 0.05 answers.parquet -o labels.parquet\n"
    "    Label smoothing.\n",
  .check = check_options,
  .run = run,
};
