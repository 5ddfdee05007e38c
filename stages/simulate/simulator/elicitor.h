/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One answer as people would give it, drawn from a fit. */
#pragma once

#include "pipeline/base/random.h"
#include "beta.h"
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
  double step;           /* percents are multiples of this; 0: any number */
  const SlPanel *people; /* whole answers are drawn from theirs; NULL: each part by itself */
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
 * possible, which are the first `alternatives` ones of the first choice's rank, or, where the
 * second choice is ruled out, those behind it. */
typedef struct
{
  gint32 class, second; /* second: -1 for none */
  gint32 alternatives;
  double percent, second_percent;
  gint32 ruled_out; /* choices that are ruled out as well, as in SlSaid */
  gboolean repaired;
  double seconds; /* NaN: nobody asks */
} SlElicited;

static inline const gint32 *
sl_elicitor_others (const SlElicitor *elicitor, gint32 class)
{
  return elicitor->rank + (gsize) class * (gsize) (elicitor->n_classes - 1);
}

/* What one annotator of GROUP answers about one item, of whose label SUMS has the running sums of
 * the classes' shares. PERSON: of the elicitor's people, whom the annotator is like; -1: none. */
SlElicited sl_elicit (const SlElicitor *elicitor, SlGroup group, gint32 person, const double *sums,
                      SlRandom *random);

/* Fills in what is said of ANSWER's class, as one of the elicitor's people said it. */
void sl_elicit_of_class (const SlElicitor *elicitor, SlGroup group, gint32 person,
                         SlElicited *answer, SlRandom *random);
