/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x among channels of zeros: y[n][first + c] = x[n][c]; dL/dx[n][c] = dL/dy[n][first + c]. */
#include "channels.h"
#include "stages/common/network/layers.h"

static gboolean
forward (SlProgram *program, int node, GError **error)
{
  const SlNode *of = sl_program_node (program, node);
  SlNetTensor x = sl_program_value (program, node, 0);
  gint64 dim[4];
  sl_program_dims (program, node, dim);
  SlNetTensor y = sl_program_tensor (program, sl_layout_like (program->shared->dnn, x.layout, dim));
  sl_copy_channels (program, x, 0, y, of->first, sl_program_node (program, of->in[0])->channels,
                    TRUE);
  program->states[node].value = y;
  return TRUE;
}

static gboolean
backward (SlProgram *program, int node, GError **error)
{
  const SlNode *of = sl_program_node (program, node);
  SlNetTensor x = sl_program_value (program, node, 0), dy;
  if (!sl_program_gradient (program, node, &dy, error))
    return FALSE;
  SlNetTensor dx = sl_program_tensor (program, x.layout);
  sl_copy_channels (program, dy, of->first, dx, 0, sl_program_node (program, of->in[0])->channels,
                    TRUE);
  sl_program_deliver (program, node, 0, dx);
  return TRUE;
}

const SlLayer sl_layer_embed = { forward, backward, NULL };
