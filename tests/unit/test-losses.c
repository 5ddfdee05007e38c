/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Losses of training: values by hand, and gradients by finite differences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "near.h"
#include "pipeline/base/random.h"
#include "stages/common/network/softmax.h"
#include "stages/common/losses/loss.h"

#include <string.h>

/* Logits are single precision, so values have its 1e-7. */
#define BOUND 2e-7

typedef double (*Loss) (const float *logits, float *grad, gpointer data);

/* The gradient of LOSS at x[n], which LOSS tells, against (f(x + h) - f(x - h)) / 2h. */
static void
check_gradient (Loss loss, gpointer data, float *x, gsize n, double bound)
{
  g_autofree float *grad = g_new0 (float, n);
  loss (x, grad, data);
  for (gsize i = 0; i < n; i++)
    {
      float was = x[i], up = was + 0x1p-9f, down = was - 0x1p-9f;
      x[i] = up;
      double above = loss (x, NULL, data);
      x[i] = down;
      double below = loss (x, NULL, data);
      x[i] = was;
      assert_near (grad[i], (above - below) / ((double) up - down), bound);
    }
}

static void
draw (float *x, gsize n, guint32 which)
{
  SlRandom random = sl_random (1, sl_random_purpose ("test"), 0, 0, which);
  for (gsize i = 0; i < n; i++)
    x[i] = (float) (4 * sl_random_unit (&random) - 2);
}

typedef struct
{
  gsize n, k;
  float *target;
  int what;
  double least, temperature;
} Plain;

static double
plain_loss (const float *logits, float *grad, gpointer data)
{
  Plain *p = data;
  double room[8];
  switch (p->what)
    {
    case 0:
      return sl_loss_soft (logits, p->target, p->n, p->k, 1, grad, room);
    case 1:
      return sl_loss_ent_wc (logits, p->target, p->n, p->k, p->least, TRUE, 1, grad, room);
    case 2:
      return sl_loss_max_entropy (logits, p->n, p->k, 1, grad, room);
    default:
      return sl_loss_distil (logits, p->target, p->n, p->k, p->temperature, 1, grad, room);
    }
}

static void
test_gradients (void **state)
{
  (void) state;
  float target[2 * 5] = { .1f, .2f, .3f, .25f, .15f, 0, 0, 1, 0, 0 };
  float logits[2 * 5];
  draw (logits, 10, 0);
  for (int what = 0; what < 4; what++)
    {
      Plain plain = { 2, 5, target, what, 0.2, 2.5 };
      check_gradient (plain_loss, &plain, logits, 10, 3e-6);
    }
}

static void
test_soft (void **state)
{
  (void) state;
  const float z[] = { 1, 0, -1 }, t[] = { .7f, .2f, .1f };
  float grad[3];
  double room[3];
  assert_near (sl_loss_soft (z, t, 1, 3, 1, grad, room), .807605964, BOUND);
  const double expected[] = { -.034759, .044728, -.009969 };
  for (int k = 0; k < 3; k++)
    assert_near (grad[k], expected[k], 5e-7);
  /* The mean of a batch of two alike ones. */
  const float twice[] = { 1, 0, -1, 1, 0, -1 }, targets[] = { .7f, .2f, .1f, .7f, .2f, .1f };
  float half[6];
  assert_near (sl_loss_soft (twice, targets, 2, 3, 0.5, half, room), 2 * .807605964, 2 * BOUND);
  for (int k = 0; k < 6; k++)
    assert_near (half[k], expected[k % 3] / 2, 5e-7);
  /* Logits far apart do not overflow. */
  const float far[] = { 1e4f, 0, -1e4f }, hard[] = { 0, 0, 1 };
  assert_near (sl_loss_soft (far, hard, 1, 3, 1, grad, room), 2e4, 1e-9);
  assert_near (grad[0], 1, 0);
  assert_near (grad[2], -1, 0);
}

static double
log_weight (const float *p, gsize k, double least)
{
  float z[10], t[10] = { 1 };
  double room[10];
  for (gsize i = 0; i < k; i++)
    z[i] = logf (p[i]);
  return sl_loss_ent_wc (z, t, 1, k, least, TRUE, 1, NULL, room)
         / sl_loss_soft (z, t, 1, k, 1, NULL, room);
}

