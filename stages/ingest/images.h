/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Choices of --fit. */
#pragma once

typedef enum
{
  SL_FIT_STRETCH, /* to the new shape */
  SL_FIT_CROP,    /* the largest part of that shape in the middle, made as large */
} SlFit;
