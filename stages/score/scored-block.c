/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One batch made ready for the kernels. */
#include "scoring.h"
#include "stages/common/items/question.h"

#include "pipeline/base/largest.h"
#include "pipeline/base/parallel.h"
#include "schemas/annotations.h"

#include <math.h>
#include <string.h>

/* Rows of one task. */
#define PIECE 1024

SlBlockRoom *
sl_block_room_new (void)
{
  return g_new0 (SlBlockRoom, 1);
}

void
sl_block_room_free (SlBlockRoom *room)
{
  g_free (room->id);
  g_free (room->row);
  g_free (room->gold);
  g_free (room->set);
  g_free (room->prob);
  g_free (room->logit);
  g_free (room->target);
  g_free (room->loss);
  for (int f = 0; f < SL_N_FIGURES; f++)
    g_free (room->figure[f]);
  g_free (room);
}

/* A batch's rows depend on the table's header alone, so this happens once a file. */
gboolean
sl_block_reserve (SlScoring *scoring, gint64 rows, GError **error)
{
  SlBlockRoom *room = scoring->room;
  gsize n = (gsize) rows, wide = n * (gsize) scoring->table->n_classes;
  if (rows <= room->room)
    return TRUE;
  if (!sl_run_claim (scoring->run, (3 * wide + (gsize) SL_N_FIGURES * n) * sizeof (double),
                     "a batch of rows and what is said of them", error))
    return FALSE;
  room->id = g_renew (gint32, room->id, n);
  room->row = g_renew (gint32, room->row, n);
  room->gold = g_renew (gint32, room->gold, n);
  room->set = g_renew (SlScoredSet *, room->set, n);
  room->prob = g_renew (double, room->prob, wide);
  room->logit = g_renew (double, room->logit, wide);
  room->target = g_renew (double, room->target, wide);
  room->loss = g_renew (double, room->loss, n);
  for (int f = 0; f < SL_N_FIGURES; f++)
    if (scoring->plan.wanted & SL_FIGURE_BIT (f))
      room->figure[f] = g_renew (double, room->figure[f], n);
  room->room = rows;
  return TRUE;
}

/* FROM[.][k] of the rows ROW[n], or where those are all of them FROM itself. */
static const double *
take_rows (const double *from, const gint32 *row, gint64 n, gint64 of, gsize k, const gint32 *map,
           double *to)
{
  if (n == of && map == NULL)
    return from;
  for (gint64 i = 0; i < n; i++)
    {
      const double *x = from + (gsize) row[i] * k;
      double *y = to + (gsize) i * k;
      if (map == NULL)
        memcpy (y, x, k * sizeof *x);
      else
        for (gsize j = 0; j < k; j++)
          y[map[j]] = x[j];
    }
  return to;
}

/* Targets of items that follow one another stand so already. */
static const double *
take_targets (SlScoring *scoring, gint64 n)
{
  const SlBlockRoom *room = scoring->room;
  gsize k = (gsize) scoring->table->n_classes;
  gboolean following = TRUE;
  for (gint64 i = 0; i < n && following; i++)
    following = room->id[room->row[i]] == room->id[room->row[0]] + i;
  if (following && n > 0)
    return sl_reference_target (scoring->against, room->id[room->row[0]]);
  for (gint64 i = 0; i < n; i++)
    memcpy (room->target + (gsize) i * k,
            sl_reference_target (scoring->against, room->id[room->row[i]]), k * sizeof (double));
  return room->target;
}

static gboolean
class_in_file (const SlItemValues *gold, const SlBatch *batch, gint64 row, gint32 *class,
               GError **error)
{
  gsize length;
  const char *item = sl_text_get (batch->column[SL_LABELS_ITEM].text, row, &length);
  return sl_item_values_class (gold, 0, sl_item_values_find (gold, item, length), class, error);
}

