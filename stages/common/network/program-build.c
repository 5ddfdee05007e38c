/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a program: every layer appends its steps, then every buffer finds its place. */
#include "layers.h"
#include "program-private.h"

/* Gradients are wanted of what a parameter to be trained, or the input if asked, stands before. */
static void
find_wanted (SlProgram *program)
{
  for (guint i = 0; i < program->description->nodes->len; i++)
    {
      const SlNode *node = sl_program_node (program, (int) i);
      gboolean wanted = node->kind == SL_LAYER_INPUT
                            ? program->shared->input_gradient != NULL
                            : program->mode == SL_TRAIN && node->parameter >= 0;
      for (int j = 0; j < node->n_in; j++)
        wanted |= program->wanted[node->in[j]];
      program->wanted[i] = wanted;
    }
}

static const SlLayout *
logits_layout (const SlProgram *program)
{
  return sl_layout_plain (program->shared->dnn, 2,
                          (gint64[]){ program->n, program->shared->description->n_classes },
                          SL_F32);
}

static gboolean
add_forward (SlProgram *program, GError **error)
{
  int n_nodes = (int) program->description->nodes->len;
  for (int i = 0; i < n_nodes; i++)
    if (sl_program_node (program, i)->kind != SL_LAYER_NONE
        && !sl_layers[sl_program_node (program, i)->kind]->forward (program, i, error))
      return FALSE;
  SlTensor result = program->states[n_nodes - 1].value;
  SlPrimitive *reorder
      = sl_reorder_primitive (program->shared->dnn, result.layout, logits_layout (program), error);
  if (reorder == NULL)
    return FALSE;
  SlTensor logits = sl_program_fixed (program, program->shared->logits, logits_layout (program));
  sl_program_step (program, reorder, 2, (SlUse[]){ { SL_SRC, result }, { SL_DST, logits } });
  program->n_forward = (int) program->steps->len;
  return TRUE;
}

static gboolean
add_backward (SlProgram *program, GError **error)
{
  int last = (int) program->description->nodes->len - 1;
  SlTensor given
      = sl_program_fixed (program, program->shared->logits_gradient, logits_layout (program));
  program->contributions[last] = g_array_new (FALSE, FALSE, sizeof (SlTensor));
  g_array_append_val (program->contributions[last], given);
  for (int i = last; i >= 0; i--)
    if (program->wanted[i] && sl_program_node (program, i)->kind != SL_LAYER_NONE
        && !sl_layers[sl_program_node (program, i)->kind]->backward (program, i, error))
      return FALSE;
  return TRUE;
}

static void
place_buffers (SlProgram *program)
{
  int n = (int) program->buffers->len;
  g_autofree SlPlace *places = g_new0 (SlPlace, n);
  for (int i = 0; i < n; i++)
    if (SL_BUFFER (program, i)->fixed == NULL && SL_BUFFER (program, i)->place.first >= 0)
      places[i] = SL_BUFFER (program, i)->place;
  program->bytes = sl_place (places, n);
  for (int i = 0; i < n; i++)
    SL_BUFFER (program, i)->place.offset = places[i].offset;
}

SlProgram *
sl_program_new (SlShared *shared, SlMode mode, int n, GError **error)
{
  SlProgram *program = g_new0 (SlProgram, 1);
  program->shared = shared;
  program->mode = mode;
  program->n = n;
  program->description = sl_description_copy (shared->description);
  sl_description_fuse (program->description, mode != SL_TRAIN);
  guint n_nodes = program->description->nodes->len;
  program->states = g_new0 (SlNodeState, n_nodes);
  program->contributions = g_new0 (GArray *, n_nodes);
  program->wanted = g_new0 (gboolean, n_nodes);
  program->buffers = g_array_new (FALSE, TRUE, sizeof (SlProgramBuffer));
  program->steps = g_array_new (FALSE, TRUE, sizeof (SlProgramStep));
  program->copies = g_ptr_array_new ();
  find_wanted (program);
  if (!add_forward (program, error) || (mode != SL_PREDICT && !add_backward (program, error)))
    {
      sl_program_free (program);
      return NULL;
    }
  place_buffers (program);
  return program;
}

void
sl_program_free (SlProgram *program)
{
  for (guint i = 0; i < program->steps->len; i++)
    g_free (SL_STEP (program, i)->data);
  for (guint i = 0; i < program->description->nodes->len; i++)
    g_clear_pointer (&program->contributions[i], g_array_unref);
  g_array_unref (program->steps);
  g_array_unref (program->buffers);
  g_ptr_array_unref (program->copies);
  sl_description_free (program->description);
  g_free (program->states);
  g_free (program->contributions);
  g_free (program->wanted);
  free (program->owned);
  g_free (program);
}
