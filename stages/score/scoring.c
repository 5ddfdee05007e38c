/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scoring.h"
#include "stages/common/items/question.h"

#include "schemas/annotations.h"
#include "stages/common/classes/class-map.h"
#include "stages/common/figures/vote-figures.h"

static void
set_free (gpointer data)
{
  SlScoredSet *set = data;
  g_free (set->seen);
  g_free (set);
}

static void
file_free (gpointer data)
{
  SlScoredFile *file = data;
  g_free (file->name);
  g_free (file->provenance);
  g_free (file);
}

static void
tags_free (gpointer data)
{
  sl_tags_clear (data);
  g_free (data);
}

void
sl_scoring_init (SlScoring *scoring)
{
  sl_cases_init (&scoring->cases, &scoring->plan);
  scoring->items = scoring->against != NULL ? scoring->against->items : sl_intern_new ();
  if (scoring->against == NULL)
    sl_intern_set_threads (scoring->items, scoring->run->threads);
  scoring->texts = sl_intern_new ();
  scoring->asked = scoring->questions != NULL ? sl_intern_new () : NULL;
  scoring->files = g_ptr_array_new_with_free_func (file_free);
  scoring->sets = g_ptr_array_new_with_free_func (set_free);
  scoring->by_set = g_hash_table_new (sl_case_key_hash, sl_case_key_equal);
  scoring->tags = g_ptr_array_new_with_free_func (tags_free);
  scoring->judged = g_array_new (FALSE, TRUE, sizeof (gint32));
  scoring->room = sl_block_room_new ();
}

void
sl_scoring_clear (SlScoring *scoring)
{
  g_clear_pointer (&scoring->table, sl_table_unref);
  g_clear_pointer (&scoring->first_name, g_free);
  if (scoring->room == NULL)
    return;
  sl_cases_clear (&scoring->cases);
  if (scoring->against == NULL)
    sl_intern_free (scoring->items);
  sl_intern_free (scoring->texts);
  g_clear_pointer (&scoring->asked, sl_intern_free);
  g_hash_table_unref (scoring->by_set);
  g_ptr_array_unref (scoring->files);
  g_ptr_array_unref (scoring->sets);
  g_ptr_array_unref (scoring->tags);
  g_array_unref (scoring->judged);
  g_clear_pointer (&scoring->row_tags, sl_intern_free);
  g_free (scoring->left_out);
  g_clear_pointer (&scoring->room, sl_block_room_free);
}

static gint32
entropy_group (const SlScoring *scoring, const SlBatch *batch, const SlItemBlock *block, gint64 i)
{
  gint32 k = scoring->table->n_classes, group = 0;
  const double *own = block->target != NULL ? block->target : block->prob;
  const double *p = own != NULL ? own + i * k : NULL;
  if (scoring->entropies != NULL)
    {
      gsize length;
      gint64 row = scoring->room->row[i];
      const char *item = sl_text_get (batch->column[SL_LABELS_ITEM].text, row, &length);
      gint32 there = sl_intern_find (scoring->entropies->items, item, length);
      if (there < 0)
        return -1;
      p = sl_reference_target (scoring->entropies, there);
      k = scoring->entropies->table->n_classes;
    }
  double entropy = sl_shares_entropy (p, k);
  while (group < scoring->n_edges && entropy >= scoring->edges[group])
    group++;
  return group;
}

/* Its name has a question: the block has been made. */
static gint32
question_of (SlScoring *scoring, const SlBatch *batch, gint64 row)
{
  gsize length;
  const char *item = sl_text_get (batch->column[SL_LABELS_ITEM].text, row, &length);
  const char *question = sl_question_in (item, length, scoring->questions);
  return question == NULL
             ? -1
             : sl_intern (scoring->texts, question, (gsize) (item + length - question));
}

static SlCaseKey
full_key (SlScoring *scoring, const SlBatch *batch, const SlItemBlock *block, gint64 i)
{
  SlCaseKey key = scoring->room->set[i]->key;
  if (scoring->by & SL_BY_CLASS)
    key.class = block->gold[i];
  if (scoring->by & SL_BY_ENTROPY)
    key.entropy = entropy_group (scoring, batch, block, i);
  if (scoring->by & SL_BY_QUESTION)
    key.question = question_of (scoring, batch, scoring->room->row[i]);
  return key;
}

/* Rows of one case that follow one another go together. Rows whose class or entropy is not known
 * are in no group of those. */
static void
hand_out (SlScoring *scoring, const SlBatch *batch, const SlItemBlock *block)
{
  SlBlockRoom *room = scoring->room;
  gboolean by_item = (scoring->by & (SL_BY_CLASS | SL_BY_ENTROPY | SL_BY_QUESTION)) != 0;
  for (gint64 first = 0, end; first < block->n; first = end)
    {
      const SlCaseKey key = full_key (scoring, batch, block, first);
      for (end = first + 1; end < block->n && room->set[end] == room->set[first]; end++)
        if (by_item)
          {
            const SlCaseKey next = full_key (scoring, batch, block, end);
            if (!sl_case_key_equal (&key, &next))
              break;
          }
      if ((scoring->by & SL_BY_CLASS && key.class < 0)
          || (scoring->by & SL_BY_ENTROPY && key.entropy < 0))
        continue;
      sl_case_add (sl_cases_get (&scoring->cases, &key), &scoring->plan, room->figure, block->prob,
                   block->target, first, end - first);
    }
}

