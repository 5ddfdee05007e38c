/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In training y = x m, m = 0 with probability SHARE, else 1 / (1 - SHARE), drawn anew for every
 * number of every run; dL/dx = dL/dy m. Else y = x. */
#include "pipeline/base/random.h"
#include "pipeline/base/vector-math.h"
#include "stages/common/network/layers.h"

typedef struct
{
  double share;
  int node;
  gsize length; /* numbers an example */
} Draw;

#define DRAWN 256 /* numbers at a time, of blocks of 4 */

/* m[n] of the numbers DRAWN[n]. */
SL_VECTORS static void
choose (const guint32 *drawn, gsize n, guint32 limit, float scale, float *m)
{
  for (gsize j = 0; j < n; j++)
    m[j] = drawn[j] < limit ? 0 : scale;
}

/* What is left out is 0, whatever it was. */
SL_VECTORS static void
apply (const float *x, const float *m, gsize n, float *y)
{
  for (gsize j = 0; j < n; j++)
    y[j] = m[j] == 0 ? 0 : x[j] * m[j];
}

static void
forget (const SlStepCall *call, gconstpointer data)
{
  const Draw *how = data;
  apply (call->memory[0], call->memory[1], (gsize) call->n * how->length, call->memory[2]);
}

/* m is drawn from (key, layer, example). */
static void
draw (const SlStepCall *call, gconstpointer data)
{
  const Draw *how = data;
  float *m = call->memory[1], scale = (float) (1 / (1 - how->share));
  guint32 purpose = sl_random_purpose ("network: dropout");
  guint32 limit = (guint32) (how->share * 0x1p32);
  for (int i = 0; i < call->n; i++)
    {
      SlRandom random = sl_random (call->key, purpose, (guint64) i, (guint64) how->node, 0);
      for (gsize done = 0; done < how->length; done += DRAWN)
        {
          guint32 drawn[DRAWN];
          gsize n = MIN (DRAWN, how->length - done), at = (gsize) i * how->length + done;
          sl_random_blocks (&random, (n + 3) / 4, drawn);
          choose (drawn, n, limit, scale, m + at);
        }
    }
  forget (call, data);
}

/* FROM masked by FUNCTION, in FROM's layout. */
static SlNetTensor
masked (SlProgram *program, int node, SlNetTensor from, SlStepFunction function, GError **error)
{
  const SlNode *of = sl_program_node (program, node);
  gint64 dim[SL_MAX_DIMS];
  int n_dims = sl_layout_dims (from.layout, dim);
  const SlLayout *plain = sl_layout_plain (program->shared->dnn, n_dims, dim, SL_F32);
  SlNetTensor x = sl_program_as (program, from, plain, error);
  if (x.layout == NULL)
    return x;
  Draw *how = g_new (Draw, 1);
  *how = (Draw){ of->share, node, (gsize) of->channels * of->height * of->width };
  SlNetTensor y = sl_program_tensor (program, plain);
  SlNetTensor *m = &program->states[node].kept[0];
  if (m->layout == NULL)
    *m = sl_program_tensor (program, plain);
  sl_program_call (program, function, how, 3, (SlNetTensor[]){ x, *m, y });
  return sl_program_as (program, y, from.layout, error);
}

static gboolean
forward (SlProgram *program, int node, GError **error)
{
  SlNetTensor x = sl_program_value (program, node, 0);
  program->states[node].value
      = program->mode == SL_TRAIN ? masked (program, node, x, draw, error) : x;
  return program->states[node].value.layout != NULL;
}

static gboolean
backward (SlProgram *program, int node, SlNetTensor dy, GError **error)
{
  SlNetTensor dx = program->mode == SL_TRAIN ? masked (program, node, dy, forget, error) : dy;
  sl_program_deliver (program, node, 0, dx);
  return dx.layout != NULL;
}

const SlLayer sl_layer_dropout = { forward, backward, NULL };
