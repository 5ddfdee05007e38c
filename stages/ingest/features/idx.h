/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of MNIST's format (LeCun, Cortes & Burges): two zeros, a type, a number of dimensions,
 * their sizes and the numbers, all big-endian. */
#pragma once

#include "stages/common/files/npy.h"

/* Whether HEAD[4] may begin such a file. */
gboolean sl_idx_begins (const guint8 *head);

/* Reads what comes before the numbers. */
gboolean sl_idx_read_header (SlSource *source, SlNpy *idx, GError **error);
