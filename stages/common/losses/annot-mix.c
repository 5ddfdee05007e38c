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
 * about η. Loss: that of confused.c, with p = softmax (z) and P[j] = softmax (v[j]).
 *
 * Attributes of annotators, which are not the authors', make a longer: a one for each value. Some
 * rows are then those of a stranger with these attributes, whose a has a place of its own, so that
 * what a stranger answers is learned, too. All of these places begin with weights of 0. */
#include "loss.h"

#include "pipeline/base/random.h"
#include "stages/common/network/description.h"

#include <stdlib.h>
#include <string.h>

#define EMBEDDING 128
#define DROPOUT 0.5
#define EMBED_A 2   /* of the parameters, weights of a */
#define WHO 3       /* numbers that say whose answer a row is, and likewise of each attribute */
#define HIDDEN 0.25 /* how often an annotator with attributes is a stranger in training */

/* p[rows][k] <- softmax of each row of z[rows][k]. */
SL_VECTORS static void
softmax_of_rows (const float *z, gsize rows, gsize k, double *p)
{
  for (gsize j = 0; j < rows; j++)
    {
      float most = z[j * k];
      for (gsize c = 1; c < k; c++)
        most = MAX (most, z[j * k + c]);
      for (gsize c = 0; c < k; c++)
        p[j * k + c] = (double) z[j * k + c] - most;
    }
  for (gsize i = 0; i < rows * k; i += 4)
    {
      gsize n = MIN (4, rows * k - i);
      sl_vector_store_part (p + i, sl_vector_exp (sl_vector_load_part (p + i, n)), n);
    }
  for (gsize j = 0; j < rows; j++)
    {
      double sum = 0;
      for (gsize c = 0; c < k; c++)
        sum += p[j * k + c];
      for (gsize c = 0; c < k; c++)
        p[j * k + c] /= sum;
    }
}

/* out[j][c] <- SCALE (s[j] P[j][c] - w[j][c]). */
SL_VECTORS static void
confusion_gradient (const double *s, const double *confusion, const double *w, gsize k,
                    double scale, float *out)
{
  for (gsize j = 0; j < k; j++)
    for (gsize c = 0; c < k; c++)
      out[j * k + c] = (float) (scale * (s[j] * confusion[j * k + c] - w[j * k + c]));
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
      softmax_of_rows (logits + i * k, 1, k, p);
      softmax_of_rows (v + i * k * k, k, k, confusion);
      sum += sl_loss_confused (p, confusion, t, k, w, s);
      if (grad == NULL)
        continue;
      for (gsize c = 0; c < k; c++)
        mass += t[c];
      for (gsize j = 0; j < k; j++)
        grad[i * k + j] = (float) (scale * (mass * p[j] - s[j]));
      confusion_gradient (s, confusion, w, k, scale, v_grad + i * k * k);
    }
  return sum;
}

/* ---- the network of confusions ---- */

/* SIZES: how many places a has, and how many ones. h comes first, then for each of these two places
 * and the first one's share. */
static gboolean
describe (SlDescription *d, const char *sizes, GError **error)
{
  SlValue x = sl_describe_input (d);
  int rows = atoi (sizes), who = WHO * atoi (strchr (sizes, ',') + 1);
  int hidden = sl_node (d, x)->channels - who;
  SlValue of_item = sl_linear (d, sl_part (d, x, 0, hidden), "embed_x", EMBEDDING);
  SlValue of_annotator = sl_pick (d, sl_part (d, x, hidden, who), "embed_a", rows, EMBEDDING);
  SlValue y = sl_dropout (d, sl_concatenate (d, of_item, of_annotator), d->dropout);
  y = sl_relu (d, sl_batch_norm (d, sl_linear (d, y, "hidden", EMBEDDING), "norm"));
  sl_linear (d, y, "confusion", d->n_classes);
  return TRUE;
}

static gsize
n_attributes (const SlObjectivePlan *plan)
{
  return plan->attributes != NULL ? plan->attributes->n : 0;
}

