/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Annotations: how many answers, of whom, about what, and which classes come first in them. */
#include "schemas/annotations.h"

#include "pipeline/base/intern/intern.h"
#include "sections.h"
#include "stages/report/drawings.h"

#include <math.h>

#define PARTS 24
#define CLASSES_SHOWN 14
#define LONG 120.0 /* seconds; longer answers are counted with these */

typedef struct
{
  const SlReportInput *input;
  SlIntern *items, *annotators;
  GArray *of_item, *of_annotator; /* gint64: answers */
  double *first;                  /* [classes]: how often it is the first choice */
  gint64 answers, excluded, checks;
  SlHistogram seconds;
  gsize claimed;
} OneTable;

static gboolean
begin (gpointer state, SlReport *report, const SlReportInput *input, GError **error)
{
  OneTable *table = state;
  *table = (OneTable){ .input = input,
                       .items = sl_intern_new (),
                       .annotators = sl_intern_new (),
                       .of_item = g_array_new (FALSE, TRUE, sizeof (gint64)),
                       .of_annotator = g_array_new (FALSE, TRUE, sizeof (gint64)) };
  sl_histogram_init (&table->seconds, 0, LONG, PARTS);
  table->first = sl_run_alloc0 (report->run, (gsize) input->table->n_classes + 1, sizeof (double),
                                "the classes", error);
  return table->first != NULL;
}

/* Adds N to what COUNTS has of text I of TEXTS. */
static void
count (SlIntern *names, GArray *counts, SlText texts, gint64 i, gint64 n)
{
  gsize length;
  const char *text = sl_text_get (texts, i, &length);
  gint32 id = sl_intern (names, text, length);
  if ((guint) id >= counts->len)
    g_array_set_size (counts, (guint) id + 1);
  g_array_index (counts, gint64, id) += n;
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
      if (view.seconds != NULL)
        sl_histogram_add (&table->seconds, view.seconds[i]);
    }
  gsize bytes = sl_intern_bytes (table->items) + sl_intern_bytes (table->annotators)
                + sizeof (gint64) * (gsize) (table->of_item->len + table->of_annotator->len);
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
  sl_draw_bars (page, "Answers whose first choice is the class", header->classes, table->first,
                header->n_classes, CLASSES_SHOWN);
  if (table->seconds.all > 0)
    sl_histogram_draw (&table->seconds, page, "Seconds an answer took",
                       "seconds; the last bar has all longer ones", "answers");
  sl_page_grid_end (page);
}

static void
clear (gpointer state)
{
  OneTable *table = state;
  sl_intern_free (table->items);
  sl_intern_free (table->annotators);
  g_array_unref (table->of_item);
  g_array_unref (table->of_annotator);
  g_free (table->first);
  sl_histogram_clear (&table->seconds);
}

const SlSection sl_section_annotations = {
  .id = "annotations",
  .title = "Answers",
  .kinds = { &sl_annotations },
  .size = sizeof (OneTable),
  .begin = begin,
  .take = take,
  .draw = draw,
  .clear = clear,
};
