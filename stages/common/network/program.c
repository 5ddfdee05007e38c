/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program-private.h"

/* Buffers begin at such addresses: a cache line. */
#define ALIGNMENT 64

/* --- Tensors and steps --- */

static int
add_buffer (SlProgram *program, gsize bytes, float *fixed)
{
  gsize whole = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  SlProgramBuffer buffer = { .place = { .bytes = whole, .first = -1, .last = -1 }, .fixed = fixed };
  g_array_append_val (program->buffers, buffer);
  return (int) program->buffers->len - 1;
}

SlTensor
sl_program_tensor (SlProgram *program, const SlLayout *layout)
{
  return (SlTensor){ add_buffer (program, sl_layout_bytes (layout), NULL), layout };
}

SlTensor
sl_program_fixed (SlProgram *program, float *memory, const SlLayout *layout)
{
  return (SlTensor){ add_buffer (program, sl_layout_bytes (layout), memory), layout };
}

SlTensor
sl_program_value (const SlProgram *program, int node, int which)
{
  return program->states[sl_program_node (program, node)->in[which]].value;
}

int
sl_program_dims (const SlProgram *program, int node, gint64 *dim)
{
  const SlNode *of = sl_program_node (program, node);
  dim[0] = program->n;
  dim[1] = of->channels;
  dim[2] = of->height;
  dim[3] = of->width;
  return of->height == 1 && of->width == 1 ? 2 : 4;
}

/* The step that is added next uses BUFFER. */
static void
use (SlProgram *program, int buffer)
{
  SlPlace *place = &SL_BUFFER (program, buffer)->place;
  place->last = (int) program->steps->len;
  if (place->first < 0)
    place->first = place->last;
}

void
sl_program_step (SlProgram *program, SlPrimitive *primitive, int n, const SlUse *uses)
{
  SlProgramStep step = { .primitive = primitive };
  for (int i = 0; i < n; i++)
    step.uses[step.n++] = uses[i];
  const SlLayout *scratch = sl_primitive_layout (primitive, SL_SCRATCHPAD);
  if (scratch != NULL)
    step.uses[step.n++] = (SlUse){ SL_SCRATCHPAD, sl_program_tensor (program, scratch) };
  for (int i = 0; i < step.n; i++)
    use (program, step.uses[i].tensor.buffer);
  g_array_append_val (program->steps, step);
}

void
sl_program_call (SlProgram *program, SlStepFunction function, gpointer data, int n,
                 const SlTensor *tensors)
{
  SlProgramStep step = { .function = function, .data = data, .n = n };
  g_assert (n <= (int) G_N_ELEMENTS (step.arguments.memory));
  for (int i = 0; i < n; i++)
    {
      step.uses[i].tensor = tensors[i];
      use (program, tensors[i].buffer);
    }
  g_array_append_val (program->steps, step);
}

SlTensor
sl_program_as (SlProgram *program, SlTensor tensor, const SlLayout *layout, GError **error)
{
  if (sl_layout_equal (tensor.layout, layout))
    return tensor;
  SlPrimitive *reorder = sl_reorder_primitive (program->shared->dnn, tensor.layout, layout, error);
  if (reorder == NULL)
    return (SlTensor){ -1, NULL };
  SlTensor made = sl_program_tensor (program, layout);
  sl_program_step (program, reorder, 2, (SlUse[]){ { SL_SRC, tensor }, { SL_DST, made } });
  return made;
}

static int
last_user (const SlProgram *program, int value)
{
  int last = value;
  for (int i = value + 1; i < (int) program->description->nodes->len; i++)
    {
      const SlNode *node = sl_program_node (program, i);
      for (int j = 0; j < node->n_in && node->kind != SL_LAYER_NONE; j++)
        if (node->in[j] == value)
          last = i;
    }
  return last;
}

/* Whether NODE takes VALUE as anything but number WHICH. */
static gboolean
takes_twice (const SlProgram *program, int node, int which, int value)
{
  const SlNode *of = sl_program_node (program, node);
  for (int j = 0; j < of->n_in; j++)
    if (j != which && of->in[j] == value)
      return TRUE;
  return FALSE;
}

