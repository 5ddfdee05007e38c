/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crowd-votes.h"

#include "pipeline/base/intern/intern.h"
#include "pipeline/base/parallel.h"
#include "schemas/annotations.h"
#include "schemas/labels.h"
#include "pipeline/base/draw.h"

#define SLAB 65536 /* answers at a time, or those of an item where it has more */
#define CHUNKS 16  /* of a slab's items, each one thread's */

void
sl_crowd_votes_init (SlCrowdVotes *votes, SlRun *run, const SlCrowdPeople *people,
                     const SlAssignment *assignment, SlTable *table)
{
  *votes = (SlCrowdVotes){
    .run = run,
    .people = people,
    .assignment = assignment,
    .votes = sl_builder_new (table),
    .truth_purpose = sl_random_purpose ("simulate crowd: truth"),
    .ease_purpose = sl_random_purpose ("simulate crowd: ease"),
    .vote_purpose = sl_random_purpose ("simulate crowd: answer"),
  };
}

void
sl_crowd_votes_clear (SlCrowdVotes *votes)
{
  g_clear_pointer (&votes->votes, sl_builder_free);
  g_clear_pointer (&votes->truth, sl_builder_free);
}

/* ---- drawn ---- */

/* Items that are being answered about, N from FIRST of those that were added. */
typedef struct
{
  const SlCrowdVotes *votes;
  const SlCrowdItems *items;
  gint64 first, n;
  gint32 *truth;       /* [n] */
  gint32 *who, *class; /* [n][assignment->n] */
} Slab;

/* What one thread works in. */
typedef struct
{
  gint32 *taken; /* [assignment->n] */
  double *sums;  /* [n_classes] */
} Room;

static inline const double *
row_of (const SlCrowdVotes *votes, gint32 a, gsize truth)
{
  gsize n = (gsize) votes->people->n_classes, theta = (gsize) votes->people->which[a];
  return votes->people->theta + (theta * n + truth) * n;
}

static void
answer_item (const Slab *slab, gint64 i, const Room *room)
{
  const SlCrowdVotes *votes = slab->votes;
  const SlCrowdItems *items = slab->items;
  gint64 item = slab->first + i;
  gsize n_classes = (gsize) votes->people->n_classes, n = (gsize) votes->assignment->n, length;
  guint64 seed = votes->run->seed;
  const char *name = sl_text_get (items->name, item, &length);
  guint64 key = sl_text_hash (name, length);

  SlRandom random = sl_random (seed, votes->truth_purpose, key, 0, 0);
  sl_draw_sums (items->share + (gsize) item * items->stride, (gint64) n_classes, room->sums);
  gsize truth = (gsize) sl_draw_by_weight (&random, room->sums, (gint64) n_classes);
  slab->truth[i] = (gint32) truth;

  gint32 *who = slab->who + (gsize) i * n, *class = slab->class + (gsize) i * n;
  if (votes->evenly)
    sl_assign_evenly (votes->assignment, items->first + item, who);
  else
    sl_assign (votes->assignment, key, who, room->taken);

  random = sl_random (seed, votes->ease_purpose, key, 0, 0);
  double ease = votes->sigma > 0 ? sl_crowd_ease (votes->sigma, &random) : 1;
  for (gsize j = 0; j < n;
       j++) /* their rows lie far apart: all are asked for before one is needed */
    for (gsize byte = 0; byte < MIN (n_classes * sizeof (double), 256); byte += 64)
      __builtin_prefetch ((const char *) row_of (votes, who[j], truth) + byte);
  for (gsize j = 0; j < n; j++)
    {
      const double *sums = row_of (votes, who[j], truth);
      if (votes->sigma > 0)
        {
          sl_crowd_ease_sums (sums, (gint32) n_classes, ease, room->sums);
          sums = room->sums;
        }
      random = sl_random (seed, votes->vote_purpose, key, votes->people->key[who[j]], 0);
      class[j] = (gint32) sl_draw_by_weight (&random, sums, (gint64) n_classes);
    }
}

static void
answer_chunk (int chunk, gpointer data)
{
  const Slab *slab = data;
  g_autofree gint32 *taken = g_new (gint32, slab->votes->assignment->n);
  g_autofree double *sums = g_new (double, slab->votes->people->n_classes);
  const Room room = { taken, sums };
  for (gint64 i = slab->n * chunk / CHUNKS; i < slab->n * (chunk + 1) / CHUNKS; i++)
    answer_item (slab, i, &room);
}

/* ---- written ---- */

static gboolean
write_votes (const Slab *slab, GError **error)
{
  const SlCrowdVotes *votes = slab->votes;
  SlBuilder *builder = votes->votes;
  gint64 n = votes->assignment->n, n_rows = slab->n * n, n_now;
  for (gint64 row = 0; row < n_rows; row += n_now)
    {
      n_now = MIN (n_rows - row, sl_builder_room (builder));
      for (gint64 i = row; i < row + n_now; i++)
        {
          sl_builder_texts (builder, SL_ANNOTATIONS_ITEM, slab->items->name, slab->first + i / n,
                            1);
          sl_builder_texts (builder, SL_ANNOTATIONS_ANNOTATOR, votes->people->names, slab->who[i],
                            1);
        }
      sl_builder_classes (builder, SL_ANNOTATIONS_CLASS, slab->class + row, n_now);
      if (!sl_writer_write_built (votes->run->out, builder, FALSE, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_truth (const Slab *slab, GError **error)
{
  const SlCrowdVotes *votes = slab->votes;
  SlBuilder *builder = votes->truth;
  gsize n_classes = (gsize) votes->people->n_classes;
  gint64 n_now;
  for (gint64 i = 0; i < slab->n; i += n_now)
    {
      n_now = MIN (slab->n - i, sl_builder_room (builder));
      double *label = sl_builder_labels (builder, SL_LABELS_LABEL, n_now);
      for (gint64 j = 0; j < n_now; j++)
        {
          label[(gsize) j * n_classes + (gsize) slab->truth[i + j]] = 1;
          sl_builder_real (builder, SL_LABELS_WEIGHT, 1);
        }
      sl_builder_texts (builder, SL_LABELS_ITEM, slab->items->name, slab->first + i, n_now);
      sl_builder_classes (builder, SL_LABELS_GOLD, slab->truth + i, n_now);
      if (!sl_writer_write_built (votes->truth_writer, builder, FALSE, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
sl_crowd_votes_add (SlCrowdVotes *votes, const SlCrowdItems *items, GError **error)
{
  gint64 n = votes->assignment->n, most = MIN (MAX (SLAB / n, 1), MAX (items->n, 1));
  g_autofree gint32 *truth = g_new (gint32, most);
  g_autofree gint32 *who = g_new (gint32, most * n);
  g_autofree gint32 *class = g_new (gint32, most * n);
  Slab slab = { .votes = votes, .items = items, .truth = truth, .who = who, .class = class };
  for (; slab.first < items->n; slab.first += slab.n)
    {
      slab.n = MIN (most, items->n - slab.first);
      sl_parallel (votes->run->threads, CHUNKS, answer_chunk, &slab);
      if (!write_votes (&slab, error) || (votes->truth != NULL && !write_truth (&slab, error)))
        return FALSE;
    }
  return TRUE;
}

gboolean
sl_crowd_votes_end (SlCrowdVotes *votes, GError **error)
{
  return sl_writer_write_built (votes->run->out, votes->votes, TRUE, error)
         && (votes->truth == NULL
             || sl_writer_write_built (votes->truth_writer, votes->truth, TRUE, error));
}
