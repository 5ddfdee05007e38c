/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every layer's gradients against differences of its loss; networks against values worked out by
 * hand; memory and batches. */
#include "stages/common/network/convolution-rule.h"
#include "stages/common/network/description.h"
#include "stages/common/network/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#define BATCH 3

/* ---- small networks, one layer of interest each ---- */

#define DESCRIBES(name) static gboolean name (SlDescription *d, const char *sizes, GError **error)

DESCRIBES (linear_only)
{
  sl_linear (d, sl_describe_input (d), "linear", d->n_classes);
  return TRUE;
}

DESCRIBES (linear_relu)
{
  SlValue x = sl_linear (d, sl_describe_input (d), "0", 7);
  sl_linear (d, sl_relu (d, x), "1", d->n_classes);
  return TRUE;
}

/* A layer of interest between a convolution of CHANNELS and a linear layer. */
static SlValue
before (SlDescription *d, int channels)
{
  return sl_convolution (d, sl_describe_input (d), "first",
                         (SlConvolution){ .out = channels, .kernel = 3, .bias = TRUE });
}

static gboolean
after (SlDescription *d, SlValue x)
{
  sl_linear (d, x, "linear", d->n_classes);
  return TRUE;
}

DESCRIBES (convolution)
{
  return after (d, sl_convolution (d, before (d, 16), "conv",
                                   (SlConvolution){ .out = 32, .kernel = 3, .bias = TRUE }));
}

DESCRIBES (strided)
{
  return after (d, sl_convolution (d, before (d, 16), "conv",
                                   (SlConvolution){ .out = 16, .kernel = 3, .stride = 2 }));
}

DESCRIBES (narrow)
{
  return after (
      d, sl_convolution (d, before (d, 5), "conv", (SlConvolution){ .out = 7, .kernel = 1 }));
}

DESCRIBES (grouped)
{
  return after (
      d, sl_convolution (d, before (d, 32), "conv",
                         (SlConvolution){ .out = 32, .kernel = 3, .groups = 2, .bias = TRUE }));
}

DESCRIBES (winograd)
{
  return after (
      d, sl_convolution (d, before (d, 32), "conv", (SlConvolution){ .out = 32, .kernel = 3 }));
}

/* In bfloat16 small images may lie side by side. */
DESCRIBES (small_images)
{
  SlValue x = sl_max_pool (d, before (d, 32), 2, 2);
  x = sl_convolution (d, x, "conv",
                      (SlConvolution){ .out = 48, .kernel = 3, .stride = 2, .bias = TRUE });
  SlValue y = sl_convolution (d, x, "conv2", (SlConvolution){ .out = 48, .kernel = 3 });
  return after (d, sl_relu (d, sl_add (d, sl_batch_norm (d, y, "bn"), x)));
}

/* In bfloat16 some gradients are computed in float32. */
DESCRIBES (many_weights)
{
  SlValue x = sl_max_pool (d, before (d, 512), 2, 2);
  return after (d, sl_convolution (d, x, "conv", (SlConvolution){ .out = 256, .kernel = 1 }));
}

DESCRIBES (norm)
{
  return after (d, sl_batch_norm (d, before (d, 16), "bn"));
}

DESCRIBES (norm_relu)
{
  return after (d, sl_relu (d, sl_batch_norm (d, before (d, 16), "bn")));
}

DESCRIBES (relu)
{
  SlValue x = before (d, 16);
  return after (d, sl_add (d, sl_relu (d, x), x));
}

DESCRIBES (residual)
{
  SlValue x = before (d, 16);
  SlValue y = sl_convolution (d, x, "conv", (SlConvolution){ .out = 16, .kernel = 3 });
  y = sl_relu (d, sl_add (d, sl_batch_norm (d, y, "bn"), x));
  return after (d, sl_add (d, sl_batch_norm (d, y, "bn2"), x));
}

DESCRIBES (max_pool)
{
  return after (d, sl_max_pool (d, before (d, 16), 2, 2));
}

