/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "weight-copies.h"

#include "layers.h"
#include "pipeline/base/error.h"

#include <math.h>
#include <stdlib.h>

void
sl_weight_copy_free (gpointer data)
{
  SlWeightCopy *copy = data;
  free (copy->memory);
  free (copy->folded);
  g_free (copy);
}

static gpointer
allocate (gsize bytes, GError **error)
{
  void *memory = NULL;
  if (posix_memalign (&memory, 64, MAX (bytes, 64)) == 0)
    return memory;
  g_set_error (error, SL_ERROR, SL_ERROR_RUNTIME,
               "no memory for %" G_GSIZE_FORMAT " bytes of weights", bytes);
  return NULL;
}

static SlWeightCopy *
find_copy (const SlProgramShared *shared, int parameter, int norm, const SlLayout *layout)
{
  for (guint i = 0; i < shared->copies->len; i++)
    {
      SlWeightCopy *copy = shared->copies->pdata[i];
      if (copy->parameter == parameter && copy->norm == norm
          && sl_layout_equal (copy->layout, layout))
        return copy;
    }
  return NULL;
}

/* The plain layout of a parameter of a convolution or linear layer in as many dimensions as LAYOUT
 * has: groups of outputs, or a window of the input, make one more of them. */
static const SlLayout *
plain_like (SlProgramShared *shared, const SlLayout *layout)
{
  gint64 dim[SL_MAX_DIMS];
  int n_dims = sl_layout_dims (layout, dim);
  return sl_layout_plain (shared->dnn, n_dims, dim, SL_F32);
}

static SlWeightCopy *
add_copy (SlProgramShared *shared, int parameter, int norm, const SlLayout *layout, GError **error)
{
  const SlLayout *plain = plain_like (shared, layout);
  SlWeightCopy *copy = g_new0 (SlWeightCopy, 1);
  g_ptr_array_add (shared->copies, copy);
  copy->parameter = parameter;
  copy->norm = norm;
  copy->layout = layout;
  copy->bytes = sl_layout_bytes (layout);
  copy->stale = TRUE;
  copy->memory = allocate (copy->bytes, error);
  float *from = shared->parameters[parameter].value;
  if (norm >= 0)
    from = copy->folded = allocate (sl_layout_bytes (plain), error);
  if (copy->memory == NULL || from == NULL)
    return NULL;
  SlPrimitive *reorder = sl_reorder_primitive (shared->dnn, plain, layout, error);
  if (reorder == NULL)
    return NULL;
  copy->call = sl_call_new (reorder, error);
  if (copy->call == NULL || !sl_call_bind (copy->call, SL_SRC, from, error)
      || !sl_call_bind (copy->call, SL_DST, copy->memory, error))
    return NULL;
  return copy;
}

SlNetTensor
sl_program_weights (SlProgram *program, int parameter, int norm, const SlLayout *layout,
                    GError **error)
{
  SlProgramShared *shared = program->shared;
  if (norm < 0 && sl_layout_equal (layout, plain_like (shared, layout)))
    return sl_program_fixed (program, shared->parameters[parameter].value, layout);
  SlWeightCopy *copy = find_copy (shared, parameter, norm, layout);
  if (copy == NULL)
    copy = add_copy (shared, parameter, norm, layout, error);
  if (copy == NULL)
    return (SlNetTensor){ -1, NULL };
  if (!g_ptr_array_find (program->copies, copy, NULL))
    g_ptr_array_add (program->copies, copy);
  return sl_program_fixed (program, copy->memory, layout);
}

gsize
sl_weight_copies_bytes (const SlProgramShared *shared)
{
  gsize bytes = 0;
  for (guint i = 0; i < shared->copies->len; i++)
    {
      const SlWeightCopy *copy = shared->copies->pdata[i];
      bytes += copy->bytes;
      if (copy->folded != NULL)
        bytes += shared->parameters[copy->parameter].size * sizeof (float);
    }
  return bytes;
}

void
sl_weight_copies_stale (SlProgramShared *shared)
{
  for (guint i = 0; i < shared->copies->len; i++)
    ((SlWeightCopy *) shared->copies->pdata[i])->stale = TRUE;
}

void
sl_weight_copies_stale_folded (SlProgramShared *shared)
{
  for (guint i = 0; i < shared->copies->len; i++)
    {
      SlWeightCopy *copy = shared->copies->pdata[i];
      copy->stale |= copy->norm >= 0;
    }
}

/* Batch normalisation of running statistics folded into the convolution before it: with s = scale /
 * sqrt (variance + epsilon), weight s and shift + (bias - mean) s. A bias is folded into the
 * copy of PARAMETER, the shift, as norm + 1. */
static void
fold (const SlProgramShared *shared, SlWeightCopy *copy)
{
  const SlParameter *norm = &shared->parameters[copy->norm];
  const SlParameter *weight = &shared->parameters[copy->parameter];
  int n = (int) norm->size;
  gsize row = weight->size / (gsize) n;
  gboolean is_shift = weight->role != SL_PARAMETER_WEIGHT;
  for (int i = 0; i < n; i++)
    {
      float scale = norm[0].value[i] / sqrtf (norm[3].value[i] + SL_NORM_EPSILON);
      if (is_shift)
        {
          float bias = weight->role == SL_PARAMETER_BIAS ? weight->value[i] : 0;
          copy->folded[i] = norm[1].value[i] + (bias - norm[2].value[i]) * scale;
          continue;
        }
      for (gsize j = 0; j < row; j++)
        copy->folded[(gsize) i * row + j] = weight->value[(gsize) i * row + j] * scale;
    }
}

gboolean
sl_weight_copies_refresh (SlProgram *program, GError **error)
{
  for (guint i = 0; i < program->copies->len; i++)
    {
      SlWeightCopy *copy = program->copies->pdata[i];
      if (!copy->stale)
        continue;
      if (copy->norm >= 0)
        fold (program->shared, copy);
      if (!sl_call_run (copy->call, error))
        return FALSE;
      copy->stale = FALSE;
    }
  return TRUE;
}
