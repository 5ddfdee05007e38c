/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "prior-files.h"

#include "pipeline/base/shown-text.h"
#include "schemas/confusion.h"
#include "schemas/gold.h"

#include <string.h>

static const SlKind *const gold_kinds[] = { &sl_annotations, &sl_labels, NULL };
static const SlKind *const label_kinds[] = { &sl_labels, NULL };
static const SlKind *const confusion_kinds[] = { &sl_confusion, NULL };

static gboolean
is_csv (const char *path)
{
  return g_str_has_suffix (path, ".csv") || g_str_has_suffix (path, ".tsv");
}

static gboolean
open_gold (SlPriors *priors, GError **error)
{
  const char *path = priors->files->gold;
  if (path == NULL)
    return TRUE;
  if (is_csv (path))
    {
      priors->gold_csv = sl_csv_open (path, error);
      return priors->gold_csv != NULL && sl_run_add_option_file (priors->run, "gold", path, error);
    }
  priors->gold = sl_run_open (priors->run, "gold", path, gold_kinds, error);
  if (priors->gold == NULL)
    return FALSE;
  const SlTable *table = sl_reader_table (priors->gold);
  if (sl_table_has (table, sl_gold_column (table->kind)))
    return TRUE;
  return sl_error_bad_input (error, "%s: it has no column 'gold'", sl_reader_name (priors->gold));
}

static gboolean
open_table (SlPriors *priors, const char *option, const char *path, const SlKind *const *kinds,
            SlReader **reader, GError **error)
{
  if (path != NULL)
    *reader = sl_run_open (priors->run, option, path, kinds, error);
  return path == NULL || *reader != NULL;
}

static gboolean
open_cost (SlPriors *priors, GError **error)
{
  const char *path = priors->files->cost;
  if (path == NULL)
    return TRUE;
  priors->cost = sl_priors_read_cost (priors, path, error);
  return priors->cost != NULL && sl_run_add_option_file (priors->run, "cost", path, error);
}

gboolean
sl_priors_open (SlPriors *priors, SlRun *run, const SlPriorFiles *files, const SlTable *table,
                GError **error)
{
  *priors = (SlPriors){
    .run = run, .files = files, .classes = table->classes, .n_classes = table->n_classes
  };
  return open_gold (priors, error) && open_cost (priors, error)
         && open_table (priors, "predictions", files->predictions, label_kinds,
                        &priors->predictions, error)
         && open_table (priors, "confusion-prior", files->prior, confusion_kinds, &priors->prior,
                        error)
         && open_table (priors, "init", files->start, confusion_kinds, &priors->start, error);
}

void
sl_priors_clear (SlPriors *priors)
{
  g_clear_pointer (&priors->gold, sl_reader_free);
  g_clear_pointer (&priors->predictions, sl_reader_free);
  g_clear_pointer (&priors->prior, sl_reader_free);
  g_clear_pointer (&priors->start, sl_reader_free);
  g_clear_pointer (&priors->gold_csv, sl_csv_free);
  g_clear_pointer (&priors->cost, g_free);
  g_clear_pointer (&priors->unmatched, g_free);
}

gint32
sl_priors_match_gold (SlPriors *priors, const SlIntern *items, const char *item, gsize n)
{
  gint32 found = sl_intern_find (items, item, n);
  gsize start = 0, end = n;
  while (start < end && g_ascii_isspace (item[start]))
    start++;
  while (start < end && g_ascii_isspace (item[end - 1]))
    end--;
  if (found < 0 && end - start < n)
    found = sl_intern_find (items, item + start, end - start);
  priors->n_gold++;
  priors->n_gold_matched += found >= 0;
  if (found < 0 && priors->unmatched == NULL)
    priors->unmatched = sl_shown (item, n);
  return found;
}

/* How many items have a gold class now. A file of which less than half fits, and that gives less
 * than half of the items a class, may be another's: then an item of each side shows how they
 * differ. */
static void
tell_matched (const SlPriors *priors, const SlIntern *items, const gint32 *gold)
{
  gint32 n_items = sl_intern_size (items), n = 0;
  g_autofree char *name = g_filename_display_name (priors->files->gold);
  for (gint32 i = 0; i < n_items; i++)
    n += gold[i] >= 0;
  if (n_items == 0 || priors->unmatched == NULL || 2 * priors->n_gold_matched >= priors->n_gold
      || 2 * n >= n_items)
    {
      sl_run_note (priors->run, "--gold %s has the class of %d of %d items", name, n, n_items);
      return;
    }
  gsize length;
  const char *first = sl_intern_get (items, 0, &length);
  g_autofree char *shown = sl_shown (first, length);
  sl_run_warn (priors->run,
               "--gold %s has the class of only %d of %d items; %" G_GINT64_FORMAT
               " of its %" G_GINT64_FORMAT " rows are of other items, such as '%s', where the "
               "answers have '%s': are items named alike in both?",
               name, n, n_items, priors->n_gold - priors->n_gold_matched, priors->n_gold,
               priors->unmatched, shown);
}

