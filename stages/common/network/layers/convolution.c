/* SPDX-License-Identifier: GPL-3.0-or-later */
/* y[n][o][i][j] = sum over c, u, v of W[o][c][u][v] x[n][c][i s + u - p][j s + v - p] + b[o], in
 * groups of channels; dL/dx and dL/dW are such sums of dL/dy and W or x, dL/db is dL/dy's sum over
 * n, i and j. For prediction the batch normalisation behind it is folded into W and b, and an
 * addition and a ReLU are made on the way out. */
#include "pipeline/base/parallel.h"
#include "stages/common/network/convolution-rule.h"
#include "stages/common/network/layers.h"
#include "stages/common/network/program.h"

#include <string.h>

/* Small images side by side: m of them, with columns of zeros in between, become one wide image. A
 * convolution of it gives theirs, and columns that nobody looks at: an image sees zeros beyond its
 * border, as it does alone. Kernels that go through all weights for each image do so for m at a
 * time, and registers of 16 pixels are filled. */

/* N images of WIDTH columns as rows of COUNT, each beginning PITCH columns after the one before it.
 */
typedef struct
{
  int n, count, width, pitch;
} SlBeside;

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
add_step (SlProgram *program, const SlBeside *how, gboolean put, SlNetTensor from, SlNetTensor to)
{
  gint64 dim[SL_MAX_DIMS];
  sl_layout_dims (from.layout, dim);
  Copy *of = g_new (Copy, 1);
  gsize width = sl_layout_number (from.layout) == SL_BF16 ? 2 : 4;
  *of = (Copy){ *how, (gsize) dim[1] * width, (int) dim[2], put };
  sl_program_call (program, copy, of, 2, (SlNetTensor[]){ from, to });
}

/* The layout of such images with CHANNELS and HEIGHT. */
static const SlLayout *
beside_layout (SlProgram *program, const SlBeside *how, const SlLayout *like, int channels,
               int height)
{
  gint64 dim[] = { n_wide (how), channels, height, wide_width (how) };
  return sl_layout_channels_last (program->shared->dnn, dim, sl_layout_number (like));
}

/* The wide images of TENSOR. */
static SlNetTensor
put_beside (SlProgram *program, SlNetTensor tensor, const SlBeside *how, GError **error)
{
  gint64 dim[SL_MAX_DIMS];
  sl_layout_dims (tensor.layout, dim);
  const SlLayout *last
      = sl_layout_channels_last (program->shared->dnn, dim, sl_layout_number (tensor.layout));
  SlNetTensor from = sl_program_as (program, tensor, last, error);
  if (from.layout == NULL)
    return from;
  SlNetTensor wide
      = sl_program_tensor (program, beside_layout (program, how, last, (int) dim[1], (int) dim[2]));
  add_step (program, how, TRUE, from, wide);
  return wide;
}

/* The single images of WIDE. */
static SlNetTensor
take_single (SlProgram *program, SlNetTensor wide, const SlBeside *how)
{
  gint64 dim[SL_MAX_DIMS];
  sl_layout_dims (wide.layout, dim);
  dim[0] = how->n;
  dim[3] = how->width;
  SlNetTensor single = sl_program_tensor (
      program, sl_layout_channels_last (program->shared->dnn, dim, sl_layout_number (wide.layout)));
  add_step (program, how, FALSE, wide, single);
  return single;
}

/* W's dimensions: PyTorch's, with groups apart. */
static int
weight_dims (const SlProgram *program, int node, gint64 *dim)
{
  const SlNode *of = sl_program_node (program, node);
  const SlParameter *weight = &program->shared->parameters[of->parameter];
  int at = 0;
  if (of->window.groups > 1)
    dim[at++] = of->window.groups;
  dim[at++] = weight->dim[0] / of->window.groups;
  for (int i = 1; i < 4; i++)
    dim[at++] = weight->dim[i];
  return at;
}

static SlPass
forward_pass (const SlProgram *program)
{
  return program->mode == SL_TRAIN ? SL_FORWARD_TRAINING : SL_FORWARD;
}

