/* SPDX-License-Identifier: GPL-3.0-or-later */
/* simulate crowd: labels in, or items made up; votes about them out, by simulated annotators with
 * known confusion matrices. The model is that of Dawid & Skene (1979), with the difficulty of items
 * of Whitehill et al. (2009). Kinds of annotators: crowd/crowd-mix.c. */
#include "pipeline/command/options/option-rows.h"
#include "schemas/annotations.h"
#include "schemas/labels.h"
#include "crowd/crowd-votes.h"

#include <math.h>
#include <stdio.h>

static const SlCrowdSettings defaults = { .imbalance = (double) NAN, .answers = 3 };

#define OPTIONS SlCrowdSettings

static const SlOption option_table[] = {
  WHOLE ("items", items, 1, 1e12, "N", "make N items, i1 to iN, and read no table"),
  TEXT ("classes", classes, "A,B,C|K", "the classes of made items, or their number: c1 to cK",
        .with = "items"),
  TEXT ("priors", priors, "P1,P2,..",
        "how the classes of made items are shared out; unless given, as the table of confusion "
        "says, or evenly",
        .with = "items"),
  REAL ("imbalance", imbalance, 1, 1e9, "RATIO",
        "make the first class RATIO times as frequent as the last; in between, shares fall "
        "geometrically",
        .with = "items"),
  INPUT ("confusion", confusion, "FILE",
         "take the annotators of FILE, a table of confusion that `aggregate` wrote"),
  WHOLE ("annotators", annotators, 1, 1e7, "N",
         "make N annotators, a1 to aN; unless given, as many as are needed with "
         "--items-per-annotator"),
  TEXT ("crowd", crowd, "TYPE=SHARE,..",
        "the types of made annotators, and the share of each type; the shares sum to 1. A type's "
        "numbers may follow its share after a colon. Unless given, all are reliable",
        .choices = sl_crowd_type_texts, .meanings = sl_crowd_type_meanings),
  TEXT ("groups", groups, "A|B,C|D|E",
        "the classes that students take for one another; a class that is not named is in no group. "
        "Unless given, the first class goes with the second, the third with the fourth, and so on"),
  REAL ("difficulty", difficulty, 0, 10, "SIGMA",
        "make items differ in how easy they are: the logarithm of an item's ease is normal with "
        "standard deviation SIGMA; 0: all are alike"),
  WHOLE ("answers-per-item", answers, 1, 1e5, "N",
         "how many different annotators answer each item"),
  WHOLE ("items-per-annotator", items_per_annotator, 1, 1e12, "M",
         "share the made items out, so that all annotators get as many, give or take one, and M at "
         "most; without it the annotators of each item are drawn",
         .with = "items"),
  REAL ("activity", activity, 0, 100, "S",
        "the r-th annotator is as active as r to the power -S (Zipf's law); 0: all are equally "
        "active"),
  OUTPUT ("truth", truth, "FILE", "also write the items' true classes, as labels with gold"),
  OUTPUT ("write-confusion", write_confusion, "FILE",
          "also write the annotators' confusion matrices"),
  { 0 },
};

static gboolean
check_items (SlOptions *given, GError **error)
{
  const SlCrowdSettings *options = given->values;
  if (options->priors != NULL && sl_option_given (given, "imbalance"))
    return sl_error_usage (error, "--priors and --imbalance both say how frequent classes are");
  if (options->classes != NULL && options->confusion != NULL)
    return sl_error_usage (error,
                           "--classes has no meaning with --confusion, whose classes they are");
  if (options->items > 0 && options->classes == NULL && options->confusion == NULL)
    return sl_error_usage (error, "--items needs --classes: their names, or how many");
  return TRUE;
}

static gboolean
check_annotators (SlOptions *given, GError **error)
{
  const SlCrowdSettings *options = given->values;
  if (options->confusion != NULL && options->annotators > 0)
    return sl_error_usage (
        error, "--annotators has no meaning with --confusion, whose annotators they are");
  if (options->confusion != NULL && (options->crowd != NULL || options->groups != NULL))
    return sl_error_usage (error,
                           "--%s has no meaning with --confusion, which says how annotators answer",
                           options->crowd != NULL ? "crowd" : "groups");
  if (options->confusion == NULL && options->annotators == 0 && options->items_per_annotator == 0)
    return sl_error_usage (error, "nobody answers; give --annotators N, or --confusion FILE");
  if (options->items_per_annotator > 0 && options->activity > 0)
    return sl_error_usage (error,
                           "--items-per-annotator makes all equally active; --activity cannot be "
                           "given too");
  return TRUE;
}

static gboolean
check_options (SlOptions *given, GError **error)
{
  return check_items (given, error) && check_annotators (given, error);
}

/* ---- items ---- */

static gboolean
answer_table (SlCrowdVotes *votes, SlRun *run, GError **error)
{
  gint64 first = 0;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (run, &batch, &ok, error))
    {
      SlLabels view = sl_labels_view (batch);
      const SlCrowdItems items = { first, view.n, view.item, view.label, (gsize) view.n_classes };
      ok = sl_crowd_votes_add (votes, &items, error);
      first += view.n;
    }
  return ok;
}

#define SLAB 65536 /* items that are made at a time */

