/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "label-rows.h"

#include "pipeline/table/tag-columns.h"
#include "schemas/annotations.h"
#include "schemas/labels.h"
#include "schemas/predictions.h"
#include "stages/common/answers/votes-of-batch.h"
#include "stages/common/classes/class-map.h"
#include "stages/common/network/softmax.h"

#include <string.h>

void
sl_label_rows_init (SlLabelRows *rows, SlRun *run, gint32 n_items, gboolean named)
{
  *rows = (SlLabelRows){ .run = run };
  rows->pool = g_array_new (FALSE, FALSE, sizeof (gint32));
  rows->weight = g_array_new (FALSE, FALSE, sizeof (double));
  rows->gold = g_new (gint32, MAX (n_items, 1));
  for (gint32 i = 0; i < n_items; i++)
    rows->gold[i] = -1;
  if (!named)
    return;
  rows->annotator = g_array_new (FALSE, FALSE, sizeof (gint32));
  rows->annotators = sl_intern_new ();
}

void
sl_label_rows_clear (SlLabelRows *rows)
{
  g_clear_pointer (&rows->pool, g_array_unref);
  g_clear_pointer (&rows->weight, g_array_unref);
  g_clear_pointer (&rows->label, g_array_unref);
  g_clear_pointer (&rows->vote, g_array_unref);
  g_clear_pointer (&rows->annotator, g_array_unref);
  g_clear_pointer (&rows->annotators, sl_intern_free);
  g_clear_pointer (&rows->classes, g_strfreev);
  g_clear_pointer (&rows->gold, g_free);
  g_clear_pointer (&rows->attributes, g_strfreev);
  sl_annotator_tags_clear (&rows->tags);
}

gint32 *
sl_label_rows_map (SlLabelRows *rows, const SlTable *table, const char *name, GError **error)
{
  if (rows->classes == NULL)
    {
      rows->classes = g_strdupv (table->classes);
      rows->k = (gsize) table->n_classes;
    }
  if (rows->k < 2)
    {
      g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
                   "%s: a classifier is of two classes or more; it has %" G_GSIZE_FORMAT, name,
                   rows->k);
      return NULL;
    }
  g_autofree gint32 *map = sl_class_map_alike (table, rows->classes, (gint32) rows->k);
  for (gint32 k = 0; k < table->n_classes; k++)
    if (map[k] < 0)
      {
        g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
                     "%s: its class '%s' is none of the classes of the labels before it", name,
                     table->classes[k]);
        return NULL;
      }
  return g_steal_pointer (&map);
}

static gboolean
claim (SlLabelRows *rows, GError **error)
{
  gsize each = sizeof (gint32) * 3 + sizeof (double);
  if (rows->label != NULL)
    each += rows->k * sizeof (float);
  /* Arrays grow by half at a time; the pools are made beside the rows. */
  return sl_run_claim_up_to (rows->run, &rows->claimed, (gsize) rows->pool->len * each * 5 / 2,
                             "the labels", error);
}

/* Rows are votes until the first one that is a distribution. */
static void
become_labels (SlLabelRows *rows)
{
  guint n = rows->vote != NULL ? rows->vote->len : 0;
  rows->label = g_array_new (FALSE, TRUE, (guint) (rows->k * sizeof (float)));
  g_array_set_size (rows->label, n);
  for (guint r = 0; r < n; r++)
    {
      gsize at = (gsize) r * rows->k + (gsize) g_array_index (rows->vote, gint32, r);
      ((float *) (gpointer) rows->label->data)[at] = 1;
    }
  g_clear_pointer (&rows->vote, g_array_unref);
}

static gboolean
fits (const SlLabelRows *rows, GError **error)
{
  if (rows->pool->len < G_MAXINT32 / 2)
    return TRUE;
  g_set_error (error, SL_ERROR, SL_ERROR_INPUT, "the labels are more than can be held at once");
  return FALSE;
}

gboolean
sl_label_rows_add (SlLabelRows *rows, gint32 pool, const double *label, const gint32 *map,
                   gint32 n_classes, double weight, GError **error)
{
  if (!fits (rows, error))
    return FALSE;
  if (rows->label == NULL)
    become_labels (rows);
  gsize at = rows->label->len;
  g_array_set_size (rows->label, rows->label->len + 1);
  float *out = (float *) (gpointer) rows->label->data + at * rows->k;
  for (gint32 k = 0; k < n_classes; k++)
    out[map != NULL ? map[k] : k] = (float) label[k];
  g_array_append_val (rows->pool, pool);
  g_array_append_val (rows->weight, weight);
  return TRUE;
}

