/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "network.h"

#include "pipeline/base/error.h"
#include "pipeline/base/large-pages.h"
#include "pipeline/base/random.h"
#include "program.h"
#include "weight-copies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct _SlNetwork
{
  SlNetworkPlan plan;
  SlDescription *description;
  SlProgramShared shared;
  gsize example; /* numbers of an input */
  gsize n_values, n_gradients;
  GPtrArray *programs;
  char *memory; /* of the programs, one after the other */
  gsize memory_bytes;
  float *arrays; /* parameters, gradients, input, logits and their gradients */
  gsize arrays_bytes;
  float *values, *gradients; /* of all parameters, among them */
  float *scales;             /* mean and std */
  SlProgram *ran;            /* the last one that went forward, */
  guint64 key;               /* with this */
};

static gpointer
allocate (gsize bytes, const char *what, GError **error)
{
  void *memory = NULL;
  if (posix_memalign (&memory, bytes >= SL_LARGE_PAGE ? SL_LARGE_PAGE : 64, MAX (bytes, 64)) != 0)
    {
      g_set_error (error, SL_ERROR, SL_ERROR_RUNTIME,
                   "no memory for %" G_GSIZE_FORMAT " MB of %s: a smaller batch takes less",
                   bytes >> 20, what);
      return NULL;
    }
  sl_memory_use_large_pages (memory, bytes);
  return memory;
}

/* ---- planning ---- */

static SlDescription *
describe (const SlNetworkPlan *plan, GError **error)
{
  const SlModelInfo *model
      = plan->described != NULL ? plan->described : sl_model_find (plan->model, error);
  if (model == NULL)
    return NULL;
  if (model->images && (plan->height < 2 || plan->width < 2))
    {
      sl_error_usage (error,
                      "--model %s takes images, and these are vectors of %d numbers: take softmax "
                      "or mlp",
                      plan->model, plan->channels);
      return NULL;
    }
  const char *colon = strchr (plan->model, ':');
  g_autoptr (SlDescription) d = sl_description_new (plan->channels, plan->height, plan->width,
                                                    plan->n_classes, plan->dropout);
  d->pairs = plan->pairs;
  if (!sl_model_describe (model, d, colon != NULL ? colon + 1 : NULL, error))
    return NULL;
  return g_steal_pointer (&d);
}

/* Whether layers have room for their windows everywhere. */
static gboolean
check_sizes (const SlNetworkPlan *plan, const SlDescription *d, GError **error)
{
  for (guint i = 0; i < d->nodes->len; i++)
    if (sl_node (d, (SlValue) i)->height < 1 || sl_node (d, (SlValue) i)->width < 1)
      return sl_error_usage (error, "--model %s: images of %d × %d are too small for it",
                             plan->model, plan->height, plan->width);
  return TRUE;
}

/* Arrays begin at a cache line. */
#define LINE 16

static float *
take_numbers (float **at, gsize n)
{
  float *taken = *at;
  *at += (n + LINE - 1) / LINE * LINE;
  return taken;
}

/* What the last layer takes. */
static const SlNode *
before_last (const SlDescription *d)
{
  const SlNode *last = sl_node (d, (SlValue) d->nodes->len - 1);
  return sl_node (d, last->in[0]);
}

gsize
sl_network_hidden_size (const SlNetwork *network)
{
  const SlNode *of = before_last (network->description);
  return (gsize) of->channels * (gsize) of->height * (gsize) of->width;
}

gsize
sl_network_outputs (const SlNetwork *network)
{
  return (gsize) network->plan.batch * (gsize) network->plan.n_classes;
}

const float *
sl_network_hidden (SlNetwork *network)
{
  return network->shared.hidden;
}

