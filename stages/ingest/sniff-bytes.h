/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formats that are told by a file's first bytes, or by the names in a folder. */
#pragma once

#include "pipeline/text/source.h"

typedef struct
{
  const char *format, *why; /* NULL: nothing tells */
} SlGuess;

/* Of what is neither JSON nor CSV. */
SlGuess sl_sniff_bytes (SlSource *source);

/* Whether PATH is an image, or a folder with images and no files of data. */
gboolean sl_sniff_is_images (const char *path);
