/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "annotators.h"

#include "pipeline/base/shown-text.h"
#include "pipeline/table/tag-columns.h"
#include "schemas/annotations.h"
#include "schemas/labels.h"
#include "stages/common/answers/votes-of-batch.h"
#include "stages/common/items/annotator-attributes.h"

#include <string.h>

/* ---- who is asked of what ---- */

typedef struct
{
  gint32 item, who;
} Pair;

static int
compare_pairs (gconstpointer a, gconstpointer b)
{
  const Pair *x = a, *y = b;
  return SL_COMPARE (x->item, y->item) ?: SL_COMPARE (x->who, y->who);
}

/* In the order of annotators' names, each pair once. */
static void
arrange (SlAskedPeople *asked, GArray *pairs)
{
  g_autofree gint32 *order = sl_intern_order (asked->names);
  g_autofree gint32 *place = g_new (gint32, MAX (sl_intern_size (asked->names), 1));
  for (gint32 i = 0; i < sl_intern_size (asked->names); i++)
    place[order != NULL ? order[i] : i] = i;
  for (guint i = 0; i < pairs->len; i++)
    g_array_index (pairs, Pair, i).who = place[g_array_index (pairs, Pair, i).who];
  g_array_sort (pairs, compare_pairs);
  asked->start = g_new0 (gsize, (gsize) sl_intern_size (asked->items) + 1);
  asked->who = g_new (gint32, MAX (pairs->len, 1));
  asked->met = g_new0 (gboolean, (gsize) sl_intern_size (asked->items) + 1);
  gsize n = 0;
  for (guint i = 0; i < pairs->len; i++)
    {
      const Pair *pair = &g_array_index (pairs, Pair, i);
      if (i > 0 && compare_pairs (pair, pair - 1) == 0)
        continue;
      asked->who[n++] = order != NULL ? order[pair->who] : pair->who;
      asked->start[pair->item + 1] = n;
    }
  for (gint32 i = 0; i < sl_intern_size (asked->items); i++)
    asked->start[i + 1] = MAX (asked->start[i + 1], asked->start[i]);
}

static gboolean
take_answers (SlAskedPeople *asked, SlRun *run, SlBatch *batch, GArray *pairs, GError **error)
{
  g_auto (SlRowVotes) rows;
  if (!sl_row_votes_init (&rows, batch, error))
    return FALSE;
  for (gint64 i = 0; i < rows.n; i++)
    {
      gsize length;
      const char *item = sl_text_get (rows.item, i, &length);
      Pair pair = { sl_intern (asked->items, item, length), 0 };
      const char *who = sl_text_get (rows.annotator, i, &length);
      pair.who = sl_intern (asked->names, who, length);
      g_array_append_val (pairs, pair);
    }
  return sl_run_claim_up_to (run, &asked->claimed, (gsize) pairs->len * 4 * sizeof (Pair),
                             "whose answers are asked for", error);
}

/* The attributes that models have learned of and TABLE has. */
static void
want_attributes (SlAskedPeople *asked, const SlPredictors *predictors, const SlTable *table)
{
  for (guint r = 0; r < predictors->answering->len; r++)
    {
      const SlAnswering *answering = g_ptr_array_index (predictors->answering, r);
      for (gsize t = 0; t < answering->attributes.n; t++)
        {
          const char *name = answering->attributes.attribute[t].name;
          int column = sl_table_attribute (table, "", name, NULL);
          gboolean there = column < 0;
          for (int i = 0; i < asked->tags.tags.n; i++)
            there = there || asked->tags.tags.tag[i].column == column;
          if (!there)
            sl_annotator_tags_want (&asked->tags, table, column);
        }
    }
}

static gboolean
read_table (SlAskedPeople *asked, SlRun *run, const SlPredictors *predictors, const char *path,
            GError **error)
{
  static const SlKind *const kinds[] = { &sl_annotations, &sl_labels, &sl_annotators, NULL };
  g_autoptr (SlReader) reader = sl_run_open (run, "annotators", path, kinds, error);
  if (reader == NULL)
    return FALSE;
  asked->file = g_strdup (sl_reader_name (reader));
  const SlTable *table = sl_reader_table (reader);
  int who = table->kind == &sl_annotators ? (int) SL_ANNOTATORS_ANNOTATOR
            : table->kind == &sl_labels   ? (int) SL_LABELS_ANNOTATOR
                                          : (int) SL_ANNOTATIONS_ANNOTATOR;
  if (!sl_table_has (table, who))
    return sl_error_bad_input (error, "%s: it does not say who answered", sl_reader_name (reader));
  want_attributes (asked, predictors, table);
  g_autoptr (GArray) pairs = g_array_new (FALSE, FALSE, sizeof (Pair));
  asked->items = table->kind != &sl_annotators ? sl_intern_new () : NULL;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    {
      for (gint64 i = 0; asked->items == NULL && i < batch->n_rows; i++)
        {
          sl_intern_text (asked->names, batch->column[who].text, i);
        }
      ok = (asked->items == NULL || take_answers (asked, run, batch, pairs, error))
           && (asked->tags.tags.n == 0
               || sl_annotator_tags_add (&asked->tags, batch, batch->column[who].text,
                                         sl_reader_name (reader), error));
    }
  if (ok && asked->items != NULL)
    arrange (asked, pairs);
  return ok;
}

