/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A network as data: layers in the order in which they run, each with the values that it takes.
 * A model's function calls these one after the other, as PyTorch code of the network reads:
 *
 *   SlValue x = sl_describe_input (d);
 *   x = sl_convolution (d, x, "conv1", (SlConvolution){ .out = 16, .kernel = 3 });
 *   x = sl_relu (d, sl_batch_norm (d, x, "bn1"));
 *   sl_linear (d, sl_global_mean (d, x), "linear", d->n_classes);
 *
 * The last value is the logits. */
#pragma once

#include "network.h"
#include "onednn/onednn.h"

typedef int SlValue;

typedef enum
{
  SL_LAYER_NONE, /* became part of another */
  SL_LAYER_INPUT,
  SL_LAYER_CONVOLUTION,
  SL_LAYER_BATCH_NORM,
  SL_LAYER_RELU,
  SL_LAYER_ADD,
  SL_LAYER_POOL,
  SL_LAYER_LINEAR,
  SL_LAYER_DROPOUT,
  SL_LAYER_SUBSAMPLE,
  SL_LAYER_SOME_CHANNELS,
  SL_LAYER_CONCATENATE,
  SL_LAYER_SHAKE,
  SL_LAYER_PICK,
  SL_LAYER_MIX,
  SL_N_LAYERS,
} SlLayerKind;

/* How weights begin. Fans: in is a row's length, out the number of outputs × the window's area. */
typedef enum
{
  SL_BEGIN_UNIFORM,     /* PyTorch's own: U(-1, 1) / sqrt (fan in) */
  SL_BEGIN_KAIMING_IN,  /* N(0, 2 / fan in) */
  SL_BEGIN_KAIMING_OUT, /* N(0, 2 / fan out) */
  SL_BEGIN_ZERO,
  SL_BEGIN_ONE,
  SL_BEGIN_UNIT, /* U(0, 1) */
} SlBeginning;

/* Of the layers that are described next. All 0: PyTorch's own. */
typedef struct
{
  SlBeginning convolutions, linears; /* weights */
  SlBeginning biases;
  SlBeginning scales; /* SL_BEGIN_UNIT, or else 1 */
} SlBeginnings;

/* A parameter as described: the arrays come later. */
typedef struct
{
  SlParameter parameter;
  SlBeginning beginning;
  gsize fan_in, fan_out;
} SlParameterPlan;

typedef struct
{
  int out, kernel;
  int stride, groups; /* 0: 1 */
  gboolean bias;
} SlConvolution;

typedef struct
{
  SlLayerKind kind;
  int n_in;
  SlValue in[2];
  int channels, height, width; /* of the result, of one example */
  int n_users;                 /* layers that take the result */
  int parameter;               /* the first of its parameters */
  gboolean bias;
  SlWindow window;
  gboolean largest; /* pool: not the mean */
  gboolean relu;    /* then max (0, .) */
  double share;     /* dropout */
  /* embed: the channel of the result that the first one becomes; part: the channel that becomes the
   * first one; subsample: the pixel */
  int first;
  /* What a convolution took over for prediction: the batch normalisation's first parameter, or -1;
   * in[1] is then added, if there is one. */
  int norm;
} SlNode;

struct _SlDescription
{
  int n_classes;
  double dropout;
  gboolean pairs;     /* rows are mixed of two examples each: sl_mix () makes a layer */
  SlValue mixed;      /* what that made: values before it are of examples; 0: there is none */
  GArray *nodes;      /* SlNode */
  GArray *parameters; /* SlParameterPlan */
  SlBeginnings begin;
  GStringChunk *names;
};

SlDescription *sl_description_new (int channels, int height, int width, int n_classes,
                                   double dropout);
void sl_description_free (SlDescription *d);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlDescription, sl_description_free)

/* A name made of numbers, kept as long as D. */
const char *sl_name (SlDescription *d, const char *format, ...) G_GNUC_PRINTF (2, 3);
static inline const SlNode *
sl_node (const SlDescription *d, SlValue x)
{
  return &g_array_index (d->nodes, SlNode, x);
}

SlValue sl_describe_input (SlDescription *d);
/* Its padding is half of the kernel, as everywhere in these networks. */
SlValue sl_convolution (SlDescription *d, SlValue x, const char *name, SlConvolution how);
SlValue sl_batch_norm (SlDescription *d, SlValue x, const char *name);
SlValue sl_relu (SlDescription *d, SlValue x);
SlValue sl_add (SlDescription *d, SlValue a, SlValue b);
SlValue sl_max_pool (SlDescription *d, SlValue x, int kernel, int stride);
SlValue sl_mean_pool (SlDescription *d, SlValue x, int kernel, int stride);
SlValue sl_global_mean (SlDescription *d, SlValue x);
/* x flattened, times weight' plus bias. */
SlValue sl_linear (SlDescription *d, SlValue x, const char *name, int out);
/* x is triples (a, b, s): s times row a and 1 - s times row b of weight', of all of them together,
 * plus bias: sl_linear () of N numbers that are 0 but for these. */
SlValue sl_pick (SlDescription *d, SlValue x, const char *name, int n, int out);
/* x of examples becomes x of rows, each share a + (1 - share) b of two of them; x itself unless
 * the plan has PAIRS. x must be linear in the input. */
SlValue sl_mix (SlDescription *d, SlValue x);
/* A number becomes 0 with probability SHARE, or is divided by 1 - SHARE, in training. */
SlValue sl_dropout (SlDescription *d, SlValue x, double share);
/* Of every STRIDE × STRIDE pixels one, the first of them at (FIRST, FIRST). */
SlValue sl_subsample (SlDescription *d, SlValue x, int stride, int first);
/* x among zeros: channel i becomes channel FIRST + i of CHANNELS. */
SlValue sl_embed (SlDescription *d, SlValue x, int first, int channels);
/* CHANNELS channels of x, from FIRST on. */
SlValue sl_part (SlDescription *d, SlValue x, int first, int channels);
SlValue sl_concatenate (SlDescription *d, SlValue a, SlValue b);
/* alpha a + (1 - alpha) b, alpha ~ U(0, 1) for each example, and another one backward; 1/2 each
 * outside of training (Gastaldi 2017, shake-shake, image-level). */
SlValue sl_shake (SlDescription *d, SlValue a, SlValue b);

/* Makes single layers of what follows one another: batch normalisation and addition take over a
 * ReLU behind them; with FOLD a convolution takes over batch normalisation, addition and ReLU. */
void sl_description_fuse (SlDescription *d, gboolean fold);
SlDescription *sl_description_copy (const SlDescription *d);

/* Multiplications and additions of an example's convolutions and linear layers, as papers count. */
double sl_description_multiply_adds (const SlDescription *d);
