/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the paths of images say: items and classes. */
#pragma once

#include "image-list.h"

/* Finds the item and class of each of IMAGES, and leaves out those that --pattern or --class-map do
 * not know. */
gboolean sl_image_names_find (SlIngest *ingest, GPtrArray *images, gboolean *gold, GError **error);
