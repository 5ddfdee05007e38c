/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The input, x[n][c][h][w] in plain float32, as (x - mean[c]) / std[c]; the gradient with respect
 * to x is the one of that, / std[c]. */
#include "pipeline/base/vector-math.h"
#include "stages/common/network/layers.h"

typedef struct
{
  int n, channels;
  gsize area;
  const SlProgramShared *shared;
  const float *mean; /* or NULL */
  float scale[];     /* 1 / std of each channel */
} Normalisation;

static Normalisation *
normalisation (const SlProgram *program, int node)
{
  const SlNode *of = sl_program_node (program, node);
  const float *std = program->shared->std;
  Normalisation *made = g_malloc (sizeof (Normalisation) + (gsize) of->channels * sizeof (float));
  made->n = sl_program_examples (program, node);
  made->channels = of->channels;
  made->area = (gsize) of->height * of->width;
  made->shared = program->shared;
  made->mean = program->shared->mean;
  for (int c = 0; c < of->channels; c++)
    made->scale[c] = std == NULL ? 1 : 1 / std[c];
  return made;
}

/* y = (x - mean) scale; MEAN NULL: of 0. Channels of one number lie side by side. */
SL_VECTORS static void
scale_all (const Normalisation *how, const float *mean, const float *x, float *y)
{
  gsize channels = (gsize) how->channels, area = how->area;
  for (gsize i = 0; i < (gsize) how->n; i++, x += channels * area, y += channels * area)
    if (area == 1)
      for (gsize c = 0; c < channels; c++)
        y[c] = (x[c] - (mean != NULL ? mean[c] : 0)) * how->scale[c];
    else
      for (gsize c = 0; c < channels; c++)
        for (gsize j = c * area; j < (c + 1) * area; j++)
          y[j] = (x[j] - (mean != NULL ? mean[c] : 0)) * how->scale[c];
}

static void
normalise (const SlStepCall *call, gconstpointer data)
{
  const Normalisation *how = data;
  const float *x = how->shared->given != NULL ? how->shared->given : call->memory[0];
  scale_all (how, how->mean, x, call->memory[1]);
}

static gboolean
forward (SlProgram *program, int node, GError **error)
{
  gint64 dim[4];
  int n_dims = sl_program_dims (program, node, dim);
  SlDnn *dnn = program->shared->dnn;
  const SlLayout *plain = sl_layout_plain (dnn, n_dims, dim, SL_F32);
  SlNetTensor x = sl_program_fixed (program, program->shared->input, plain);
  if (program->shared->mean != NULL)
    {
      SlNetTensor y = sl_program_tensor (program, plain);
      sl_program_call (program, normalise, normalisation (program, node), 2,
                       (SlNetTensor[]){ x, y });
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
  scale_all (data, NULL, call->memory[0], call->memory[1]);
}

static gboolean
backward (SlProgram *program, int node, SlNetTensor dy, GError **error)
{
  gint64 dim[4];
  int n_dims = sl_program_dims (program, node, dim);
  const SlLayout *plain = sl_layout_plain (program->shared->dnn, n_dims, dim, SL_F32);
  dy = sl_program_as (program, dy, plain, error);
  if (dy.layout == NULL)
    return FALSE;
  SlNetTensor to = sl_program_fixed (program, program->shared->input_gradient, plain);
  sl_program_call (program, unscale, normalisation (program, node), 2, (SlNetTensor[]){ dy, to });
  return TRUE;
}

const SlLayer sl_layer_input = { forward, backward, NULL };
