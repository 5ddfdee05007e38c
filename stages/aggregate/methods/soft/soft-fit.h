/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of soft-evidence.c share. soft-items.c labels items and counts their answers;
 * soft-left-out.c sees how well an item's other answers tell each one; soft-update.c makes of these
 * sums what the next round goes by; soft-memory.c has room for all of it. Rows of classes have
 * `stride` numbers, 0 beyond the classes. */
#pragma once

#include "pipeline/base/vector-math.h"
#include "stages/aggregate/methods/soft/soft-evidence.h"
#include "stages/common/answers/answers-by-item.h"

#include <string.h>

enum
{
  SL_SOFT_TRIES = 14,     /* values of rho that are tried */
  SL_SOFT_SHRINKAGES = 8, /* 4, 8, ... 512 */
  SL_SOFT_MIXED = 4,      /* what the next answer is a mixture of */
  SL_SOFT_SHARES = 3,     /* values of g's share that are tried */
  SL_SOFT_SCALES = 5,     /* values of S that are tried with each */
  SL_SOFT_STRENGTHS = 3,  /* the round from which annotators' strengths are learned */
};

/* rho and v before answers tell. */
static const double sl_soft_usual_correlation = 0.2;
static const double sl_soft_usual_mixture[SL_SOFT_MIXED] = { 0.1, 0.05, 0.35, 0.5 };

/* Values of rho that are tried. */
extern const double sl_soft_correlations[SL_SOFT_TRIES];
/* Values of z and S; the first of each is the usual one. */
extern const double sl_soft_shares[SL_SOFT_SHARES], sl_soft_scales[SL_SOFT_SCALES];

/* An annotator's answers to items that others answered, too: how many they are, and sums of the
 * first choice's percent, of how likely it is by the others, and of products of these. */
enum
{
  SL_SOFT_PERCENT_ANSWERS,
  SL_SOFT_PERCENT_GIVEN,
  SL_SOFT_PERCENT_RIGHT,
  SL_SOFT_PERCENT_SQUARE,
  SL_SOFT_PERCENT_PRODUCT,
  SL_SOFT_PERCENTS
};

/* What a part of the answers adds up to, and all of them. */
typedef struct
{
  double *cells;           /* [n_annotators or 1][x][stride]: C */
  double *possible;        /* [x][stride]: sums of t[k] where x is not ruled out; this, given and
                              total of the items that rho, m, z and S are chosen by */
  double *given;           /* [x][stride]: sums of q[x] t[k] */
  double *first;           /* [f][stride]: sums of t[k] over first choices */
  double *total;           /* [stride]: sums of t[k] over answers */
  double *prior;           /* [stride]: sums of T[k] over items */
  double *slope, *bend;    /* [n_annotators]: derivatives of what tells u_a, the second with -1 */
  double *tries;           /* [SL_SOFT_TRIES] */
  double *shrinkages;      /* [SL_SOFT_SHRINKAGES] */
  double *worths;          /* [SL_SOFT_SHARES][SL_SOFT_SCALES] */
  double *mixture, *mixed; /* [SL_SOFT_MIXED] */
  double *percents;        /* [n_annotators][SL_SOFT_PERCENTS] */
  double *room;            /* for an item at a time */
  double predicted;        /* sum of log-probabilities of the answers left out */
  double judged;           /* how many of them */
  double change;           /* sum of the largest changes of items' labels */
} SlSoftSums;

/* What is fitted; letters are those of soft-evidence.h. */
typedef struct
{
  const SlItems *items;
  const SlByItem *by;
  const SlMethodSettings *settings;
  gsize n_annotators;
  gsize k, stride;  /* classes; a multiple of 4 */
  gboolean own;     /* matrices of annotators' own */
  double verdicts;  /* w */
  double own_error; /* how much of an answer that counts for itself goes to all classes */
  /* What is added and taken off to round to a grid: counts; an item's evidence; figures that may be
   * large. */
  double grain, fine, coarse;
  double *log_theta;               /* [n_annotators or 1][x][stride] */
  double *cells;                   /* likewise: C of the round before */
  double *rows;                    /* [n_annotators or 1][stride]: its sums over x */
  double *crowd;                   /* [x][stride]: c */
  double *open;                    /* [x][stride]: w log P(possible | k) / P(ruled out | k) */
  double *shut;                    /* [stride]: w sum over x of log P(ruled out | k) */
  double *log_prior;               /* [stride] */
  double *phi, *psi;               /* [f][stride], [x][stride] */
  double *log_shared;              /* [SL_SOFT_SHARES][x][stride]: log c with each z */
  double *strength, *log_strength; /* [n_annotators]: s_a, u_a */
  double *own_strength;            /* [n_annotators]: exp (u_a) */
  double centre;                   /* u */
  SlSoftEvidence *found;
  double mixture[SL_SOFT_MIXED];
  gint64 round;
  gboolean choose, start, judges; /* of this round */
  gboolean worth, worth_next;     /* z and S are chosen by this one, by the next */
  gboolean tell_percents;
  guint64 sample;     /* one item in sample + 1 is what rho, m, z and S are chosen by */
  gsize most_answers; /* to an item */
  SlSoftSums *sums;   /* of the parts */
  gsize sums_size;
} SlSoftFit;

/* One answer, ready to be used. */
typedef struct
{
  gint32 annotator;
  gint32 n;      /* classes that are possible */
  gint32 *class; /* [n] */
  double *share; /* [n]: q */
  double *first; /* [n]: f */
  double count;
  double one; /* what of it is left out, to see what the rest says */
} SlSoftAnswer;

