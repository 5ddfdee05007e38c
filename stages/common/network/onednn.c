/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "onednn.h"

#include "pipeline/base/error.h"

#include <dlfcn.h>
#include <stdlib.h>

#include <oneapi/dnnl/dnnl.h>

#define VERSION_3 (DNNL_VERSION_MAJOR >= 3)

/* --- The library --- */

#if VERSION_3
#define LIBRARY "libdnnl.so.3"
#define OPERATIONS(F)                                                                              \
  F (dnnl_memory_desc_create_with_strides)                                                         \
  F (dnnl_memory_desc_create_with_tag)                                                             \
  F (dnnl_memory_desc_clone)                                                                       \
  F (dnnl_memory_desc_destroy)                                                                     \
  F (dnnl_memory_desc_query)                                                                       \
  F (dnnl_post_ops_append_sum)                                                                     \
  F (dnnl_convolution_forward_primitive_desc_create)                                               \
  F (dnnl_convolution_backward_data_primitive_desc_create)                                         \
  F (dnnl_convolution_backward_weights_primitive_desc_create)                                      \
  F (dnnl_inner_product_forward_primitive_desc_create)                                             \
  F (dnnl_inner_product_backward_data_primitive_desc_create)                                       \
  F (dnnl_inner_product_backward_weights_primitive_desc_create)                                    \
  F (dnnl_batch_normalization_forward_primitive_desc_create)                                       \
  F (dnnl_batch_normalization_backward_primitive_desc_create)                                      \
  F (dnnl_pooling_forward_primitive_desc_create)                                                   \
  F (dnnl_pooling_backward_primitive_desc_create)                                                  \
  F (dnnl_eltwise_forward_primitive_desc_create)                                                   \
  F (dnnl_eltwise_backward_primitive_desc_create)                                                  \
  F (dnnl_binary_primitive_desc_create)
#else
#define LIBRARY "libdnnl.so.2"
#define OPERATIONS(F)                                                                              \
  F (dnnl_memory_desc_init_by_strides)                                                             \
  F (dnnl_memory_desc_init_by_tag)                                                                 \
  F (dnnl_post_ops_append_sum)                                                                     \
  F (dnnl_primitive_desc_create)                                                                   \
  F (dnnl_convolution_forward_desc_init)                                                           \
  F (dnnl_convolution_backward_data_desc_init)                                                     \
  F (dnnl_convolution_backward_weights_desc_init)                                                  \
  F (dnnl_inner_product_forward_desc_init)                                                         \
  F (dnnl_inner_product_backward_data_desc_init)                                                   \
  F (dnnl_inner_product_backward_weights_desc_init)                                                \
  F (dnnl_batch_normalization_forward_desc_init)                                                   \
  F (dnnl_batch_normalization_backward_desc_init)                                                  \
  F (dnnl_pooling_forward_desc_init)                                                               \
  F (dnnl_pooling_backward_desc_init)                                                              \
  F (dnnl_eltwise_forward_desc_init)                                                               \
  F (dnnl_eltwise_backward_desc_init)                                                              \
  F (dnnl_binary_desc_init)
#endif

#define COMMON(F)                                                                                  \
  F (dnnl_get_effective_cpu_isa)                                                                   \
  F (dnnl_engine_create)                                                                           \
  F (dnnl_engine_destroy)                                                                          \
  F (dnnl_stream_create)                                                                           \
  F (dnnl_stream_destroy)                                                                          \
  F (dnnl_stream_wait)                                                                             \
  F (dnnl_memory_desc_get_size)                                                                    \
  F (dnnl_memory_desc_equal)                                                                       \
  F (dnnl_memory_create)                                                                           \
  F (dnnl_memory_destroy)                                                                          \
  F (dnnl_primitive_attr_create)                                                                   \
  F (dnnl_primitive_attr_destroy)                                                                  \
  F (dnnl_primitive_attr_set_scratchpad_mode)                                                      \
  F (dnnl_primitive_attr_set_post_ops)                                                             \
  F (dnnl_post_ops_create)                                                                         \
  F (dnnl_post_ops_destroy)                                                                        \
  F (dnnl_post_ops_append_eltwise)                                                                 \
  F (dnnl_primitive_desc_destroy)                                                                  \
  F (dnnl_primitive_desc_query)                                                                    \
  F (dnnl_primitive_desc_query_md)                                                                 \
  F (dnnl_reorder_primitive_desc_create)                                                           \
  F (dnnl_primitive_create)                                                                        \
  F (dnnl_primitive_execute)                                                                       \
  F (dnnl_primitive_destroy)

