/* SPDX-License-Identifier: GPL-3.0-or-later */
/* y = x W' + b over x[n][in], W[out][in]; dL/dx = dL/dy W, dL/dW = dL/dy' x, dL/db = sum of dL/dy
 * over examples. x may be an image, whose numbers are then in the order [c][h][w]. */
#include "stages/common/network/layers.h"

/* W's dimensions: of an image, W[out][c][h][w]. */
static int
weight_dims (const SlProgram *program, int node, const SlNetTensor *x, gint64 *dim)
{
  int n_dims = sl_layout_dims (x->layout, dim);
  dim[0] = sl_program_node (program, node)->channels;
  return n_dims;
}

static gboolean
forward (SlProgram *program, int node, GError **error)
{
  const SlNode *of = sl_program_node (program, node);
  SlNodeState *state = &program->states[node];
  SlDnn *dnn = program->shared->dnn;
  SlPrecision number = program->shared->number;
  SlNetTensor x = sl_program_value (program, node, 0);
  gint64 dim[SL_MAX_DIMS], out[] = { sl_program_examples (program, node), of->channels };
  int n_dims = weight_dims (program, node, &x, dim);
  const SlLayout *bias = sl_layout_plain (dnn, 1, dim, SL_F32);
  state->forward
      = sl_linear_primitive (dnn, program->mode == SL_TRAIN ? SL_FORWARD_TRAINING : SL_FORWARD,
                             x.layout, sl_layout_any (dnn, n_dims, dim, number), bias,
                             sl_layout_plain (dnn, 2, out, number), of->relu, NULL, error);
  if (state->forward == NULL)
    return FALSE;
  SlNetTensor w = sl_program_weights (program, of->parameter, -1,
                                      sl_primitive_layout (state->forward, SL_WEIGHTS), error);
  if (w.layout == NULL)
    return FALSE;
  SlNetTensor b = sl_program_parameter (program, of->parameter + 1);
  SlNetTensor y = sl_program_tensor (program, sl_primitive_layout (state->forward, SL_DST));
  sl_program_step (program, state->forward, 4,
                   (SlUse[]){ { SL_SRC, x }, { SL_WEIGHTS, w }, { SL_BIAS, b }, { SL_DST, y } });
  state->value = y;
  return TRUE;
}

static gboolean
backward_weights (SlProgram *program, int node, SlNetTensor dy, GError **error)
{
  const SlNode *of = sl_program_node (program, node);
  SlDnn *dnn = program->shared->dnn;
  SlNetTensor x = sl_program_value (program, node, 0);
  gint64 dim[SL_MAX_DIMS];
  int n_dims = weight_dims (program, node, &x, dim);
  const SlLayout *plain = sl_layout_plain (dnn, n_dims, dim, SL_F32);
  SlPrimitive *product = sl_linear_primitive (dnn, SL_BACKWARD_WEIGHTS, x.layout,
                                              sl_layout_any (dnn, n_dims, dim, SL_F32),
                                              sl_layout_plain (dnn, 1, dim, SL_F32), dy.layout,
                                              FALSE, program->states[node].forward, error);
  if (product == NULL)
    return FALSE;
  SlNetTensor db = sl_program_parameter_gradient (program, of->parameter + 1);
  return sl_program_step_weights (
      program, product, of->parameter, plain, 3,
      (SlUse[]){ { SL_SRC, x }, { SL_DIFF_DST, dy }, { SL_DIFF_BIAS, db } }, error);
}

static gboolean
backward_data (SlProgram *program, int node, SlNetTensor dy, GError **error)
{
  const SlNode *of = sl_program_node (program, node);
  SlDnn *dnn = program->shared->dnn;
  SlNetTensor x = sl_program_value (program, node, 0);
  gint64 dim[SL_MAX_DIMS];
  int n_dims = weight_dims (program, node, &x, dim);
  SlPrimitive *product = sl_linear_primitive (
      dnn, SL_BACKWARD_DATA, x.layout, sl_layout_any (dnn, n_dims, dim, program->shared->number),
      NULL, dy.layout, FALSE, program->states[node].forward, error);
  if (product == NULL)
    return FALSE;
  SlNetTensor w = sl_program_weights (program, of->parameter, -1,
                                      sl_primitive_layout (product, SL_WEIGHTS), error);
  if (w.layout == NULL)
    return FALSE;
  SlNetTensor dx = sl_program_tensor (program, x.layout);
  sl_program_step (program, product, 3,
                   (SlUse[]){ { SL_DIFF_DST, dy }, { SL_WEIGHTS, w }, { SL_DIFF_SRC, dx } });
  sl_program_deliver (program, node, 0, dx);
  return TRUE;
}

static gboolean
backward (SlProgram *program, int node, SlNetTensor dy, GError **error)
{
  if (program->mode == SL_TRAIN && !backward_weights (program, node, dy, error))
    return FALSE;
  return !sl_program_wants (program, node, 0) || backward_data (program, node, dy, error);
}

const SlLayer sl_layer_linear = { forward, backward, NULL };