static void
take_all (SlAskedPeople *asked, const SlPredictors *predictors)
{
  for (guint r = 0; r < predictors->networks->len; r++)
    {
      const SlAnswering *answering = g_ptr_array_index (predictors->answering, r);
      for (char **name = answering->names; *name != NULL; name++)
        sl_intern (asked->names, *name, strlen (*name));
    }
}

/* Where ANSWERING has what it has learned of each, and how many it has not seen. */
static gint32 *
find_known (const SlAskedPeople *asked, const SlAnswering *answering, gsize *n_strange)
{
  gint32 n = sl_intern_size (asked->names);
  gint32 *known = g_new (gint32, MAX (n, 1));
  for (gint32 a = 0; a < n; a++)
    known[a] = -1;
  for (gint32 r = 0; answering->names[r] != NULL; r++)
    {
      gint32 a = sl_intern_find (asked->names, answering->names[r], strlen (answering->names[r]));
      if (a >= 0)
        known[a] = r;
    }
  for (gint32 a = 0; a < n; a++)
    *n_strange += known[a] < 0;
  return known;
}

/* Of names that are all unknown there is a warning: they may be written in another way. */
static void
tell_of_strangers (const SlAskedPeople *asked, SlRun *run, gsize n_strange, gsize n_networks)
{
  gsize n = (gsize) sl_intern_size (asked->names);
  const gboolean attributes = asked->tags.tags.n > 0;
  if (n_strange == 0)
    return;
  (n_strange == n * n_networks && !attributes ? sl_run_warn : sl_run_note) (
      run,
      "%" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " annotators are not among those that the model "
      "has learned of: they answer as %s",
      n_strange / n_networks, n,
      attributes ? "strangers with their attributes do" : "all of those do in the mean");
}

gboolean
sl_asked_people_init (SlAskedPeople *asked, SlRun *run, const SlPredictors *predictors,
                      const char *path, GError **error)
{
  gsize n_networks = predictors->networks->len, n_strange = 0;
  *asked = (SlAskedPeople){ .names = sl_intern_new () };
  if (strcmp (path, SL_ASK_ALL) == 0)
    take_all (asked, predictors);
  else if (!read_table (asked, run, predictors, path, error))
    return FALSE;
  asked->known = g_new0 (gint32 *, n_networks + 1);
  for (gsize r = 0; r < n_networks; r++)
    asked->known[r] = find_known (asked, g_ptr_array_index (predictors->answering, r), &n_strange);
  tell_of_strangers (asked, run, n_strange, n_networks);
  return sl_run_claim_array (run, n_networks * ((gsize) sl_intern_size (asked->names) + 1),
                             (gsize) predictors->batch * predictors->k * sizeof (double),
                             "a batch's answers; a smaller --batch has fewer", error);
}

gboolean
sl_asked_people_end (const SlAskedPeople *asked, SlRun *run, GError **error)
{
  gint32 n = asked->items != NULL ? sl_intern_size (asked->items) : 0, there = 0, absent = -1;
  for (gint32 i = n - 1; i >= 0; i--)
    {
      there += asked->met[i];
      absent = asked->met[i] ? absent : i;
    }
  if (absent < 0)
    return TRUE;
  gsize length;
  const char *item = sl_intern_get (asked->items, absent, &length);
  g_autofree char *shown = sl_shown (item, length);
  if (there == 0)
    return sl_error_bad_input (error,
                               "%s: no item in it is among the examples, not '%s' for one: are the "
                               "tables' items named alike?",
                               asked->file, shown);
  sl_run_warn (run, "%s: %d of its %d items, such as '%s', are not among the examples", asked->file,
               n - there, n, shown);
  return TRUE;
}

void
sl_asked_people_clear (SlAskedPeople *asked)
{
  g_clear_pointer (&asked->names, sl_intern_free);
  g_clear_pointer (&asked->items, sl_intern_free);
  g_clear_pointer (&asked->start, g_free);
  g_clear_pointer (&asked->met, g_free);
  g_clear_pointer (&asked->file, g_free);
  g_clear_pointer (&asked->who, g_free);
  sl_annotator_tags_clear (&asked->tags);
  for (gint32 **known = asked->known; known != NULL && *known != NULL; known++)
    g_free (*known);
  g_clear_pointer (&asked->known, g_free);
}

/* ---- what they answer ---- */

