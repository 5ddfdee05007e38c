/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How gradients flow back in a program: who wants which, and the sum of those that a value gets. */
#include "layers.h"

/* From so many bytes on values are made again. */
#define LARGE (16 << 20)

gboolean
sl_program_recall (SlProgram *program, int node, int which, SlTensor *value, GError **error)
{
  int from = sl_program_node (program, node)->in[which];
  SlNodeState *state = &program->states[from];
  const SlLayer *layer = sl_layers[sl_program_node (program, from)->kind];
  *value = state->value;
  if (program->mode != SL_TRAIN || layer->again == NULL
      || sl_layout_bytes (state->value.layout) < LARGE)
    return TRUE;
  if (state->again.layout == NULL && !layer->again (program, from, &state->again, error))
    return FALSE;
  *value = state->again;
  return TRUE;
}

gboolean
sl_program_wants (const SlProgram *program, int node, int which)
{
  return program->wanted[sl_program_node (program, node)->in[which]];
}

void
sl_program_deliver (SlProgram *program, int node, int which, SlTensor gradient)
{
  int to = sl_program_node (program, node)->in[which];
  if (program->contributions[to] == NULL)
    program->contributions[to] = g_array_new (FALSE, FALSE, sizeof (SlTensor));
  g_array_append_val (program->contributions[to], gradient);
}

gboolean
sl_program_gradient (SlProgram *program, int node, SlTensor *gradient, GError **error)
{
  const GArray *contributions = program->contributions[node];
  const SlLayout *layout = program->states[node].value.layout;
  g_assert (contributions != NULL);
  for (guint i = 0; i < contributions->len; i++)
    {
      SlTensor one
          = sl_program_as (program, g_array_index (contributions, SlTensor, i), layout, error);
      if (one.layout == NULL)
        return FALSE;
      if (i == 0)
        {
          *gradient = one;
          continue;
        }
      SlPrimitive *add = sl_add_primitive (program->shared->dnn, layout, FALSE, error);
      if (add == NULL)
        return FALSE;
      SlTensor sum = i == 1 ? sl_program_tensor (program, layout) : *gradient;
      sl_program_step (program, add, 3,
                       (SlUse[]){ { SL_SRC, *gradient }, { SL_SRC_1, one }, { SL_DST, sum } });
      *gradient = sum;
    }
  return TRUE;
}

gboolean
sl_program_result_gradient (SlProgram *program, int node, SlTensor *gradient, GError **error)
{
  SlTensor given;
  if (!sl_program_gradient (program, node, &given, error))
    return FALSE;
  *gradient = given;
  const SlNode *of = sl_program_node (program, node);
  if (!of->relu && of->kind != SL_LAYER_RELU)
    return TRUE;
  SlDnn *dnn = program->shared->dnn;
  SlTensor value = program->states[node].value;
  SlPrimitive *forward = sl_relu_primitive (dnn, SL_FORWARD_TRAINING, value.layout, NULL, error);
  if (forward == NULL)
    return FALSE;
  SlPrimitive *relu = sl_relu_primitive (dnn, SL_BACKWARD_DATA, value.layout, forward, error);
  if (relu == NULL)
    return FALSE;
  *gradient = sl_program_tensor (program, value.layout);
  sl_program_step (
      program, relu, 3,
      (SlUse[]){ { SL_DST, value }, { SL_DIFF_DST, given }, { SL_DIFF_SRC, *gradient } });
  return TRUE;
}
