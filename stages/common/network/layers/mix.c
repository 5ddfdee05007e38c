/* SPDX-License-Identifier: GPL-3.0-or-later */
/* y[i] = s[i] x[a[i]] + (1 - s[i]) x[b[i]], by the batch's pairs (a, b, s); dL/dx[j] is the sum of
 * s dL/dy over the rows whose a is j, and of (1 - s) dL/dy over those whose b is. A linear layer
 * commutes with this, its bias too, as s and 1 - s sum to 1: so it stands before, and is computed
 * once an input, not once a row. */
#include "stages/common/network/layers.h"

#include <string.h>

typedef struct
{
  const SlPairs *of;
  gsize channels;
} Mix;

static void
mix (const SlStepCall *call, gconstpointer data)
{
  const Mix *how = data;
  const SlPairs *of = how->of;
  float *y = call->memory[1];
  for (int i = 0; i < call->n; i++, y += how->channels)
    {
      const float *a = call->memory[0] + (gsize) of->first[i] * how->channels;
      const float *b = call->memory[0] + (gsize) of->second[i] * how->channels;
      for (gsize c = 0; c < how->channels; c++)
        y[c] = of->share[i] * a[c] + (1 - of->share[i]) * b[c];
    }
}

static void
add_up (const SlStepCall *call, gconstpointer data)
{
  const Mix *how = data;
  const SlPairs *of = how->of;
  const float *dy = call->memory[0];
  memset (call->memory[1], 0, (gsize) of->items * how->channels * sizeof *dy);
  for (int i = 0; i < call->n; i++, dy += how->channels)
    {
      float *a = call->memory[1] + (gsize) of->first[i] * how->channels;
      float *b = call->memory[1] + (gsize) of->second[i] * how->channels;
      for (gsize c = 0; c < how->channels; c++)
        a[c] += of->share[i] * dy[c];
      for (gsize c = 0; c < how->channels; c++)
        b[c] += (1 - of->share[i]) * dy[c];
    }
}

static const SlLayout *
layout (SlProgram *program, int node, SlPrecision number)
{
  gint64 dim[4];
  int n_dims = sl_program_dims (program, node, dim);
  return sl_layout_plain (program->shared->dnn, n_dims, dim, number);
}

/* Appends the step FUNCTION, from FROM to a tensor that is laid out as LIKE, which it returns. */
static SlNetTensor
append (SlProgram *program, int node, SlStepFunction function, SlNetTensor from,
        const SlLayout *like)
{
  Mix *how = g_new (Mix, 1);
  *how = (Mix){ &program->shared->pairs, (gsize) sl_program_node (program, node)->channels };
  SlNetTensor to = sl_program_tensor (program, like);
  sl_program_call (program, function, how, 2, (SlNetTensor[]){ from, to });
  return to;
}

static gboolean
forward (SlProgram *program, int node, GError **error)
{
  int from = sl_program_node (program, node)->in[0];
  SlNetTensor x = sl_program_as (program, sl_program_value (program, node, 0),
                                 layout (program, from, SL_F32), error);
  if (x.layout == NULL)
    return FALSE;
  SlNetTensor y = append (program, node, mix, x, layout (program, node, SL_F32));
  y = sl_program_as (program, y, layout (program, node, program->shared->number), error);
  program->states[node].value = y;
  return y.layout != NULL;
}

static gboolean
backward (SlProgram *program, int node, SlNetTensor dy, GError **error)
{
  dy = sl_program_as (program, dy, layout (program, node, SL_F32), error);
  if (dy.layout == NULL)
    return FALSE;
  int from = sl_program_node (program, node)->in[0];
  sl_program_deliver (program, node, 0,
                      append (program, node, add_up, dy, layout (program, from, SL_F32)));
  return TRUE;
}

const SlLayer sl_layer_mix = { forward, backward, NULL };