static gboolean
add_vote (SlLabelRows *rows, gint32 pool, gint32 vote, double weight, GError **error)
{
  if (!fits (rows, error))
    return FALSE;
  if (rows->label != NULL)
    {
      g_autofree double *label = g_new0 (double, rows->k);
      label[vote] = 1;
      return sl_label_rows_add (rows, pool, label, NULL, (gint32) rows->k, weight, error);
    }
  if (rows->vote == NULL)
    rows->vote = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_array_append_val (rows->vote, vote);
  g_array_append_val (rows->pool, pool);
  g_array_append_val (rows->weight, weight);
  return TRUE;
}

static double
weight_of (const SlRowVotes *evidence, gint64 i)
{
  if (evidence->label != NULL)
    return evidence->weight[i];
  return evidence->count != NULL ? (double) evidence->count[i] : 1;
}

static gboolean
add_gold (SlLabelRows *rows, const SlRowVotes *evidence, gint64 i, gint32 item, const gint32 *map,
          GError **error)
{
  gint32 gold = evidence->gold != NULL && evidence->gold[i] >= 0 ? map[evidence->gold[i]] : -1;
  if (gold < 0 || rows->gold[item] == gold)
    return TRUE;
  if (rows->gold[item] >= 0)
    return sl_row_votes_gold_error (evidence, i, evidence->gold[i], error);
  rows->gold[item] = gold;
  return TRUE;
}

/* OLD[items]: whether a table before this one has labelled the item. */
static gboolean
add_evidence (SlLabelRows *rows, const SlRowVotes *evidence, gint64 i, const SlIntern *items,
              const guint8 *old, const gint32 *map, GError **error)
{
  gsize length;
  const char *name = sl_text_get (evidence->item, i, &length);
  gint32 item = sl_intern_find (items, name, length);
  double weight = weight_of (evidence, i);
  if (item < 0)
    rows->n_strange++;
  if (item < 0 || weight == 0 || old[item])
    return TRUE;
  if (!add_gold (rows, evidence, i, item, map, error))
    return FALSE;
  if (rows->annotators != NULL)
    {
      const char *who = sl_text_get (evidence->annotator, i, &length);
      gint32 a = sl_intern (rows->annotators, who, length);
      g_array_append_val (rows->annotator, a);
    }
  if (evidence->label == NULL)
    return add_vote (rows, item, map[evidence->vote[i]], weight, error);
  const double *label = evidence->label + (gsize) i * (gsize) evidence->batch->table->n_classes;
  return sl_label_rows_add (rows, item, label, map, evidence->batch->table->n_classes, weight,
                            error);
}

/* Answers are learned from where somebody gave them: votes, or distributions. */
static gboolean
check_named (const SlLabelRows *rows, const SlTable *table, const char *name, GError **error)
{
  gboolean votes = table->kind == &sl_annotations && sl_table_has (table, SL_ANNOTATIONS_ANNOTATOR);
  gboolean labels = table->kind == &sl_labels && sl_table_has (table, SL_LABELS_ANNOTATOR);
  if (rows->annotators == NULL || votes || (labels && !rows->votes_alone))
    return TRUE;
  return sl_error_bad_input (error,
                             rows->votes_alone
                                 ? "%s: --worth needs a table of annotations, with who said "
                                   "what"
                                 : "%s: a loss of single answers needs a table of "
                                   "annotations, or of labels, with who said what",
                             name);
}

/* TABLE, read from NAME, has the attributes that are looked at. */
static gboolean
find_attributes (SlLabelRows *rows, const SlTable *table, const char *name, GError **error)
{
  for (int t = 0; rows->attributes != NULL && rows->attributes[t] != NULL; t++)
    {
      int column = sl_table_attribute (table, name, rows->attributes[t], error);
      if (column < 0)
        return FALSE;
      for (int s = 0; s < t; s++)
        if (rows->tags.tags.tag[s].column == column)
          return sl_error_usage (error, "--annotator-columns: '%s' is there twice",
                                 rows->attributes[t]);
      if (t == rows->tags.tags.n)
        sl_annotator_tags_want (&rows->tags, table, column);
      rows->tags.tags.tag[t].column = column;
    }
  return TRUE;
}

