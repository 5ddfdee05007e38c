/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Networks, each described by a function, or by the stages of blocks that it has (SlStages);
 * sl_models[], at the end, lists them. */
#include "description.h"

#include "pipeline/base/error.h"
#include "pipeline/base/nearest.h"

#include <string.h>

/* Multinomial logistic regression: logits = W x + b, x flattened. */
static gboolean
describe_softmax (SlDescription *d, const char *sizes, GError **error)
{
  sl_linear (d, sl_describe_input (d), "linear", d->n_classes);
  return TRUE;
}

#define LARGEST 65536 /* hidden layer */

/* Hidden layers of the given sizes, each with ReLU and dropout, and a linear one behind them: in
 * PyTorch a Sequential of (Linear, ReLU, Dropout) each, then Linear, so weights are 0, 3, 6, ...;
 * with NORMALISED of (Linear, BatchNorm1d, ReLU, Dropout), so they are 0, 4, 8, ... */
static gboolean
mlp (SlDescription *d, const char *sizes, gboolean normalised, GError **error)
{
  SlValue x = sl_describe_input (d);
  g_auto (GStrv) each = g_strsplit (sizes != NULL ? sizes : "128", ",", -1);
  int number = 0;
  for (int i = 0; each[i] != NULL; i++, number += normalised ? 4 : 3)
    {
      guint64 size;
      if (!g_ascii_string_to_unsigned (each[i], 10, 1, LARGEST, &size, NULL))
        return sl_error_usage (error,
                               "--model mlp%s:%s: sizes of hidden layers are whole numbers from 1 "
                               "to %d with commas between them, as in mlp:128,64",
                               normalised ? "-bn" : "", sizes, LARGEST);
      x = sl_linear (d, x, sl_name (d, "%d", number), (int) size);
      if (i == 0)
        x = sl_mix (d, x);
      if (normalised)
        x = sl_batch_norm (d, x, sl_name (d, "%d", number + 1));
      x = sl_dropout (d, sl_relu (d, x), d->dropout);
    }
  sl_linear (d, x, sl_name (d, "%d", number), d->n_classes);
  return TRUE;
}

static gboolean
describe_mlp (SlDescription *d, const char *sizes, GError **error)
{
  return mlp (d, sizes, FALSE, error);
}

static gboolean
describe_mlp_bn (SlDescription *d, const char *sizes, GError **error)
{
  return mlp (d, sizes, TRUE, error);
}

/* A convolution without bias. */
static SlValue
conv (SlDescription *d, SlValue x, const char *name, int out, int kernel, int stride)
{
  return sl_convolution (d, x, name,
                         (SlConvolution){ .out = out, .kernel = kernel, .stride = stride });
}

static SlValue
norm_relu (SlDescription *d, SlValue x, const char *name)
{
  return sl_relu (d, sl_batch_norm (d, x, name));
}

/* As Hysts' PyTorch code begins networks. */
#define HYSTS                                                                                      \
  {                                                                                                \
    SL_BEGIN_KAIMING_OUT, SL_BEGIN_UNIFORM, SL_BEGIN_ZERO, SL_BEGIN_ONE                            \
  }

/* Stages of BLOCKS 3 × 3 convolutions with bias, batch normalisation and ReLU, each ending with a
 * pool of 2 × 2; one linear layer. BY_NUMBER: names as in public PyTorch code for CIFAR, where
 * `features` is a Sequential; else as in Hysts'. */
static gboolean
vgg (SlDescription *d, const int *blocks, gboolean by_number)
{
  static const int channels[] = { 64, 128, 256, 512, 512 };
  SlValue x = sl_describe_input (d);
  for (int stage = 0, n = 0; stage < 5; stage++, n++)
    {
      for (int block = 0; block < blocks[stage]; block++, n += 3)
        {
          x = sl_convolution (d, x,
                              by_number ? sl_name (d, "features.%d", n)
                                        : sl_name (d, "stage%d.conv%d", stage + 1, block),
                              (SlConvolution){ .out = channels[stage], .kernel = 3, .bias = TRUE });
          x = norm_relu (d, x,
                         by_number ? sl_name (d, "features.%d", n + 1)
                                   : sl_name (d, "stage%d.bn%d", stage + 1, block));
        }
      x = sl_max_pool (d, x, 2, 2);
    }
  sl_linear (d, x, by_number ? "classifier" : "fc", d->n_classes);
  return TRUE;
}

