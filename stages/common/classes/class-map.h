/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two tables' classes. */
#pragma once

#include "pipeline/files/reader.h"

/* READER's classes as numbers of those of CLASSES, to be freed; NULL and ERROR where they are not
 * the same ones. */
gint32 *sl_class_map (SlReader *reader, const SlTable *classes, GError **error);
