/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What training lowers. A loss is one row of SL_LOSSES, and one file with its function. */
#pragma once

#include "attributes.h"
#include "crowd.h"
#include "stages/common/network/network.h"
#include "stages/common/network/soft-cross-entropy.h"

/* What goes with a loss: options, by their scopes. */
typedef enum
{
  SL_LOSS_TARGETS = 1 << 0,  /* it learns from targets: --targets, --teacher, --mixup and so on */
  SL_LOSS_ANSWERS = 1 << 1,  /* from annotators' own answers: --confusion */
  SL_LOSS_TEMPERED = 1 << 2, /* of a softmax with --temperature */
  SL_LOSS_MIXED = 1 << 3,    /* of mixed examples, whether --mixup says so or not */
  SL_LOSS_BESIDE = 1 << 4,   /* these stand beside the others: --mixed-share, --pairing */
  SL_LOSS_ENTROPY = 1 << 5,  /* --entropy-weight */
  SL_LOSS_WEIGHTED = 1 << 6, /* --ent-wc-least, --ent-wc-gradient */
  SL_LOSS_LAYER = 1 << 7,    /* --crowd */
  SL_LOSS_PAIRS = 1 << 8,    /* a batch's rows are answers, one each, that may be mixed */
  SL_LOSS_VOLUME = 1 << 9,   /* --volume-weight */
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
       SL_LOSS_ANSWERS | SL_LOSS_LAYER, .learned = sl_crowd_learned, .begin = sl_crowd_begin,      \
       .network = sl_crowd_network, .room = sl_crowd_room, .see = sl_crowd_see,                    \
       .answer = sl_crowd_answer)                                                                  \
  ROW ("annot-mix", sl_lower_annot_mix,                                                            \
       "of single answers, mixed, through a confusion of each item and annotator",                 \
       SL_LOSS_ANSWERS | SL_LOSS_PAIRS, .alpha = 1, .begin = sl_annot_mix_begin,                   \
       .network = sl_annot_mix_network, .room = sl_annot_mix_room, .answer = sl_annot_mix_answer)  \
  ROW ("geo-reg-f", sl_lower_geo_reg,                                                              \
       "of single answers, through a confusion of each annotator, and classes kept apart",         \
       SL_LOSS_ANSWERS | SL_LOSS_VOLUME, .learned = sl_confusion_learned,                          \
       .begin = sl_geo_reg_begin, .room = sl_geo_reg_room, .answer = sl_geo_reg_answer)            \
  ROW ("union", sl_lower_union, "of single answers, all annotators' together being one",           \
       SL_LOSS_ANSWERS, .learned = sl_confusion_learned, .begin = sl_union_begin,                  \
       .room = sl_union_room, .see = sl_union_see, .answer = sl_union_answer)

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
  double eta;     /* of annot-mix: how likely an annotator is right in the beginning */
  double volume;  /* of geo-reg-f: weight of the volume's part */
} SlLossArguments;

typedef struct
{
  const struct _SlLoss *loss;
  SlLossArguments arguments;
  gsize k, n_annotators;
  gboolean sum;                            /* of a batch; otherwise its mean */
  SlNetworkPlan network;                   /* of the one that is trained */
  gsize hidden;                            /* numbers that its last layer takes */
  const SlAnnotatorAttributes *attributes; /* of annotators; or NULL */
} SlObjectivePlan;

/* Who gave each row of a batch whose rows are answers: of mixed ones the first, and how much of it
 * there is, and the other. */
typedef struct
{
  const gint32 *annotator, *other;
  const float *share;
} SlAnswerRows;

/* What names of parameters begin with that are of annotators, not of the network. */
#define SL_OF_ANNOTATORS "annotators."

/* A loss at work, with what it learns itself. */
typedef struct
{
  SlObjectivePlan plan;
  SlCrowdLayer layer, layer_slope;
  SlConal conal, conal_slope;
  float *confusion, *confusion_slope; /* of geo-reg-f, union: [annotators][k][k] */
  SlNetwork *beside;                  /* CoNAL's of items, annot-mix's of confusions; or NULL */
  const float *seen;                  /* what that says of the batch that is seen */
  float *beside_grad;                 /* of that, with respect to it */
  SlParameter parameter[16];          /* what is learned of annotators, and beside */
  int n_parameters;
  char *names[16];        /* of the parameters */
  float *values, *slopes; /* behind those that are of no network, n_values */
  gsize n_values;
  double *room;
  GError *problem; /* of a loss that could not be computed */
} SlObjective;