/* Runs are judged by one gold class of an item: CLASS, in row ROW. */
static gboolean
judge_once (SlScoring *scoring, const SlBatch *batch, gint32 row, gint32 class, GError **error)
{
  guint item = (guint) scoring->room->id[row];
  if (class < 0)
    return TRUE;
  if (item >= scoring->judged->len)
    g_array_set_size (scoring->judged, item + 1);
  gint32 *before = &g_array_index (scoring->judged, gint32, item);
  if (*before == 0)
    *before = class + 1;
  if (*before == class + 1)
    return TRUE;
  char *const *classes = scoring->table->classes;
  g_autofree char *shown = sl_item_shown (scoring->items, (gint32) item);
  return sl_error_row (error, batch->first_row + row + 1,
                       "the gold class of item '%s' is '%s' here and '%s' before: all are judged "
                       "by one; `softlabel join --existing replace` gives them the same",
                       shown, classes[class], classes[*before - 1]);
}

static gint32
answer_of_annotator (const SlScoring *scoring, const SlBatch *batch, gint64 row)
{
  gsize length;
  const char *annotator = sl_text_get (batch->column[SL_PREDICTIONS_ANNOTATOR].text, row, &length);
  return sl_reference_answer (scoring->against, scoring->room->id[row], annotator, length);
}

/* *CLASS <- the gold class of row ROW, OWN being its table's column of them or NULL, or else that
 * of the labels it is compared with. */
static gboolean
class_in_column (SlScoring *scoring, const SlBatch *batch, gint32 row, const gint32 *own,
                 const gint32 *map, gint32 *class, GError **error)
{
  const SlReference *against = scoring->against;
  gint32 theirs
      = against != NULL ? g_array_index (against->gold, gint32, scoring->room->id[row]) : -1;
  *class = own == NULL ? theirs : own[row] < 0 || map == NULL ? own[row] : map[own[row]];
  return judge_once (scoring, batch, row, theirs, error)
         && judge_once (scoring, batch, row, *class, error);
}

/* gold[n] <- y of the rows. */
static gboolean
take_classes (SlScoring *scoring, const SlBatch *batch, const gint32 *map, gint64 n,
              const double *target, GError **error)
{
  const SlBlockRoom *room = scoring->room;
  gint32 k = scoring->table->n_classes;
  gboolean labels = batch->table->kind == &sl_labels;
  const gint32 *own = batch->column[labels ? (int) SL_LABELS_GOLD : (int) SL_PREDICTIONS_GOLD].code;
  for (gint64 i = 0; i < n; i++)
    {
      gint32 row = room->row[i], class = -1;
      gboolean ok = TRUE;
      if (scoring->source == SL_CLASS_ANSWER)
        class = answer_of_annotator (scoring, batch, row);
      else if (scoring->source == SL_CLASS_FILE)
        ok = class_in_file (scoring->gold, batch, row, &class, error);
      else if (scoring->source == SL_CLASS_OF_TARGET)
        class = sl_largest (target + i * k, k);
      else
        ok = class_in_column (scoring, batch, row, own, map, &class, error);
      if (!ok)
        return FALSE;
      room->gold[i] = class;
      scoring->n_with_class += class >= 0;
    }
  return TRUE;
}

/* The number of what ROW is about: its item, or, where it is one question of several, what that is
 * asked of. -1: it is not named so. */
static gint32
asked_of (const SlScoring *scoring, const SlBatch *batch, gint32 row)
{
  if (scoring->asked == NULL)
    return scoring->room->id[row];
  gsize length;
  const char *item = sl_text_get (batch->column[SL_LABELS_ITEM].text, row, &length);
  const char *question = sl_question_in (item, length, scoring->questions);
  if (question == NULL)
    return -1;
  return sl_intern (scoring->asked, item, (gsize) (question - item) - strlen (scoring->questions));
}

static gboolean
take_items (SlScoring *scoring, const SlBatch *batch, gint64 n, GError **error)
{
  double *item = scoring->room->figure[SL_FIGURE_ITEM];
  for (gint64 i = 0; item != NULL && i < n; i++)
    {
      gint32 row = scoring->room->row[i], asked = asked_of (scoring, batch, row);
      item[i] = asked;
      if (asked >= 0)
        continue;
      g_autofree char *shown = sl_item_shown (scoring->items, scoring->room->id[row]);
      return sl_error_row (error, batch->first_row + row + 1,
                           "item '%s' has no '%s' that parts it from its question", shown,
                           scoring->questions);
    }
  return TRUE;
}

