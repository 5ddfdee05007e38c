/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reference.h"

#include "pipeline/base/largest.h"
#include "pipeline/base/shown-text.h"
#include "schemas/annotations.h"
#include "schemas/labels.h"
#include "stages/common/answers/gathering.h"
#include "stages/common/classes/class-map.h"

#include <math.h>
#include <string.h>

static const SlKind *const kinds[] = { &sl_labels, &sl_predictions, &sl_annotations, NULL };

void
sl_reference_clear (SlReference *reference)
{
  g_clear_pointer (&reference->name, g_free);
  g_clear_pointer (&reference->table, sl_table_unref);
  g_clear_pointer (&reference->items, sl_intern_free);
  g_clear_pointer (&reference->target, g_array_unref);
  g_clear_pointer (&reference->gold, g_array_unref);
  g_clear_pointer (&reference->annotators, sl_intern_free);
  g_clear_pointer (&reference->answers, g_hash_table_unref);
}

char *
sl_item_shown (const SlIntern *items, gint32 item)
{
  return sl_intern_shown (items, item);
}

/* Items are numbered as they come, so an item that is there already has a number below its
 * place. */
static gboolean
refuse_again (const SlReference *reference, const SlBatch *batch, gint64 i, gint32 item,
              GError **error)
{
  g_autofree char *shown = sl_item_shown (reference->items, item);
  return sl_error_row (error, batch->first_row + i + 1,
                       batch->table->kind == &sl_predictions
                           ? "item '%s' is there twice; one row an item is wanted: those of one "
                             "run, not attacked"
                           : "item '%s' is there twice; one row an item is wanted",
                       shown);
}

static gboolean
claim (SlReference *reference, SlRun *run, gint64 more, GError **error)
{
  gsize row = (gsize) reference->table->n_classes * sizeof (double) + sizeof (gint32);
  gsize rows = (gsize) reference->gold->len + (gsize) more;
  return sl_run_claim_up_to (run, &reference->claimed,
                             sl_intern_bytes (reference->items) + rows * row,
                             "a target for every item and class", error);
}

static gboolean
add_batch (SlReference *reference, SlRun *run, const SlBatch *batch, GArray *ids, GError **error)
{
  gboolean labels = batch->table->kind == &sl_labels;
  gint64 n = batch->n_rows;
  gint32 before = sl_intern_size (reference->items);
  const double *target
      = batch->column[labels ? (int) SL_LABELS_LABEL : (int) SL_PREDICTIONS_PROB].real;
  const gint32 *gold
      = batch->column[labels ? (int) SL_LABELS_GOLD : (int) SL_PREDICTIONS_GOLD].code;
  g_array_set_size (ids, (guint) n);
  sl_intern_column (reference->items, batch->column[SL_LABELS_ITEM].text, n,
                    (gint32 *) (gpointer) ids->data);
  for (gint64 i = 0; i < n; i++)
    if (g_array_index (ids, gint32, i) != before + i)
      return refuse_again (reference, batch, i, g_array_index (ids, gint32, i), error);
  if (!claim (reference, run, n, error))
    return FALSE;
  g_array_append_vals (reference->target, target, (guint) n);
  if (gold != NULL)
    {
      g_array_append_vals (reference->gold, gold, (guint) n);
      reference->has_gold = TRUE;
      return TRUE;
    }
  static const gint32 unknown = -1;
  for (gint64 i = 0; i < n; i++)
    g_array_append_val (reference->gold, unknown);
  return TRUE;
}

static gboolean
read_rows (SlReference *reference, SlRun *run, SlReader *reader, GError **error)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    ok = add_batch (reference, run, batch, ids, error);
  return ok;
}

gint32
sl_reference_answer (const SlReference *reference, gint32 item, const char *annotator, gsize length)
{
  gint32 a = sl_intern_find (reference->annotators, annotator, length);
  gint64 key = (gint64) a << 32 | item;
  return a < 0 ? -1 : GPOINTER_TO_INT (g_hash_table_lookup (reference->answers, &key)) - 1;
}

/* Bytes of one answer that is kept. */
#define ANSWER_BYTES 64