/* What a network says of a batch, and what should have been said. The first n_plain rows are not
 * mixed beside the others. */
typedef struct
{
  gsize n, n_plain;
  const float *x;                /* [n]: its inputs */
  const float *hidden;           /* [n][hidden]: what its last layer took; of SL_LOSS_PAIRS */
  const float *logits;           /* [n][k] */
  const float *target;           /* [n][k]; of SL_LOSS_TARGETS, and SL_LOSS_PAIRS */
  const SlAnswerRows *rows;      /* of SL_LOSS_PAIRS */
  const SlCrowdAnswers *answers; /* of SL_LOSS_ANSWERS without those */
  guint64 key;                   /* of what is drawn */
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
  /* What it learns itself: how many numbers, and how they begin; another network, or NULL without
   * ERROR; and the room that it needs, by default [5 k]. NULL: nothing. */
  gsize (*learned) (const SlObjectivePlan *plan);
  SlNetwork *(*network) (const SlObjectivePlan *plan, GError **error);
  gsize (*room) (const SlObjectivePlan *plan);
  void (*begin) (SlObjective *objective, guint64 seed);
  /* Of SL_LOSS_ANSWERS: p[n][k] <- what annotator R answers about the batch's items. SEE, or NULL,
   * comes before the answers of all annotators. */
  gboolean (*see) (SlObjective *objective, const SlLossBatch *batch, GError **error);
  gboolean (*answer) (SlObjective *objective, const SlLossBatch *batch, gsize r, double *p,
                      GError **error);
} SlLoss;

#define SL_LOSS_PROTOTYPE(name, function, ...)                                                     \
  double function (SlObjective *objective, const SlLossBatch *batch);
SL_LOSSES (SL_LOSS_PROTOTYPE)
#undef SL_LOSS_PROTOTYPE

extern const SlLoss sl_losses[];
extern const char *const sl_loss_names[];     /* in the same order; ends with NULL */
extern const char *const sl_loss_summaries[]; /* likewise */
extern const guint32 sl_loss_traits[];

/* With another network beside: what sl_objective_allocate() will take. */
gsize sl_objective_bytes (SlObjective *objective);

/* Plans it; the large memory comes with sl_objective_allocate(), which begins it, too. */
gboolean sl_objective_init (SlObjective *objective, const SlObjectivePlan *plan, GError **error);
gboolean sl_objective_allocate (SlObjective *objective, guint64 seed, GError **error);
void sl_objective_clear (SlObjective *objective);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlObjective, sl_objective_clear)

/* Its parameters were changed from outside. */
void sl_objective_changed (SlObjective *objective);

/* The next ROWS x COLUMNS numbers of what is learned; NULL where these are none. *SLOPE is where
 * their gradient goes. */
float *sl_objective_learn (SlObjective *objective, const char *name, gsize rows, gsize columns,
                           float **slope);

/* *SUM <- the loss's own lower(), of a batch with its scale left open; gradients as there. */
gboolean sl_objective_lower (SlObjective *objective, SlLossBatch *batch, double *sum,
                             GError **error);

/* p[n][k] <- what annotator R answers about the items of BATCH, which was seen last. */
gboolean sl_objective_see (SlObjective *objective, const SlLossBatch *batch, GError **error);
gboolean sl_objective_answer (SlObjective *objective, const SlLossBatch *batch, gsize r, double *p,
                              GError **error);

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

/* ---- rows of SL_LOSSES ---- */

#define SL_LOSS_FUNCTIONS(loss)                                                                    \
  gsize sl_##loss##_learned (const SlObjectivePlan *plan);                                         \
  gsize sl_##loss##_room (const SlObjectivePlan *plan);                                            \
  SlNetwork *sl_##loss##_network (const SlObjectivePlan *plan, GError **error);                    \
  void sl_##loss##_begin (SlObjective *objective, guint64 seed);                                   \
  gboolean sl_##loss##_see (SlObjective *objective, const SlLossBatch *batch, GError **error);     \
  gboolean sl_##loss##_answer (SlObjective *objective, const SlLossBatch *batch, gsize r,          \
                               double *p, GError **error);

SL_LOSS_FUNCTIONS (crowd)
SL_LOSS_FUNCTIONS (annot_mix)
SL_LOSS_FUNCTIONS (geo_reg)
SL_LOSS_FUNCTIONS (union)
gsize sl_confusion_learned (const SlObjectivePlan *plan);
#undef SL_LOSS_FUNCTIONS
