/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "em.h"

#include "pipeline/base/error.h"
#include "pipeline/base/parallel.h"

#include <stdlib.h>

#define MOST_LANES 64

/* Items of which a pass of long rows makes the labels together: as few as stay in the first-level
 * cache. */
#define FEW 2

/* The memory that tables may take: as much as the answers, or half as much as the labels, or a
 * small fixed amount, whichever is most. */
static gsize
table_limit (const SlEm *em)
{
  gsize answers = (gsize) em->packed.n_answers * 8;
  gsize labels = (gsize) em->packed.n_items * (gsize) em->packed.n_classes * 4;
  return MAX (MAX (answers, labels), (gsize) 64 << 20);
}

/* More lanes can use more threads; but their tables must be cleared and added up in each round,
 * which is to cost less than one part in 32 of the pass itself, or in 64 where a table of long rows
 * would leave the cache for it. 0: not even the fewest fit, or answers cannot point at so many
 * rows. */
static gint32
count_lanes (const SlEm *em)
{
  gint64 n = em->packed.n_answers;
  gint32 lanes = n < 65536 ? 1 : 2, parts = em->long_rows ? 64 : 32;
  gsize values = (gsize) em->packed.n_cells * (gsize) em->stride;
  gsize table = values * sizeof (double), limit = table_limit (em);
  if (2 * values > G_MAXUINT32)
    return 0;
  if (em->n_subtypes == 1 && table > limit / (gsize) (2 * lanes + 1))
    return 0;
  while (2 * lanes <= MOST_LANES && lanes * parts * (gint64) em->packed.n_cells < n
         && lanes < em->packed.n_chunks && n / lanes > 32768
         && table <= limit / (gsize) (4 * lanes + 1))
    lanes *= 2;
  return lanes;
}

/* Cells of answers become places of their rows in a lane's table. */
static void
scale_cells (int lane, gpointer data)
{
  SlEm *em = data;
  guint32 row = 2 * (guint32) em->stride;
  gint64 end = em->packed.start[em->lane_start[lane + 1]];
  for (gint64 j = em->packed.start[em->lane_start[lane]]; j < end; j++)
    em->packed.cell[j] *= row;
}

static gboolean
new_tables (SlEm *em, GError **error)
{
  gsize stride = (gsize) em->stride, cells = MAX (em->packed.n_cells, 1),
        lanes = (gsize) em->n_lanes;
  const char *what = "the annotators' confusion matrices";
  em->lane_start = g_new0 (gint32, lanes + 1);
  sl_packed_answers_cut (&em->packed, em->n_lanes, em->lane_start);
  em->lane_result = g_new0 (double, 2 * lanes);
  em->lane_row = sl_aligned_new (lanes, 3 * MAX (stride, 4), sizeof (double), what, error);
  if (em->lane_row == NULL)
    return FALSE;
  memset (em->lane_row, 0, lanes * 3 * MAX (stride, 4) * sizeof (double));
  em->table = sl_aligned_new (cells, stride, sizeof (double), what, error);
  if (em->table == NULL)
    return FALSE;
  em->lane_table = sl_aligned_new (lanes * cells, 2 * stride, sizeof (double), what, error);
  if (em->lane_table == NULL)
    return FALSE;
  if (em->long_rows)
    {
      em->batch = FEW;
      em->lane_labels = sl_aligned_new (lanes * FEW, stride, sizeof (double), what, error);
      return em->lane_labels != NULL;
    }
  sl_parallel (em->settings->threads, (int) lanes, scale_cells, em);
  return TRUE;
}

static double
heaviest_answer (const SlPackedAnswers *packed)
{
  double most = 1;
  for (gint64 j = 0; packed->weight != NULL && j < packed->n_answers; j++)
    most = MAX (most, packed->weight[j]);
  return most;
}

