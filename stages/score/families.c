/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "families.h"

#include "groups.h"
#include "runs.h"

typedef struct
{
  const SlScoring *scoring;
  GHashTable *one; /* SlScoredSet to the one whose file and run it gets */
} Renaming;

static void
rename_key (SlCaseKey *key, gpointer data)
{
  const Renaming *renaming = data;
  SlCaseKey whole = *key;
  whole.class = whole.entropy = -1;
  const SlScoredSet *set = g_hash_table_lookup (renaming->scoring->by_set, &whole);
  const SlScoredSet *first = set != NULL ? g_hash_table_lookup (renaming->one, set) : NULL;
  if (first == NULL)
    return;
  key->file = first->key.file;
  key->run = first->key.run;
}

/* Sets that differ in no more than what figures are averaged over, in order of first appearance. */
static GPtrArray *
find_families (const SlScoring *scoring, const GPtrArray *tags)
{
  GPtrArray *families = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  g_autoptr (GHashTable) by_text = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint s = 0; s < scoring->sets->len; s++)
    {
      SlScoredSet *set = scoring->sets->pdata[s];
      SlCaseKey key = set->key;
      key.run = -1;
      g_autofree char *text = sl_score_text_of (scoring, &key, tags);
      GPtrArray *family = g_hash_table_lookup (by_text, text);
      if (family == NULL)
        {
          family = g_ptr_array_new ();
          g_ptr_array_add (families, family);
          g_hash_table_insert (by_text, g_steal_pointer (&text), family);
        }
      g_ptr_array_add (family, set);
    }
  return families;
}

gboolean
sl_families_join (SlScoring *scoring, const GPtrArray *tags, GError **error)
{
  g_autoptr (GHashTable) one = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) families = find_families (scoring, tags);
  for (guint f = 0; f < families->len; f++)
    if (!sl_runs_join (scoring, families->pdata[f], !(scoring->by & SL_BY_RUN), one, error))
      return FALSE;
  Renaming renaming = { scoring, one };
  if (g_hash_table_size (one) == 0)
    return TRUE;
  if (!sl_run_claim (scoring->run, sl_cases_bytes (&scoring->cases), "what the folds say together",
                     error))
    return FALSE;
  sl_cases_rename (&scoring->cases, rename_key, &renaming);
  return TRUE;
}
