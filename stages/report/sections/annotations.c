/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Annotations: how many answers, of whom, about what, and which classes come first in them. */
#include "schemas/annotations.h"

#include "pipeline/base/intern/intern.h"
#include "sections.h"
#include "stages/report/drawings.h"

#include <math.h>

#define PARTS 24
#define CLASSES_SHOWN 14
#define LONG 120.0     /* seconds; longer answers are counted with these */
#define SUM_MOST 150.0 /* percents; larger sums likewise */

typedef struct
{
  const SlReportInput *input;
  SlIntern *items, *annotators;
  GArray *of_item, *of_annotator; /* gint64: answers */
  double *first;                  /* [classes]: how often it is the first choice */
  gint64 answers, excluded, checks;
  SlHistogram seconds;
  /* Of answers with percents: the first one; their sum; classes left possible beside the first. */
  SlHistogram percent, sum, open;
  GArray *certain; /* gint64, of each annotator: answers of 100 percent */
  gsize claimed;
} OneTable;

static gboolean
begin (gpointer state, SlReport *report, const SlReportInput *input, GError **error)
{
  OneTable *table = state;
  *table = (OneTable){ .input = input,
                       .items = SL_OWN (report, sl_intern_new (), sl_intern_free),
                       .annotators = SL_OWN (report, sl_intern_new (), sl_intern_free),
                       .of_item = g_array_new (FALSE, TRUE, sizeof (gint64)),
                       .of_annotator = g_array_new (FALSE, TRUE, sizeof (gint64)),
                       .certain = g_array_new (FALSE, TRUE, sizeof (gint64)) };
  GArray *const counts[] = { table->of_item, table->of_annotator, table->certain };
  SlHistogram *const histograms[] = { &table->seconds, &table->percent, &table->sum, &table->open };
  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++)
    SL_OWN (report, counts[i], g_array_unref);
  for (gsize i = 0; i < G_N_ELEMENTS (histograms); i++)
    SL_OWN (report, histograms[i], sl_histogram_clear);
  sl_histogram_init (&table->seconds, 0, LONG, PARTS);
  /* Bars stand around the multiples of 5 that people type. */
  sl_histogram_init (&table->percent, -2.5, 102.5, 21);
  sl_histogram_init (&table->sum, -2.5, SUM_MOST + 2.5, 31);
  sl_histogram_init_counts (&table->open, MAX (input->table->n_classes - 1, 1));
  table->first = sl_report_reals (report, (gsize) input->table->n_classes, "the classes", error);
  return table->first != NULL;
}

/* Adds N to what COUNTS has of text I of TEXTS. */
static void
count (SlIntern *names, GArray *counts, SlText texts, gint64 i, gint64 n)
{
  gint32 id = sl_intern_text (names, texts, i);
  if ((guint) id >= counts->len)
    g_array_set_size (counts, (guint) id + 1);
  g_array_index (counts, gint64, id) += n;
}

/* What answer I says in percents. */
static void
take_percents (OneTable *table, const SlAnnotations *view, gint64 i)
{
  gint32 start = view->start[i], end = view->start[i + 1];
  if (start == end || isnan (view->percent[start]))
    return;
  gint32 open = table->input->table->n_classes - 1;
  double sum = 0;
  for (gint32 j = start; j < end; j++)
    sum += isnan (view->percent[j]) ? 0 : view->percent[j];
  for (gint32 j = view->impossible_start[i]; j < view->impossible_start[i + 1]; j++)
    open -= view->impossible[j] != view->choice[start];
  sl_histogram_add (&table->percent, view->percent[start]);
  sl_histogram_add (&table->sum, fmin (sum, SUM_MOST));
  sl_histogram_add (&table->open, MAX (open, 0));
  if (view->annotator.offset != NULL)
    count (table->annotators, table->certain, view->annotator, i, view->percent[start] >= 100);
}