static gboolean
describe_vgg11 (SlDescription *d, const char *sizes, GError **error)
{
  return vgg (d, (const int[]){ 1, 1, 2, 2, 2 }, TRUE);
}

static gboolean
describe_vgg15_bn (SlDescription *d, const char *sizes, GError **error)
{
  d->begin = (SlBeginnings){ SL_BEGIN_KAIMING_OUT, SL_BEGIN_UNIFORM, SL_BEGIN_ZERO, SL_BEGIN_UNIT };
  return vgg (d, (const int[]){ 2, 2, 3, 3, 3 }, FALSE);
}

/* Networks for CIFAR of stages of blocks: a 3 × 3 convolution, blocks, of which the first one of
 * each stage but the first halves height and width, the mean over all pixels, one linear layer. */
struct _SlStages
{
  gboolean counted; /* names conv1, bn1, layer1.0 and linear; else conv, bn, stage1.block1 and fc */
  SlBeginnings begin;
  int first;                      /* channels of the first convolution */
  gboolean norm_first, norm_last; /* batch normalisation and ReLU behind it; behind the blocks */
  int blocks[4], channels[4];     /* of each stage; 0: there are no more */
  SlValue (*block) (SlDescription *d, SlValue x, const char *name, int channels, int stride);
};

static gboolean
describe_stages (SlDescription *d, const SlStages *of)
{
  d->begin = of->begin;
  SlValue x = conv (d, sl_describe_input (d), of->counted ? "conv1" : "conv", of->first, 3, 1);
  if (of->norm_first)
    x = norm_relu (d, x, of->counted ? "bn1" : "bn");
  for (int stage = 0; stage < 4; stage++)
    for (int block = 0; block < of->blocks[stage]; block++)
      x = of->block (d, x,
                     of->counted ? sl_name (d, "layer%d.%d", stage + 1, block)
                                 : sl_name (d, "stage%d.block%d", stage + 1, block + 1),
                     of->channels[stage], stage > 0 && block == 0 ? 2 : 1);
  if (of->norm_last)
    x = norm_relu (d, x, "bn");
  sl_linear (d, sl_global_mean (d, x), of->counted ? "linear" : "fc", d->n_classes);
  return TRUE;
}

/* bn2 (conv2 (relu (bn1 (conv1 (x))))). */
static SlValue
branch (SlDescription *d, SlValue x, const char *name, int channels, int stride)
{
  SlValue y = conv (d, x, sl_name (d, "%s.conv1", name), channels, 3, stride);
  y = norm_relu (d, y, sl_name (d, "%s.bn1", name));
  y = conv (d, y, sl_name (d, "%s.conv2", name), channels, 3, 1);
  return sl_batch_norm (d, y, sl_name (d, "%s.bn2", name));
}

/* relu (branch (x) + shortcut): where the block changes the size, every second pixel of x, with a
 * quarter of the new channels as zeros on either side (option A of He et al. 2016). */
static SlValue
padded_block (SlDescription *d, SlValue x, const char *name, int channels, int stride)
{
  SlValue shortcut = x;
  SlValue y = branch (d, x, name, channels, stride);
  if (stride != 1)
    shortcut = sl_embed (d, sl_subsample (d, x, stride, 0), channels / 4, channels);
  return sl_relu (d, sl_add (d, y, shortcut));
}

/* Names and beginning (Kaiming's, by fan in) as in Y. Idelbayev's resnet44 for CIFAR-10. */
static const SlStages resnet34a
    = { .counted = TRUE,
        .begin = { .convolutions = SL_BEGIN_KAIMING_IN, .linears = SL_BEGIN_KAIMING_IN },
        .first = 16,
        .norm_first = TRUE,
        .blocks = { 7, 7, 7 },
        .channels = { 16, 32, 64 },
        .block = padded_block };

/* A 1 × 1 convolution of x with batch normalisation where the channels change, else x; CONV and BN
 * are formats of their names. */
static SlValue
projected (SlDescription *d, SlValue x, const char *name, const char *of_conv, const char *of_norm,
           int channels, int stride)
{
  if (sl_node (d, x)->channels == channels)
    return x;
  x = conv (d, x, sl_name (d, "%s.shortcut.%s", name, of_conv), channels, 1, stride);
  return sl_batch_norm (d, x, sl_name (d, "%s.shortcut.%s", name, of_norm));
}