/* NUMBER[i] is what the gathering's item i is called here; -1: it is not there. */
static gboolean
keep_answers (SlReference *reference, SlRun *run, SlGathering *votes, const gint32 *number,
              GError **error)
{
  const SlAnswers all = sl_collected_answers (&votes->answers);
  if (!sl_run_claim_array (run, (gsize) all.n_answers, ANSWER_BYTES, "every annotator's answers",
                           error))
    return FALSE;
  reference->annotators = g_steal_pointer (&votes->answers.annotators);
  reference->answers = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  for (gint64 j = 0; j < all.n_answers; j++)
    {
      gint64 key = (gint64) all.annotator[j] << 32 | number[all.item[j]];
      if (number[all.item[j]] >= 0 && !g_hash_table_contains (reference->answers, &key))
        g_hash_table_insert (reference->answers, g_memdup2 (&key, sizeof key),
                             GINT_TO_POINTER (all.answer[j] + 1));
    }
  return TRUE;
}

/* Items of whose answers none counts have no target; they are not there. */
static gboolean
read_votes (SlReference *reference, SlRun *run, SlReader *reader, gboolean answers, GError **error)
{
  g_auto (SlGathering) votes;
  sl_gathering_init (&votes, run, reader);
  if (answers)
    sl_gathering_collect (&votes, TRUE);
  if (!sl_gathering_read (&votes, error))
    {
      sl_reader_name_rows (reader, error);
      return FALSE;
    }
  const SlTally *tally = &votes.tally;
  gsize n = (gsize) tally->n_classes;
  if (!claim (reference, run, tally->n_items, error))
    return FALSE;
  g_autofree gint32 *number = g_new (gint32, MAX (tally->n_items, 1));
  for (gint32 i = 0; i < tally->n_items; i++)
    {
      number[i] = -1;
      if (!(tally->weight[i] > 0))
        continue;
      gsize length;
      const char *item = sl_intern_get (votes.items, i, &length);
      number[i] = sl_intern (reference->items, item, length);
      g_array_set_size (reference->target, reference->target->len + 1);
      double *target
          = (double *) (gpointer) reference->target->data + (reference->target->len - 1) * n;
      for (gsize k = 0; k < n; k++)
        target[k] = tally->sum[(gsize) i * n + k] / tally->weight[i];
      g_array_append_val (reference->gold, tally->gold[i]);
      reference->has_gold |= tally->gold[i] >= 0;
    }
  return !answers || keep_answers (reference, run, &votes, number, error);
}

gboolean
sl_reference_read (SlReference *reference, SlRun *run, const char *option, const char *path,
                   gboolean answers, GError **error)
{
  g_autoptr (SlReader) reader = sl_run_open (run, option, path, kinds, error);
  if (reader == NULL)
    return FALSE;
  SlTable *table = sl_reader_table (reader);
  reference->name = g_strdup (sl_reader_name (reader));
  reference->table = sl_table_ref (table);
  reference->items = sl_intern_new ();
  sl_intern_set_threads (reference->items, run->threads);
  reference->target
      = g_array_new (FALSE, FALSE, (guint) MAX (table->n_classes, 1) * sizeof (double));
  reference->gold = g_array_new (FALSE, FALSE, sizeof (gint32));
  if (table->n_classes == 0)
    return sl_error_bad_input (error, "%s: it has no classes", reference->name);
  if (table->kind == &sl_annotations)
    return read_votes (reference, run, reader,
                       answers && sl_table_has (table, SL_ANNOTATIONS_ANNOTATOR), error);
  return (table->kind != &sl_labels || sl_labels_check_whole (table, reference->name, error))
         && read_rows (reference, run, reader, error);
}

static void
move_row (double *target, const gint32 *map, gsize k, double *room)
{
  memcpy (room, target, k * sizeof *room);
  for (gsize j = 0; j < k; j++)
    target[map[j]] = room[j];
}

