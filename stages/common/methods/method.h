/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a method of aggregation is: one kernel in one file, and one row in the table of
 * methods.c. The stage does the rest: it reads, numbers the items and annotators, sums up or
 * collects what they said, and writes what the kernel found. */
#pragma once

#include "pipeline/base/pulse.h"
#include "pipeline/base/random.h"
#include "stages/common/answers/answers.h"

#include <math.h>

typedef enum
{
  SL_TIES_LOWEST,  /* the first of the tied classes */
  SL_TIES_RANDOM,  /* one of them, drawn by seed and item */
  SL_TIES_UNIFORM, /* all of them, in equal shares */
} SlTies;

/* What a label is to say. */
typedef enum
{
  SL_ASKED_TRUTH,  /* how likely each class is the right one */
  SL_ASKED_PEOPLE, /* what the next person would answer */
} SlAsked;

/* How labels say so: a tag. */
#define SL_ASKED_TAG "for"
#define SL_FOR_TRUTH "truth"
#define SL_FOR_PEOPLE "people"

/* The options of all methods; a method looks at its own. */
typedef struct
{
  double temperature;
  gint64 digits; /* that a label is rounded to; 0: not rounded */
  int ties;      /* SlTies */
  guint64 seed;
  int threads;
  gint64 iterations; /* rounds at most; 0: as many as the method sets by itself */
  double tolerance;  /* a round that changes less is the last; NaN: the method's own */
  double smoothing;  /* pseudo-counts; NaN: the method's own */
  SlAsked asked;     /* of methods that tell the one from the other */
  gint64 restarts;   /* starts to choose the best from; 0: the method's own */
  gboolean fix_gold; /* items whose gold class is known keep it */
  /* [n_annotators][n_classes][n_classes], rows sum to 1: added prior_weight times; or NULL */
  const double *confusion_prior;
  double prior_weight;
  /* [n_annotators][n_classes][n_classes]: confusion to start from, by an earlier run; or NULL */
  const double *start;
  const double *start_prior; /* [n_classes]: the classes' shares that go with it; or NULL */
  const double *value;       /* [n_classes], rising, of ordered classes; NULL: they are names */
  SlPulse pulse; /* hears of each round. Labels are not to depend on when somebody got impatient, so
                    a method does not heed its answer */
  const struct SlAuto *decided; /* auto: what it is to decide, as it did of a sample; or NULL */
} SlMethodSettings;

/* What is used in place of what was not given: the method's OWN. */
static inline gint64
sl_rounds (const SlMethodSettings *settings, gint64 own)
{
  return settings->iterations > 0 ? settings->iterations : own;
}

static inline double
sl_or_own (double given, double own)
{
  return isnan (given) ? own : given;
}

/* How right an annotator's percents are. NaN: nothing tells. */
typedef struct
{
  double confidence; /* mean percent of the first choice, of 1 */
  double confirmed;  /* mean probability of the first choice, by what others say */
  double slope;      /* by how much this grows where the percent grows by 1 */
  double strength;   /* what the annotator's answers are worth beside the crowd's */
} SlPercents;

/* What a method has learned besides labels. What it does not learn, or nobody wants, is NULL. */
typedef struct
{
  double *confusion;   /* [n_annotators][n_classes][n_classes]: true, answered */
  double *reliability; /* [n_annotators] */
  double *prior;       /* [n_classes] */
  /* called after each round; the objective is the log-likelihood or the ELBO */
  void (*round) (gpointer data, gint64 round, double objective);
  gpointer data;
  GString *found; /* what the method decided by itself: members of a JSON object */
  void (*note) (gpointer data, const char *text); /* called with the same, in words */
  double *vote_weight;  /* crowdlab: [n_annotators + 1]: of annotators' answers; last the model's */
  gint32 *consensus;    /* crowdlab: [n_items]: the classes that weights are judged by */
  SlPercents *percents; /* [n_annotators]; soft-evidence */
  double *expected;     /* like confusion: how many answers, by labels of the truth */
  gboolean weights; /* confusion becomes exp E log θ, by which such a method weighs an answer */
  double *lower, *upper; /* [n_items]; of rating: where the expected value lies */
  double *bias, *spread; /* [n_annotators]; of rating */
} SlLearned;

