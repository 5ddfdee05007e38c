/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "strata.h"

#include "pipeline/base/largest.h"

#include "schemas/annotations.h"
#include "schemas/labels.h"
#include "stages/common/answers/votes-of-batch.h"

/* The first column of distributions that TABLE has; -1: none. */
static int
find_distributions (const SlTable *table)
{
  for (int c = 0; table->spec[c].name != NULL; c++)
    if (sl_table_has (table, c) && table->spec[c].type == SL_TYPE_LABEL)
      return c;
  return -1;
}

gboolean
sl_strata_init (SlStrata *strata, SlRun *run, SlReader *reader, SlStratify by, GError **error)
{
  const SlTable *table = sl_reader_table (reader);
  *strata = (SlStrata){ .run = run, .by = by, .column = -1 };
  if (by == SL_STRATIFY_GOLD)
    strata->column = sl_table_column (table, "gold");
  else if (by == SL_STRATIFY_ARGMAX)
    strata->column = find_distributions (table);
  sl_tally_init (&strata->tally, by == SL_STRATIFY_ARGMAX ? table->n_classes : 1);
  if (by == SL_STRATIFY_NONE || strata->column >= 0
      || (by == SL_STRATIFY_ARGMAX && table->kind == &sl_annotations))
    return TRUE;
  return sl_error_bad_input (
      error,
      by == SL_STRATIFY_GOLD
          ? "%s: it has no column 'gold' to stratify by; `softlabel join` brings one"
          : "%s: it has no distributions to stratify by",
      sl_reader_name (reader));
}

void
sl_strata_clear (SlStrata *strata)
{
  sl_tally_clear (&strata->tally);
  g_clear_pointer (&strata->ids, g_free);
}

/* What annotations or labels say, with their weights. */
static gboolean
add_evidence (SlStrata *strata, SlBatch *batch, SlIntern *items, GError **error)
{
  g_auto (SlRowVotes) evidence;
  if (!sl_row_votes_init (&evidence, batch, error))
    return FALSE;
  if (evidence.n > strata->ids_room)
    strata->ids = g_renew (gint32, strata->ids, strata->ids_room = evidence.n);
  int threads = strata->run->threads;
  sl_intern_find_column (items, evidence.item, evidence.n, threads, strata->ids);
  if (evidence.label != NULL)
    sl_tally_add_labels (&strata->tally, strata->ids, evidence.n, evidence.label, evidence.weight,
                         threads);
  else
    sl_tally_add_votes (&strata->tally, strata->ids, evidence.n, evidence.vote, evidence.count,
                        threads);
  return TRUE;
}

gboolean
sl_strata_add (SlStrata *strata, SlBatch *batch, const gint32 *ids, SlIntern *items, GError **error)
{
  if (strata->by == SL_STRATIFY_NONE)
    return TRUE;
  SlTally *tally = &strata->tally;
  sl_tally_resize (tally, sl_intern_size (items));
  if (!sl_run_claim_up_to (strata->run, &strata->claimed,
                           (gsize) tally->n_items * sl_tally_item_bytes (tally->n_classes),
                           "the class of every item", error))
    return FALSE;
  if (strata->by == SL_STRATIFY_GOLD)
    {
      gint64 wrong
          = sl_tally_add_gold (tally, ids, batch->n_rows, batch->column[strata->column].code);
      return wrong < 0
             || sl_error_row (error, batch->first_row + wrong + 1,
                              "gold is '%s', and was '%s' in a row of the same item before",
                              batch->table->classes[batch->column[strata->column].code[wrong]],
                              batch->table->classes[tally->gold[ids[wrong]]]);
    }
  const SlKind *kind = batch->table->kind;
  if (kind == &sl_annotations || kind == &sl_labels)
    return add_evidence (strata, batch, items, error);
  g_autofree double *weight = g_new (double, MAX (batch->n_rows, 1));
  for (gint64 i = 0; i < batch->n_rows; i++)
    weight[i] = 1;
  sl_tally_add_labels (tally, ids, batch->n_rows, batch->column[strata->column].real, weight,
                       strata->run->threads);
  return TRUE;
}

gint32
sl_strata_find (const SlStrata *strata, gint32 item)
{
  const SlTally *tally = &strata->tally;
  if (strata->by == SL_STRATIFY_NONE)
    return 0;
  if (strata->by == SL_STRATIFY_GOLD)
    return tally->gold[item] + 1;
  const double *sum = tally->sum + (gsize) item * (gsize) tally->n_classes;
  gint32 best = sl_largest (sum, tally->n_classes);
  return sum[best] > 0 ? best + 1 : 0;
}
