/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Some channels of x: y[n][c] = x[n][first + c]; dL/dx[n][first + c] = dL/dy[n][c], else 0. */
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
  sl_copy_channels (program, x, of->first, y, 0, of->channels, TRUE);
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
  sl_copy_channels (program, dy, 0, dx, of->first, of->channels, TRUE);
  sl_program_deliver (program, node, 0, dx);
  return TRUE;
}

const SlLayer sl_layer_part = { forward, backward, NULL };