gboolean
sl_em_init (SlEm *em, const SlItems *items, const SlAnswers *answers,
            const SlMethodSettings *settings, SlLearned *learned, gint32 n_subtypes,
            gboolean variational, GError **error)
{
  gint32 n_classes = items->n_classes, n_states = n_classes * n_subtypes;
  *em = (SlEm){ .items = items,
                .settings = settings,
                .learned = learned,
                .n_subtypes = n_subtypes,
                .all_subtypes = n_subtypes,
                .n_states = n_states,
                .variational = variational,
                .weigh = sl_em_weigh };
  em->logs = answers->count != NULL || answers->distribution != NULL;
  em->stride = n_states == 2 && !em->logs ? 2 : (n_states + 3) / 4 * 4;
  em->long_rows = em->logs || em->stride > SL_EM_NEAR;
  if (!sl_packed_answers_init (&em->packed, items, answers, SL_EM_CHUNK, settings->threads, error))
    return FALSE;
  em->log_prior = g_new (double, MAX (em->stride, 4));
  em->prior = sl_aligned_new ((gsize) em->stride, 1, sizeof (double), "the prior", error);
  if (em->prior == NULL)
    return FALSE;
  em->total = g_new0 (double, em->stride);
  em->subtype_share = g_new0 (double, em->stride);
  em->class_total = g_new0 (double, n_classes);
  em->class_log = g_new0 (double, n_classes);
  em->class_share = g_new0 (double, n_classes);
  for (gint32 z = 0; z < MAX (em->stride, 4); z++)
    em->log_prior[z] = SL_EM_NEVER;
  memset (em->prior, 0, (gsize) em->stride * sizeof *em->prior);
  if (n_subtypes > 1 && em->long_rows) /* others point at rows that must keep their length */
    em->alike = g_new (double, em->stride);
  em->heaviest = heaviest_answer (&em->packed);
  if (variational)
    {
      em->base_sum = g_new0 (double, em->stride);
      em->class_alpha = g_new (double, n_classes);
      em->base = sl_aligned_new ((gsize) n_classes, (gsize) em->stride, sizeof (double),
                                 "prior confusion", error);
      if (em->base == NULL)
        return FALSE;
    }
  em->n_lanes = count_lanes (em);
  return em->n_lanes > 0 ? new_tables (em, error) : sl_em_wide_init (em, error);
}

void
sl_em_clear (SlEm *em)
{
  sl_packed_answers_clear (&em->packed);
  free (em->base);
  g_free (em->base_sum);
  g_free (em->class_alpha);
  free (em->crowd);
  g_free (em->log_prior);
  free (em->prior);
  g_free (em->alike);
  g_free (em->total);
  g_free (em->subtype_share);
  g_free (em->class_total);
  g_free (em->class_log);
  g_free (em->class_share);
  free (em->table);
  free (em->lane_table);
  free (em->lane_labels);
  free (em->lane_row);
  g_free (em->lane_result);
  g_free (em->lane_start);
  free (em->cell_first);
  free (em->cell_item);
  free (em->cell_weight);
  free (em->last);
}

void
sl_em_learn_prior (const SlEm *em)
{
  if (em->learned->prior != NULL)
    memcpy (em->learned->prior, em->class_share,
            (gsize) em->items->n_classes * sizeof *em->learned->prior);
}

void
sl_em_fill_base (SlEm *em)
{
  gint32 n_classes = em->items->n_classes;
  for (gint32 z = 0; z < em->stride; z++)
    {
      em->base_sum[z] = em->off * n_classes + em->more;
      for (gint32 x = 0; x < n_classes; x++)
        em->base[(gsize) x * (gsize) em->stride + (gsize) z]
            = em->off + (z / em->n_subtypes == x ? em->more : 0);
    }
}

void
sl_em_set_prior (SlEm *em, double class_alpha, double off, double more)
{
  for (gint32 k = 0; k < em->items->n_classes; k++)
    em->class_alpha[k] = class_alpha;
  em->off = off;
  em->more = more;
  sl_em_fill_base (em);
}

/* ---- the prior of classes and subtypes: from their totals to weights ---- */

/* Weights of Dirichlet (alpha + total) to LOG[n], its mean to SHARE[n]; returns less its
 * divergence from Dirichlet (alpha). ALPHA is one number or, where EACH, n of them; each of the N
 * is ALIKE[n] that share its total, or one where ALIKE is NULL. */
static double
weigh_dirichlet (const double *total, gint32 n, const double *alpha, gboolean each,
                 const double *alike, double *log_weight, double *share)
{
  double before = 0, after = 0, objective = 0;
  for (gint32 i = 0; i < n; i++)
    {
      double m = alike != NULL ? alike[i] : 1;
      before += m * alpha[each ? i : 0];
      after += m * alpha[each ? i : 0] + total[i];
    }
  double psi = sl_scalar_digamma (after);
  for (gint32 i = 0; i < n; i++)
    {
      double m = alike != NULL ? alike[i] : 1;
      double from = alpha[each ? i : 0], to = from + total[i] / m;
      double one = sl_scalar_digamma (to) - psi;
      log_weight[i] = one + sl_scalar_log (m);
      share[i] = m * to / after;
      objective += m * (sl_scalar_lgamma (to) - sl_scalar_lgamma (from)) - total[i] * one;
    }
  return objective + sl_scalar_lgamma (before) - sl_scalar_lgamma (after);
}