static struct
{
#define MEMBER(function) __typeof__ (&(function)) function;
  COMMON (MEMBER)
  OPERATIONS (MEMBER)
#undef MEMBER
  void (*omp_set_num_threads) (int n);
} library;

/* Its threads are OpenMP's, which read their settings when the library is loaded. Asked to be
 * passive they sleep between two operations of a network, which costs more than it saves; with
 * OpenMP's default they turn for milliseconds while nobody has work for them, and take the
 * processor away from the loader and from other stages. So they turn for some microseconds. */
static void
have_threads_sleep_soon (void)
{
  if (g_getenv ("OMP_WAIT_POLICY") == NULL)
    g_setenv ("GOMP_SPINCOUNT", "1000", FALSE);
}

static gpointer
load (gpointer unused)
{
  have_threads_sleep_soon ();
  void *handle = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL)
    return g_strdup (dlerror ());
#define FIND(function)                                                                             \
  library.function = (__typeof__ (library.function)) dlsym (handle, #function);                    \
  if (library.function == NULL)                                                                    \
    return g_strdup (dlerror ());
  COMMON (FIND)
  OPERATIONS (FIND)
#undef FIND
  /* Where the library is built for another kind of threads there is no such function. */
  library.omp_set_num_threads = (void (*) (int)) dlsym (handle, "omp_set_num_threads");
  return NULL;
}

/* --- A context, which owns what is made with it --- */

struct _SlDnn
{
  int threads;
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  GPtrArray *layouts, *primitives, *calls;
};

struct _SlLayout
{
  dnnl_memory_desc_t md; /* version 3: a pointer */
};

#if VERSION_3
typedef const_dnnl_memory_desc_t Md;
#define MD(layout) ((layout) == NULL ? NULL : (layout)->md)
#else
typedef const dnnl_memory_desc_t *Md;
#define MD(layout) ((layout) == NULL ? NULL : &(layout)->md)
#endif

struct _SlPrimitive
{
  SlDnn *dnn;
  const char *what;
  dnnl_primitive_desc_t desc;
  dnnl_primitive_t primitive; /* NULL until it is made */
  const SlLayout *layout[SL_N_ROLES];
};

struct _SlCall
{
  const SlPrimitive *primitive;
  int n;
  dnnl_exec_arg_t arg[SL_N_ROLES];
};

static const int role_args[SL_N_ROLES] = {
  [SL_SRC] = DNNL_ARG_SRC,
  [SL_SRC_1] = DNNL_ARG_SRC_1,
  [SL_WEIGHTS] = DNNL_ARG_WEIGHTS,
  [SL_BIAS] = DNNL_ARG_BIAS,
  [SL_DST] = DNNL_ARG_DST,
  [SL_DIFF_SRC] = DNNL_ARG_DIFF_SRC,
  [SL_DIFF_WEIGHTS] = DNNL_ARG_DIFF_WEIGHTS,
  [SL_DIFF_BIAS] = DNNL_ARG_DIFF_BIAS,
  [SL_DIFF_DST] = DNNL_ARG_DIFF_DST,
  [SL_MEAN] = DNNL_ARG_MEAN,
  [SL_VARIANCE] = DNNL_ARG_VARIANCE,
  [SL_SCALE] = DNNL_ARG_SCALE,
  [SL_SHIFT] = DNNL_ARG_SHIFT,
  [SL_DIFF_SCALE] = DNNL_ARG_DIFF_SCALE,
  [SL_DIFF_SHIFT] = DNNL_ARG_DIFF_SHIFT,
  [SL_WORKSPACE] = DNNL_ARG_WORKSPACE,
  [SL_SCRATCHPAD] = DNNL_ARG_SCRATCHPAD,
};

static gboolean
fail (GError **error, const char *what, dnnl_status_t status)
{
  if (status == dnnl_out_of_memory)
    g_set_error (error, SL_ERROR, SL_ERROR_RUNTIME, "out of memory in oneDNN (%s)", what);
  else
    g_set_error (error, SL_ERROR, SL_ERROR_RUNTIME, "oneDNN cannot do %s here (status %d)", what,
                 (int) status);
  return FALSE;
}

