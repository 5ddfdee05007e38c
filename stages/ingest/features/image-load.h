/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One image file as an example: planes of bytes. */
#pragma once

#include "image-list.h"

/* Choices of --fit. */
typedef enum
{
  SL_FIT_STRETCH, /* to the new shape */
  SL_FIT_CROP,    /* the largest part of that shape in the middle, made as large */
} SlFit;

/* The form that images are brought to. */
typedef struct
{
  gint32 width, height;
  int channels;
  gboolean crop; /* see SlFit; without it they are stretched */
} SlImageForm;

/* Looks at the file's first bytes: size and channels, or what is wrong, become IMAGE's. */
void sl_image_measure (SlImage *image);

/* PLANES[channels][height][width] become those of IMAGE, or image->wrong says why not. */
void sl_image_load (SlImage *image, const SlImageForm *form, guint8 *planes);

/* Bytes that sl_image_load() takes meanwhile, for an image like this. */
gsize sl_image_load_bytes (const SlImage *image, const SlImageForm *form);
