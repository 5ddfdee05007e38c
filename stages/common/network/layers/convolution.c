/* SPDX-License-Identifier: GPL-3.0-or-later */
/* y[n][o][i][j] = sum over c, u, v of W[o][c][u][v] x[n][c][i s + u - p][j s + v - p] + b[o], in
 * groups of channels; dL/dx and dL/dW are such sums of dL/dy and W or x, dL/db is dL/dy's sum over
 * n, i and j. For prediction the batch normalisation behind it is folded into W and b, and an
 * addition and a ReLU are made on the way out. */
#include "stages/common/network/convolution-rule.h"
#include "stages/common/network/layers.h"

#include <string.h>

/* W's dimensions: PyTorch's, with groups apart. */
static int
weight_dims (const SlProgram *program, int node, gint64 *dim)
{
  const SlNode *of = sl_program_node (program, node);
  const SlParameter *weight = &program->shared->parameters[of->parameter];
  int at = 0;
  if (of->window.groups > 1)
    dim[at++] = of->window.groups;
  dim[at++] = weight->dim[0] / of->window.groups;
  for (int i = 1; i < 4; i++)
    dim[at++] = weight->dim[i];
  return at;
}

static SlAlgorithm
algorithm (const SlProgram *program, int node, SlPass pass)
{
  const SlNode *of = sl_program_node (program, node);
  const SlNode *from = sl_program_node (program, of->in[0]);
  SlConvolutionShape shape = { from->channels, of->channels, of->height,
                               of->width,      of->window,   program->shared->number };
  return sl_convolution_rule (&shape, pass);
}

/* Of the pass's operation with the algorithm that the rule says, or else directly: a library may
 * lack the other one. */
static SlPrimitive *
primitive (SlProgram *program, int node, SlPass pass, const SlLayout *src, const SlLayout *weights,
           const SlLayout *bias, const SlLayout *dst, GError **error)
{
  const SlNode *of = sl_program_node (program, node);
  const SlPrimitive *hint = program->states[node].forward;
  SlDnn *dnn = program->shared->dnn;
  gboolean add = of->n_in == 2, relu = of->relu;
  if (algorithm (program, node, pass) == SL_WINOGRAD)
    {
      SlPrimitive *made = sl_convolution_primitive (dnn, pass, SL_WINOGRAD, &of->window, src,
                                                    weights, bias, dst, add, relu, hint, NULL);
      if (made != NULL)
        return made;
    }
  gboolean forward = pass == SL_FORWARD || pass == SL_FORWARD_TRAINING;
  return sl_convolution_primitive (dnn, pass, SL_DIRECT, &of->window, src, weights, bias, dst,
                                   forward && add, forward && relu, hint, error);
}

static gboolean
is_slow (const SlPrimitive *made)
{
  const char *kernel = sl_primitive_kernel (made);
  return strstr (kernel, "ref") != NULL || strstr (kernel, "gemm:") == kernel;
}

/* The forward operation: on x as it lies, unless that is only possible slowly; in bfloat16, whose
 * fast kernels want a layout of their own, on x as they like it. */
static SlPrimitive *
forward_primitive (SlProgram *program, int node, const SlLayout *x, const SlLayout *bias,
                   GError **error)
{
  SlDnn *dnn = program->shared->dnn;
  SlNumber number = program->shared->number;
  SlPass pass = program->mode == SL_TRAIN ? SL_FORWARD_TRAINING : SL_FORWARD;
  gint64 in[SL_MAX_DIMS], out[4], weight[SL_MAX_DIMS];
  sl_layout_dims (x, in);
  sl_program_dims (program, node, out);
  int n_dims = weight_dims (program, node, weight);
  const SlLayout *w = sl_layout_any (dnn, n_dims, weight, number);
  const SlLayout *y = sl_layout_any (dnn, 4, out, number);
  SlPrimitive *made
      = number == SL_BF16 ? NULL : primitive (program, node, pass, x, w, bias, y, NULL);
  if (made != NULL && !is_slow (made))
    return made;
  return primitive (program, node, pass, sl_layout_any (dnn, 4, in, number), w, bias, y, error);
}