static void
free_layout (gpointer data)
{
  SlLayout *layout = data;
#if VERSION_3
  library.dnnl_memory_desc_destroy (layout->md);
#endif
  g_free (layout);
}

static void
free_primitive (gpointer data)
{
  SlPrimitive *primitive = data;
  if (primitive->primitive != NULL)
    library.dnnl_primitive_destroy (primitive->primitive);
  library.dnnl_primitive_desc_destroy (primitive->desc);
  g_free (primitive);
}

static void
free_call (gpointer data)
{
  SlCall *call = data;
  for (int i = 0; i < call->n; i++)
    library.dnnl_memory_destroy (call->arg[i].memory);
  g_free (call);
}

SlDnn *
sl_dnn_new (int threads, GError **error)
{
  static GOnce once = G_ONCE_INIT;
  const char *message = g_once (&once, load, NULL);
  if (message != NULL)
    {
      g_set_error (error, SL_ERROR, SL_ERROR_RUNTIME,
                   "networks need oneDNN, which cannot be loaded: %s", message);
      return NULL;
    }
  g_autoptr (SlDnn) dnn = g_new0 (SlDnn, 1);
  dnn->threads = threads;
  dnn->layouts = g_ptr_array_new_with_free_func (free_layout);
  dnn->primitives = g_ptr_array_new_with_free_func (free_primitive);
  dnn->calls = g_ptr_array_new_with_free_func (free_call);
  dnnl_status_t status = library.dnnl_engine_create (&dnn->engine, dnnl_cpu, 0);
  if (status == dnnl_success)
    status = library.dnnl_stream_create (&dnn->stream, dnn->engine, dnnl_stream_default_flags);
  if (status != dnnl_success)
    {
      fail (error, "anything", status);
      return NULL;
    }
  sl_dnn_use_threads (dnn);
  return g_steal_pointer (&dnn);
}

void
sl_dnn_free (SlDnn *dnn)
{
  g_ptr_array_unref (dnn->calls);
  g_ptr_array_unref (dnn->primitives);
  g_ptr_array_unref (dnn->layouts);
  if (dnn->stream != NULL)
    library.dnnl_stream_destroy (dnn->stream);
  if (dnn->engine != NULL)
    library.dnnl_engine_destroy (dnn->engine);
  g_free (dnn);
}

gboolean
sl_dnn_has_bf16 (void)
{
  dnnl_cpu_isa_t isa = library.dnnl_get_effective_cpu_isa ();
  return (isa & dnnl_cpu_isa_avx512_core) == dnnl_cpu_isa_avx512_core;
}

void
sl_dnn_use_threads (SlDnn *dnn)
{
  if (library.omp_set_num_threads != NULL)
    library.omp_set_num_threads (dnn->threads);
}

/* --- Layouts --- */

static const SlLayout *
keep_layout (SlDnn *dnn, const SlLayout *made)
{
  SlLayout *layout = g_new (SlLayout, 1);
  *layout = *made;
  g_ptr_array_add (dnn->layouts, layout);
  return layout;
}

/* A copy of MD, which belongs to the library. */
static const SlLayout *
copy_layout (SlDnn *dnn, Md md)
{
  SlLayout layout;
#if VERSION_3
  if (library.dnnl_memory_desc_clone (&layout.md, md) != dnnl_success)
    return NULL;
#else
  layout.md = *md;
#endif
  return keep_layout (dnn, &layout);
}

static dnnl_data_type_t
data_type (SlNumber number)
{
  return number == SL_BF16 ? dnnl_bf16 : dnnl_f32;
}

const SlLayout *
sl_layout_plain (SlDnn *dnn, int n_dims, const gint64 *dim, SlNumber number)
{
  SlLayout layout;
  gint64 stride[DNNL_MAX_NDIMS];
  for (int i = n_dims; i-- > 0;)
    stride[i] = i == n_dims - 1 ? 1 : stride[i + 1] * dim[i + 1];
#if VERSION_3
  dnnl_status_t status = library.dnnl_memory_desc_create_with_strides (&layout.md, n_dims, dim,
                                                                       data_type (number), stride);
#else
  dnnl_status_t status = library.dnnl_memory_desc_init_by_strides (&layout.md, n_dims, dim,
                                                                   data_type (number), stride);
#endif
  g_assert (status == dnnl_success);
  return keep_layout (dnn, &layout);
}

