/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known beforehand, from the files that options name: gold classes, a model's predictions,
 * annotators' confusion, what mistakes cost. Files are opened before the first answer is read, so
 * that their history is recorded and a wrong name is found at once; they are read after the last,
 * when items and annotators have their numbers. */
#pragma once

#include "pipeline/base/intern/intern.h"
#include "pipeline/command/run.h"
#include "stages/common/items/item-values.h"

/* Options; NULL: not given. */
typedef struct
{
  char *gold; /* a file; NULL too where the table's own column is meant */
  char *predictions, *prior, *start, *cost, *groups;
} SlPriorFiles;

typedef struct
{
  SlRun *run;
  const SlPriorFiles *files;
  char *const *classes;
  gint32 n_classes;
  SlItemValues gold, groups;
  SlReader *predictions, *prior, *start;
  gboolean weights; /* rows of confusion may sum to less than 1 */
  double *cost;     /* [n_classes true][n_classes decided] */
  gboolean names_start;
  char *start_id; /* where names_start: of the table of start, as `id` prints it, once it is read */
} SlPriors;

gboolean sl_priors_open (SlPriors *priors, SlRun *run, const SlPriorFiles *files,
                         const SlTable *table, GError **error);
void sl_priors_clear (SlPriors *priors);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlPriors, sl_priors_clear)

/* Sets gold[n] of those of ITEMS that the file names, all -1 before. Tells how many they are. */
gboolean sl_priors_read_gold (SlPriors *priors, const SlIntern *items, gint32 *gold,
                              GError **error);

/* group[n]: the groups of ANNOTATORS, from 0; who is in none has one alone. Returns how many there
 * are, -1 on error. */
gint32 sl_priors_read_groups (SlPriors *priors, const SlIntern *annotators, gint32 *group,
                              GError **error);

/* A model's prediction for each of ITEMS, [n_items][n_classes] (predicted-items.h). All must be
 * there. MEET: further ones that are there join ITEMS; others are left out. */
double *sl_priors_read_predictions (SlPriors *priors, SlIntern *items, gboolean meet,
                                    GError **error);

/* [n_annotators][n_classes][n_classes] of ANNOTATORS, from the open table READER. Who is not in it
 * has zeros; where PRIOR is not NULL, the mean of all who are, and prior[n_classes] becomes the
 * classes' shares, NaN if the table does not have them. */
double *sl_priors_read_confusion (SlPriors *priors, SlReader *reader, const SlIntern *annotators,
                                  double *prior, GError **error);

/* ---- shared by prior-*.c ---- */
