/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Progress of long work. A kernel calls sl_pulse() once a round, an epoch or a batch: it tells how
 * far it is, and is told whether to go on. It does not know who listens. */
#pragma once

#include <glib.h>

/* How far the work is. */
typedef struct
{
  const char *what;     /* what is worked at, where that is not plain: "ebcc"; or NULL */
  const char *unit;     /* what is counted: "rows" where OF is 0; else "round", "epoch" */
  gint64 n;             /* so many are done, or the N-th is at work or done */
  gint64 of;            /* of so many; 0: nobody knows */
  gboolean at_most;     /* there may be fewer */
  const char *detail;   /* one thing more: "loss 0.41"; or NULL */
  gint64 start, starts; /* the work is done several times, and this is which; 0: once */
  double share;         /* of the work that is done, for the time that is left; 0: nobody knows */
} SlHowFar;

typedef struct
{
  gboolean (*beat) (gpointer data, const SlHowFar *step); /* NULL: nobody listens */
  gpointer data;
  const char *what;     /* for steps that do not say it themselves */
  gint64 start, starts; /* likewise: which of several starts this is; 0: it is the only one */
} SlPulse;

/* FALSE: the user asked to stop. The caller then makes what it can of the work so far. */
static inline gboolean
sl_pulse (const SlPulse *pulse, SlHowFar step)
{
  if (pulse->beat == NULL)
    return TRUE;
  if (step.what == NULL)
    step.what = pulse->what;
  if (step.starts == 0)
    {
      step.start = pulse->start;
      step.starts = pulse->starts;
    }
  return pulse->beat (pulse->data, &step);
}
