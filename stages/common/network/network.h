/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Networks: what a model is made of, its parameters, and its runs forward and backward. Arrays in,
 * arrays out. Memory is planned once, for the largest batch; a run allocates nothing.
 *
 *   g_autoptr (SlNetwork) network = sl_network_new (&plan, error);
 *   claim sl_network_bytes (network);
 *   sl_network_allocate (network, error);
 *   sl_network_initialise (network, seed), or fill sl_network_parameters () and say
 *   sl_network_weights_changed ();
 *   each batch: fill sl_network_input (); logits = sl_network_forward (); the loss makes a gradient
 *   of it; sl_network_backward (); the optimiser changes the parameters;
 *   sl_network_weights_changed ().
 *
 * Sums are not made in a fixed order, so bits may differ between processors and between numbers of
 * threads; on one processor with one number of threads the same calls give the same bits. */
#pragma once

#include "parameter.h"

typedef struct _SlDescription SlDescription;
typedef struct _SlStages SlStages;

typedef struct
{
  const char *name;
  const char *summary;  /* a line for --help */
  const char *source;   /* whose layers and names these are */
  gboolean images;      /* needs height and width; else it takes any shape as a vector */
  gboolean takes_sizes; /* "mlp:128,64" */
  /* Describes it in D; SIZES is what follows the colon, or NULL. */
  gboolean (*describe) (SlDescription *d, const char *sizes, GError **error);
  const SlStages *stages; /* a row of models.c that describes it instead; or NULL */
} SlModelInfo;

typedef struct
{
  const char *model;            /* "resnet34a", "mlp:128,64" */
  const SlModelInfo *described; /* or NULL: a model that is not in the table */
  int n_classes;
  int channels, height, width; /* of an example; a vector has its length, 1 and 1 */
  int batch;                   /* the largest */
  int threads;                 /* at most: a small network takes fewer */
  gboolean training;
  gboolean input_gradient; /* sl_network_input_gradient () will be asked for */
  gboolean hidden;         /* sl_network_hidden () will be asked for */
  gboolean pairs;          /* in training each row is mixed of two inputs (sl_network_pair ()) */
  gboolean bf16;           /* values between layers in bfloat16; weights and sums in float32 */
  const float *mean, *std; /* per channel: x becomes (x - mean) / std; NULL: as it is */
  double dropout;          /* of `mlp`: the share left out after each hidden layer */
} SlNetworkPlan;

typedef struct _SlNetwork SlNetwork;

/* Row i is share[i] of input first[i] and the rest of input second[i], of ITEMS inputs. */
typedef struct
{
  int items;
  const gint32 *first, *second;
  const float *share;
} SlPairs;

/* Plans it; the large memory comes with sl_network_allocate (). */
SlNetwork *sl_network_new (const SlNetworkPlan *plan, GError **error);
void sl_network_free (SlNetwork *network);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlNetwork, sl_network_free)

/* What sl_network_allocate () will take. */
gsize sl_network_bytes (SlNetwork *network);
gboolean sl_network_allocate (SlNetwork *network, GError **error);

SlParameter *sl_network_parameters (SlNetwork *network, int *n);

/* Draws the parameters as the network's published code does; running statistics become 0 and 1. */
void sl_network_initialise (SlNetwork *network, guint64 seed);

/* Parameters were changed from outside. */
void sl_network_weights_changed (SlNetwork *network);

/* [batch][channels][height][width], to be filled before each run. Numbers may be pixels in [0, 1]
 * or any others: the normalisation is the network's first step. */
float *sl_network_input (SlNetwork *network);

/* The first N examples of the next run are x[n][channels][height][width]: copied, or read from
 * where they are, so they stay until it has ended. */
void sl_network_give (SlNetwork *network, const float *x, int n);

/* Whether the network, planned with PAIRS, mixes inputs itself: what is linear in the input is made
 * once for each input, and mixed row by row. Otherwise it is given mixed inputs, a row each. */
gboolean sl_network_mixes (const SlNetwork *network);

/* Of a network that mixes: the rows of the next run of training. They stay until it has ended. */
void sl_network_pair (SlNetwork *network, const SlPairs *pairs);

/* The logits [n][n_classes] of the first N <= batch examples, valid until the next run. With
 * TRAINING batch normalisation takes the batch's statistics and notes them in the running ones,
 * and what is drawn (dropout, shaking) is a function of KEY. Without, it takes the running ones and
 * nothing is drawn. */
const float *sl_network_forward (SlNetwork *network, int n, gboolean training, guint64 key,
                                 GError **error);

/* What the last layer took in that run, [n][sl_network_hidden_size ()]: of softmax the inputs. */
const float *sl_network_hidden (SlNetwork *network);
gsize sl_network_hidden_size (const SlNetwork *network);

/* Numbers of the logits of the largest batch. */
gsize sl_network_outputs (const SlNetwork *network);

/* After sl_network_forward () of as many examples: from the gradient of the loss with respect to
 * the logits [n][n_classes], fills every grad, if the run was one of training, and the gradient
 * with respect to the input, if the plan asks for it. */
gboolean sl_network_backward (SlNetwork *network, int n, const float *grad_logits, GError **error);

/* [n][channels][height][width], with respect to what sl_network_input () holds. */
const float *sl_network_input_gradient (SlNetwork *network);

typedef struct
{
  gsize n_parameters;   /* trained numbers */
  double multiply_adds; /* of one example, forward */
  gsize bytes_training; /* what sl_network_bytes () says for the batch asked about */
  gsize bytes_prediction;
} SlNetworkSize;

/* Of what PLAN describes. */
gboolean sl_network_size (const SlNetworkPlan *plan, SlNetworkSize *size, GError **error);

/* Ends with one whose name is NULL. */
extern const SlModelInfo sl_models[];

/* The model of a name such as "mlp:128,64"; and its layers in D, SIZES being what follows the
 * colon, or NULL. */
const SlModelInfo *sl_model_find (const char *name, GError **error);
gboolean sl_model_describe (const SlModelInfo *model, SlDescription *d, const char *sizes,
                            GError **error);

/* Loads the library that networks compute with; NULL, or why that failed. */
const char *sl_network_load (void);