DESCRIBES (mean_pool)
{
  return after (d, sl_mean_pool (d, before (d, 16), 2, 2));
}

DESCRIBES (subsample)
{
  return after (d, sl_global_mean (d, sl_subsample (d, before (d, 20), 2, 1)));
}

DESCRIBES (embed)
{
  return after (d, sl_embed (d, before (d, 21), 6, 37));
}

DESCRIBES (part)
{
  return after (d, sl_part (d, before (d, 37), 6, 21));
}

/* Vectors: both parts of one, and one behind the other. */
DESCRIBES (vectors)
{
  SlValue x = sl_linear (d, sl_describe_input (d), "first", 11);
  x = sl_concatenate (d, sl_part (d, x, 3, 8), sl_relu (d, sl_part (d, x, 0, 3)));
  return sl_linear (d, sl_relu (d, sl_batch_norm (d, x, "bn")), "last", d->n_classes);
}

DESCRIBES (concatenate)
{
  SlValue x = before (d, 20);
  SlValue y = sl_convolution (d, x, "conv", (SlConvolution){ .out = 12, .kernel = 3 });
  return after (d, sl_concatenate (d, x, sl_relu (d, y)));
}

/* Outside of training shaking is a mean; what is drawn is tried apart. */
DESCRIBES (shake)
{
  SlValue x = before (d, 16);
  return after (d, sl_shake (d, x, sl_relu (d, x)));
}

typedef struct
{
  SlModelInfo model;
  gboolean vector, drawn;
  double tolerance; /* of a gradient, relative to the largest one */
} Case;

static Case cases[] = {
  { { "linear", .describe = linear_only }, .vector = TRUE },
  { { "linear, relu", .describe = linear_relu }, .vector = TRUE },
  { { "linear of images", .describe = linear_only } },
  { { "convolution", .describe = convolution } },
  { { "strided", .describe = strided } },
  { { "narrow", .describe = narrow } },
  { { "grouped", .describe = grouped } },
  { { "winograd", .describe = winograd } },
  { { "many weights", .describe = many_weights } },
  { { "small images", .describe = small_images } },
  { { "norm", .describe = norm } },
  { { "norm and relu", .describe = norm_relu } },
  { { "relu", .describe = relu } },
  { { "residual", .describe = residual } },
  { { "max pool", .describe = max_pool } },
  { { "mean pool", .describe = mean_pool } },
  { { "subsample", .describe = subsample } },
  { { "embed", .describe = embed } },
  { { "part", .describe = part } },
  { { "vectors", .describe = vectors }, .vector = TRUE },
  { { "concatenate", .describe = concatenate } },
  { { "shake", .describe = shake }, .drawn = TRUE },
};

/* A number between -1 and 1 for each I. */
static float
number (guint32 i)
{
  i = (i + 1) * 2654435761u;
  i ^= i >> 15;
  i *= 2246822519u;
  i ^= i >> 13;
  return (float) ((double) i / 0x1p31 - 1);
}

static SlNetworkPlan
plan_of (const Case *of, gboolean training)
{
  static const float mean[] = { 0.1f, 0.2f, -0.3f }, std[] = { 1.5f, 0.8f, 1.2f };
  SlNetworkPlan plan = { .described = &of->model,
                         .model = of->model.name,
                         .n_classes = 4,
                         .channels = 3,
                         .height = 8,
                         .width = 8,
                         .batch = BATCH,
                         .threads = 1,
                         .training = training,
                         .input_gradient = TRUE,
                         .mean = mean,
                         .std = std };
  if (of->vector)
    {
      plan.channels = 9;
      plan.height = plan.width = 1;
      plan.mean = plan.std = NULL;
    }
  return plan;
}

static void
assert_no_error (const GError *error)
{
  if (error != NULL)
    fail_msg ("%s", error->message);
}

static void
backward (SlNetwork *network, const float *gradient)
{
  GError *error = NULL;
  sl_network_backward (network, BATCH, gradient, &error);
  assert_no_error (error);
}

