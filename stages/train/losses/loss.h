/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What training lowers. A loss is one row of SL_LOSSES, and one file with its function. */
#pragma once

#include "crowd.h"
#include "stages/common/network/parameter.h"
#include "stages/common/network/soft-cross-entropy.h"

/* What goes with a loss: options, by their scopes. */
typedef enum
{
  SL_LOSS_TARGETS = 1 << 0,  /* it learns from targets: --targets, --teacher, --mixup and so on */
  SL_LOSS_ANSWERS = 1 << 1,  /* from annotators' own answers: --crowd, --confusion */
  SL_LOSS_TEMPERED = 1 << 2, /* of a softmax with --temperature */
  SL_LOSS_MIXED = 1 << 3,    /* of mixed examples, whether --mixup says so or not */
  SL_LOSS_BESIDE = 1 << 4,   /* these stand beside the others: --mixed-share, --pairing */
  SL_LOSS_ENTROPY = 1 << 5,  /* --entropy-weight */
  SL_LOSS_WEIGHTED = 1 << 6, /* --ent-wc-least, --ent-wc-gradient */
} SlLossTraits;

/* ROW (name, function, summary, traits, what else there is of SlLoss). */
#define SL_LOSSES(ROW)                                                                             \
  ROW ("cross-entropy", sl_lower_cross_entropy, "cross-entropy with the targets",                  \
       SL_LOSS_TARGETS | SL_LOSS_TEMPERED)                                                         \
  ROW ("ent-wc", sl_lower_ent_wc, "cross-entropy of mixed examples, weighted by entropy",          \
       SL_LOSS_TARGETS | SL_LOSS_MIXED | SL_LOSS_WEIGHTED, .alpha = 0.2)                           \
  ROW ("mix-maxent", sl_lower_mix_maxent,                                                          \
       "cross-entropy, and the entropy of mixed examples beside the others raised",                \
       SL_LOSS_TARGETS | SL_LOSS_MIXED | SL_LOSS_BESIDE | SL_LOSS_ENTROPY, .alpha = 10)            \
  ROW ("crowd", sl_lower_crowd, "of single annotators' answers, through what is learned of each",  \
       SL_LOSS_ANSWERS, .learned = sl_crowd_learned, .begin = sl_crowd_begin,                      \
       .answer = sl_crowd_answer)

/* The arguments of all losses; a loss looks at its own. */
typedef struct
{
  double temperature;
  double least;   /* of the weight */
  int detached;   /* 1: no gradient flows through the weight */
  double entropy; /* weight of the entropy's part */
  int crowd;      /* SlCrowdForm, or SL_CROWD_CONAL */
  int of_logits;  /* 1: what is learned of annotators is applied to logits */
  double apart;   /* how strongly CoNAL's confusions are kept apart */
} SlLossArguments;

typedef struct
{
  const struct _SlLoss *loss;
  SlLossArguments arguments;
  gsize k, n_annotators;
  gboolean sum; /* of a batch; otherwise its mean */
} SlObjectivePlan;

/* A loss at work, with what it learns itself. */
typedef struct
{
  SlObjectivePlan plan;
  gsize embedding; /* numbers of an item's difficulty, which another network tells; 0: none */
  SlCrowdLayer layer, layer_slope;
  SlConal conal, conal_slope;
  SlParameter parameter[4]; /* what is learned of annotators */
  int n_parameters;
  float *values, *slopes; /* behind the parameters */
  double *room;           /* [5 k + 3 SL_CONAL_EMBEDDING] */
  float *difficulty_grad; /* [rows][SL_CONAL_EMBEDDING] */
} SlObjective;

/* Logits of a batch, and what should have been said. The first n_plain rows are not mixed beside
 * the others. */
typedef struct
{
  gsize n, n_plain;
  const float *logits;           /* [n][k] */
  const float *target;           /* [n][k]; of SL_LOSS_TARGETS */
  const SlCrowdAnswers *answers; /* of SL_LOSS_ANSWERS */
  const float *difficulty;       /* [n][embedding], or NULL */
  double scale;                  /* of gradients */
  float *grad;                   /* [n][k] */
} SlLossBatch;

typedef struct _SlLoss
{
  const char *name;
  /* The sum of the batch's losses. grad, and what is added to the slopes of parameters, are SCALE
   * times the gradient of what is lowered. */
  double (*lower) (SlObjective *objective, const SlLossBatch *batch);
  const char *summary;
  guint32 traits;
  double alpha; /* of SL_LOSS_MIXED: that of the Beta, unless given */
  /* What it learns itself: how many numbers, and how they begin. NULL: nothing. */
  gsize (*learned) (const SlObjectivePlan *plan);
  void (*begin) (SlObjective *objective, guint64 seed);
  /* p[k] <- what annotator R answers about an item with the logits z[k] and the difficulty d. */
  void (*answer) (SlObjective *objective, const float *z, const float *d, gsize r, double *p);
} SlLoss;

#define SL_LOSS_PROTOTYPE(name, function, ...)                                                     \
  double function (SlObjective *objective, const SlLossBatch *batch);
SL_LOSSES (SL_LOSS_PROTOTYPE)
#undef SL_LOSS_PROTOTYPE

extern const SlLoss sl_losses[];
extern const char *const sl_loss_names[];     /* in the same order; ends with NULL */
extern const char *const sl_loss_summaries[]; /* likewise */
extern const guint32 sl_loss_traits[];

gsize sl_objective_bytes (const SlObjectivePlan *plan, gsize rows);
void sl_objective_init (SlObjective *objective, const SlObjectivePlan *plan, gsize rows,
                        guint64 seed);
void sl_objective_clear (SlObjective *objective);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlObjective, sl_objective_clear)

/* The next ROWS x COLUMNS numbers of what is learned; NULL where these are none. *SLOPE is where
 * their gradient goes. */
float *sl_objective_learn (SlObjective *objective, const char *name, gsize rows, gsize columns,
                           float **slope);

/* As the loss's own lower(), of a batch with its scale left open. */
double sl_objective_lower (SlObjective *objective, SlLossBatch *batch);

/* ---- Plain losses. Shapes, SCALE, GRAD and what is returned: as in soft-cross-entropy.h. ---- */

/* Ent-WC: cross-entropy weighted by log 2 / H (p), in [LEAST, 1]. THROUGH: the gradient flows
 * through the weight, too. */
double sl_loss_ent_wc (const float *logits, const float *target, gsize n, gsize k, double least,
                       gboolean through, double scale, float *grad, double *room);

/* Less the entropy of what is predicted: what Mix-MaxEnt adds for mixed examples. */
double sl_loss_max_entropy (const float *logits, gsize n, gsize k, double scale, float *grad,
                            double *room);

/* Distillation: cross-entropy with a teacher's targets at temperature T, of logits / T, times
 * T². */
double sl_loss_distil (const float *logits, const float *target, gsize n, gsize k,
                       double temperature, double scale, float *grad, double *room);

/* ---- crowd.c ---- */

gsize sl_crowd_learned (const SlObjectivePlan *plan);
void sl_crowd_begin (SlObjective *objective, guint64 seed);
void sl_crowd_answer (SlObjective *objective, const float *z, const float *d, gsize r, double *p);