/* Room for one item and its answers. */
typedef struct
{
  double *sum, *label, *seen, *firsts, *others, *p, *t; /* [stride] */
  double *try;                                          /* [2][stride][4] */
  double *shared;                                       /* [SL_SOFT_SHARES][stride]: as sum */
  double *evidence;                                     /* [answers][stride] */
  SlSoftAnswer answer;
} SlSoftRoom;

/* g, with Z. */
static inline double
sl_soft_mass (const SlSoftAnswer *answer, gint32 c, double z)
{
  return (1 - z) * answer->share[c] + z * answer->first[c];
}

/* As how many ANSWER counts in what people choose. */
static inline double
sl_soft_worth (const SlSoftFit *fit, const SlSoftAnswer *answer)
{
  double s = fit->strength[answer->annotator] / fit->found->scale;
  return answer->count * s * s;
}

/* E[stride]: what ANSWER says of the classes, with Z and LOG_THETA[x][stride]. */
SL_INLINE void
sl_soft_weigh (const SlSoftFit *fit, const SlSoftAnswer *answer, double z, const double *log_theta,
               double *e)
{
  gsize stride = fit->stride;
  memcpy (e, fit->shut, stride * sizeof *e);
  for (gint32 c = 0; c < answer->n; c++)
    {
      gsize x = (gsize) answer->class[c] * stride;
      double g = sl_soft_mass (answer, c, z);
      for (gsize k = 0; k < stride; k += 4)
        sl_vector_store (e + k, sl_vector_load (e + k) + g * sl_vector_load (log_theta + x + k)
                                    + sl_vector_load (fit->open + x + k));
    }
}

/* Σ P[k] Q[k]. */
SL_INLINE double
sl_soft_dot (const double *p, const double *q, gsize stride)
{
  SlVector sum = sl_vector (0);
  for (gsize k = 0; k < stride; k += 4)
    sum += sl_vector_load (p + k) * sl_vector_load (q + k);
  return sl_vector_sum (sum);
}

/* TO[k] ~ exp (LOGS[k]); the prior's -inf beyond the classes makes 0 of them. */
SL_INLINE void
sl_soft_normalise (const double *logs, gsize stride, double *to)
{
  SlVector most = sl_vector_load (logs), sum = sl_vector (0);
  for (gsize k = 4; k < stride; k += 4)
    most = sl_vector_max (most, sl_vector_load (logs + k));
  double highest = sl_vector_highest (most);
  for (gsize k = 0; k < stride; k += 4)
    {
      SlVector p = sl_vector_exp (sl_vector_load (logs + k) - highest);
      sl_vector_store (to + k, p);
      sum += p;
    }
  SlVector scale = sl_vector (1 / sl_vector_sum (sum));
  for (gsize k = 0; k < stride; k += 4)
    sl_vector_store (to + k, sl_vector_load (to + k) * scale);
}

/* TO[k] ~ prior[k] exp (BETA (SUM[k] - S OWN[k])): the label without an answer. */
SL_INLINE void
sl_soft_label_without (const SlSoftFit *fit, const double *sum, double s, const double *own,
                       double beta, double *to)
{
  for (gsize k = 0; k < fit->stride; k += 4)
    sl_vector_store (to + k,
                     sl_vector_load (fit->log_prior + k)
                         + beta * (sl_vector_load (sum + k) - s * sl_vector_load (own + k)));
  sl_soft_normalise (to, fit->stride, to);
}

/* X on the grid of GRAIN. */
static inline double
sl_soft_rounded (double x, double grain)
{
  return (x + grain) - grain;
}

/* What each of N answers that go wrong together with CORRELATION is worth. */
static inline double
sl_soft_exponent (double correlation, double n)
{
  return 1 / (1 + correlation * MAX (n - 1, 0));
}

/* The correlation by which five answers, taken SCALE times, are worth as much as by CORRELATION. */
static inline double
sl_soft_correlation (double correlation, double scale)
{
  return (scale * (1 + 4 * correlation) - 1) / 4;
}

/* A fit that knows no more than how large its arrays are. */
SlSoftFit sl_soft_sized (const SlAnswers *answers, gint32 n_classes, gboolean tell_percents);

/* How many numbers the arrays of FIT take. MEMORY, unless NULL, is cut up into them. */
gsize sl_soft_cut (SlSoftFit *fit, double *memory);

/* The same of a part's sums. */
gsize sl_soft_cut_sums (const SlSoftFit *fit, SlSoftSums *sums, double *memory);

gsize sl_soft_room_size (const SlSoftFit *fit);
SlSoftRoom sl_soft_room (const SlSoftFit *fit, double *memory);

/* Each for one part of the items; DATA is the fit. A round: labels items, and counts what their
 * answers tell in the part's sums. */
void sl_soft_learn_part (int part, gpointer data);

/* The labels that are asked for. */
void sl_soft_finish_part (int part, gpointer data);

/* What is learned from room->answer, whose evidence is E, by what the item's other answers say; the
 * item has N in all. GOLD: room->label is its class. CHOOSE: rho, m, z and S are chosen by it. */
void sl_soft_judge (const SlSoftFit *fit, SlSoftRoom *room, const double *e, double n,
                    gboolean gold, gboolean choose, SlSoftSums *sums);

/* What the sums of a round make of the crowd, of annotator A's theta (or all annotators'; DATA is
 * the fit), of strengths, of the correlation and the shrinkage, and of the mixture. */
void sl_soft_set_crowd (SlSoftFit *fit, const SlSoftSums *sums);
void sl_soft_set_theta (int a, gpointer data);
void sl_soft_set_strengths (SlSoftFit *fit, const SlSoftSums *sums);
void sl_soft_set_choices (SlSoftFit *fit, const SlSoftSums *sums);
void sl_soft_set_worths (SlSoftFit *fit, const SlSoftSums *sums);
void sl_soft_set_mixture (SlSoftFit *fit, const SlSoftSums *sums);