/* relu (branch (x) + shortcut), which is projected. */
static SlValue
basic_block (SlDescription *d, SlValue x, const char *name, int channels, int stride)
{
  SlValue y = branch (d, x, name, channels, stride);
  return sl_relu (d, sl_add (d, y, projected (d, x, name, "conv", "bn", channels, stride)));
}

/* Names and beginning as in Hysts' PyTorch code. */
static const SlStages resnet110 = { .begin = HYSTS,
                                    .first = 16,
                                    .norm_first = TRUE,
                                    .blocks = { 18, 18, 18 },
                                    .channels = { 16, 32, 64 },
                                    .block = basic_block };

/* bn3 (conv3 (relu (bn2 (conv2 (relu (bn1 (conv1 (x)))))))): convolutions of 1 × 1, 3 × 3 in GROUPS
 * and 1 × 1, with INNER channels between them. */
static SlValue
narrowed (SlDescription *d, SlValue x, const char *name, int inner, int groups, int channels,
          int stride)
{
  SlValue y = conv (d, x, sl_name (d, "%s.conv1", name), inner, 1, 1);
  y = norm_relu (d, y, sl_name (d, "%s.bn1", name));
  y = sl_convolution (
      d, y, sl_name (d, "%s.conv2", name),
      (SlConvolution){ .out = inner, .kernel = 3, .stride = stride, .groups = groups });
  y = norm_relu (d, y, sl_name (d, "%s.bn2", name));
  y = conv (d, y, sl_name (d, "%s.conv3", name), channels, 1, 1);
  return sl_batch_norm (d, y, sl_name (d, "%s.bn3", name));
}

static SlValue
bottleneck (SlDescription *d, SlValue x, const char *name, int channels, int stride)
{
  SlValue y = narrowed (d, x, name, channels / 4, 1, channels, stride);
  return sl_relu (d, sl_add (d, y, projected (d, x, name, "0", "1", channels, stride)));
}

/* For CIFAR: a 3 × 3 convolution first, no pool. Names as in K. Liu's code. */
static const SlStages resnet50 = { .counted = TRUE,
                                   .first = 64,
                                   .norm_first = TRUE,
                                   .blocks = { 3, 4, 6, 3 },
                                   .channels = { 256, 512, 1024, 2048 },
                                   .block = bottleneck };

static SlValue
grouped_bottleneck (SlDescription *d, SlValue x, const char *name, int channels, int stride)
{
  SlValue y = narrowed (d, x, name, 8 * channels / 4, 8, channels, stride);
  return sl_relu (d, sl_add (d, y, projected (d, x, name, "conv", "bn", channels, stride)));
}

/* ResNeXt-29 8 × 64d (Xie et al. 2017). Names and beginning as in Hysts' PyTorch code. */
static const SlStages resnext29 = { .begin = HYSTS,
                                    .first = 64,
                                    .norm_first = TRUE,
                                    .blocks = { 3, 3, 3 },
                                    .channels = { 256, 512, 1024 },
                                    .block = grouped_bottleneck };

/* conv2 (relu (bn2 (conv1 (a)))) + shortcut, a = relu (bn1 (x)): a 1 × 1 convolution of a where the
 * channels change, else x. COUNTED: it comes first, and is named shortcut.0. */
static SlValue
preact (SlDescription *d, SlValue x, const char *name, int channels, int stride, gboolean counted)
{
  const gboolean changes = sl_node (d, x)->channels != channels;
  SlValue active = norm_relu (d, x, sl_name (d, "%s.bn1", name)), shortcut = x;
  if (changes && counted)
    shortcut = conv (d, active, sl_name (d, "%s.shortcut.0", name), channels, 1, stride);
  SlValue y = conv (d, active, sl_name (d, "%s.conv1", name), channels, 3, stride);
  y = norm_relu (d, y, sl_name (d, "%s.bn2", name));
  y = conv (d, y, sl_name (d, "%s.conv2", name), channels, 3, 1);
  if (changes && !counted)
    shortcut = conv (d, active, sl_name (d, "%s.shortcut.conv", name), channels, 1, stride);
  return sl_add (d, y, shortcut);
}

static SlValue
preact_block (SlDescription *d, SlValue x, const char *name, int channels, int stride)
{
  return preact (d, x, name, channels, stride, TRUE);
}

/* Pre-activation networks (He et al. 2016b) for CIFAR as in K. Liu's code, which mixup's (Zhang et
 * al. 2018) took over: no batch normalisation behind the last block. */
static const SlStages preact_resnet18 = { .counted = TRUE,
                                          .first = 64,
                                          .blocks = { 2, 2, 2, 2 },
                                          .channels = { 64, 128, 256, 512 },
                                          .block = preact_block };

