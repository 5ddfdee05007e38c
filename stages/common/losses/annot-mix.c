/* SPDX-License-Identifier: GPL-3.0-or-later */
/* annot-mix: Herde, Lührs, Huseljic, Sick, annot-mix: Learning with Noisy Class Labels from
 * Multiple Annotators via a Mixup Extension, ECAI 2024, and its authors' code.
 *
 * Each answer is a row: an item x and an annotator, a one-hot vector a. Mixup (Zhang et al.,
 * ICLR 2018) mixes rows, x, a and the answer t by one λ. The network that is trained says z of
 * x, and h is what its last layer takes. Another one makes of h, through which no gradient
 * flows, and of a the confusion's logits v: (W_x h + b_x, W_a a + b_a), dropout of a half,
 * linear, batch normalisation, ReLU, linear, of EMBEDDING numbers each. Its last bias begins as
 * log (η (K - 1) / (1 - η)) on the diagonal, 0 elsewhere: annotators are right with probability
 * about η. Loss: that of confused.c, with p = softmax (z) and P[j] = softmax (v[j]). */
#include "loss.h"

#include "stages/common/network/description.h"

#include <stdlib.h>
#include <string.h>

#define EMBEDDING 128
#define DROPOUT 0.5

static double *
row_softmax (const float *z, gsize k, double *p)
{
  sl_softmax_row (z, k, sl_log_sum_exp (z, k), p);
  return p;
}

static void
confusion_of (const float *v, gsize k, double *confusion)
{
  for (gsize j = 0; j < k; j++)
    row_softmax (v + j * k, k, confusion + j * k);
}

double
sl_loss_annot_mix (const float *logits, const float *v, const float *said, gsize n, gsize k,
                   double scale, float *grad, float *v_grad, double *room)
{
  double *p = room, *s = p + k, *confusion = s + k, *w = confusion + k * k, sum = 0;
  for (gsize i = 0; i < n; i++)
    {
      const float *t = said + i * k;
      double mass = 0;
      row_softmax (logits + i * k, k, p);
      confusion_of (v + i * k * k, k, confusion);
      sum += sl_loss_confused (p, confusion, t, k, w, s);
      for (gsize c = 0; c < k; c++)
        mass += t[c];
      for (gsize j = 0; grad != NULL && j < k; j++)
        {
          grad[i * k + j] = (float) (scale * (mass * p[j] - s[j]));
          for (gsize c = 0; c < k; c++)
            v_grad[(i * k + j) * k + c]
                = (float) (scale * (s[j] * confusion[j * k + c] - w[j * k + c]));
        }
    }
  return sum;
}

/* ---- the network of confusions ---- */

/* SIZES: how many numbers h has; the annotator's follow. */
static gboolean
describe (SlDescription *d, const char *sizes, GError **error)
{
  SlValue x = sl_describe_input (d);
  int hidden = atoi (sizes), annotators = sl_node (d, x)->channels - hidden;
  SlValue of_item = sl_linear (d, sl_part (d, x, 0, hidden), "embed_x", EMBEDDING);
  SlValue of_annotator = sl_linear (d, sl_part (d, x, hidden, annotators), "embed_a", EMBEDDING);
  SlValue y = sl_dropout (d, sl_concatenate (d, of_item, of_annotator), d->dropout);
  y = sl_relu (d, sl_batch_norm (d, sl_linear (d, y, "hidden", EMBEDDING), "norm"));
  sl_linear (d, y, "confusion", d->n_classes);
  return TRUE;
}

static const SlModelInfo info = { .name = "annot-mix", .describe = describe };

SlNetwork *
sl_annot_mix_network (const SlObjectivePlan *plan, GError **error)
{
  g_autofree char *name = g_strdup_printf ("annot-mix:%" G_GSIZE_FORMAT, plan->hidden);
  const SlNetworkPlan network = { .model = name,
                                  .described = &info,
                                  .n_classes = (int) (plan->k * plan->k),
                                  .channels = (int) (plan->hidden + plan->n_annotators),
                                  .height = 1,
                                  .width = 1,
                                  .batch = plan->network.batch,
                                  .threads = plan->network.threads,
                                  .training = plan->network.training,
                                  .dropout = DROPOUT };
  return sl_network_new (&network, error);
}

void
sl_annot_mix_begin (SlObjective *objective, guint64 seed)
{
  gsize k = objective->plan.k;
  double eta = objective->plan.arguments.eta;
  const SlParameter *bias = &objective->parameter[objective->n_parameters - 1];
  for (gsize i = 0; i < k * k; i++)
    bias->value[i]
        = i % (k + 1) == 0 ? (float) sl_scalar_log (eta * (double) (k - 1) / (1 - eta)) : 0;
}

/* h of the batch's rows, and behind it nobody. */
static float *
take_items (SlObjective *objective, const SlLossBatch *batch)
{
  gsize hidden = objective->plan.hidden, size = hidden + objective->plan.n_annotators;
  float *x = sl_network_input (objective->beside);
  memset (x, 0, batch->n * size * sizeof *x);
  for (gsize i = 0; i < batch->n; i++)
    memcpy (x + i * size, batch->hidden + i * hidden, hidden * sizeof *x);
  return x + hidden;
}

double
sl_lower_annot_mix (SlObjective *objective, const SlLossBatch *batch)
{
  gsize size = objective->plan.hidden + objective->plan.n_annotators;
  int n = (int) batch->n;
  float *annotator = take_items (objective, batch);
  for (gsize i = 0; i < batch->n; i++)
    {
      annotator[i * size + (gsize) batch->rows->annotator[i]] += batch->rows->share[i];
      annotator[i * size + (gsize) batch->rows->other[i]] += 1 - batch->rows->share[i];
    }
  GError **error = &objective->problem;
  const float *v = sl_network_forward (objective->beside, n, TRUE, batch->key, error);
  if (v == NULL)
    return NAN;
  double sum
      = sl_loss_annot_mix (batch->logits, v, batch->target, batch->n, objective->plan.k,
                           batch->scale, batch->grad, objective->beside_grad, objective->room);
  return sl_network_backward (objective->beside, n, objective->beside_grad, error) ? sum : NAN;
}

gsize
sl_annot_mix_room (const SlObjectivePlan *plan)
{
  return 2 * plan->k + 2 * plan->k * plan->k;
}

gboolean
sl_annot_mix_see (SlObjective *objective, const SlLossBatch *batch, GError **error)
{
  take_items (objective, batch);
  return TRUE;
}

gboolean
sl_annot_mix_answer (SlObjective *objective, const SlLossBatch *batch, gsize r, double *p,
                     GError **error)
{
  gsize k = objective->plan.k, hidden = objective->plan.hidden;
  gsize size = hidden + objective->plan.n_annotators;
  float *annotator = sl_network_input (objective->beside) + hidden + r;
  for (gsize i = 0; i < batch->n; i++)
    annotator[i * size] = 1;
  const float *v = sl_network_forward (objective->beside, (int) batch->n, FALSE, 0, error);
  for (gsize i = 0; i < batch->n; i++)
    {
      double *true_class = objective->room, *confusion = true_class + k;
      annotator[i * size] = 0;
      if (v == NULL)
        continue;
      confusion_of (v + i * k * k, k, confusion);
      sl_confuse (row_softmax (batch->logits + i * k, k, true_class), confusion, k, p + i * k);
    }
  return v != NULL;
}
