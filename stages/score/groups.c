/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "groups.h"

#include "pipeline/base/number-text.h"
#include "stages/common/tables/row-conditions.h"

#include <string.h>

static void
run_free (gpointer data)
{
  SlScoreRun *run = data;
  g_ptr_array_unref (run->cases);
  g_free (run);
}

static void
group_free (gpointer data)
{
  SlScoreGroup *group = data;
  g_free (group->text);
  sl_tags_clear (&group->tags);
  g_ptr_array_unref (group->runs);
  g_free (group);
}

/* What --by names besides tags. */
static gboolean
is_of_rows (const char *key)
{
  static const char *const names[]
      = { "class",   "entropy", "run",        "annotator", "question", "attack",
          "epsilon", "step",    "corruption", "severity",  "none",     NULL };
  return g_strv_contains (names, key);
}

static gboolean
differs (const SlScoring *scoring, const char *key)
{
  const char *first = sl_tags_get (scoring->tags->pdata[0], key);
  for (guint f = 1; f < scoring->tags->len; f++)
    if (g_strcmp0 (sl_tags_get (scoring->tags->pdata[f], key), first) != 0)
      return TRUE;
  return FALSE;
}

static void
add_key (GPtrArray *keys, const char *key, const char *mean_over)
{
  if (g_strcmp0 (key, mean_over) != 0
      && !g_ptr_array_find_with_equal_func (keys, key, g_str_equal, NULL))
    g_ptr_array_add (keys, (gpointer) key);
}

/* The tags that groups are told apart by. */
static GPtrArray *
find_tags (const SlScoring *scoring, char *const *by, const char *mean_over, GError **error)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  for (; by != NULL && *by != NULL; by++)
    {
      gboolean there = FALSE;
      for (guint f = 0; f < scoring->tags->len; f++)
        there = there || sl_tags_get (scoring->tags->pdata[f], *by) != NULL;
      if (there)
        add_key (keys, *by, mean_over);
      else if (!is_of_rows (*by))
        {
          sl_error_usage (error,
                          "--by %s: no table has such a tag; what else there is to group by: "
                          "class, entropy, run, annotator, question",
                          *by);
          return NULL;
        }
      if (by[1] == NULL)
        return g_steal_pointer (&keys);
    }
  for (guint f = 0; f < scoring->tags->len; f++)
    {
      const SlTags *tags = scoring->tags->pdata[f];
      for (int t = 0; t < tags->n; t++)
        if (differs (scoring, tags->tag[t].key))
          add_key (keys, tags->tag[t].key, mean_over);
    }
  return g_steal_pointer (&keys);
}

typedef struct
{
  const SlScoring *scoring;
  const char *mean_over;
  gboolean met; /* MEAN_OVER is something that rows have */
  GString *text;
} Telling;

static void
append_condition (Telling *telling, const char *key, const char *value)
{
  if (g_strcmp0 (key, telling->mean_over) == 0)
    telling->met = TRUE;
  else
    sl_group_append (telling->text, key, value);
}

static void
tell_text (Telling *telling, const char *key, gint32 number)
{
  gsize length;
  if (number < 0)
    return;
  const char *text = sl_intern_get (telling->scoring->texts, number, &length);
  g_autofree char *value = g_strndup (text, length);
  append_condition (telling, key, value);
}

static void
tell_number (Telling *telling, const char *key, gint32 number)
{
  if (number < 0)
    return;
  g_autofree char *value = g_strdup_printf ("%d", number);
  append_condition (telling, key, value);
}

static void
tell_real (Telling *telling, const char *key, double number)
{
  char value[SL_REAL_CHARS + 1];
  value[sl_format_real (value, number)] = '\0';
  append_condition (telling, key, value);
}

static void
tell_entropy (Telling *telling, gint32 group)
{
  const SlScoring *scoring = telling->scoring;
  char edge[SL_REAL_CHARS + 1];
  if (group < 0)
    return;
  edge[sl_format_real (edge, scoring->edges[MAX (group - 1, 0)])] = '\0';
  g_autofree char *value
      = group == 0 ? g_strdup_printf ("below %s", edge) : g_strdup_printf ("from %s", edge);
  append_condition (telling, "entropy", value);
}

