/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Batch normalisation (Ioffe & Szegedy 2015): per channel y = scale (x - mean) / sqrt (variance +
 * epsilon) + shift, and max (0, y) where a ReLU follows. In training mean and variance are those of
 * the m numbers of the channel in the batch; the running ones then move towards them,
 *   running mean     += momentum (mean - running mean)
 *   running variance += momentum (variance m / (m - 1) - running variance),
 * and take their place outside of training. */
#include "stages/common/network/layers.h"

typedef struct
{
  int channels;
  double count; /* m */
} Statistics;

static void
note_statistics (const SlStepCall *call, gconstpointer data)
{
  const Statistics *of = data;
  const float *mean = call->memory[0], *variance = call->memory[1];
  float *running_mean = call->memory[2], *running_variance = call->memory[3];
  float unbiased = of->count > 1 ? (float) (of->count / (of->count - 1)) : 1;
  for (int i = 0; i < of->channels; i++)
    {
      running_mean[i] += SL_NORM_MOMENTUM * (mean[i] - running_mean[i]);
      running_variance[i] += SL_NORM_MOMENTUM * (variance[i] * unbiased - running_variance[i]);
    }
}

enum
{
  MEAN,
  VARIANCE,
  WORK
};

/* Vectors are the pixels of one image: for images alone oneDNN has fast code. */
static SlNetTensor
as_image (SlProgram *program, SlNetTensor x)
{
  gint64 dim[SL_MAX_DIMS];
  if (sl_layout_dims (x.layout, dim) == 2)
    x.layout = sl_layout_channels_last (program->shared->dnn, (gint64[]){ 1, dim[1], dim[0], 1 },
                                        sl_layout_number (x.layout));
  return x;
}

static gboolean
forward (SlProgram *program, int node, GError **error)
{
  const SlNode *of = sl_program_node (program, node);
  SlNodeState *state = &program->states[node];
  gboolean training = program->mode == SL_TRAIN;
  SlNetTensor x = as_image (program, sl_program_value (program, node, 0));
  state->forward = sl_batch_norm_primitive (
      program->shared->dnn, program->mode == SL_PREDICT ? SL_FORWARD : SL_FORWARD_TRAINING,
      x.layout, SL_NORM_EPSILON, !training, of->relu, NULL, error);
  if (state->forward == NULL)
    return FALSE;
  SlNetTensor running_mean = sl_program_parameter (program, of->parameter + 2);
  SlNetTensor running_variance = sl_program_parameter (program, of->parameter + 3);
  state->kept[MEAN] = training ? sl_program_tensor (program, running_mean.layout) : running_mean;
  state->kept[VARIANCE]
      = training ? sl_program_tensor (program, running_mean.layout) : running_variance;
  const SlLayout *work = sl_primitive_layout (state->forward, SL_WORKSPACE);
  if (work != NULL)
    state->kept[WORK] = sl_program_tensor (program, work);
  state->value = sl_program_tensor (program, sl_program_value (program, node, 0).layout);
  sl_program_step (program, state->forward, work != NULL ? 7 : 6,
                   (SlUse[]){ { SL_SRC, x },
                              { SL_DST, as_image (program, state->value) },
                              { SL_SCALE, sl_program_parameter (program, of->parameter) },
                              { SL_SHIFT, sl_program_parameter (program, of->parameter + 1) },
                              { SL_MEAN, state->kept[MEAN] },
                              { SL_VARIANCE, state->kept[VARIANCE] },
                              { SL_WORKSPACE, state->kept[WORK] } });
  if (!training)
    return TRUE;
  Statistics *statistics = g_new (Statistics, 1);
  *statistics = (Statistics){ of->channels, (double) program->n * of->height * of->width };
  sl_program_call (
      program, note_statistics, statistics, 4,
      (SlNetTensor[]){ state->kept[MEAN], state->kept[VARIANCE], running_mean, running_variance });
  return TRUE;
}

/* By the statistics that were kept. */
static gboolean
again (SlProgram *program, int node, SlNetTensor *value, GError **error)
{
  const SlNode *of = sl_program_node (program, node);
  const SlNodeState *state = &program->states[node];
  SlNetTensor x = as_image (program, sl_program_value (program, node, 0));
  SlPrimitive *norm = sl_batch_norm_primitive (program->shared->dnn, SL_FORWARD, x.layout,
                                               SL_NORM_EPSILON, TRUE, of->relu, NULL, error);
  if (norm == NULL)
    return FALSE;
  *value = sl_program_tensor (program, state->value.layout);
  sl_program_step (program, norm, 6,
                   (SlUse[]){ { SL_SRC, x },
                              { SL_DST, as_image (program, *value) },
                              { SL_SCALE, sl_program_parameter (program, of->parameter) },
                              { SL_SHIFT, sl_program_parameter (program, of->parameter + 1) },
                              { SL_MEAN, state->kept[MEAN] },
                              { SL_VARIANCE, state->kept[VARIANCE] } });
  return TRUE;
}

/* Where the gradient with respect to a scale or shift goes: nowhere, if nothing is trained. */
static SlNetTensor
gradient_of (SlProgram *program, int parameter)
{
  if (program->mode == SL_TRAIN)
    return sl_program_parameter_gradient (program, parameter);
  return sl_program_tensor (program, sl_program_parameter (program, parameter).layout);
}

static gboolean
backward (SlProgram *program, int node, SlNetTensor dy, GError **error)
{
  const SlNode *of = sl_program_node (program, node);
  const SlNodeState *state = &program->states[node];
  SlNetTensor x = as_image (program, sl_program_value (program, node, 0));
  SlPrimitive *norm = sl_batch_norm_primitive (program->shared->dnn, SL_BACKWARD_WEIGHTS, x.layout,
                                               SL_NORM_EPSILON, program->mode != SL_TRAIN, of->relu,
                                               state->forward, error);
  if (norm == NULL)
    return FALSE;
  SlNetTensor dx = sl_program_tensor (program, dy.layout);
  SlUse uses[10] = { { SL_SRC, x },
                     { SL_DIFF_DST, as_image (program, dy) },
                     { SL_DIFF_SRC, as_image (program, dx) },
                     { SL_MEAN, state->kept[MEAN] },
                     { SL_VARIANCE, state->kept[VARIANCE] },
                     { SL_SCALE, sl_program_parameter (program, of->parameter) },
                     { SL_DIFF_SCALE, gradient_of (program, of->parameter) },
                     { SL_DIFF_SHIFT, gradient_of (program, of->parameter + 1) } };
  int n = 8;
  if (sl_batch_norm_backward_takes_shift)
    uses[n++] = (SlUse){ SL_SHIFT, sl_program_parameter (program, of->parameter + 1) };
  if (state->kept[WORK].layout != NULL)
    uses[n++] = (SlUse){ SL_WORKSPACE, state->kept[WORK] };
  sl_program_step (program, norm, n, uses);
  sl_program_deliver (program, node, 0, dx);
  return TRUE;
}

const SlLayer sl_layer_batch_norm = { forward, backward, again };