/* Parameters and gradients one after the other; then what goes in and out. */
static gboolean
reserve_arrays (SlNetwork *network, GError **error)
{
  const SlNetworkPlan *plan = &network->plan;
  const GArray *parameters = network->description->parameters;
  for (guint i = 0; i < parameters->len; i++)
    {
      const SlParameter *of = &g_array_index (parameters, SlParameterPlan, i).parameter;
      network->n_values += of->size;
    }
  gsize inputs = (gsize) plan->batch * network->example;
  gsize logits = sl_network_outputs (network);
  gsize hidden = (gsize) plan->batch * sl_network_hidden_size (network);
  network->n_gradients = plan->training ? network->n_values : 0;
  gsize n = network->n_values + network->n_gradients + inputs + 2 * logits
            + (plan->input_gradient ? inputs : 0) + (plan->hidden ? hidden : 0) + 7 * LINE;
  network->arrays_bytes = n * sizeof (float);
  network->arrays = allocate (network->arrays_bytes, "weights", error);
  if (network->arrays == NULL)
    return FALSE;
  float *at = network->arrays;
  network->values = take_numbers (&at, network->n_values);
  network->gradients = take_numbers (&at, network->n_gradients);
  network->shared.input = take_numbers (&at, inputs);
  network->shared.logits = take_numbers (&at, logits);
  network->shared.logits_gradient = take_numbers (&at, logits);
  network->shared.input_gradient = plan->input_gradient ? take_numbers (&at, inputs) : NULL;
  network->shared.hidden = plan->hidden ? take_numbers (&at, hidden) : NULL;
  return TRUE;
}

static void
name_parameters (SlNetwork *network)
{
  const GArray *plans = network->description->parameters;
  network->shared.parameters = g_new0 (SlParameter, plans->len);
  gsize at = 0;
  for (guint i = 0; i < plans->len; i++)
    {
      SlParameter *parameter = &network->shared.parameters[i];
      *parameter = g_array_index (plans, SlParameterPlan, i).parameter;
      parameter->value = network->values + at;
      gboolean trained
          = parameter->role != SL_PARAMETER_MEAN && parameter->role != SL_PARAMETER_VARIANCE;
      if (network->plan.training && trained)
        parameter->grad = network->gradients + at;
      at += parameter->size;
    }
}

static void
copy_scales (SlNetwork *network)
{
  const SlNetworkPlan *plan = &network->plan;
  if (plan->mean == NULL)
    return;
  network->scales = g_new (float, 2 * (gsize) plan->channels);
  memcpy (network->scales, plan->mean, (gsize) plan->channels * sizeof (float));
  memcpy (network->scales + plan->channels, plan->std, (gsize) plan->channels * sizeof (float));
  network->shared.mean = network->scales;
  network->shared.std = network->scales + plan->channels;
}

static SlProgram *
add_program (SlNetwork *network, SlMode mode, int n, int items, GError **error)
{
  SlProgram *program = sl_program_new (&network->shared, mode, n, items, error);
  if (program != NULL)
    g_ptr_array_add (network->programs, program);
  return program;
}

static SlMode
mode_of (const SlNetwork *network, gboolean training)
{
  if (training)
    return SL_TRAIN;
  return network->plan.input_gradient && !network->plan.training ? SL_ATTACK : SL_PREDICT;
}

/* Threads wait for one another after each operation, so small networks run on fewer: one for every
 * so many multiply-adds of a batch. */
#define MULTIPLY_ADDS_A_THREAD 1.5e7

static int
useful_threads (const SlNetworkPlan *plan, const SlDescription *d)
{
  double work = sl_description_multiply_adds (d) * plan->batch / MULTIPLY_ADDS_A_THREAD;
  return work < plan->threads ? MAX ((int) work, 1) : plan->threads;
}