static void
test_ent_wc (void **state)
{
  (void) state;
  const float p[] = { .6f, .3f, .05f, .05f }, t[] = { .5f, .5f, 0, 0 };
  float z[4], grad[4];
  double room[4];
  for (int k = 0; k < 4; k++)
    z[k] = logf (p[k]);
  assert_near (sl_loss_ent_wc (z, t, 1, 4, .7, TRUE, 1, grad, room), .614419676, BOUND);
  const double through[] = { .245621792, -.188430801, -.028595495, -.028595495 };
  for (int k = 0; k < 4; k++)
    assert_near (grad[k], through[k], BOUND);
  assert_near (sl_loss_ent_wc (z, t, 1, 4, .7, FALSE, 1, grad, room), .614419676, BOUND);
  const double detached[] = { .071660863, -.143321726, .035830431, .035830431 };
  for (int k = 0; k < 4; k++)
    assert_near (grad[k], detached[k], BOUND);
  const float alike[] = { .25f, .25f, .25f, .25f }, two[] = { .5f, .5f }, sure[] = { .9f, .1f };
  assert_near (log_weight (alike, 4, .7), .7, BOUND);
  assert_near (log_weight (two, 2, .7), 1, BOUND);
  assert_near (log_weight (sure, 2, .7), 1, BOUND);
  /* At the lower bound the weight stands still, so its gradient is none: LEAST (p - t). */
  const float even[] = { .3f, .3f, .2f, .2f };
  for (int k = 0; k < 4; k++)
    z[k] = logf (even[k]);
  sl_loss_ent_wc (z, t, 1, 4, .7, TRUE, 1, grad, room);
  for (int k = 0; k < 4; k++)
    assert_near (grad[k], .7 * (even[k] - t[k]), BOUND);
  /* Quite sure: no entropy at all, weight 1, nothing that is no number. */
  const float far[] = { 1e4f, 0, 0, 0 };
  assert_near (sl_loss_ent_wc (far, t, 1, 4, .7, TRUE, 1, grad, room), 5e3, 1e-9);
  assert_near (grad[0], .5, 0);
}

static void
test_max_entropy (void **state)
{
  (void) state;
  float z[] = { logf (.6f), logf (.3f), logf (.05f), logf (.05f) }, grad[4];
  double room[4];
  assert_near (sl_loss_max_entropy (z, 1, 4, 2, grad, room), -.967260443, BOUND);
  assert_near (grad[0], 2 * .6 * (log (.6) + .967260443), 2 * BOUND);
}

static void
test_distillation (void **state)
{
  (void) state;
  double one[] = { 2, 1, 0 }, other[] = { 0, 2, 0 };
  sl_softmax_at (one, 3, 1);
  assert_near (sl_softmax_at (other, 3, 2), log (2 + exp (1)), 1e-12);
  const double expected[] = { .438591, .410423, .150986 };
  for (int k = 0; k < 3; k++)
    assert_near ((one[k] + other[k]) / 2, expected[k], 5e-7);
  /* At temperature 1 it is cross-entropy. */
  const float z[] = { 1, 0, -1 }, t[] = { .7f, .2f, .1f };
  double room[3];
  assert_near (sl_loss_distil (z, t, 1, 3, 1, 1, NULL, room), .807605964, BOUND);
}

/* Crowd layers. */

typedef struct
{
  SlCrowdLayer layer;
  gsize n;
  SlCrowdAnswers answers;
  const float *logits;
  float *of; /* the array that is moved: the logits, the layer's factors or its biases */
} Crowd;

static double
crowd_loss (const float *x, float *grad, gpointer data)
{
  Crowd *c = data;
  gsize k = c->layer.k, cells = c->layer.n_annotators * k * k;
  g_autofree float *factor = g_new0 (float, cells), *bias = g_new0 (float, cells),
                   *z_grad = g_new0 (float, c->n *k);
  g_autofree double *room = g_new (double, 3 * k);
  SlCrowdLayer slope = c->layer;
  slope.factor = factor;
  slope.bias = c->layer.bias != NULL ? bias : NULL;
  double loss = sl_loss_crowd (&c->layer, c->logits, c->n, &c->answers, 1,
                               grad != NULL ? z_grad : NULL, &slope, room);
  if (grad == NULL)
    return loss;
  if (x == c->logits)
    memcpy (grad, z_grad, c->n * k * sizeof *grad);
  else if (x == c->layer.factor)
    memcpy (grad, factor,
            c->layer.n_annotators * sl_crowd_layer_factors (c->layer.form, k) * sizeof *grad);
  else
    memcpy (grad, bias, c->layer.n_annotators * k * sizeof *grad);
  return loss;
}

/* Five answers, of which one is soft. */
static const gsize starts[] = { 0, 2, 2, 5 };
static const gint32 who[] = { 0, 1, 1, 0, 0 };
static const float said[] = { 0, 0, 1, 1, 0, 0, 0, 1, 0, 0.1f, 0.7f, 0.2f, 0, 0, 1 };
static const float counts[] = { 1, 1, 2, 1, 1 };