const SlLayout *
sl_layout_any (SlDnn *dnn, int n_dims, const gint64 *dim, SlNumber number)
{
  SlLayout layout;
#if VERSION_3
  dnnl_status_t status = library.dnnl_memory_desc_create_with_tag (
      &layout.md, n_dims, dim, data_type (number), dnnl_format_tag_any);
#else
  dnnl_status_t status = library.dnnl_memory_desc_init_by_tag (
      &layout.md, n_dims, dim, data_type (number), dnnl_format_tag_any);
#endif
  g_assert (status == dnnl_success);
  return keep_layout (dnn, &layout);
}

/* Where the numbers of a tensor are: blocks of the innermost dimension, and strides. */
static void
blocking (const SlLayout *layout, int *block, gint64 *channel_stride, gint64 *channels)
{
#if VERSION_3
  int n_blocks = 0;
  dnnl_dims_t *blocks = NULL, *stride = NULL, *dim = NULL;
  library.dnnl_memory_desc_query (layout->md, dnnl_query_inner_nblks_s32, &n_blocks);
  library.dnnl_memory_desc_query (layout->md, dnnl_query_inner_blks, &blocks);
  library.dnnl_memory_desc_query (layout->md, dnnl_query_strides, &stride);
  library.dnnl_memory_desc_query (layout->md, dnnl_query_dims, &dim);
  *block = n_blocks > 0 ? (int) (*blocks)[0] : 1;
  *channel_stride = (*stride)[1];
  *channels = (*dim)[1];
#else
  const dnnl_blocking_desc_t *of = &layout->md.format_desc.blocking;
  *block = of->inner_nblks > 0 ? (int) of->inner_blks[0] : 1;
  *channel_stride = of->strides[1];
  *channels = layout->md.dims[1];
#endif
}

static gboolean
channels_last (const SlLayout *layout)
{
  int block;
  gint64 stride, channels;
  blocking (layout, &block, &stride, &channels);
  return block == 1 && stride == 1;
}

int
sl_layout_block (const SlLayout *layout)
{
  int block;
  gint64 stride, channels;
  blocking (layout, &block, &stride, &channels);
  return block == 1 && stride == 1 ? (int) channels : block;
}

SlNumber
sl_layout_number (const SlLayout *layout)
{
#if VERSION_3
  dnnl_data_type_t type = dnnl_data_type_undef;
  library.dnnl_memory_desc_query (layout->md, dnnl_query_data_type, &type);
#else
  dnnl_data_type_t type = layout->md.data_type;
#endif
  return type == dnnl_bf16 ? SL_BF16 : SL_F32;
}

static const SlLayout *
blocked (SlDnn *dnn, int block, const gint64 *dim, SlNumber number)
{
  dnnl_format_tag_t tag = block == 16  ? dnnl_nChw16c
                          : block == 8 ? dnnl_nChw8c
                          : block == 4 ? dnnl_nChw4c
                          : block == 1 ? dnnl_nchw
                                       : dnnl_nhwc;
  SlLayout layout;
#if VERSION_3
  dnnl_status_t status
      = library.dnnl_memory_desc_create_with_tag (&layout.md, 4, dim, data_type (number), tag);
#else
  dnnl_status_t status
      = library.dnnl_memory_desc_init_by_tag (&layout.md, 4, dim, data_type (number), tag);
#endif
  g_assert (status == dnnl_success);
  return keep_layout (dnn, &layout);
}

const SlLayout *
sl_layout_like (SlDnn *dnn, const SlLayout *like, const gint64 *dim)
{
  return blocked (dnn, channels_last (like) ? 0 : sl_layout_block (like), dim,
                  sl_layout_number (like));
}

const SlLayout *
sl_layout_with (SlDnn *dnn, const SlLayout *like, SlNumber number)
{
  gint64 dim[SL_MAX_DIMS];
  int n_dims = sl_layout_dims (like, dim);
  if (n_dims != 4)
    return sl_layout_plain (dnn, n_dims, dim, number);
  return blocked (dnn, channels_last (like) ? 0 : sl_layout_block (like), dim, number);
}

gsize
sl_layout_bytes (const SlLayout *layout)
{
  return library.dnnl_memory_desc_get_size (MD (layout));
}

gboolean
sl_layout_equal (const SlLayout *a, const SlLayout *b)
{
  return library.dnnl_memory_desc_equal (MD (a), MD (b));
}

