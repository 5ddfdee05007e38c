/* SPDX-License-Identifier: GPL-3.0-or-later */
/* y = the largest number, or the mean, of each window of x in each channel; dL/dx = dL/dy at the
 * largest one, or its share at each. */
#include "stages/common/network/layers.h"

static gboolean
forward (SlProgram *program, int node, GError **error)
{
  const SlNode *of = sl_program_node (program, node);
  SlNodeState *state = &program->states[node];
  SlDnn *dnn = program->shared->dnn;
  SlNetTensor x = sl_program_value (program, node, 0);
  gint64 dim[4];
  sl_program_dims (program, node, dim);
  state->forward = sl_pool_primitive (
      dnn, program->mode == SL_PREDICT ? SL_FORWARD : SL_FORWARD_TRAINING, of->largest, &of->window,
      x.layout, sl_layout_like (dnn, x.layout, dim), NULL, error);
  if (state->forward == NULL)
    return FALSE;
  SlNetTensor y = sl_program_tensor (program, sl_primitive_layout (state->forward, SL_DST));
  SlUse uses[3] = { { SL_SRC, x }, { SL_DST, y } };
  const SlLayout *work = sl_primitive_layout (state->forward, SL_WORKSPACE);
  if (work != NULL)
    uses[2] = (SlUse){ SL_WORKSPACE, state->kept[0] = sl_program_tensor (program, work) };
  sl_program_step (program, state->forward, work != NULL ? 3 : 2, uses);
  state->value = y;
  return TRUE;
}

static gboolean
backward (SlProgram *program, int node, SlNetTensor dy, GError **error)
{
  const SlNode *of = sl_program_node (program, node);
  const SlNodeState *state = &program->states[node];
  SlNetTensor x = sl_program_value (program, node, 0);
  SlPrimitive *pool = sl_pool_primitive (program->shared->dnn, SL_BACKWARD_DATA, of->largest,
                                         &of->window, x.layout, dy.layout, state->forward, error);
  if (pool == NULL)
    return FALSE;
  SlNetTensor dx = sl_program_tensor (program, x.layout);
  sl_program_step (
      program, pool, state->kept[0].layout != NULL ? 3 : 2,
      (SlUse[]){ { SL_DIFF_DST, dy }, { SL_DIFF_SRC, dx }, { SL_WORKSPACE, state->kept[0] } });
  sl_program_deliver (program, node, 0, dx);
  return TRUE;
}

const SlLayer sl_layer_pool = { forward, backward, NULL };
