/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layouts: where in memory the numbers of a tensor are. */
#include "library.h"

static const SlLayout *
keep_layout (SlDnn *dnn, const SlLayout *made)
{
  SlLayout *layout = g_new (SlLayout, 1);
  *layout = *made;
  g_ptr_array_add (dnn->layouts, layout);
  return layout;
}

/* A copy of MD, which belongs to the sl_dnnl. */
const SlLayout *
sl_layout_copy (SlDnn *dnn, Md md)
{
  SlLayout layout;
#if VERSION_3
  if (sl_dnnl.dnnl_memory_desc_clone (&layout.md, md) != dnnl_success)
    return NULL;
#else
  layout.md = *md;
#endif
  return keep_layout (dnn, &layout);
}

static dnnl_data_type_t
data_type (SlPrecision number)
{
  return number == SL_BF16 ? dnnl_bf16 : dnnl_f32;
}

const SlLayout *
sl_layout_plain (SlDnn *dnn, int n_dims, const gint64 *dim, SlPrecision number)
{
  SlLayout layout;
  gint64 stride[DNNL_MAX_NDIMS];
  for (int i = n_dims; i-- > 0;)
    stride[i] = i == n_dims - 1 ? 1 : stride[i + 1] * dim[i + 1];
#if VERSION_3
  dnnl_status_t status = sl_dnnl.dnnl_memory_desc_create_with_strides (&layout.md, n_dims, dim,
                                                                       data_type (number), stride);
#else
  dnnl_status_t status = sl_dnnl.dnnl_memory_desc_init_by_strides (&layout.md, n_dims, dim,
                                                                   data_type (number), stride);
#endif
  g_assert (status == dnnl_success);
  return keep_layout (dnn, &layout);
}

const SlLayout *
sl_layout_any (SlDnn *dnn, int n_dims, const gint64 *dim, SlPrecision number)
{
  SlLayout layout;
#if VERSION_3
  dnnl_status_t status = sl_dnnl.dnnl_memory_desc_create_with_tag (
      &layout.md, n_dims, dim, data_type (number), dnnl_format_tag_any);
#else
  dnnl_status_t status = sl_dnnl.dnnl_memory_desc_init_by_tag (
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
  sl_dnnl.dnnl_memory_desc_query (layout->md, dnnl_query_inner_nblks_s32, &n_blocks);
  sl_dnnl.dnnl_memory_desc_query (layout->md, dnnl_query_inner_blks, &blocks);
  sl_dnnl.dnnl_memory_desc_query (layout->md, dnnl_query_strides, &stride);
  sl_dnnl.dnnl_memory_desc_query (layout->md, dnnl_query_dims, &dim);
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

SlPrecision
sl_layout_number (const SlLayout *layout)
{
#if VERSION_3
  dnnl_data_type_t type = dnnl_data_type_undef;
  sl_dnnl.dnnl_memory_desc_query (layout->md, dnnl_query_data_type, &type);
#else
  dnnl_data_type_t type = layout->md.data_type;
#endif
  return type == dnnl_bf16 ? SL_BF16 : SL_F32;
}

static const SlLayout *
blocked (SlDnn *dnn, int block, const gint64 *dim, SlPrecision number)
{
  dnnl_format_tag_t tag = block == 16  ? dnnl_nChw16c
                          : block == 8 ? dnnl_nChw8c
                          : block == 4 ? dnnl_nChw4c
                          : block == 1 ? dnnl_nchw
                                       : dnnl_nhwc;
  SlLayout layout;
#if VERSION_3
  dnnl_status_t status
      = sl_dnnl.dnnl_memory_desc_create_with_tag (&layout.md, 4, dim, data_type (number), tag);
#else
  dnnl_status_t status
      = sl_dnnl.dnnl_memory_desc_init_by_tag (&layout.md, 4, dim, data_type (number), tag);
#endif
  g_assert (status == dnnl_success);
  return keep_layout (dnn, &layout);
}

const SlLayout *
sl_layout_like (SlDnn *dnn, const SlLayout *like, const gint64 *dim)
{
  gint64 own[SL_MAX_DIMS];
  if (sl_layout_dims (like, own) == 2)
    return sl_layout_plain (dnn, 2, dim, sl_layout_number (like));
  return blocked (dnn, channels_last (like) ? 0 : sl_layout_block (like), dim,
                  sl_layout_number (like));
}

const SlLayout *
sl_layout_channels_last (SlDnn *dnn, const gint64 *dim, SlPrecision number)
{
  return blocked (dnn, 0, dim, number);
}

gsize
sl_layout_bytes (const SlLayout *layout)
{
  return sl_dnnl.dnnl_memory_desc_get_size (MD (layout));
}

gboolean
sl_layout_equal (const SlLayout *a, const SlLayout *b)
{
  return sl_dnnl.dnnl_memory_desc_equal (MD (a), MD (b));
}

int
sl_layout_dims (const SlLayout *layout, gint64 *dim)
{
#if VERSION_3
  int n_dims = 0;
  dnnl_dims_t *dims = NULL;
  sl_dnnl.dnnl_memory_desc_query (layout->md, dnnl_query_ndims_s32, &n_dims);
  sl_dnnl.dnnl_memory_desc_query (layout->md, dnnl_query_dims, &dims);
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