/* In an attack backward steps need values, so they are copied there. */
SlTensor
sl_program_overwrite (SlProgram *program, int node, int which, const SlLayout *layout,
                      GError **error)
{
  int from = sl_program_node (program, node)->in[which];
  SlTensor value = program->states[from].value;
  gboolean last = program->mode == SL_PREDICT && last_user (program, from) == node
                  && !takes_twice (program, node, which, from)
                  && SL_BUFFER (program, value.buffer)->fixed == NULL;
  if (last || !sl_layout_equal (value.layout, layout))
    return sl_program_as (program, value, layout, error);
  SlPrimitive *reorder = sl_reorder_primitive (program->shared->dnn, value.layout, layout, error);
  if (reorder == NULL)
    return (SlTensor){ -1, NULL };
  SlTensor made = sl_program_tensor (program, layout);
  sl_program_step (program, reorder, 2, (SlUse[]){ { SL_SRC, value }, { SL_DST, made } });
  return made;
}

/* --- Parameters --- */

static const SlLayout *
plain_layout (SlProgram *program, int parameter)
{
  const SlParameter *of = &program->shared->parameters[parameter];
  return sl_layout_plain (program->shared->dnn, of->n_dims, of->dim, SL_F32);
}

SlTensor
sl_program_parameter (SlProgram *program, int parameter)
{
  return sl_program_fixed (program, program->shared->parameters[parameter].value,
                           plain_layout (program, parameter));
}

SlTensor
sl_program_parameter_gradient (SlProgram *program, int parameter)
{
  return sl_program_fixed (program, program->shared->parameters[parameter].grad,
                           plain_layout (program, parameter));
}

gboolean
sl_program_step_weights (SlProgram *program, SlPrimitive *primitive, int parameter,
                         const SlLayout *plain, int n, const SlUse *uses, GError **error)
{
  const SlLayout *layout = sl_primitive_layout (primitive, SL_DIFF_WEIGHTS);
  SlTensor to = sl_tensor_as (sl_program_parameter_gradient (program, parameter), plain);
  SlTensor made = sl_layout_equal (layout, plain) ? to : sl_program_tensor (program, layout);
  SlUse all[SL_N_ROLES] = { { SL_DIFF_WEIGHTS, made } };
  for (int i = 0; i < n; i++)
    all[i + 1] = uses[i];
  sl_program_step (program, primitive, n + 1, all);
  if (made.buffer == to.buffer)
    return TRUE;
  SlPrimitive *reorder = sl_reorder_primitive (program->shared->dnn, layout, plain, error);
  if (reorder == NULL)
    return FALSE;
  sl_program_step (program, reorder, 2, (SlUse[]){ { SL_SRC, made }, { SL_DST, to } });
  return TRUE;
}
/* --- Running --- */

static float *
address (SlProgram *program, SlTensor tensor)
{
  const SlProgramBuffer *buffer = SL_BUFFER (program, tensor.buffer);
  return buffer->fixed != NULL ? buffer->fixed : (float *) (program->memory + buffer->place.offset);
}

gboolean
sl_program_bind (SlProgram *program, char *memory, GError **error)
{
  program->memory = memory;
  for (guint i = 0; i < program->steps->len; i++)
    {
      SlProgramStep *step = SL_STEP (program, i);
      if (step->primitive == NULL)
        {
          for (int j = 0; j < step->n; j++)
            step->arguments.memory[j] = address (program, step->uses[j].tensor);
          step->arguments.n = program->n;
          step->arguments.threads = program->shared->threads;
          continue;
        }
      step->call = sl_call_new (step->primitive, error);
      if (step->call == NULL)
        return FALSE;
      for (int j = 0; j < step->n; j++)
        if (!sl_call_bind (step->call, step->uses[j].role, address (program, step->uses[j].tensor),
                           error))
          return FALSE;
    }
  return TRUE;
}

gboolean
sl_program_run (SlProgram *program, gboolean backward, guint64 key, GError **error)
{
  sl_dnn_use_threads (program->shared->dnn);
  int first = backward ? program->n_forward : 0;
  int end = backward ? (int) program->steps->len : program->n_forward;
  for (int i = first; i < end; i++)
    {
      SlProgramStep *step = SL_STEP (program, i);
      step->arguments.key = key;
      if (step->primitive == NULL)
        step->function (&step->arguments, step->data);
      else if (!sl_call_run (step->call, error))
        return FALSE;
    }
  return TRUE;
}
