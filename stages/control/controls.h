/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Labels that say nothing new, to compare others with. */
#pragma once

#include "pipeline/base/intern/intern.h"

#include <glib.h>

typedef enum
{
  SL_CONTROL_GOLD,
  SL_CONTROL_UNIFORM,
  SL_CONTROL_RANDOM,
  SL_CONTROL_ARGMAX, /* this and those after it need a label */
  SL_CONTROL_SMOOTH,
  SL_CONTROL_PERMUTE, /* which no single label tells */
} SlControlKind;

typedef struct
{
  SlControlKind kind;
  double beta; /* smooth */
  guint64 seed;
} SlControl;

/* to[n_classes] <- the control of ITEM, whose label is label[n_classes] (NULL where CONTROL needs
 * none) and whose gold class is GOLD; FALSE where it is made of that, and it is not known (-1). */
gboolean sl_control_make (const SlControl *control, const char *item, gsize length,
                          const double *label, gint32 gold, gint32 n_classes, double *to);

/* to[n_classes] <- 1 for CLASS, 0 for the others. */
void sl_control_one_hot (gint32 class, gint32 n_classes, double *to);

/* to[n_classes] <- K draws from U[0, 1) over their sum: not evenly spread over all distributions,
 * but as the labels of Collins, Bhatt and Weller (HCOMP 2022) are made. The draws are a function of
 * (seed, item). */
void sl_control_random (guint64 seed, const char *item, gsize length, gint32 n_classes, double *to);

/* to <- (1 - BETA) label + BETA / K (Szegedy et al., CVPR 2016, section 7), of label[n_classes]. */
void sl_control_smooth (const double *label, gint32 n_classes, double beta, double *to);

/* from[n] <- for each of ITEMS, n of them, the one whose label it gets: a permutation that is a
 * function of the seed and of the set of items, not of their numbers. All are equally likely, also
 * those that leave an item as it is. */
void sl_control_permute (guint64 seed, const SlIntern *items, gint32 *from);