static SlNetwork *
made (const SlNetworkPlan *plan)
{
  GError *error = NULL;
  SlNetwork *network = sl_network_new (plan, &error);
  assert_no_error (error);
  assert_true (sl_network_allocate (network, &error));
  sl_network_initialise (network, 1);
  int n;
  SlParameter *parameters = sl_network_parameters (network, &n);
  for (int i = 0; i < n; i++)
    for (gsize j = 0; j < parameters[i].size; j++)
      {
        float x = number ((guint32) (i * 7919 + (int) j));
        if (parameters[i].role == SL_PARAMETER_VARIANCE)
          parameters[i].value[j] = 1 + 0.5f * x;
        else if (parameters[i].role != SL_PARAMETER_WEIGHT)
          parameters[i].value[j]
              = parameters[i].role == SL_PARAMETER_SCALE ? 1 + 0.3f * x : 0.3f * x;
      }
  sl_network_weights_changed (network);
  for (gsize i = 0; i < (gsize) BATCH * 192
                    && i < (gsize) plan->batch * plan->channels * plan->height * plan->width;
       i++)
    sl_network_input (network)[i] = number ((guint32) i + 100000);
  return network;
}

/* Sum of logits, each with a weight of its own: its gradient is those weights. */
static double
loss (SlNetwork *network, int n, gboolean training, float *gradient)
{
  GError *error = NULL;
  const float *logits = sl_network_forward (network, n, training, 5, &error);
  assert_no_error (error);
  double sum = 0;
  for (int i = 0; i < n * 4; i++)
    {
      gradient[i] = number ((guint32) i + 500000);
      sum += (double) logits[i] * gradient[i];
    }
  return sum;
}

/* The difference of the loss over a step of *X either way. A kink of ReLU or of the largest number
 * may lie between, so it is asked for twice. */
static double
difference (SlNetwork *network, gboolean training, float *x, float step)
{
  float gradient[BATCH * 4], was = *x;
  *x = was + step;
  sl_network_weights_changed (network);
  double up = loss (network, BATCH, training, gradient);
  *x = was - step;
  sl_network_weights_changed (network);
  double down = loss (network, BATCH, training, gradient);
  *x = was;
  sl_network_weights_changed (network);
  return (up - down) / (2 * (double) step);
}

static void
check_gradient (SlNetwork *network, gboolean training, const char *name, float *x,
                const float *gradient, gsize n)
{
  double largest = 0;
  for (gsize i = 0; i < n; i++)
    largest = MAX (largest, fabs ((double) gradient[i]));
  gsize stride = MAX (n / 7, 1);
  int bad = 0, seen = 0;
  for (gsize i = 0; i < n; i += stride, seen++)
    {
      double expected = difference (network, training, &x[i], 2e-3f);
      if (fabs (expected - (double) gradient[i]) > 4e-3 * largest + 2e-4)
        {
          /* Not where both steps cross a kink. */
          double again = difference (network, training, &x[i], 2e-4f);
          if (fabs (again - (double) gradient[i]) > 2e-2 * largest + 2e-3)
            {
              print_error ("%s[%zu]: %g by differences %g and %g\n", name, i, (double) gradient[i],
                           expected, again);
              bad++;
            }
        }
    }
  assert_int_equal (bad, 0);
  assert_true (seen > 0);
}

static void
test_gradients (void **state)
{
  const Case *of = *state;
  SlNetworkPlan plan = plan_of (of, TRUE);
  g_autoptr (SlNetwork) network = made (&plan);
  gsize inputs = (gsize) BATCH * (gsize) plan.channels * (gsize) plan.height * (gsize) plan.width;
  float gradient[BATCH * 4];
  if (of->drawn)
    return;
  loss (network, BATCH, TRUE, gradient);
  backward (network, gradient);
  int n;
  SlParameter *parameters = sl_network_parameters (network, &n);
  for (int i = 0; i < n; i++)
    if (parameters[i].grad != NULL)
      {
        g_autofree float *grad
            = g_memdup2 (parameters[i].grad, parameters[i].size * sizeof (float));
        check_gradient (network, TRUE, parameters[i].name, parameters[i].value, grad,
                        parameters[i].size);
      }
  loss (network, BATCH, TRUE, gradient);
  backward (network, gradient);
  g_autofree float *by_input
      = g_memdup2 (sl_network_input_gradient (network), inputs * sizeof (float));
  check_gradient (network, TRUE, "input", sl_network_input (network), by_input, inputs);
}

