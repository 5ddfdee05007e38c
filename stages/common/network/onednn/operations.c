/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One function for each operation, which describes it to oneDNN: versions 2 and 3 have different
 * functions for it. */
#include "library.h"

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
  return sl_dnnl.dnnl_primitive_desc_create (made, described, attr, dnn->engine, desc_of (hint));
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
  dnnl_primitive_attr_t attr = sl_primitive_attr (add, relu);
  dnnl_alg_kind_t kind = convolution_kind (algorithm);
  dnnl_dims_t stride = { window->stride, window->stride }, pad = { window->pad, window->pad };
  dnnl_primitive_desc_t desc = NULL;
  dnnl_status_t status;
#if VERSION_3
  dnnl_dims_t dilation = { 0, 0 };
  if (pass == SL_BACKWARD_DATA)
    status = sl_dnnl.dnnl_convolution_backward_data_primitive_desc_create (
        &desc, dnn->engine, kind, MD (src), MD (weights), MD (dst), stride, dilation, pad, pad,
        desc_of (hint), attr);
  else if (pass == SL_BACKWARD_WEIGHTS)
    status = sl_dnnl.dnnl_convolution_backward_weights_primitive_desc_create (
        &desc, dnn->engine, kind, MD (src), MD (weights), MD (bias), MD (dst), stride, dilation,
        pad, pad, desc_of (hint), attr);
  else
    status = sl_dnnl.dnnl_convolution_forward_primitive_desc_create (
        &desc, dnn->engine, prop_kind (pass), kind, MD (src), MD (weights), MD (bias), MD (dst),
        stride, dilation, pad, pad, attr);
#else
  dnnl_convolution_desc_t op;
  if (pass == SL_BACKWARD_DATA)
    status = sl_dnnl.dnnl_convolution_backward_data_desc_init (&op, kind, MD (src), MD (weights),
                                                               MD (dst), stride, pad, pad);
  else if (pass == SL_BACKWARD_WEIGHTS)
    status = sl_dnnl.dnnl_convolution_backward_weights_desc_init (
        &op, kind, MD (src), MD (weights), MD (bias), MD (dst), stride, pad, pad);
  else
    status = sl_dnnl.dnnl_convolution_forward_desc_init (
        &op, prop_kind (pass), kind, MD (src), MD (weights), MD (bias), MD (dst), stride, pad, pad);
  status = finish (status, &desc, &op, attr, dnn, hint);
#endif
  sl_dnnl.dnnl_primitive_attr_destroy (attr);
  return sl_primitive_keep (dnn, "this convolution", status, desc, error);
}

SlPrimitive *
sl_linear_primitive (SlDnn *dnn, SlPass pass, const SlLayout *src, const SlLayout *weights,
                     const SlLayout *bias, const SlLayout *dst, gboolean relu,
                     const SlPrimitive *hint, GError **error)
{
  dnnl_primitive_attr_t attr = sl_primitive_attr (FALSE, relu);
  dnnl_primitive_desc_t desc = NULL;
  dnnl_status_t status;
#if VERSION_3
  if (pass == SL_BACKWARD_DATA)
    status = sl_dnnl.dnnl_inner_product_backward_data_primitive_desc_create (
        &desc, dnn->engine, MD (src), MD (weights), MD (dst), desc_of (hint), attr);
  else if (pass == SL_BACKWARD_WEIGHTS)
    status = sl_dnnl.dnnl_inner_product_backward_weights_primitive_desc_create (
        &desc, dnn->engine, MD (src), MD (weights), MD (bias), MD (dst), desc_of (hint), attr);
  else
    status = sl_dnnl.dnnl_inner_product_forward_primitive_desc_create (
        &desc, dnn->engine, prop_kind (pass), MD (src), MD (weights), MD (bias), MD (dst), attr);
#else
  dnnl_inner_product_desc_t op;
  if (pass == SL_BACKWARD_DATA)
    status = sl_dnnl.dnnl_inner_product_backward_data_desc_init (&op, MD (src), MD (weights),
                                                                 MD (dst));
  else if (pass == SL_BACKWARD_WEIGHTS)
    status = sl_dnnl.dnnl_inner_product_backward_weights_desc_init (&op, MD (src), MD (weights),
                                                                    MD (bias), MD (dst));
  else
    status = sl_dnnl.dnnl_inner_product_forward_desc_init (&op, prop_kind (pass), MD (src),
                                                           MD (weights), MD (bias), MD (dst));
  status = finish (status, &desc, &op, attr, dnn, hint);
#endif
  sl_dnnl.dnnl_primitive_attr_destroy (attr);
  return sl_primitive_keep (dnn, "this matrix product", status, desc, error);
}