/* The annotators of the item of ROW: *N of them, or, where NULL, all. */
static const gint32 *
annotators_of (const SlAskedPeople *asked, const SlPredictedRow *row, gsize *n)
{
  *n = (gsize) sl_intern_size (asked->names);
  if (asked->items == NULL)
    return NULL;
  gint32 item = sl_intern_find (asked->items, row->item, row->length);
  if (item >= 0)
    asked->met[item] = TRUE;
  *n = item < 0 ? 0 : asked->start[item + 1] - asked->start[item];
  return asked->who + (item < 0 ? 0 : asked->start[item]);
}

/* place[names] <- where each annotator's answers about the batch are, -1 where nobody asks; returns
 * how many. */
static gsize
find_places (const SlAskedPeople *asked, const SlPredictedRow *rows, gsize n, gint32 *place)
{
  gsize n_places = 0, n_own;
  for (gint32 a = 0; a < sl_intern_size (asked->names); a++)
    place[a] = -1;
  for (gsize i = 0; i < n; i++)
    {
      const gint32 *own = annotators_of (asked, &rows[i], &n_own);
      for (gsize j = 0; j < n_own; j++)
        {
          gint32 a = own != NULL ? own[j] : (gint32) j;
          if (place[a] < 0)
            place[a] = (gint32) n_places++;
        }
    }
  return n_places;
}

/* The mean of all that the model has learned of. */
static gboolean
answer_of_all (SlAnswering *answering, const SlLossBatch *batch, gsize numbers, double *out,
               GError **error)
{
  gsize n = answering->objective.plan.n_annotators;
  g_autofree double *p = g_new (double, numbers);
  memset (out, 0, numbers * sizeof *out);
  for (gsize r = 0; r < n; r++)
    {
      if (!sl_objective_answer (&answering->objective, batch, r, p, error))
        return FALSE;
      for (gsize j = 0; j < numbers; j++)
        out[j] += p[j] / (double) n;
    }
  return TRUE;
}

/* out[places][n][k] <- the answers by network R. */
static gboolean
answer_all (SlPrediction *prediction, gsize r, const float *x, gsize n, const gint32 *place,
            double *out, GError **error)
{
  const SlPredictors *predictors = prediction->predictors;
  const SlAskedPeople *asked = prediction->asked;
  SlAnswering *answering = g_ptr_array_index (predictors->answering, r);
  SlNetwork *network = g_ptr_array_index (predictors->networks, r);
  gsize numbers = n * predictors->k;
  g_autofree double *of_all = NULL;
  sl_network_give (network, x, (int) n);
  const float *z = sl_network_forward (network, (int) n, FALSE, 0, error);
  const SlLossBatch batch = { .n = n, .x = x, .hidden = sl_network_hidden (network), .logits = z };
  if (z == NULL || !sl_objective_see (&answering->objective, &batch, error))
    return FALSE;
  for (gint32 a = 0; a < sl_intern_size (asked->names); a++)
    {
      gint32 known = asked->known[r][a];
      double *to = out + (gsize) MAX (place[a], 0) * numbers;
      if (place[a] < 0)
        continue;
      gsize length;
      const char *name = sl_intern_get (asked->names, a, &length);
      if (known < 0
          && sl_annotator_attributes_meet (&answering->attributes, &asked->tags, name, length))
        known = (gint32) answering->attributes.n_annotators;
      if (known >= 0
          && !sl_objective_answer (&answering->objective, &batch, (gsize) known, to, error))
        return FALSE;
      if (known < 0 && of_all == NULL)
        {
          of_all = g_new (double, numbers);
          if (!answer_of_all (answering, &batch, numbers, of_all, error))
            return FALSE;
        }
      if (known < 0)
        memcpy (to, of_all, numbers * sizeof *to);
    }
  return TRUE;
}

gboolean
sl_predict_annotators (SlPrediction *prediction, const float *x, const SlPredictedRow *rows,
                       gsize n, GError **error)
{
  const SlPredictors *predictors = prediction->predictors;
  const SlAskedPeople *asked = prediction->asked;
  gsize k = predictors->k, n_networks = predictors->networks->len, n_own;
  g_autofree gint32 *place = g_new (gint32, MAX (sl_intern_size (asked->names), 1));
  gsize each = find_places (asked, rows, n, place) * n * k;
  g_autofree double *answers = g_new (double, MAX (n_networks * each, 1));
  for (gsize r = 0; r < n_networks; r++)
    if (each > 0 && !answer_all (prediction, r, x, n, place, answers + r * each, error))
      return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      const gint32 *own = annotators_of (asked, &rows[i], &n_own);
      for (gsize j = 0; j < n_own; j++)
        for (gsize r = 0; r < (prediction->mean ? 1 : n_networks); r++)
          {
            SlPredictedRow row = rows[i];
            gint32 a = own != NULL ? own[j] : (gint32) j;
            row.run = (gint32) r;
            row.annotator = sl_intern_get (asked->names, a, &row.annotator_length);
            row.answer = answers + r * each + ((gsize) place[a] * n + i) * k;
            row.n_networks = n_networks;
            row.stride = each;
            if (!sl_write_row (prediction, &row, error))
              return FALSE;
          }
    }
  return TRUE;
}
