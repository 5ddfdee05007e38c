/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which rows of a batch are scored. */
#include "pipeline/base/shown-text.h"
#include "pipeline/table/tag-columns.h"
#include "pipeline/table/types/types.h"
#include "schemas/annotations.h"
#include "scoring.h"

#include <string.h>

/* What rows are told apart by. */

static gint32
text_number (SlScoring *scoring, const SlBatch *batch, int column, gint64 row)
{
  if (batch->column[column].text.offset == NULL)
    return -1;
  return sl_intern_text (scoring->texts, batch->column[column].text, row);
}

int
sl_annotator_column (const SlTable *table)
{
  return table->kind == &sl_labels        ? (int) SL_LABELS_ANNOTATOR
         : table->kind == &sl_annotations ? (int) SL_ANNOTATIONS_ANNOTATOR
                                          : (int) SL_PREDICTIONS_ANNOTATOR;
}

gboolean
sl_has_row_tags (const SlTable *table)
{
  for (int c = sl_table_first_tag (table); table->spec[c].name != NULL; c++)
    if (sl_table_has (table, c) && !sl_tag_column_is_told (table, c))
      return TRUE;
  return FALSE;
}

void
sl_scoring_add_tags (SlScoring *scoring, const SlBatch *batch, const SlTable *table, gint64 row)
{
  SlTags *tags = g_new0 (SlTags, 1);
  sl_tags_copy (tags, &table->tags);
  for (int c = sl_table_first_tag (table); batch != NULL && table->spec[c].name != NULL; c++)
    {
      if (!sl_table_has (table, c) || sl_value_is_missing (batch, c, row))
        continue;
      g_autofree char *value = sl_text_dup (batch->column[c].text, row);
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
    sl_scoring_add_tags (scoring, batch, table, row);
  return (gint32) scoring->first_tags + number;
}

/* What row ROW is part of, but for what --by tells of items. */
static SlCaseKey
conditions_of (SlScoring *scoring, const SlBatch *batch, gint64 row)
{
  SlCaseKey key;
  memset (&key, 0, sizeof key);
  key.file = tags_of (scoring, batch, row);
  key.attack = key.corruption = key.step = key.severity = -1;
  key.class = key.entropy = key.question = key.annotator = -1;
  if (scoring->by & SL_BY_ANNOTATOR)
    key.annotator = text_number (scoring, batch, sl_annotator_column (batch->table), row);
  if (batch->table->kind != &sl_predictions)
    return key;
  const SlColumn *columns = batch->column;
  if (columns[SL_PREDICTIONS_RUN].int32 != NULL)
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

static gboolean
same_text (const SlBatch *batch, int column, gint64 a, gint64 b)
{
  SlText text = batch->column[column].text;
  gsize length, other;
  if (text.offset == NULL)
    return TRUE;
  const char *one = sl_text_get (text, a, &length), *two = sl_text_get (text, b, &other);
  return length == other && memcmp (one, two, length) == 0;
}

static gboolean
same_int (const SlBatch *batch, int column, gint64 a, gint64 b)
{
  const gint32 *x = batch->column[column].int32;
  return x == NULL || x[a] == x[b];
}

static gboolean
same_tags (const SlBatch *batch, gint64 a, gint64 b)
{
  const SlTable *table = batch->table;
  for (int c = sl_table_first_tag (table); table->spec[c].name != NULL; c++)
    if (sl_table_has (table, c)
        && (sl_value_is_missing (batch, c, a) != sl_value_is_missing (batch, c, b)
            || !same_text (batch, c, a, b)))
      return FALSE;
  return TRUE;
}

/* Whether the two are part of the same. */
static gboolean
rows_are_alike (const SlScoring *scoring, const SlBatch *batch, gint64 a, gint64 b)
{
  if (scoring->row_tags != NULL && !same_tags (batch, a, b))
    return FALSE;
  if (scoring->by & SL_BY_ANNOTATOR && !same_text (batch, sl_annotator_column (batch->table), a, b))
    return FALSE;
  if (batch->table->kind != &sl_predictions)
    return TRUE;
  const double *epsilon = batch->column[SL_PREDICTIONS_EPSILON].real;
  return same_int (batch, SL_PREDICTIONS_RUN, a, b) && same_int (batch, SL_PREDICTIONS_STEP, a, b)
         && same_int (batch, SL_PREDICTIONS_SEVERITY, a, b)
         && same_text (batch, SL_PREDICTIONS_ATTACK, a, b)
         && same_text (batch, SL_PREDICTIONS_CORRUPTION, a, b)
         && (epsilon == NULL || epsilon[a] == epsilon[b]);
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
  return table->kind == &sl_annotations || sl_table_has (table, sl_annotator_column (table));
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

/* room->id of BATCH's items. Where both sides are in one order nothing is looked up. */
static void
find_items (SlScoring *scoring, const SlBatch *batch)
{
  gint32 *id = scoring->room->id, next = scoring->next_item;
  SlText names = batch->column[SL_LABELS_ITEM].text;
  gint64 n = batch->n_rows;
  if (sl_intern_follows (scoring->items, next, names, n))
    for (gint64 i = 0; i < n; i++)
      id[i] = next + (gint32) i;
  else if (scoring->against != NULL)
    sl_intern_find_column (scoring->items, names, n, scoring->run->threads, id);
  else
    sl_intern_column (scoring->items, names, n, id);
  scoring->next_item = n > 0 ? id[n - 1] + 1 : next;
  if (scoring->next_item >= sl_intern_size (scoring->items))
    scoring->next_item = 0;
}

static void
leave_out (SlScoring *scoring, const SlBatch *batch, gint64 row)
{
  gsize length;
  const char *item = sl_text_get (batch->column[SL_LABELS_ITEM].text, row, &length);
  if (scoring->n_left_out++ == 0)
    scoring->left_out = sl_shown (item, length);
}

gboolean
sl_scoring_choose_rows (SlScoring *scoring, const SlBatch *batch, gint64 *n, GError **error)
{
  SlBlockRoom *room = scoring->room;
  gboolean single = has_annotators (batch->table);
  const double *prob = said_of (batch);
  SlScoredSet *set = NULL;
  gint64 last = 0; /* the row that SET was found for */
  gint32 k = batch->table->n_classes;
  g_autofree guint8 *counted = sl_annotations_counted (batch);
  find_items (scoring, batch);
  *n = 0;
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      gint32 id = room->id[i];
      if (counted != NULL && !counted[i])
        continue;
      if (id < 0 && !scoring->inner)
        return refuse_row (scoring, batch, i, FALSE, error);
      if (id < 0)
        {
          leave_out (scoring, batch, i);
          continue;
        }
      if (set == NULL || !rows_are_alike (scoring, batch, last, i))
        {
          const SlCaseKey key = conditions_of (scoring, batch, i);
          set = get_set (scoring, &key);
          last = i;
        }
      if (!note_item (set, id) && !single)
        return refuse_row (scoring, batch, i, TRUE, error);
      if (prob != NULL && id < MARKED)
        mark_item (set, id, prob + i * k, k);
      room->set[*n] = set;
      room->row[(*n)++] = (gint32) i;
    }
  return TRUE;
}
