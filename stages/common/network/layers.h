/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layers: each appends to a program the steps that make its result, and those that make, from the
 * gradient with respect to the result, the gradients with respect to what it takes and to its
 * parameters. */
#pragma once

#include "program.h"

/* What NODE takes as number WHICH, for its backward steps: as it was kept, or made again where that
 * is a large value that its layer can make from others which are kept anyway. */
gboolean sl_program_recall (SlProgram *program, int node, int which, SlNetTensor *value,
                            GError **error);

/* PyTorch's. */
#define SL_NORM_EPSILON 1e-5f
#define SL_NORM_MOMENTUM 0.1f

typedef struct
{
  gboolean (*forward) (SlProgram *program, int node, GError **error);
  /* DY: the gradient with respect to the result, before the ReLU that it may end with. */
  gboolean (*backward) (SlProgram *program, int node, SlNetTensor dy, GError **error);
  /* For the backward steps: makes the value anew rather than keep it; or NULL. */
  gboolean (*again) (SlProgram *program, int node, SlNetTensor *value, GError **error);
} SlLayer;

extern const SlLayer sl_layer_input, sl_layer_convolution, sl_layer_batch_norm, sl_layer_relu,
    sl_layer_add, sl_layer_pool, sl_layer_linear, sl_layer_dropout, sl_layer_subsample,
    sl_layer_some_channels, sl_layer_concatenate, sl_layer_shake, sl_layer_pick, sl_layer_mix;

/* Indexed by SlLayerKind. */
extern const SlLayer *const sl_layers[SL_N_LAYERS];
