/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shake-shake, image-level (Gastaldi 2017): in training y = alpha a + (1 - alpha) b with alpha ~
 * U(0, 1) drawn for each example; backward dL/da = beta dL/dy, dL/db = (1 - beta) dL/dy with
 * another beta ~ U(0, 1). Outside of training both are 1/2, and gradients are exact. */
#include "pipeline/base/parallel.h"
#include "pipeline/base/random.h"
#include "stages/common/network/layers.h"

#include <glib.h>
#include <string.h>

/* bfloat16: the upper half of a float32. */

static inline float
from_bf16 (guint16 x)
{
  guint32 bits = (guint32) x << 16;
  float y;
  memcpy (&y, &bits, sizeof y);
  return y;
}

/* Rounded to the nearest, to even between two; what is no number stays none. */
static inline guint16
to_bf16 (float x)
{
  guint32 bits;
  memcpy (&bits, &x, sizeof bits);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return (guint16) (bits >> 16 | 0x40);
  return (guint16) ((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

typedef struct
{
  int node;
  gboolean drawn, backward;
  SlPrecision number;
  gsize length; /* numbers an example, with those that fill up blocks */
} Shake;

typedef struct
{
  const SlStepCall *call;
  const Shake *how;
  guint32 purpose;
} Work;

static float
coefficient (const Work *work, int example)
{
  if (!work->how->drawn)
    return 0.5f;
  SlRandom random = sl_random (work->call->key, work->purpose, (guint64) example,
                               (guint64) work->how->node, work->how->backward ? 1 : 0);
  return (float) sl_random_unit (&random);
}

/* out = s a + t b, or, with B NULL, out = s a. */
static void
mix (SlPrecision number, gsize first, gsize n, float s, const void *a, float t, const void *b,
     void *out)
{
  if (number == SL_F32)
    for (gsize i = first; i < first + n; i++)
      ((float *) out)[i] = s * ((const float *) a)[i] + (b ? t * ((const float *) b)[i] : 0);
  else
    for (gsize i = first; i < first + n; i++)
      ((guint16 *) out)[i] = to_bf16 (s * from_bf16 (((const guint16 *) a)[i])
                                      + (b ? t * from_bf16 (((const guint16 *) b)[i]) : 0));
}

static void
shake_example (int example, gpointer data)
{
  const Work *work = data;
  const Shake *how = work->how;
  float *const *memory = work->call->memory;
  float s = coefficient (work, example);
  gsize first = (gsize) example * how->length;
  if (!how->backward)
    {
      mix (how->number, first, how->length, s, memory[0], 1 - s, memory[1], memory[2]);
      return;
    }
  mix (how->number, first, how->length, s, memory[0], 0, NULL, memory[1]);
  mix (how->number, first, how->length, 1 - s, memory[0], 0, NULL, memory[2]);
}

static void
shake (const SlStepCall *call, gconstpointer data)
{
  Work work = { call, data, sl_random_purpose ("network: shake") };
  sl_parallel (call->threads, call->n, shake_example, &work);
}

static void
add_step (SlProgram *program, int node, gboolean backward, const SlNetTensor *tensors)
{
  Shake *how = g_new (Shake, 1);
  SlPrecision number = sl_layout_number (tensors[0].layout);
  gsize bytes = sl_layout_bytes (tensors[0].layout);
  *how = (Shake){ node, program->mode == SL_TRAIN, backward, number,
                  bytes / (number == SL_BF16 ? 2 : 4) / (gsize) program->n };
  sl_program_call (program, shake, how, 3, tensors);
}

static gboolean
forward (SlProgram *program, int node, GError **error)
{
  SlNetTensor a = sl_program_value (program, node, 0);
  SlNetTensor b = sl_program_as (program, sl_program_value (program, node, 1), a.layout, error);
  if (b.layout == NULL)
    return FALSE;
  SlNetTensor y = sl_program_tensor (program, a.layout);
  add_step (program, node, FALSE, (SlNetTensor[]){ a, b, y });
  program->states[node].value = y;
  return TRUE;
}

static gboolean
backward (SlProgram *program, int node, SlNetTensor dy, GError **error)
{
  SlNetTensor da = sl_program_tensor (program, dy.layout);
  SlNetTensor db = sl_program_tensor (program, dy.layout);
  add_step (program, node, TRUE, (SlNetTensor[]){ dy, da, db });
  sl_program_deliver (program, node, 0, da);
  sl_program_deliver (program, node, 1, db);
  return TRUE;
}

const SlLayer sl_layer_shake = { forward, backward, NULL };