static gboolean
forward (SlProgram *program, int node, GError **error)
{
  const SlNode *of = sl_program_node (program, node);
  SlNodeState *state = &program->states[node];
  SlTensor x = sl_program_value (program, node, 0);
  gint64 channels = of->channels;
  gboolean has_bias = of->bias || of->norm >= 0;
  const SlLayout *bias
      = has_bias ? sl_layout_plain (program->shared->dnn, 1, &channels, SL_F32) : NULL;
  state->forward = forward_primitive (program, node, x.layout, bias, error);
  if (state->forward == NULL)
    return FALSE;
  x = sl_program_as (program, x, sl_primitive_layout (state->forward, SL_SRC), error);
  state->kept[0] = x;
  SlTensor w = sl_program_weights (program, of->parameter, of->norm,
                                   sl_primitive_layout (state->forward, SL_WEIGHTS), error);
  const SlLayout *layout = sl_primitive_layout (state->forward, SL_DST);
  SlTensor y = of->n_in == 2 ? sl_program_overwrite (program, node, 1, layout, error)
                             : sl_program_tensor (program, layout);
  if (x.layout == NULL || w.layout == NULL || y.layout == NULL)
    return FALSE;
  SlUse uses[4] = { { SL_SRC, x }, { SL_WEIGHTS, w }, { SL_DST, y } };
  if (of->norm >= 0)
    uses[3].tensor = sl_program_weights (program, of->bias ? of->parameter + 1 : of->norm + 1,
                                         of->norm, bias, error);
  else if (has_bias)
    uses[3].tensor = sl_program_parameter (program, of->parameter + 1);
  if (has_bias && uses[3].tensor.layout == NULL)
    return FALSE;
  uses[3].role = SL_BIAS;
  sl_program_step (program, state->forward, has_bias ? 4 : 3, uses);
  state->value = y;
  return TRUE;
}

static gboolean
backward_weights (SlProgram *program, int node, SlTensor dy, GError **error)
{
  const SlNode *of = sl_program_node (program, node);
  SlDnn *dnn = program->shared->dnn;
  SlTensor x = program->states[node].kept[0];
  gint64 dim[SL_MAX_DIMS], channels = of->channels;
  int n_dims = weight_dims (program, node, dim);
  const SlLayout *bias = of->bias ? sl_layout_plain (dnn, 1, &channels, SL_F32) : NULL;
  SlPrimitive *made = primitive (program, node, SL_BACKWARD_WEIGHTS, x.layout,
                                 sl_layout_any (dnn, n_dims, dim, SL_F32), bias, dy.layout, error);
  if (made == NULL)
    return FALSE;
  SlUse uses[3] = { { SL_SRC, x }, { SL_DIFF_DST, dy } };
  if (of->bias)
    uses[2] = (SlUse){ SL_DIFF_BIAS, sl_program_parameter_gradient (program, of->parameter + 1) };
  return sl_program_step_weights (program, made, of->parameter,
                                  sl_layout_plain (dnn, n_dims, dim, SL_F32), of->bias ? 3 : 2,
                                  uses, error);
}

static gboolean
backward_data (SlProgram *program, int node, SlTensor dy, GError **error)
{
  const SlNode *of = sl_program_node (program, node);
  SlDnn *dnn = program->shared->dnn;
  const SlLayout *x = program->states[node].kept[0].layout;
  gint64 dim[SL_MAX_DIMS];
  int n_dims = weight_dims (program, node, dim);
  SlPrimitive *made = primitive (program, node, SL_BACKWARD_DATA, x,
                                 sl_layout_any (dnn, n_dims, dim, program->shared->number), NULL,
                                 dy.layout, error);
  if (made == NULL)
    return FALSE;
  SlTensor w = sl_program_weights (program, of->parameter, of->norm,
                                   sl_primitive_layout (made, SL_WEIGHTS), error);
  if (w.layout == NULL)
    return FALSE;
  SlTensor dx = sl_program_tensor (program, x);
  sl_program_step (program, made, 3,
                   (SlUse[]){ { SL_DIFF_DST, dy }, { SL_WEIGHTS, w }, { SL_DIFF_SRC, dx } });
  sl_program_deliver (program, node, 0, dx);
  return TRUE;
}

static gboolean
backward (SlProgram *program, int node, GError **error)
{
  SlTensor dy;
  if (!sl_program_result_gradient (program, node, &dy, error))
    return FALSE;
  const SlNode *of = sl_program_node (program, node);
  if (of->n_in == 2 && sl_program_wants (program, node, 1))
    sl_program_deliver (program, node, 1, dy);
  if (program->mode == SL_TRAIN && !backward_weights (program, node, dy, error))
    return FALSE;
  return !sl_program_wants (program, node, 0) || backward_data (program, node, dy, error);
}

const SlLayer sl_layer_convolution = { forward, backward };
