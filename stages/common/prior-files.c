/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "prior-files.h"

#include "pipeline/base/shown-text.h"
#include "schemas/annotations.h"
#include "schemas/confusion.h"
#include "schemas/labels.h"

#include <string.h>

static const SlKind *const gold_kinds[] = { &sl_annotations, &sl_labels, NULL };
static const SlKind *const label_kinds[] = { &sl_labels, NULL };
static const SlKind *const confusion_kinds[] = { &sl_confusion, NULL };

static gboolean
is_csv (const char *path)
{
  return g_str_has_suffix (path, ".csv") || g_str_has_suffix (path, ".tsv");
}

static int
gold_column (const SlTable *table)
{
  return table->kind == &sl_labels ? (int) SL_LABELS_GOLD : (int) SL_ANNOTATIONS_GOLD;
}

static gboolean
open_gold (SlKnown *known, GError **error)
{
  const char *path = known->files->gold;
  if (path == NULL)
    return TRUE;
  if (is_csv (path))
    {
      known->gold_csv = sl_csv_open (path, error);
      return known->gold_csv != NULL && sl_run_add_option_file (known->run, "gold", path, error);
    }
  known->gold = sl_run_open (known->run, "gold", path, gold_kinds, error);
  if (known->gold == NULL)
    return FALSE;
  const SlTable *table = sl_reader_table (known->gold);
  if (sl_table_has (table, gold_column (table)))
    return TRUE;
  g_set_error (error, SL_ERROR, SL_ERROR_INPUT, "%s: it has no column 'gold'",
               sl_reader_name (known->gold));
  return FALSE;
}

static gboolean
open_table (SlKnown *known, const char *option, const char *path, const SlKind *const *kinds,
            SlReader **reader, GError **error)
{
  if (path != NULL)
    *reader = sl_run_open (known->run, option, path, kinds, error);
  return path == NULL || *reader != NULL;
}

static gboolean
open_cost (SlKnown *known, GError **error)
{
  const char *path = known->files->cost;
  if (path == NULL)
    return TRUE;
  known->cost = sl_known_read_cost (known, path, error);
  return known->cost != NULL && sl_run_add_option_file (known->run, "cost", path, error);
}

gboolean
sl_known_open (SlKnown *known, SlRun *run, const SlKnownFiles *files, const SlTable *table,
               GError **error)
{
  *known = (SlKnown){
    .run = run, .files = files, .classes = table->classes, .n_classes = table->n_classes
  };
  return open_gold (known, error) && open_cost (known, error)
         && open_table (known, "predictions", files->predictions, label_kinds, &known->predictions,
                        error)
         && open_table (known, "confusion-prior", files->prior, confusion_kinds, &known->prior,
                        error)
         && open_table (known, "init", files->start, confusion_kinds, &known->start, error);
}

void
sl_known_clear (SlKnown *known)
{
  g_clear_pointer (&known->gold, sl_reader_free);
  g_clear_pointer (&known->predictions, sl_reader_free);
  g_clear_pointer (&known->prior, sl_reader_free);
  g_clear_pointer (&known->start, sl_reader_free);
  g_clear_pointer (&known->gold_csv, sl_csv_free);
  g_clear_pointer (&known->cost, g_free);
  g_clear_pointer (&known->unmatched, g_free);
}

gint32
sl_known_match_gold (SlKnown *known, const SlIntern *items, const char *item, gsize n)
{
  gint32 found = sl_intern_find (items, item, n);
  gsize start = 0, end = n;
  while (start < end && g_ascii_isspace (item[start]))
    start++;
  while (start < end && g_ascii_isspace (item[end - 1]))
    end--;
  if (found < 0 && end - start < n)
    found = sl_intern_find (items, item + start, end - start);
  known->n_gold++;
  known->n_gold_matched += found >= 0;
  if (found < 0 && known->unmatched == NULL)
    known->unmatched = sl_shown (item, n);
  return found;
}

