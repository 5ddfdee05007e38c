/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table of features in memory, with the items' names. */
#pragma once

#include "pipeline/base/intern/intern.h"
#include "pipeline/command/run.h"
#include "label-rows.h"

typedef struct
{
  SlExamples examples;
  SlIntern *items;
  SlTable *table;    /* the header */
  GPtrArray *blocks; /* of SlBatch, whose memory the examples are in */
} SlFeatureSet;

/* Reads the table PATH, which OPTION names. */
gboolean sl_feature_set_read (SlFeatureSet *set, SlRun *run, const char *option, const char *path,
                              GError **error);

/* Gold classes of SET, which OPTION names, become numbers of CLASSES[k], whatever the case of
 * their letters; -1 where they are none of them, which is told. */
void sl_feature_set_map_gold (SlFeatureSet *set, SlRun *run, const char *option,
                              char *const *classes, gsize k);

void sl_feature_set_clear (SlFeatureSet *set);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlFeatureSet, sl_feature_set_clear)
