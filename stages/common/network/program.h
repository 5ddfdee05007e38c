/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A network's run for one number of examples, as steps over buffers: layers append their steps,
 * then every buffer gets its place in one piece of memory, where it may stand on what is no longer
 * needed. */
#pragma once

#include "description.h"

#include <glib.h>

typedef enum
{
  SL_TRAIN,   /* forward with the batch's statistics; backward to the parameters */
  SL_PREDICT, /* forward */
  SL_ATTACK,  /* forward with the running statistics; backward to the input */
} SlMode;

/* A buffer's number and what lies in it. LAYOUT is NULL where there is none. */
typedef struct
{
  int buffer;
  const SlLayout *layout;
} SlNetTensor;

typedef struct _SlProgram SlProgram;

/* What a step that is a function is called with. */
typedef struct
{
  float *memory[6];
  int n; /* examples */
  int threads;
  guint64 key; /* of what is drawn in this run */
} SlStepCall;

typedef void (*SlStepFunction) (const SlStepCall *call, gconstpointer data);

/* What a layer keeps from its forward steps for its backward ones. */
typedef struct
{
  SlNetTensor value;
  SlPrimitive *forward;
  SlNetTensor kept[4];
  SlNetTensor again; /* the value, made anew for the backward steps; or no layout */
} SlNodeState;

/* Weights in the layout that an operation wants; made anew when the parameters change. */
typedef struct
{
  int parameter;
  int norm; /* the batch normalisation folded into them, or -1 */
  const SlLayout *layout;
  SlCall *call; /* from the plain layout */
  float *memory;
  float *folded; /* plain, with NORM */
  gsize bytes;
  gboolean stale;
} SlWeightCopy;

/* What the programs of a network share. */
typedef struct
{
  SlDnn *dnn;
  const SlDescription *description;
  SlParameter *parameters;
  SlPrecision number; /* of values between layers */
  int threads;
  float *input, *logits, *logits_gradient, *input_gradient;
  float *hidden;           /* what the last layer takes; NULL: nobody asks */
  const float *given;      /* what the next run takes instead of input, or NULL */
  const float *mean, *std; /* per channel, or NULL */
  GPtrArray *copies;       /* SlWeightCopy */
  SlPairs pairs;           /* of the next run of training */
} SlProgramShared;

struct _SlProgram
{
  SlProgramShared *shared;
  SlMode mode;
  int n, items;               /* rows; inputs, which rows may be mixed of (SlPairs) */
  SlDescription *description; /* with layers fused as the mode allows */
  SlNodeState *states;        /* one a node */
  GArray **contributions;  /* SlNetTensor: gradients with respect to a node's value, to be added */
  gboolean *wanted;        /* whether a node's gradient is needed */
  GArray *buffers, *steps; /* private */
  GPtrArray *copies;       /* SlWeightCopy: those that it uses */
  int n_forward;           /* steps before the backward ones */
  gsize bytes;
  char *memory, *owned;
};

SlProgram *sl_program_new (SlProgramShared *shared, SlMode mode, int n, int items, GError **error);
void sl_program_free (SlProgram *program);

/* Puts its buffers into MEMORY, which has program->bytes. */
gboolean sl_program_bind (SlProgram *program, char *memory, GError **error);

/* Runs its forward or its backward steps. */
gboolean sl_program_run (SlProgram *program, gboolean backward, guint64 key, GError **error);

/* ---- for the layers ---- */

static inline const SlNode *
sl_program_node (const SlProgram *program, int node)
{
  return sl_node (program->description, node);
}

/* The value that NODE takes as number WHICH. */
SlNetTensor sl_program_value (const SlProgram *program, int node, int which);
/* How many examples NODE's value is of: inputs, until they are mixed, or rows. */
int sl_program_examples (const SlProgram *program, int node);
/* A node's dimensions: examples, channels, height, width; 2 where the latter are 1. */
int sl_program_dims (const SlProgram *program, int node, gint64 *dim);

SlNetTensor sl_program_tensor (SlProgram *program, const SlLayout *layout);
/* One for what NODE makes, laid out as LIKE is. */
SlNetTensor sl_program_like (SlProgram *program, int node, const SlLayout *like);
/* A plain tensor of float32 at MEMORY, which is not the program's. */
SlNetTensor sl_program_fixed (SlProgram *program, float *memory, const SlLayout *layout);
/* TENSOR in LAYOUT: itself, or a copy. */
SlNetTensor sl_program_as (SlProgram *program, SlNetTensor tensor, const SlLayout *layout,
                           GError **error);
/* What NODE takes as number WHICH in LAYOUT, to be written over: the value itself where NODE is the
 * last to need it, or a copy. */
SlNetTensor sl_program_overwrite (SlProgram *program, int node, int which, const SlLayout *layout,
                                  GError **error);

typedef struct
{
  SlRole role;
  SlNetTensor tensor;
} SlUse;

/* A step: PRIMITIVE with the N tensors of USES; its scratch memory is seen to. */
void sl_program_step (SlProgram *program, SlPrimitive *primitive, int n, const SlUse *uses);
/* A step: FUNCTION with N tensors and DATA, which it takes over. */
void sl_program_call (SlProgram *program, SlStepFunction function, gpointer data, int n,
                      const SlNetTensor *tensors);

/* A parameter's values, or its gradient, as PyTorch has it. */
SlNetTensor sl_program_parameter (SlProgram *program, int parameter);
SlNetTensor sl_program_parameter_gradient (SlProgram *program, int parameter);
/* A weight or a bias in LAYOUT; with NORM >= 0 that batch normalisation folded into it. */
SlNetTensor sl_program_weights (SlProgram *program, int parameter, int norm, const SlLayout *layout,
                                GError **error);

/* A step: PRIMITIVE with the N tensors of USES, which makes the gradient of a weight, PARAMETER,
 * whose plain layout in PRIMITIVE's dimensions is PLAIN. */
gboolean sl_program_step_weights (SlProgram *program, SlPrimitive *primitive, int parameter,
                                  const SlLayout *plain, int n, const SlUse *uses, GError **error);
/* Delivers a contribution to the gradient of what NODE takes as number WHICH. */
void sl_program_deliver (SlProgram *program, int node, int which, SlNetTensor gradient);
/* Whether anybody wants that. */
gboolean sl_program_wants (const SlProgram *program, int node, int which);

typedef struct
{
  gsize bytes;
  int first, last; /* both at the same time as another's: they must not overlap */
  gsize offset;    /* found */
} SlPlace;

/* Finds the offsets of PLACES[n], the largest first, each at the lowest offset that is free all the
 * time that it is needed; returns how much memory that takes. */
gsize sl_place (SlPlace *places, int n);
