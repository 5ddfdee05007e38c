/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pool of unlike models, each calibrated, weighed by how well it predicts answers it has not
 * seen, and by how far its classes' shares are from those of the votes:
 *   p_i = Σ_m w_m q_im,   w_m ∝ c_m exp (30 L_m - (g_m / 0.1)²)
 * q_im: the label of method m, taken to the power of calibrate.h; L_m: its mean log-probability of
 * held-out answers; g_m: what its labels give to a class more than the votes do, at most.
 *
 * The methods, and c_m:
 *   ebcc      2    annotators err alike on items of a kind; the mean of 5 starts
 *   hierarchical-dawid-skene, by means (as its file says), of 3 to 50 classes
 *             1    confusion that leans on the crowd's: all answers together tell what one
 *                  annotator's are too few for
 *   bwa       1    no confusion at all: the mean of answers, by how far annotators stray
 *   one-coin  1/2  one number an annotator: for sparse answers and many classes
 *   rating    2    of ordered classes alone: a place for each item, and a bias and spread for each
 *             annotator, which no confusion matrix of so few answers tells
 * Each of them fails on crowds where another does not, and a mean of probabilities that err
 * differently errs less (linear opinion pool: Stone, Annals of Mathematical Statistics 32, 1961).
 * The sharpness 30 keeps weights gentle: a difference of 1/30 in L, which is large, makes one
 * method count e times another. Held-out answers tell which model does not fit; which of two good
 * ones is nearer the truth they can hardly tell.
 *
 * A member that puts nearly everything in one class is sure of it, and held-out answers, most of
 * which name the class, do not tell: its gain g_m does. Classes may be rarer in the votes than in
 * truth, so it is no hard edge.
 *
 * How sure the posteriors may be is told by how far answers to an item go together beyond what the
 * model explains (common-errors.h). ebcc, whose kinds of items explain a part of that, has 0.6 of
 * the correlation. The power of bwa's shares is found by held-out answers, as calibrate.h says.
 *
 * Members do not see gold classes; where some are known, the pool's label is corrected by them as
 * gold-correction.h says.
 *
 * Two classes leave hierarchical-dawid-skene little to borrow; and where most annotators err alike
 * on many items, it takes these for the other class, and predicts answers all the better for it
 * (zencrowd: docs/methods.md).
 *
 * ebcc is left out where its annotators × classes² × 10 subtypes would take more than 1 GiB, and it
 * and hierarchical-dawid-skene where there are more than 50 classes, for the time they take. The
 * methods' own settings are their defaults: the seed and threads alone apply.
 * Time: about that of seven starts of ebcc. */
#include "auto.h"
#include "gold-correction.h"

#include "pipeline/base/error.h"
#include "pipeline/base/json.h"
#include "pipeline/base/real-math.h"
#include "pipeline/base/vector-math.h"
#include "stages/aggregate/methods/fits.h"
#include "stages/common/methods/posterior.h"

#include <math.h>
#include <string.h>

static const double sharpness = 30, usual_gain = 0.1;

typedef struct
{
  const char *name;
  SlMethodFit fit;
  SlCalibrate kind;
  double weight;
  double correlation; /* how much of what common-errors.h tells */
  gint64 restarts;    /* of one fit */
  int starts;         /* fits, whose mean it is */
  gint32 least, most; /* classes; with fewer or more it is left out */
} Model;

static const Model models[SL_AUTO_MEMBERS] = {
  { "ebcc", sl_fit_ebcc, SL_CALIBRATE_POSTERIORS, 2, 0.6, 1, 5, 1, 50 },
  { "hierarchical-dawid-skene", sl_fit_hierarchical_means, SL_CALIBRATE_POSTERIORS, 1, 1, 0, 1, 3,
    50 },
  { "bwa", sl_fit_bwa, SL_CALIBRATE_SHARES, 1, 0, 0, 1, 1, G_MAXINT32 },
  { "one-coin", sl_fit_one_coin, SL_CALIBRATE_POSTERIORS, 0.5, 1, 0, 1, 1, G_MAXINT32 },
  { "rating", sl_fit_rating, SL_CALIBRATE_POSTERIORS, 2, 0.6, 0, 1, 3, 50 },
};

static gboolean
is_left_out (const Model *model, const SlItems *items, const SlAnswers *answers,
             const SlMethodSettings *settings)
{
  double k = items->n_classes;
  return k < model->least || k > model->most
         || (model->fit == sl_fit_rating && settings->value == NULL)
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
    .value = settings->value,
  };
}

/* What the pool is made of, as member after member joins it: each[n_items][n_classes] by the
 * weights that members have beside the best so far. */
