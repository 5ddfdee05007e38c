/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "description.h"

SlDescription *
sl_description_new (int channels, int height, int width, int n_classes, double dropout)
{
  SlDescription *d = g_new0 (SlDescription, 1);
  d->n_classes = n_classes;
  d->dropout = dropout;
  d->nodes = g_array_new (FALSE, TRUE, sizeof (SlNode));
  d->parameters = g_array_new (FALSE, TRUE, sizeof (SlParameterPlan));
  d->names = g_string_chunk_new (4096);
  SlNode input = { .kind = SL_LAYER_INPUT,
                   .channels = channels,
                   .height = height,
                   .width = width,
                   .parameter = -1,
                   .norm = -1 };
  g_array_append_val (d->nodes, input);
  return d;
}

void
sl_description_free (SlDescription *d)
{
  g_array_unref (d->nodes);
  g_array_unref (d->parameters);
  g_string_chunk_free (d->names);
  g_free (d);
}

SlDescription *
sl_description_copy (const SlDescription *d)
{
  SlDescription *copy = sl_description_new (1, 1, 1, d->n_classes, d->dropout);
  g_array_set_size (copy->nodes, 0);
  g_array_append_vals (copy->nodes, d->nodes->data, d->nodes->len);
  g_array_append_vals (copy->parameters, d->parameters->data, d->parameters->len);
  copy->mixed = d->mixed;
  for (guint i = 0; i < copy->parameters->len; i++)
    {
      SlParameter *parameter = &g_array_index (copy->parameters, SlParameterPlan, i).parameter;
      parameter->name = g_string_chunk_insert (copy->names, parameter->name);
    }
  return copy;
}

const char *
sl_name (SlDescription *d, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *name = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  return g_string_chunk_insert_const (d->names, name);
}

/* ---- layers ---- */

/* A layer of KIND that takes A, and B unless it is negative; its result is as large as A. */
static SlNode
new_node (SlDescription *d, SlLayerKind kind, SlValue a, SlValue b)
{
  const SlNode *from = sl_node (d, a);
  SlNode node = { .kind = kind,
                  .n_in = b < 0 ? 1 : 2,
                  .in = { a, b },
                  .channels = from->channels,
                  .height = from->height,
                  .width = from->width,
                  .parameter = -1,
                  .norm = -1 };
  return node;
}

static SlValue
add_node (SlDescription *d, SlNode node)
{
  for (int i = 0; i < node.n_in; i++)
    g_array_index (d->nodes, SlNode, node.in[i]).n_users++;
  g_array_append_val (d->nodes, node);
  return (SlValue) d->nodes->len - 1;
}

static SlParameterPlan *
add_parameter (SlDescription *d, const char *layer, const char *name, SlParameterRole role,
               int n_dims, const gint64 *dim)
{
  SlParameterPlan plan = { .parameter = { .role = role, .n_dims = n_dims, .size = 1 } };
  plan.parameter.name = sl_name (d, "%s.%s", layer, name);
  plan.parameter.decays = role == SL_PARAMETER_WEIGHT;
  for (int i = 0; i < n_dims; i++)
    {
      plan.parameter.dim[i] = dim[i];
      plan.parameter.size *= (gsize) dim[i];
    }
  g_array_append_val (d->parameters, plan);
  return &g_array_index (d->parameters, SlParameterPlan, d->parameters->len - 1);
}

/* Weights of DIM[0] outputs, and a bias if there is one; it begins in PyTorch's own way. */
static void
add_weights (SlDescription *d, const char *layer, int n_dims, const gint64 *dim, gboolean bias,
             SlBeginning beginning)
{
  SlParameterPlan *weight = add_parameter (d, layer, "weight", SL_PARAMETER_WEIGHT, n_dims, dim);
  gsize fan_in = weight->parameter.size / (gsize) dim[0];
  weight->beginning = beginning;
  weight->fan_in = fan_in;
  weight->fan_out = (gsize) dim[0] * (n_dims == 4 ? (gsize) (dim[2] * dim[3]) : 1);
  if (!bias)
    return;
  SlParameterPlan *offset = add_parameter (d, layer, "bias", SL_PARAMETER_BIAS, 1, dim);
  offset->beginning = d->begin.biases;
  offset->fan_in = fan_in;
}

SlValue
sl_describe_input (SlDescription *d)
{
  return 0;
}

/* How many windows fit: none in less than one. */
static int
windows (int length, const SlWindow *window)
{
  int room = length + 2 * window->pad - window->kernel;
  return room < 0 ? 0 : room / window->stride + 1;
}