/* Outside of training: the gradient with respect to the input through the running statistics. */
static void
test_attack (void **state)
{
  const Case *of = *state;
  SlNetworkPlan plan = plan_of (of, FALSE);
  g_autoptr (SlNetwork) network = made (&plan);
  gsize inputs = (gsize) BATCH * (gsize) plan.channels * (gsize) plan.height * (gsize) plan.width;
  float gradient[BATCH * 4];
  loss (network, BATCH, FALSE, gradient);
  backward (network, gradient);
  g_autofree float *by_input
      = g_memdup2 (sl_network_input_gradient (network), inputs * sizeof (float));
  check_gradient (network, FALSE, "input", sl_network_input (network), by_input, inputs);
}

/* What is folded and written over for prediction gives the logits of the plain layers, for a whole
 * batch and for a part. */
static void
test_prediction (void **state)
{
  const Case *of = *state;
  SlNetworkPlan plan = plan_of (of, FALSE);
  g_autoptr (SlNetwork) attack = made (&plan);
  plan.input_gradient = FALSE;
  g_autoptr (SlNetwork) predict = made (&plan);
  float gradient[BATCH * 4], logits[BATCH * 4];
  loss (attack, BATCH, FALSE, gradient);
  memcpy (logits, sl_network_forward (attack, BATCH, FALSE, 0, NULL), sizeof logits);
  for (int n = BATCH; n > 0; n--)
    {
      const float *found = sl_network_forward (predict, n, FALSE, 0, NULL);
      assert_non_null (found);
      for (int i = 0; i < n * 4; i++)
        assert_float_equal (found[i], logits[i], 2e-4);
    }
}

/* In bfloat16, whose numbers have 8 bits, logits and gradients come within some of those bits. */
static void
test_bf16 (void **state)
{
  const Case *of = *state;
  SlNetworkPlan plan = plan_of (of, TRUE);
  g_autoptr (SlNetwork) wide = made (&plan);
  plan.bf16 = TRUE;
  g_autoptr (GError) error = NULL;
  SlNetwork *tried = sl_network_new (&plan, &error);
  if (tried == NULL)
    {
      assert_non_null (strstr (error->message, "needs a processor"));
      skip ();
    }
  sl_network_free (tried);
  g_autoptr (SlNetwork) narrow = made (&plan);
  SlNetwork *both[] = { wide, narrow };
  float logits[2][BATCH * 4], gradient[BATCH * 4];
  int n;
  for (int i = 0; i < 2; i++)
    {
      loss (both[i], BATCH, TRUE, gradient);
      memcpy (logits[i], sl_network_forward (both[i], BATCH, TRUE, 5, NULL), sizeof logits[i]);
      backward (both[i], gradient);
    }
  for (int i = 0; i < BATCH * 4; i++)
    assert_float_equal (logits[1][i], logits[0][i], 0.05);
  SlParameter *a = sl_network_parameters (wide, &n), *b = sl_network_parameters (narrow, &n);
  double square = 0, difference = 0;
  for (int i = 0; i < n; i++)
    for (gsize j = 0; j < a[i].size && a[i].grad != NULL; j++)
      {
        square += (double) a[i].grad[j] * (double) a[i].grad[j];
        difference += pow ((double) a[i].grad[j] - (double) b[i].grad[j], 2);
      }
  assert_true (difference < 0.05 * 0.05 * square);
  assert_true (difference > 0);
}