/* How many items have a gold class now. A file of which less than half fits, and that gives less
 * than half of the items a class, may be another's: then an item of each side shows how they differ. */
static void
tell_matched (const SlKnown *known, const SlIntern *items, const gint32 *gold)
{
  gint32 n_items = sl_intern_size (items), n = 0;
  g_autofree char *name = g_filename_display_name (known->files->gold);
  for (gint32 i = 0; i < n_items; i++)
    n += gold[i] >= 0;
  if (n_items == 0 || known->unmatched == NULL || 2 * known->n_gold_matched >= known->n_gold
      || 2 * n >= n_items)
    {
      sl_run_note (known->run, "--gold %s has the class of %d of %d items", name, n, n_items);
      return;
    }
  gsize length;
  const char *first = sl_intern_get (items, 0, &length);
  g_autofree char *shown = sl_shown (first, length);
  sl_run_warn (known->run,
               "--gold %s has the class of only %d of %d items; %" G_GINT64_FORMAT
               " of its %" G_GINT64_FORMAT " rows are of other items, such as '%s', where the "
               "answers have '%s': are items named alike in both?",
               name, n, n_items, known->n_gold - known->n_gold_matched, known->n_gold,
               known->unmatched, shown);
}

static gboolean
set_gold (SlKnown *known, const SlBatch *batch, const gint32 *map, const SlIntern *items,
          gint32 *gold, GError **error)
{
  const gint32 *code = batch->column[gold_column (batch->table)].code;
  /* Both kinds begin with the item. */
  SlText names = batch->column[SL_LABELS_ITEM].text;
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      gsize length;
      const char *name = sl_text_get (names, i, &length);
      gint32 item = code[i] >= 0 ? sl_known_match_gold (known, items, name, length) : -1;
      if (item < 0)
        continue;
      gint32 class = map[code[i]];
      if (class < 0 || (gold[item] >= 0 && gold[item] != class))
        {
          g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
                       class < 0 ? "%s: row %" G_GINT64_FORMAT
                                   ": gold class '%s' is none of the classes of the answers"
                                 : "%s: row %" G_GINT64_FORMAT
                                   ": gold class '%s', and another one for the item before",
                       sl_reader_name (known->gold), batch->first_row + i + 1,
                       batch->table->classes[code[i]]);
          return FALSE;
        }
      gold[item] = class;
    }
  return TRUE;
}

static gboolean
read_gold_table (SlKnown *known, const SlIntern *items, gint32 *gold, GError **error)
{
  g_autofree gint32 *map
      = sl_table_class_map (sl_reader_table (known->gold), known->classes, known->n_classes);
  for (;;)
    {
      g_autoptr (SlBatch) batch = NULL;
      if (!sl_reader_next (known->gold, &batch, error))
        return FALSE;
      if (batch == NULL)
        return TRUE;
      if (!set_gold (known, batch, map, items, gold, error))
        return FALSE;
    }
}

gboolean
sl_known_read_gold (SlKnown *known, const SlIntern *items, gint32 *gold, GError **error)
{
  if (known->gold_csv == NULL && known->gold == NULL)
    return TRUE;
  if (!(known->gold_csv != NULL ? sl_known_read_gold_csv : read_gold_table) (known, items, gold,
                                                                             error))
    return FALSE;
  tell_matched (known, items, gold);
  return TRUE;
}

/* Predictions as they are read: rows of items, in the items' order. */
typedef struct
{
  SlKnown *known;
  SlIntern *items;
  gboolean meet;
  gint32 *map;       /* of the file's classes */
  GArray *label;     /* of double[n_classes] */
  GByteArray *found; /* [n] */
  gsize claimed;
} Predictions;