static void
test_crowd_gradients (void **state)
{
  (void) state;
  for (int form = SL_CROWD_MW; form <= SL_CROWD_SW; form++)
    for (int of_logits = 0; of_logits < 2; of_logits++)
      {
        float logits[9], factor[18], bias[6];
        Crowd crowd = { { (SlCrowdForm) form, of_logits, 2, 3, factor,
                          sl_crowd_layer_has_bias ((SlCrowdForm) form) ? bias : NULL },
                        3,
                        { starts, who, said, counts },
                        logits,
                        NULL };
        draw (logits, 9, 1);
        draw (factor, 18, 2);
        draw (bias, 6, 3);
        check_gradient (crowd_loss, &crowd, logits, 9, 2e-5);
        check_gradient (crowd_loss, &crowd, factor,
                        2 * sl_crowd_layer_factors ((SlCrowdForm) form, 3), 2e-5);
        if (crowd.layer.bias != NULL)
          check_gradient (crowd_loss, &crowd, bias, 6, 2e-5);
      }
}

static void
test_crowd_values (void **state)
{
  (void) state;
  const float logits[] = { logf (.7f), logf (.2f), logf (.1f) };
  float factor[9];
  static const gsize one[] = { 0, 1 };
  static const gint32 first[] = { 0 };
  static const float zero[] = { 1, 0, 0 }, second[] = { 0, 1, 0 };
  SlCrowdLayer layer = { SL_CROWD_MW, FALSE, 1, 3, factor, NULL };
  double room[9];
  sl_crowd_layer_initialise (&layer);
  SlCrowdAnswers answers = { one, first, zero, counts };
  assert_near (sl_loss_crowd (&layer, logits, 1, &answers, 1, NULL, NULL, room), .767949549, BOUND);
  const float learned[] = { .8f, .3f, 0, .1f, .6f, .1f, .1f, .1f, .9f };
  memcpy (factor, learned, sizeof factor);
  answers.said = second;
  assert_near (sl_loss_crowd (&layer, logits, 1, &answers, 1, NULL, NULL, room), 1.124461637,
               BOUND);
  double p[3];
  sl_crowd_layer_predict (&layer, logits, 0, p);
  assert_near (-log (p[1]), 1.124461637, BOUND);
}

/* CoNAL. */

typedef struct
{
  SlConal conal;
  gsize n;
  SlCrowdAnswers answers;
  const float *logits, *difficulty;
  double apart;
} Conal;

static double
conal_loss (const float *x, float *grad, gpointer data)
{
  Conal *c = data;
  gsize k = c->conal.k, e = c->conal.e, r = c->conal.n_annotators;
  float common[9] = { 0 }, individual[18] = { 0 }, person[4] = { 0 }, offset[2] = { 0 };
  float z_grad[9], d_grad[6];
  double room[5 * 3 + 3 * 2];
  SlConal slope = { r, k, e, common, individual, person, offset };
  double loss = sl_loss_conal (&c->conal, c->logits, c->difficulty, c->n, &c->answers, 1,
                               grad != NULL ? z_grad : NULL, d_grad, &slope, room);
  loss += sl_conal_apart (&c->conal, c->apart, &slope);
  if (grad == NULL)
    return loss;
  const float *from[] = { z_grad, d_grad, common, individual, person, offset };
  const float *of[] = { c->logits,           c->difficulty,   c->conal.common,
                        c->conal.individual, c->conal.person, c->conal.offset };
  const gsize size[] = { 9, 6, 9, 18, 4, 2 };
  for (int i = 0; i < 6; i++)
    if (x == of[i])
      memcpy (grad, from[i], size[i] * sizeof *grad);
  return loss;
}

static void
test_conal_gradients (void **state)
{
  (void) state;
  float logits[9], difficulty[6], common[9], individual[18], person[4], offset[2];
  Conal c = { { 2, 3, 2, common, individual, person, offset },
              3,
              { starts, who, said, counts },
              logits,
              difficulty,
              0.01 };
  float *of[] = { logits, difficulty, common, individual, person, offset };
  const gsize size[] = { 9, 6, 9, 18, 4, 2 };
  for (guint32 i = 0; i < 6; i++)
    draw (of[i], size[i], 10 + i);
  for (int i = 0; i < 6; i++)
    check_gradient (conal_loss, &c, of[i], size[i], 5e-5);
}

