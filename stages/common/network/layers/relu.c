/* SPDX-License-Identifier: GPL-3.0-or-later */
/* y = max (0, x); dL/dx = dL/dy where y > 0, else 0. */
#include "stages/common/network/layers.h"

static gboolean
forward (SlProgram *program, int node, GError **error)
{
  SlNetTensor x = sl_program_value (program, node, 0);
  SlPrimitive *relu = sl_relu_primitive (
      program->shared->dnn, program->mode == SL_PREDICT ? SL_FORWARD : SL_FORWARD_TRAINING,
      x.layout, NULL, error);
  if (relu == NULL)
    return FALSE;
  SlNetTensor y = sl_program_tensor (program, x.layout);
  sl_program_step (program, relu, 2, (SlUse[]){ { SL_SRC, x }, { SL_DST, y } });
  program->states[node].value = y;
  return TRUE;
}

static gboolean
backward (SlProgram *program, int node, GError **error)
{
  SlNetTensor dy;
  if (!sl_program_result_gradient (program, node, &dy, error))
    return FALSE;
  sl_program_deliver (program, node, 0, dy);
  return TRUE;
}

const SlLayer sl_layer_relu = { forward, backward, NULL };
