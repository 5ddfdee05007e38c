/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of classes, given or found. */
#pragma once

#include "pipeline/base/intern/intern.h"
#include "pipeline/base/sorted-names.h"

/* With more distinct answers than this, the column of the class is hardly the right one. */
#define SL_MAX_CLASSES 65536

/* LIST is a,b,c; FILE has a class a line; at most one is not NULL. *CLASSES is NULL if both are. */
gboolean sl_classes_given (const char *list, const char *file, char ***classes, GError **error);

/* The classes of OPTION, whose value LIST is a,b,c; NULL and ERROR where they cannot be that. */
char **sl_classes_listed (const char *option, const char *list, GError **error);

SlIntern *sl_classes_intern (char *const *classes);

/* Class names, upper and lower case alike: codes in order of appearance, each as first spelled. */
typedef struct
{
  SlIntern *folded;
  GPtrArray *names;
} SlFolded;

/* CLASSES NULL: none yet; IS_FILE: of --classes-from, so a mistake in them is the file's. */
SlFolded *sl_folded_new (char *const *classes, gboolean is_file, GError **error);
void sl_folded_free (SlFolded *folded);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlFolded, sl_folded_free)
gint32 sl_folded_code (SlFolded *folded, const char *name, gboolean learn);