SlNetwork *
sl_network_new (const SlNetworkPlan *plan, GError **error)
{
  g_autoptr (SlNetwork) network = g_new0 (SlNetwork, 1);
  network->plan = *plan;
  network->plan.model = NULL;
  network->programs = g_ptr_array_new_with_free_func ((GDestroyNotify) sl_program_free);
  network->example = (gsize) plan->channels * (gsize) plan->height * (gsize) plan->width;
  SlProgramShared *shared = &network->shared;
  shared->copies = g_ptr_array_new_with_free_func (sl_weight_copy_free);
  shared->description = network->description = describe (plan, error);
  if (network->description == NULL || !check_sizes (plan, network->description, error))
    return NULL;
  shared->threads = useful_threads (plan, network->description);
  shared->dnn = sl_dnn_new (shared->threads, error);
  if (shared->dnn != NULL && plan->bf16 && sl_dnn_abilities ().bf16 == SL_BF16_NEVER)
    {
      g_set_error (error, SL_ERROR, SL_ERROR_RUNTIME,
                   "--precision bf16 needs a processor with AVX-512; this one has none");
      return NULL;
    }
  if (shared->dnn == NULL || !reserve_arrays (network, error))
    return NULL;
  shared->number = plan->bf16 ? SL_BF16 : SL_F32;
  name_parameters (network);
  copy_scales (network);
  if (plan->training && add_program (network, SL_TRAIN, plan->batch, plan->batch, error) == NULL)
    return NULL;
  if (add_program (network, mode_of (network, FALSE), plan->batch, plan->batch, error) == NULL)
    return NULL;
  return g_steal_pointer (&network);
}

void
sl_network_free (SlNetwork *network)
{
  g_ptr_array_unref (network->programs);
  g_ptr_array_unref (network->shared.copies);
  g_clear_pointer (&network->description, sl_description_free);
  g_clear_pointer (&network->shared.dnn, sl_dnn_free);
  g_free (network->shared.parameters);
  g_free (network->scales);
  free (network->arrays);
  free (network->memory);
  g_free (network);
}

static gsize
programs_bytes (const SlNetwork *network)
{
  gsize bytes = 0;
  for (guint i = 0; i < network->programs->len; i++)
    bytes = MAX (bytes, ((SlProgram *) network->programs->pdata[i])->bytes);
  return bytes;
}

gsize
sl_network_bytes (SlNetwork *network)
{
  return programs_bytes (network) + network->arrays_bytes
         + sl_weight_copies_bytes (&network->shared);
}

gboolean
sl_network_allocate (SlNetwork *network, GError **error)
{
  network->memory_bytes = programs_bytes (network);
  network->memory = allocate (network->memory_bytes, "values between layers", error);
  /* Running statistics have no gradient, but their place among the gradients. */
  memset (network->gradients, 0, network->n_gradients * sizeof (float));
  return network->memory != NULL;
}

SlParameter *
sl_network_parameters (SlNetwork *network, int *n)
{
  *n = (int) network->description->parameters->len;
  return network->shared.parameters;
}

/* Each parameter has its own stream: (seed, number of the parameter). */
static void
draw (const SlParameterPlan *plan, float *value, SlRandom *random)
{
  gsize fan = plan->beginning == SL_BEGIN_KAIMING_OUT ? plan->fan_out : plan->fan_in;
  for (gsize i = 0; i < plan->parameter.size; i++)
    switch (plan->beginning)
      {
      case SL_BEGIN_UNIFORM:
        value[i] = (float) ((2 * sl_random_unit (random) - 1) / sqrt ((double) fan));
        break;
      case SL_BEGIN_KAIMING_IN:
      case SL_BEGIN_KAIMING_OUT:
        value[i] = (float) (sqrt (2 / (double) fan) * sl_random_normal (random));
        break;
      case SL_BEGIN_ZERO:
        value[i] = 0;
        break;
      case SL_BEGIN_ONE:
        value[i] = 1;
        break;
      case SL_BEGIN_UNIT:
        value[i] = (float) sl_random_unit (random);
        break;
      }
}

static void
initialise (const SlDescription *d, SlParameter *parameters, guint64 seed)
{
  guint32 purpose = sl_random_purpose ("network: initialisation");
  for (guint i = 0; i < d->parameters->len; i++)
    {
      SlRandom random = sl_random (seed, purpose, i, 0, 0);
      draw (&g_array_index (d->parameters, SlParameterPlan, i), parameters[i].value, &random);
    }
}

