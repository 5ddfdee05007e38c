/* SPDX-License-Identifier: GPL-3.0-or-later */
/* select: a table with items in; the rows of some of its items out, in their order, and those of
 * the others to --rest. Which items are chosen is a function of the seed and of the set of items
 * (drawing.h). */
#include "drawing.h"
#include "item-list.h"
#include "pipeline/base/intern/intern.h"
#include "pipeline/base/shown-text.h"
#include "pipeline/command/options/option-rows.h"
#include "pipeline/command/run-passes.h"
#include "stages/common/answers/repeats.h"
#include "stages/common/figures/item-entropies.h"
#include "stages/common/items/item-values.h"
#include "pipeline/table/condition.h"
#include "schemas/kinds.h"

#include <math.h>
#include <string.h>

enum
{
  SL_OTHER, /* an item that is not chosen */
  SL_CHOSEN,
  SL_UNKNOWN, /* nothing is known of it that would say whether it is */
};

typedef struct
{
  SlRun *run;
  int column;         /* of items; -1: rows are chosen by conditions */
  SlIntern *items;    /* those that are spoken of; NULL where rows are chosen by conditions */
  guint8 *chosen;     /* [items]: SL_CHOSEN and so on; NULL: all of them are */
  guint8 *seen;       /* [items]: the table has it; NULL where that does not matter */
  const char *from;   /* the file that must know all of the table's items; NULL: none must */
  GArray *conditions; /* of SlCondition */
  gboolean inverted;  /* the others are wanted */
  gboolean missing_ok;
  gint64 n_unknown; /* rows */
  gint64 n_rows, n_kept;
  guint8 *keep;
  gint32 *ids;
  gint64 room; /* rows there is room for in both */
} Selection;

static void
selection_init (Selection *selection, SlRun *run, int column)
{
  *selection = (Selection){ .run = run, .column = column };
}

static void
selection_clear (Selection *selection)
{
  g_clear_pointer (&selection->items, sl_intern_free);
  g_clear_pointer (&selection->conditions, g_array_unref);
  g_free (selection->chosen);
  g_free (selection->seen);
  g_free (selection->keep);
  g_free (selection->ids);
}

static gboolean
unknown_item (const Selection *selection, const SlBatch *batch, gint64 i, GError **error)
{
  gsize length;
  const char *item = sl_text_get (batch->column[selection->column].text, i, &length);
  g_autofree char *shown = sl_shown (item, length);
  return sl_error_row (error, batch->first_row + i + 1,
                       "nothing is known of item '%s' in %s; --missing ok leaves such items out",
                       shown, selection->from);
}

/* Rows that are in neither part: those that do not count (--repeats) beside another way to choose;
 * without one, they are the others. NULL: there are none. */
static const guint8 *
in_neither_part (const Selection *selection, const SlBatch *batch)
{
  return selection->items != NULL || selection->conditions != NULL ? batch->aside : NULL;
}

/* keep[i] <- whether row I is of a chosen item. */
static gboolean
sort_items (Selection *selection, const SlBatch *batch, GError **error)
{
  gint32 *ids = selection->ids;
  guint8 *keep = selection->keep;
  sl_items_find (selection->items, batch->column[selection->column].text, batch->n_rows,
                 selection->run->threads, ids);
  gint64 n = batch->n_rows;
  const guint8 *chosen = selection->chosen;
  guint8 *seen = selection->seen;
  if (chosen == NULL)
    for (gint64 i = 0; i < n; i++)
      keep[i] = ids[i] >= 0 ? SL_CHOSEN : SL_OTHER;
  else
    for (gint64 i = 0; i < n; i++)
      keep[i] = ids[i] >= 0 ? chosen[ids[i]] : SL_OTHER;
  for (gint64 i = 0; seen != NULL && i < n; i++)
    if (ids[i] >= 0)
      seen[ids[i]] = 1;
  for (gint64 i = 0; selection->from != NULL && i < n; i++)
    if (ids[i] < 0 || keep[i] == SL_UNKNOWN)
      {
        if (!selection->missing_ok)
          return unknown_item (selection, batch, i, error);
        keep[i] = SL_OTHER;
        selection->n_unknown++;
      }
  return TRUE;
}

static gboolean
sort_rows (Selection *selection, const SlBatch *batch, GError **error)
{
  gint64 n = batch->n_rows;
  if (n > selection->room)
    {
      selection->room = n;
      selection->keep = g_renew (guint8, selection->keep, n);
      selection->ids = g_renew (gint32, selection->ids, n);
    }
  if (selection->items != NULL)
    {
      if (!sort_items (selection, batch, error))
        return FALSE;
    }
  else
    memset (selection->keep, SL_CHOSEN, (gsize) n);
  if (selection->conditions != NULL)
    sl_conditions_apply (selection->conditions, batch, selection->keep);
  guint8 *keep = selection->keep, inverted = selection->inverted != FALSE;
  const guint8 *aside = batch->aside, *neither = in_neither_part (selection, batch);
  gint64 n_kept = 0;
  for (gint64 i = 0; i < n; i++)
    {
      keep[i] = (keep[i] && !(aside != NULL && aside[i])) ^ inverted;
      keep[i] = keep[i] && !(neither != NULL && neither[i]);
      n_kept += keep[i];
    }
  selection->n_kept += n_kept;
  selection->n_rows += n;
  return TRUE;
}

