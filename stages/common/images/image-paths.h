/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The image files of a folder, by their names. */
#pragma once

#include "pipeline/command/run.h"

typedef struct
{
  gint64 n_other; /* files that are no images, by their names */
  char *other;    /* the first of them; to be freed */
} SlOtherFiles;

/* The paths (char *) of all .png, .jpg and .jpeg files below FOLDER, at any depth, in the order of
 * their bytes; files whose names begin with a dot are left out. *SKIP: where in each path the part
 * below FOLDER begins. NULL and ERROR where there is none. Adds to OTHERS. */
GPtrArray *sl_image_paths (SlRun *run, const char *folder, gsize *skip, SlOtherFiles *others,
                           GError **error);

/* Warns of OTHERS, if there are any. */
void sl_image_paths_tell (SlRun *run, const SlOtherFiles *others);