static void
test_conal_values (void **state)
{
  (void) state;
  /* Both confusions twice the identity: whatever the share is, u = 2 s. */
  const float logits[] = { logf (.7f), logf (.2f), logf (.1f) }, difficulty[] = { 3, 4 };
  float common[9], individual[9], person[] = { 1, 0 }, offset[] = { 0, 0 };
  SlConal conal = { 1, 3, 2, common, individual, person, offset };
  sl_conal_initialise (&conal);
  double p[3], room[21], sum = exp (1.4) + exp (.4) + exp (.2);
  sl_conal_predict (&conal, logits, difficulty, 0, p, room);
  assert_near (p[0], exp (1.4) / sum, BOUND);
  /* One's own confusion nought: u = 2 w s, w = sigmoid (.6). */
  memset (individual, 0, sizeof individual);
  double w = 1 / (1 + exp (-.6));
  sum = exp (1.4 * w) + exp (.4 * w) + exp (.2 * w);
  sl_conal_predict (&conal, logits, difficulty, 0, p, room);
  assert_near (p[2], exp (.2 * w) / sum, BOUND);
}

/* Confusions: an array of the ones that a loss moves, and its gradient. */

typedef enum
{
  ANNOT_MIX,
  GEO_REG,
  UNION
} What;

typedef struct
{
  What what;
  gsize n;
  SlCrowdAnswers answers;
  const float *logits, *v;
} Confused;

static double
confused_loss (const float *x, float *grad, gpointer data)
{
  Confused *c = data;
  float z_grad[3 * 3] = { 0 }, v_grad[3 * 9] = { 0 }, *z = grad != NULL ? z_grad : NULL;
  float *v = grad != NULL ? v_grad : NULL;
  double room[200], loss = 0;
  if (c->what == ANNOT_MIX)
    loss = sl_loss_annot_mix (c->logits, c->v, c->answers.said, c->n, 3, 1, z, v, room);
  else if (c->what == GEO_REG)
    loss = sl_loss_geo_reg (c->logits, c->v, c->n, 3, &c->answers, 0.01, 1, z, v, room);
  else
    loss = sl_loss_union (c->logits, c->v, 2, c->n, 3, &c->answers, 1, z, v, room);
  gsize n_v = c->what == ANNOT_MIX ? c->n * 9 : 18;
  if (grad != NULL)
    memcpy (grad, x == c->logits ? z_grad : v_grad,
            (x == c->logits ? c->n * 3 : n_v) * sizeof *grad);
  return loss;
}

static void
test_confused_gradients (void **state)
{
  (void) state;
  for (int what = ANNOT_MIX; what <= UNION; what++)
    {
      float logits[9], v[27];
      Confused c = { (What) what, 3, { starts, who, said, counts }, logits, v };
      draw (logits, 9, 20);
      draw (v, 27, 21);
      check_gradient (confused_loss, &c, logits, 9, 5e-5);
      check_gradient (confused_loss, &c, v, what == ANNOT_MIX ? 27 : 18, 5e-5);
    }
}

/* p = (.7, .2, .1), an annotator who says (.8, .1, .1) of the first class, (.25, .5, .25) of the
 * second and (.2, .2, .6) of the third: the answers have the probabilities .63, .19 and .18. */
static const float confused_logits[] = { -.35667494f, -1.6094379f, -2.3025851f };
static const double confusion[] = { .8, .1, .1, .25, .5, .25, .2, .2, .6 };

static void
test_confused_values (void **state)
{
  (void) state;
  const double p[] = { .7, .2, .1 };
  const float second[] = { 0, 1, 0 }, soft[] = { .5f, .5f, 0 };
  double w[9], s[3], out[3], room[200];
  assert_near (sl_loss_confused (p, confusion, second, 3, w, s), -log (.19), 1e-12);
  assert_near (s[1], .1 / .19, 1e-12);
  assert_near (w[0 * 3 + 1], .07 / .19, 1e-12);
  assert_near (sl_loss_confused (p, confusion, soft, 3, w, s), -.5 * log (.63 * .19), 1e-12);
  sl_confuse (p, confusion, 3, out);
  assert_near (out[0], .63, 1e-12);
  assert_near (out[2], .18, 1e-12);
  /* What nothing makes likely has a finite loss. */
  const double never[] = { 1, 0, 0, 1, 0, 0, 1, 0, 0 };
  assert_true (isfinite (sl_loss_confused (p, never, second, 3, w, s)));
  float v[9];
  for (int i = 0; i < 9; i++)
    v[i] = (float) log (confusion[i]);
  float grad[3], v_grad[9];
  assert_near (sl_loss_annot_mix (confused_logits, v, soft, 1, 3, 1, grad, v_grad, room),
               -.5 * log (.63 * .19), BOUND);
  /* PyTorch 2.15's, of -(t * logsumexp (log_softmax (z)[:, None] + log_softmax (v), 0)).sum (). */
  const double of_z[] = { .07134502923976598, -.10284043441938172, .031495405179615694 };
  const double of_v[] = { .058479532163742756,   -.12134502923976613,  .06286549707602342,
                          .03602756892230576,    -.11173767752715122,  .07571010860484544,
                          -.0021720969089390127, -.038930659983291586, .041102756892230606 };
  for (int i = 0; i < 3; i++)
    assert_near (grad[i], of_z[i], BOUND);
  for (int i = 0; i < 9; i++)
    assert_near (v_grad[i], of_v[i], BOUND);
}

