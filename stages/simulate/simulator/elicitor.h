/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers as people would give them, drawn from a fit. */
#pragma once

#include "pipeline/base/random.h"
#include "simulator.h"

typedef struct
{
  gboolean there;
  SlBeta first, second;
  double first_scale, second_scale;
  gboolean has_second;
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

/* One annotator about one item. */
typedef struct
{
  SlGroup group;
  const double *sums; /* [n_classes]: running sums of the classes' shares in the item's label */
  SlRandom random;    /* goes on with each draw */
} SlQuestion;

#define SL_QUESTIONS 64 /* at a time */

/* answer[n] to QUESTION[n], N <= SL_QUESTIONS. */
void sl_elicit (const SlElicitor *elicitor, SlQuestion *question, int n, SlElicited *answer);
