/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A context, which owns the layouts, primitives and calls that are made with it. */
#include "library.h"

#include "pipeline/base/error.h"

const int sl_dnn_role_args[SL_N_ROLES] = {
  [SL_SRC] = DNNL_ARG_SRC,
  [SL_SRC_1] = DNNL_ARG_SRC_1,
  [SL_WEIGHTS] = DNNL_ARG_WEIGHTS,
  [SL_BIAS] = DNNL_ARG_BIAS,
  [SL_DST] = DNNL_ARG_DST,
  [SL_DIFF_SRC] = DNNL_ARG_DIFF_SRC,
  [SL_DIFF_WEIGHTS] = DNNL_ARG_DIFF_WEIGHTS,
  [SL_DIFF_BIAS] = DNNL_ARG_DIFF_BIAS,
  [SL_DIFF_DST] = DNNL_ARG_DIFF_DST,
  [SL_MEAN] = DNNL_ARG_MEAN,
  [SL_VARIANCE] = DNNL_ARG_VARIANCE,
  [SL_SCALE] = DNNL_ARG_SCALE,
  [SL_SHIFT] = DNNL_ARG_SHIFT,
  [SL_DIFF_SCALE] = DNNL_ARG_DIFF_SCALE,
  [SL_DIFF_SHIFT] = DNNL_ARG_DIFF_SHIFT,
  [SL_WORKSPACE] = DNNL_ARG_WORKSPACE,
  [SL_SCRATCHPAD] = DNNL_ARG_SCRATCHPAD,
};

gboolean
sl_dnn_fail (GError **error, const char *what, dnnl_status_t status)
{
  if (status == dnnl_out_of_memory)
    g_set_error (error, SL_ERROR, SL_ERROR_RUNTIME, "out of memory in oneDNN (%s)", what);
  else
    g_set_error (error, SL_ERROR, SL_ERROR_RUNTIME, "oneDNN cannot do %s here (status %d)", what,
                 (int) status);
  return FALSE;
}

static void
free_layout (gpointer data)
{
  SlLayout *layout = data;
#if VERSION_3
  sl_dnnl.dnnl_memory_desc_destroy (layout->md);
#endif
  g_free (layout);
}

static void
free_primitive (gpointer data)
{
  SlPrimitive *primitive = data;
  if (primitive->primitive != NULL)
    sl_dnnl.dnnl_primitive_destroy (primitive->primitive);
  sl_dnnl.dnnl_primitive_desc_destroy (primitive->desc);
  g_free (primitive);
}

static void
free_call (gpointer data)
{
  SlCall *call = data;
  for (int i = 0; i < call->n; i++)
    sl_dnnl.dnnl_memory_destroy (call->arg[i].memory);
  g_free (call);
}

SlDnn *
sl_dnn_new (int threads, GError **error)
{
  const char *message = sl_dnnl_load ();
  if (message != NULL)
    {
      g_set_error (error, SL_ERROR, SL_ERROR_RUNTIME,
                   "networks need oneDNN, which cannot be loaded: %s", message);
      return NULL;
    }
  g_autoptr (SlDnn) dnn = g_new0 (SlDnn, 1);
  dnn->threads = threads;
  dnn->layouts = g_ptr_array_new_with_free_func (free_layout);
  dnn->primitives = g_ptr_array_new_with_free_func (free_primitive);
  dnn->calls = g_ptr_array_new_with_free_func (free_call);
  dnnl_status_t status = sl_dnnl.dnnl_engine_create (&dnn->engine, dnnl_cpu, 0);
  if (status == dnnl_success)
    status = sl_dnnl.dnnl_stream_create (&dnn->stream, dnn->engine, dnnl_stream_default_flags);
  if (status != dnnl_success)
    {
      sl_dnn_fail (error, "anything", status);
      return NULL;
    }
  sl_dnn_use_threads (dnn);
  return g_steal_pointer (&dnn);
}

void
sl_dnn_free (SlDnn *dnn)
{
  g_ptr_array_unref (dnn->calls);
  g_ptr_array_unref (dnn->primitives);
  g_ptr_array_unref (dnn->layouts);
  if (dnn->stream != NULL)
    sl_dnnl.dnnl_stream_destroy (dnn->stream);
  if (dnn->engine != NULL)
    sl_dnnl.dnnl_engine_destroy (dnn->engine);
  g_free (dnn);
}

SlDnnAbilities
sl_dnn_abilities (void)
{
  static const struct
  {
    SlBf16 bf16;
    dnnl_cpu_isa_t isa;
  } ways[] = { { SL_BF16_BY_MATRICES, dnnl_cpu_isa_avx512_core_amx },
               { SL_BF16_BY_VECTORS, dnnl_cpu_isa_avx512_core_bf16 },
               { SL_BF16_BY_CONVERSION, dnnl_cpu_isa_avx512_core } };
  dnnl_cpu_isa_t isa = sl_dnnl.dnnl_get_effective_cpu_isa ();
  for (gsize i = 0; i < G_N_ELEMENTS (ways); i++)
    if ((isa & ways[i].isa) == ways[i].isa)
      return (SlDnnAbilities){ ways[i].bf16, !VERSION_3 };
  return (SlDnnAbilities){ SL_BF16_NEVER, FALSE };
}

void
sl_dnn_use_threads (SlDnn *dnn)
{
  if (sl_dnnl.omp_set_num_threads != NULL)
    sl_dnnl.omp_set_num_threads (dnn->threads);
}