gboolean
sl_reference_follow (SlReference *reference, SlTable *table, const char *name, GError **error)
{
  gsize k = (gsize) table->n_classes;
  g_autofree gint32 *map
      = sl_class_map_named (reference->table, reference->name, table, name, error);
  if (map == NULL)
    return FALSE;
  reference->moved = sl_class_map_moves (map, table->n_classes);
  sl_table_unref (reference->table);
  reference->table = sl_table_ref (table);
  if (!reference->moved)
    return TRUE;
  g_autofree double *room = g_new (double, k);
  double *target = (double *) (gpointer) reference->target->data;
  for (gint32 i = 0; i < sl_reference_size (reference); i++)
    move_row (target + (gsize) i * k, map, k, room);
  for (guint i = 0; i < reference->gold->len; i++)
    {
      gint32 *gold = &g_array_index (reference->gold, gint32, i);
      *gold = *gold >= 0 ? map[*gold] : *gold;
    }
  GHashTableIter answers;
  gpointer answer;
  if (reference->answers != NULL)
    g_hash_table_iter_init (&answers, reference->answers);
  while (reference->answers != NULL && g_hash_table_iter_next (&answers, NULL, &answer))
    g_hash_table_iter_replace (&answers, GINT_TO_POINTER (map[GPOINTER_TO_INT (answer) - 1] + 1));
  return TRUE;
}

/* ---- items that several tables have ---- */

void
sl_aligned_clear (SlAligned *aligned)
{
  g_free (aligned->item);
  g_free (aligned->first);
  g_free (aligned->second);
  g_free (aligned->against);
  g_free (aligned->gold);
}

static gint32
find_same_item (const SlReference *in, const SlReference *first, gint32 item)
{
  gsize length;
  const char *text = sl_intern_get (first->items, item, &length);
  return sl_intern_find (in->items, text, length);
}

/* The items of IN that OF does not have: how many, and some of them by name. */
static gint32
absent (const SlReference *in, const SlReference *of, GString *some)
{
  gint32 n = 0;
  for (gint32 i = 0; i < sl_reference_size (in); i++)
    if (find_same_item (of, in, i) < 0 && n++ < 3)
      {
        g_autofree char *shown = sl_item_shown (in->items, i);
        g_string_append_printf (some, "%s'%s'", n > 1 ? ", " : "", shown);
      }
  return n;
}

static gboolean
check_same (SlRun *run, const SlReference *in, const SlReference *of, gboolean inner,
            GError **error)
{
  g_autoptr (GString) some = g_string_new (NULL);
  gint32 n = absent (in, of, some);
  if (n == 0)
    return TRUE;
  if (inner)
    {
      sl_run_warn (run, "%s: %d of its %d items are left out: %s are not in %s", in->name, n,
                   sl_reference_size (in), some->str, of->name);
      return TRUE;
    }
  return sl_error_bad_input (error,
                             "%s: %d of its %d items, such as %s, are not in %s; --inner compares "
                             "the items that are in both",
                             in->name, n, sl_reference_size (in), some->str, of->name);
}

/* The rows of the aligned items, classes in the order of FIRST. */
static double *
align_rows (const SlAligned *aligned, SlRun *run, const SlReference *in, const SlReference *first,
            const gint32 *map, GError **error)
{
  gsize k = (gsize) first->table->n_classes;
  double *to = sl_run_alloc0 (run, (gsize) aligned->n * k, sizeof *to,
                              "what the tables say of every item and class", error);
  for (gint64 i = 0; to != NULL && i < aligned->n; i++)
    {
      const double *from = sl_reference_target (in, find_same_item (in, first, aligned->item[i]));
      for (gsize c = 0; c < k; c++)
        to[(gsize) i * k + (gsize) map[c]] = from[c];
    }
  return to;
}

static gint32
gold_of (const SlReference *in, const SlReference *first, const gint32 *map, gint32 item)
{
  if (in == NULL || !in->has_gold)
    return -1;
  gint32 gold = g_array_index (in->gold, gint32, find_same_item (in, first, item));
  return gold >= 0 ? map[gold] : -1;
}

