/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "census.h"

#include "pipeline/base/parallel.h"
#include "stages/common/figures/pair-agreement.h"

#include <math.h>

#define CHUNK_ROWS 4096 /* what one thread takes at a time */
#define FETCH_AHEAD 16  /* rows; a digest's place is seldom in the cache */

SlCensus *
sl_census_new (SlDedupe dedupe)
{
  SlCensus *census = g_new0 (SlCensus, 1);
  census->names = sl_intern_new ();
  census->conduct = g_array_new (FALSE, TRUE, sizeof (SlConduct));
  census->duplicates = g_array_new (FALSE, FALSE, sizeof (gint64));
  census->of_class = g_array_new (FALSE, TRUE, sizeof (gint64));
  census->dedupe = dedupe;
  census->digests = dedupe != SL_DEDUPE_OFF ? sl_digest_set_new () : NULL;
  return census;
}

void
sl_census_free (SlCensus *census)
{
  sl_intern_free (census->names);
  g_array_unref (census->conduct);
  g_array_unref (census->duplicates);
  g_array_unref (census->of_class);
  g_clear_pointer (&census->digests, sl_digest_set_free);
  g_free (census->grounds);
  g_clear_pointer (&census->items, sl_intern_free);
  sl_collected_clear (&census->answers);
  g_free (census);
}

void
sl_census_ask_agreement (SlCensus *census, gint32 n_classes)
{
  census->items = sl_intern_new ();
  sl_collected_init (&census->answers, n_classes, FALSE, FALSE, 1);
}

void
sl_census_ask_classes (SlCensus *census, gint32 n_classes)
{
  census->n_classes = n_classes;
}

/* One answer; it is its first choice. */
static void
collect (SlCensus *census, const SlAnnotations *view, gint64 i, gint32 item, gint32 annotator)
{
  if (view->start[i] == view->start[i + 1] || (view->check != NULL && view->check[i]))
    return;
  SlCollected *answers = &census->answers;
  gint32 class = view->choice[view->start[i]];
  g_array_append_val (answers->item, item);
  g_array_append_val (answers->annotator, annotator);
  g_array_append_val (answers->answer, class);
  if (view->count == NULL)
    return;
  double count = (double) view->count[i];
  if (answers->count == NULL)
    answers->count = g_array_new (FALSE, FALSE, sizeof (double));
  g_array_append_val (answers->count, count);
}

gboolean
sl_census_find_agreement (SlCensus *census, SlRun *run, GError **error)
{
  gsize bytes = sl_collected_bytes (&census->answers);
  if (!sl_run_claim (run, bytes, "all answers once more, item by item", error))
    return FALSE;
  const SlItems items
      = { .n_items = sl_intern_size (census->items), .n_classes = census->answers.n_classes };
  sl_collected_sort (&census->answers, items.n_items, run->threads);
  SlAnswers answers = sl_collected_answers (&census->answers);
  answers.n_annotators = sl_intern_size (census->names);
  g_auto (SlByItem) by;
  sl_by_item_init (&by, &items, &answers, 0);
  g_autofree SlAnswerConduct *conduct = sl_answer_conduct (&by, NULL);
  for (gint32 a = 0; a < answers.n_annotators; a++)
    g_array_index (census->conduct, SlConduct, a).agreement
        = conduct[a].pairs > 0 ? conduct[a].same / conduct[a].pairs : (double) NAN;
  sl_run_release (run, bytes);
  return TRUE;
}

gboolean
sl_census_list (SlCensus *census, const char *name, gsize length)
{
  gint32 number = sl_intern_find (census->names, name, length);
  if (number >= 0)
    g_array_index (census->conduct, SlConduct, number).listed = TRUE;
  return number >= 0;
}

/* So many answers that they cannot be counted stay so many. */
static void
add (gint64 *sum, gint64 votes)
{
  if (__builtin_add_overflow (*sum, votes, sum))
    *sum = G_MAXINT64;
}

