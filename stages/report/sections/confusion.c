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
  char *annotator;
  double *cell; /* [classes][classes]: weight of the answer (second) where the first is true */
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
  table->whole.cell = sl_run_alloc0 (report->run, n, sizeof (double), "a confusion matrix", error);
  if (table->whole.cell == NULL)
    return FALSE;
  table->now.cell = sl_run_alloc0 (report->run, n, sizeof (double), "a confusion matrix", error);
  return table->now.cell != NULL;
}

static void
clear_matrix (Matrix *matrix)
{
  g_free (matrix->annotator);
  g_free (matrix->cell);
  *matrix = (Matrix){ 0 };
}

/* The annotator's rows are over: adds them up, and keeps them where there are few with more
 * answers. */
static void
finish_annotator (OneTable *table)
{
  Matrix *now = &table->now;
  if (now->annotator == NULL)
    return;
  gsize n = cells_of (table);
  for (gsize i = 0; i < n; i++)
    table->whole.cell[i] += now->cell[i];
  int at = table->n_most;
  while (at > 0 && now->weight > table->most[at - 1].weight)
    at--;
  if (at < ALONE)
    {
      if (table->n_most == ALONE)
        clear_matrix (&table->most[--table->n_most]);
      memmove (&table->most[at + 1], &table->most[at],
               sizeof (Matrix) * (gsize) (table->n_most - at));
      table->n_most++;
      table->most[at] = (Matrix){ g_steal_pointer (&now->annotator),
                                  g_memdup2 (now->cell, n * sizeof (double)), now->weight };
    }
  g_clear_pointer (&now->annotator, g_free);
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
      gsize length;
      const char *name = sl_text_get (batch->column[SL_CONFUSION_ANNOTATOR].text, i, &length);
      Matrix *now = &table->now;
      if (now->annotator == NULL || strlen (now->annotator) != length
          || memcmp (now->annotator, name, length) != 0)
        {
          finish_annotator (table);
          gint32 known = sl_intern_size (table->annotators);
          table->mixed |= sl_intern (table->annotators, name, length) < known;
          now->annotator = g_strndup (name, length);
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
  finish_annotator (state);
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
  if (n == 0)
    {
      sl_page_note (page, "The table has no rows.");
      return;
    }
  if (table->k <= DRAWN_MOST)
    {
      g_autoptr (GString) title = g_string_new (NULL);
      sl_html_many (title, n, "annotator", "annotators together");
      for (gsize i = 0; i < cells_of (table); i++)
        table->whole.weight += table->whole.cell[i];
      sl_page_grid_begin (page);
      draw_matrix (page, table, &table->whole, n > 1 ? title->str : table->most[0].annotator);
      for (int m = 0; m < table->n_most && !table->mixed && n > 1; m++)
        {
          g_autofree char *name = g_strconcat ("annotator ", table->most[m].annotator, NULL);
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

static void
clear (gpointer state)
{
  OneTable *table = state;
  clear_matrix (&table->whole);
  clear_matrix (&table->now);
  for (int m = 0; m < table->n_most; m++)
    clear_matrix (&table->most[m]);
  sl_intern_free (table->annotators);
}

const SlSection sl_section_confusion = {
  .id = "confusion",
  .title = "Confusion",
  .kinds = { &sl_confusion },
  .size = sizeof (OneTable),
  .begin = begin,
  .take = take,
  .end = end,
  .draw = draw,
  .clear = clear,
};
