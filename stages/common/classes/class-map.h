/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two tables' classes. */
#pragma once

#include "pipeline/files/reader.h"

/* READER's classes as numbers of those of CLASSES, to be freed, by sl_class_map_alike(); NULL and
 * ERROR where they are not the same ones. */
gint32 *sl_class_map (SlReader *reader, const SlTable *classes, GError **error);

/* TABLE's classes as numbers of CLASSES[n], to be freed; -1: none of them. A name that is not there
 * as it is stands for the one that looks like it, where there is but one such on either side:
 * airplane for Airplane. */
gint32 *sl_class_map_alike (const SlTable *table, char *const *classes, gint32 n);
