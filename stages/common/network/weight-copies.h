/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Weights in the layouts that operations want, beside the plain ones that are trained. */
#pragma once

#include "program.h"

void sl_weight_copy_free (gpointer copy);

/* Bytes that those of SHARED take, or will take. */
gsize sl_weight_copies_bytes (const SlProgramShared *shared);

/* Says of all of them that the parameters have changed. */
void sl_weight_copies_stale (SlProgramShared *shared);

/* Brings those that PROGRAM uses up to date. */
gboolean sl_weight_copies_refresh (SlProgram *program, GError **error);

/* The same of those into which a batch normalisation is folded. */
void sl_weight_copies_stale_folded (SlProgramShared *shared);
