/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The channels of the narrower one of x and y are some of the wider one's, from number `first` on:
 * y is x among channels of zeros, y[n][first + c] = x[n][c], or it is a part of x, y[n][c] =
 * x[n][first + c]. The gradient comes back the same way. */
#include "channels.h"
#include "stages/common/network/layers.h"

/* Copies from what NODE has on the one side to what it has on the other; BACK: to its input. */
static void
copy (SlProgram *program, int node, SlNetTensor from, SlNetTensor to, gboolean back)
{
  const SlNode *of = sl_program_node (program, node);
  int in = sl_program_node (program, of->in[0])->channels, out = of->channels;
  gboolean narrower = back ? in < out : out < in;
  sl_copy_channels (program, from, narrower ? of->first : 0, to, narrower ? 0 : of->first,
                    MIN (in, out), TRUE);
}

static gboolean
forward (SlProgram *program, int node, GError **error)
{
  SlNetTensor x = sl_program_value (program, node, 0);
  SlNetTensor y = sl_program_like (program, node, x.layout);
  copy (program, node, x, y, FALSE);
  program->states[node].value = y;
  return TRUE;
}

static gboolean
backward (SlProgram *program, int node, GError **error)
{
  SlNetTensor x = sl_program_value (program, node, 0), dy;
  if (!sl_program_gradient (program, node, &dy, error))
    return FALSE;
  SlNetTensor dx = sl_program_tensor (program, x.layout);
  copy (program, node, dy, dx, TRUE);
  sl_program_deliver (program, node, 0, dx);
  return TRUE;
}

const SlLayer sl_layer_some_channels = { forward, backward, NULL };