static gboolean
take_attributes (SlLabelRows *rows, const SlBatch *batch, const char *name, GError **error)
{
  int who = batch->table->kind == &sl_labels ? (int) SL_LABELS_ANNOTATOR
                                             : (int) SL_ANNOTATIONS_ANNOTATOR;
  return rows->attributes == NULL
         || sl_annotator_tags_add (&rows->tags, batch, batch->column[who].text, name, error);
}

gboolean
sl_label_rows_read (SlLabelRows *rows, const char *option, const char *path, const SlIntern *items,
                    GError **error)
{
  static const SlKind *const kinds[] = { &sl_labels, &sl_annotations, NULL };
  g_autoptr (SlReader) reader = sl_run_open (rows->run, option, path, kinds, error);
  if (reader == NULL
      || !check_named (rows, sl_reader_table (reader), sl_reader_name (reader), error)
      || !find_attributes (rows, sl_reader_table (reader), sl_reader_name (reader), error))
    return FALSE;
  g_autofree gint32 *map
      = sl_label_rows_map (rows, sl_reader_table (reader), sl_reader_name (reader), error);
  if (map == NULL)
    return FALSE;
  g_autofree guint8 *old = g_new0 (guint8, MAX (sl_intern_size (items), 1));
  for (guint r = 0; r < rows->pool->len; r++)
    old[g_array_index (rows->pool, gint32, r)] = 1;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    {
      g_auto (SlRowVotes) evidence;
      ok = sl_row_votes_init (&evidence, batch, error);
      for (gint64 i = 0; ok && i < evidence.n; i++)
        ok = add_evidence (rows, &evidence, i, items, old, map, error);
      ok = ok && take_attributes (rows, batch, sl_reader_name (reader), error)
           && claim (rows, error);
    }
  return ok;
}

/* What teacher row I says at TEMPERATURE, in label[k], of its table's classes. */
static gboolean
teacher_label (const SlBatch *batch, gint64 i, double temperature, double *label, GError **error)
{
  gsize k = (gsize) batch->table->n_classes;
  const double *prob = batch->column[SL_PREDICTIONS_PROB].real + (gsize) i * k;
  const double *logit = batch->column[SL_PREDICTIONS_LOGIT].real;
  memcpy (label, prob, k * sizeof *label);
  if (temperature == 1)
    return TRUE;
  if (logit == NULL)
    return sl_error_row (error, batch->first_row + i + 1,
                         "its table has no logits, which --temperature needs: `softlabel predict "
                         "--logits`");
  memcpy (label, logit + (gsize) i * k, k * sizeof *label);
  sl_softmax_at (label, k, temperature);
  return TRUE;
}

static gboolean
take_batch (SlLabelRows *rows, const SlBatch *batch, const SlIntern *items, const gint32 *map,
            double temperature, GError **error)
{
  gint32 n_classes = batch->table->n_classes;
  g_autofree double *label = g_new (double, n_classes);
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      gint32 item = sl_intern_find_text (items, batch->column[SL_PREDICTIONS_ITEM].text, i);
      if (item < 0)
        rows->n_strange++;
      else if (!teacher_label (batch, i, temperature, label, error)
               || !sl_label_rows_add (rows, item, label, map, n_classes, 1, error))
        return FALSE;
    }
  return sl_run_claim_up_to (rows->run, &rows->claimed,
                             (gsize) rows->pool->len * (rows->k * sizeof (float) + 24) * 5 / 2,
                             "the teachers' predictions", error);
}

gboolean
sl_label_rows_read_teacher (SlLabelRows *rows, const char *option, const char *path,
                            const SlIntern *items, double temperature, GError **error)
{
  static const SlKind *const kinds[] = { &sl_predictions, NULL };
  g_autoptr (SlReader) reader = sl_run_open (rows->run, option, path, kinds, error);
  if (reader == NULL)
    return FALSE;
  const SlTable *table = sl_reader_table (reader);
  if (!sl_predictions_of_items (table, sl_reader_name (reader), error))
    return FALSE;
  g_autofree gint32 *map = sl_label_rows_map (rows, table, sl_reader_name (reader), error);
  if (map == NULL)
    return FALSE;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    ok = take_batch (rows, batch, items, map, temperature, error);
  return ok;
}

