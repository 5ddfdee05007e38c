/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pool of unlike models, each calibrated, weighed by how well it predicts answers it has not
 * seen:
 *   p_i = Σ_m w_m q_im,   w_m ∝ c_m exp (30 L_m)
 * q_im: the label of method m, calibrated as calibrate.h says; L_m: its mean log-probability of
 * held-out answers (with gold to go by, of the gold classes).
 *
 * The methods, and c_m:
 *   ebcc      2    annotators err alike on items of a kind; the mean of 5 starts
 *   hierarchical-dawid-skene, by means (as its file says), of 3 to 50 classes
 *             1    confusion that leans on the crowd's: all answers together tell what one
 *                  annotator's are too few for
 *   bwa       1    no confusion at all: the mean of answers, by how far annotators stray
 *   one-coin  1/2  one number an annotator: for sparse answers and many classes
 * Each of them fails on crowds where another does not, and a mean of probabilities that err
 * differently errs less (linear opinion pool: Stone, Annals of Mathematical Statistics 32, 1961).
 * The weights are gentle: 1/30 in L, which is a lot, makes one method count e times another.
 * Held-out answers tell which model does not fit; which of two good ones is nearer the truth they
 * can hardly tell.
 *
 * Two classes leave hierarchical-dawid-skene little to borrow; and where most annotators err alike
 * on many items, it takes these for the other class, and predicts answers all the better for it
 * (zencrowd: docs/methods.md). With more classes the pool has gained by it: on 180 simulated
 * crowds of 3 to 10 classes 0.0042 of accuracy (standard error 0.0008), 0.0072 (0.0011) of the
 * squared distance to the gold and 0.019 (0.004) of -log p; on CIFAR-10S, 2 to 6 answers an item,
 * 0.005 (0.002), 0.005 (0.002) and 0.030 (0.006); on dog, and parts of it, -0.001 (0.001), -0.001
 * (0.001) and 0.008 (0.002).
 *
 * ebcc is left out where its annotators × classes² × 10 subtypes would take more than 1 GiB, and it
 * and hierarchical-dawid-skene where there are more than 50 classes, for the time they take. The
 * methods' own settings are their defaults: the seed, threads and kept gold classes alone apply.
 * Time: about that of seven starts of ebcc. */
#include "auto.h"

#include "pipeline/base/json.h"
#include "stages/aggregate/methods/fits.h"
#include "stages/aggregate/methods/no-answers.h"
#include "stages/common/posterior.h"

#include <math.h>
#include <string.h>

static const double sharpness = 30;

typedef struct
{
  const char *name;
  SlMethodFit fit;
  SlCalibrate kind;
  double weight;
  gint64 restarts;    /* of one fit */
  int starts;         /* fits, whose mean it is */
  gint32 least, most; /* classes; with fewer or more it is left out */
} Model;

static const Model models[SL_AUTO_MEMBERS] = {
  { "ebcc", sl_fit_ebcc, SL_CALIBRATE_POSTERIORS, 2, 1, 5, 1, 50 },
  { "hierarchical-dawid-skene", sl_fit_hierarchical_means, SL_CALIBRATE_POSTERIORS, 1, 0, 1, 3,
    50 },
  { "bwa", sl_fit_bwa, SL_CALIBRATE_SHARES, 1, 0, 1, 1, G_MAXINT32 },
  { "one-coin", sl_fit_one_coin, SL_CALIBRATE_POSTERIORS, 0.5, 0, 1, 1, G_MAXINT32 },
};

static gboolean
left_out (const Model *model, const SlItems *items, const SlAnswers *answers)
{
  double k = items->n_classes;
  return k < model->least || k > model->most
         || (model->fit == sl_fit_ebcc && answers->n_annotators * k * k * 10 * 8 > 1 << 30);
}

static SlMethodSettings
own_settings (const Model *model, const SlMethodSettings *settings)
{
  SlPulse pulse = settings->pulse;
  pulse.what = model->name;
  return (SlMethodSettings){
    .pulse = pulse,
    .temperature = 1,
    .seed = settings->seed,
    .threads = settings->threads,
    .tolerance = NAN,
    .smoothing = NAN,
    .restarts = model->restarts,
    .fix_gold = settings->fix_gold,
  };
}

/* Adds WEIGHT × the member's calibrated label to sum[n_items][n_classes]. */
static gboolean
add (const Model *model, const SlAutoMember *member, const SlItems *items, const SlAnswers *answers,
     const SlMethodSettings *settings, double *sum, GError **error)
{
  gsize size = (gsize) items->n_items * (gsize) items->n_classes;
  SlMethodSettings own = own_settings (model, settings);
  for (int start = 0; start < model->starts; start++)
    {
      g_autofree double *label = g_memdup2 (items->label, size * sizeof *label);
      SlItems copy = *items;
      SlLearned nothing = { 0 };
      copy.label = label;
      own.seed = settings->seed + (guint64) start;
      own.pulse.start = start + 1;
      own.pulse.starts = model->starts;
      if (!model->fit (&copy, answers, &own, &nothing, error))
        return FALSE;
      sl_calibration_apply (&member->calibration, &copy, settings);
      for (gsize p = 0; p < size; p++)
        sum[p] += member->weight / model->starts * label[p];
    }
  return TRUE;
}