static void
count_row (SlCensus *census, gint32 annotator, const SlAnnotations *view, gint64 i,
           guint violations)
{
  SlConduct *conduct = &g_array_index (census->conduct, SlConduct, annotator);
  gint64 votes = view->count != NULL ? view->count[i] : 1;
  gboolean has_gold = view->gold != NULL && view->gold[i] >= 0;
  gboolean right = has_gold && view->start[i] < view->start[i + 1]
                   && view->choice[view->start[i]] == view->gold[i];
  if (view->check != NULL && view->check[i])
    {
      add (&conduct->checks, votes);
      add (&conduct->checks_with_gold, has_gold ? votes : 0);
      add (&conduct->checks_right, right ? votes : 0);
      return;
    }
  add (&conduct->answers, votes);
  add (&conduct->with_gold, has_gold ? votes : 0);
  add (&conduct->right, right ? votes : 0);
  if (view->seconds != NULL && !isnan (view->seconds[i]))
    {
      census->times = TRUE;
      add (&conduct->timed, votes);
      add (&conduct->fast, view->seconds[i] < census->min_seconds ? votes : 0);
    }
  if (census->n_classes > 0 && view->start[i] < view->start[i + 1])
    {
      gsize at
          = (gsize) annotator * (gsize) census->n_classes + (gsize) view->choice[view->start[i]];
      gint64 *n = &g_array_index (census->of_class, gint64, at);
      add (n, votes);
      conduct->same = MAX (conduct->same, *n);
    }
  if (view->odd.offset != NULL)
    {
      gsize length;
      (void) sl_text_get (view->odd, i, &length);
      census->oddities = TRUE;
      add (&conduct->odd, length > 0 ? votes : 0);
    }
  for (int rule = 0; rule < SL_N_RULES; rule++)
    conduct->violations[rule] += (violations >> rule) & 1;
}

/* Rows being looked at: violations[n] and, where DIGEST is not NULL, digest[n] of the rows of
 * VIEW. */
typedef struct
{
  const SlAnnotations *view;
  const gint32 *annotator;
  guint8 *violations;
  SlDigest *digest;
  SlDedupe dedupe;
} Look;

static void
judge_chunk (int i, gpointer data)
{
  Look *look = data;
  const SlAnnotations *view = look->view;
  const SlRecords answers = sl_annotations_records (view);
  gint64 first = (gint64) i * CHUNK_ROWS;
  gint64 end = MIN (first + CHUNK_ROWS, view->n);
  sl_find_violations (&answers, view->repaired, first, end, look->violations);
  if (look->digest != NULL)
    (look->dedupe == SL_DEDUPE_ITEM ? sl_digest_pairs : sl_digest_rows) (view, look->annotator,
                                                                         first, end, look->digest);
}

