/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "repeats.h"

#include "pipeline/command/options/option-scope.h"
#include "pipeline/command/run-passes.h"
#include "schemas/annotations.h"
#include "seen-pairs.h"

const char *const sl_repeats_names[] = { "all", "first", "last", "drop", NULL };

/* The last answer of a pair that has several. */
typedef struct
{
  SlSeenPair pair;
  gint64 row;
} Last;

#define LAST_BYTES 64 /* about, of one in a GHashTable of them */

typedef struct
{
  SlRun *run;
  SlReader *reader;
  SlCounted counted;
  gboolean silent;
  int annotator;        /* column */
  SlSeenPairs *seen;    /* pairs that this reading has met; of the last ones, find_last()'s */
  GHashTable *last;     /* set of Last */
  gsize claimed;        /* for these */
  gint64 n;             /* rows set aside, or, where all count, marked */
  gboolean ended, told; /* a reading has ended; what was found has been told */
} Sieve;

static void
sieve_free (gpointer data)
{
  Sieve *sieve = data;
  g_clear_pointer (&sieve->seen, sl_seen_pairs_free);
  g_clear_pointer (&sieve->last, g_hash_table_unref);
  g_free (sieve);
}

static guint
last_hash (gconstpointer last)
{
  const SlSeenPair *pair = &((const Last *) last)->pair;
  return (guint) (pair->item ^ (pair->annotator * 31));
}

static gboolean
last_equal (gconstpointer a, gconstpointer b)
{
  const SlSeenPair *x = &((const Last *) a)->pair, *y = &((const Last *) b)->pair;
  return x->item == y->item && x->annotator == y->annotator;
}

static void
tell (Sieve *sieve)
{
  static const char *const what[]
      = { [SL_COUNTED_FIRST] = "answers to an item that their annotator had answered before",
          [SL_COUNTED_LAST] = "answers to an item that their annotator answered again later",
          [SL_COUNTED_UNMARKED] = "answers marked as repeats",
          [SL_COUNTED_UNMARKED_FIRST]
          = "answers marked as repeats, or to an item that their annotator had answered before" };
  const char *name = sl_reader_name (sieve->reader);
  if (sieve->told)
    return;
  sieve->told = TRUE;
  if (sieve->counted != SL_COUNTED_ALL)
    (sieve->n > 0 && !sl_option_given (sieve->run->options, "repeats") ? sl_run_warn
                                                                       : sl_run_note) (
        sieve->run, "%s: %s, left out: %" G_GINT64_FORMAT, name, what[sieve->counted], sieve->n);
  else if (sieve->n > 0 && !sieve->silent)
    sl_run_warn (sieve->run,
                 "%s: answers that are marked as repeats, and count as others do: %" G_GINT64_FORMAT
                 " (--repeats first, last or drop leaves such out, all takes them without a word)",
                 name, sieve->n);
}

static SlSeenPair
pair_of (const Sieve *sieve, const SlBatch *batch, gint64 i)
{
  SlCell item, annotator;
  item.text = sl_text_get (batch->column[0].text, i, &item.n); /* the first of every kind */
  annotator.text = sl_text_get (batch->column[sieve->annotator].text, i, &annotator.n);
  return sl_pair_of (item, annotator);
}

/* *ASIDE: whether row I of BATCH, an answer, does not count (of SL_COUNTED_ALL: whether it is
 * marked). MARKED: the table says that it repeats. */
static gboolean
find_repeat (Sieve *sieve, const SlBatch *batch, gint64 i, gboolean marked, guint8 *aside,
             GError **error)
{
  gboolean before = marked;
  if ((sieve->counted == SL_COUNTED_FIRST
       || (sieve->counted == SL_COUNTED_UNMARKED_FIRST && !marked))
      && !sl_seen_pairs_add (sieve->seen, pair_of (sieve, batch, i), &before, error))
    return FALSE;
  if (sieve->counted == SL_COUNTED_LAST)
    {
      const Last asked = { pair_of (sieve, batch, i), 0 };
      const Last *last = g_hash_table_lookup (sieve->last, &asked);
      before = last != NULL && last->row != batch->first_row + i;
    }
  *aside = before != FALSE;
  return TRUE;
}

static gboolean
sift (gpointer data, SlBatch *batch, GError **error)
{
  Sieve *sieve = data;
  if (batch == NULL)
    {
      tell (sieve);
      sieve->ended = TRUE;
      return TRUE;
    }
  if (sieve->ended && sieve->seen != NULL)
    {
      sl_seen_pairs_free (sieve->seen);
      sieve->seen = sl_seen_pairs_new (sieve->run);
    }
  sieve->ended = FALSE;
  const guint8 *repeat
      = batch->table->kind == &sl_annotations ? batch->column[SL_ANNOTATIONS_REPEAT].flag : NULL;
  g_autofree guint8 *aside = g_new0 (guint8, MAX (batch->n_rows, 1));
  g_autofree guint8 *counted = sl_annotations_counted (batch);
  gint64 n = 0;
  for (gint64 i = 0; i < batch->n_rows; i++)
    if (counted == NULL || counted[i])
      {
        if (!find_repeat (sieve, batch, i, repeat != NULL && repeat[i], &aside[i], error))
          return FALSE;
        n += aside[i];
      }
  sieve->n += sieve->told ? 0 : n;
  if (n > 0 && sieve->counted != SL_COUNTED_ALL)
    sl_batch_set_aside (batch, g_steal_pointer (&aside));
  return TRUE;
}