/* A method that labels each item as it passes, in memory that does not grow with the items. */
typedef struct
{
  gpointer (*begin) (gint32 n_classes, const SlMethodSettings *settings);
  /* one item and its answers */
  void (*pass) (gpointer state, SlItems *item, const SlAnswers *answers);
  void (*end) (gpointer state);
} SlMethodStream;

/* Options that only some methods have belong to those with the flag. */
typedef enum
{
  SL_METHOD_LOCAL = 1 << 0,       /* an item's label depends on that item alone */
  SL_METHOD_GOLD = 1 << 1,        /* every item must have its gold class */
  SL_METHOD_TEMPERATURE = 1 << 2, /* --temperature */
  SL_METHOD_TIES = 1 << 3,        /* --ties */
  SL_METHOD_SOFT = 1 << 4,        /* its answers may be distributions, or else votes */
  SL_METHOD_PREDICTIONS = 1 << 5, /* needs a model's predictions */
  SL_METHOD_ITERATIONS = 1 << 6,  /* --iterations */
  SL_METHOD_TOLERANCE = 1 << 7,   /* --tolerance */
  SL_METHOD_SMOOTHING = 1 << 8,   /* --smoothing */
  SL_METHOD_RESTARTS = 1 << 9,    /* --restarts */
  SL_METHOD_PRIOR = 1 << 10,      /* --confusion-prior */
  SL_METHOD_START = 1 << 11,      /* --init */
  SL_METHOD_SEEDED = 1 << 12,     /* draws random numbers, by the items' keys */
  SL_METHOD_ANONYMOUS = 1 << 13,  /* it does not matter who gave an answer */
  SL_METHOD_SHARES = 1 << 14,     /* --calibrate: labels are means of answers */
  SL_METHOD_POSTERIORS = 1 << 15, /* --calibrate: labels are what answers multiply up to */
  SL_METHOD_SHARDS = 1 << 16,     /* --partial, --frozen: one round may be made in parts */
  SL_METHOD_PAIRS = 1 << 17,      /* looks at every pair of annotators with an item in common */
  SL_METHOD_SPENDS = 1 << 18,     /* reads the answers once and knows what to do with SPEND */
  SL_METHOD_ROUND = 1 << 19,      /* --round */
  SL_METHOD_ABSTAINS = 1 << 20,   /* may have no label for an item: the first class is NaN */
  SL_METHOD_PERCENTS = 1 << 21,   /* annotations' percents count, not their first choices alone */
  SL_METHOD_ASKED = 1 << 22,      /* --for */
  SL_METHOD_WEIGHTS = 1 << 23,    /* what a round hands on are weights of answers (SlLearned) */
  SL_METHOD_ORDERED = 1 << 25,    /* takes ordered classes alone */
  SL_METHOD_NEXT = 1 << 26,       /* knows itself what the next person would answer (--for) */
  SL_METHOD_DISTINCT = 1 << 24,   /* an annotator's same answer to an item again is none */
  SL_METHOD_EVEN = 1 << 27,       /* a round begins with labels, not with what annotators are
                                     worth: one accuracy (glad: ability) each; errors and
                                     classes are even */
  SL_METHOD_SAMPLED = 1 << 28,    /* --calibrate=FILE alone: what it decided there */
} SlMethodFlags;

/* A label from the sums of votes alone. */
typedef void SlLabelling (const SlItems *items, const SlMethodSettings *settings);

/* Labels from all answers; the sums are where it may start. */
typedef gboolean SlFitting (const SlItems *items, const SlAnswers *answers,
                            const SlMethodSettings *settings, SlLearned *learned, GError **error);

/* One of the three functions is there; where both fit and stream are, fit is for --iterations 2. */
typedef struct
{
  const char *name;
  const char *summary;
  SlMethodFlags flags;
  SlLabelling *label;
  SlFitting *fit;
  const SlMethodStream *stream;
  int squares; /* tables of classes × classes that fit holds besides, at most */
  /* the same, where it goes by the answers */
  double (*tables) (const SlAnswers *answers, gint32 n_classes);
} SlMethod;

extern const SlMethod sl_methods[];
extern const char *const sl_method_names[];     /* in the same order; ends with NULL */
extern const char *const sl_method_summaries[]; /* likewise */
extern const guint32 sl_method_traits[];        /* their flags, for options that go with some */

const SlMethod *sl_method_find (const char *name); /* NULL where there is none */