static gboolean
set_gold (SlPriors *priors, const SlBatch *batch, const gint32 *map, const SlIntern *items,
          gint32 *gold, GError **error)
{
  const gint32 *code = batch->column[sl_gold_column (batch->table->kind)].code;
  /* Both kinds begin with the item. */
  SlText names = batch->column[SL_LABELS_ITEM].text;
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      gsize length;
      const char *name = sl_text_get (names, i, &length);
      gint32 item = code[i] >= 0 ? sl_priors_match_gold (priors, items, name, length) : -1;
      if (item < 0)
        continue;
      gint32 class = map[code[i]];
      if (class < 0 || (gold[item] >= 0 && gold[item] != class))
        return sl_error_row (error, batch->first_row + i + 1,
                             class < 0 ? "gold class '%s' is none of the classes of the answers"
                                       : "gold class '%s', and another one for the item before",
                             batch->table->classes[code[i]]);
      gold[item] = class;
    }
  return TRUE;
}

static gboolean
read_gold_table (SlPriors *priors, const SlIntern *items, gint32 *gold, GError **error)
{
  g_autofree gint32 *map
      = sl_table_class_map (sl_reader_table (priors->gold), priors->classes, priors->n_classes);
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (priors->gold, &batch, &ok, error))
    ok = set_gold (priors, batch, map, items, gold, error);
  return ok;
}

gboolean
sl_priors_read_gold (SlPriors *priors, const SlIntern *items, gint32 *gold, GError **error)
{
  if (priors->gold_csv == NULL && priors->gold == NULL)
    return TRUE;
  if (!(priors->gold_csv != NULL ? sl_priors_read_gold_csv : read_gold_table) (priors, items, gold,
                                                                               error))
    return FALSE;
  tell_matched (priors, items, gold);
  return TRUE;
}

/* Predictions as they are read: rows of items, in the items' order. */
typedef struct
{
  SlPriors *priors;
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
  if (!sl_run_claim_up_to (predictions->priors->run, &predictions->claimed,
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
        sl_error_bad_input (error, "%s: it has no prediction for item '%.*s'",
                            sl_reader_name (predictions->priors->predictions),
                            (int) MIN (length, 1000), name);
        return TRUE;
      }
  return FALSE;
}

static gboolean
set_predictions (Predictions *predictions, const SlBatch *batch, GError **error)
{
  SlLabels labels = sl_labels_view (batch);
  gsize n_classes = (gsize) predictions->priors->n_classes;
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
        return sl_error_row (error, batch->first_row + i + 1,
                             "item '%.*s' is there twice; one prediction is wanted",
                             (int) MIN (length, 1000), name);
      predictions->found->data[item] = TRUE;
      double *label = (double *) (gpointer) predictions->label->data + (gsize) item * n_classes;
      for (gint32 k = 0; k < labels.n_classes; k++)
        label[predictions->map[k]] = labels.label[i * labels.n_classes + k];
    }
  return TRUE;
}

double *
sl_priors_read_predictions (SlPriors *priors, SlIntern *items, gboolean meet, GError **error)
{
  SlReader *reader = priors->predictions;
  SlTable *table = sl_reader_table (reader);
  g_auto (Predictions) predictions = { .priors = priors, .items = items, .meet = meet };
  predictions.map = sl_table_class_map (table, priors->classes, priors->n_classes);
  for (gint32 k = 0; k < table->n_classes; k++)
    if (predictions.map[k] < 0)
      {
        sl_error_bad_input (error, "%s: class '%s' is none of the classes of the answers",
                            sl_reader_name (reader), table->classes[k]);
        return NULL;
      }
  predictions.label
      = g_array_new (FALSE, TRUE, (guint) MAX (priors->n_classes, 1) * sizeof (double));
  predictions.found = g_byte_array_new ();
  if (!make_room (&predictions, error))
    return NULL;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    ok = set_predictions (&predictions, batch, error);
  if (!ok)
    return NULL;
  if (missing_prediction (&predictions, error))
    return NULL;
  g_array_set_size (predictions.label, MAX (predictions.label->len, 1));
  return (double *) (gpointer) g_array_free (g_steal_pointer (&predictions.label), FALSE);
}
