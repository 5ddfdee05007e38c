/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Primitives, which are operations with all but their memory, and calls, which have that too. */
#include "library.h"
#include "pipeline/base/process/shortage.h"

dnnl_primitive_attr_t
sl_primitive_attr (gboolean add, gboolean relu)
{
  dnnl_primitive_attr_t attr = NULL;
  if (sl_dnnl.dnnl_primitive_attr_create (&attr) != dnnl_success)
    return NULL;
  sl_dnnl.dnnl_primitive_attr_set_scratchpad_mode (attr, dnnl_scratchpad_mode_user);
  dnnl_post_ops_t post_ops = NULL;
  if ((!add && !relu) || sl_dnnl.dnnl_post_ops_create (&post_ops) != dnnl_success)
    return attr;
#if VERSION_3
  if (add)
    sl_dnnl.dnnl_post_ops_append_sum (post_ops, 1, 0, dnnl_data_type_undef);
  if (relu)
    sl_dnnl.dnnl_post_ops_append_eltwise (post_ops, dnnl_eltwise_relu, 0, 0);
#else
  if (add)
    sl_dnnl.dnnl_post_ops_append_sum (post_ops, 1);
  if (relu)
    sl_dnnl.dnnl_post_ops_append_eltwise (post_ops, 1, dnnl_eltwise_relu, 0, 0);
#endif
  sl_dnnl.dnnl_primitive_attr_set_post_ops (attr, post_ops);
  sl_dnnl.dnnl_post_ops_destroy (post_ops);
  return attr;
}

SlPrimitive *
sl_primitive_keep (SlDnn *dnn, const char *what, dnnl_status_t status, dnnl_primitive_desc_t desc,
                   GError **error)
{
  if (status != dnnl_success)
    {
      sl_dnn_fail (error, what, status);
      return NULL;
    }
  SlPrimitive *primitive = g_new0 (SlPrimitive, 1);
  primitive->dnn = dnn;
  primitive->what = what;
  primitive->desc = desc;
  g_ptr_array_add (dnn->primitives, primitive);
  return primitive;
}

const SlLayout *
sl_primitive_layout (SlPrimitive *primitive, SlRole role)
{
  if (primitive->layout[role] != NULL)
    return primitive->layout[role];
  Md md = sl_dnnl.dnnl_primitive_desc_query_md (primitive->desc, dnnl_query_exec_arg_md,
                                                sl_dnn_role_args[role]);
  if (md == NULL || sl_dnnl.dnnl_memory_desc_get_size (md) == 0)
    return NULL;
  return primitive->layout[role] = sl_layout_copy (primitive->dnn, md);
}

const char *
sl_primitive_kernel (const SlPrimitive *primitive)
{
  const char *name = "?";
  sl_dnnl.dnnl_primitive_desc_query (primitive->desc, dnnl_query_impl_info_str, 0, &name);
  return name;
}

/* Compiles it. */
static gboolean
make (SlPrimitive *primitive, GError **error)
{
  if (primitive->primitive != NULL)
    return TRUE;
  /* It writes its code to what it is given, without a look. */
  sl_shortage_need_maps (TRUE);
  dnnl_status_t status = sl_dnnl.dnnl_primitive_create (&primitive->primitive, primitive->desc);
  sl_shortage_need_maps (FALSE);
  return status == dnnl_success || sl_dnn_fail (error, primitive->what, status);
}

SlCall *
sl_call_new (SlPrimitive *primitive, GError **error)
{
  if (!make (primitive, error))
    return NULL;
  SlCall *call = g_new0 (SlCall, 1);
  call->primitive = primitive;
  g_ptr_array_add (primitive->dnn->calls, call);
  return call;
}

gboolean
sl_call_bind (SlCall *call, SlRole role, void *memory, GError **error)
{
  SlPrimitive *primitive = (SlPrimitive *) call->primitive;
  const SlLayout *layout = sl_primitive_layout (primitive, role);
  g_assert (layout != NULL && call->n < SL_N_ROLES);
  dnnl_exec_arg_t *arg = &call->arg[call->n];
  dnnl_status_t status
      = sl_dnnl.dnnl_memory_create (&arg->memory, MD (layout), primitive->dnn->engine, memory);
  if (status != dnnl_success)
    return sl_dnn_fail (error, primitive->what, status);
  arg->arg = sl_dnn_role_args[role];
  call->n++;
  return TRUE;
}

gboolean
sl_call_run (SlCall *call, GError **error)
{
  const SlPrimitive *primitive = call->primitive;
  dnnl_status_t status = sl_dnnl.dnnl_primitive_execute (
      primitive->primitive, primitive->dnn->stream, call->n, call->arg);
  if (status == dnnl_success)
    status = sl_dnnl.dnnl_stream_wait (primitive->dnn->stream);
  return status == dnnl_success || sl_dnn_fail (error, primitive->what, status);
}