static const SlStages preact_resnet34 = { .counted = TRUE,
                                          .first = 64,
                                          .blocks = { 3, 4, 6, 3 },
                                          .channels = { 64, 128, 256, 512 },
                                          .block = preact_block };

static SlValue
wide_block (SlDescription *d, SlValue x, const char *name, int channels, int stride)
{
  return preact (d, x, name, channels, stride, FALSE);
}

/* Wide residual network of depth 28 and width 10 (Zagoruyko & Komodakis 2016), without dropout.
 * Names and beginning as in Hysts' PyTorch code. */
static const SlStages wrn_28_10
    = { .begin = { SL_BEGIN_KAIMING_IN, SL_BEGIN_UNIFORM, SL_BEGIN_ZERO, SL_BEGIN_UNIT },
        .first = 16,
        .norm_last = TRUE,
        .blocks = { 4, 4, 4 },
        .channels = { 160, 320, 640 },
        .block = wide_block };

/* conv3 (relu (bn3 (conv2 (relu (bn2 (conv1 (a))))))) + shortcut, a = relu (bn1 (x)): the first
 * block of a stage, which halves the image or follows the convolution, takes its shortcut from a,
 * by a 1 × 1 convolution where the size changes, the others from x. */
static SlValue
preact_bottleneck (SlDescription *d, SlValue x, const char *name, int channels, int stride)
{
  const gboolean first = stride != 1 || sl_node (d, x)->kind == SL_LAYER_CONVOLUTION;
  SlValue active = norm_relu (d, x, sl_name (d, "%s.bn1", name));
  SlValue y = conv (d, active, sl_name (d, "%s.conv1", name), channels / 4, 1, 1);
  y = norm_relu (d, y, sl_name (d, "%s.bn2", name));
  y = conv (d, y, sl_name (d, "%s.conv2", name), channels / 4, 3, stride);
  y = norm_relu (d, y, sl_name (d, "%s.bn3", name));
  y = conv (d, y, sl_name (d, "%s.conv3", name), channels, 1, 1);
  SlValue shortcut = first ? active : x;
  if (sl_node (d, x)->channels != channels)
    shortcut = conv (d, shortcut, sl_name (d, "%s.shortcut.conv", name), channels, 1, stride);
  return sl_add (d, y, shortcut);
}

/* Three stages of 18 bottlenecks. Channels, names and beginning as in Hysts' PyTorch code, whose
 * first stage has 16 channels and not 64 as in He et al. (2016b). */
static const SlStages preact_resnet164 = { .begin = HYSTS,
                                           .first = 16,
                                           .norm_last = TRUE,
                                           .blocks = { 18, 18, 18 },
                                           .channels = { 16, 128, 256 },
                                           .block = preact_bottleneck };

/* Twice the channels, a quarter of the pixels: 1 × 1 convolutions of every second pixel, from the
 * first and from the second one on, beside each other. */
static SlValue
downsample (SlDescription *d, SlValue active, const char *name)
{
  int channels = sl_node (d, active)->channels;
  SlValue a = conv (d, sl_subsample (d, active, 2, 0),
                    sl_name (d, "%s.shortcut.downsample.conv1", name), channels, 1, 1);
  SlValue b = conv (d, sl_subsample (d, active, 2, 1),
                    sl_name (d, "%s.shortcut.downsample.conv2", name), channels, 1, 1);
  return sl_batch_norm (d, sl_concatenate (d, a, b),
                        sl_name (d, "%s.shortcut.downsample.bn", name));
}

/* shortcut + shake (branch 1 (relu (x)), branch 2 (relu (x))). */
static SlValue
shake_block (SlDescription *d, SlValue x, const char *name, int channels, int stride)
{
  SlValue active = sl_relu (d, x);
  SlValue a = branch (d, active, sl_name (d, "%s.residual_path1", name), channels, stride);
  SlValue b = branch (d, active, sl_name (d, "%s.residual_path2", name), channels, stride);
  SlValue shortcut = sl_node (d, x)->channels != channels ? downsample (d, active, name) : x;
  return sl_add (d, shortcut, sl_shake (d, a, b));
}

/* Shake-Shake-26 2 × 64d, mixed anew for each image forward and backward (Gastaldi 2017). Names
 * and beginning as in Hysts' PyTorch code. */
