/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attacks on each network by its own gradients. FGSM gives one row an example, after its step; PGD
 * one before each step, and one after the last. */
#include "predict.h"

#include "attacks/attack.h"
#include "pipeline/base/intern/intern.h"
#include "schemas/labels.h"
#include "stages/common/classes/class-map.h"
#include "stages/common/network/soft-cross-entropy.h"

#include <string.h>

/* What is kept of the batch until an example's rows stand together: [networks][epsilons][rows of an
 * attack][n]. */
typedef struct
{
  gsize n, k, n_rows; /* rows of an attack */
  float *logits;
  double *loss;
} Kept;

static gsize
place (const Kept *kept, gsize network, gsize epsilon, gsize n_epsilon, gsize row)
{
  return ((network * n_epsilon + epsilon) * kept->n_rows + row) * kept->n;
}

/* Logits and losses of x[n][size]; GRAD, unless NULL, becomes the losses' gradients with respect to
 * logits. */
static gboolean
predict_attacked (SlPrediction *prediction, SlNetwork *network, const float *x, const Kept *kept,
                  gsize at, float *grad, double *room, GError **error)
{
  gsize k = kept->k;
  memcpy (sl_network_input (network), x, kept->n * prediction->predictors->size * sizeof *x);
  const float *z = sl_network_forward (network, (int) kept->n, FALSE, 0, error);
  if (z == NULL)
    return FALSE;
  memcpy (kept->logits + at * k, z, kept->n * k * sizeof *z);
  for (gsize i = 0; i < kept->n; i++)
    kept->loss[at + i] = sl_loss_soft (z + i * k, prediction->target + i * k, 1, k, 1,
                                       grad != NULL ? grad + i * k : NULL, room);
  return TRUE;
}

/* What is drawn for an example depends on the seed, its name and the network's number. */
static void
start (const SlPrediction *prediction, const SlPredictedRow *rows, const float *origin, gsize n,
       gsize network, double epsilon, float *x)
{
  gsize size = prediction->predictors->size;
  memcpy (x, origin, n * size * sizeof *x);
  for (gsize i = 0; prediction->attack->random_start && i < n; i++)
    {
      SlRandom random = sl_random (prediction->attack->seed, sl_random_purpose ("predict: attack"),
                                   sl_text_hash (rows[i].item, rows[i].length), network, 0);
      sl_attack_start (x + i * size, origin + i * size, size, epsilon, &random);
    }
}

static gboolean
attack (SlPrediction *prediction, const SlPredictedRow *rows, const float *origin, Kept *kept,
        gsize r, gsize e, GError **error)
{
  const SlAttackPlan *plan = prediction->attack;
  SlNetwork *network = g_ptr_array_index (prediction->predictors->networks, r);
  gsize size = prediction->predictors->size, n = kept->n;
  gboolean once = plan->kind == SL_ATTACK_FGSM;
  gint64 steps = once ? 1 : plan->steps;
  double step = once ? plan->epsilon[e] : plan->step_size;
  g_autofree float *x = g_new (float, n *size);
  g_autofree float *grad = g_new (float, n * kept->k);
  g_autofree double *room = g_new (double, kept->k);
  start (prediction, rows, origin, n, r, plan->epsilon[e], x);
  for (gint64 s = 0; s < steps; s++)
    {
      if (!predict_attacked (prediction, network, x, kept,
                             place (kept, r, e, plan->n_epsilon, once ? 0 : (gsize) s), grad, room,
                             error)
          || !sl_network_backward (network, (int) n, grad, error))
        return FALSE;
      sl_attack_step (x, origin, sl_network_input_gradient (network), n * size, step,
                      plan->epsilon[e]);
    }
  return predict_attacked (prediction, network, x, kept,
                           place (kept, r, e, plan->n_epsilon, kept->n_rows - 1), NULL, room,
                           error);
}

static gboolean
write_example (SlPrediction *prediction, const SlPredictedRow *from, const Kept *kept, gsize i,
               GError **error)
{
  const SlAttackPlan *plan = prediction->attack;
  for (gsize r = 0; r < prediction->predictors->networks->len; r++)
    for (gsize e = 0; e < plan->n_epsilon; e++)
      for (gsize s = 0; s < kept->n_rows; s++)
        {
          gsize at = place (kept, r, e, plan->n_epsilon, s) + i;
          SlPredictedRow row = *from;
          row.run = (gint32) r;
          row.logits = kept->logits + at * kept->k;
          row.epsilon = plan->epsilon[e];
          row.step = plan->kind == SL_ATTACK_FGSM ? 1 : (gint32) s;
          row.loss = kept->loss[at];
          if (!sl_write_row (prediction, &row, error))
            return FALSE;
        }
  return TRUE;
}

