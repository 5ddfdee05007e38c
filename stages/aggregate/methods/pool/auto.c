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
 * The sharpness 30 keeps weights gentle: a difference of 1/30 in L, which is large, makes one
 * method count e times another. Held-out answers tell which model does not fit; which of two good
 * ones is nearer the truth they can hardly tell.
 *
 * Two classes leave hierarchical-dawid-skene little to borrow; and where most annotators err alike
 * on many items, it takes these for the other class, and predicts answers all the better for it
 * (zencrowd: docs/methods.md). With more classes the pool has gained by it: on 180 simulated crowds
 * of 3 to 10 classes 0.0042 of accuracy (standard error 0.0008), 0.0072 (0.0011) of the squared
 * distance to the gold and 0.019 (0.004) of -log p; on CIFAR-10S, 2 to 6 answers an item, 0.005
 * (0.002), 0.005 (0.002) and 0.030 (0.006); on dog, and parts of it, -0.001 (0.001), -0.001 (0.001)
 * and 0.008 (0.002).
 *
 * A member whose labels give one class a larger share of the items than the votes do, by more than
 * 0.1, has collapsed and is left out: it puts nearly everything in that class and is sure of it,
 * and held-out answers, most of which name the class, do not tell (seen of one-coin and bwa on a
 * real set of 20,000 answers). With two classes that is the total variation; with many, labels are
 * apart from votes by that measure wherever strays are. Of fewer than 100 items, N of them, it
 * takes 1/√N, as shares differ by that much by chance. Where all members collapse, all stay.
 *
 * ebcc is left out where its annotators × classes² × 10 subtypes would take more than 1 GiB, and it
 * and hierarchical-dawid-skene where there are more than 50 classes, for the time they take. The
 * methods' own settings are their defaults: the seed, threads and kept gold classes alone apply.
 * Time: about that of seven starts of ebcc. */
#include "auto.h"

#include "pipeline/base/json.h"
#include "pipeline/base/vector-math.h"
#include "stages/aggregate/methods/fits.h"
#include "stages/aggregate/methods/no-answers.h"
#include "stages/common/methods/posterior.h"

#include <math.h>
#include <string.h>

static const double sharpness = 30, most_gain = 0.1;

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
is_left_out (const Model *model, const SlItems *items, const SlAnswers *answers)
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

/* What the pool is made of, as member after member joins it: each[n_items][n_classes] by the
 * weights that members have beside the best so far. */
typedef struct
{
  const SlItems *items;
  const SlAnswers *answers;
  const SlMethodSettings *settings;
  double *votes; /* [n_classes]: the mean share of the votes */
  double *sum, *label, *start;
  double best;    /* L of the best member so far */
  gboolean trust; /* nobody is left out for having collapsed */
} Pool;

static void
pool_clear (Pool *pool)
{
  g_free (pool->votes);
  g_free (pool->sum);
  g_free (pool->label);
  g_free (pool->start);
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
  sl_posterior_shares (&shares, settings);
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
      if (!model->fit (&copy, pool->answers, &own, &nothing, error))
        return FALSE;
      sl_calibration_apply (&member->calibration, &copy, pool->settings);
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
join (Pool *pool, SlAutoMember *members, int m)
{
  double predicted = members[m].calibration.predicted, best = MAX (pool->best, predicted);
  double others = sl_scalar_exp (MAX (sharpness * (pool->best - best), -1000));
  double own = models[m].weight * sl_scalar_exp (MAX (sharpness * (predicted - best), -1000));
  for (int before = 0; before < m; before++)
    members[before].weight *= others;
  members[m].weight = own;
  for (gsize p = 0; p < pool_size (pool); p++)
    pool->sum[p] = others * pool->sum[p] + own * pool->label[p];
  pool->best = best;
}

/* Each member that does not collapse. Returns how many. */
static int
fit_pool (Pool *pool, SlAutoMember *members, GError **error)
{
  int joined = 0;
  double most = MAX (most_gain, 1 / sqrt (pool->items->n_items));
  memset (pool->sum, 0, pool_size (pool) * sizeof *pool->sum);
  pool->best = -DBL_MAX;
  for (int m = 0; m < SL_AUTO_MEMBERS; m++)
    {
      if (members[m].left_out)
        continue;
      if (!fit_member (pool, &models[m], &members[m], error))
        return -1;
      members[m].gain = largest_gain (pool);
      if (members[m].gain > most && !pool->trust)
        continue;
      join (pool, members, m);
      joined++;
    }
  return joined;
}

static gboolean
calibrate (const Pool *pool, SlAutoMember *members, GError **error)
{
  for (int m = 0; m < SL_AUTO_MEMBERS; m++)
    {
      SlMethodSettings own = own_settings (&models[m], pool->settings);
      members[m].left_out = is_left_out (&models[m], pool->items, pool->answers);
      if (!members[m].left_out
          && !sl_calibration_find (models[m].fit, models[m].kind, pool->items, pool->answers, &own,
                                   &members[m].calibration, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
sl_auto (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
         SlLearned *learned, SlAutoMember members[SL_AUTO_MEMBERS], GError **error)
{
  for (int m = 0; m < SL_AUTO_MEMBERS; m++)
    members[m] = (SlAutoMember){ .name = models[m].name };
  if (sl_no_answers (items, answers, settings, learned))
    return TRUE;
  g_auto (Pool) pool;
  pool_init (&pool, items, answers, settings);
  if (!calibrate (&pool, members, error))
    return FALSE;
  int joined = fit_pool (&pool, members, error);
  pool.trust = joined == 0;
  if (joined < 0 || (joined == 0 && fit_pool (&pool, members, error) < 0))
    return FALSE;
  double sum = 0;
  for (int m = 0; m < SL_AUTO_MEMBERS; m++)
    sum += members[m].weight;
  for (int m = 0; m < SL_AUTO_MEMBERS; m++)
    members[m].weight /= sum;
  memcpy (items->label, pool.sum, pool_size (&pool) * sizeof *pool.sum);
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
      if (members[m].left_out)
        g_string_append (text, "not in the pool, for the number of classes or of annotators");
      else if (members[m].weight > 0)
        g_string_append_printf (text, "weight %.3f in the pool", members[m].weight);
      else
        g_string_append_printf (text,
                                "not in the pool: it gives one class %.3f more of the items "
                                "than the votes do",
                                members[m].gain);
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
        { "gain", members[m].gain },
      };
      sl_json_member (found, members[m].name);
      g_string_append_c (found, '{');
      for (gsize v = 0; v < (members[m].left_out ? 1 : G_N_ELEMENTS (values)); v++)
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
