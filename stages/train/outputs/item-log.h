/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "stages/train/data/data.h"
#include "item-figures.h"

/* Begins ITEMS if --item-log asks for them. *WORTH: what annotators are worth, where that is known,
 * to be freed with g_free(). */
gboolean sl_item_log_begin (SlItemFigures *items, SlTrainData *data, double **worth,
                            GError **error);
