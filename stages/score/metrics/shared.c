/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metrics.h"

void
sl_shared_reset (SlShared *shared)
{
  shared->has_adaptive = shared->has_fixed = shared->has_classes = shared->has_bins = FALSE;
}

void
sl_shared_clear (SlShared *shared)
{
  sl_shared_reset (shared);
  g_clear_pointer (&shared->classes, g_free);
  sl_class_bins_clear (&shared->bins);
}