/* Calibrations, and from them, weights that sum to 1. */
static gboolean
weigh (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
       SlAutoMember *members, GError **error)
{
  double best = -INFINITY, sum = 0;
  for (int m = 0; m < SL_AUTO_MEMBERS; m++)
    {
      const Model *model = &models[m];
      SlMethodSettings own = own_settings (model, settings);
      members[m] = (SlAutoMember){ .name = model->name };
      if (left_out (model, items, answers))
        continue;
      if (!sl_calibration_find (model->fit, model->kind, items, answers, &own,
                                &members[m].calibration, error))
        return FALSE;
      members[m].weight = model->weight;
      best = MAX (best, members[m].calibration.predicted);
    }
  for (int m = 0; m < SL_AUTO_MEMBERS; m++)
    if (members[m].weight > 0) /* the others have predicted nothing */
      sum += members[m].weight *= exp (sharpness * (members[m].calibration.predicted - best));
  for (int m = 0; m < SL_AUTO_MEMBERS; m++)
    members[m].weight /= sum;
  return TRUE;
}

gboolean
sl_auto (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
         SlLearned *learned, SlAutoMember members[SL_AUTO_MEMBERS], GError **error)
{
  for (int m = 0; m < SL_AUTO_MEMBERS; m++)
    members[m] = (SlAutoMember){ .name = models[m].name };
  if (sl_unanswered (items, answers, settings, learned))
    return TRUE;
  gsize size = (gsize) items->n_items * (gsize) items->n_classes;
  g_autofree double *sum = g_new0 (double, size);
  if (!weigh (items, answers, settings, members, error))
    return FALSE;
  for (int m = 0; m < SL_AUTO_MEMBERS; m++)
    if (members[m].weight > 0
        && !add (&models[m], &members[m], items, answers, settings, sum, error))
      return FALSE;
  memcpy (items->label, sum, size * sizeof *sum);
  for (gint32 i = 0; i < items->n_items; i++)
    sl_posterior_from_scores (&items->label[(gsize) i * (gsize) items->n_classes],
                              items->n_classes);
  g_auto (SlByItem) by;
  sl_by_item_init (&by, items, answers, 0);
  sl_posterior_learn (items, &by, NULL, learned);
  return TRUE;
}

/* The pool in words. */
static void
note (const SlAutoMember members[SL_AUTO_MEMBERS], const SlLearned *learned)
{
  for (int m = 0; m < SL_AUTO_MEMBERS; m++)
    {
      const SlCalibration *calibration = &members[m].calibration;
      g_autoptr (GString) text = g_string_new (NULL);
      g_string_printf (text, "%s: ", members[m].name);
      if (members[m].weight > 0 || calibration->n_predicted > 0)
        g_string_append_printf (text, "weight %.3f in the pool", members[m].weight);
      else
        g_string_append (text, "not in the pool, for the number of classes or of annotators");
      if (calibration->n_predicted > 0)
        g_string_append_printf (text, "; %" G_GINT64_FORMAT " predicted, mean log-probability %.4f",
                                calibration->n_predicted, calibration->predicted);
      learned->note (learned->data, text->str);
    }
}

/* The pool as members of a JSON object. */
static void
tell (const SlAutoMember members[SL_AUTO_MEMBERS], GString *found)
{
  sl_json_member (found, "pool");
  g_string_append_c (found, '{');
  for (int m = 0; m < SL_AUTO_MEMBERS; m++)
    {
      const SlCalibration *calibration = &members[m].calibration;
      const struct
      {
        const char *name;
        double value;
      } values[] = {
        { "weight", members[m].weight },
        { "correlation", calibration->correlation },
        { "power", calibration->power },
        { "predicted", calibration->n_predicted > 0 ? calibration->predicted : NAN },
      };
      sl_json_member (found, members[m].name);
      g_string_append_c (found, '{');
      for (gsize v = 0; v < (members[m].weight > 0 ? G_N_ELEMENTS (values) : 1); v++)
        {
          sl_json_member (found, values[v].name);
          sl_json_real (found, values[v].value);
        }
      g_string_append_c (found, '}');
    }
  g_string_append_c (found, '}');
}

gboolean
sl_fit_auto (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
             SlLearned *learned, GError **error)
{
  SlAutoMember members[SL_AUTO_MEMBERS];
  if (!sl_auto (items, answers, settings, learned, members, error))
    return FALSE;
  if (learned->note != NULL)
    note (members, learned);
  if (learned->found != NULL)
    tell (members, learned->found);
  return TRUE;
}
