/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "seen-pairs.h"

#include "pipeline/base/intern/intern.h"

#define FIRST_ROOM 1024

typedef struct
{
  guint64 item, annotator; /* both 0: nothing is here */
} Pair;

struct _SlSeenPairs
{
  SlRun *run;
  Pair *pairs;
  gsize room, n; /* a power of two */
};

SlSeenPairs *
sl_seen_pairs_new (SlRun *run)
{
  SlSeenPairs *seen = g_new0 (SlSeenPairs, 1);
  seen->run = run;
  return seen;
}

void
sl_seen_pairs_free (SlSeenPairs *seen)
{
  g_free (seen->pairs);
  g_free (seen);
}

/* Where PAIR is in PAIRS[room], or would be. */
static Pair *
find (Pair *pairs, gsize room, Pair pair)
{
  gsize i = (pair.item ^ (pair.annotator * 0x9e3779b97f4a7c15u)) & (room - 1);
  while ((pairs[i].item | pairs[i].annotator) != 0
         && (pairs[i].item != pair.item || pairs[i].annotator != pair.annotator))
    i = (i + 1) & (room - 1);
  return &pairs[i];
}

static gboolean
grow (SlSeenPairs *seen, GError **error)
{
  gsize room = seen->room > 0 ? 2 * seen->room : FIRST_ROOM;
  Pair *pairs = sl_run_alloc0 (seen->run, room, sizeof (Pair),
                               "who has answered which item, to mark what comes again", error);
  if (pairs == NULL)
    return FALSE;
  for (gsize i = 0; i < seen->room; i++)
    if ((seen->pairs[i].item | seen->pairs[i].annotator) != 0)
      *find (pairs, room, seen->pairs[i]) = seen->pairs[i];
  sl_run_release (seen->run, seen->room * sizeof (Pair));
  g_free (seen->pairs);
  seen->pairs = pairs;
  seen->room = room;
  return TRUE;
}

gboolean
sl_seen_pairs_add (SlSeenPairs *seen, SlCell item, SlCell annotator, gboolean *before,
                   GError **error)
{
  if (4 * (seen->n + 1) > 3 * seen->room && !grow (seen, error))
    return FALSE;
  /* An item of hash 0 is as good as one of hash 1. */
  Pair pair
      = { MAX (sl_text_hash (item.text, item.n), 1), sl_text_hash (annotator.text, annotator.n) };
  Pair *place = find (seen->pairs, seen->room, pair);
  *before = place->item != 0;
  seen->n += !*before;
  *place = pair;
  return TRUE;
}