SlPrimitive *
sl_batch_norm_primitive (SlDnn *dnn, SlPass pass, const SlLayout *src, float epsilon,
                         gboolean given, gboolean relu, const SlPrimitive *hint, GError **error)
{
  dnnl_primitive_attr_t attr = sl_primitive_attr (FALSE, FALSE);
  unsigned flags = dnnl_use_scale | dnnl_use_shift;
  flags |= given ? dnnl_use_global_stats : 0;
  flags |= relu ? dnnl_fuse_norm_relu : 0;
  gboolean backward = pass == SL_BACKWARD_DATA || pass == SL_BACKWARD_WEIGHTS;
  dnnl_prop_kind_t kind = backward ? dnnl_backward : prop_kind (pass);
  dnnl_primitive_desc_t desc = NULL;
  dnnl_status_t status;
#if VERSION_3
  if (backward)
    status = sl_dnnl.dnnl_batch_normalization_backward_primitive_desc_create (
        &desc, dnn->engine, kind, MD (src), MD (src), MD (src), epsilon, flags, desc_of (hint),
        attr);
  else
    status = sl_dnnl.dnnl_batch_normalization_forward_primitive_desc_create (
        &desc, dnn->engine, kind, MD (src), MD (src), epsilon, flags, attr);
#else
  dnnl_batch_normalization_desc_t op;
  if (backward)
    status = sl_dnnl.dnnl_batch_normalization_backward_desc_init (&op, kind, MD (src), MD (src),
                                                                  epsilon, flags);
  else
    status
        = sl_dnnl.dnnl_batch_normalization_forward_desc_init (&op, kind, MD (src), epsilon, flags);
  status = finish (status, &desc, &op, attr, dnn, hint);
#endif
  sl_dnnl.dnnl_primitive_attr_destroy (attr);
  return sl_primitive_keep (dnn, "this batch normalisation", status, desc, error);
}

const gboolean sl_batch_norm_backward_takes_shift = !VERSION_3;

SlPrimitive *
sl_pool_primitive (SlDnn *dnn, SlPass pass, gboolean largest, const SlWindow *window,
                   const SlLayout *src, const SlLayout *dst, const SlPrimitive *hint,
                   GError **error)
{
  dnnl_primitive_attr_t attr = sl_primitive_attr (FALSE, FALSE);
  dnnl_alg_kind_t kind = largest ? dnnl_pooling_max : dnnl_pooling_avg_exclude_padding;
  dnnl_dims_t size = { window->kernel, window->kernel }, pad = { window->pad, window->pad };
  dnnl_dims_t stride = { window->stride, window->stride };
  dnnl_primitive_desc_t desc = NULL;
  dnnl_status_t status;
#if VERSION_3
  dnnl_dims_t dilation = { 0, 0 };
  if (pass == SL_BACKWARD_DATA)
    status = sl_dnnl.dnnl_pooling_backward_primitive_desc_create (
        &desc, dnn->engine, kind, MD (src), MD (dst), stride, size, dilation, pad, pad,
        desc_of (hint), attr);
  else
    status = sl_dnnl.dnnl_pooling_forward_primitive_desc_create (
        &desc, dnn->engine, prop_kind (pass), kind, MD (src), MD (dst), stride, size, dilation, pad,
        pad, attr);
#else
  dnnl_pooling_desc_t op;
  if (pass == SL_BACKWARD_DATA)
    status = sl_dnnl.dnnl_pooling_backward_desc_init (&op, kind, MD (src), MD (dst), stride, size,
                                                      pad, pad);
  else
    status = sl_dnnl.dnnl_pooling_forward_desc_init (&op, prop_kind (pass), kind, MD (src),
                                                     MD (dst), stride, size, pad, pad);
  status = finish (status, &desc, &op, attr, dnn, hint);
#endif
  sl_dnnl.dnnl_primitive_attr_destroy (attr);
  return sl_primitive_keep (dnn, "this pooling", status, desc, error);
}

