/* SPDX-License-Identifier: GPL-3.0-or-later */
/* y = a + b, or max (0, a + b); dL/da = dL/db = dL/dy, where y > 0 with the latter. */
#include "stages/common/network/layers.h"

static gboolean
forward (SlProgram *program, int node, GError **error)
{
  SlNetTensor a = sl_program_value (program, node, 0);
  SlNetTensor b = sl_program_as (program, sl_program_value (program, node, 1), a.layout, error);
  SlPrimitive *add = sl_add_primitive (program->shared->dnn, a.layout,
                                       sl_program_node (program, node)->relu, error);
  if (add == NULL || b.layout == NULL)
    return FALSE;
  SlNetTensor y = sl_program_tensor (program, a.layout);
  sl_program_step (program, add, 3, (SlUse[]){ { SL_SRC, a }, { SL_SRC_1, b }, { SL_DST, y } });
  program->states[node].value = y;
  return TRUE;
}

static gboolean
backward (SlProgram *program, int node, GError **error)
{
  SlNetTensor dy;
  if (!sl_program_result_gradient (program, node, &dy, error))
    return FALSE;
  for (int which = 0; which < 2; which++)
    if (sl_program_wants (program, node, which))
      sl_program_deliver (program, node, which, dy);
  return TRUE;
}

const SlLayer sl_layer_add = { forward, backward, NULL };