typedef struct
{
  const SlItemBlock *block;
  guint64 wanted;
  double *const *figure;
} Figures;

static void
make_piece (int piece, gpointer data)
{
  const Figures *figures = data;
  SlItemBlock part = *figures->block;
  gint64 first = (gint64) piece * PIECE, k = part.n_classes;
  double *out[SL_N_FIGURES];
  part.n = MIN (PIECE, part.n - first);
  part.prob += first * k;
  part.logit = part.logit != NULL ? part.logit + first * k : NULL;
  part.target = part.target != NULL ? part.target + first * k : NULL;
  part.gold = part.gold != NULL ? part.gold + first : NULL;
  part.loss = part.loss != NULL ? part.loss + first : NULL;
  for (int f = 0; f < SL_N_FIGURES; f++)
    out[f] = figures->figure[f] != NULL ? figures->figure[f] + first : NULL;
  sl_item_figures (&part, figures->wanted, out);
}

/* What annotators said in the rows: no distributions, so all of it is here. */
gboolean
sl_block_of_answers (SlScoring *scoring, SlBatch *batch, gint64 n, SlItemBlock *block,
                     GError **error)
{
  const SlAnnotations view = sl_annotations_view (batch);
  double *const *figure = scoring->room->figure;
  gint32 k = scoring->table->n_classes;
  *block = (SlItemBlock){ .n = n, .n_classes = k };
  for (gint64 i = 0; i < n; i++)
    {
      gint32 row = scoring->room->row[i], first = view.start[row];
      gint32 named = view.start[row + 1] - first;
      double percent = named > 0 ? view.percent[first] : (double) NAN;
      const double values[] = {
        percent,
        named > 1 ? view.percent[first + 1] : (double) NAN,
        isnan (percent) ? (double) NAN : percent == 100,
        named < 2,
        k - (view.impossible_start[row + 1] - view.impossible_start[row]),
      };
      for (int f = 0; f < 5; f++)
        if (figure[SL_FIGURE_FIRST_PERCENT + f] != NULL)
          figure[SL_FIGURE_FIRST_PERCENT + f][i] = values[f];
    }
  return take_items (scoring, batch, n, error);
}

gboolean
sl_block_make (SlScoring *scoring, const SlBatch *batch, const gint32 *map, gint64 n,
               SlItemBlock *block, GError **error)
{
  SlBlockRoom *room = scoring->room;
  gboolean labels = batch->table->kind == &sl_labels;
  gsize k = (gsize) scoring->table->n_classes;
  const SlColumn *columns = batch->column;
  const double *logit = labels ? NULL : columns[SL_PREDICTIONS_LOGIT].real;
  const double *loss = labels ? NULL : columns[SL_PREDICTIONS_LOSS].real;
  *block = scoring->how;
  block->n = n;
  block->n_classes = scoring->table->n_classes;
  block->prob = take_rows (columns[labels ? (int) SL_LABELS_LABEL : (int) SL_PREDICTIONS_PROB].real,
                           room->row, n, batch->n_rows, k, map, room->prob);
  if (logit != NULL)
    block->logit = take_rows (logit, room->row, n, batch->n_rows, k, map, room->logit);
  if (loss != NULL)
    block->loss = take_rows (loss, room->row, n, batch->n_rows, 1, NULL, room->loss);
  if (scoring->against != NULL)
    block->target = take_targets (scoring, n);
  if (scoring->wants_class)
    {
      if (!take_classes (scoring, batch, map, n, block->target, error))
        return FALSE;
      block->gold = room->gold;
    }
  if (scoring->against == NULL && scoring->wants_class)
    {
      sl_gold_targets (room->gold, n, scoring->table->n_classes, room->target);
      block->target = room->target;
    }
  if (!take_items (scoring, batch, n, error))
    return FALSE;
  Figures figures = { block, scoring->plan.wanted, room->figure };
  sl_parallel (scoring->run->threads, (int) ((n + PIECE - 1) / PIECE), make_piece, &figures);
  if (scoring->against == NULL && scoring->wants_class)
    sl_figures_forget_targets (scoring->room->figure, scoring->plan.wanted, scoring->room->gold, n);
  return TRUE;
}
