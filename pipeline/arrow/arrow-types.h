/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names of Arrow GLib's types, for headers that hand such objects on without looking into them.
 *
 * <arrow-glib/arrow-glib.h> is most of a file's time to compile: the few files that use what is in
 * these objects include it themselves. */
#pragma once

#include <gio/gio.h>

typedef struct _GArrowArray GArrowArray;
typedef struct _GArrowDataType GArrowDataType;
typedef struct _GArrowDictionaryArray GArrowDictionaryArray;
typedef struct _GArrowField GArrowField;
typedef struct _GArrowRecordBatch GArrowRecordBatch;
typedef struct _GArrowSchema GArrowSchema;