static void
predictions_clear (Predictions *predictions)
{
  g_free (predictions->map);
  g_clear_pointer (&predictions->label, g_array_unref);
  g_clear_pointer (&predictions->found, g_byte_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Predictions, predictions_clear)

static gboolean
make_room (Predictions *predictions, GError **error)
{
  guint n = (guint) sl_intern_size (predictions->items);
  if (!sl_run_claim_up_to (predictions->known->run, &predictions->claimed,
                           n * ((gsize) g_array_get_element_size (predictions->label) + 1),
                           "a prediction for every item and class", error))
    return FALSE;
  g_array_set_size (predictions->label, n);
  guint before = predictions->found->len;
  g_byte_array_set_size (predictions->found, n);
  if (n > before)
    memset (predictions->found->data + before, 0, n - before);
  return TRUE;
}

static gboolean
missing_prediction (const Predictions *predictions, GError **error)
{
  for (gint32 i = 0; i < sl_intern_size (predictions->items); i++)
    if (!predictions->found->data[i])
      {
        gsize length;
        const char *name = sl_intern_get (predictions->items, i, &length);
        g_set_error (error, SL_ERROR, SL_ERROR_INPUT, "%s: it has no prediction for item '%.*s'",
                     sl_reader_name (predictions->known->predictions), (int) MIN (length, 1000),
                     name);
        return TRUE;
      }
  return FALSE;
}

static gboolean
set_predictions (Predictions *predictions, const SlBatch *batch, GError **error)
{
  SlLabels labels = sl_labels_view (batch);
  gsize n_classes = (gsize) predictions->known->n_classes;
  for (gint64 i = 0; i < labels.n; i++)
    {
      gsize length;
      const char *name = sl_text_get (labels.item, i, &length);
      gint32 item = predictions->meet ? sl_intern (predictions->items, name, length)
                                      : sl_intern_find (predictions->items, name, length);
      if (item < 0)
        continue;
      if ((guint) item >= predictions->found->len && !make_room (predictions, error))
        return FALSE;
      if (predictions->found->data[item])
        {
          g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
                       "%s: row %" G_GINT64_FORMAT
                       ": item '%.*s' is there twice; one prediction is wanted",
                       sl_reader_name (predictions->known->predictions), batch->first_row + i + 1,
                       (int) MIN (length, 1000), name);
          return FALSE;
        }
      predictions->found->data[item] = TRUE;
      double *label = (double *) (gpointer) predictions->label->data + (gsize) item * n_classes;
      for (gint32 k = 0; k < labels.n_classes; k++)
        label[predictions->map[k]] = labels.label[i * labels.n_classes + k];
    }
  return TRUE;
}

double *
sl_known_read_predictions (SlKnown *known, SlIntern *items, gboolean meet, GError **error)
{
  SlReader *reader = known->predictions;
  SlTable *table = sl_reader_table (reader);
  g_auto (Predictions) predictions = { .known = known, .items = items, .meet = meet };
  predictions.map = sl_table_class_map (table, known->classes, known->n_classes);
  for (gint32 k = 0; k < table->n_classes; k++)
    if (predictions.map[k] < 0)
      {
        g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
                     "%s: class '%s' is none of the classes of the answers",
                     sl_reader_name (reader), table->classes[k]);
        return NULL;
      }
  predictions.label
      = g_array_new (FALSE, TRUE, (guint) MAX (known->n_classes, 1) * sizeof (double));
  predictions.found = g_byte_array_new ();
  if (!make_room (&predictions, error))
    return NULL;
  for (;;)
    {
      g_autoptr (SlBatch) batch = NULL;
      if (!sl_reader_next (reader, &batch, error))
        return NULL;
      if (batch == NULL)
        break;
      if (!set_predictions (&predictions, batch, error))
        return NULL;
    }
  if (missing_prediction (&predictions, error))
    return NULL;
  g_array_set_size (predictions.label, MAX (predictions.label->len, 1));
  return (double *) (gpointer) g_array_free (g_steal_pointer (&predictions.label), FALSE);
}
