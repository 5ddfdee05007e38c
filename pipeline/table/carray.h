/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays made from our own memory, by the Arrow C data interface: it is the one way in Arrow GLib
 * in which the array owns its memory for good (garrow_buffer_new_bytes() ties it to a GObject that
 * the C++ side does not know of). */
#pragma once

#include "pipeline/arrow/arrow-types.h"
#include <arrow/c/abi.h>

/* Memory for a buffer: 64-byte aligned, never NULL, to be handed to an array. */
gpointer sl_buffer_new (gsize bytes);

/* ARRAY becomes an array of LENGTH with room for BUFFERS (of sl_buffer_new(), or NULL) and
 * CHILDREN, all of which it owns. */
void sl_carray_init (struct ArrowArray *array, gint64 length, int buffers, int children);
void sl_carray_set (struct ArrowArray *array, int buffer, gpointer memory);

/* A buffer of LENGTH bits from bytes; *N_CLEAR counts the zeros. */
gpointer sl_bits_new (const guint8 *bytes, gint64 length, gint64 *n_clear);
void sl_bits_to_bytes (const guint8 *bits, gint64 offset, gint64 length, guint8 *bytes);

/* TEXTS as a utf8 array, for dictionaries. */
void sl_carray_init_texts (struct ArrowArray *array, char *const *texts, gint64 n);

/* Moves ARRAY into a dictionary slot of PARENT; ditto for a child. */
void sl_carray_take_dictionary (struct ArrowArray *parent, struct ArrowArray *array);
void sl_carray_take_child (struct ArrowArray *parent, int i, struct ArrowArray *array);

/* The array behind a GArrowArray; to be released by its callback. Where it is empty it has buffers
 * none the less, of a few zeros. */
gboolean sl_carray_export (GArrowArray *array, struct ArrowArray *out, GError **error);
void sl_carray_release (struct ArrowArray *array);