/* Of a. */
static gsize
n_places (const SlObjectivePlan *plan)
{
  return plan->attributes != NULL
             ? sl_annotator_attributes_rows (plan->attributes, plan->n_annotators)
             : plan->n_annotators;
}

static const SlModelInfo info = { .name = "annot-mix", .describe = describe };

SlNetwork *
sl_annot_mix_network (const SlObjectivePlan *plan, GError **error)
{
  g_autofree char *name = g_strdup_printf ("annot-mix:%" G_GSIZE_FORMAT ",%" G_GSIZE_FORMAT,
                                           n_places (plan), 1 + n_attributes (plan));
  const SlNetworkPlan network
      = { .model = name,
          .described = &info,
          .n_classes = (int) (plan->k * plan->k),
          .channels = (int) (plan->hidden + WHO * (1 + n_attributes (plan))),
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
  const SlParameter *places = &objective->parameter[EMBED_A];
  gsize n = n_places (&objective->plan);
  for (gsize i = 0; i < places->size; i++)
    if (i % n >= objective->plan.n_annotators)
      places->value[i] = 0;
}

/* X[WHO (1 + attributes)] <- whose answer a row is: SHARE of A, and the rest of B. HIDE: they are
 * strangers with their attributes. */
static void
write_who (const SlObjectivePlan *plan, gsize a, gsize b, float share, gboolean hide, float *x)
{
  const SlAnnotatorAttributes *attributes = plan->attributes;
  x[0] = (float) (hide ? plan->n_annotators : a);
  x[1] = (float) (hide ? plan->n_annotators : b);
  x[2] = share;
  for (gsize t = 0; t < n_attributes (plan); t++)
    {
      x += WHO;
      x[0] = (float) sl_annotator_attributes_row (attributes, t, a);
      x[1] = (float) sl_annotator_attributes_row (attributes, t, b);
      x[2] = share;
    }
}

/* Whether row I of the batch that draws by KEY is a stranger's. */
static gboolean
hides (const SlObjectivePlan *plan, guint64 key, gsize i)
{
  if (n_attributes (plan) == 0)
    return FALSE;
  SlRandom random = sl_random (key, sl_random_purpose ("train: strangers"), i, 0, 0);
  return sl_random_unit (&random) < HIDDEN;
}

/* h of the batch's rows, and behind each whose answer it is: its own, or all R's. */
static void
take_rows (SlObjective *objective, const SlLossBatch *batch, gsize r)
{
  const SlObjectivePlan *plan = &objective->plan;
  const SlAnswerRows *rows = batch->rows;
  gsize hidden = plan->hidden, size = hidden + WHO * (1 + n_attributes (plan));
  float *x = sl_network_input (objective->beside);
  for (gsize i = 0; i < batch->n; i++, x += size)
    {
      memcpy (x, batch->hidden + i * hidden, hidden * sizeof *x);
      if (rows != NULL)
        write_who (plan, (gsize) rows->annotator[i], (gsize) rows->other[i], rows->share[i],
                   hides (plan, batch->key, i), x + hidden);
      else
        write_who (plan, r, r, 1, FALSE, x + hidden);
    }
}

double
sl_lower_annot_mix (SlObjective *objective, const SlLossBatch *batch)
{
  int n = (int) batch->n;
  take_rows (objective, batch, 0);
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
sl_annot_mix_answer (SlObjective *objective, const SlLossBatch *batch, gsize r, double *p,
                     GError **error)
{
  gsize k = objective->plan.k;
  take_rows (objective, batch, r);
  const float *v = sl_network_forward (objective->beside, (int) batch->n, FALSE, 0, error);
  for (gsize i = 0; v != NULL && i < batch->n; i++)
    {
      double *true_class = objective->room, *confusion = true_class + k;
      softmax_of_rows (batch->logits + i * k, 1, k, true_class);
      softmax_of_rows (v + i * k * k, k, k, confusion);
      sl_confuse (true_class, confusion, k, p + i * k);
    }
  return v != NULL;
}
