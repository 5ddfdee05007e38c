/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who is shown what, in which order: a function of the seed and the annotator's name alone.
 * page/plan.js does the same in the page; tests/browser compares the two. docs/survey.md says which
 * number is drawn when. */
#pragma once

#include <glib.h>

/* A study, by numbers. Items 0 .. n_items - 1 are asked about; the last n_low of them are of low
 * entropy, and every batch has low_each of those. Then come n_checks attention checks. */
typedef struct
{
  guint64 seed;
  int n_items, n_low, n_checks;
  int each, low_each;       /* items a batch, and how many of them are of low entropy */
  int checks_each, repeats; /* a batch */
  gboolean repeats_at_end;
  int n_classes;
  const gint32 *dealt; /* [n_dealt][each]: the batches' items; NULL: they are dealt by the seed */
  int n_dealt;
} SlPlan;

typedef enum
{
  SL_TRIAL_ITEM,
  SL_TRIAL_CHECK,
  SL_TRIAL_REPEAT,
} SlTrialKind;

typedef struct
{
  gint32 item; /* as above; those of checks go on behind the items */
  SlTrialKind kind;
} SlPlanTrial;

/* Trials of a batch. */
static inline int
sl_plan_trials (const SlPlan *plan)
{
  return plan->each + plan->checks_each + plan->repeats;
}

/* So many batches have every item once at least. */
int sl_plan_batches (const SlPlan *plan);

/* What stands for NAME[n], an annotator's, wherever numbers are drawn for them. */
guint64 sl_plan_key (const char *name, gsize n);

/* The batch, from 0, of the annotator NAME[n] where nothing else says it: number k's is that of
 * place k in turn, anybody else's is drawn. */
int sl_plan_batch_of (const SlPlan *plan, const char *name, gsize n);

/* TRIALS[sl_plan_trials()] of the annotator KEY in BATCH, in their order. */
void sl_plan_order (const SlPlan *plan, guint64 key, int batch, SlPlanTrial *trials);

/* ORDER[n_classes]: which class stands where, shuffled for the annotator KEY. */
void sl_plan_classes (const SlPlan *plan, guint64 key, gint32 *order);

/* SWAPPED[sl_plan_trials()]: whether a mixture's second end stands first. */
void sl_plan_ends (const SlPlan *plan, guint64 key, int batch, guint8 *swapped);

/* A name of 32 characters for the item NAME[n], which tells nothing of it. OUT has room for 33. */
void sl_plan_opaque (guint64 seed, const char *name, gsize n, char *out);

/* TEXT[n] is enciphered, or deciphered again. */
void sl_plan_cover (guint64 seed, guint8 *text, gsize n);
