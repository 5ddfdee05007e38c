/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scoring.h"

#include "pipeline/base/real-math.h"
#include "pipeline/base/shown-text.h"
#include "pipeline/table/tag-columns.h"
#include "pipeline/table/types.h"
#include "schemas/annotations.h"
#include "schemas/labels.h"
#include "schemas/predictions.h"
#include "stages/common/classes/class-map.h"
#include "stages/common/figures/vote-figures.h"

#include <math.h>
#include <string.h>

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
  g_clear_pointer (&scoring->row_tags, sl_intern_free);
  g_free (scoring->left_out);
  g_clear_pointer (&scoring->room, sl_block_room_free);
}

/* ---- which rows ---- */

static gint32
text_number (SlScoring *scoring, const SlBatch *batch, int column, gint64 row)
{
  if (batch->column[column].text.offset == NULL)
    return -1;
  gsize length;
  const char *text = sl_text_get (batch->column[column].text, row, &length);
  return sl_intern (scoring->texts, text, length);
}

static int
annotator_column (const SlTable *table)
{
  return table->kind == &sl_labels        ? (int) SL_LABELS_ANNOTATOR
         : table->kind == &sl_annotations ? (int) SL_ANNOTATIONS_ANNOTATOR
                                          : (int) SL_PREDICTIONS_ANNOTATOR;
}

/* Whether rows of TABLE have tags of their own. */
static gboolean
has_row_tags (const SlTable *table)
{
  for (int c = sl_table_first_tag (table); table->spec[c].name != NULL; c++)
    if (sl_table_has (table, c) && !sl_tag_column_is_told (table, c))
      return TRUE;
  return FALSE;
}

static void
add_tags (SlScoring *scoring, const SlBatch *batch, const SlTable *table, gint64 row)
{
  SlTags *tags = g_new0 (SlTags, 1);
  sl_tags_copy (tags, &table->tags);
  for (int c = sl_table_first_tag (table); batch != NULL && table->spec[c].name != NULL; c++)
    {
      if (!sl_table_has (table, c) || sl_value_is_missing (batch, c, row))
        continue;
      gsize length;
      const char *text = sl_text_get (batch->column[c].text, row, &length);
      g_autofree char *value = g_strndup (text, length);
      sl_tags_set (tags, sl_tag_column_key (table, c), value);
    }
  g_ptr_array_add (scoring->tags, tags);
}

/* Which of `tags` row ROW has. */
static gint32
tags_of (SlScoring *scoring, const SlBatch *batch, gint64 row)
{
  const SlTable *table = batch->table;
  if (scoring->row_tags == NULL)
    return (gint32) scoring->first_tags;
  g_autoptr (GString) all = g_string_new (NULL);
  for (int c = sl_table_first_tag (table); table->spec[c].name != NULL; c++)
    {
      gsize length;
      if (!sl_table_has (table, c) || sl_value_is_missing (batch, c, row))
        continue;
      const char *text = sl_text_get (batch->column[c].text, row, &length);
      g_string_append_printf (all, "%d:%" G_GSIZE_FORMAT ":", c, length);
      g_string_append_len (all, text, (gssize) length);
    }
  gint32 number = sl_intern (scoring->row_tags, all->str, all->len);
  if (scoring->first_tags + (guint) number == scoring->tags->len)
    add_tags (scoring, batch, table, row);
  return (gint32) scoring->first_tags + number;
}