static SlConvolutionWay
choose_way (const SlProgram *program, int node, SlPass pass)
{
  const SlNode *of = sl_program_node (program, node);
  const SlNode *from = sl_program_node (program, of->in[0]);
  SlConvolutionShape shape = { .n = program->n,
                               .threads = program->shared->threads,
                               .in = from->channels,
                               .out = of->channels,
                               .height = of->height,
                               .width = of->width,
                               .in_width = from->width,
                               .window = of->window,
                               .number = program->shared->number };
  SlDnnAbilities abilities = sl_dnn_abilities ();
  return sl_convolution_rule (&shape, pass, &abilities);
}

/* Of the pass's operation with the algorithm that the rule says, or else directly: a library may
 * lack the other one. */
static SlPrimitive *
primitive (SlProgram *program, int node, SlPass pass, const SlLayout *src, const SlLayout *weights,
           const SlLayout *bias, const SlLayout *dst, GError **error)
{
  const SlNode *of = sl_program_node (program, node);
  const SlPrimitive *hint = program->states[node].forward;
  SlDnn *dnn = program->shared->dnn;
  gboolean add = of->n_in == 2, relu = of->relu;
  if (choose_way (program, node, pass).algorithm == SL_WINOGRAD)
    {
      SlPrimitive *made = sl_convolution_primitive (dnn, pass, SL_WINOGRAD, &of->window, src,
                                                    weights, bias, dst, add, relu, hint, NULL);
      if (made != NULL)
        return made;
    }
  gboolean forward = pass == SL_FORWARD || pass == SL_FORWARD_TRAINING;
  return sl_convolution_primitive (dnn, pass, SL_DIRECT, &of->window, src, weights, bias, dst,
                                   forward && add, forward && relu, hint, error);
}

static gboolean
is_slow (const SlPrimitive *made)
{
  const char *kernel = sl_primitive_kernel (made);
  return strstr (kernel, "ref") != NULL || strstr (kernel, "gemm:") == kernel;
}

/* Its images in the pass, of x or else of y: single ones, or several side by side. */
static SlBeside
images_of (const SlProgram *program, int node, const SlConvolutionWay *way, gboolean input)
{
  const SlNode *of = sl_program_node (program, node);
  int width = input ? sl_program_node (program, of->in[0])->width : of->width;
  int gap = input ? of->window.stride : 1;
  return (SlBeside){ program->n, way->beside, width, width + gap };
}

/* The layout in which an operation is asked to take a tensor that lies as LAYOUT: so, or, in other
 * numbers, however it likes, or as wide images. */
static const SlLayout *
asked_layout (SlProgram *program, int node, const SlConvolutionWay *way, const SlLayout *layout,
              gboolean input)
{
  gint64 dim[SL_MAX_DIMS];
  int n_dims = sl_layout_dims (layout, dim);
  if (way->beside > 1)
    {
      SlBeside how = images_of (program, node, way, input);
      return beside_layout (program, &how, layout, (int) dim[1], (int) dim[2]);
    }
  if (way->number == sl_layout_number (layout))
    return layout;
  return sl_layout_any (program->shared->dnn, n_dims, dim, way->number);
}

/* TENSOR as MADE takes it. */
static SlNetTensor
convert_tensor (SlProgram *program, int node, const SlConvolutionWay *way, SlNetTensor tensor,
                SlPrimitive *made, SlRole role, GError **error)
{
  if (way->beside == 1)
    return sl_program_as (program, tensor, sl_primitive_layout (made, role), error);
  SlBeside how = images_of (program, node, way, role == SL_SRC);
  return put_beside (program, tensor, &how, error);
}

/* The forward operation: on x as it lies, unless that is only possible slowly; in bfloat16, whose
 * fast kernels want a layout of their own, on x as they like it. */
