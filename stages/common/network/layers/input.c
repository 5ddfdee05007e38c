/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The input, x[n][c][h][w] in plain float32, as (x - mean[c]) / std[c]; the gradient with respect
 * to x is the one of that, / std[c]. */
#include "stages/common/network/layers.h"

typedef struct
{
  int channels;
  gsize area;
  const float *mean, *std; /* or NULL */
} Normalisation;

static Normalisation *
normalisation (const SlProgram *program, int node)
{
  const SlNode *of = sl_program_node (program, node);
  Normalisation *made = g_new (Normalisation, 1);
  *made = (Normalisation){ of->channels, (gsize) of->height * of->width, program->shared->mean,
                           program->shared->std };
  return made;
}

static void
normalise (const SlStepCall *call, gconstpointer data)
{
  const Normalisation *how = data;
  const float *x = call->memory[0];
  float *y = call->memory[1];
  for (int i = 0; i < call->n * how->channels; i++)
    {
      float mean = how->mean[i % how->channels], scale = 1 / how->std[i % how->channels];
      for (gsize j = 0; j < how->area; j++)
        y[(gsize) i * how->area + j] = (x[(gsize) i * how->area + j] - mean) * scale;
    }
}

static gboolean
forward (SlProgram *program, int node, GError **error)
{
  gint64 dim[4];
  int n_dims = sl_program_dims (program, node, dim);
  SlDnn *dnn = program->shared->dnn;
  const SlLayout *plain = sl_layout_plain (dnn, n_dims, dim, SL_F32);
  SlTensor x = sl_program_fixed (program, program->shared->input, plain);
  if (program->shared->mean != NULL)
    {
      SlTensor y = sl_program_tensor (program, plain);
      sl_program_call (program, normalise, normalisation (program, node), 2, (SlTensor[]){ x, y });
      x = y;
    }
  x = sl_program_as (program, x, sl_layout_plain (dnn, n_dims, dim, program->shared->number),
                     error);
  program->states[node].value = x;
  return x.layout != NULL;
}

static void
unscale (const SlStepCall *call, gconstpointer data)
{
  const Normalisation *how = data;
  const float *from = call->memory[0];
  float *to = call->memory[1];
  for (int i = 0; i < call->n * how->channels; i++)
    {
      float scale = how->std == NULL ? 1 : 1 / how->std[i % how->channels];
      for (gsize j = 0; j < how->area; j++)
        to[(gsize) i * how->area + j] = from[(gsize) i * how->area + j] * scale;
    }
}

static gboolean
backward (SlProgram *program, int node, GError **error)
{
  gint64 dim[4];
  int n_dims = sl_program_dims (program, node, dim);
  const SlLayout *plain = sl_layout_plain (program->shared->dnn, n_dims, dim, SL_F32);
  SlTensor gradient;
  if (!sl_program_gradient (program, node, &gradient, error))
    return FALSE;
  gradient = sl_program_as (program, gradient, plain, error);
  if (gradient.layout == NULL)
    return FALSE;
  SlTensor to = sl_program_fixed (program, program->shared->input_gradient, plain);
  sl_program_call (program, unscale, normalisation (program, node), 2,
                   (SlTensor[]){ gradient, to });
  return TRUE;
}

const SlLayer sl_layer_input = { forward, backward };
