/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What rows are told apart by. */
#include "scoring.h"

#include "pipeline/table/tag-columns.h"
#include "pipeline/table/types/types.h"
#include "schemas/annotations.h"
#include "schemas/labels.h"
#include "schemas/predictions.h"

#include <string.h>

static gint32
text_number (SlScoring *scoring, const SlBatch *batch, int column, gint64 row)
{
  if (batch->column[column].text.offset == NULL)
    return -1;
  gsize length;
  const char *text = sl_text_get (batch->column[column].text, row, &length);
  return sl_intern (scoring->texts, text, length);
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
    sl_scoring_add_tags (scoring, batch, table, row);
  return (gint32) scoring->first_tags + number;
}

SlCaseKey
sl_scoring_conditions (SlScoring *scoring, const SlBatch *batch, gint64 row)
{
  SlCaseKey key;
  memset (&key, 0, sizeof key);
  key.file = tags_of (scoring, batch, row);
  key.attack = key.corruption = key.step = key.severity = -1;
  key.class = key.entropy = key.annotator = -1;
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

gboolean
sl_rows_are_alike (const SlScoring *scoring, const SlBatch *batch, gint64 a, gint64 b)
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