gboolean
sl_predict_attacked (SlPrediction *prediction, const float *x, const SlPredictedRow *rows, gsize n,
                     GError **error)
{
  const SlAttackPlan *plan = prediction->attack;
  gsize n_networks = prediction->predictors->networks->len, k = prediction->predictors->k;
  Kept kept = { n, k, plan->kind == SL_ATTACK_FGSM ? 1 : (gsize) plan->steps + 1, NULL, NULL };
  gsize n_kept = n_networks * plan->n_epsilon * kept.n_rows * n;
  g_autofree float *logits = kept.logits = g_new (float, n_kept *k);
  g_autofree double *loss = kept.loss = g_new (double, n_kept);
  for (gsize r = 0; r < n_networks; r++)
    for (gsize e = 0; e < plan->n_epsilon; e++)
      if (!attack (prediction, rows, x, &kept, r, e, error))
        return FALSE;
  for (gsize i = 0; i < n; i++)
    if (!write_example (prediction, &rows[i], &kept, i, error))
      return FALSE;
  return TRUE;
}

static gboolean
add_batch (SlAttackTargets *targets, SlRun *run, const SlBatch *batch, const gint32 *map,
           GError **error)
{
  SlLabels view = sl_labels_view (batch);
  for (gint64 i = 0; i < view.n; i++)
    {
      gsize item = (gsize) sl_intern_text (targets->items, view.item, i);
      if (item == targets->sum->len)
        {
          if (!sl_run_claim (run, targets->k * 2 * sizeof (double), "the labels of --targets",
                             error))
            return FALSE;
          g_array_set_size (targets->sum, (guint) item + 1);
        }
      double *sum = (double *) (gpointer) targets->sum->data + item * targets->k;
      for (gsize j = 0; j < targets->k; j++)
        sum[map[j]] += view.weight[i] * view.label[(gsize) i * targets->k + j];
    }
  return TRUE;
}

gboolean
sl_attack_targets_init (SlAttackTargets *targets, SlRun *run, const char *path,
                        char *const *classes, gsize k, GError **error)
{
  static const SlKind *const kinds[] = { &sl_labels, NULL };
  *targets = (SlAttackTargets){ .k = k };
  if (path == NULL)
    return TRUE;
  targets->items = sl_intern_new ();
  targets->sum = g_array_new (FALSE, TRUE, (guint) (k * sizeof (double)));
  g_autoptr (SlTable) own = sl_table_new (&sl_labels, (const char *const *) classes);
  g_autoptr (SlReader) reader = sl_run_open (run, "targets", path, kinds, error);
  g_autofree gint32 *map = reader != NULL ? sl_class_map (reader, own, error) : NULL;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (map != NULL && sl_reader_each (reader, &batch, &ok, error))
    ok = add_batch (targets, run, batch, map, error);
  return map != NULL && ok;
}

void
sl_attack_targets_clear (SlAttackTargets *targets)
{
  g_clear_pointer (&targets->items, sl_intern_free);
  g_clear_pointer (&targets->sum, g_array_unref);
}

gboolean
sl_attack_target (const SlAttackTargets *targets, const char *name, gsize length, gint32 gold,
                  float *out)
{
  gsize k = targets->k;
  memset (out, 0, k * sizeof *out);
  if (targets->items == NULL)
    {
      if (gold >= 0)
        out[gold] = 1;
      return gold >= 0;
    }
  gint32 item = sl_intern_find (targets->items, name, length);
  if (item < 0)
    return FALSE;
  const double *sum = (const double *) (gpointer) targets->sum->data + (gsize) item * k;
  double whole = 0;
  for (gsize j = 0; j < k; j++)
    whole += sum[j];
  for (gsize j = 0; whole > 0 && j < k; j++)
    out[j] = (float) (sum[j] / whole);
  return whole > 0;
}

/* "4/255" or "0.01", in (0, 1]. */
gboolean
sl_parse_share (const char *name, const char *text, double *value, GError **error)
{
  char *end;
  double over = 1;
  *value = g_ascii_strtod (text, &end);
  if (end != text && *end == '/')
    {
      const char *rest = end + 1;
      over = g_ascii_strtod (rest, &end);
      if (end == rest)
        over = 0;
    }
  *value /= over;
  if (end != text && *end == '\0' && *value > 0 && *value <= 1)
    return TRUE;
  return sl_error_usage (error, "--%s: '%s' is no share of 1 such as 4/255 or 0.01", name, text);
}

double *
sl_parse_epsilons (const char *text, gsize *n, GError **error)
{
  g_auto (GStrv) words = g_strsplit (text != NULL ? text : "4/255", ",", -1);
  *n = g_strv_length (words);
  g_autofree double *epsilon = g_new (double, *n + 1);
  for (gsize i = 0; i < *n; i++)
    if (!sl_parse_share ("epsilon", words[i], &epsilon[i], error))
      return NULL;
  if (*n == 0)
    (void) sl_error_usage (error, "--epsilon: there is none");
  return *n > 0 ? g_steal_pointer (&epsilon) : NULL;
}
