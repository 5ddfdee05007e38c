/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which runs of one kind go together. Those of a cross-validation have no item in common and all
 * items together: they are one. Otherwise every run must have the same items. */
#include "groups.h"

/* Runs without an item in common. */
typedef struct
{
  GPtrArray *sets; /* SlScoredSet */
  guint64 *seen;   /* [words] */
  gint64 n;
  guint64 mark; /* as a set's */
} Pass;

static void
pass_free (gpointer data)
{
  Pass *pass = data;
  g_ptr_array_unref (pass->sets);
  g_free (pass->seen);
  g_free (pass);
}

static gboolean
overlaps (const Pass *pass, const SlScoredSet *set)
{
  for (gsize w = 0; w < set->words; w++)
    if (pass->seen[w] & set->seen[w])
      return TRUE;
  return FALSE;
}

static void
add_set (Pass *pass, SlScoredSet *set)
{
  for (gsize w = 0; w < set->words; w++)
    pass->seen[w] |= set->seen[w];
  pass->n += set->n;
  pass->mark += set->mark;
  g_ptr_array_add (pass->sets, set);
}

static int
compare_sets (gconstpointer a, gconstpointer b)
{
  const SlScoredSet *x = *(SlScoredSet *const *) a, *y = *(SlScoredSet *const *) b;
  return SL_COMPARE (x->file, y->file) ?: SL_COMPARE (x->key.run, y->key.run);
}

/* Each set joins the first pass that it has no item in common with. */
static GPtrArray *
find_passes (GPtrArray *sets, gsize words, gint64 all)
{
  GPtrArray *passes = g_ptr_array_new_with_free_func (pass_free);
  g_ptr_array_sort (sets, compare_sets);
  for (guint s = 0, open = 0; s < sets->len; s++)
    {
      guint p = open;
      while (p < passes->len && overlaps (passes->pdata[p], sets->pdata[s]))
        p++;
      if (p == passes->len)
        {
          Pass *pass = g_new0 (Pass, 1);
          pass->sets = g_ptr_array_new ();
          pass->seen = g_new0 (guint64, words);
          g_ptr_array_add (passes, pass);
        }
      add_set (passes->pdata[p], sets->pdata[s]);
      while (open < passes->len && ((Pass *) passes->pdata[open])->n == all)
        open++;
    }
  return passes;
}

static gint64
union_of (GPtrArray *sets, gsize words)
{
  g_autofree guint64 *seen = g_new0 (guint64, words);
  gint64 n = 0;
  for (guint s = 0; s < sets->len; s++)
    {
      const SlScoredSet *set = sets->pdata[s];
      for (gsize w = 0; w < set->words; w++)
        seen[w] |= set->seen[w];
    }
  for (gsize w = 0; w < words; w++)
    n += __builtin_popcountll (seen[w]);
  return n;
}

static char *
name_of (const SlScoring *scoring, const SlScoredSet *set, gboolean several)
{
  const SlScoredFile *file = scoring->files->pdata[set->file];
  return several ? g_strdup_printf ("%s, run %d", file->name, set->key.run) : g_strdup (file->name);
}

/* Some of the items that PASS lacks: of the reference, or of those that SETS have. */
static char *
some_absent (const SlScoring *scoring, const Pass *pass, GPtrArray *sets, gsize words)
{
  GString *some = g_string_new (NULL);
  gint32 size = sl_intern_size (scoring->items);
  for (gint32 i = 0, told = 0; i < size && told < 3; i++)
    {
      gboolean wanted = scoring->against != NULL && !scoring->inner;
      for (guint s = 0; s < sets->len && !wanted; s++)
        wanted = sl_scored_set_has (sets->pdata[s], i);
      if (!wanted || ((gsize) i / 64 < words && pass->seen[i / 64] >> (i % 64) & 1))
        continue;
      g_autofree char *shown = sl_item_shown (scoring->items, i);
      g_string_append_printf (some, "%s'%s'", told++ > 0 ? ", " : "", shown);
    }
  return g_string_free (some, FALSE);
}

static gboolean
refuse (const SlScoring *scoring, const Pass *pass, GPtrArray *sets, gsize words, gint64 all,
        GError **error)
{
  const SlScoredSet *set = pass->sets->pdata[0];
  const SlScoredFile *file = scoring->files->pdata[set->file];
  g_autofree char *some = some_absent (scoring, pass, sets, words);
  if (scoring->against != NULL)
    return sl_error_bad_input (error,
                               "%s: %" G_GINT64_FORMAT " of the %" G_GINT64_FORMAT
                               " items of %s are not there%s, such as %s; --inner scores "
                               "the items that are in both",
                               file->name, all - pass->n, all, scoring->against->name,
                               sets->len > 1 ? " in each run" : "", some);
  g_autofree char *name = name_of (scoring, set, scoring->files->len < sets->len);
  return sl_error_bad_input (error,
                             "%s: %" G_GINT64_FORMAT " of the %" G_GINT64_FORMAT
                             " items of all runs are not there, such as %s; runs are averaged over "
                             "the same items: --inner takes each as it is, and `softlabel cat "
                             "--tag KEY=VALUE` tells tables apart",
                             name, all - pass->n, all, some);
}