int
sl_layout_dims (const SlLayout *layout, gint64 *dim)
{
#if VERSION_3
  int n_dims = 0;
  dnnl_dims_t *dims = NULL;
  library.dnnl_memory_desc_query (layout->md, dnnl_query_ndims_s32, &n_dims);
  library.dnnl_memory_desc_query (layout->md, dnnl_query_dims, &dims);
  const gint64 *from = *dims;
#else
  int n_dims = layout->md.ndims;
  const gint64 *from = layout->md.dims;
#endif
  g_assert (n_dims <= SL_MAX_DIMS);
  for (int i = 0; i < n_dims; i++)
    dim[i] = from[i];
  return n_dims;
}

/* --- Primitives --- */

/* What is done to a result before it is stored, and where scratch memory comes from: the caller. */
static dnnl_primitive_attr_t
new_attr (gboolean add, gboolean relu)
{
  dnnl_primitive_attr_t attr = NULL;
  if (library.dnnl_primitive_attr_create (&attr) != dnnl_success)
    return NULL;
  library.dnnl_primitive_attr_set_scratchpad_mode (attr, dnnl_scratchpad_mode_user);
  dnnl_post_ops_t post_ops = NULL;
  if ((!add && !relu) || library.dnnl_post_ops_create (&post_ops) != dnnl_success)
    return attr;
#if VERSION_3
  if (add)
    library.dnnl_post_ops_append_sum (post_ops, 1, 0, dnnl_data_type_undef);
  if (relu)
    library.dnnl_post_ops_append_eltwise (post_ops, dnnl_eltwise_relu, 0, 0);
#else
  if (add)
    library.dnnl_post_ops_append_sum (post_ops, 1);
  if (relu)
    library.dnnl_post_ops_append_eltwise (post_ops, 1, dnnl_eltwise_relu, 0, 0);
#endif
  library.dnnl_primitive_attr_set_post_ops (attr, post_ops);
  library.dnnl_post_ops_destroy (post_ops);
  return attr;
}

/* Takes DESC over, if STATUS says that it was made. */
static SlPrimitive *
keep_primitive (SlDnn *dnn, const char *what, dnnl_status_t status, dnnl_primitive_desc_t desc,
                GError **error)
{
  if (status != dnnl_success)
    {
      fail (error, what, status);
      return NULL;
    }
  SlPrimitive *primitive = g_new0 (SlPrimitive, 1);
  primitive->dnn = dnn;
  primitive->what = what;
  primitive->desc = desc;
  g_ptr_array_add (dnn->primitives, primitive);
  return primitive;
}

static dnnl_prop_kind_t
prop_kind (SlPass pass)
{
  static const dnnl_prop_kind_t kinds[] = {
    [SL_FORWARD_TRAINING] = dnnl_forward_training,
    [SL_FORWARD] = dnnl_forward_inference,
    [SL_BACKWARD_DATA] = dnnl_backward_data,
    [SL_BACKWARD_WEIGHTS] = dnnl_backward_weights,
  };
  return kinds[pass];
}

static dnnl_primitive_desc_t
desc_of (const SlPrimitive *primitive)
{
  return primitive == NULL ? NULL : primitive->desc;
}

#if !VERSION_3
/* Version 2 describes an operation first, and makes its primitive's description of that. */
static dnnl_status_t
finish (dnnl_status_t status, dnnl_primitive_desc_t *made, const_dnnl_op_desc_t described,
        dnnl_primitive_attr_t attr, SlDnn *dnn, const SlPrimitive *hint)
{
  if (status != dnnl_success)
    return status;
  return library.dnnl_primitive_desc_create (made, described, attr, dnn->engine, desc_of (hint));
}
#endif

static dnnl_alg_kind_t
convolution_kind (SlAlgorithm algorithm)
{
  return algorithm == SL_WINOGRAD ? dnnl_convolution_winograd : dnnl_convolution_direct;
}

