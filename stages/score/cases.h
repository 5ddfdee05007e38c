/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is scored together: the rows of one run under one condition. A case keeps what the metrics
 * need of its items, and no more. */
#pragma once

#include "pipeline/command/run.h"
#include "metrics/metrics.h"

/* What tells cases apart, byte by byte, so it begins as zeros. -1: not told apart by that. */
typedef struct
{
  gint32 file, run;
  gint32 attack, corruption, annotator; /* numbers of texts */
  gint32 step, severity;
  /* Of the item: its class; the group that its entropy is in; the question, a number of texts. */
  gint32 class, entropy, question;
  gint64 has_epsilon; /* as wide as what follows: there are no bytes between */
  double epsilon;
} SlCaseKey;

/* For hash tables by such keys. */
guint sl_case_key_hash (gconstpointer key);
gboolean sl_case_key_equal (gconstpointer a, gconstpointer b);

typedef struct
{
  SlCaseKey key;
  SlScoredItems items;
  double *column[SL_N_FIGURES]; /* [room]; NULL: not kept */
  double *prob, *target;        /* [room][n_classes]; likewise */
  SlClassBins bins;
  gint32 *order, *distinct, *class_order, *value_order, *target_order;
  SlShared shared; /* of all items as they are */
  gint64 room;
} SlCase;

/* What is to be kept. */
typedef struct
{
  gint32 n_classes;
  guint64 wanted;  /* figures */
  guint64 keep;    /* those whose columns metrics look at */
  gint64 most;     /* up to so many items all is kept, for resamples */
  gboolean bins;   /* sums by class */
  gboolean ranked; /* p of all items, and their order by each class's */
  SlMetricSettings settings;
} SlCasePlan;

typedef struct
{
  const SlCasePlan *plan;
  GPtrArray *cases; /* SlCase, in order of first appearance */
  GHashTable *by_key;
  SlCase *last;
} SlCases;

void sl_cases_init (SlCases *cases, const SlCasePlan *plan);
void sl_cases_clear (SlCases *cases);

/* The case of KEY, a new one where it is new. */
SlCase *sl_cases_get (SlCases *cases, const SlCaseKey *key);

/* Adds N items, FIGURE[.][FIRST …]. PROB and TARGET, of the same rows: NULL unless kept. */
void sl_case_add (SlCase *one, const SlCasePlan *plan, double *const *figure, const double *prob,
                  const double *target, gint64 first, gint64 n);

/* Each case gets the key that RENAME makes of its own; those that are then alike are one. */
void sl_cases_rename (SlCases *cases, void (*rename) (SlCaseKey *key, gpointer data),
                      gpointer data);

/* Bytes that all cases take. */
gsize sl_cases_bytes (const SlCases *cases);

/* Bytes that an item takes with all that PLAN wants; ORDERED: while they are put in order, too. */
gsize sl_case_row_bytes (const SlCasePlan *plan, gboolean ordered);

/* All items are there: ITEMS becomes what metrics look at. NUMBERS: room, of gint32 at 0. */
void sl_case_end (SlCase *one, const SlCasePlan *plan, gboolean ordered, GArray *numbers);

/* Whether all is kept that resamples need. */
gboolean sl_case_is_whole (const SlCase *one, const SlCasePlan *plan);
