/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small images side by side: m of them, with columns of zeros in between, become one wide image. A
 * convolution of it gives theirs, and columns that nobody looks at: an image sees zeros beyond its
 * border, as it does alone. Kernels that go through all weights for each image do so for m at a
 * time, and registers of 16 pixels are filled. */
#pragma once

#include "stages/common/network/program.h"

/* N images of WIDTH columns as rows of COUNT, each beginning PITCH columns after the one before it.
 */
typedef struct
{
  int n, count, width, pitch;
} SlBeside;

/* The wide images of TENSOR. */
SlTensor sl_beside_put (SlProgram *program, SlTensor tensor, const SlBeside *how, GError **error);
/* The layout of such images with CHANNELS and HEIGHT. */
const SlLayout *sl_beside_layout (SlProgram *program, const SlBeside *how, const SlLayout *like,
                                  int channels, int height);
/* The single images of WIDE. */
SlTensor sl_beside_take (SlProgram *program, SlTensor wide, const SlBeside *how);