/* How a 3 × 3 convolution is computed. */
static void
expect_way (SlConvolutionShape shape, SlPass pass, SlDnnAbilities abilities, SlAlgorithm algorithm,
            SlPrecision number, int beside)
{
  shape.window = (SlWindow){ 3, 1, 1, 1 };
  SlConvolutionWay way = sl_convolution_rule (&shape, pass, &abilities);
  assert_int_equal (way.algorithm, algorithm);
  assert_int_equal (way.number, number);
  assert_int_equal (way.beside, beside);
}

static void
test_convolution_rule (void **state)
{
  (void) state;
  const SlDnnAbilities matrices = { SL_BF16_BY_MATRICES, TRUE };
  const SlDnnAbilities vectors = { SL_BF16_BY_VECTORS, TRUE };
  const SlDnnAbilities conversion = { SL_BF16_BY_CONVERSION, TRUE };
  const SlDnnAbilities without = { SL_BF16_BY_MATRICES, FALSE };
  SlConvolutionShape wide = { 128, 2, 64, 64, 32, 32, 32, { 0 }, SL_F32 };
  SlConvolutionShape narrow = { 128, 2, 16, 16, 32, 32, 32, { 0 }, SL_F32 };
  SlConvolutionShape small = { 128, 2, 512, 512, 2, 2, 2, { 0 }, SL_F32 };
  expect_way (wide, SL_FORWARD, matrices, SL_WINOGRAD, SL_F32, 1);
  expect_way (wide, SL_FORWARD, without, SL_DIRECT, SL_F32, 1);
  expect_way (narrow, SL_FORWARD, matrices, SL_DIRECT, SL_F32, 1);
  expect_way (small, SL_FORWARD, matrices, SL_DIRECT, SL_F32, 1);
  expect_way (small, SL_BACKWARD_WEIGHTS, matrices, SL_WINOGRAD, SL_F32, 1);
  wide.number = narrow.number = small.number = SL_BF16;
  expect_way (wide, SL_BACKWARD_WEIGHTS, matrices, SL_DIRECT, SL_BF16, 1);
  expect_way (wide, SL_BACKWARD_WEIGHTS, vectors, SL_WINOGRAD, SL_F32, 1);
  expect_way (narrow, SL_FORWARD, vectors, SL_DIRECT, SL_BF16, 1);
  expect_way (narrow, SL_FORWARD, conversion, SL_DIRECT, SL_F32, 1);
  expect_way (small, SL_FORWARD, vectors, SL_DIRECT, SL_BF16, 1);
  /* Up to 42 of 2 columns and one between them: 4 wide ones, 32 images each. */
  expect_way (small, SL_FORWARD, matrices, SL_DIRECT, SL_BF16, 32);
  expect_way (small, SL_BACKWARD_WEIGHTS, without, SL_DIRECT, SL_BF16, 32);
  small.n = 3; /* one for each thread */
  expect_way (small, SL_FORWARD, matrices, SL_DIRECT, SL_BF16, 2);
  small.n = 1;
  expect_way (small, SL_FORWARD, matrices, SL_DIRECT, SL_BF16, 1);
}