/* What row ROW is part of, but for what --by tells of items. */
static SlCaseKey
key_of (SlScoring *scoring, const SlBatch *batch, gint64 row)
{
  SlCaseKey key;
  memset (&key, 0, sizeof key);
  key.file = tags_of (scoring, batch, row);
  key.attack = key.corruption = key.step = key.severity = -1;
  key.class = key.entropy = key.annotator = -1;
  if (scoring->by & SL_BY_ANNOTATOR)
    key.annotator = text_number (scoring, batch, annotator_column (batch->table), row);
  if (batch->table->kind != &sl_predictions)
    return key;
  const SlColumn *columns = batch->column;
  key.run = columns[SL_PREDICTIONS_RUN].int32[row];
  key.attack = text_number (scoring, batch, SL_PREDICTIONS_ATTACK, row);
  key.corruption = text_number (scoring, batch, SL_PREDICTIONS_CORRUPTION, row);
  if (columns[SL_PREDICTIONS_STEP].int32 != NULL)
    key.step = columns[SL_PREDICTIONS_STEP].int32[row];
  if (columns[SL_PREDICTIONS_SEVERITY].int32 != NULL)
    key.severity = columns[SL_PREDICTIONS_SEVERITY].int32[row];
  if (columns[SL_PREDICTIONS_EPSILON].real != NULL)
    {
      key.has_epsilon = TRUE;
      key.epsilon = columns[SL_PREDICTIONS_EPSILON].real[row];
    }
  return key;
}

static SlScoredSet *
get_set (SlScoring *scoring, const SlCaseKey *key)
{
  if (scoring->last_set != NULL && sl_case_key_equal (&scoring->last_set->key, key))
    return scoring->last_set;
  SlScoredSet *set = g_hash_table_lookup (scoring->by_set, key);
  if (set == NULL)
    {
      set = g_new0 (SlScoredSet, 1);
      set->key = *key;
      set->file = scoring->files->len - 1;
      g_ptr_array_add (scoring->sets, set);
      g_hash_table_insert (scoring->by_set, &set->key, set);
    }
  return scoring->last_set = set;
}

/* Whether an item may have several rows. */
static gboolean
has_annotators (const SlTable *table)
{
  return table->kind == &sl_annotations || sl_table_has (table, annotator_column (table));
}

/* Notes that SET has ITEM; FALSE where it had it before. */
static gboolean
note_item (SlScoredSet *set, gint32 item)
{
  gsize word = (gsize) item / 64;
  guint64 bit = G_GUINT64_CONSTANT (1) << (item % 64);
  if (word >= set->words)
    {
      gsize words = MAX (word + 1, 2 * set->words);
      set->seen = g_renew (guint64, set->seen, words);
      memset (set->seen + set->words, 0, (words - set->words) * sizeof *set->seen);
      set->words = words;
    }
  gboolean first = !(set->seen[word] & bit);
  set->seen[word] |= bit;
  set->n += first;
  return first;
}

/* Of so many items is noted what is said of them. */
#define MARKED 4096

/* P: the probabilities of ITEM. */
static void
mark_item (SlScoredSet *set, gint32 item, const double *p, gint32 n_classes)
{
  guint64 said = sl_text_hash ((const char *) p, (gsize) n_classes * sizeof *p);
  set->mark += (said ^ (guint64) item) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
}

static gboolean
refuse_row (SlScoring *scoring, const SlBatch *batch, gint64 row, gboolean again, GError **error)
{
  gsize length;
  const char *item = sl_text_get (batch->column[SL_LABELS_ITEM].text, row, &length);
  g_autofree char *shown = sl_shown (item, length);
  if (again)
    return sl_error_row (error, batch->first_row + row + 1,
                         "item '%s' is there twice in one run; models and seeds are told apart by "
                         "their runs, or by files of their own",
                         shown);
  return sl_error_row (error, batch->first_row + row + 1,
                       "item '%s' is not in %s; --inner scores the items that are in both", shown,
                       scoring->against->name);
}

/* The distributions of BATCH; NULL: it has none. */
static const double *
said_of (const SlBatch *batch)
{
  const SlKind *kind = batch->table->kind;
  return kind == &sl_labels        ? batch->column[SL_LABELS_LABEL].real
         : kind == &sl_predictions ? batch->column[SL_PREDICTIONS_PROB].real
                                   : NULL;
}

