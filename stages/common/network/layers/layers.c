/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stages/common/network/layers.h"

const SlLayer *const sl_layers[SL_N_LAYERS] = {
  [SL_LAYER_INPUT] = &sl_layer_input,
  [SL_LAYER_CONVOLUTION] = &sl_layer_convolution,
  [SL_LAYER_BATCH_NORM] = &sl_layer_batch_norm,
  [SL_LAYER_RELU] = &sl_layer_relu,
  [SL_LAYER_ADD] = &sl_layer_add,
  [SL_LAYER_POOL] = &sl_layer_pool,
  [SL_LAYER_LINEAR] = &sl_layer_linear,
  [SL_LAYER_DROPOUT] = &sl_layer_dropout,
  [SL_LAYER_SUBSAMPLE] = &sl_layer_subsample,
  [SL_LAYER_SOME_CHANNELS] = &sl_layer_some_channels,
  [SL_LAYER_CONCATENATE] = &sl_layer_concatenate,
  [SL_LAYER_SHAKE] = &sl_layer_shake,
  [SL_LAYER_PICK] = &sl_layer_pick,
  [SL_LAYER_MIX] = &sl_layer_mix,
};