static const SlStages shake_shake = { .begin = HYSTS,
                                      .first = 64,
                                      .norm_first = TRUE,
                                      .blocks = { 4, 4, 4 },
                                      .channels = { 64, 128, 256 },
                                      .block = shake_block };

#define DENSE_GROWTH 12
#define DENSE_BLOCKS 16

/* x, and beside it conv2 (relu (bn2 (conv1 (relu (bn1 (x)))))) of DENSE_GROWTH channels. */
static SlValue
dense_block (SlDescription *d, SlValue x, const char *name)
{
  SlValue y = norm_relu (d, x, sl_name (d, "%s.bn1", name));
  y = conv (d, y, sl_name (d, "%s.conv1", name), 4 * DENSE_GROWTH, 1, 1);
  y = norm_relu (d, y, sl_name (d, "%s.bn2", name));
  y = conv (d, y, sl_name (d, "%s.conv2", name), DENSE_GROWTH, 3, 1);
  return sl_concatenate (d, x, y);
}

/* Half of the channels, a quarter of the pixels. */
static SlValue
transition (SlDescription *d, SlValue x, const char *name)
{
  int half = sl_node (d, x)->channels / 2;
  SlValue y = norm_relu (d, x, sl_name (d, "%s.bn", name));
  return sl_mean_pool (d, conv (d, y, sl_name (d, "%s.conv", name), half, 1, 1), 2, 2);
}

/* DenseNet-BC of depth 100 and growth 12 (Huang et al. 2017). Names and beginning as in Hysts'
 * PyTorch code. */
static gboolean
describe_densenet_bc (SlDescription *d, const char *sizes, GError **error)
{
  d->begin = (SlBeginnings) HYSTS;
  SlValue x = conv (d, sl_describe_input (d), "conv", 2 * DENSE_GROWTH, 3, 1);
  for (int stage = 0; stage < 3; stage++)
    {
      for (int block = 0; block < DENSE_BLOCKS; block++)
        x = dense_block (d, x, sl_name (d, "stage%d.block%d", stage + 1, block + 1));
      if (stage < 2)
        x = transition (d, x, sl_name (d, "stage%d.transition", stage + 1));
    }
  x = norm_relu (d, x, "bn");
  sl_linear (d, sl_global_mean (d, x), "fc", d->n_classes);
  return TRUE;
}

#define PYRAMID_BLOCKS 18 /* of a stage */
#define PYRAMID_WIDENS 270

/* bn3 (conv2 (relu (bn2 (conv1 (bn1 (x)))))) + shortcut: x, or its mean over 2 × 2 pixels, with
 * zeros for the new channels. */
static SlValue
pyramid_block (SlDescription *d, SlValue x, const char *name, int channels, int stride)
{
  SlValue y = sl_batch_norm (d, x, sl_name (d, "%s.bn1", name));
  y = conv (d, y, sl_name (d, "%s.conv1", name), channels, 3, stride);
  y = norm_relu (d, y, sl_name (d, "%s.bn2", name));
  y = conv (d, y, sl_name (d, "%s.conv2", name), channels, 3, 1);
  y = sl_batch_norm (d, y, sl_name (d, "%s.bn3", name));
  SlValue shortcut = stride > 1 ? sl_mean_pool (d, x, 2, 2) : x;
  if (sl_node (d, x)->channels != channels)
    shortcut = sl_embed (d, shortcut, 0, channels);
  return sl_add (d, y, shortcut);
}

/* PyramidNet of depth 110 that widens by 270 channels, as many a block (Han et al. 2017, additive).
 * Names and beginning as in Hysts' PyTorch code. */
static gboolean
describe_pyramidnet (SlDescription *d, const char *sizes, GError **error)
{
  d->begin = (SlBeginnings) HYSTS;
  SlValue x = conv (d, sl_describe_input (d), "conv", 16, 3, 1);
  x = sl_batch_norm (d, x, "bn1");
  for (int block = 0; block < 3 * PYRAMID_BLOCKS; block++)
    {
      int stage = block / PYRAMID_BLOCKS, number = block % PYRAMID_BLOCKS;
      x = pyramid_block (d, x, sl_name (d, "stage%d.block%d", stage + 1, number + 1),
                         16 + (block + 1) * PYRAMID_WIDENS / (3 * PYRAMID_BLOCKS),
                         stage > 0 && number == 0 ? 2 : 1);
    }
  x = norm_relu (d, x, "bn2");
  sl_linear (d, sl_global_mean (d, x), "fc", d->n_classes);
  return TRUE;
}

