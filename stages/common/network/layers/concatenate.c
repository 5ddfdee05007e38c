/* SPDX-License-Identifier: GPL-3.0-or-later */
/* y = a's channels, then b's; dL/da and dL/db are the parts of dL/dy. */
#include "channels.h"
#include "stages/common/network/layers.h"

static gboolean
forward (SlProgram *program, int node, GError **error)
{
  SlNetTensor first = sl_program_value (program, node, 0);
  SlNetTensor y = sl_program_like (program, node, first.layout);
  for (int which = 0, at = 0; which < 2; which++)
    {
      const SlNode *part = sl_program_node (program, sl_program_node (program, node)->in[which]);
      sl_copy_channels (program, sl_program_value (program, node, which), 0, y, at, part->channels,
                        which == 0);
      at += part->channels;
    }
  program->states[node].value = y;
  return TRUE;
}

static gboolean
backward (SlProgram *program, int node, GError **error)
{
  SlNetTensor dy;
  if (!sl_program_gradient (program, node, &dy, error))
    return FALSE;
  for (int which = 0, at = 0; which < 2; which++)
    {
      const SlNode *part = sl_program_node (program, sl_program_node (program, node)->in[which]);
      if (sl_program_wants (program, node, which))
        {
          SlNetTensor dx
              = sl_program_tensor (program, sl_program_value (program, node, which).layout);
          sl_copy_channels (program, dy, at, dx, 0, part->channels, TRUE);
          sl_program_deliver (program, node, which, dx);
        }
      at += part->channels;
    }
  return TRUE;
}

const SlLayer sl_layer_concatenate = { forward, backward, NULL };