static gboolean
gold_in_file (const SlItemValues *gold, const SlReference *first, gint32 item, gint32 *class,
              GError **error)
{
  gsize length;
  const char *text = sl_intern_get (first->items, item, &length);
  return sl_item_values_class (gold, 0, sl_item_values_find (gold, text, length), class, error);
}

/* *CLASS <- the gold class of ITEM, by MAP[t] of the tables that have one: they must say the
 * same. */
static gboolean
gold_in_tables (const SlReference *const *tables, gint32 **const *map, gint32 item, gint32 *class,
                GError **error)
{
  const SlReference *first = tables[0], *from = NULL;
  *class = -1;
  for (int t = 0; t < 3; t++)
    {
      gint32 own = gold_of (tables[t], first, *map[t], item);
      if (own >= 0 && *class >= 0 && own != *class)
        {
          g_autofree char *shown = sl_item_shown (first->items, item);
          return sl_error_bad_input (
              error,
              "the gold class of item '%s' is '%s' in %s and '%s' in %s; `softlabel join "
              "--existing replace` gives both the same, and --gold=FILE says another",
              shown, first->table->classes[*class], from->name, first->table->classes[own],
              tables[t]->name);
        }
      from = own >= 0 ? tables[t] : from;
      *class = own >= 0 ? own : *class;
    }
  return TRUE;
}

/* Items that all have. */
static void
choose (SlAligned *aligned, const SlReference *first, const SlReference *second,
        const SlReference *against)
{
  gint32 n = sl_reference_size (first);
  aligned->item = g_new (gint32, MAX (n, 1));
  for (gint32 i = 0; i < n; i++)
    if (find_same_item (second, first, i) >= 0
        && (against == NULL || find_same_item (against, first, i) >= 0))
      aligned->item[aligned->n++] = i;
}

gboolean
sl_aligned_make (SlAligned *aligned, SlRun *run, const SlReference *first,
                 const SlReference *second, const SlReference *against, const SlItemValues *gold,
                 gboolean wants_gold, gboolean inner, GError **error)
{
  const SlReference *tables[] = { first, second, against };
  double **to[] = { &aligned->first, &aligned->second, &aligned->against };
  g_autofree gint32 *own = NULL, *theirs = NULL, *targets = NULL;
  gint32 **map[] = { &own, &theirs, &targets };
  for (int t = 0; t < 3 && tables[t] != NULL; t++)
    if ((*map[t]
         = sl_class_map_named (tables[t]->table, tables[t]->name, first->table, first->name, error))
            == NULL
        || (t > 0
            && (!check_same (run, first, tables[t], inner, error)
                || !check_same (run, tables[t], first, inner, error))))
      return FALSE;
  for (int t = 0; t < 3 && tables[t] != NULL; t++)
    if (sl_class_map_moves (*map[t], first->table->n_classes))
      aligned->moved = tables[t]->name;
  if (!sl_run_claim_array (run, (gsize) sl_reference_size (first), 2 * sizeof (gint32),
                           "the items that all tables have", error))
    return FALSE;
  choose (aligned, first, second, against);
  if (aligned->n == 0 && sl_reference_size (first) > 0)
    return sl_error_bad_input (error, "%s and %s have no item in common", first->name,
                               second->name);
  for (int t = 0; t < 3 && tables[t] != NULL; t++)
    if ((*to[t] = align_rows (aligned, run, tables[t], first, *map[t], error)) == NULL)
      return FALSE;
  aligned->gold = wants_gold ? g_new (gint32, MAX (aligned->n, 1)) : NULL;
  for (gint64 i = 0; wants_gold && i < aligned->n; i++)
    if (!(gold != NULL ? gold_in_file (gold, first, aligned->item[i], &aligned->gold[i], error)
                       : gold_in_tables (tables, map, aligned->item[i], &aligned->gold[i], error)))
      return FALSE;
  return TRUE;
}

/* ---- a row for each item: compare --items ---- */