SlPrimitive *
sl_relu_primitive (SlDnn *dnn, SlPass pass, const SlLayout *layout, const SlPrimitive *hint,
                   GError **error)
{
  dnnl_primitive_attr_t attr = sl_primitive_attr (FALSE, FALSE);
  /* Asked of its result, so that its input need not be kept. */
  dnnl_alg_kind_t kind = dnnl_eltwise_relu_use_dst_for_bwd;
  Md md = MD (layout);
  dnnl_primitive_desc_t desc = NULL;
  dnnl_status_t status;
#if VERSION_3
  if (pass == SL_BACKWARD_DATA)
    status = sl_dnnl.dnnl_eltwise_backward_primitive_desc_create (&desc, dnn->engine, kind, md, md,
                                                                  md, 0, 0, desc_of (hint), attr);
  else
    status = sl_dnnl.dnnl_eltwise_forward_primitive_desc_create (
        &desc, dnn->engine, prop_kind (pass), kind, md, md, 0, 0, attr);
#else
  dnnl_eltwise_desc_t op;
  if (pass == SL_BACKWARD_DATA)
    status = sl_dnnl.dnnl_eltwise_backward_desc_init (&op, kind, md, md, 0, 0);
  else
    status = sl_dnnl.dnnl_eltwise_forward_desc_init (&op, prop_kind (pass), kind, md, 0, 0);
  status = finish (status, &desc, &op, attr, dnn, hint);
#endif
  sl_dnnl.dnnl_primitive_attr_destroy (attr);
  return sl_primitive_keep (dnn, "this ReLU", status, desc, error);
}

SlPrimitive *
sl_add_primitive (SlDnn *dnn, const SlLayout *layout, gboolean relu, GError **error)
{
  dnnl_primitive_attr_t attr = sl_primitive_attr (FALSE, relu);
  Md md = MD (layout);
  dnnl_primitive_desc_t desc = NULL;
#if VERSION_3
  dnnl_status_t status = sl_dnnl.dnnl_binary_primitive_desc_create (
      &desc, dnn->engine, dnnl_binary_add, md, md, md, attr);
#else
  dnnl_binary_desc_t op;
  dnnl_status_t status = sl_dnnl.dnnl_binary_desc_init (&op, dnnl_binary_add, md, md, md);
  status = finish (status, &desc, &op, attr, dnn, NULL);
#endif
  sl_dnnl.dnnl_primitive_attr_destroy (attr);
  return sl_primitive_keep (dnn, "this addition", status, desc, error);
}

/* Its scratch memory, if it needs any, is the library's: weights are reordered outside of a
 * program's steps. */
SlPrimitive *
sl_reorder_primitive (SlDnn *dnn, const SlLayout *src, const SlLayout *dst, GError **error)
{
  dnnl_primitive_desc_t desc = NULL;
  dnnl_status_t status = sl_dnnl.dnnl_reorder_primitive_desc_create (&desc, MD (src), dnn->engine,
                                                                     MD (dst), dnn->engine, NULL);
  return sl_primitive_keep (dnn, "this change of layout", status, desc, error);
}