void
sl_network_initialise (SlNetwork *network, guint64 seed)
{
  initialise (network->description, network->shared.parameters, seed);
  sl_network_weights_changed (network);
}

void
sl_network_weights_changed (SlNetwork *network)
{
  sl_weight_copies_stale (&network->shared);
}

float *
sl_network_input (SlNetwork *network)
{
  return network->shared.input;
}

void
sl_network_give (SlNetwork *network, const float *x, int n)
{
  SlProgramShared *shared = &network->shared;
  shared->given = NULL;
  if (x == shared->input)
    return;
  /* A normalisation reads numbers and writes others. */
  if (shared->mean != NULL)
    shared->given = x;
  else
    memcpy (shared->input, x, (gsize) n * network->example * sizeof *x);
}

gboolean
sl_network_mixes (const SlNetwork *network)
{
  return network->description->mixed > 0;
}

void
sl_network_pair (SlNetwork *network, const SlPairs *pairs)
{
  network->shared.pairs = *pairs;
}

/* ---- running ---- */

/* The program for N rows of ITEMS inputs; numbers that have not come before take a new one, in the
 * memory of the others if it fits there. */
static SlProgram *
program_for (SlNetwork *network, SlMode mode, int n, int items, GError **error)
{
  SlProgram *program = NULL;
  for (guint i = 0; i < network->programs->len; i++)
    {
      SlProgram *one = network->programs->pdata[i];
      if (one->mode == mode && one->n == n && one->items == items)
        program = one;
    }
  if (program == NULL)
    program = add_program (network, mode, n, items, error);
  if (program == NULL || program->memory != NULL)
    return program;
  char *memory = network->memory;
  if (program->bytes > network->memory_bytes)
    memory = program->owned = allocate (program->bytes, "values between layers", error);
  return memory != NULL && sl_program_bind (program, memory, error) ? program : NULL;
}

const float *
sl_network_forward (SlNetwork *network, int n, gboolean training, guint64 key, GError **error)
{
  g_assert (network->memory != NULL && n > 0 && n <= network->plan.batch);
  g_assert (!training || network->plan.training);
  network->ran = NULL;
  int items = training && sl_network_mixes (network) ? network->shared.pairs.items : n;
  SlProgram *program = program_for (network, mode_of (network, training), n, items, error);
  if (program == NULL || !sl_weight_copies_refresh (program, error)
      || !sl_program_run (program, FALSE, key, error))
    return NULL;
  network->shared.given = NULL;
  /* The running statistics, which are folded into weights, have moved. */
  if (training)
    sl_weight_copies_stale_folded (&network->shared);
  network->ran = program;
  network->key = key;
  return network->shared.logits;
}

gboolean
sl_network_backward (SlNetwork *network, int n, const float *grad_logits, GError **error)
{
  SlProgram *program = network->ran;
  g_assert (program != NULL && program->n == n && program->mode != SL_PREDICT);
  memcpy (network->shared.logits_gradient, grad_logits,
          (gsize) n * (gsize) network->plan.n_classes * sizeof (float));
  return sl_program_run (program, TRUE, network->key, error);
}

const float *
sl_network_input_gradient (SlNetwork *network)
{
  return network->shared.input_gradient;
}

gboolean
sl_network_size (const SlNetworkPlan *plan, SlNetworkSize *size, GError **error)
{
  for (int training = 0; training < 2; training++)
    {
      SlNetworkPlan asked = *plan;
      asked.training = training;
      g_autoptr (SlNetwork) network = sl_network_new (&asked, error);
      if (network == NULL)
        return FALSE;
      gsize bytes = sl_network_bytes (network);
      *(training ? &size->bytes_training : &size->bytes_prediction) = bytes;
      size->multiply_adds = sl_description_multiply_adds (network->description);
      size->n_parameters = 0;
      for (guint i = 0; i < network->description->parameters->len && training; i++)
        if (network->shared.parameters[i].grad != NULL)
          size->n_parameters += network->shared.parameters[i].size;
    }
  return TRUE;
}