static gboolean
add_batch (SlScoring *scoring, SlBatch *batch, const gint32 *map, GError **error)
{
  gint64 n;
  SlItemBlock block;
  if (!sl_block_reserve (scoring, batch->n_rows, error)
      || !sl_scoring_choose_rows (scoring, batch, &n, error))
    return FALSE;
  if (!(batch->table->kind == &sl_annotations
            ? sl_block_of_answers (scoring, batch, n, &block, error)
            : sl_block_make (scoring, batch, map, n, &block, error)))
    return FALSE;
  hand_out (scoring, batch, &block);
  scoring->n_rows += n;
  gsize items = scoring->against == NULL ? sl_intern_bytes (scoring->items) : 0;
  items += scoring->asked != NULL ? sl_intern_bytes (scoring->asked) : 0;
  gsize seen = (gsize) scoring->judged->len * sizeof (gint32);
  for (guint s = 0; s < scoring->sets->len; s++)
    seen += ((SlScoredSet *) scoring->sets->pdata[s])->words * sizeof (guint64);
  return sl_run_claim_up_to (scoring->run, &scoring->claimed,
                             sl_cases_bytes (&scoring->cases) + items + seen,
                             "what is said of every item", error);
}

/* ---- a file ---- */

static gboolean
end_file (SlScoring *scoring, const SlTable *table, const char *name, gint64 before, GError **error)
{
  if (scoring->n_rows == before && scoring->files->len > 1 && !scoring->inner)
    return sl_error_bad_input (error, "%s: it has no rows to score", name);
  if (scoring->n_left_out > 0)
    sl_run_warn (scoring->run,
                 "%s: %" G_GINT64_FORMAT " rows are left out: their items, such as '%s', are not "
                 "in %s",
                 name, scoring->n_left_out, scoring->left_out, scoring->against->name);
  if (scoring->tags->len == 0)
    sl_scoring_add_tags (scoring, NULL, table, 0);
  scoring->n_left_out = 0;
  g_clear_pointer (&scoring->left_out, g_free);
  return TRUE;
}

static gboolean
check_annotations (const SlScoring *scoring, const SlTable *table, const char *name, GError **error)
{
  gboolean said = table->kind == &sl_annotations;
  if (said != scoring->said)
    return sl_error_bad_input (error, "%s: annotations are not scored together with other tables",
                               name);
  if (said && scoring->wants_class)
    return sl_error_bad_input (error,
                               "%s: a table of annotations is scored by itself; `softlabel "
                               "aggregate` makes labels of it, which can be compared",
                               name);
  if (said && scoring->by & SL_BY_ENTROPY && scoring->entropies == NULL)
    return sl_error_bad_input (error, "%s: annotations have no entropy: give --entropy-from FILE",
                               name);
  return TRUE;
}

/* Whether TABLE is one to be scored so. */
static gboolean
check_table (const SlScoring *scoring, const SlTable *table, const char *name, GError **error)
{
  if (!check_annotations (scoring, table, name, error))
    return FALSE;
  int column = table->kind == &sl_labels ? (int) SL_LABELS_GOLD : (int) SL_PREDICTIONS_GOLD;
  if (scoring->source != SL_CLASS_COLUMN || sl_table_has (table, column)
      || (scoring->against != NULL && scoring->against->has_gold))
    return TRUE;
  return sl_error_bad_input (error,
                             "%s: it has no column 'gold'; name a file, --gold=FILE, or bring the "
                             "column by `softlabel join`",
                             name);
}

void
sl_scoring_tell_order (SlScoring *scoring, const char *name)
{
  if (scoring->on_line)
    sl_run_warn (scoring->run,
                 "%s has its classes in another order than %s, by whose order distances on a line "
                 "go",
                 name, scoring->first_name);
}

gboolean
sl_scoring_read (SlScoring *scoring, SlReader *reader, GError **error)
{
  SlTable *table = sl_reader_table (reader);
  const char *name = sl_reader_name (reader);
  g_autofree gint32 *map = sl_class_map (reader, scoring->table, error);
  g_clear_pointer (&scoring->row_tags, sl_intern_free);
  scoring->first_tags = scoring->tags->len;
  scoring->next_item = 0;
  if (sl_has_row_tags (table))
    scoring->row_tags = sl_intern_new ();
  else
    sl_scoring_add_tags (scoring, NULL, table, 0);
  if (map == NULL || !check_table (scoring, table, name, error))
    return FALSE;
  SlScoredFile *file = g_new0 (SlScoredFile, 1);
  file->name = g_strdup (name);
  file->provenance = g_strdup (table->provenance);
  g_ptr_array_add (scoring->files, file);
  gboolean moves = sl_class_map_moves (map, table->n_classes);
  if (moves)
    sl_scoring_tell_order (scoring, name);
  gint64 before = scoring->n_rows;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    {
      ok = add_batch (scoring, batch, moves ? map : NULL, error);
      sl_run_progress (scoring->run, scoring->n_rows, 0, 0);
    }
  return ok && end_file (scoring, table, name, before, error);
}