/* room->id and room->row of BATCH; *N <- how many rows are scored. */
static gboolean
choose_rows (SlScoring *scoring, const SlBatch *batch, gint64 *n, GError **error)
{
  SlBlockRoom *room = scoring->room;
  SlText names = batch->column[SL_LABELS_ITEM].text;
  gboolean single = has_annotators (batch->table);
  if (scoring->against != NULL)
    sl_intern_find_column (scoring->items, names, batch->n_rows, scoring->run->threads, room->id);
  else
    sl_intern_column (scoring->items, names, batch->n_rows, room->id);
  const guint8 *check = NULL, *excluded = NULL;
  if (batch->table->kind == &sl_annotations)
    {
      check = batch->column[SL_ANNOTATIONS_CHECK].flag;
      excluded = batch->column[SL_ANNOTATIONS_EXCLUDED].flag;
    }
  const double *prob = said_of (batch);
  *n = 0;
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      if ((check != NULL && check[i]) || (excluded != NULL && excluded[i]))
        continue;
      if (room->id[i] < 0 && !scoring->inner)
        return refuse_row (scoring, batch, i, FALSE, error);
      if (room->id[i] < 0)
        {
          gsize length;
          const char *item = sl_text_get (names, i, &length);
          if (scoring->n_left_out++ == 0)
            scoring->left_out = sl_shown (item, length);
          continue;
        }
      const SlCaseKey key = key_of (scoring, batch, i);
      SlScoredSet *set = get_set (scoring, &key);
      if (!note_item (set, room->id[i]) && !single)
        return refuse_row (scoring, batch, i, TRUE, error);
      if (prob != NULL && room->id[i] < MARKED)
        mark_item (set, room->id[i], prob + i * batch->table->n_classes, batch->table->n_classes);
      room->row[(*n)++] = (gint32) i;
    }
  return TRUE;
}

/* ---- which case ---- */

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

static SlCaseKey
full_key (SlScoring *scoring, const SlBatch *batch, const SlItemBlock *block, gint64 i)
{
  SlCaseKey key = key_of (scoring, batch, scoring->room->row[i]);
  if (scoring->by & SL_BY_CLASS)
    key.class = block->gold[i];
  if (scoring->by & SL_BY_ENTROPY)
    key.entropy = entropy_group (scoring, batch, block, i);
  return key;
}

/* Rows of one case that follow one another go together. Rows whose class or entropy is not known
 * are in no group of those. */
static void
hand_out (SlScoring *scoring, const SlBatch *batch, const SlItemBlock *block)
{
  SlBlockRoom *room = scoring->room;
  for (gint64 first = 0, end; first < block->n; first = end)
    {
      const SlCaseKey key = full_key (scoring, batch, block, first);
      for (end = first + 1; end < block->n; end++)
        {
          const SlCaseKey next = full_key (scoring, batch, block, end);
          if (!sl_case_key_equal (&key, &next))
            break;
        }
      if ((scoring->by & SL_BY_CLASS && key.class < 0)
          || (scoring->by & SL_BY_ENTROPY && key.entropy < 0))
        continue;
      for (gint64 i = first; i < end; i++)
        room->place[i - first] = (gint32) i;
      sl_case_add (sl_cases_get (&scoring->cases, &key), &scoring->plan, room->figure, block->prob,
                   block->target, first == 0 && end == block->n ? NULL : room->place, end - first);
    }
}

static gboolean
add_batch (SlScoring *scoring, SlBatch *batch, const gint32 *map, GError **error)
{
  gint64 n;
  SlItemBlock block;
  if (!sl_block_reserve (scoring, batch->n_rows, error) || !choose_rows (scoring, batch, &n, error))
    return FALSE;
  if (batch->table->kind == &sl_annotations)
    sl_block_of_answers (scoring, batch, n, &block);
  else if (!sl_block_make (scoring, batch, map, n, &block, error))
    return FALSE;
  hand_out (scoring, batch, &block);
  scoring->n_rows += n;
  gsize items = scoring->against == NULL ? sl_intern_bytes (scoring->items) : 0;
  items += scoring->asked != NULL ? sl_intern_bytes (scoring->asked) : 0;
  gsize seen = 0;
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
    add_tags (scoring, NULL, table, 0);
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
  if (has_row_tags (table))
    scoring->row_tags = sl_intern_new ();
  else
    add_tags (scoring, NULL, table, 0);
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