typedef struct
{
  const SlItems *items;
  const SlAnswers *answers;
  const SlMethodSettings *settings;
  double *votes; /* [n_classes]: the mean share of the votes */
  double *sum, *label, *start;
  double *fitted; /* what hierarchical-dawid-skene made of all answers; or NULL */
  double best;    /* the largest logarithm of a weight so far */
} Pool;

static void
pool_clear (Pool *pool)
{
  g_free (pool->votes);
  g_free (pool->sum);
  g_free (pool->label);
  g_free (pool->start);
  g_free (pool->fitted);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pool, pool_clear)

static gsize
pool_size (const Pool *pool)
{
  return (gsize) pool->items->n_items * (gsize) pool->items->n_classes;
}

/* SHARE[n_classes]: the mean of LABEL[n_items][n_classes]. */
static void
mean_label (const SlItems *items, const double *label, double *share)
{
  gsize n = (gsize) items->n_classes;
  memset (share, 0, n * sizeof *share);
  for (gint32 i = 0; i < items->n_items; i++)
    for (gsize k = 0; k < n; k++)
      share[k] += label[(gsize) i * n + k];
  sl_posterior_from_scores (share, items->n_classes);
}

static void
pool_init (Pool *pool, const SlItems *items, const SlAnswers *answers,
           const SlMethodSettings *settings)
{
  *pool = (Pool){ .items = items, .answers = answers, .settings = settings };
  pool->votes = g_new (double, (gsize) items->n_classes);
  pool->sum = g_new (double, pool_size (pool));
  pool->label = g_new (double, pool_size (pool));
  pool->start = g_new (double, pool_size (pool));
  SlItems shares = *items;
  shares.label = memcpy (pool->start, items->label, pool_size (pool) * sizeof *pool->start);
  SlMethodSettings blind = own_settings (&models[0], settings);
  sl_posterior_shares (&shares, &blind);
  mean_label (items, shares.label, pool->votes);
}

/* pool->label becomes the member's calibrated label: the mean of its starts. */
static gboolean
fit_member (const Pool *pool, const Model *model, const SlAutoMember *member, GError **error)
{
  gsize size = pool_size (pool);
  SlMethodSettings own = own_settings (model, pool->settings);
  memset (pool->label, 0, size * sizeof *pool->label);
  for (int start = 0; start < model->starts; start++)
    {
      SlItems copy = *pool->items;
      SlLearned nothing = { 0 };
      copy.label = memcpy (pool->start, pool->items->label, size * sizeof *pool->start);
      own.seed = pool->settings->seed + (guint64) start;
      own.pulse.start = start + 1;
      own.pulse.starts = model->starts;
      if (model->fit == sl_fit_hierarchical_means && pool->fitted != NULL)
        memcpy (copy.label, pool->fitted, size * sizeof *pool->fitted);
      else if (!model->fit (&copy, pool->answers, &own, &nothing, error))
        return FALSE;
      sl_calibration_apply (&member->calibration, &copy, &own);
      for (gsize p = 0; p < size; p++)
        pool->label[p] += copy.label[p] / model->starts;
    }
  return TRUE;
}

/* How much more of all items the member's labels give to a class than the votes do, at most. */
static double
largest_gain (const Pool *pool)
{
  gsize n = (gsize) pool->items->n_classes;
  g_autofree double *share = g_new (double, n);
  double most = 0;
  mean_label (pool->items, pool->label, share);
  for (gsize k = 0; k < n; k++)
    most = MAX (most, share[k] - pool->votes[k]);
  return most;
}

/* Takes pool->label in, as the label of member M. */
static void
join (Pool *pool, SlAutoMember *member, int m)
{
  double gain = member[m].gain / usual_gain;
  double log_weight
      = sharpness * member[m].calibration.predicted - gain * gain + sl_log (models[m].weight);
  double best = MAX (pool->best, log_weight);
  double others = sl_scalar_exp (MAX (pool->best - best, -1000));
  double own = sl_scalar_exp (MAX (log_weight - best, -1000));
  for (int before = 0; before < m; before++)
    member[before].weight *= others;
  member[m].weight = own;
  for (gsize p = 0; p < pool_size (pool); p++)
    pool->sum[p] = others * pool->sum[p] + own * pool->label[p];
  pool->best = best;
}

static gboolean
fit_pool (Pool *pool, SlAutoMember *member, GError **error)
{
  memset (pool->sum, 0, pool_size (pool) * sizeof *pool->sum);
  pool->best = -DBL_MAX;
  for (int m = 0; m < SL_AUTO_MEMBERS; m++)
    {
      if (member[m].left_out)
        continue;
      if (!fit_member (pool, &models[m], &member[m], error))
        return FALSE;
      if (pool->settings->decided == NULL)
        member[m].gain = largest_gain (pool);
      join (pool, member, m);
    }
  return TRUE;
}