static gboolean
answer_made (SlCrowdVotes *votes, SlRun *run, const double *priors, GError **error)
{
  const SlCrowdSettings *options = run->options->values;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree gint32 *offset = g_new0 (gint32, SLAB + 1);
  gint64 from, to;
  sl_run_part (run, options->items, &from, &to);
  for (gint64 first = from; first < to; first += SLAB)
    {
      gint64 n = MIN (SLAB, to - first);
      char name[32];
      g_string_truncate (text, 0);
      for (gint64 i = 0; i < n; i++)
        {
          int length = snprintf (name, sizeof name, "i%" G_GINT64_FORMAT, first + i + 1);
          g_string_append_len (text, name, length);
          offset[i + 1] = (gint32) text->len;
        }
      const SlCrowdItems items = { first, n, { offset, text->str }, priors, 0 };
      if (!sl_crowd_votes_add (votes, &items, error))
        return FALSE;
      sl_run_progress (run, (first + n - from) * options->answers, first + n - from, to - from);
    }
  return TRUE;
}

static gboolean
makes_parts (const SlOptions *options)
{
  return ((const SlCrowdSettings *) options->values)->items > 0;
}

static gboolean
start_truth (SlCrowdVotes *votes, SlRun *run, const SlTable *table, GError **error)
{
  const SlCrowdSettings *options = run->options->values;
  if (options->truth == NULL)
    return TRUE;
  g_autoptr (SlTable) truth = sl_table_new (&sl_labels, (const char *const *) table->classes);
  sl_table_add (truth, SL_LABELS_GOLD);
  votes->truth = sl_builder_new (truth);
  votes->truth_writer = sl_run_side_table (run, options->truth, truth, error);
  return votes->truth_writer != NULL;
}

static gboolean
run (SlRun *run, GError **error)
{
  const SlCrowdSettings *options = run->options->values;
  g_auto (SlCrowdPlan) plan = { 0 };
  g_auto (SlCrowdVotes) votes = { 0 };
  if (!sl_crowd_plan_init (&plan, run, options, error))
    return FALSE;
  if (options->write_confusion != NULL
      && !sl_crowd_people_write (&plan.people, run, options->write_confusion, plan.table->classes,
                                 plan.priors, error))
    return FALSE;
  sl_crowd_people_prepare (&plan.people, options->difficulty > 0);
  sl_crowd_votes_init (&votes, run, &plan.people, &plan.assignment, plan.table);
  votes.evenly = options->items_per_annotator > 0;
  votes.sigma = options->difficulty;
  if (!start_truth (&votes, run, plan.table, error) || !sl_run_start (run, plan.table, error))
    return FALSE;
  return (options->items > 0 ? answer_made (&votes, run, plan.priors, error)
                             : answer_table (&votes, run, error))
         && sl_crowd_votes_end (&votes, error);
}

static const SlKind *const reads[] = { &sl_labels, NULL };

const SlCommand sl_command_simulate_crowd = {
  .name = "simulate crowd",
  .summary = "make votes of annotators whose confusion matrices are known",
  .arguments = "(--items N --classes K | FILE)",
  .reads = reads,
  .writes = &sl_annotations,
  .makes = "items",
  .flags = SL_COMMAND_SEEDED,
  SL_OPTIONS (option_table, defaults),
  .description
  = "Each item has a true class. It is drawn from the item's label in FILE or, with --items, "
    "from the classes' shares. Annotator a answers class l to an item of class k with "
    "probability θ_a[k][l] (Dawid and Skene). The confusion matrices θ_a are read from a "
    "table that was fitted to people, or made by --crowd. Gold in FILE is not looked at.\n\n"
    "With --difficulty, an item of ease β is answered by θ^β, normalised, in place of θ. "
    "With two classes this is GLAD: an answer is right with probability 1 / (1 + exp (-α "
    "β)), where α is the log odds of being right. With more classes and even errors it is 1 "
    "/ (1 + (K-1) exp (-α β)), where α = log θ_kk − log θ_kl.\n\n"
    "Who answers an item is drawn by activity; the draw depends on the seed and the item's "
    "name alone. An answer depends on these and on the annotator's name. Neither depends on "
    "other items, their order, or threads. With a larger --answers-per-item an item keeps "
    "the answers that it had. Only --items-per-annotator goes by the items' numbers. With "
    "--items, --shard I/N makes part I of N of the items: the parts, one after the other, are what "
    "one run makes.\n\n"
    "Labels have one row an item; an item that is there twice gets the same answers twice. "
    "`aggregate --gold` takes the table of --truth.\n\n"
    "Memory: one batch, and annotators × classes × classes where matrices differ.",
  .examples = "softlabel simulate crowd --items 10000 --classes 4 --annotators 50 --crowd \\\n"
              "    hammer=0.3,spammer=0.7 --truth truth.parquet -o votes.parquet\n"
              "    hammers and spammers, three answers an item\n"
              "softlabel aggregate --method dawid-skene --confusion fit.parquet human.parquet \\\n"
              "    -o labels.parquet\n"
              "softlabel simulate crowd --confusion fit.parquet labels.parquet -o votes.parquet\n"
              "    the people that were there, asked anew\n"
              "softlabel simulate crowd --items 1000 --classes cat,dog --imbalance 10 \\\n"
              "    -o votes.parquet --items-per-annotator 20 --difficulty 1\n"
              "    150 annotators with 20 items each, of which some are hard\n",
  .check = check_options,
  .parts = makes_parts,
  .run = run,
};
