/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The images of some folders, each with the name of its item and its class. */
#pragma once

#include "stages/ingest/ingestion.h"

/* What of an image's path is its item. */
typedef enum
{
  SL_ITEM_NAME, /* a.png of cat/a.png */
  SL_ITEM_PATH, /* cat/a.png, below the folder that was named */
  SL_ITEM_STEM, /* a */
} SlItemPart;

typedef struct
{
  char *path;
  const char *below; /* in it: the part behind the folder that was named */
  gboolean named;    /* the file itself was named, not its folder */
  char *item;
  gint32 gold; /* -1: not known */
  gint32 width, height;
  int channels;
  char *wrong; /* why it cannot be read; NULL: nothing */
} SlImage;

/* --pattern compiled, or NULL and ERROR. */
GRegex *sl_image_pattern (const char *pattern, GError **error);

/* All of INGEST's folders and files, in the order in which they are named, those of a folder in the
 * order of their paths' bytes. Where INGEST has no classes, they become those found. *GOLD: some
 * have a class. */
GPtrArray *sl_image_list (SlIngest *ingest, gboolean *gold, GError **error);