static gboolean
write_rows (SlWriter *writer, SlBatch *batch, const guint8 *keep, GError **error)
{
  g_autoptr (SlBatch) rows = sl_batch_filter (batch, keep, error);
  return rows != NULL && (rows->n_rows == 0 || sl_writer_write (writer, rows, error));
}

/* Copies the rows of run->in: the chosen ones to run->out, the others to REST unless it is NULL. */
static gboolean
selection_copy (Selection *selection, SlWriter *rest, GError **error)
{
  SlRun *run = selection->run;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (run, &batch, &ok, error))
    {
      if (!sort_rows (selection, batch, error)
          || !write_rows (run->out, batch, selection->keep, error))
        return FALSE;
      const guint8 *neither = in_neither_part (selection, batch);
      for (gint64 i = 0; rest != NULL && i < batch->n_rows; i++)
        selection->keep[i] = !selection->keep[i] && !(neither != NULL && neither[i]);
      if (rest != NULL && !write_rows (rest, batch, selection->keep, error))
        return FALSE;
    }
  return ok;
}

/* "a", "b" and "c", of those that are not there; NULL where all are. */
static char *
name_missing (const Selection *selection, gint32 *n)
{
  g_autoptr (GString) names = g_string_new (NULL);
  *n = 0;
  for (gint32 i = 0; selection->seen != NULL && i < sl_intern_size (selection->items); i++)
    {
      if (selection->seen[i] || ++*n > 3)
        continue;
      g_autofree char *shown = sl_intern_shown (selection->items, i);
      g_string_append_printf (names, "%s'%s'", *n > 1 ? ", " : "", shown);
    }
  return g_string_free (g_steal_pointer (&names), FALSE);
}

/* Afterwards: tells of items that are not there, NAME being where they were named; an error unless
 * that is allowed. */
static gboolean
selection_tell (const Selection *selection, const char *name, GError **error)
{
  gint32 n_missing;
  g_autofree char *names = name_missing (selection, &n_missing);
  const char *more = n_missing > 3 ? " and others" : "";
  if (n_missing > 0 && !selection->missing_ok)
    return sl_error_bad_input (
        error,
        "%s: %d of its %d items are nowhere in the table: %s%s; --missing ok goes on "
        "without them",
        name, n_missing, sl_intern_size (selection->items), names, more);
  if (n_missing > 0)
    sl_run_warn (selection->run, "%s: %d of its %d items are nowhere in the table: %s%s", name,
                 n_missing, sl_intern_size (selection->items), names, more);
  if (selection->n_unknown > 0)
    sl_run_warn (selection->run,
                 "%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                 " rows have items about which %s says nothing",
                 selection->n_unknown, selection->n_rows, selection->from);
  if (selection->n_kept == 0)
    sl_run_warn (selection->run, "no row is chosen");
  else
    sl_run_note (selection->run, "%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " rows chosen",
                 selection->n_kept, selection->n_rows);
  return TRUE;
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Selection, selection_clear)

enum
{
  MISSING_REFUSE,
  MISSING_OK,
};

typedef struct
{
  char *items;
  gint64 sample, folds, fold; /* 0: not given */
  double share;               /* 0: not given */
  int stratify;               /* SlStratify */
  char **where;
  char *entropy_from;
  double min, max;
  gboolean inverted;
  char *rest;
  int missing;
  int repeats; /* SlCounted */
} Options;

static const Options defaults = { .max = HUGE_VAL };

#define MOST 0x7fffffff /* items */

#define OPTIONS Options

