/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The images of the few items that a page shows, from tables of features. */
#pragma once

#include "schemas/features.h"

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