/* A column of a comparison: its name, its number, the figure that it is, and times what. */
#define COLUMNS(ROW)                                                                               \
  ROW ("first_entropy", FIRST_ENTROPY, ENTROPY, 1)                                                 \
  ROW ("second_entropy", SECOND_ENTROPY, TARGET_ENTROPY, 1)                                        \
  ROW ("cross_entropy", CROSS_ENTROPY, CROSS_ENTROPY, 1)                                           \
  ROW ("kl", KL, KL, 1)                                                                            \
  ROW ("js", JS, JS, 1)                                                                            \
  ROW ("brier", BRIER, BRIER, 1)                                                                   \
  ROW ("l1", L1, L1, 1)                                                                            \
  ROW ("tv", TV, L1, 0.5)                                                                          \
  ROW ("w_values", W_VALUES, W_VALUES, 1)                                                          \
  ROW ("w_line", W_LINE, W_LINE, 1)

#define FIGURE(name, column, figure, factor)                                                       \
  { SL_COMPARISONS_##column, SL_FIGURE_##figure, factor },
#define NAME(name, column, figure, factor) name,

static const struct
{
  int column;
  SlFigure figure;
  double factor;
} figures[] = { COLUMNS (FIGURE) };

const char *const sl_item_sorts[] = { "none", COLUMNS (NAME) NULL };

guint64
sl_item_table_figures (void)
{
  guint64 all = 0;
  for (gsize f = 0; f < G_N_ELEMENTS (figures); f++)
    all |= SL_FIGURE_BIT (figures[f].figure);
  return all;
}

typedef struct
{
  gint32 row;
  double value;
} Place;

/* The largest first; ties in the order of the table. */
static int
compare_places (gconstpointer a, gconstpointer b, gpointer data)
{
  const Place *x = a, *y = b;
  return SL_COMPARE (y->value, x->value) ?: SL_COMPARE (x->row, y->row);
}

static void
put_item (SlBuilder *builder, const SlReference *first, const SlAligned *aligned,
          const SlScoredItems *items, gint64 i)
{
  gsize length, k = (gsize) first->table->n_classes;
  const char *item = sl_intern_get (first->items, aligned->item[i], &length);
  sl_builder_text (builder, SL_COMPARISONS_ITEM, item, length);
  sl_builder_class (builder, SL_COMPARISONS_FIRST_CLASS,
                    sl_largest (aligned->first + (gsize) i * k, (gint32) k));
  sl_builder_class (builder, SL_COMPARISONS_SECOND_CLASS,
                    sl_largest (aligned->second + (gsize) i * k, (gint32) k));
  for (gsize f = 0; f < G_N_ELEMENTS (figures); f++)
    {
      double value = items->column[figures[f].figure][i] * figures[f].factor;
      sl_builder_real (builder, figures[f].column, isfinite (value) ? value : (double) NAN);
    }
}

gboolean
sl_item_table_write (SlRun *run, const char *path, const SlReference *first,
                     const SlAligned *aligned, const SlScoredItems *items, int sort,
                     gboolean same_top, GError **error)
{
  gsize k = (gsize) first->table->n_classes;
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (Place));
  g_autoptr (SlTable) table
      = sl_table_new (&sl_comparisons, (const char *const *) first->table->classes);
  SlWriter *writer = sl_run_side_table (run, path, table, error);
  if (writer == NULL
      || !sl_run_claim_array (run, (gsize) aligned->n, 2 * sizeof (Place), "the items in order",
                              error))
    return FALSE;
  for (gint64 i = 0; i < aligned->n; i++)
    {
      const double *p = aligned->first + (gsize) i * k, *t = aligned->second + (gsize) i * k;
      Place place = { (gint32) i, 0 };
      if (sort > 0)
        place.value = items->column[figures[sort - 1].figure][i];
      if (!same_top || sl_largest (p, (gint32) k) == sl_largest (t, (gint32) k))
        g_array_append_val (places, place);
    }
  if (sort > 0)
    g_array_sort_with_data (places, compare_places, NULL);
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  for (guint j = 0; j < places->len; j++)
    {
      put_item (builder, first, aligned, items, g_array_index (places, Place, j).row);
      if (!sl_writer_write_built (writer, builder, FALSE, error))
        return FALSE;
    }
  return sl_writer_write_built (writer, builder, TRUE, error);
}
