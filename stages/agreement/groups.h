/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What annotators of each group say, by an attribute of theirs: agreement --group. */
#pragma once

#include "all-figures.h"

typedef struct
{
  int column; /* of the answers' table; -1: there are to be no groups */
  const char *key;
  const char *source; /* for messages */
  SlAnnotatorTags tags;
  gint64 permutations;
} SlAgreementGroups;

/* For SlGathering.each, of a batch of answers. */
gboolean sl_agreement_groups_add (SlAgreementGroups *groups, SlBatch *batch, GError **error);

/* Adds to SCORES how far annotators of CROWD's groups agree within and between them, and then the
 * coefficients of each group's own answers. */
gboolean sl_agreement_groups_figures (const SlAgreementGroups *groups, SlGathering *crowd,
                                      const SlAgreed *agreed, const SlIntervalPlan *plan,
                                      GArray *scores, GError **error);
