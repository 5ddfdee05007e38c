/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Noise: how much of each true class is labelled as which, by the confident joint. */

#include "sections.h"
#include "stages/report/drawings.h"

#include <math.h>

#define DRAWN_MOST 20 /* classes of a picture */
#define ROWS 200      /* of the table of classes */

static const SlMatrixTexts texts = { .of_row = "labelled",
                                     .in_corner = "labelled, % of the true class",
                                     .right = "Share of right labels by true class" };

typedef struct
{
  const SlReportInput *input;
  gsize k;
  double *joint; /* [true][given] */
} OneTable;

static gboolean
begin (gpointer state, SlReport *report, const SlReportInput *input, GError **error)
{
  OneTable *table = state;
  gsize k = (gsize) input->table->n_classes;
  *table = (OneTable){ .input = input, .k = k };
  table->joint = sl_report_reals (report, k * k, "the classes' noise", error);
  return table->joint != NULL;
}

static gboolean
take (gpointer state, SlReport *report, const SlBatch *batch, GError **error)
{
  OneTable *table = state;
  const gint32 *given = batch->column[SL_NOISE_GIVEN].code,
               *truth = batch->column[SL_NOISE_TRUE].code;
  const double *joint = batch->column[SL_NOISE_JOINT].real;
  for (gint64 i = 0; i < batch->n_rows; i++)
    if (given[i] >= 0 && truth[i] >= 0 && joint[i] >= 0 && isfinite (joint[i]))
      table->joint[(gsize) truth[i] * table->k + (gsize) given[i]] += joint[i];
  return TRUE;
}

/* The N numbers from FROM on, STEP apart. */
static double
sum_of (const double *from, gsize n, gsize step)
{
  double sum = 0;
  for (gsize i = 0; i < n; i++)
    sum += from[i * step];
  return sum;
}

static void
draw_facts (SlPage *page, const OneTable *table)
{
  double all = sum_of (table->joint, table->k * table->k, 1);
  double right = sum_of (table->joint, table->k, table->k + 1);
  sl_page_facts_begin (page);
  sl_page_fact (page, "classes", "%n", (gint64) table->k);
  sl_page_fact (page, "labels that are wrong, estimated", "%p", 1 - right / all);
  sl_page_facts_end (page);
}

static void
draw_classes (SlPage *page, const OneTable *table)
{
  static const char *const heads[] = { "class",
                                       "#share of labels",
                                       "#share of items",
                                       "#labels that are wrong",
                                       "#items labelled wrongly",
                                       NULL };
  gsize k = table->k, shown = MIN (k, ROWS);
  double all = sum_of (table->joint, k * k, 1);
  g_autoptr (GString) caption = g_string_new (
      "<strong>Noise by class</strong>, as the confident joint estimates it: what share of all "
      "labels and of all items the class has, what share of its labels is wrong, and what share of "
      "the items that are of the class has another label.");
  sl_html_first (caption, " The first ", (gint64) shown, (gint64) k);
  g_string_append (caption, shown < k ? " classes." : "");
  sl_page_table_begin (page, caption->str, heads);
  for (gsize c = 0; c < shown; c++)
    {
      double given = sum_of (table->joint + c, k, k), truth = sum_of (table->joint + c * k, k, 1),
             right = table->joint[c * k + c];
      sl_page_row (page, "nffff", table->input->table->classes[c], given / all, truth / all,
                   given > 0 ? 1 - right / given : (double) NAN,
                   truth > 0 ? 1 - right / truth : (double) NAN);
    }
  sl_page_table_end (page);
}

static void
draw (gpointer state, SlReport *report)
{
  const OneTable *table = state;
  SlPage *page = &report->page;
  char *const *classes = table->input->table->classes;
  if (!(sum_of (table->joint, table->k * table->k, 1) > 0))
    {
      sl_page_note (page, "The table tells of no items.");
      return;
    }
  g_autofree double *share = sl_matrix_shares (table->joint, table->k);
  draw_facts (page, table);
  if (table->k <= DRAWN_MOST)
    {
      sl_page_grid_begin (page);
      sl_page_figure_begin (page);
      sl_draw_matrix (page->html, sl_page_id (page), "What items of a class are labelled", share,
                      (gint32) table->k, classes, &texts);
      sl_page_caption (page,
                       "<strong>What items of a class are labelled.</strong> Estimated; a row "
                       "is of a true class.");
      sl_page_figure_end (page);
      sl_page_grid_end (page);
    }
  draw_classes (page, table);
  sl_draw_confusions (page, "<strong>Commonest wrong labels</strong>, estimated.", share,
                      (gint32) table->k, classes, &texts);
}

const SlSection sl_section_noise = {
  .id = "noise",
  .title = "Noise of labels by class",
  .kinds = { &sl_noise },
  .size = sizeof (OneTable),
  .begin = begin,
  .take = take,
  .draw = draw,
};
