/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers as people would give them, drawn from a fit. */
#pragma once

#include "beta-draws.h"
#include "pipeline/base/random.h"
#include "simulator.h"

typedef struct
{
  gboolean there;
  SlBetaDraws *first, *second; /* shares of first and second choices; NULL: there are none */
  double first_scale, second_scale;
  double *sums; /* [n_classes]: of answers with so many other classes left possible, running */
} SlElicitorGroup;

typedef struct
{
  gint32 n_classes;
  double step; /* percents are multiples of this; 0: any number */
  SlElicitorGroup group[SL_N_GROUPS];
  gint32 *rank; /* [n_classes][n_classes - 1]: the other classes, the likest first */
} SlElicitor;

static inline gsize
sl_elicitor_bytes (gint32 n_classes)
{
  return sizeof (gint32) * (gsize) n_classes * (gsize) n_classes;
}

void sl_elicitor_init (SlElicitor *elicitor, const SlSimulator *simulator, double step);
void sl_elicitor_clear (SlElicitor *elicitor);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlElicitor, sl_elicitor_clear)

/* One answer: a first choice; a second one, which is the likest to it; and the classes left
 * possible, which are the first `alternatives` ones of the first choice's rank. */
typedef struct
{
  gint32 class, second; /* second: -1 for none */
  gint32 alternatives;
  double percent, second_percent;
} SlElicited;

static inline const gint32 *
sl_elicitor_others (const SlElicitor *elicitor, gint32 class)
{
  return elicitor->rank + (gsize) class * (gsize) (elicitor->n_classes - 1);
}

/* What one annotator of GROUP answers about one item, of whose label SUMS has the running sums of
 * the classes' shares. */
SlElicited sl_elicit (const SlElicitor *elicitor, SlGroup group, const double *sums,
                      SlRandom *random);