/* With --inner. */
static void
tell_unequal (const SlScoring *scoring, GPtrArray *sets, gint64 all)
{
  gint64 least = all;
  for (guint s = 0; s < sets->len; s++)
    least = MIN (least, ((SlScoredSet *) sets->pdata[s])->n);
  sl_run_warn (scoring->run,
               "the %u runs are of different items (%" G_GINT64_FORMAT
               " or more, of %" G_GINT64_FORMAT " in all): each is scored by its own",
               sets->len, least, all);
}

/* Runs that say the same of the same items. */
static gboolean
check_twice (const SlScoring *scoring, GPtrArray *passes, GError **error)
{
  for (guint a = 0; a < passes->len; a++)
    for (guint b = a + 1; b < MIN (passes->len, a + 100); b++)
      {
        const Pass *one_pass = passes->pdata[a], *other_pass = passes->pdata[b];
        const SlScoredSet *x = one_pass->sets->pdata[0], *y = other_pass->sets->pdata[0];
        if (one_pass->mark != other_pass->mark || one_pass->n != other_pass->n
            || one_pass->mark == 0)
          continue;
        const SlScoredFile *first = scoring->files->pdata[x->file];
        const SlScoredFile *second = scoring->files->pdata[y->file];
        gboolean several = x->file == y->file;
        g_autofree char *one = name_of (scoring, x, several);
        g_autofree char *other = name_of (scoring, y, several);
        if (!several && g_strcmp0 (first->provenance, second->provenance) == 0)
          return sl_error_bad_input (
              error, "%s and %s are the same run: its figures would count twice", one, other);
        sl_run_warn (scoring->run, "%s and %s say the same of every item, and count as two runs",
                     one, other);
        return TRUE;
      }
  return TRUE;
}

static void
note_inner (const SlScoring *scoring, GPtrArray *sets)
{
  for (guint s = 0; s < sets->len && scoring->against != NULL && scoring->inner; s++)
    {
      const SlScoredSet *set = sets->pdata[s];
      gint32 size = sl_reference_size (scoring->against);
      g_autofree char *name = name_of (scoring, set, scoring->files->len < sets->len);
      if (set->n < size)
        sl_run_note (scoring->run, "%s: %" G_GINT64_FORMAT " of the %d items of %s are there", name,
                     set->n, size, scoring->against->name);
    }
}

static void
join_passes (const SlScoring *scoring, GPtrArray *passes, GHashTable *one)
{
  guint joined = 0, runs = 0;
  gboolean files = FALSE;
  for (guint p = 0; p < passes->len; p++)
    {
      const Pass *pass = passes->pdata[p];
      SlScoredSet *first = pass->sets->pdata[0];
      if (pass->sets->len < 2)
        continue;
      joined++;
      runs += pass->sets->len;
      for (guint s = 0; s < pass->sets->len; s++)
        {
          files |= ((SlScoredSet *) pass->sets->pdata[s])->file != first->file;
          g_hash_table_insert (one, pass->sets->pdata[s], first);
        }
    }
  /* Folds of one table are nothing unusual; tables may have been meant otherwise. */
  (files ? sl_run_warn : sl_run_note) (scoring->run,
                                       "%u runs have no item in common, and together all items: "
                                       "they are scored as %u run%s",
                                       runs, joined, joined > 1 ? "s" : "");
}

static const Pass *
find_lacking (GPtrArray *passes, gint64 all)
{
  for (guint p = 0; p < passes->len; p++)
    if (((Pass *) passes->pdata[p])->n < all)
      return passes->pdata[p];
  return NULL;
}

/* SETS (SlScoredSet) are runs of one kind, which a figure would be averaged over. Runs that are one
 * get the same file and run of ONE (by SlScoredSet: what its key is then). That they have other
 * items than each other, or than the reference, is an error, or with --inner told; that the same
 * one is there twice, too. TOGETHER: they will be scored as one. */
static gboolean
join_runs (SlScoring *scoring, GPtrArray *sets, gboolean together, GHashTable *one, GError **error)
{
  gsize words = 1;
  for (guint s = 0; s < sets->len; s++)
    words = MAX (words, ((SlScoredSet *) sets->pdata[s])->words);
  gsize bytes = (sets->len + 1) * words * sizeof (guint64);
  if (!sl_run_claim (scoring->run, bytes, "which items each run has", error))
    return FALSE;
  gint64 all = scoring->against != NULL && !scoring->inner ? sl_reference_size (scoring->against)
                                                           : union_of (sets, words);
  g_autoptr (GPtrArray) passes = find_passes (sets, words, all);
  const Pass *lacking = find_lacking (passes, all);
  note_inner (scoring, sets);
  sl_run_release (scoring->run, bytes);
  if (lacking != NULL && !scoring->inner)
    return refuse (scoring, lacking, sets, words, all, error);
  if (lacking != NULL)
    tell_unequal (scoring, sets, all);
  else if (together && passes->len < sets->len)
    join_passes (scoring, passes, one);
  return check_twice (scoring, passes, error);
}

/* ---- families ---- */

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
  whole.class = whole.entropy = whole.question = -1;
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
    if (!join_runs (scoring, families->pdata[f], !(scoring->by & SL_BY_RUN), one, error))
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