static void
weigh_shares (const double *total, gint32 n, double *log_weight, double *share)
{
  double sum = 0;
  for (gint32 i = 0; i < n; i++)
    sum += total[i];
  for (gint32 i = 0; i < n; i++)
    {
      share[i] = sum > 0 ? total[i] / sum : 1.0 / n;
      log_weight[i] = sl_scalar_log (share[i]);
    }
}

double
sl_em_weigh_prior (SlEm *em)
{
  gint32 n_classes = em->items->n_classes, n = em->n_subtypes;
  double objective = 0;
  for (gint32 k = 0; k < n_classes; k++)
    {
      em->class_total[k] = 0;
      for (gint32 g = 0; g < n; g++)
        em->class_total[k] += em->total[k * n + g];
    }
  if (em->class_alpha != NULL)
    objective += weigh_dirichlet (em->class_total, n_classes, em->class_alpha, TRUE, NULL,
                                  em->class_log, em->class_share);
  else
    weigh_shares (em->class_total, n_classes, em->class_log, em->class_share);
  for (gint32 k = 0; k < n_classes; k++)
    {
      double *log_weight = em->log_prior + k * n, *share = em->subtype_share + k * n;
      *log_weight = 0;
      *share = 1;
      if (n > 1)
        objective
            += weigh_dirichlet (em->total + k * n, n, &em->subtype_alpha, FALSE,
                                em->alike != NULL ? em->alike + k * n : NULL, log_weight, share);
      for (gint32 g = 0; g < n; g++)
        {
          log_weight[g] += em->class_log[k];
          em->prior[k * n + g] = sl_scalar_exp (log_weight[g]);
        }
    }
  return objective;
}

void
sl_em_start_prior (SlEm *em)
{
  for (gint32 z = 0; em->settings->start_prior != NULL && z < em->n_states; z++)
    em->total[z]
        = em->settings->start_prior[z / em->n_subtypes] * em->packed.n_items / em->n_subtypes;
}

/* ---- the answers of each cell, for em-wide.c ---- */

SL_INLINE void
place_item (SlEm *em, gint32 item, gint64 first, gint32 answers, gpointer data)
{
  for (gint64 j = first; j < first + answers; j++)
    {
      gint64 place = em->cell_first[em->packed.cell[j]]++;
      em->cell_item[place] = item;
      if (em->cell_weight != NULL)
        em->cell_weight[place] = em->packed.weight[j];
    }
}

static void
list_cells (SlEm *em)
{
  const SlPackedAnswers *packed = &em->packed;
  gsize cells = packed->n_cells;
  memset (em->cell_first, 0, (cells + 1) * sizeof *em->cell_first);
  for (gint64 j = 0; j < packed->n_answers; j++)
    em->cell_first[packed->cell[j]]++;
  gint64 sum = 0;
  for (gsize c = 0; c <= cells; c++)
    {
      gint64 n = em->cell_first[c];
      em->cell_first[c] = sum;
      sum += n;
    }
  sl_em_each_item (em, 0, packed->n_chunks, place_item, NULL);
  memmove (em->cell_first + 1, em->cell_first, cells * sizeof *em->cell_first);
  em->cell_first[0] = 0;
}

gboolean
sl_em_wide_init (SlEm *em, GError **error)
{
  const SlPackedAnswers *packed = &em->packed;
  gsize cells = packed->n_cells, answers = (gsize) packed->n_answers;
  gsize limit = MAX (MAX (answers * 8, (gsize) packed->n_items * (gsize) packed->n_classes * 2),
                     (gsize) 64 << 20);
  if (em->n_subtypes > 1)
    return sl_error_runtime (
        error,
        "%d annotators and %d classes are too many for confusion matrices of %d "
        "subtypes of each class",
        packed->n_annotators, packed->n_classes, em->n_subtypes);
  em->block = 4;
  em->logs = TRUE;
  while (em->block < em->stride && em->block < 64
         && cells * (gsize) em->block * 2 * sizeof (double) <= limit)
    em->block *= 2;
  const char *what = "who said what, by annotator";
  em->cell_first = sl_aligned_new (cells + 1, 1, sizeof *em->cell_first, what, error);
  if (em->cell_first == NULL)
    return FALSE;
  em->cell_item = sl_aligned_new (answers, 1, sizeof *em->cell_item, what, error);
  if (em->cell_item == NULL)
    return FALSE;
  if (packed->weight != NULL)
    em->cell_weight = sl_aligned_new (answers, 1, sizeof *em->cell_weight, what, error);
  if (packed->weight != NULL && em->cell_weight == NULL)
    return FALSE;
  em->table = sl_aligned_new (cells, (gsize) em->block, sizeof *em->table, what, error);
  if (em->table == NULL)
    return FALSE;
  list_cells (em);
  return TRUE;
}