/* logits = W x + b. */
static void
test_softmax_by_hand (void **state)
{
  (void) state;
  SlNetworkPlan plan = { .model = "softmax",
                         .n_classes = 2,
                         .channels = 2,
                         .height = 1,
                         .width = 1,
                         .batch = 2,
                         .threads = 1,
                         .training = TRUE };
  g_autoptr (SlNetwork) network = sl_network_new (&plan, NULL);
  assert_true (sl_network_allocate (network, NULL));
  int n;
  SlParameter *parameters = sl_network_parameters (network, &n);
  assert_int_equal (n, 2);
  assert_string_equal (parameters[0].name, "linear.weight");
  assert_string_equal (parameters[1].name, "linear.bias");
  memcpy (parameters[0].value, (float[]){ 1, 2, 3, 4 }, 4 * sizeof (float));
  memcpy (parameters[1].value, (float[]){ 10, 20 }, 2 * sizeof (float));
  sl_network_weights_changed (network);
  memcpy (sl_network_input (network), (float[]){ 1, 0, 2, -1 }, 4 * sizeof (float));
  const float *logits = sl_network_forward (network, 2, TRUE, 0, NULL);
  const float expected[] = { 11, 23, 10, 22 };
  for (int i = 0; i < 4; i++)
    assert_float_equal (logits[i], expected[i], 1e-6);
  assert_true (sl_network_backward (network, 2, (float[]){ 1, 0, 0, 1 }, NULL));
  const float by_weight[] = { 1, 0, 2, -1 }, by_bias[] = { 1, 1 };
  for (int i = 0; i < 4; i++)
    assert_float_equal (parameters[0].grad[i], by_weight[i], 1e-6);
  for (int i = 0; i < 2; i++)
    assert_float_equal (parameters[1].grad[i], by_bias[i], 1e-6);
}

/* Of the numbers of a layer a share is left out, and the others grow; another key leaves out
 * others, the same key the same, and nothing is left out outside of training. */
static void
test_dropout (void **state)
{
  (void) state;
  SlNetworkPlan plan = { .model = "mlp:1000",
                         .n_classes = 2,
                         .channels = 3,
                         .height = 1,
                         .width = 1,
                         .batch = 8,
                         .threads = 1,
                         .training = TRUE,
                         .dropout = 0.25 };
  g_autoptr (SlNetwork) network = sl_network_new (&plan, NULL);
  assert_true (sl_network_allocate (network, NULL));
  sl_network_initialise (network, 3);
  int n;
  SlParameter *parameters = sl_network_parameters (network, &n);
  /* Hidden numbers are 1, and the first logit is their sum. */
  for (int i = 0; i < n; i++)
    for (gsize j = 0; j < parameters[i].size; j++)
      parameters[i].value[j] = (i == 1) || (i == 2 && j < 1000);
  sl_network_weights_changed (network);
  memset (sl_network_input (network), 0, 24 * sizeof (float));
  float first[16];
  memcpy (first, sl_network_forward (network, 8, TRUE, 1, NULL), sizeof first);
  double kept = 0;
  gboolean others = FALSE;
  const float *logits = sl_network_forward (network, 8, TRUE, 2, NULL);
  for (int i = 0; i < 8; i++)
    {
      kept += (double) logits[2 * i] * 0.75;
      others = others || fabsf (logits[2 * i] - first[2 * i]) > 1;
    }
  assert_true (others);
  /* Of 8,000 each stays with probability .75: standard deviation 39, five of them. */
  assert_true (fabs (kept - 6000) < 5 * sqrt (8000 * 0.75 * 0.25));
  assert_memory_equal (sl_network_forward (network, 8, TRUE, 1, NULL), first, sizeof first);
  assert_float_equal (sl_network_forward (network, 8, FALSE, 1, NULL)[0], 1000, 1e-2);
}

#define WHO 9 /* of so many some are picked */

DESCRIBES (picked)
{
  SlValue x = sl_describe_input (d), h = sl_linear (d, sl_part (d, x, 0, 4), "h", 5);
  SlValue who = sl_node (d, x)->channels > 4 + 6 ? sl_linear (d, sl_part (d, x, 4, WHO), "who", 5)
                                                 : sl_pick (d, sl_part (d, x, 4, 6), "who", WHO, 5);
  return after (d, sl_relu (d, sl_add (d, h, who)));
}

