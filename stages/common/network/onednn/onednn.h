/* SPDX-License-Identifier: GPL-3.0-or-later */
/* oneDNN's primitives, as the layers use them: this room alone names the library,
 * and hides what differs between its versions 2 and 3. The library is loaded when the first network
 * is made, so no other verb pays for it.
 *
 * All that is made with an SlDnn lives as long as it. */
#pragma once

#include <glib.h>

typedef struct _SlDnn SlDnn;
typedef struct _SlLayout SlLayout;       /* how a tensor lies in memory */
typedef struct _SlPrimitive SlPrimitive; /* one operation on tensors of given layouts */

typedef enum
{
  SL_F32,
  SL_BF16,
} SlPrecision;

/* A tensor's part in an operation. */
typedef enum
{
  SL_SRC,
  SL_SRC_1, /* the second of an addition */
  SL_WEIGHTS,
  SL_BIAS,
  SL_DST,
  SL_DIFF_SRC,
  SL_DIFF_WEIGHTS,
  SL_DIFF_BIAS,
  SL_DIFF_DST,
  SL_MEAN,
  SL_VARIANCE,
  SL_SCALE,
  SL_SHIFT,
  SL_DIFF_SCALE,
  SL_DIFF_SHIFT,
  SL_WORKSPACE,
  SL_SCRATCHPAD,
  SL_N_ROLES,
} SlRole;

typedef enum
{
  SL_FORWARD_TRAINING, /* what the backward passes need is kept */
  SL_FORWARD,
  SL_BACKWARD_DATA,
  SL_BACKWARD_WEIGHTS,
} SlPass;

/* Loads the library if need be. THREADS: how many its operations run on. */
SlDnn *sl_dnn_new (int threads, GError **error);
void sl_dnn_free (SlDnn *dnn);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlDnn, sl_dnn_free)

/* How this processor computes in bfloat16, from the slowest way. */
typedef enum
{
  SL_BF16_NEVER,
  SL_BF16_BY_CONVERSION, /* AVX-512 without instructions for it */
  SL_BF16_BY_VECTORS,
  SL_BF16_BY_MATRICES, /* AMX */
} SlBf16;

typedef struct
{
  SlBf16 bf16;
  gboolean winograd; /* whether the library has Winograd's algorithm for this processor */
} SlDnnAbilities;

SlDnnAbilities sl_dnn_abilities (void);

/* Makes the calling thread run operations on the threads of DNN. */
void sl_dnn_use_threads (SlDnn *dnn);

const SlLayout *sl_layout_plain (SlDnn *dnn, int n_dims, const gint64 *dim, SlPrecision number);
/* Whichever suits the operation that is asked for it. */
const SlLayout *sl_layout_any (SlDnn *dnn, int n_dims, const gint64 *dim, SlPrecision number);
/* Of an image or a value of its size: with channels lying side by side as in LIKE. */
const SlLayout *sl_layout_like (SlDnn *dnn, const SlLayout *like, const gint64 *dim);
/* Of an image: all channels of a pixel side by side. */
const SlLayout *sl_layout_channels_last (SlDnn *dnn, const gint64 *dim, SlPrecision number);
SlPrecision sl_layout_number (const SlLayout *layout);
gsize sl_layout_bytes (const SlLayout *layout);
#define SL_MAX_DIMS 5
/* Its dimensions; returns how many. */
int sl_layout_dims (const SlLayout *layout, gint64 *dim);
gboolean sl_layout_equal (const SlLayout *a, const SlLayout *b);
/* Channels side by side: 16 in blocks of 16, all where channels come last, 1 of plain layouts. */
int sl_layout_block (const SlLayout *layout);

/* A function below gives NULL and an error where the library has no such operation. */

typedef struct
{
  int kernel, stride, pad, groups;
} SlWindow;

typedef enum
{
  SL_DIRECT,
  SL_WINOGRAD,
} SlAlgorithm;

/* dst = weights * src + bias, or a gradient of it. BIAS may be NULL. ADD: onto what dst holds;
 * RELU: then max (0, .). HINT: the forward operation, for a backward one. */
SlPrimitive *sl_convolution_primitive (SlDnn *dnn, SlPass pass, SlAlgorithm algorithm,
                                       const SlWindow *window, const SlLayout *src,
                                       const SlLayout *weights, const SlLayout *bias,
                                       const SlLayout *dst, gboolean add, gboolean relu,
                                       const SlPrimitive *hint, GError **error);

/* dst = weights src + bias over all of src's dimensions but the first, or a gradient of it. */
SlPrimitive *sl_linear_primitive (SlDnn *dnn, SlPass pass, const SlLayout *src,
                                  const SlLayout *weights, const SlLayout *bias,
                                  const SlLayout *dst, gboolean relu, const SlPrimitive *hint,
                                  GError **error);

/* dst = scale (src - mean) / sqrt (variance + epsilon) + shift, RELU: then max (0, .). GIVEN: mean
 * and variance are given, not taken from src. Backward, in either pass, it makes the gradients with
 * respect to src, scale and shift. */
SlPrimitive *sl_batch_norm_primitive (SlDnn *dnn, SlPass pass, const SlLayout *src, float epsilon,
                                      gboolean given, gboolean relu, const SlPrimitive *hint,
                                      GError **error);
/* Whether SL_SHIFT is a part of the backward operation: one version of the library asks for it. */
extern const gboolean sl_batch_norm_backward_takes_shift;

/* The largest or the mean in each window. */
SlPrimitive *sl_pool_primitive (SlDnn *dnn, SlPass pass, gboolean largest, const SlWindow *window,
                                const SlLayout *src, const SlLayout *dst, const SlPrimitive *hint,
                                GError **error);

/* max (0, src). Backward: SL_DST is the forward result. */
SlPrimitive *sl_relu_primitive (SlDnn *dnn, SlPass pass, const SlLayout *layout,
                                const SlPrimitive *hint, GError **error);

/* dst = src + src_1, RELU: then max (0, .). */
SlPrimitive *sl_add_primitive (SlDnn *dnn, const SlLayout *layout, gboolean relu, GError **error);

/* dst = src, in dst's layout and numbers. */
SlPrimitive *sl_reorder_primitive (SlDnn *dnn, const SlLayout *src, const SlLayout *dst,
                                   GError **error);

/* The layout of a part of PRIMITIVE; NULL where it has no such part. */
const SlLayout *sl_primitive_layout (SlPrimitive *primitive, SlRole role);
/* The library's name of the kernel that was chosen. */
const char *sl_primitive_kernel (const SlPrimitive *primitive);

/* One call of a primitive, with memory for its parts. */
typedef struct _SlCall SlCall;
SlCall *sl_call_new (SlPrimitive *primitive, GError **error);
gboolean sl_call_bind (SlCall *call, SlRole role, void *memory, GError **error);
gboolean sl_call_run (SlCall *call, GError **error);
