/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two tables' classes. */
#pragma once

#include "pipeline/files/reader.h"

/* READER's classes as numbers of those of CLASSES, to be freed, by sl_class_map_alike(); NULL and
 * ERROR where they are not the same ones. */
gint32 *sl_class_map (SlReader *reader, const SlTable *classes, GError **error);

/* The same of two tables' headers, which messages call NAME and OTHER_NAME. */
gint32 *sl_class_map_named (const SlTable *own, const char *name, const SlTable *other,
                            const char *other_name, GError **error);

/* Whether MAP[n] gives a class another number. */
gboolean sl_class_map_moves (const gint32 *map, gint32 n);

/* TABLE's classes as numbers of CLASSES[n], to be freed; -1: none of them. A name that is not there
 * as it is stands for the one of its spelling (look-alikes.h), where there is but one such on
 * either side: airplane for Airplane. */
gint32 *sl_class_map_alike (const SlTable *table, char *const *classes, gint32 n);
