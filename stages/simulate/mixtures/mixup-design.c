/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stimuli of Collins (MPhil thesis, Cambridge 2022, section 4.2): of every two classes some
 * pairs of items, each at three shares: a half, one of 0.1 and 0.25, one of 0.75 and 0.9. */
#include "pipeline/base/intern/intern.h"
#include "pipeline/base/shown-text.h"
#include "schemas/labels.h"
#include "schemas/mixtures.h"
#include "stages/common/mixtures/mixing.h"
#include "mixup.h"

#include <string.h>

#define SHARES 3

typedef struct
{
  char *name;
  guint64 hash, key; /* of the name; the place among those of its class, for one other class */
} Member;

typedef struct
{
  const SlMixup *mixup;
  SlRun *run;
  gint32 n_classes;
  GArray **members; /* [n_classes] of Member */
  SlBuilder *builder;
} Design;

static void
member_clear (gpointer data)
{
  g_free (((Member *) data)->name);
}

static void
design_clear (Design *design)
{
  for (gint32 k = 0; k < design->n_classes; k++)
    g_array_unref (design->members[k]);
  g_free (design->members);
  g_clear_pointer (&design->builder, sl_builder_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Design, design_clear)

static gboolean
add_items (Design *design, GHashTable *seen, const SlBatch *batch, GError **error)
{
  SlLabels view = sl_labels_view (batch);
  gsize n_classes = (gsize) view.n_classes;
  for (gint64 i = 0; i < view.n; i++)
    {
      gsize length;
      const char *text = sl_text_get (view.item, i, &length);
      gint64 row = batch->first_row + i + 1;
      g_autofree char *shown = sl_shown (text, length);
      gint32 class = sl_mix_certain (view.label + (gsize) i * n_classes, view.n_classes);
      if (class < 0)
        return sl_error_row (error, row,
                             "the label of item '%s' is soft; --design thesis needs certain ones "
                             "(`softlabel aggregate --method majority`)",
                             shown);
      Member member = { g_strndup (text, length), sl_text_hash (text, length), 0 };
      g_array_append_val (design->members[class], member);
      if (!g_hash_table_add (seen, member.name))
        return sl_error_row (error, row,
                             "item '%s' is there twice; `softlabel aggregate` makes one label an "
                             "item",
                             shown);
      if (!sl_run_claim (design->run, sizeof member + length + 64, "the items", error))
        return FALSE;
    }
  return TRUE;
}

static int
by_key (gconstpointer a, gconstpointer b)
{
  const Member *one = a, *other = b;
  return SL_COMPARE (one->key, other->key) ?: strcmp (one->name, other->name);
}

/* The members of CLASS in an order that is drawn for their mixtures with OTHER: by a number of each
 * item's own, so that it does not depend on the other items. */
static void
shuffle_for (const Design *design, gint32 class, gint32 other)
{
  guint32 purpose = sl_random_purpose ("simulate mixup: design");
  GArray *members = design->members[class];
  for (guint i = 0; i < members->len; i++)
    {
      Member *member = &g_array_index (members, Member, i);
      SlRandom random = sl_random (design->run->seed, purpose, member->hash, 0, (guint32) other);
      member->key = sl_random_u64 (&random);
    }
  g_array_sort (members, by_key);
}

static void
add_mixture (Design *design, gint32 i, gint32 j, const Member *first, const Member *second,
             int number, double lambda)
{
  SlBuilder *builder = design->builder;
  g_autoptr (GString) name = g_string_new (NULL);
  sl_mixup_append_name (name, first->name, strlen (first->name), second->name,
                        strlen (second->name));
  g_string_append_printf (name, "#%d", number);
  sl_builder_text (builder, SL_MIXTURES_ITEM, name->str, name->len);
  sl_builder_text (builder, SL_MIXTURES_FIRST, first->name, strlen (first->name));
  sl_builder_text (builder, SL_MIXTURES_SECOND, second->name, strlen (second->name));
  sl_builder_class (builder, SL_MIXTURES_FIRST_CLASS, i);
  sl_builder_class (builder, SL_MIXTURES_SECOND_CLASS, j);
  sl_builder_real (builder, SL_MIXTURES_LAMBDA, lambda);
  double share = design->mixup->target == SL_MIXUP_LOGISTIC
                     ? sl_mix_model_share (design->mixup->model, i, j, lambda)
                     : lambda;
  sl_mix_classes (i, j, share, 0, design->n_classes,
                  sl_builder_labels (builder, SL_MIXTURES_LABEL, 1));
}

static gboolean
add_pair (Design *design, char *const *classes, gint32 i, gint32 j, GError **error)
{
  gint64 pairs = design->mixup->pairs;
  guint most = MIN (design->members[i]->len, design->members[j]->len);
  if (most < pairs)
    return sl_error_bad_input (error,
                               "class '%s' has %u items; of every two classes %" G_GINT64_FORMAT
                               " pairs are wanted (--pairs)",
                               classes[design->members[i]->len == most ? i : j], most, pairs);
  shuffle_for (design, i, j);
  shuffle_for (design, j, i);
  for (guint p = 0; p < pairs; p++)
    {
      double lambda[SHARES];
      const Member *first = &g_array_index (design->members[i], Member, p);
      const Member *second = &g_array_index (design->members[j], Member, p);
      guint32 purpose = sl_random_purpose ("simulate mixup: design shares");
      SlRandom random = sl_random (design->run->seed, purpose, first->hash, second->hash, 0);
      guint32 bits = sl_random_u32 (&random);
      lambda[0] = 0.5;
      lambda[1] = (bits & 1) != 0 ? 0.25 : 0.1;
      lambda[2] = (bits & 2) != 0 ? 0.9 : 0.75;
      for (int s = 0; s < SHARES; s++)
        {
          add_mixture (design, i, j, first, second, s + 1, lambda[s]);
          if (sl_builder_room (design->builder) == 0
              && !sl_writer_write_built (design->run->out, design->builder, FALSE, error))
            return FALSE;
        }
    }
  return TRUE;
}

gboolean
sl_mixup_design (const SlMixup *mixup, SlRun *run, GError **error)
{
  const SlTable *in = sl_reader_table (run->in);
  g_auto (Design) design = { .mixup = mixup, .run = run, .n_classes = in->n_classes };
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  design.members = g_new (GArray *, (gsize) in->n_classes + 1);
  for (gint32 k = 0; k < in->n_classes; k++)
    {
      design.members[k] = g_array_new (FALSE, FALSE, sizeof (Member));
      g_array_set_clear_func (design.members[k], member_clear);
    }
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (run, &batch, &ok, error))
    ok = add_items (&design, seen, batch, error);
  if (!ok)
    return FALSE;
  g_autoptr (SlTable) table = sl_table_new (&sl_mixtures, (const char *const *) in->classes);
  for (int column = SL_MIXTURES_FIRST; column <= SL_MIXTURES_SECOND_CLASS; column++)
    sl_table_add (table, column);
  sl_table_add (table, SL_MIXTURES_LABEL);
  if (!sl_run_start (run, table, error))
    return FALSE;
  design.builder = sl_builder_new (table);
  for (gint32 i = 0; i < in->n_classes; i++)
    for (gint32 j = i + 1; j < in->n_classes; j++)
      if (!add_pair (&design, in->classes, i, j, error))
        return FALSE;
  return sl_writer_write_built (run->out, design.builder, TRUE, error);
}
