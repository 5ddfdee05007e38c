/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an attack leads away from: an item's mean label, or its gold class. */
#pragma once

#include "pipeline/base/intern/intern.h"
#include "pipeline/command/run.h"

typedef struct
{
  SlIntern *items; /* NULL: gold classes alone */
  gsize k;
  GArray *sum; /* double [items][k]: of labels by weight */
} SlAttackTargets;

/* PATH: a table of labels about CLASSES[k]; NULL: there is none. */
gboolean sl_attack_targets_init (SlAttackTargets *targets, SlRun *run, const char *path,
                                 char *const *classes, gsize k, GError **error);
void sl_attack_targets_clear (SlAttackTargets *targets);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlAttackTargets, sl_attack_targets_clear)

/* out[k] <- the target of the item NAME[length] with GOLD (or -1); FALSE where there is none. */
gboolean sl_attack_target (const SlAttackTargets *targets, const char *name, gsize length,
                           gint32 gold, float *out);