const SlModelInfo sl_models[] = {
  { "softmax", "logistic regression on any numbers", "", FALSE, FALSE, describe_softmax },
  { "mlp", "hidden layers with ReLU and dropout, as in mlp:128,64 (128)", "", FALSE, TRUE,
    describe_mlp },
  { "mlp-bn", "the same with batch normalisation before each ReLU", "", FALSE, TRUE,
    describe_mlp_bn },
  { "vgg11", "8 convolutions of 64 to 512 channels, batch normalisation",
    "Simonyan & Zisserman 2015", TRUE, FALSE, describe_vgg11 },
  { "resnet34a", "3 stages of 7 basic blocks, 16 to 64 channels, shortcuts of zeros",
    "He et al. 2016, for CIFAR", TRUE, FALSE, NULL, &resnet34a },
  { "resnet50", "4 stages of 3, 4, 6 and 3 bottlenecks, 256 to 2048 channels",
    "He et al. 2016, for CIFAR", TRUE, FALSE, NULL, &resnet50 },
  { "preact-resnet18", "4 stages of 2 pre-activation blocks, 64 to 512 channels",
    "He et al. 2016b, Zhang et al. 2018", TRUE, FALSE, NULL, &preact_resnet18 },
  { "preact-resnet34", "4 stages of 3, 4, 6 and 3 such blocks", "He et al. 2016b", TRUE, FALSE,
    NULL, &preact_resnet34 },
  { "vgg15-bn", "13 convolutions of 64 to 512 channels, batch normalisation",
    "Peterson et al. 2019", TRUE, FALSE, describe_vgg15_bn },
  { "resnet110", "3 stages of 18 basic blocks, 16 to 64 channels", "Peterson et al. 2019", TRUE,
    FALSE, NULL, &resnet110 },
  { "wrn-28-10", "3 stages of 4 pre-activation blocks, 160 to 640 channels",
    "Zagoruyko & Komodakis 2016; Peterson et al. 2019", TRUE, FALSE, NULL, &wrn_28_10 },
  { "preact-resnet164", "3 stages of 18 pre-activation bottlenecks", "Peterson et al. 2019", TRUE,
    FALSE, NULL, &preact_resnet164 },
  { "resnext29-8x64d", "3 stages of 3 bottlenecks in 8 groups, 256 to 1024 channels",
    "Xie et al. 2017; Peterson et al. 2019", TRUE, FALSE, NULL, &resnext29 },
  { "densenet-bc-100-12", "3 stages of 16 blocks that add 12 channels each",
    "Huang et al. 2017; Peterson et al. 2019", TRUE, FALSE, describe_densenet_bc },
  { "pyramidnet-110-270", "54 blocks that widen from 16 to 286 channels",
    "Han et al. 2017; Peterson et al. 2019", TRUE, FALSE, describe_pyramidnet },
  { "shake-shake-26-2x64d", "3 stages of 4 blocks of two branches, mixed at random in training",
    "Gastaldi 2017; Peterson et al. 2019", TRUE, FALSE, NULL, &shake_shake },
  { NULL },
};

const SlModelInfo *
sl_model_find (const char *name, GError **error)
{
  const char *colon = strchr (name, ':');
  gsize length = colon != NULL ? (gsize) (colon - name) : strlen (name);
  g_autoptr (GString) known = g_string_new (NULL);
  for (const SlModelInfo *model = sl_models; model->name != NULL; model++)
    {
      g_string_append_printf (known, "%s%s", known->len > 0 ? ", " : "", model->name);
      if (strlen (model->name) != length || strncmp (model->name, name, length) != 0)
        continue;
      if (colon == NULL || (model->takes_sizes && colon[1] != '\0'))
        return model;
      sl_error_usage (error, "--model %s: %s", name,
                      model->takes_sizes ? "the sizes are missing, as in mlp:128,64"
                                         : "this network takes no sizes");
      return NULL;
    }
  g_auto (GStrv) all = g_strsplit (known->str, ", ", -1);
  g_autofree char *word = g_strndup (name, length);
  g_autofree char *hint = sl_nearest_hint (word, (const char *const *) all, "");
  sl_error_usage (error, "--model %s: there is no such model (there are %s)%s", name, known->str,
                  hint);
  return NULL;
}

gboolean
sl_model_describe (const SlModelInfo *model, SlDescription *d, const char *sizes, GError **error)
{
  return model->stages != NULL ? describe_stages (d, model->stages)
                               : model->describe (d, sizes, error);
}
