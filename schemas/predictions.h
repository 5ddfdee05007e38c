/* SPDX-License-Identifier: GPL-3.0-or-later */
/* predictions: one row is what one model says of one example. */
#pragma once

#include "kinds.h"

/* Whether TABLE has predictions of attacked or corrupted examples, not of examples as they are. */
gboolean sl_predictions_are_changed (const SlTable *table);

/* The invariants of rows. */
gboolean sl_predictions_check_rows (const SlBatch *batch, GError **error);
