/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The images of the few items that a page shows, from tables of features. */
#pragma once

#include "schemas/features.h"

#include <glib.h>

typedef struct _SlPictures SlPictures;

SlPictures *sl_pictures_new (void);
void sl_pictures_free (SlPictures *pictures);

/* Before the features are read: this item will be shown. */
void sl_pictures_want (SlPictures *pictures, const char *item);

/* Whether tables of features have images: 1 or 3 channels, height and width. */
gboolean sl_pictures_fit (const SlTable *features);

void sl_pictures_take (SlPictures *pictures, const SlBatch *features);

/* Whether any item that is wanted has one. */
gboolean sl_pictures_any (const SlPictures *pictures);

/* Appends the <img> of ITEM, if there is one. */
void sl_pictures_append (const SlPictures *pictures, GString *out, const char *item);

/* The same as a cell of a table, empty where there is none. */
void sl_pictures_append_cell (const SlPictures *pictures, GString *out, const char *item);

/* Appends a data: URI of a PNG. PLANES[n_planes][height][width], 1 (grey) or 3 (red, green, blue)
 * of them. What is larger than 96 pixels either way is made smaller by a whole number, each pixel
 * the mean of those that it stands for. The PNG is not compressed: its bytes then depend on no
 * library's version. */
void sl_picture_append (GString *out, const guint8 *planes, int n_planes, int height, int width);

/* Numbers as such pixels: OUT[n], 0 for the least and 255 for the largest of VALUES[n]. */
void sl_picture_stretch (const float *values, gsize n, guint8 *out);