static gboolean
take (gpointer state, SlReport *report, const SlBatch *batch, GError **error)
{
  OneTable *table = state;
  /* The view takes no memory of its own, but may change what the batch hands out. */
  SlAnnotations view = sl_annotations_view ((SlBatch *) batch);
  for (gint64 i = 0; i < view.n; i++)
    {
      gint64 n = view.count != NULL ? view.count[i] : 1;
      if (view.check != NULL && view.check[i])
        {
          table->checks += n;
          continue;
        }
      table->answers += n;
      table->excluded += view.excluded != NULL && view.excluded[i] ? n : 0;
      count (table->items, table->of_item, view.item, i, n);
      if (view.annotator.offset != NULL)
        count (table->annotators, table->of_annotator, view.annotator, i, n);
      if (view.start[i] < view.start[i + 1] && view.choice[view.start[i]] >= 0)
        table->first[view.choice[view.start[i]]] += (double) n;
      take_percents (table, &view, i);
      if (view.seconds != NULL)
        sl_histogram_add (&table->seconds, view.seconds[i]);
    }
  gsize bytes
      = sl_intern_bytes (table->items) + sl_intern_bytes (table->annotators)
        + sizeof (gint64)
              * (gsize) (table->of_item->len + table->of_annotator->len + table->certain->len);
  return sl_run_claim_up_to (report->run, &table->claimed, bytes, "the items and annotators",
                             error);
}

/* A histogram of COUNTS. */
static void
draw_counts (SlPage *page, const GArray *counts, const char *title, const char *x_label,
             const char *y_label)
{
  gint64 most = 1;
  for (guint i = 0; i < counts->len; i++)
    most = MAX (most, g_array_index (counts, gint64, i));
  SlHistogram histogram;
  sl_histogram_init_counts (&histogram, most);
  for (guint i = 0; i < counts->len; i++)
    sl_histogram_add (&histogram, (double) g_array_index (counts, gint64, i));
  sl_histogram_draw (&histogram, page, title, x_label, y_label);
  sl_histogram_clear (&histogram);
}

static void
draw_facts (SlPage *page, const OneTable *table)
{
  sl_page_facts_begin (page);
  gint64 items = sl_intern_size (table->items);
  sl_page_fact (page, "answers", "%n", table->answers);
  sl_page_fact (page, "items", "%n", items);
  if (table->of_annotator->len > 0)
    sl_page_fact (page, "annotators", "%n", (gint64) sl_intern_size (table->annotators));
  sl_page_fact (page, "answers an item", "%f", (double) table->answers / (double) items);
  if (table->checks > 0)
    sl_page_fact (page, "attention checks beside them", "%n", table->checks);
  if (table->excluded > 0)
    sl_page_fact (page, "of excluded annotators", "%n", table->excluded);
  sl_page_facts_end (page);
}

/* How answers are given: what tells people from simulated ones. */
static void
draw_percents (SlPage *page, const OneTable *table)
{
  sl_histogram_draw (&table->percent, page, "First percents", "percent", "answers");
  sl_histogram_draw (&table->sum, page, "What an answer's percents sum to",
                     "percent; the last bar has all larger sums", "answers");
  sl_histogram_draw (&table->open, page, "Other classes left possible", "classes", "answers");
  if (table->certain->len == 0)
    return;
  SlHistogram share;
  sl_histogram_init (&share, 0, 1, 20);
  for (guint a = 0; a < table->certain->len; a++)
    sl_histogram_add (&share, (double) g_array_index (table->certain, gint64, a)
                                  / (double) g_array_index (table->of_annotator, gint64, a));
  sl_histogram_draw (&share, page, "How often an annotator says 100 percent", "share of answers",
                     "annotators");
  sl_histogram_clear (&share);
}

static void
draw (gpointer state, SlReport *report)
{
  const OneTable *table = state;
  SlPage *page = &report->page;
  const SlTable *header = table->input->table;
  if (table->answers == 0)
    {
      sl_page_note (page, "The table has no answers.");
      return;
    }
  draw_facts (page, table);
  sl_page_grid_begin (page);
  draw_counts (page, table->of_item, "Answers an item has", "answers", "items");
  if (table->of_annotator->len > 0)
    draw_counts (page, table->of_annotator, "Answers an annotator gave", "answers", "annotators");
  sl_draw_bars (page, "Answers whose first choice is the class", header, table->first,
                CLASSES_SHOWN);
  if (table->percent.all > 0)
    draw_percents (page, table);
  if (table->seconds.all > 0)
    sl_histogram_draw (&table->seconds, page, "Seconds an answer took",
                       "seconds; the last bar has all longer ones", "answers");
  sl_page_grid_end (page);
}

const SlSection sl_section_annotations = {
  .id = "annotations",
  .title = "Answers",
  .kinds = { &sl_annotations },
  .size = sizeof (OneTable),
  .begin = begin,
  .take = take,
  .draw = draw,
};