static const SlOption option_table[] = {
  INPUT ("items", items, "FILE",
         "the items of FILE: numbers (.npy), an item a line (.txt), or a column 'item' of "
         "any table, CSV or JSON lines"),
  WHOLE ("sample", sample, 0, MOST, "N",
         "N items, drawn by --seed; fewer with the same seed are among them; 0: do not"),
  REAL ("share", share, 0, 1, "S", "this share of the items, drawn by --seed; 0: do not"),
  WHOLE ("folds", folds, 0, MOST, "K",
         "deal the items out into K folds, by --seed, and take one of them; 0: do not"),
  WHOLE ("fold", fold, 0, MOST, "F", "which of the folds, from 1 to K", .with = "folds"),
  CHOICE ("stratify", stratify, WORDS ("none", "gold", "argmax"),
          "draw from each class in proportion: by gold class, or by the likeliest class of "
          "what an item's rows say together"),
  TEXTS ("where", where, "CONDITION",
         "the rows for which 'COLUMN OP VALUE' holds, with OP one of = != < <= > >=, or "
         "'COLUMN missing', 'COLUMN present'; given again, all must hold. A missing value "
         "fits no comparison; of a distribution, name a class: 'label.cat >= 0.5'. Texts are in "
         "the order of their bytes ('dt >= 2026-11-01'); a folder dt=... that cannot fit is not "
         "opened"),
  INPUT ("entropy-from", entropy_from, "FILE",
         "the items whose label in FILE (annotations or labels), the mean of their answers, "
         "has an entropy within bounds"),
  REAL ("min", min, 0, 100, "H", "the least entropy of these, in nats", .with = "entropy-from"),
  REAL ("max", max, 0, HUGE_VAL, "H", "the greatest one", .with = "entropy-from"),
  FLAG ("not", inverted, "the rows of all others instead"),
  OUTPUT ("rest", rest, "FILE", "write the rows that are not chosen to FILE"),
  CHOICE ("missing", missing, WORDS ("refuse", "ok"),
          "what to do about items that --items names and the table does not have, or about "
          "which --entropy-from says nothing: refuse, or count them and go on"),
  SL_REPEATS_OPTION,
  { 0 },
};

static const char *
find_contradiction (const Options *options, const SlOptions *given)
{
  gboolean draws = options->sample > 0 || options->share > 0 || options->folds > 0;
  int n_ways = (options->items != NULL) + (options->sample > 0) + (options->share > 0)
               + (options->folds > 0) + (options->where != NULL) + (options->entropy_from != NULL);
  if (n_ways == 0 && options->repeats == SL_COUNTED_ALL)
    return "which items? give --items, --sample, --share, --folds, --where, --entropy-from or "
           "--repeats";
  if (n_ways > 1)
    return "one way to choose at a time: pipe one select into another";
  if (options->folds > 0 && (options->fold < 1 || options->fold > options->folds))
    return "--folds K needs --fold F, from 1 to K";
  if (options->stratify != SL_STRATIFY_NONE && !draws)
    return "--stratify is for --sample, --share and --folds";
  if (options->entropy_from != NULL && !sl_option_given (given, "min")
      && !sl_option_given (given, "max"))
    return "--entropy-from needs --min, --max or both";
  if (options->min > options->max)
    return "--min is greater than --max";
  if (sl_option_given (given, "missing") && options->items == NULL && options->entropy_from == NULL)
    return "--missing is for --items and --entropy-from";
  return NULL;
}

static gboolean
check_options (SlOptions *given, GError **error)
{
  const char *wrong = find_contradiction (given->values, given);
  if (wrong != NULL)
    return sl_error_usage (error, "%s", wrong);
  return sl_conditions_check (((const Options *) given->values)->where, error);
}

static gboolean
read_entropies (Selection *selection, const Options *options, GError **error)
{
  g_auto (SlEntropies) entropies = { 0 };
  if (!sl_entropies_open (&entropies, selection->run, options->entropy_from, error))
    return FALSE;
  gint32 n = sl_intern_size (entropies.items);
  selection->chosen
      = sl_run_alloc0 (selection->run, (gsize) n, 1, "the entropy of every item", error);
  for (gint32 i = 0; i < n && selection->chosen != NULL; i++)
    {
      double entropy = entropies.entropy[i];
      selection->chosen[i] = isnan (entropy)                                      ? SL_UNKNOWN
                             : entropy >= options->min && entropy <= options->max ? SL_CHOSEN
                                                                                  : SL_OTHER;
    }
  selection->items = g_steal_pointer (&entropies.items);
  selection->from = options->entropy_from;
  return selection->chosen != NULL;
}

static gboolean
draw (Selection *selection, const Options *options, GError **error)
{
  const SlDrawing drawing = { .sample = options->sample,
                              .share = options->share,
                              .n_folds = options->folds,
                              .fold = options->fold,
                              .stratify = (SlStratify) options->stratify };
  SlRun *run = selection->run;
  sl_reader_keep (run->in);
  sl_run_passes (run, 2);
  selection->items = sl_draw_items (run, selection->column, &drawing, error);
  return selection->items != NULL && sl_reader_rewind (run->in, error);
}

