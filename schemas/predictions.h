/* SPDX-License-Identifier: GPL-3.0-or-later */
/* predictions: one row is what one model says of one example. */
#pragma once

#include "kinds.h"

/* Whether TABLE has predictions of attacked or corrupted examples, not of examples as they are. */
gboolean sl_predictions_are_changed (const SlTable *table);

/* Refuses TABLE, read from NAME, unless each row is what a model says of an item's classes, as the
 * item is. Tables of other kinds pass. */
gboolean sl_predictions_of_items (const SlTable *table, const char *name, GError **error);

/* The invariants of rows. */
gboolean sl_predictions_check_rows (const SlBatch *batch, GError **error);