SlPrimitive *
sl_convolution_primitive (SlDnn *dnn, SlPass pass, SlAlgorithm algorithm, const SlWindow *window,
                          const SlLayout *src, const SlLayout *weights, const SlLayout *bias,
                          const SlLayout *dst, gboolean add, gboolean relu, const SlPrimitive *hint,
                          GError **error)
{
  dnnl_primitive_attr_t attr = new_attr (add, relu);
  dnnl_alg_kind_t kind = convolution_kind (algorithm);
  dnnl_dims_t stride = { window->stride, window->stride }, pad = { window->pad, window->pad };
  dnnl_primitive_desc_t desc = NULL;
  dnnl_status_t status;
#if VERSION_3
  dnnl_dims_t dilation = { 0, 0 };
  if (pass == SL_BACKWARD_DATA)
    status = library.dnnl_convolution_backward_data_primitive_desc_create (
        &desc, dnn->engine, kind, MD (src), MD (weights), MD (dst), stride, dilation, pad, pad,
        desc_of (hint), attr);
  else if (pass == SL_BACKWARD_WEIGHTS)
    status = library.dnnl_convolution_backward_weights_primitive_desc_create (
        &desc, dnn->engine, kind, MD (src), MD (weights), MD (bias), MD (dst), stride, dilation,
        pad, pad, desc_of (hint), attr);
  else
    status = library.dnnl_convolution_forward_primitive_desc_create (
        &desc, dnn->engine, prop_kind (pass), kind, MD (src), MD (weights), MD (bias), MD (dst),
        stride, dilation, pad, pad, attr);
#else
  dnnl_convolution_desc_t op;
  if (pass == SL_BACKWARD_DATA)
    status = library.dnnl_convolution_backward_data_desc_init (&op, kind, MD (src), MD (weights),
                                                               MD (dst), stride, pad, pad);
  else if (pass == SL_BACKWARD_WEIGHTS)
    status = library.dnnl_convolution_backward_weights_desc_init (
        &op, kind, MD (src), MD (weights), MD (bias), MD (dst), stride, pad, pad);
  else
    status = library.dnnl_convolution_forward_desc_init (
        &op, prop_kind (pass), kind, MD (src), MD (weights), MD (bias), MD (dst), stride, pad, pad);
  status = finish (status, &desc, &op, attr, dnn, hint);
#endif
  library.dnnl_primitive_attr_destroy (attr);
  return keep_primitive (dnn, "this convolution", status, desc, error);
}

SlPrimitive *
sl_linear_primitive (SlDnn *dnn, SlPass pass, const SlLayout *src, const SlLayout *weights,
                     const SlLayout *bias, const SlLayout *dst, gboolean relu,
                     const SlPrimitive *hint, GError **error)
{
  dnnl_primitive_attr_t attr = new_attr (FALSE, relu);
  dnnl_primitive_desc_t desc = NULL;
  dnnl_status_t status;
#if VERSION_3
  if (pass == SL_BACKWARD_DATA)
    status = library.dnnl_inner_product_backward_data_primitive_desc_create (
        &desc, dnn->engine, MD (src), MD (weights), MD (dst), desc_of (hint), attr);
  else if (pass == SL_BACKWARD_WEIGHTS)
    status = library.dnnl_inner_product_backward_weights_primitive_desc_create (
        &desc, dnn->engine, MD (src), MD (weights), MD (bias), MD (dst), desc_of (hint), attr);
  else
    status = library.dnnl_inner_product_forward_primitive_desc_create (
        &desc, dnn->engine, prop_kind (pass), MD (src), MD (weights), MD (bias), MD (dst), attr);
#else
  dnnl_inner_product_desc_t op;
  if (pass == SL_BACKWARD_DATA)
    status = library.dnnl_inner_product_backward_data_desc_init (&op, MD (src), MD (weights),
                                                                 MD (dst));
  else if (pass == SL_BACKWARD_WEIGHTS)
    status = library.dnnl_inner_product_backward_weights_desc_init (&op, MD (src), MD (weights),
                                                                    MD (bias), MD (dst));
  else
    status = library.dnnl_inner_product_forward_desc_init (&op, prop_kind (pass), MD (src),
                                                           MD (weights), MD (bias), MD (dst));
  status = finish (status, &desc, &op, attr, dnn, hint);
#endif
  library.dnnl_primitive_attr_destroy (attr);
  return keep_primitive (dnn, "this matrix product", status, desc, error);
}

