/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Channels of images, copied from one tensor to another of the same kind of layout. */
#pragma once

#include "stages/common/network/program.h"

typedef struct
{
  int channels, block; /* block: how many lie side by side, sl_layout_block () */
  int first;           /* the first of those that are copied */
} SlChannelsOf;

typedef struct
{
  gsize area;  /* height × width */
  gsize width; /* bytes a number */
  int count;   /* channels copied */
  SlChannelsOf from, to;
  gboolean others_zero; /* the other channels of the result become 0 */
} SlChannels;

/* Appends the step that copies COUNT channels of FROM, from number FROM_FIRST on, to TO, from
 * number TO_FIRST on. */
void sl_copy_channels (SlProgram *program, SlNetTensor from, int from_first, SlNetTensor to,
                       int to_first, int count, gboolean others_zero);
