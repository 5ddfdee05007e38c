/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "beside.h"

#include "pipeline/base/parallel.h"

#include <string.h>

typedef struct
{
  SlBeside how;
  gsize pixel; /* bytes of a pixel's channels */
  int height;
  gboolean put; /* else take */
} Copy;

typedef struct
{
  const Copy *of;
  char *wide, *single;
} Work;

static int
wide_width (const SlBeside *how)
{
  return (how->count - 1) * how->pitch + how->width;
}

static int
n_wide (const SlBeside *how)
{
  return (how->n + how->count - 1) / how->count;
}

/* The rows of one image, and the zeros that follow each of them if it is not the last one beside
 * others. Images that are missing in the last wide one are zeros, too. */
static void
copy_image (int i, gpointer data)
{
  const Work *work = data;
  const Copy *of = work->of;
  const SlBeside *how = &of->how;
  int column = i % how->count * how->pitch;
  gsize row = (gsize) how->width * of->pixel, wide_row = (gsize) wide_width (how) * of->pixel;
  gsize gap = i % how->count < how->count - 1 ? (gsize) how->pitch * of->pixel - row : 0;
  char *wide = work->wide + (gsize) (i / how->count) * (gsize) of->height * wide_row
               + (gsize) column * of->pixel;
  char *single = work->single + (gsize) i * (gsize) of->height * row;
  for (int y = 0; y < of->height; y++, wide += wide_row, single += row)
    {
      if (!of->put)
        {
          memcpy (single, wide, row);
          continue;
        }
      if (i < how->n)
        memcpy (wide, single, row);
      else
        memset (wide, 0, row);
      memset (wide + row, 0, gap);
    }
}

static void
copy (const SlStepCall *call, gconstpointer data)
{
  const Copy *of = data;
  char *from = (char *) call->memory[0], *to = (char *) call->memory[1];
  Work work = { of, of->put ? to : from, of->put ? from : to };
  int n = of->put ? n_wide (&of->how) * of->how.count : of->how.n;
  sl_parallel (call->threads, n, copy_image, &work);
}

static void
add_step (SlProgram *program, const SlBeside *how, gboolean put, SlTensor from, SlTensor to)
{
  gint64 dim[SL_MAX_DIMS];
  sl_layout_dims (from.layout, dim);
  Copy *of = g_new (Copy, 1);
  gsize width = sl_layout_number (from.layout) == SL_BF16 ? 2 : 4;
  *of = (Copy){ *how, (gsize) dim[1] * width, (int) dim[2], put };
  sl_program_call (program, copy, of, 2, (SlTensor[]){ from, to });
}

const SlLayout *
sl_beside_layout (SlProgram *program, const SlBeside *how, const SlLayout *like, int channels,
                  int height)
{
  gint64 dim[] = { n_wide (how), channels, height, wide_width (how) };
  return sl_layout_channels_last (program->shared->dnn, dim, sl_layout_number (like));
}

SlTensor
sl_beside_put (SlProgram *program, SlTensor tensor, const SlBeside *how, GError **error)
{
  gint64 dim[SL_MAX_DIMS];
  sl_layout_dims (tensor.layout, dim);
  const SlLayout *last
      = sl_layout_channels_last (program->shared->dnn, dim, sl_layout_number (tensor.layout));
  SlTensor from = sl_program_as (program, tensor, last, error);
  if (from.layout == NULL)
    return from;
  SlTensor wide = sl_program_tensor (
      program, sl_beside_layout (program, how, last, (int) dim[1], (int) dim[2]));
  add_step (program, how, TRUE, from, wide);
  return wide;
}

SlTensor
sl_beside_take (SlProgram *program, SlTensor wide, const SlBeside *how)
{
  gint64 dim[SL_MAX_DIMS];
  sl_layout_dims (wide.layout, dim);
  dim[0] = how->n;
  dim[3] = how->width;
  SlTensor single = sl_program_tensor (
      program, sl_layout_channels_last (program->shared->dnn, dim, sl_layout_number (wide.layout)));
  add_step (program, how, FALSE, wide, single);
  return single;
}