/* By how much held-out answers, which err with the others, overrate what shares are worth. */
static double
overrated (double excess)
{
  return 1 + CLAMP (excess / SL_USUAL_EXCESS, 0, 1);
}

/* How sure member M may be, and what it predicts. */
static gboolean
calibrate_member (const Pool *pool, int m, SlAuto *told, GError **error)
{
  SlCalibration *calibration = &told->member[m].calibration;
  SlMethodSettings own = own_settings (&models[m], pool->settings);
  if (!sl_calibration_find (models[m].fit, models[m].kind, pool->items, pool->answers, &own,
                            calibration, error))
    return FALSE;
  if (models[m].kind == SL_CALIBRATE_POSTERIORS)
    calibration->correlation = models[m].correlation * sl_common_errors_correlation (told->excess);
  else
    calibration->power = MAX (calibration->seen_power / overrated (told->excess), 1);
  return TRUE;
}

static gboolean
calibrate (Pool *pool, SlAuto *told, GError **error)
{
  SlMethodSettings own = own_settings (&models[1], pool->settings);
  told->excess = SL_USUAL_EXCESS;
  if (!is_left_out (&models[1], pool->items, pool->answers, pool->settings))
    pool->fitted = g_new (double, pool_size (pool));
  if (pool->items->n_classes <= models[1].most
      && !sl_common_errors (sl_fit_hierarchical_means, pool->items, pool->answers, &own,
                            pool->fitted, &told->excess, error))
    return FALSE;
  for (int m = 0; m < SL_AUTO_MEMBERS; m++)
    {
      told->member[m].left_out
          = is_left_out (&models[m], pool->items, pool->answers, pool->settings);
      if (!told->member[m].left_out && !calibrate_member (pool, m, told, error))
        return FALSE;
    }
  return TRUE;
}

/* The decisions are another run's; what it had left out stays so. */
static void
take_over (const Pool *pool, SlAuto *told)
{
  *told = *pool->settings->decided;
  for (int m = 0; m < SL_AUTO_MEMBERS; m++)
    if (is_left_out (&models[m], pool->items, pool->answers, pool->settings))
      told->member[m] = (SlAutoMember){ .name = models[m].name, .left_out = TRUE };
}

/* Corrects ITEMS' labels, which have not seen the gold classes, by them. */
static void
correct_by_gold (const SlItems *items, const SlByItem *by, guint64 seed, SlAuto *told)
{
  g_auto (SlGoldCorrection) correction = { 0 };
  sl_gold_correction_learn (&correction, items, by, seed);
  sl_gold_correction_apply (&correction, items, by);
  memcpy (told->corrections, correction.weight, sizeof told->corrections);
  for (gint32 i = 0; i < items->n_items; i++)
    if (items->gold[i] >= 0)
      sl_posterior_set (&items->label[(gsize) i * (gsize) items->n_classes], items->n_classes,
                        items->gold[i]);
}

gboolean
sl_auto (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
         SlLearned *learned, SlAuto *told, GError **error)
{
  *told = (SlAuto){ .excess = 0 };
  for (int m = 0; m < SL_AUTO_MEMBERS; m++)
    told->member[m].name = models[m].name;
  if (sl_no_answers (items, answers, settings, learned))
    return TRUE;
  g_auto (Pool) pool;
  pool_init (&pool, items, answers, settings);
  if (settings->decided != NULL)
    take_over (&pool, told);
  else if (!calibrate (&pool, told, error))
    return FALSE;
  if (!fit_pool (&pool, told->member, error))
    return FALSE;
  double sum = 0;
  for (int m = 0; m < SL_AUTO_MEMBERS; m++)
    sum += told->member[m].weight;
  for (int m = 0; m < SL_AUTO_MEMBERS; m++)
    told->member[m].weight /= sum;
  memcpy (items->label, pool.sum, pool_size (&pool) * sizeof *pool.sum);
  for (gint32 i = 0; i < items->n_items; i++)
    sl_posterior_from_scores (&items->label[(gsize) i * (gsize) items->n_classes],
                              items->n_classes);
  g_auto (SlByItem) by;
  sl_by_item_init (&by, items, answers, 0);
  if (settings->fix_gold && items->gold != NULL)
    correct_by_gold (items, &by, settings->seed, told);
  sl_posterior_learn (items, &by, NULL, learned);
  return TRUE;
}