static void
test_volume (void **state)
{
  (void) state;
  /* Three items of three classes, each (.8, .1, .1) of its own: det (FᵀF) = det (F)² = .49², as F
   * is .7 I and a tenth of ones, so that its eigenvalues are 1, .7 and .7. One answers. */
  float logits[9], v[9] = { 0 };
  const gsize one[] = { 0, 1, 1, 1 }, none[] = { 0, 0 };
  const gint32 first[] = { 0 };
  const SlCrowdAnswers answers = { one, first, said, counts };
  double room[200];
  for (int i = 0; i < 9; i++)
    logits[i] = logf (i % 4 == 0 ? .8f : .1f);
  assert_near (sl_loss_geo_reg (logits, v, 3, 3, &answers, 0, 1, NULL, NULL, room), log (3), BOUND);
  assert_near (sl_loss_geo_reg (logits, v, 3, 3, &answers, 2, 1, NULL, NULL, room),
               log (3) - 2 * 2 * log (.49), 1e-6);
  /* Fewer items than classes have no volume. */
  const SlCrowdAnswers few = { none, first, said, counts };
  assert_near (sl_loss_geo_reg (logits, v, 1, 3, &few, 2, 1, NULL, NULL, room), 0, 0);
}

static void
test_union_values (void **state)
{
  (void) state;
  /* Two annotators, all of whose v are 0: each of the six pairs has a sixth. */
  float v[18] = { 0 };
  double room[200], t[18];
  const gsize one[] = { 0, 1 };
  const gint32 second[] = { 1 };
  const SlCrowdAnswers answers = { one, second, said, counts };
  assert_near (sl_loss_union (confused_logits, v, 2, 1, 3, &answers, 1, NULL, NULL, room), log (6),
               BOUND);
  v[0] = logf (7);
  sl_union_transitions (v, 6, 3, t);
  assert_near (t[0], 7. / 12, BOUND);
  assert_near (t[3], 1. / 12, BOUND);
  assert_near (t[1], 1. / 6, BOUND);
}

/* What a table says sums to 1 however large the logits are, and is refused where they are no
 * numbers. */
static void
sound_softmax (void **state)
{
  (void) state;
  static const float small[] = { 0, 0.6931472f, 1.0986123f },
                     huge[] = { 1e20f, 1e20f, 9e19f, 1e20f, 0 }, apart[] = { 3e38f, -3e38f };
  static const float bad[][3]
      = { { 0, INFINITY, 0 }, { 0, 0, -INFINITY }, { NAN, 0, 0 }, { INFINITY, INFINITY, 0 } };
  double p[5];
  assert_true (sl_softmax_sound (small, 3, p));
  for (gsize k = 0; k < 3; k++)
    assert_near (p[k], (double) (k + 1) / 6, BOUND);
  assert_true (sl_softmax_sound (huge, 5, p));
  for (gsize k = 0; k < 5; k++)
    assert_near (p[k], k == 2 || k == 4 ? 0 : 1. / 3, 1e-12);
  assert_true (sl_softmax_sound (apart, 2, p));
  assert_true (p[0] == 1 && p[1] == 0);
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    assert_false (sl_softmax_sound (bad[i], 3, p));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (sound_softmax),
    cmocka_unit_test (test_gradients),
    cmocka_unit_test (test_soft),
    cmocka_unit_test (test_ent_wc),
    cmocka_unit_test (test_max_entropy),
    cmocka_unit_test (test_distillation),
    cmocka_unit_test (test_crowd_gradients),
    cmocka_unit_test (test_crowd_values),
    cmocka_unit_test (test_conal_gradients),
    cmocka_unit_test (test_conal_values),
    cmocka_unit_test (test_confused_gradients),
    cmocka_unit_test (test_confused_values),
    cmocka_unit_test (test_volume),
    cmocka_unit_test (test_union_values),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
