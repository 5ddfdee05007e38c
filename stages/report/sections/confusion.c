/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Confusion: all annotators together, and those with the most answers each, as squares; of many
 * classes the commonest confusions as a list. */

#include "pipeline/base/intern/intern.h"
#include "sections.h"
#include "stages/report/drawings.h"

#include <math.h>
#include <string.h>

#define DRAWN_MOST 20 /* classes of a picture */
#define ALONE 5       /* annotators drawn each by themselves */

static const SlMatrixTexts texts = { .of_row = "answered",
                                     .in_corner = "answered, % of the true class",
                                     .right = "Share of right answers by class" };

typedef struct
{
  gint32 annotator; /* -1: none */
  double *cell;     /* [classes][classes]: weight of the answer (second) where the first is true */
  double weight;
} Matrix;

typedef struct
{
  const SlReportInput *input;
  gint32 k;
  SlIntern *annotators;
  Matrix whole, now;  /* of all; of the annotator whose rows are being read */
  Matrix most[ALONE]; /* with the most answers */
  int n_most;
  gboolean mixed; /* an annotator's rows are not together */
  gsize claimed;
} OneTable;

static gsize
cells_of (const OneTable *table)
{
  return (gsize) table->k * (gsize) table->k;
}

static gboolean
begin (gpointer state, SlReport *report, const SlReportInput *input, GError **error)
{
  OneTable *table = state;
  *table
      = (OneTable){ .input = input, .k = input->table->n_classes, .annotators = sl_intern_new () };
  gsize n = MAX (cells_of (table), 1);
  if (!sl_run_claim_array (report->run, n, sizeof (double) * ALONE, "matrices of annotators",
                           error))
    return FALSE;
  SL_OWN (report, table->annotators, sl_intern_free);
  table->now.annotator = -1;
  table->whole.cell = sl_report_reals (report, n, "a confusion matrix", error);
  table->now.cell
      = table->whole.cell != NULL ? sl_report_reals (report, n, "a confusion matrix", error) : NULL;
  return table->now.cell != NULL;
}

/* The annotator's rows are over: adds them up, and keeps them where there are few with more
 * answers. */
static void
finish_annotator (OneTable *table, SlReport *report)
{
  Matrix *now = &table->now;
  if (now->annotator < 0)
    return;
  gsize n = cells_of (table);
  for (gsize i = 0; i < n; i++)
    table->whole.cell[i] += now->cell[i];
  int at = table->n_most;
  while (at > 0 && now->weight > table->most[at - 1].weight)
    at--;
  if (at < ALONE)
    {
      double *cell = table->n_most == ALONE ? table->most[--table->n_most].cell
                                            : sl_report_own (report, g_new (double, n), g_free);
      memmove (&table->most[at + 1], &table->most[at],
               sizeof (Matrix) * (gsize) (table->n_most - at));
      table->n_most++;
      memcpy (cell, now->cell, n * sizeof *cell);
      table->most[at] = (Matrix){ now->annotator, cell, now->weight };
    }
  now->annotator = -1;
  now->weight = 0;
  memset (now->cell, 0, n * sizeof (double));
}

static gboolean
take (gpointer state, SlReport *report, const SlBatch *batch, GError **error)
{
  OneTable *table = state;
  const gint32 *truth = batch->column[SL_CONFUSION_TRUE].code,
               *answered = batch->column[SL_CONFUSION_ANSWERED].code;
  const double *probability = batch->column[SL_CONFUSION_PROBABILITY].real,
               *answers = batch->column[SL_CONFUSION_ANSWERS].real;
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      Matrix *now = &table->now;
      gint32 known = sl_intern_size (table->annotators);
      gint32 who
          = sl_intern_text (table->annotators, batch->column[SL_CONFUSION_ANNOTATOR].text, i);
      if (who != now->annotator)
        {
          finish_annotator (table, report);
          table->mixed |= who < known;
          now->annotator = who;
        }
      double weight = answers != NULL ? MAX (answers[i], 0) : probability[i];
      if (truth[i] < 0 || answered[i] < 0 || !isfinite (weight))
        continue;
      now->cell[truth[i] * (gsize) table->k + (gsize) answered[i]] += weight;
      now->weight += weight;
    }
  return sl_run_claim_up_to (report->run, &table->claimed, sl_intern_bytes (table->annotators),
                             "the annotators", error);
}

static gboolean
end (gpointer state, SlReport *report, GError **error)
{
  finish_annotator (state, report);
  return TRUE;
}

static void
draw_matrix (SlPage *page, const OneTable *table, const Matrix *matrix, const char *title)
{
  char *const *classes = table->input->table->classes;
  gint32 k = table->k;
  g_autofree double *share = sl_matrix_shares (matrix->cell, (gsize) k);
  sl_page_figure_begin (page);
  sl_draw_matrix (page->html, sl_page_id (page), title, share, k, classes, &texts);
  sl_page_caption (page, "<strong>%c.</strong>", title, 60);
  if (sl_table_has (table->input->table, SL_CONFUSION_ANSWERS))
    sl_html_say (page->html, " %m", (gint64) rint (matrix->weight), "answer.", "answers.");
  sl_page_figure_end (page);
}

/* What is most often taken for something else. */
static void
list_confusions (SlPage *page, const OneTable *table)
{
  g_autofree double *share = sl_matrix_shares (table->whole.cell, (gsize) table->k);
  sl_draw_confusions (page,
                      table->k > DRAWN_MOST
                          ? "<strong>Commonest confusions</strong>, of all annotators together; "
                            "there are too many classes for a picture."
                          : "<strong>Commonest confusions</strong>, of all annotators together.",
                      share, table->k, table->input->table->classes, &texts);
}

static void
draw (gpointer state, SlReport *report)
{
  OneTable *table = state;
  SlPage *page = &report->page;
  gint64 n = sl_intern_size (table->annotators);
  if (table->k <= DRAWN_MOST)
    {
      g_autoptr (GString) title = g_string_new (NULL);
      g_autofree char *first = sl_intern_dup (table->annotators, table->most[0].annotator);
      sl_html_many (title, n, "annotator", "annotators together");
      for (gsize i = 0; i < cells_of (table); i++)
        table->whole.weight += table->whole.cell[i];
      sl_page_grid_begin (page);
      draw_matrix (page, table, &table->whole, n > 1 ? title->str : first);
      for (int m = 0; m < table->n_most && !table->mixed && n > 1; m++)
        {
          g_autofree char *who = sl_intern_dup (table->annotators, table->most[m].annotator);
          g_autofree char *name = g_strconcat ("annotator ", who, NULL);
          draw_matrix (page, table, &table->most[m], name);
        }
      sl_page_grid_end (page);
    }
  if (table->k > SL_MATRIX_NUMBERS)
    list_confusions (page, table);
  gboolean counted = sl_table_has (table->input->table, SL_CONFUSION_ANSWERS);
  if (table->mixed)
    sl_page_note (page, "An annotator's rows are not together in the table, so nobody is shown "
                        "alone.");
  else if (n > ALONE && table->k <= DRAWN_MOST)
    sl_page_note (page, counted ? "Alone are those with the most answers."
                                : "Alone are the first ones of the table.");
}

const SlSection sl_section_confusion = {
  .id = "confusion",
  .title = "Confusion",
  .kinds = { &sl_confusion },
  .size = sizeof (OneTable),
  .empty = "The table has no rows.",
  .begin = begin,
  .take = take,
  .end = end,
  .draw = draw,
};