/* Finds out which items are chosen. */
static gboolean
decide (Selection *selection, const Options *options, GError **error)
{
  SlRun *run = selection->run;
  if (options->where != NULL)
    {
      selection->conditions = sl_conditions_new (options->where, sl_reader_table (run->in), error);
      return selection->conditions != NULL;
    }
  if (options->entropy_from != NULL)
    return read_entropies (selection, options, error);
  if (options->items == NULL)
    return (options->sample == 0 && !(options->share > 0) && options->folds == 0)
           || draw (selection, options, error);
  selection->items = sl_intern_new ();
  sl_intern_set_threads (selection->items, run->threads);
  if (!sl_item_list_read (run, "items", options->items, selection->items, error))
    return FALSE;
  selection->seen = sl_run_alloc0 (run, (gsize) sl_intern_size (selection->items), 1,
                                   "the list of items", error);
  return selection->seen != NULL;
}

/* The rows that do not fit are wanted as well with --not and --rest, and where they decide which
 * answer is the first or the last. */
static char *const *
conditions_of (const SlOptions *given)
{
  const Options *options = given->values;
  gboolean all = options->inverted || options->rest != NULL || options->repeats != SL_COUNTED_ALL;
  return all ? NULL : options->where;
}

/* A header like that of TABLE, to be given a history. */
static SlTable *
same_header (const SlTable *table)
{
  SlTable *copy = sl_table_new (table->kind, (const char *const *) table->classes);
  sl_table_take_columns (copy, table, table->columns);
  return copy;
}

/* The history of --rest says what would give that table: --not. */
static gboolean
start_rest (SlRun *run, Options *options, SlWriter **rest, GError **error)
{
  if (options->rest == NULL)
    return TRUE;
  g_autoptr (SlTable) table = same_header (sl_reader_table (run->in));
  options->inverted = !options->inverted;
  *rest = sl_run_side_table (run, options->rest, table, error);
  options->inverted = !options->inverted;
  return *rest != NULL;
}

static gboolean
run (SlRun *run, GError **error)
{
  Options *options = run->options->values;
  int column = options->where == NULL ? sl_item_column (run->in, error) : -1;
  if (column < 0 && options->where == NULL)
    return FALSE;
  const SlTable *in = sl_reader_table (run->in);
  if (options->repeats != SL_COUNTED_ALL && in->kind != &sl_annotations && in->kind != &sl_labels)
    return sl_error_bad_input (error, "%s: --repeats is about answers, and it has %s",
                               sl_reader_name (run->in), in->kind->name);
  g_auto (Selection) selection;
  selection_init (&selection, run, column);
  selection.inverted = options->inverted;
  selection.missing_ok = options->missing == MISSING_OK;
  g_autoptr (SlTable) table = same_header (in);
  SlWriter *rest = NULL;
  return decide (&selection, options, error) && sl_run_start (run, table, error)
         && start_rest (run, options, &rest, error) && selection_copy (&selection, rest, error)
         && selection_tell (&selection, options->items, error);
}

const SlCommand sl_command_select = {
  .name = "select",
  .summary = "take some of a table's items, or rows",
  .arguments = "[FILE…]",
  .reads = sl_kinds,
  .flags = SL_COMMAND_SEEDED,
  .where = conditions_of,
  .opened = sl_repeats_opened_silently,
  SL_OPTIONS (option_table, defaults),
  .description
  = "Takes any table with a column 'item', and writes the rows of the chosen items, in their "
    "order. --where takes any table, and writes the rows that fit. --rest writes the others in the "
    "same pass. --repeats looks at the whole table, and beside another way to choose leaves out of "
    "both what does not count; alone, that is the others.\n\n"
    "What --sample, --share and --folds draw depends on the seed and on the set of items alone: "
    "not on the order of rows, on what else is in them, nor on the machine. Each item has a random "
    "number of its own, and a sample of N is the N items with the least ones: smaller samples are "
    "part of larger ones, and a sample of the samples of a table's parts is a sample of the whole. "
    "A share of n items is the nearest whole number of them; folds differ by one item at most. "
    "With --stratify, classes get their parts by largest remainders, and folds differ by one item "
    "at most in each class.\n\n"
    "Memory: the chosen items. --share, --folds and --stratify hold all items, with --stratify "
    "argmax a sum for every item and class besides, and --entropy-from all items of its file. "
    "Drawing reads the table twice; what comes by a pipe is held for that.",
  .examples
  = "softlabel select --items train.npy all.parquet -o train.parquet --rest test.parquet\n"
    "    the two parts of a split that is given\n"
    "softlabel select --share 0.7 --stratify gold images.parquet -o train.parquet\n"
    "    a new one, of 70 in 100 of each class\n"
    "softlabel select --sample 100 --seed 3 labels.parquet -o held-out.parquet\n"
    "    100 items\n"
    "softlabel select --entropy-from counts.parquet --min 0.25 answers.parquet\n"
    "    the items on which others disagree\n"
    "softlabel select --where 'seconds < 60' --where 'gold present' answers.parquet\n"
    "    rows by what they say\n",
  .check = check_options,
  .run = run,
};
