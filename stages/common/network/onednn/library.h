/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of this room share: oneDNN's functions, found when the library is loaded, and what
 * is made with them. No file outside of this room names the library. */
#pragma once

#include "onednn.h"

#include <oneapi/dnnl/dnnl.h>

#define VERSION_3 (DNNL_VERSION_MAJOR >= 3)

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

typedef struct
{
#define MEMBER(function) __typeof__ (&(function)) function;
  COMMON (MEMBER)
  OPERATIONS (MEMBER)
#undef MEMBER
  void (*omp_set_num_threads) (int n); /* NULL where its threads are of another kind */
} SlDnnl;

extern SlDnnl sl_dnnl;

/* Loads the library once; NULL, or why it cannot be loaded. */
const char *sl_dnnl_load (void);

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

extern const int sl_dnn_role_args[SL_N_ROLES];

/* Says in ERROR that WHAT cannot be done, and returns FALSE. */
gboolean sl_dnn_fail (GError **error, const char *what, dnnl_status_t status);

/* A copy of MD, which belongs to the library; NULL where there is no memory. DNN keeps it. */
const SlLayout *sl_layout_copy (SlDnn *dnn, Md md);

/* ---- how a primitive is made ---- */

/* What is done to a result before it is stored, and where scratch memory comes from: the caller. */
dnnl_primitive_attr_t sl_primitive_attr (gboolean add, gboolean relu);

/* Takes DESC over, if STATUS says that it was made. */
SlPrimitive *sl_primitive_keep (SlDnn *dnn, const char *what, dnnl_status_t status,
                                dnnl_primitive_desc_t desc, GError **error);