SlPrimitive *
sl_batch_norm_primitive (SlDnn *dnn, SlPass pass, const SlLayout *src, float epsilon,
                         gboolean given, gboolean relu, const SlPrimitive *hint, GError **error)
{
  dnnl_primitive_attr_t attr = new_attr (FALSE, FALSE);
  unsigned flags = dnnl_use_scale | dnnl_use_shift;
  flags |= given ? dnnl_use_global_stats : 0;
  flags |= relu ? dnnl_fuse_norm_relu : 0;
  gboolean backward = pass == SL_BACKWARD_DATA || pass == SL_BACKWARD_WEIGHTS;
  dnnl_prop_kind_t kind = backward ? dnnl_backward : prop_kind (pass);
  dnnl_primitive_desc_t desc = NULL;
  dnnl_status_t status;
#if VERSION_3
  if (backward)
    status = library.dnnl_batch_normalization_backward_primitive_desc_create (
        &desc, dnn->engine, kind, MD (src), MD (src), MD (src), epsilon, flags, desc_of (hint),
        attr);
  else
    status = library.dnnl_batch_normalization_forward_primitive_desc_create (
        &desc, dnn->engine, kind, MD (src), MD (src), epsilon, flags, attr);
#else
  dnnl_batch_normalization_desc_t op;
  if (backward)
    status = library.dnnl_batch_normalization_backward_desc_init (&op, kind, MD (src), MD (src),
                                                                  epsilon, flags);
  else
    status
        = library.dnnl_batch_normalization_forward_desc_init (&op, kind, MD (src), epsilon, flags);
  status = finish (status, &desc, &op, attr, dnn, hint);
#endif
  library.dnnl_primitive_attr_destroy (attr);
  return keep_primitive (dnn, "this batch normalisation", status, desc, error);
}

const gboolean sl_batch_norm_backward_takes_shift = !VERSION_3;

SlPrimitive *
sl_pool_primitive (SlDnn *dnn, SlPass pass, gboolean largest, const SlWindow *window,
                   const SlLayout *src, const SlLayout *dst, const SlPrimitive *hint,
                   GError **error)
{
  dnnl_primitive_attr_t attr = new_attr (FALSE, FALSE);
  dnnl_alg_kind_t kind = largest ? dnnl_pooling_max : dnnl_pooling_avg_exclude_padding;
  dnnl_dims_t size = { window->kernel, window->kernel }, pad = { window->pad, window->pad };
  dnnl_dims_t stride = { window->stride, window->stride };
  dnnl_primitive_desc_t desc = NULL;
  dnnl_status_t status;
#if VERSION_3
  dnnl_dims_t dilation = { 0, 0 };
  if (pass == SL_BACKWARD_DATA)
    status = library.dnnl_pooling_backward_primitive_desc_create (
        &desc, dnn->engine, kind, MD (src), MD (dst), stride, size, dilation, pad, pad,
        desc_of (hint), attr);
  else
    status = library.dnnl_pooling_forward_primitive_desc_create (
        &desc, dnn->engine, prop_kind (pass), kind, MD (src), MD (dst), stride, size, dilation, pad,
        pad, attr);
#else
  dnnl_pooling_desc_t op;
  if (pass == SL_BACKWARD_DATA)
    status = library.dnnl_pooling_backward_desc_init (&op, kind, MD (src), MD (dst), stride, size,
                                                      pad, pad);
  else
    status = library.dnnl_pooling_forward_desc_init (&op, prop_kind (pass), kind, MD (src),
                                                     MD (dst), stride, size, pad, pad);
  status = finish (status, &desc, &op, attr, dnn, hint);
#endif
  library.dnnl_primitive_attr_destroy (attr);
  return keep_primitive (dnn, "this pooling", status, desc, error);
}

SlPrimitive *
sl_relu_primitive (SlDnn *dnn, SlPass pass, const SlLayout *layout, const SlPrimitive *hint,
                   GError **error)
{
  dnnl_primitive_attr_t attr = new_attr (FALSE, FALSE);
  /* Asked of its result, so that its input need not be kept. */
  dnnl_alg_kind_t kind = dnnl_eltwise_relu_use_dst_for_bwd;
  Md md = MD (layout);
  dnnl_primitive_desc_t desc = NULL;
  dnnl_status_t status;
#if VERSION_3
  if (pass == SL_BACKWARD_DATA)
    status = library.dnnl_eltwise_backward_primitive_desc_create (&desc, dnn->engine, kind, md, md,
                                                                  md, 0, 0, desc_of (hint), attr);
  else
    status = library.dnnl_eltwise_forward_primitive_desc_create (
        &desc, dnn->engine, prop_kind (pass), kind, md, md, 0, 0, attr);
#else
  dnnl_eltwise_desc_t op;
  if (pass == SL_BACKWARD_DATA)
    status = library.dnnl_eltwise_backward_desc_init (&op, kind, md, md, 0, 0);
  else
    status = library.dnnl_eltwise_forward_desc_init (&op, prop_kind (pass), kind, md, 0, 0);
  status = finish (status, &desc, &op, attr, dnn, hint);
#endif
  library.dnnl_primitive_attr_destroy (attr);
  return keep_primitive (dnn, "this ReLU", status, desc, error);
}