SlValue
sl_convolution (SlDescription *d, SlValue x, const char *name, SlConvolution how)
{
  SlNode node = new_node (d, SL_LAYER_CONVOLUTION, x, -1);
  node.window = (SlWindow){ how.kernel, MAX (how.stride, 1), how.kernel / 2, MAX (how.groups, 1) };
  gint64 dim[] = { how.out, node.channels / node.window.groups, how.kernel, how.kernel };
  node.parameter = (int) d->parameters->len;
  node.bias = how.bias;
  add_weights (d, name, 4, dim, how.bias, d->begin.convolutions);
  node.channels = how.out;
  node.height = windows (node.height, &node.window);
  node.width = windows (node.width, &node.window);
  return add_node (d, node);
}

SlValue
sl_batch_norm (SlDescription *d, SlValue x, const char *name)
{
  SlNode node = new_node (d, SL_LAYER_BATCH_NORM, x, -1);
  gint64 dim = node.channels;
  node.parameter = (int) d->parameters->len;
  add_parameter (d, name, "weight", SL_PARAMETER_SCALE, 1, &dim)->beginning
      = d->begin.scales == SL_BEGIN_UNIT ? SL_BEGIN_UNIT : SL_BEGIN_ONE;
  add_parameter (d, name, "bias", SL_PARAMETER_SHIFT, 1, &dim)->beginning = SL_BEGIN_ZERO;
  add_parameter (d, name, "running_mean", SL_PARAMETER_MEAN, 1, &dim)->beginning = SL_BEGIN_ZERO;
  add_parameter (d, name, "running_var", SL_PARAMETER_VARIANCE, 1, &dim)->beginning = SL_BEGIN_ONE;
  return add_node (d, node);
}

SlValue
sl_relu (SlDescription *d, SlValue x)
{
  return add_node (d, new_node (d, SL_LAYER_RELU, x, -1));
}

SlValue
sl_add (SlDescription *d, SlValue a, SlValue b)
{
  return add_node (d, new_node (d, SL_LAYER_ADD, a, b));
}

static SlValue
pool (SlDescription *d, SlValue x, gboolean largest, int kernel, int stride)
{
  SlNode node = new_node (d, SL_LAYER_POOL, x, -1);
  node.largest = largest;
  node.window = (SlWindow){ kernel, stride, 0, 1 };
  node.height = windows (node.height, &node.window);
  node.width = windows (node.width, &node.window);
  return add_node (d, node);
}

SlValue
sl_max_pool (SlDescription *d, SlValue x, int kernel, int stride)
{
  return pool (d, x, TRUE, kernel, stride);
}

SlValue
sl_mean_pool (SlDescription *d, SlValue x, int kernel, int stride)
{
  return pool (d, x, FALSE, kernel, stride);
}

SlValue
sl_global_mean (SlDescription *d, SlValue x)
{
  return pool (d, x, FALSE, sl_node (d, x)->height, 1);
}

/* KIND, of weights OUT × IN. */
static SlValue
product (SlDescription *d, SlLayerKind kind, SlValue x, const char *name, gint64 in, int out)
{
  SlNode node = new_node (d, kind, x, -1);
  gint64 dim[] = { out, in };
  node.parameter = (int) d->parameters->len;
  node.bias = TRUE;
  add_weights (d, name, 2, dim, TRUE, d->begin.linears);
  node.channels = out;
  node.height = node.width = 1;
  return add_node (d, node);
}

SlValue
sl_linear (SlDescription *d, SlValue x, const char *name, int out)
{
  const SlNode *from = sl_node (d, x);
  return product (d, SL_LAYER_LINEAR, x, name, (gint64) from->channels * from->height * from->width,
                  out);
}

SlValue
sl_pick (SlDescription *d, SlValue x, const char *name, int n, int out)
{
  return product (d, SL_LAYER_PICK, x, name, n, out);
}

SlValue
sl_mix (SlDescription *d, SlValue x)
{
  return d->pairs ? d->mixed = add_node (d, new_node (d, SL_LAYER_MIX, x, -1)) : x;
}

SlValue
sl_dropout (SlDescription *d, SlValue x, double share)
{
  if (share == 0)
    return x;
  SlNode node = new_node (d, SL_LAYER_DROPOUT, x, -1);
  node.share = share;
  return add_node (d, node);
}

SlValue
sl_subsample (SlDescription *d, SlValue x, int stride, int first)
{
  SlNode node = new_node (d, SL_LAYER_SUBSAMPLE, x, -1);
  node.window = (SlWindow){ 1, stride, 0, 1 };
  node.first = first;
  node.height = (node.height - first + stride - 1) / stride;
  node.width = (node.width - first + stride - 1) / stride;
  return add_node (d, node);
}

