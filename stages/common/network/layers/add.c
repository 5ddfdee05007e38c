/* SPDX-License-Identifier: GPL-3.0-or-later */
/* y = a + b, or max (0, a + b), and y = max (0, x). The gradient of each is dL/dy, which is 0 where
 * a ReLU made y 0. */
#include "stages/common/network/layers.h"

static gboolean
add (SlProgram *program, int node, GError **error)
{
  SlNetTensor a = sl_program_value (program, node, 0);
  SlNetTensor b = sl_program_as (program, sl_program_value (program, node, 1), a.layout, error);
  SlPrimitive *sum = sl_add_primitive (program->shared->dnn, a.layout,
                                       sl_program_node (program, node)->relu, error);
  if (sum == NULL || b.layout == NULL)
    return FALSE;
  SlNetTensor y = sl_program_tensor (program, a.layout);
  sl_program_step (program, sum, 3, (SlUse[]){ { SL_SRC, a }, { SL_SRC_1, b }, { SL_DST, y } });
  program->states[node].value = y;
  return TRUE;
}

static gboolean
relu (SlProgram *program, int node, GError **error)
{
  SlNetTensor x = sl_program_value (program, node, 0);
  SlPrimitive *larger = sl_relu_primitive (
      program->shared->dnn, program->mode == SL_PREDICT ? SL_FORWARD : SL_FORWARD_TRAINING,
      x.layout, NULL, error);
  if (larger == NULL)
    return FALSE;
  SlNetTensor y = sl_program_tensor (program, x.layout);
  sl_program_step (program, larger, 2, (SlUse[]){ { SL_SRC, x }, { SL_DST, y } });
  program->states[node].value = y;
  return TRUE;
}

static gboolean
backward (SlProgram *program, int node, SlNetTensor dy, GError **error)
{
  for (int which = 0; which < sl_program_node (program, node)->n_in; which++)
    if (sl_program_wants (program, node, which))
      sl_program_deliver (program, node, which, dy);
  return TRUE;
}

const SlLayer sl_layer_add = { add, backward, NULL };
const SlLayer sl_layer_relu = { relu, backward, NULL };