/* The pool in words. */
static void
note (const SlAuto *told, const SlLearned *learned)
{
  for (int m = 0; m < SL_AUTO_MEMBERS; m++)
    {
      const SlAutoMember *member = &told->member[m];
      if (models[m].fit == sl_fit_rating && member->left_out)
        continue;
      g_autoptr (GString) text = g_string_new (NULL);
      g_string_printf (text, "%s: ", member->name);
      if (member->left_out)
        g_string_append (text, "not in the pool, for the number of classes or of annotators");
      else
        g_string_append_printf (text,
                                "weight %.3f in the pool; gives one class %.3f more of the items "
                                "than the votes do",
                                member->weight, member->gain);
      if (member->calibration.n_predicted > 0)
        g_string_append_printf (text, "; %" G_GINT64_FORMAT " predicted, mean log-probability %.4f",
                                member->calibration.n_predicted, member->calibration.predicted);
      learned->note (learned->data, text->str);
    }
  g_autofree char *errors
      = g_strdup_printf ("answers to one item go together by %.3f more than if annotators erred "
                         "independently: two answers are taken to correlate by %.2f",
                         told->excess, sl_common_errors_correlation (told->excess));
  learned->note (learned->data, errors);
  if (!(told->corrections[0] > 0))
    return;
  g_autofree char *gold = g_strdup_printf ("gold classes corrected the labels: %.2f of it for all "
                                           "classes alike, %.2f by class, the rest "
                                           "by class and annotator",
                                           told->corrections[0], told->corrections[1]);
  learned->note (learned->data, gold);
}

/* A member NAME; null where VALUE is not finite. */
static void
tell_real (GString *found, const char *name, double value)
{
  sl_json_member (found, name);
  sl_json_real (found, value);
}

/* The pool as members of a JSON object. */
static void
append_pool (const SlAuto *told, GString *found)
{
  tell_real (found, "common_errors", told->excess);
  tell_real (found, "correlation", sl_common_errors_correlation (told->excess));
  for (int t = 0; t < SL_GOLD_TRIES && told->corrections[0] > 0; t++)
    {
      g_autofree char *name = g_strdup_printf ("gold_correction_%d", t + 1);
      tell_real (found, name, told->corrections[t]);
    }
  sl_json_member (found, "pool");
  g_string_append_c (found, '{');
  for (int m = 0; m < SL_AUTO_MEMBERS; m++)
    {
      const SlAutoMember *member = &told->member[m];
      const SlCalibration *calibration = &member->calibration;
      if (models[m].fit == sl_fit_rating && member->left_out)
        continue;
      sl_json_member (found, member->name);
      g_string_append_c (found, '{');
      tell_real (found, "weight", member->weight);
      if (!member->left_out)
        {
          tell_real (found, "correlation", calibration->correlation);
          tell_real (found, "power", calibration->power);
          tell_real (found, "predicted", calibration->predicted < 0 ? calibration->predicted : NAN);
          tell_real (found, "gain", member->gain);
        }
      g_string_append_c (found, '}');
    }
  g_string_append_c (found, '}');
}

gboolean
sl_auto_decided (SlJson found, SlAuto *decided)
{
  SlJson pool = sl_json_get (found, "pool");
  *decided = (SlAuto){ .excess = sl_json_number (sl_json_get (found, "common_errors")) };
  gboolean any = FALSE;
  for (int m = 0; m < SL_AUTO_MEMBERS; m++)
    {
      SlAutoMember *member = &decided->member[m];
      SlJson told = sl_json_get (pool, models[m].name);
      member->name = models[m].name;
      member->calibration.correlation = sl_json_number (sl_json_get (told, "correlation"));
      member->calibration.power = sl_json_number (sl_json_get (told, "power"));
      member->gain = sl_json_number (sl_json_get (told, "gain"));
      double predicted = sl_json_number (sl_json_get (told, "predicted"));
      member->calibration.predicted = isnan (predicted) ? 0 : predicted;
      member->left_out = !(member->calibration.correlation >= 0 && member->calibration.power > 0
                           && isfinite (member->gain));
      any = any || !member->left_out;
    }
  return any && isfinite (decided->excess);
}

gboolean
sl_fit_auto (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
             SlLearned *learned, GError **error)
{
  SlAuto told;
  if (answers->distribution != NULL && settings->decided != NULL)
    return sl_error_bad_input (error, "answers are soft here, and auto has no pool of methods for "
                                      "them: leave --calibrate out");
  if (answers->distribution != NULL)
    return sl_fit_soft_evidence (items, answers, settings, learned, error);
  if (!sl_auto (items, answers, settings, learned, &told, error))
    return FALSE;
  if (learned->note != NULL)
    note (&told, learned);
  if (learned->found != NULL)
    append_pool (&told, learned->found);
  return TRUE;
}

double
sl_auto_tables (const SlAnswers *answers, gint32 n_classes)
{
  return answers->distribution != NULL ? sl_soft_evidence_tables (answers, n_classes) : 1;
}