static void
tell_case (Telling *telling, const SlCaseKey *key, const GPtrArray *tags)
{
  const SlScoring *scoring = telling->scoring;
  for (guint t = 0; t < tags->len; t++)
    {
      const char *value = sl_tags_get (scoring->tags->pdata[key->file], tags->pdata[t]);
      append_condition (telling, tags->pdata[t], value != NULL ? value : "");
    }
  if (scoring->by & SL_BY_RUN)
    tell_number (telling, "run", key->run);
  tell_text (telling, "annotator", key->annotator);
  tell_text (telling, "question", key->question);
  tell_text (telling, "attack", key->attack);
  if (key->has_epsilon)
    tell_real (telling, "epsilon", key->epsilon);
  gsize length;
  const char *attack = key->attack >= 0 ? sl_intern_get (scoring->texts, key->attack, &length) : "";
  /* FGSM has one step. */
  if (strcmp (attack, "fgsm") != 0)
    tell_number (telling, "step", key->step);
  tell_text (telling, "corruption", key->corruption);
  tell_number (telling, "severity", key->severity);
  if (scoring->by & SL_BY_CLASS && key->class >= 0)
    append_condition (telling, "class", scoring->table->classes[key->class]);
  if (scoring->by & SL_BY_ENTROPY)
    tell_entropy (telling, key->entropy);
}

static SlScoreGroup *
get_group (GPtrArray *groups, GHashTable *by_text, const char *text, const SlTags *tags,
           const GPtrArray *keys)
{
  SlScoreGroup *group = g_hash_table_lookup (by_text, text);
  if (group != NULL)
    return group;
  group = g_new0 (SlScoreGroup, 1);
  group->text = g_strdup (text);
  for (guint t = 0; t < keys->len; t++)
    sl_tags_set (&group->tags, keys->pdata[t], sl_tags_get (tags, keys->pdata[t]));
  group->runs = g_ptr_array_new_with_free_func (run_free);
  g_ptr_array_add (groups, group);
  g_hash_table_insert (by_text, group->text, group);
  return group;
}

/* The first file with the tags of FILE but for MEAN_OVER: what is averaged over stands in several
 * files of one run. */
static gint32
file_of_run (const SlScoring *scoring, gint32 file, const char *mean_over)
{
  const SlTags *own = scoring->tags->pdata[file];
  if (mean_over == NULL || sl_tags_get (own, mean_over) == NULL)
    return file;
  for (gint32 f = 0; f < file; f++)
    {
      const SlTags *other = scoring->tags->pdata[f];
      gboolean same = other->n == own->n;
      for (int t = 0; t < own->n && same; t++)
        same = strcmp (own->tag[t].key, mean_over) == 0
               || g_strcmp0 (sl_tags_get (other, own->tag[t].key), own->tag[t].value) == 0;
      if (same)
        return f;
    }
  return file;
}

static void
add_case (SlScoreGroup *group, SlCase *one, gint32 file)
{
  for (guint r = 0; r < group->runs->len; r++)
    {
      SlScoreRun *run = group->runs->pdata[r];
      if (run->file == file && run->run == one->key.run)
        {
          g_ptr_array_add (run->cases, one);
          return;
        }
    }
  SlScoreRun *run = g_new0 (SlScoreRun, 1);
  run->file = file;
  run->run = one->key.run;
  run->cases = g_ptr_array_new ();
  g_ptr_array_add (run->cases, one);
  g_ptr_array_add (group->runs, run);
}

char *
sl_score_text_of (const SlScoring *scoring, const SlCaseKey *key, const GPtrArray *tags)
{
  Telling telling = { scoring, NULL, FALSE, g_string_new (NULL) };
  tell_case (&telling, key, tags);
  return g_string_free (telling.text, FALSE);
}

GPtrArray *
sl_score_groups (SlScoring *scoring, char *const *by, const char *mean_over, GError **error)
{
  g_autoptr (GPtrArray) groups = g_ptr_array_new_with_free_func (group_free);
  g_autoptr (GHashTable) by_text = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) tags = find_tags (scoring, by, mean_over, error);
  if (tags == NULL || !sl_families_join (scoring, tags, error))
    return NULL;
  Telling telling = { scoring, mean_over, FALSE, g_string_new (NULL) };
  for (guint f = 0; mean_over != NULL && f < scoring->tags->len; f++)
    telling.met |= sl_tags_get (scoring->tags->pdata[f], mean_over) != NULL;
  for (guint c = 0; c < scoring->cases.cases->len; c++)
    {
      SlCase *one = scoring->cases.cases->pdata[c];
      g_string_truncate (telling.text, 0);
      tell_case (&telling, &one->key, tags);
      add_case (
          get_group (groups, by_text, telling.text->str, scoring->tags->pdata[one->key.file], tags),
          one, file_of_run (scoring, one->key.file, mean_over));
    }
  g_string_free (telling.text, TRUE);
  if (mean_over != NULL && !telling.met)
    {
      sl_error_usage (error, "--mean-over %s: nothing of that name tells the rows apart",
                      mean_over);
      return NULL;
    }
  return g_steal_pointer (&groups);
}
