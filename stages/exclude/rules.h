/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who is careless: violations in single answers, and the verdict on an annotator. Arrays in,
 * numbers out. */
#pragma once

#include "schemas/records.h"

typedef enum
{
  SL_RULE_RANGE,      /* a percent outside [0, 100] */
  SL_RULE_IMPOSSIBLE, /* a class both chosen and ruled out */
  SL_RULE_MISSING,    /* the first percent is 0 or not there, or was before it was repaired */
  SL_N_RULES
} SlRule;

extern const char *const sl_rule_names[]; /* NULL-terminated */

/* VIOLATIONS[i], FIRST <= i < END, gets bit 1 << rule for each rule that answer i breaks.
 * REPAIRED[i]: its first percent is a replacement; may be NULL. */
void sl_find_violations (const SlRecords *answers, const guint8 *repaired, gint64 first, gint64 end,
                         guint8 *violations);

/* What is known of one annotator. */
typedef struct
{
  gint64 answers;                /* attention checks and repeated rows not counted */
  gint64 with_gold, right;       /* of them */
  gint64 violations[SL_N_RULES]; /* answers that break each rule */
  gint64 checks;                 /* attention checks */
  gint64 checks_with_gold, checks_right;
  gint64 duplicates;
  gint64 timed,
      fast;    /* answers whose seconds are known; those that took fewer than are asked for */
  gint64 same; /* answers of the annotator's commonest class */
  gint64 odd;  /* answers that the survey's page found odd */
  gboolean incomplete; /* the session did not reach its end */
  gboolean listed;     /* the user has named them */
  double
      agreement; /* share of others' answers to the same items that are the same; NaN: not known */
} SlConduct;

double sl_conduct_accuracy (const SlConduct *conduct);       /* NaN where nothing is known */
double sl_conduct_check_accuracy (const SlConduct *conduct); /* likewise */

typedef struct
{
  gint64 allowed[SL_N_RULES]; /* violations of each kind, at most */
  gboolean total;             /* all violations together count against each kind that occurs */
  double min_accuracy;        /* on gold, for annotators with violations only */
  gboolean once;              /* that for annotators with exactly one violation only */
  double min_check_accuracy;  /* 0: no such rule */
  gboolean drop_incomplete;
  double max_accuracy;  /* on gold, of anybody; 0: no such rule */
  double min_agreement; /* 0: no such rule */
  gint64 min_answers;   /* likewise */
  double min_seconds;   /* that half of the answers take; likewise */
  double max_same;      /* share of answers of one class; 1: no such rule */
  double max_odd;       /* share of odd answers; 1: no such rule */
} SlVerdictRule;

#define SL_SAME_LEAST 10 /* answers: of fewer, all in one class tell nothing */

extern const char *const sl_preset_names[]; /* NULL-terminated */
extern const SlVerdictRule sl_presets[];

/* Grounds for exclusion, beside 1 << rule for too many violations. */
enum
{
  SL_GROUND_ACCURACY = 1 << SL_N_RULES,
  SL_GROUND_CHECKS = 1 << (SL_N_RULES + 1),
  SL_GROUND_INCOMPLETE = 1 << (SL_N_RULES + 2),
  SL_GROUND_LISTED = 1 << (SL_N_RULES + 3),
  SL_GROUND_WRONG = 1 << (SL_N_RULES + 4),
  SL_GROUND_ALONE = 1 << (SL_N_RULES + 5),
  SL_GROUND_FEW = 1 << (SL_N_RULES + 6),
  SL_GROUND_FAST = 1 << (SL_N_RULES + 7),
  SL_GROUND_SAME = 1 << (SL_N_RULES + 8),
  SL_GROUND_ODD = 1 << (SL_N_RULES + 9),
};

/* The grounds on which RULE excludes the annotator; 0: kept. */
guint sl_verdict (const SlVerdictRule *rule, const SlConduct *conduct);

/* The GROUNDS in words, to be freed; NULL for 0. */
char *sl_verdict_reason (const SlVerdictRule *rule, const SlConduct *conduct, guint grounds);
