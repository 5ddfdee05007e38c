/* SPDX-License-Identifier: GPL-3.0-or-later */
/* y[n][c][i][j] = x[n][c][s i + f][s j + f]; dL/dx is dL/dy there and 0 elsewhere. */
#include "pipeline/base/parallel.h"
#include "stages/common/network/layers.h"

#include <string.h>

typedef struct
{
  int planes;  /* an example's pieces of BLOCK channels that lie side by side */
  gsize pixel; /* bytes of a piece's pixel */
  int in_height, in_width, height, width, stride, first;
  gboolean backward;
} Subsample;

typedef struct
{
  const Subsample *how;
  const char *from;
  char *to;
} Work;

/* One example, small pixels of x and y in turn; backward y is what is taken. */
static void
subsample_example (int example, gpointer data)
{
  const Work *work = data;
  const Subsample *how = work->how;
  gsize pixel = how->pixel;
  gsize large = (gsize) how->in_height * (gsize) how->in_width * pixel;
  gsize small = (gsize) how->height * (gsize) how->width * pixel;
  for (int p = 0; p < how->planes; p++)
    {
      gsize plane = (gsize) example * (gsize) how->planes + (gsize) p;
      const char *from = work->from + plane * (how->backward ? small : large);
      char *to = work->to + plane * (how->backward ? large : small);
      if (how->backward)
        memset (to, 0, large);
      for (int i = 0; i < how->height; i++)
        for (int j = 0; j < how->width; j++)
          {
            gsize a = (gsize) (i * how->width + j) * pixel;
            gsize b = (gsize) ((i * how->stride + how->first) * how->in_width + j * how->stride
                               + how->first)
                      * pixel;
            memcpy (to + (how->backward ? b : a), from + (how->backward ? a : b), pixel);
          }
    }
}

static void
subsample (const SlStepCall *call, gconstpointer data)
{
  Work work = { data, (const char *) call->memory[0], (char *) call->memory[1] };
  sl_parallel (call->threads, call->n, subsample_example, &work);
}

static void
add_step (SlProgram *program, int node, gboolean backward, SlNetTensor from, SlNetTensor to)
{
  const SlNode *of = sl_program_node (program, node);
  const SlNode *before = sl_program_node (program, of->in[0]);
  int block = sl_layout_block (from.layout);
  Subsample *how = g_new (Subsample, 1);
  *how = (Subsample){ .planes = (of->channels + block - 1) / block,
                      .pixel = (gsize) block * (sl_layout_number (from.layout) == SL_BF16 ? 2 : 4),
                      .in_height = before->height,
                      .in_width = before->width,
                      .height = of->height,
                      .width = of->width,
                      .stride = of->window.stride,
                      .first = of->first,
                      .backward = backward };
  sl_program_call (program, subsample, how, 2, (SlNetTensor[]){ from, to });
}

static gboolean
forward (SlProgram *program, int node, GError **error)
{
  SlNetTensor x = sl_program_value (program, node, 0);
  SlNetTensor y = sl_program_like (program, node, x.layout);
  add_step (program, node, FALSE, x, y);
  program->states[node].value = y;
  return TRUE;
}

static gboolean
backward (SlProgram *program, int node, SlNetTensor dy, GError **error)
{
  SlNetTensor dx = sl_program_tensor (program, sl_program_value (program, node, 0).layout);
  add_step (program, node, TRUE, dy, dx);
  sl_program_deliver (program, node, 0, dx);
  return TRUE;
}

const SlLayer sl_layer_subsample = { forward, backward, NULL };
