/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "prior-files.h"

#include "predicted-items.h"

#include "pipeline/base/shown-text.h"
#include "schemas/confusion.h"

#include <string.h>

static const SlKind *const confusion_kinds[] = { &sl_confusion, NULL };

static gboolean
open_gold (SlPriors *priors, GError **error)
{
  const char *path = priors->files->gold;
  if (path == NULL)
    return TRUE;
  if (!sl_item_values_open (&priors->gold, priors->run, "gold", path, error))
    return FALSE;
  sl_item_values_want (&priors->gold, "gold", SL_TYPE_CLASS, TRUE);
  return TRUE;
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
         && (files->predictions == NULL
             || (priors->predictions = sl_predictions_open (run, files->predictions, error))
                    != NULL)
         && open_table (priors, "confusion-prior", files->prior, confusion_kinds, &priors->prior,
                        error)
         && open_table (priors, "init", files->start, confusion_kinds, &priors->start, error);
}

void
sl_priors_clear (SlPriors *priors)
{
  sl_item_values_clear (&priors->gold);
  g_clear_pointer (&priors->predictions, sl_reader_free);
  g_clear_pointer (&priors->prior, sl_reader_free);
  g_clear_pointer (&priors->start, sl_reader_free);
  g_clear_pointer (&priors->cost, g_free);
}

/* How many of ITEMS have a gold class now. A file of which less than half fits, and that gives less
 * than half of the items a class, may be another's: then an item of each side shows how they
 * differ. */
static void
tell_matched (const SlPriors *priors, const SlIntern *items, const gint32 *gold,
              const guint8 *matched)
{
  const SlItemValues *values = &priors->gold;
  gint32 n_items = sl_intern_size (items), n = 0, n_gold = 0, n_matched = 0, other = -1;
  for (gint32 i = 0; i < n_items; i++)
    n += gold[i] >= 0;
  for (gint32 v = 0; v < sl_intern_size (values->items); v++)
    if (sl_item_values_get (values, 0, v) != NULL)
      {
        n_gold++;
        n_matched += matched[v];
        other = !matched[v] && other < 0 ? v : other;
      }
  if (n_items == 0 || other < 0 || 2 * n_matched >= n_gold || 2 * n >= n_items)
    {
      sl_run_note (priors->run, "--gold %s has the class of %d of %d items", values->name, n,
                   n_items);
      return;
    }
  gsize length;
  const char *name = sl_intern_get (values->items, other, &length);
  g_autofree char *unmatched = sl_shown (name, length);
  name = sl_intern_get (items, 0, &length);
  g_autofree char *shown = sl_shown (name, length);
  sl_run_warn (priors->run,
               "--gold %s has the class of only %d of %d items; %d of the %d that it has a class "
               "of are others, such as '%s', where the answers have '%s': are items named alike in "
               "both?",
               values->name, n, n_items, n_gold - n_matched, n_gold, unmatched, shown);
}

gboolean
sl_priors_read_gold (SlPriors *priors, const SlIntern *items, gint32 *gold, GError **error)
{
  SlItemValues *values = &priors->gold;
  if (priors->files->gold == NULL)
    return TRUE;
  if (!sl_item_values_read (values, priors->classes, priors->n_classes, NULL, error))
    return FALSE;
  g_autofree guint8 *matched = g_new0 (guint8, MAX (sl_intern_size (values->items), 1));
  for (gint32 i = 0; i < sl_intern_size (items); i++)
    {
      gsize length;
      const char *item = sl_intern_get (items, i, &length);
      gint32 found = sl_item_values_find (values, item, length);
      if (!sl_item_values_class (values, 0, found, &gold[i], error))
        return FALSE;
      if (found >= 0)
        matched[found] = 1;
    }
  tell_matched (priors, items, gold, matched);
  sl_item_values_clear (values);
  return TRUE;
}