static SlValue
choose_channels (SlDescription *d, SlValue x, int first, int channels)
{
  SlNode node = new_node (d, SL_LAYER_SOME_CHANNELS, x, -1);
  node.first = first;
  node.channels = channels;
  return add_node (d, node);
}

SlValue
sl_embed (SlDescription *d, SlValue x, int first, int channels)
{
  return choose_channels (d, x, first, channels);
}

SlValue
sl_part (SlDescription *d, SlValue x, int first, int channels)
{
  return choose_channels (d, x, first, channels);
}

SlValue
sl_concatenate (SlDescription *d, SlValue a, SlValue b)
{
  SlNode node = new_node (d, SL_LAYER_CONCATENATE, a, b);
  node.channels += sl_node (d, b)->channels;
  return add_node (d, node);
}

SlValue
sl_shake (SlDescription *d, SlValue a, SlValue b)
{
  return add_node (d, new_node (d, SL_LAYER_SHAKE, a, b));
}

/* ---- layers that become one ---- */

/* The layer whose result is what NODE takes as number WHICH, if NODE alone takes it and it is of
 * KIND. */
static SlNode *
sole (SlDescription *d, const SlNode *node, int which, SlLayerKind kind)
{
  SlNode *from = &g_array_index (d->nodes, SlNode, node->in[which]);
  return from->kind == kind && from->n_users == 1 ? from : NULL;
}

/* LATER takes EARLIER's place, and does what is said of LATER beside. */
static void
absorb (SlNode *later, SlNode *earlier)
{
  int channels = later->channels, height = later->height, width = later->width;
  int n_users = later->n_users;
  *later = *earlier;
  later->channels = channels;
  later->height = height;
  later->width = width;
  later->n_users = n_users;
  earlier->kind = SL_LAYER_NONE;
}

/* A ReLU that alone follows a layer which can do it becomes that layer. */
static void
fuse_relu (SlDescription *d, SlNode *node, gboolean fold)
{
  static const SlLayerKind before[]
      = { SL_LAYER_BATCH_NORM, SL_LAYER_ADD, SL_LAYER_LINEAR, SL_LAYER_CONVOLUTION };
  for (gsize i = 0; i < G_N_ELEMENTS (before) - (fold ? 0 : 1); i++)
    {
      SlNode *from = sole (d, node, 0, before[i]);
      if (from == NULL || from->relu)
        continue;
      absorb (node, from);
      node->relu = TRUE;
      return;
    }
}

static void
fold_norm (SlDescription *d, SlNode *node)
{
  SlNode *from = sole (d, node, 0, SL_LAYER_CONVOLUTION);
  if (from == NULL || from->norm >= 0 || from->n_in == 2 || from->relu)
    return;
  int norm = node->parameter;
  absorb (node, from);
  node->norm = norm;
}

/* The later of the two convolutions, if both are such, adds onto what the other one made. */
static void
fold_addition (SlDescription *d, SlNode *node)
{
  for (int which = 1; which >= 0; which--)
    {
      SlNode *from = sole (d, node, which, SL_LAYER_CONVOLUTION);
      SlValue other = node->in[1 - which];
      if (from == NULL || from->n_in == 2 || from->relu || other == node->in[which])
        continue;
      absorb (node, from);
      node->n_in = 2;
      node->in[1] = other;
      return;
    }
}

void
sl_description_fuse (SlDescription *d, gboolean fold)
{
  for (guint i = 0; i < d->nodes->len; i++)
    {
      SlNode *node = &g_array_index (d->nodes, SlNode, i);
      if (fold && node->kind == SL_LAYER_BATCH_NORM)
        fold_norm (d, node);
      else if (fold && node->kind == SL_LAYER_ADD)
        fold_addition (d, node);
      else if (fold && node->kind == SL_LAYER_MIX)
        absorb (node, &g_array_index (d->nodes, SlNode, node->in[0]));
      else if (node->kind == SL_LAYER_RELU)
        fuse_relu (d, node, fold);
    }
}

double
sl_description_multiply_adds (const SlDescription *d)
{
  double sum = 0;
  for (guint i = 0; i < d->nodes->len; i++)
    {
      const SlNode *node = sl_node (d, (SlValue) i);
      if (node->kind == SL_LAYER_CONVOLUTION || node->kind == SL_LAYER_LINEAR)
        sum += (double) g_array_index (d->parameters, SlParameterPlan, node->parameter)
                   .parameter.size
               * node->height * node->width;
    }
  return sum;
}