/* What is picked is the linear layer of numbers that are nearly all 0, to the last parameter. */
static void
test_pick (void **state)
{
  (void) state;
  static const float who[BATCH][6]
      = { { 2, 6, 0.75f, 3, 3, 0.75f }, { 2, 2, 0.3f, 4, 3, 0.3f }, { 0, 5, 1, 0, 1, 1 } };
  static const Case of = { { "picked", .describe = picked }, .vector = TRUE };
  SlNetworkPlan plan = plan_of (&of, TRUE);
  plan.input_gradient = FALSE;
  plan.channels = 4 + 6;
  g_autoptr (SlNetwork) pick = made (&plan);
  plan.channels = 4 + WHO;
  g_autoptr (SlNetwork) linear = made (&plan);
  float *to = sl_network_input (linear), *from = sl_network_input (pick), gradient[BATCH * 4];
  for (int i = 0; i < BATCH; i++, to += 4 + WHO, from += 4 + 6)
    {
      memcpy (to, from, 4 * sizeof *to);
      memset (to + 4, 0, WHO * sizeof *to);
      memcpy (from + 4, who[i], sizeof who[i]);
      for (const float *at = who[i]; at < who[i] + 6; at += 3)
        {
          to[4 + (int) at[0]] += at[2];
          to[4 + (int) at[1]] += 1 - at[2];
        }
    }
  for (int twice = 0; twice < 2; twice++)
    {
      double wanted = loss (linear, BATCH, TRUE, gradient);
      backward (linear, gradient);
      assert_true (fabs (loss (pick, BATCH, TRUE, gradient) - wanted) < 1e-5);
      backward (pick, gradient);
    }
  int n;
  SlParameter *a = sl_network_parameters (pick, &n), *b = sl_network_parameters (linear, &n);
  for (int i = 0; i < n; i++)
    for (gsize j = 0; j < b[i].size; j++)
      assert_float_equal (a[i].grad[j], b[i].grad[j], 1e-6);
}

DESCRIBES (mixed)
{
  SlValue x = sl_mix (d, sl_linear (d, sl_describe_input (d), "0", 7));
  return after (d, sl_relu (d, sl_batch_norm (d, x, "bn")));
}

/* Rows that the network mixes of its inputs give what inputs that were mixed before give, forward
 * and backward, with inputs that no row is of, too; in predictions nothing is mixed. */
static void
test_mix (void **state)
{
  (void) state;
  static const gint32 first[BATCH] = { 1, 0, 1 }, second[BATCH] = { 0, 0, 1 };
  static const float share[BATCH] = { 0.25f, 0.6f, 1 };
  static const Case of = { { "mixed", .describe = mixed }, .vector = TRUE };
  SlNetworkPlan plan = plan_of (&of, TRUE);
  plan.input_gradient = FALSE;
  g_autoptr (SlNetwork) plain = made (&plan);
  assert_false (sl_network_mixes (plain));
  plan.pairs = TRUE;
  g_autoptr (SlNetwork) mixes = made (&plan);
  assert_true (sl_network_mixes (mixes));
  float *to = sl_network_input (plain), *x = sl_network_input (mixes), gradient[BATCH * 4];
  double predicted = loss (plain, BATCH, FALSE, gradient);
  assert_true (fabs (loss (mixes, BATCH, FALSE, gradient) - predicted) < 1e-5);
  for (int i = 0; i < BATCH; i++)
    for (int j = 0; j < 9; j++)
      to[i * 9 + j] = share[i] * x[first[i] * 9 + j] + (1 - share[i]) * x[second[i] * 9 + j];
  int n;
  SlParameter *a = sl_network_parameters (mixes, &n), *b = sl_network_parameters (plain, &n);
  for (int items = 2; items <= BATCH; items++)
    {
      sl_network_pair (mixes, &(SlPairs){ items, first, second, share });
      double wanted = loss (plain, BATCH, TRUE, gradient);
      backward (plain, gradient);
      assert_true (fabs (loss (mixes, BATCH, TRUE, gradient) - wanted) < 1e-5);
      backward (mixes, gradient);
      for (int i = 0; i < n; i++)
        {
          if (b[i].grad == NULL)
            continue;
          for (gsize j = 0; j < b[i].size; j++)
            assert_float_equal (a[i].grad[j], b[i].grad[j], 1e-5);
          check_gradient (mixes, TRUE, a[i].name, a[i].value, a[i].grad, a[i].size);
        }
    }
}

