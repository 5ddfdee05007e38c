/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which rows of a batch are scored. */
#include "scoring.h"

#include "pipeline/base/shown-text.h"
#include "schemas/annotations.h"
#include "schemas/labels.h"
#include "schemas/predictions.h"

#include <string.h>

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

/* Which rows of BATCH are no judgements that count. */
static gboolean
is_left_out (const SlBatch *batch, gint64 row)
{
  if (batch->table->kind != &sl_annotations)
    return FALSE;
  const guint8 *check = batch->column[SL_ANNOTATIONS_CHECK].flag;
  const guint8 *excluded = batch->column[SL_ANNOTATIONS_EXCLUDED].flag;
  return (check != NULL && check[row]) || (excluded != NULL && excluded[row]);
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
  find_items (scoring, batch);
  *n = 0;
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      gint32 id = room->id[i];
      if (is_left_out (batch, i))
        continue;
      if (id < 0 && !scoring->inner)
        return refuse_row (scoring, batch, i, FALSE, error);
      if (id < 0)
        {
          leave_out (scoring, batch, i);
          continue;
        }
      if (set == NULL || !sl_rows_are_alike (scoring, batch, last, i))
        {
          const SlCaseKey key = sl_scoring_conditions (scoring, batch, i);
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
