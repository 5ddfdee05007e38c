/* SPDX-License-Identifier: GPL-3.0-or-later */
/* y = Σ s W[·][a] + (1 - s) W[·][b] + bias, over the triples (a, b, s) of x: the linear layer of
 * N numbers to which each triple adds s at a and 1 - s at b, where all others are 0. a and b are
 * whole numbers below N, of which there may be many. dL/dW[·][a] is the sum of s dL/dy, and b's of
 * (1 - s) dL/dy. Nobody is told of dL/dx. */
#include "stages/common/network/layers.h"

#include <string.h>

typedef struct
{
  gsize n, out;  /* W[out][n] */
  gsize triples; /* of an example */
} Table;

static void
pick (const SlStepCall *call, gconstpointer data)
{
  const Table *of = data;
  const float *w = call->memory[1], *bias = call->memory[2];
  const float *x = call->memory[0];
  float *y = call->memory[3];
  for (int i = 0; i < call->n; i++, y += of->out)
    {
      memcpy (y, bias, of->out * sizeof *y);
      for (gsize t = 0; t < of->triples; t++, x += 3)
        {
          const float *a = w + (gsize) x[0], *b = w + (gsize) x[1];
          for (gsize j = 0; j < of->out; j++)
            y[j] += x[2] * a[j * of->n] + (1 - x[2]) * b[j * of->n];
        }
    }
}

static void
add_up (const SlStepCall *call, gconstpointer data)
{
  const Table *of = data;
  float *w = call->memory[2], *bias = call->memory[3];
  memset (w, 0, of->n * of->out * sizeof *w);
  memset (bias, 0, of->out * sizeof *bias);
  const float *x = call->memory[0], *dy = call->memory[1];
  for (int i = 0; i < call->n; i++, dy += of->out)
    {
      for (gsize j = 0; j < of->out; j++)
        bias[j] += dy[j];
      for (gsize t = 0; t < of->triples; t++, x += 3)
        {
          float *a = w + (gsize) x[0], *b = w + (gsize) x[1];
          for (gsize j = 0; j < of->out; j++)
            {
              a[j * of->n] += x[2] * dy[j];
              b[j * of->n] += (1 - x[2]) * dy[j];
            }
        }
    }
}

/* Appends FUNCTION of x, and of the others in plain float32. */
static void
append (SlProgram *program, int node, SlStepFunction function, SlNetTensor x, SlNetTensor b,
        SlNetTensor c, SlNetTensor d)
{
  const SlNode *of = sl_program_node (program, node);
  const SlParameter *w = &program->shared->parameters[of->parameter];
  Table *table = g_new (Table, 1);
  *table = (Table){ (gsize) w->dim[1], (gsize) w->dim[0],
                    (gsize) sl_program_node (program, of->in[0])->channels / 3 };
  sl_program_call (program, function, table, 4, (SlNetTensor[]){ x, b, c, d });
}

static const SlLayout *
plain (SlProgram *program, int channels)
{
  return sl_layout_plain (program->shared->dnn, 2, (gint64[]){ program->n, channels }, SL_F32);
}

static gboolean
forward (SlProgram *program, int node, GError **error)
{
  const SlNode *of = sl_program_node (program, node);
  SlNodeState *state = &program->states[node];
  SlNetTensor *x = &state->kept[0];
  *x = sl_program_value (program, node, 0);
  *x = sl_program_as (program, *x, plain (program, sl_program_node (program, of->in[0])->channels),
                      error);
  if (x->layout == NULL)
    return FALSE;
  SlNetTensor y = sl_program_tensor (program, plain (program, of->channels));
  append (program, node, pick, *x, sl_program_parameter (program, of->parameter),
          sl_program_parameter (program, of->parameter + 1), y);
  gint64 dim[] = { program->n, of->channels };
  state->value = sl_program_as (
      program, y, sl_layout_plain (program->shared->dnn, 2, dim, program->shared->number), error);
  return state->value.layout != NULL;
}

static gboolean
backward (SlProgram *program, int node, SlNetTensor dy, GError **error)
{
  const SlNode *of = sl_program_node (program, node);
  dy = sl_program_as (program, dy, plain (program, of->channels), error);
  if (dy.layout == NULL)
    return FALSE;
  append (program, node, add_up, program->states[node].kept[0], dy,
          sl_program_parameter_gradient (program, of->parameter),
          sl_program_parameter_gradient (program, of->parameter + 1));
  return TRUE;
}

const SlLayer sl_layer_pick = { forward, backward, NULL };
