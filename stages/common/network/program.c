/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program.h"

#include "layers.h"

typedef struct
{
  SlPlace place; /* in the program's memory; first and last are steps */
  float *fixed;  /* or here */
} SlProgramBuffer;

typedef struct
{
  SlPrimitive *primitive; /* NULL: a function */
  SlCall *call;
  SlStepFunction function;
  gpointer data;
  int n;
  SlUse uses[SL_N_ROLES];
  SlStepCall arguments;
} SlProgramStep;

#define SL_BUFFER(program, i) (&g_array_index ((program)->buffers, SlProgramBuffer, i))
#define SL_STEP(program, i) (&g_array_index ((program)->steps, SlProgramStep, i))

/* Buffers begin at such addresses: a cache line. */
#define ALIGNMENT 64

/* ---- tensors and steps ---- */

static int
add_buffer (SlProgram *program, gsize bytes, float *fixed)
{
  gsize whole = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  SlProgramBuffer buffer = { .place = { .bytes = whole, .first = -1, .last = -1 }, .fixed = fixed };
  g_array_append_val (program->buffers, buffer);
  return (int) program->buffers->len - 1;
}

SlNetTensor
sl_program_tensor (SlProgram *program, const SlLayout *layout)
{
  return (SlNetTensor){ add_buffer (program, sl_layout_bytes (layout), NULL), layout };
}

SlNetTensor
sl_program_fixed (SlProgram *program, float *memory, const SlLayout *layout)
{
  return (SlNetTensor){ add_buffer (program, sl_layout_bytes (layout), memory), layout };
}

SlNetTensor
sl_program_value (const SlProgram *program, int node, int which)
{
  return program->states[sl_program_node (program, node)->in[which]].value;
}

int
sl_program_examples (const SlProgram *program, int node)
{
  return node < program->description->mixed ? program->items : program->n;
}

int
sl_program_dims (const SlProgram *program, int node, gint64 *dim)
{
  const SlNode *of = sl_program_node (program, node);
  dim[0] = sl_program_examples (program, node);
  dim[1] = of->channels;
  dim[2] = of->height;
  dim[3] = of->width;
  return of->height == 1 && of->width == 1 ? 2 : 4;
}

SlNetTensor
sl_program_like (SlProgram *program, int node, const SlLayout *like)
{
  gint64 dim[4];
  sl_program_dims (program, node, dim);
  return sl_program_tensor (program, sl_layout_like (program->shared->dnn, like, dim));
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
                 const SlNetTensor *tensors)
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

