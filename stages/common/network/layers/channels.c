/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "channels.h"

#include "pipeline/base/parallel.h"

#include <string.h>

/* Numbers of one example, with those that fill up its last block. */
static gsize
example_length (const SlChannelsOf *of, gsize area)
{
  return (gsize) ((of->channels + of->block - 1) / of->block) * (gsize) of->block * area;
}

/* Where channel C begins; its numbers are BLOCK apart. */
static gsize
channel_at (const SlChannelsOf *of, int c, gsize area)
{
  return (gsize) (c / of->block) * (gsize) of->block * area + (gsize) (c % of->block);
}

typedef struct
{
  const SlChannels *how;
  const char *from;
  char *to;
} Work;

/* Runs of channels that are side by side in both tensors are moved together. */
static void
copy_example (int example, gpointer data)
{
  const Work *work = data;
  const SlChannels *how = work->how;
  const SlChannelsOf *a = &how->from, *b = &how->to;
  gsize size = how->width, area = how->area;
  const char *from = work->from + (gsize) example * example_length (a, area) * size;
  char *to = work->to + (gsize) example * example_length (b, area) * size;
  if (how->others_zero)
    memset (to, 0, example_length (b, area) * size);
  for (int done = 0, run; done < how->count; done += run)
    {
      int c = a->first + done, d = b->first + done;
      run = MIN (how->count - done, MIN (a->block - c % a->block, b->block - d % b->block));
      const char *x = from + channel_at (a, c, area) * size;
      char *y = to + channel_at (b, d, area) * size;
      for (gsize i = 0; i < area; i++)
        memcpy (y + i * (gsize) b->block * size, x + i * (gsize) a->block * size,
                (gsize) run * size);
    }
}

static void
copy (const SlStepCall *call, gconstpointer data)
{
  Work work = { data, (const char *) call->memory[0], (char *) call->memory[1] };
  sl_parallel (call->threads, call->n, copy_example, &work);
}

void
sl_copy_channels (SlProgram *program, SlNetTensor from, int from_first, SlNetTensor to,
                  int to_first, int count, gboolean others_zero)
{
  gint64 in[SL_MAX_DIMS] = { 1, 1, 1, 1 }, out[SL_MAX_DIMS] = { 1, 1, 1, 1 };
  sl_layout_dims (from.layout, in);
  sl_layout_dims (to.layout, out);
  SlChannels *how = g_new (SlChannels, 1);
  *how = (SlChannels){ .area = (gsize) (in[2] * in[3]),
                       .width = sl_layout_number (from.layout) == SL_BF16 ? 2 : 4,
                       .count = count,
                       .from = { (int) in[1], sl_layout_block (from.layout), from_first },
                       .to = { (int) out[1], sl_layout_block (to.layout), to_first },
                       .others_zero = others_zero };
  sl_program_call (program, copy, how, 2, (SlNetTensor[]){ from, to });
}