/* Row I of BATCH is the last of its pair so far, if that was met before. */
static gboolean
note_last (Sieve *sieve, const SlBatch *batch, gint64 i, GError **error)
{
  const Last last = { pair_of (sieve, batch, i), batch->first_row + i };
  gboolean before;
  if (!sl_seen_pairs_add (sieve->seen, last.pair, &before, error))
    return FALSE;
  if (before)
    g_hash_table_add (sieve->last, g_memdup2 (&last, sizeof last));
  return TRUE;
}

static gboolean
note_batch (Sieve *sieve, const SlBatch *batch, GError **error)
{
  g_autofree guint8 *counted = sl_annotations_counted (batch);
  for (gint64 i = 0; i < batch->n_rows; i++)
    if ((counted == NULL || counted[i]) && !note_last (sieve, batch, i, error))
      return FALSE;
  return sl_run_claim_up_to (sieve->run, &sieve->claimed,
                             g_hash_table_size (sieve->last) * LAST_BYTES,
                             "the last answers of annotators who repeat theirs", error);
}

/* Reads the whole table, to learn which answer of each pair is the last. */
static gboolean
find_last (Sieve *sieve, GError **error)
{
  SlRun *run = sieve->run;
  SlReader *main = run->in;
  sieve->last = g_hash_table_new_full (last_hash, last_equal, g_free, NULL);
  sl_reader_keep (sieve->reader);
  if (main == NULL)
    {
      run->in = sieve->reader; /* whose progress is told */
      sl_run_passes (run, 2);
    }
  gboolean ok = TRUE, more = TRUE;
  while (ok && more)
    {
      g_autoptr (SlBatch) batch = NULL;
      ok = sl_run_next_of (run, sieve->reader, &batch, error);
      more = batch != NULL;
      ok = ok && (!more || note_batch (sieve, batch, error));
    }
  run->in = main;
  g_clear_pointer (&sieve->seen, sl_seen_pairs_free);
  return ok && sl_reader_rewind (sieve->reader, error);
}

/* Whether TABLE has answers of annotators. Labels of nobody have none; as the main input they are
 * not passed over, so that --repeats is refused there. */
static gboolean
has_answers (const SlRun *run, const char *option, const SlTable *table)
{
  gboolean is_main = option == NULL && (run->command->flags & SL_COMMAND_TABLES) == 0;
  return table->kind == &sl_annotations
         || (table->kind == &sl_labels && (is_main || sl_table_column (table, "annotator") >= 0));
}

gboolean
sl_repeats_sift (SlRun *run, const char *option, SlReader *reader, SlCounted counted,
                 gboolean silent, GError **error)
{
  const SlTable *table = sl_reader_table (reader);
  gboolean marks = table->kind == &sl_annotations && sl_table_has (table, SL_ANNOTATIONS_REPEAT),
           by_pairs = counted != SL_COUNTED_ALL && counted != SL_COUNTED_UNMARKED;
  int annotator = sl_table_column (table, "annotator");
  if (!has_answers (run, option, table) || (counted == SL_COUNTED_ALL && (silent || !marks)))
    return TRUE;
  if (counted == SL_COUNTED_UNMARKED && !marks)
    {
      sl_run_warn (run,
                   "%s: it does not say which rows are repeats (`softlabel ingest --repeats mark` "
                   "does); --repeats drop leaves all in, first and last find repeats themselves",
                   sl_reader_name (reader));
      return TRUE;
    }
  if (by_pairs && annotator < 0)
    return sl_error_bad_input (error,
                               "%s: it has no column 'annotator', and --repeats %s asks who has "
                               "answered an item before",
                               sl_reader_name (reader), sl_repeats_names[counted]);
  Sieve *sieve = g_new0 (Sieve, 1);
  *sieve = (Sieve){ .run = run,
                    .reader = reader,
                    .counted = counted,
                    .silent = silent,
                    .annotator = annotator,
                    .seen = by_pairs ? sl_seen_pairs_new (run) : NULL };
  gboolean ok = counted != SL_COUNTED_LAST || find_last (sieve, error);
  sl_reader_set_sieve (reader, sift, sieve, sieve_free);
  return ok;
}

static SlCounted
counted_of (const SlRun *run)
{
  const SlOption *option = sl_option_find (run->command->options, "repeats");
  return (SlCounted) * (const int *) sl_option_field (option, run->options->values);
}

gboolean
sl_repeats_opened (SlRun *run, const char *option, SlReader *reader, GError **error)
{
  return sl_repeats_sift (run, option, reader, counted_of (run),
                          sl_option_given (run->options, "repeats"), error);
}

gboolean
sl_repeats_opened_silently (SlRun *run, const char *option, SlReader *reader, GError **error)
{
  return sl_repeats_sift (run, option, reader, counted_of (run), TRUE, error);
}