SlNetTensor
sl_program_as (SlProgram *program, SlNetTensor tensor, const SlLayout *layout, GError **error)
{
  if (sl_layout_equal (tensor.layout, layout))
    return tensor;
  SlPrimitive *reorder = sl_reorder_primitive (program->shared->dnn, tensor.layout, layout, error);
  if (reorder == NULL)
    return (SlNetTensor){ -1, NULL };
  SlNetTensor made = sl_program_tensor (program, layout);
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
SlNetTensor
sl_program_overwrite (SlProgram *program, int node, int which, const SlLayout *layout,
                      GError **error)
{
  int from = sl_program_node (program, node)->in[which];
  SlNetTensor value = program->states[from].value;
  gboolean last = program->mode == SL_PREDICT && last_user (program, from) == node
                  && !takes_twice (program, node, which, from)
                  && SL_BUFFER (program, value.buffer)->fixed == NULL;
  if (last || !sl_layout_equal (value.layout, layout))
    return sl_program_as (program, value, layout, error);
  SlPrimitive *reorder = sl_reorder_primitive (program->shared->dnn, value.layout, layout, error);
  if (reorder == NULL)
    return (SlNetTensor){ -1, NULL };
  SlNetTensor made = sl_program_tensor (program, layout);
  sl_program_step (program, reorder, 2, (SlUse[]){ { SL_SRC, value }, { SL_DST, made } });
  return made;
}

/* ---- parameters ---- */

static const SlLayout *
plain_layout (SlProgram *program, int parameter)
{
  const SlParameter *of = &program->shared->parameters[parameter];
  return sl_layout_plain (program->shared->dnn, of->n_dims, of->dim, SL_F32);
}

SlNetTensor
sl_program_parameter (SlProgram *program, int parameter)
{
  return sl_program_fixed (program, program->shared->parameters[parameter].value,
                           plain_layout (program, parameter));
}

SlNetTensor
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
  SlNetTensor to = { sl_program_parameter_gradient (program, parameter).buffer, plain };
  SlNetTensor made = sl_layout_equal (layout, plain) ? to : sl_program_tensor (program, layout);
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
/* ---- running ---- */

static float *
address (SlProgram *program, SlNetTensor tensor)
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

/* ---- gradients: who wants which, and the sum of those that a value gets ---- */

/* From so many bytes on values are made again. */
#define LARGE (16 << 20)

gboolean
sl_program_recall (SlProgram *program, int node, int which, SlNetTensor *value, GError **error)
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
sl_program_deliver (SlProgram *program, int node, int which, SlNetTensor gradient)
{
  int to = sl_program_node (program, node)->in[which];
  if (program->contributions[to] == NULL)
    program->contributions[to] = g_array_new (FALSE, FALSE, sizeof (SlNetTensor));
  g_array_append_val (program->contributions[to], gradient);
}

/* The gradient with respect to NODE's value, when all that takes it has delivered, in the layout of
 * its value. */
static gboolean
value_gradient (SlProgram *program, int node, SlNetTensor *gradient, GError **error)
{
  const GArray *contributions = program->contributions[node];
  const SlLayout *layout = program->states[node].value.layout;
  g_assert (contributions != NULL);
  for (guint i = 0; i < contributions->len; i++)
    {
      SlNetTensor one
          = sl_program_as (program, g_array_index (contributions, SlNetTensor, i), layout, error);
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
      SlNetTensor sum = i == 1 ? sl_program_tensor (program, layout) : *gradient;
      sl_program_step (program, add, 3,
                       (SlUse[]){ { SL_SRC, *gradient }, { SL_SRC_1, one }, { SL_DST, sum } });
      *gradient = sum;
    }
  return TRUE;
}

/* The same, of what NODE makes before the ReLU that it ends with, if it does: 0 where its value is
 * 0. Batch normalisation sees to its own. */
static gboolean
result_gradient (SlProgram *program, int node, SlNetTensor *gradient, GError **error)
{
  SlNetTensor given;
  if (!value_gradient (program, node, &given, error))
    return FALSE;
  *gradient = given;
  const SlNode *of = sl_program_node (program, node);
  if ((!of->relu && of->kind != SL_LAYER_RELU) || of->kind == SL_LAYER_BATCH_NORM)
    return TRUE;
  SlDnn *dnn = program->shared->dnn;
  SlNetTensor value = program->states[node].value;
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

/* ---- making one: every layer appends its steps, then every buffer finds its place ---- */

/* Gradients are wanted of what a parameter to be trained, or the input if asked, stands before. */
static void
find_wanted (SlProgram *program)
{
  for (guint i = 0; i < program->description->nodes->len; i++)
    {
      const SlNode *node = sl_program_node (program, (int) i);
      gboolean wanted = node->kind == SL_LAYER_INPUT
                            ? program->shared->input_gradient != NULL
                            : program->mode == SL_TRAIN && node->parameter >= 0;
      for (int j = 0; j < node->n_in; j++)
        wanted |= program->wanted[node->in[j]];
      program->wanted[i] = wanted;
    }
}

static const SlLayout *
logits_layout (const SlProgram *program)
{
  return sl_layout_plain (program->shared->dnn, 2,
                          (gint64[]){ program->n, program->shared->description->n_classes },
                          SL_F32);
}

/* X, in plain float32 at TO. */
static gboolean
lay_out (SlProgram *program, SlNetTensor x, float *to, GError **error)
{
  gint64 dim[SL_MAX_DIMS];
  int n_dims = sl_layout_dims (x.layout, dim);
  const SlLayout *plain = sl_layout_plain (program->shared->dnn, n_dims, dim, SL_F32);
  SlPrimitive *reorder = sl_reorder_primitive (program->shared->dnn, x.layout, plain, error);
  if (reorder == NULL)
    return FALSE;
  SlNetTensor out = sl_program_fixed (program, to, plain);
  sl_program_step (program, reorder, 2, (SlUse[]){ { SL_SRC, x }, { SL_DST, out } });
  return TRUE;
}

static gboolean
add_forward (SlProgram *program, GError **error)
{
  int n_nodes = (int) program->description->nodes->len;
  for (int i = 0; i < n_nodes; i++)
    if (sl_program_node (program, i)->kind != SL_LAYER_NONE
        && !sl_layers[sl_program_node (program, i)->kind]->forward (program, i, error))
      return FALSE;
  float *hidden = program->shared->hidden;
  if (!lay_out (program, program->states[n_nodes - 1].value, program->shared->logits, error)
      || (hidden != NULL
          && !lay_out (program, sl_program_value (program, n_nodes - 1, 0), hidden, error)))
    return FALSE;
  program->n_forward = (int) program->steps->len;
  return TRUE;
}

static gboolean
add_backward (SlProgram *program, GError **error)
{
  int last = (int) program->description->nodes->len - 1;
  SlNetTensor given
      = sl_program_fixed (program, program->shared->logits_gradient, logits_layout (program));
  program->contributions[last] = g_array_new (FALSE, FALSE, sizeof (SlNetTensor));
  g_array_append_val (program->contributions[last], given);
  for (int i = last; i >= 0; i--)
    {
      const SlLayerKind kind = sl_program_node (program, i)->kind;
      SlNetTensor dy;
      if (program->wanted[i] && kind != SL_LAYER_NONE
          && (!result_gradient (program, i, &dy, error)
              || !sl_layers[kind]->backward (program, i, dy, error)))
        return FALSE;
    }
  return TRUE;
}

static void
place_buffers (SlProgram *program)
{
  int n = (int) program->buffers->len;
  g_autofree SlPlace *places = g_new0 (SlPlace, n);
  for (int i = 0; i < n; i++)
    if (SL_BUFFER (program, i)->fixed == NULL && SL_BUFFER (program, i)->place.first >= 0)
      places[i] = SL_BUFFER (program, i)->place;
  program->bytes = sl_place (places, n);
  for (int i = 0; i < n; i++)
    SL_BUFFER (program, i)->place.offset = places[i].offset;
}

SlProgram *
sl_program_new (SlProgramShared *shared, SlMode mode, int n, int items, GError **error)
{
  SlProgram *program = g_new0 (SlProgram, 1);
  program->shared = shared;
  program->mode = mode;
  program->n = n;
  program->items = items;
  program->description = sl_description_copy (shared->description);
  sl_description_fuse (program->description, mode != SL_TRAIN);
  guint n_nodes = program->description->nodes->len;
  program->states = g_new0 (SlNodeState, n_nodes);
  program->contributions = g_new0 (GArray *, n_nodes);
  program->wanted = g_new0 (gboolean, n_nodes);
  program->buffers = g_array_new (FALSE, TRUE, sizeof (SlProgramBuffer));
  program->steps = g_array_new (FALSE, TRUE, sizeof (SlProgramStep));
  program->copies = g_ptr_array_new ();
  find_wanted (program);
  if (!add_forward (program, error) || (mode != SL_PREDICT && !add_backward (program, error)))
    {
      sl_program_free (program);
      return NULL;
    }
  place_buffers (program);
  return program;
}

void
sl_program_free (SlProgram *program)
{
  for (guint i = 0; i < program->steps->len; i++)
    g_free (SL_STEP (program, i)->data);
  for (guint i = 0; i < program->description->nodes->len; i++)
    g_clear_pointer (&program->contributions[i], g_array_unref);
  g_array_unref (program->steps);
  g_array_unref (program->buffers);
  g_ptr_array_unref (program->copies);
  sl_description_free (program->description);
  g_free (program->states);
  g_free (program->contributions);
  g_free (program->wanted);
  free (program->owned);
  g_free (program);
}

static gint
larger_first (gconstpointer a, gconstpointer b)
{
  const SlPlace *x = *(SlPlace *const *) a, *y = *(SlPlace *const *) b;
  if (x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;
  return x->first != y->first ? (x->first < y->first ? -1 : 1) : 0;
}

static gint
lower_first (gconstpointer a, gconstpointer b)
{
  const SlPlace *x = *(SlPlace *const *) a, *y = *(SlPlace *const *) b;
  return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* The lowest offset at which PLACE fits between those PLACED, which lie in the order of their
 * offsets. */
static gsize
find_room (const SlPlace *place, const GPtrArray *placed)
{
  gsize offset = 0;
  for (guint i = 0; i < placed->len; i++)
    {
      const SlPlace *other = placed->pdata[i];
      if (other->first > place->last || other->last < place->first)
        continue;
      if (other->offset >= offset + place->bytes)
        break;
      offset = MAX (offset, other->offset + other->bytes);
    }
  return offset;
}

gsize
sl_place (SlPlace *places, int n)
{
  g_autoptr (GPtrArray) order = g_ptr_array_new (), placed = g_ptr_array_new ();
  gsize total = 0;
  for (int i = 0; i < n; i++)
    if (places[i].bytes > 0)
      g_ptr_array_add (order, &places[i]);
  g_ptr_array_sort (order, larger_first);
  for (guint i = 0; i < order->len; i++)
    {
      SlPlace *place = order->pdata[i];
      place->offset = find_room (place, placed);
      total = MAX (total, place->offset + place->bytes);
      guint at = placed->len;
      while (at > 0 && lower_first (&placed->pdata[at - 1], &order->pdata[i]) > 0)
        at--;
      g_ptr_array_insert (placed, (gint) at, place);
    }
  return total;
}