/* What is drawn is drawn anew forward and backward, by example and by key. */
static void
test_shake (void **state)
{
  (void) state;
  SlNetworkPlan plan = plan_of (&cases[G_N_ELEMENTS (cases) - 1], TRUE);
  g_autoptr (SlNetwork) network = made (&plan);
  float gradient[BATCH * 4], logits[BATCH * 4];
  loss (network, BATCH, TRUE, gradient);
  memcpy (logits, sl_network_forward (network, BATCH, TRUE, 5, NULL), sizeof logits);
  const float *other = sl_network_forward (network, BATCH, TRUE, 6, NULL);
  for (int i = 0; i < BATCH; i++)
    assert_true (other[i * 4] != logits[i * 4]);
  const float *same = sl_network_forward (network, BATCH, TRUE, 5, NULL);
  assert_memory_equal (same, logits, sizeof logits);
  backward (network, gradient);
}

/* Buffers that are needed at the same time do not overlap, and one may stand on another. */
static void
test_places (void **state)
{
  (void) state;
  SlPlace places[] = { { 100, 0, 1 }, { 60, 1, 2 }, { 100, 2, 3 }, { 40, 0, 3 }, { 0, 0, 3 } };
  gsize total = sl_place (places, 5);
  assert_int_equal (total, 200);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < i; j++)
      {
        gboolean together = places[i].first <= places[j].last && places[j].first <= places[i].last;
        gboolean apart = places[i].offset >= places[j].offset + places[j].bytes
                         || places[j].offset >= places[i].offset + places[i].bytes;
        assert_true (!together || apart);
      }
}

static void
test_names (void **state)
{
  (void) state;
  g_autoptr (GError) error = NULL;
  assert_null (sl_model_find ("resnet35", &error));
  assert_non_null (strstr (error->message, "there is no such model"));
  g_clear_error (&error);
  assert_null (sl_model_find ("softmax:3", &error));
  assert_non_null (strstr (error->message, "takes no sizes"));
  g_clear_error (&error);
  SlNetworkPlan plan = { .model = "mlp:0",
                         .n_classes = 2,
                         .channels = 2,
                         .height = 1,
                         .width = 1,
                         .batch = 1,
                         .threads = 1 };
  assert_null (sl_network_new (&plan, &error));
  assert_non_null (strstr (error->message, "whole numbers from 1"));
  g_clear_error (&error);
  plan.model = "resnet34a";
  assert_null (sl_network_new (&plan, &error));
  assert_non_null (strstr (error->message, "takes images"));
}

int
main (void)
{
  GArray *tests = g_array_new (FALSE, TRUE, sizeof (struct CMUnitTest));
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      struct CMUnitTest four[] = {
        { g_strdup_printf ("gradients: %s", cases[i].model.name), test_gradients, NULL, NULL,
          &cases[i] },
        { g_strdup_printf ("attack: %s", cases[i].model.name), test_attack, NULL, NULL, &cases[i] },
        { g_strdup_printf ("prediction: %s", cases[i].model.name), test_prediction, NULL, NULL,
          &cases[i] },
        { g_strdup_printf ("bf16: %s", cases[i].model.name), test_bf16, NULL, NULL, &cases[i] },
      };
      g_array_append_vals (tests, four, 4);
    }
  const struct CMUnitTest others[] = {
    cmocka_unit_test (test_softmax_by_hand),
    cmocka_unit_test (test_dropout),
    cmocka_unit_test (test_pick),
    cmocka_unit_test (test_mix),
    cmocka_unit_test (test_shake),
    cmocka_unit_test (test_places),
    cmocka_unit_test (test_names),
    cmocka_unit_test (test_convolution_rule),
  };
  g_array_append_vals (tests, others, G_N_ELEMENTS (others));
  return _cmocka_run_group_tests ("network", (struct CMUnitTest *) (void *) tests->data, tests->len,
                                  NULL, NULL);
}
