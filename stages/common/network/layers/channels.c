/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Channels of images, copied from one tensor to another of the same kind of layout. */
#include "stages/common/network/layers.h"

#include "pipeline/base/parallel.h"

#include <string.h>

typedef struct
{
  int channels, block; /* block: how many lie side by side, sl_layout_block () */
  int first;           /* the first of those that are copied */
} SlChannelsOf;

typedef struct
{
  gsize area;  /* height × width */
  gsize width; /* bytes a number */
  int count;   /* channels copied */
  SlChannelsOf from, to;
  gboolean others_zero; /* the other channels of the result become 0 */
} SlChannels;

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

/* Appends the step that copies COUNT channels of FROM, from number FROM_FIRST on, to TO, from
 * number TO_FIRST on. */
static void
copy_channels (SlProgram *program, SlNetTensor from, int from_first, SlNetTensor to, int to_first,
               int count, gboolean others_zero)
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

/* y = a's channels, then b's; dL/da and dL/db are the parts of dL/dy. */
static gboolean
concatenate (SlProgram *program, int node, GError **error)
{
  SlNetTensor first = sl_program_value (program, node, 0);
  SlNetTensor y = sl_program_like (program, node, first.layout);
  for (int which = 0, at = 0; which < 2; which++)
    {
      const SlNode *part = sl_program_node (program, sl_program_node (program, node)->in[which]);
      copy_channels (program, sl_program_value (program, node, which), 0, y, at, part->channels,
                     which == 0);
      at += part->channels;
    }
  program->states[node].value = y;
  return TRUE;
}

static gboolean
concatenate_back (SlProgram *program, int node, SlNetTensor dy, GError **error)
{
  for (int which = 0, at = 0; which < 2; which++)
    {
      const SlNode *part = sl_program_node (program, sl_program_node (program, node)->in[which]);
      if (sl_program_wants (program, node, which))
        {
          SlNetTensor dx
              = sl_program_tensor (program, sl_program_value (program, node, which).layout);
          copy_channels (program, dy, at, dx, 0, part->channels, TRUE);
          sl_program_deliver (program, node, which, dx);
        }
      at += part->channels;
    }
  return TRUE;
}

const SlLayer sl_layer_concatenate = { concatenate, concatenate_back, NULL };

/* The channels of the narrower one of x and y are some of the wider one's, from number `first` on:
 * y is x among channels of zeros, y[n][first + c] = x[n][c], or it is a part of x, y[n][c] =
 * x[n][first + c]. The gradient comes back the same way. */

/* Copies from what NODE has on the one side to what it has on the other; BACK: to its input. */
static void
copy_some (SlProgram *program, int node, SlNetTensor from, SlNetTensor to, gboolean back)
{
  const SlNode *of = sl_program_node (program, node);
  int in = sl_program_node (program, of->in[0])->channels, out = of->channels;
  gboolean narrower = back ? in < out : out < in;
  copy_channels (program, from, narrower ? of->first : 0, to, narrower ? 0 : of->first,
                 MIN (in, out), TRUE);
}

static gboolean
some (SlProgram *program, int node, GError **error)
{
  SlNetTensor x = sl_program_value (program, node, 0);
  SlNetTensor y = sl_program_like (program, node, x.layout);
  copy_some (program, node, x, y, FALSE);
  program->states[node].value = y;
  return TRUE;
}

static gboolean
some_back (SlProgram *program, int node, SlNetTensor dy, GError **error)
{
  SlNetTensor x = sl_program_value (program, node, 0);
  SlNetTensor dx = sl_program_tensor (program, x.layout);
  copy_some (program, node, dy, dx, TRUE);
  sl_program_deliver (program, node, 0, dx);
  return TRUE;
}

const SlLayer sl_layer_some_channels = { some, some_back, NULL };