/* By what rows say, so that what is drawn does not depend on their order. */
static int
compare_rows (gconstpointer a, gconstpointer b, gpointer data)
{
  const SlLabelRows *rows = data;
  gsize r = *(const gsize *) a, s = *(const gsize *) b, k = rows->k;
  double v = g_array_index (rows->weight, double, r), w = g_array_index (rows->weight, double, s);
  const float *label = rows->label != NULL ? (float *) (gpointer) rows->label->data : NULL;
  int by = label != NULL
               ? memcmp (label + r * k, label + s * k, k * sizeof *label)
               : g_array_index (rows->vote, gint32, r) - g_array_index (rows->vote, gint32, s);
  by = by != 0 ? by : SL_COMPARE (v, w);
  return by != 0 || rows->annotator == NULL ? by
                                            : g_array_index (rows->annotator, gint32, r)
                                                  - g_array_index (rows->annotator, gint32, s);
}

/* start[n + 1] <- where each pool begins; returns the rows, pool by pool. */
static gsize *
sort_rows (const SlLabelRows *rows, gsize n, gsize *start)
{
  gsize n_rows = rows->pool->len;
  gsize *order = g_new (gsize, MAX (n_rows, 1));
  g_autofree gsize *next = g_new (gsize, n + 1);
  for (gsize r = 0; r < n_rows; r++)
    start[g_array_index (rows->pool, gint32, r) + 1]++;
  for (gsize p = 0; p < n; p++)
    start[p + 1] += start[p];
  memcpy (next, start, (n + 1) * sizeof *next);
  for (gsize r = 0; r < n_rows; r++)
    order[next[g_array_index (rows->pool, gint32, r)]++] = r;
  for (gsize p = 0; p < n; p++)
    g_qsort_with_data (order + start[p], (int) (start[p + 1] - start[p]), sizeof *order,
                       compare_rows, (gpointer) rows);
  return order;
}

/* What is drawn for an annotator does not depend on who came first. */
static void
number_by_name (SlLabelRows *rows)
{
  g_autofree gint32 *order = rows->annotators != NULL ? sl_intern_order (rows->annotators) : NULL;
  if (order == NULL)
    return;
  gint32 n = sl_intern_size (rows->annotators);
  g_autofree gint32 *place = g_new (gint32, n);
  SlIntern *named = sl_intern_new ();
  for (gint32 i = 0; i < n; i++)
    {
      gsize length;
      const char *name = sl_intern_get (rows->annotators, order[i], &length);
      place[order[i]] = sl_intern (named, name, length);
    }
  for (guint r = 0; r < rows->annotator->len; r++)
    {
      gint32 *who = &g_array_index (rows->annotator, gint32, r);
      *who = *who >= 0 ? place[*who] : -1;
    }
  sl_intern_free (rows->annotators);
  rows->annotators = named;
}

void
sl_label_rows_pool (SlLabelRows *rows, gsize n, SlPools *pools, gint32 **annotator)
{
  gsize n_rows = rows->pool->len, k = rows->k;
  gsize *start = g_new0 (gsize, n + 1);
  float *label = rows->label != NULL ? g_new (float, MAX (n_rows * k, 1)) : NULL;
  gint32 *vote = rows->label == NULL ? g_new (gint32, MAX (n_rows, 1)) : NULL;
  double *weight = g_new (double, MAX (n_rows, 1));
  gint32 *who = rows->annotator != NULL ? g_new (gint32, MAX (n_rows, 1)) : NULL;
  number_by_name (rows);
  g_autofree gsize *order = sort_rows (rows, n, start);
  for (gsize to = 0; to < n_rows; to++)
    {
      gsize r = order[to];
      weight[to] = g_array_index (rows->weight, double, r);
      if (who != NULL)
        who[to] = g_array_index (rows->annotator, gint32, r);
      if (label != NULL)
        memcpy (label + to * k, (float *) (gpointer) rows->label->data + r * k, k * sizeof *label);
      else
        vote[to] = g_array_index (rows->vote, gint32, r);
    }
  *pools = (SlPools){ n, k, start, label, vote, weight };
  if (annotator != NULL)
    *annotator = g_steal_pointer (&who);
  g_free (who);
}

void
sl_pools_free_arrays (SlPools *pools)
{
  g_free (pools->start);
  g_free ((gpointer) pools->label);
  g_free ((gpointer) pools->vote);
  g_free ((gpointer) pools->weight);
  *pools = (SlPools){ 0 };
}
