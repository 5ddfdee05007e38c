/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "data.h"

/* Adds the mixtures of the table PATH to DATA's cases, and their labels to ROWS. A mixture of
 * several rows has one pool. */
gboolean sl_mixture_cases_read (SlTrainData *data, SlLabelRows *rows, const char *path,
                                GError **error);