static SlPrimitive *
forward_primitive (SlProgram *program, int node, const SlConvolutionWay *way, const SlLayout *x,
                   const SlLayout *bias, GError **error)
{
  SlDnn *dnn = program->shared->dnn;
  SlPass pass = forward_pass (program);
  gint64 in[SL_MAX_DIMS], out[4], weight[SL_MAX_DIMS];
  sl_layout_dims (x, in);
  sl_program_dims (program, node, out);
  int n_dims = weight_dims (program, node, weight);
  const SlLayout *w = sl_layout_any (dnn, n_dims, weight, way->number);
  const SlLayout *y = sl_layout_any (dnn, 4, out, way->number);
  if (way->beside > 1)
    {
      SlBeside how = images_of (program, node, way, FALSE);
      y = beside_layout (program, &how, x, (int) out[1], (int) out[2]);
      return primitive (program, node, pass, asked_layout (program, node, way, x, TRUE), w, bias, y,
                        error);
    }
  SlPrimitive *made = program->shared->number == SL_BF16
                          ? NULL
                          : primitive (program, node, pass, x, w, bias, y, NULL);
  if (made != NULL && !is_slow (made))
    return made;
  return primitive (program, node, pass, sl_layout_any (dnn, 4, in, way->number), w, bias, y,
                    error);
}

/* Where y goes: into memory of its own, or onto what is added to it. */
static SlNetTensor
begin_result (SlProgram *program, int node, const SlConvolutionWay *way, SlPrimitive *made,
              GError **error)
{
  const SlLayout *layout = sl_primitive_layout (made, SL_DST);
  if (sl_program_node (program, node)->n_in == 1)
    return sl_program_tensor (program, layout);
  if (way->beside > 1)
    return convert_tensor (program, node, way, sl_program_value (program, node, 1), made, SL_DST,
                           error);
  return sl_program_overwrite (program, node, 1, layout, error);
}

/* Y is the node's value: as single images, and in the numbers of values, lying as LIKE. */
static gboolean
finish_result (SlProgram *program, int node, const SlConvolutionWay *way, SlNetTensor y,
               const SlLayout *like, GError **error)
{
  gint64 dim[4];
  sl_program_dims (program, node, dim);
  SlBeside how = images_of (program, node, way, FALSE);
  if (way->beside > 1)
    y = take_single (program, y, &how);
  else if (way->number != program->shared->number)
    y = sl_program_as (program, y, sl_layout_like (program->shared->dnn, like, dim), error);
  program->states[node].value = y;
  return y.layout != NULL;
}

static gboolean
forward (SlProgram *program, int node, GError **error)
{
  const SlNode *of = sl_program_node (program, node);
  SlNodeState *state = &program->states[node];
  SlConvolutionWay way = choose_way (program, node, forward_pass (program));
  SlNetTensor x = sl_program_value (program, node, 0);
  gint64 channels = of->channels;
  gboolean has_bias = of->bias || of->norm >= 0;
  const SlLayout *bias
      = has_bias ? sl_layout_plain (program->shared->dnn, 1, &channels, SL_F32) : NULL;
  state->forward = forward_primitive (program, node, &way, x.layout, bias, error);
  if (state->forward == NULL)
    return FALSE;
  SlNetTensor taken = convert_tensor (program, node, &way, x, state->forward, SL_SRC, error);
  if (taken.layout == NULL)
    return FALSE;
  state->kept[0] = way.beside > 1 || way.number != program->shared->number ? x : taken;
  SlNetTensor w = sl_program_weights (program, of->parameter, of->norm,
                                      sl_primitive_layout (state->forward, SL_WEIGHTS), error);
  SlNetTensor y = begin_result (program, node, &way, state->forward, error);
  if (w.layout == NULL || y.layout == NULL)
    return FALSE;
  SlUse uses[4] = { { SL_SRC, taken }, { SL_WEIGHTS, w }, { SL_DST, y } };
  if (of->norm >= 0)
    uses[3].tensor = sl_program_weights (program, of->bias ? of->parameter + 1 : of->norm + 1,
                                         of->norm, bias, error);
  else if (has_bias)
    uses[3].tensor = sl_program_parameter (program, of->parameter + 1);
  if (has_bias && uses[3].tensor.layout == NULL)
    return FALSE;
  uses[3].role = SL_BIAS;
  sl_program_step (program, state->forward, has_bias ? 4 : 3, uses);
  return finish_result (program, node, &way, y, x.layout, error);
}