gboolean
sl_census_count (SlCensus *census, SlRun *run, SlBatch *batch, GError **error)
{
  SlAnnotations view = sl_annotations_view (batch);
  g_autofree gint32 *annotator = g_new (gint32, view.n);
  g_autofree guint8 *violations = g_new (guint8, view.n);
  g_autofree SlDigest *digest = census->digests != NULL ? g_new (SlDigest, view.n) : NULL;
  g_autofree gint32 *item = census->items != NULL ? g_new (gint32, view.n) : NULL;
  sl_intern_column (census->names, view.annotator, view.n, annotator);
  if (item != NULL)
    sl_intern_column (census->items, view.item, view.n, item);
  /* New ones are zero. */
  g_array_set_size (census->conduct, (guint) sl_intern_size (census->names));
  if (census->n_classes > 0
      && census->conduct->len > G_MAXUINT / sizeof (gint64) / (guint) census->n_classes)
    return sl_error_runtime (error, "%u annotators and %d classes are too many to count all pairs",
                             census->conduct->len, census->n_classes);
  g_array_set_size (census->of_class, census->conduct->len * (guint) census->n_classes);
  Look look = { &view, annotator, violations, digest, census->dedupe };
  sl_parallel (run->threads, (int) ((view.n + CHUNK_ROWS - 1) / CHUNK_ROWS), judge_chunk, &look);
  for (gint32 j = view.start[0]; j < view.start[view.n] && !census->percents; j++)
    census->percents = !isnan (view.percent[j]);

  for (gint64 i = 0; i < view.n; i++)
    {
      SlConduct *conduct = &g_array_index (census->conduct, SlConduct, annotator[i]);
      if (view.excluded != NULL && view.excluded[i])
        continue;
      if (digest != NULL && i + FETCH_AHEAD < view.n)
        sl_digest_set_prepare (census->digests, digest[i + FETCH_AHEAD]);
      if (digest != NULL && !sl_digest_set_add (census->digests, digest[i]))
        {
          gint64 row = batch->first_row + i;
          g_array_append_val (census->duplicates, row);
          conduct->duplicates++;
          continue;
        }
      conduct->incomplete |= view.complete != NULL && !view.complete[i];
      census->checks |= view.check != NULL && view.check[i];
      count_row (census, annotator[i], &view, i, violations[i]);
      if (item != NULL)
        collect (census, &view, i, item[i], annotator[i]);
    }
  gsize now = sl_intern_bytes (census->names) + census->conduct->len * sizeof (SlConduct)
              + census->duplicates->len * sizeof (gint64) + census->of_class->len * sizeof (gint64)
              + (census->digests != NULL ? sl_digest_set_bytes (census->digests) : 0);
  if (census->items != NULL)
    now += sl_intern_bytes (census->items) + sl_collected_bytes (&census->answers);
  return sl_run_claim_up_to (run, &census->claimed, now,
                             census->digests != NULL ? "the digests of all rows" : "the annotators",
                             error);
}

gboolean
sl_census_knows (const SlCensus *census, SlCensusFact fact)
{
  for (guint i = 0; i < census->conduct->len; i++)
    {
      const SlConduct *conduct = &g_array_index (census->conduct, SlConduct, i);
      if (fact == SL_KNOWS_GOLD ? conduct->with_gold > 0 : !isnan (conduct->agreement))
        return TRUE;
    }
  return census->conduct->len == 0; /* of nobody there is nothing to miss */
}

void
sl_census_judge (SlCensus *census, const SlVerdictRule *rule)
{
  gint32 n = sl_intern_size (census->names);
  census->grounds = g_new0 (guint, n);
  census->n_judged = n;
  for (gint32 i = 0; i < n; i++)
    {
      SlConduct *conduct = &g_array_index (census->conduct, SlConduct, i);
      if (!census->percents) /* nobody was asked for any, as in plain votes */
        conduct->violations[SL_RULE_MISSING] = 0;
      census->grounds[i] = sl_verdict (rule, conduct);
      census->n_excluded += census->grounds[i] != 0;
    }
}

gboolean
sl_census_sort_out (const SlCensus *census, SlBatch *batch, guint *duplicate, guint8 *out,
                    GError **error)
{
  SlAnnotations view = sl_annotations_view (batch);
  g_autofree gint32 *annotator = g_new (gint32, view.n);
  sl_intern_column (census->names, view.annotator, view.n, annotator);
  for (gint64 i = 0; i < view.n; i++)
    {
      gboolean repeats
          = *duplicate < census->duplicates->len
            && g_array_index (census->duplicates, gint64, *duplicate) == batch->first_row + i;
      *duplicate += repeats;
      if (annotator[i] >= census->n_judged)
        return sl_error_row (
            error, batch->first_row + i + 1,
            "an annotator who was not there before: the file has changed while it was being read");
      out[i] = repeats || census->grounds[annotator[i]] != 0
               || (view.excluded != NULL && view.excluded[i]);
    }
  return TRUE;
}