SlPrimitive *
sl_add_primitive (SlDnn *dnn, const SlLayout *layout, gboolean relu, GError **error)
{
  dnnl_primitive_attr_t attr = new_attr (FALSE, relu);
  Md md = MD (layout);
  dnnl_primitive_desc_t desc = NULL;
#if VERSION_3
  dnnl_status_t status = library.dnnl_binary_primitive_desc_create (
      &desc, dnn->engine, dnnl_binary_add, md, md, md, attr);
#else
  dnnl_binary_desc_t op;
  dnnl_status_t status = library.dnnl_binary_desc_init (&op, dnnl_binary_add, md, md, md);
  status = finish (status, &desc, &op, attr, dnn, NULL);
#endif
  library.dnnl_primitive_attr_destroy (attr);
  return keep_primitive (dnn, "this addition", status, desc, error);
}

/* Its scratch memory, if it needs any, is the library's: weights are reordered outside of a
 * program's steps. */
SlPrimitive *
sl_reorder_primitive (SlDnn *dnn, const SlLayout *src, const SlLayout *dst, GError **error)
{
  dnnl_primitive_desc_t desc = NULL;
  dnnl_status_t status = library.dnnl_reorder_primitive_desc_create (&desc, MD (src), dnn->engine,
                                                                     MD (dst), dnn->engine, NULL);
  return keep_primitive (dnn, "this change of layout", status, desc, error);
}

const SlLayout *
sl_primitive_layout (SlPrimitive *primitive, SlRole role)
{
  if (primitive->layout[role] != NULL)
    return primitive->layout[role];
  Md md = library.dnnl_primitive_desc_query_md (primitive->desc, dnnl_query_exec_arg_md,
                                                role_args[role]);
  if (md == NULL || library.dnnl_memory_desc_get_size (md) == 0)
    return NULL;
  return primitive->layout[role] = copy_layout (primitive->dnn, md);
}

const char *
sl_primitive_kernel (const SlPrimitive *primitive)
{
  const char *name = "?";
  library.dnnl_primitive_desc_query (primitive->desc, dnnl_query_impl_info_str, 0, &name);
  return name;
}

gboolean
sl_primitive_make (SlPrimitive *primitive, GError **error)
{
  if (primitive->primitive != NULL)
    return TRUE;
  dnnl_status_t status = library.dnnl_primitive_create (&primitive->primitive, primitive->desc);
  return status == dnnl_success || fail (error, primitive->what, status);
}

/* --- Calls --- */

SlCall *
sl_call_new (SlPrimitive *primitive, GError **error)
{
  if (!sl_primitive_make (primitive, error))
    return NULL;
  SlCall *call = g_new0 (SlCall, 1);
  call->primitive = primitive;
  g_ptr_array_add (primitive->dnn->calls, call);
  return call;
}

gboolean
sl_call_bind (SlCall *call, SlRole role, void *memory, GError **error)
{
  SlPrimitive *primitive = (SlPrimitive *) call->primitive;
  const SlLayout *layout = sl_primitive_layout (primitive, role);
  g_assert (layout != NULL && call->n < SL_N_ROLES);
  dnnl_exec_arg_t *arg = &call->arg[call->n];
  dnnl_status_t status
      = library.dnnl_memory_create (&arg->memory, MD (layout), primitive->dnn->engine, memory);
  if (status != dnnl_success)
    return fail (error, primitive->what, status);
  arg->arg = role_args[role];
  call->n++;
  return TRUE;
}

gboolean
sl_call_run (SlCall *call, GError **error)
{
  const SlPrimitive *primitive = call->primitive;
  dnnl_status_t status = library.dnnl_primitive_execute (
      primitive->primitive, primitive->dnn->stream, call->n, call->arg);
  if (status == dnnl_success)
    status = library.dnnl_stream_wait (primitive->dnn->stream);
  return status == dnnl_success || fail (error, primitive->what, status);
}