/* In the backward passes DY has been put side by side already, where it is. */
static gboolean
backward_weights (SlProgram *program, int node, SlNetTensor dy, GError **error)
{
  const SlNode *of = sl_program_node (program, node);
  SlConvolutionWay way = choose_way (program, node, SL_BACKWARD_WEIGHTS);
  SlDnn *dnn = program->shared->dnn;
  SlNetTensor x = program->states[node].kept[0];
  gint64 dim[SL_MAX_DIMS], channels = of->channels;
  int n_dims = weight_dims (program, node, dim);
  const SlLayout *bias = of->bias ? sl_layout_plain (dnn, 1, &channels, SL_F32) : NULL;
  const SlLayout *layout
      = way.beside > 1 ? dy.layout : asked_layout (program, node, &way, dy.layout, FALSE);
  SlPrimitive *made = primitive (program, node, SL_BACKWARD_WEIGHTS,
                                 asked_layout (program, node, &way, x.layout, TRUE),
                                 sl_layout_any (dnn, n_dims, dim, SL_F32), bias, layout, error);
  if (made == NULL)
    return FALSE;
  /* Where x was taken as it is. */
  if (sl_layout_equal (x.layout, sl_program_value (program, node, 0).layout)
      && !sl_program_recall (program, node, 0, &x, error))
    return FALSE;
  x = convert_tensor (program, node, &way, x, made, SL_SRC, error);
  dy = sl_program_as (program, dy, sl_primitive_layout (made, SL_DIFF_DST), error);
  if (x.layout == NULL || dy.layout == NULL)
    return FALSE;
  SlUse uses[3] = { { SL_SRC, x }, { SL_DIFF_DST, dy } };
  if (of->bias)
    uses[2] = (SlUse){ SL_DIFF_BIAS, sl_program_parameter_gradient (program, of->parameter + 1) };
  return sl_program_step_weights (program, made, of->parameter,
                                  sl_layout_plain (dnn, n_dims, dim, SL_F32), of->bias ? 3 : 2,
                                  uses, error);
}

static gboolean
backward_data (SlProgram *program, int node, SlNetTensor dy, GError **error)
{
  const SlNode *of = sl_program_node (program, node);
  SlConvolutionWay way = choose_way (program, node, SL_BACKWARD_DATA);
  SlDnn *dnn = program->shared->dnn;
  const SlLayout *x = program->states[node].kept[0].layout;
  gint64 dim[SL_MAX_DIMS];
  int n_dims = weight_dims (program, node, dim);
  const SlLayout *layout
      = way.beside > 1 ? dy.layout : asked_layout (program, node, &way, dy.layout, FALSE);
  SlPrimitive *made
      = primitive (program, node, SL_BACKWARD_DATA, asked_layout (program, node, &way, x, TRUE),
                   sl_layout_any (dnn, n_dims, dim, way.number), NULL, layout, error);
  if (made == NULL)
    return FALSE;
  dy = sl_program_as (program, dy, sl_primitive_layout (made, SL_DIFF_DST), error);
  SlNetTensor w = sl_program_weights (program, of->parameter, of->norm,
                                      sl_primitive_layout (made, SL_WEIGHTS), error);
  if (dy.layout == NULL || w.layout == NULL)
    return FALSE;
  SlNetTensor dx = sl_program_tensor (program, sl_primitive_layout (made, SL_DIFF_SRC));
  sl_program_step (program, made, 3,
                   (SlUse[]){ { SL_DIFF_DST, dy }, { SL_WEIGHTS, w }, { SL_DIFF_SRC, dx } });
  SlBeside how = images_of (program, node, &way, TRUE);
  sl_program_deliver (program, node, 0, way.beside > 1 ? take_single (program, dx, &how) : dx);
  return TRUE;
}

static gboolean
backward (SlProgram *program, int node, SlNetTensor dy, GError **error)
{
  const SlNode *of = sl_program_node (program, node);
  if (of->n_in == 2 && sl_program_wants (program, node, 1))
    sl_program_deliver (program, node, 1, dy);
  SlConvolutionWay way = choose_way (program, node, SL_BACKWARD_DATA);
  SlBeside how = images_of (program, node, &way, FALSE);
  if (way.beside > 1)
    dy = put_beside (program, dy, &how, error);
  if (dy.layout == NULL
      || (program->mode == SL_TRAIN && !backward_weights (program, node, dy, error)))
    return FALSE;
  return !sl_program_wants (program, node, 0) || backward_data (program, node, dy, error);
}

const SlLayer sl_layer_convolution = { forward, backward, NULL };
