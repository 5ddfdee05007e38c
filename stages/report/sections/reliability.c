/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reliability: how often what a model says with some confidence is right. What is right is the
 * predictions' own gold, or what labels tell of the item. */
#include "stages/common/figures/reliability.h"

#include "pipeline/base/largest.h"

#include "draw-distribution.h"
#include "draw-reliability.h"
#include "known-classes.h"
#include "schemas/labels.h"
#include "schemas/predictions.h"
#include "sections.h"

#include <math.h>
#include <string.h>

#define BINS 15
#define CONDITIONS 8 /* of one table: attacks, corruptions */

typedef struct
{
  char *name; /* "" where examples are as they are */
  SlReliability bins;
} Condition;

typedef struct
{
  const SlReportInput *input;
  Condition conditions[CONDITIONS];
  int n;
  gint64 rows, unknown, left_out;
  SlHistogram sure; /* confidences of those whose right class is unknown */
  gint32 *map;      /* the known classes' numbers among the table's own, where gold is not */
} OneTable;

typedef struct
{
  SlKnownClasses known;
  GArray *tables;
} Reliability;

static gboolean
needs_labels (const SlReport *report)
{
  for (int i = 0; i < report->n_inputs; i++)
    {
      const SlTable *table = report->input[i].table;
      if (table->kind == &sl_predictions && !sl_table_has (table, SL_PREDICTIONS_GOLD))
        return TRUE;
    }
  return FALSE;
}

static gboolean
begin (gpointer state, SlReport *report, const SlReportInput *input, GError **error)
{
  Reliability *reliability = state;
  if (reliability->tables == NULL)
    reliability->tables = g_array_new (FALSE, TRUE, sizeof (OneTable));
  if (input->table->kind != &sl_predictions)
    return TRUE;
  OneTable table = { .input = input };
  if (reliability->known.classes != NULL)
    {
      g_autoptr (SlTable) labels
          = sl_table_new (&sl_labels, (const char *const *) reliability->known.classes);
      table.map = sl_table_class_map (labels, input->table->classes, input->table->n_classes);
    }
  sl_histogram_init (&table.sure, 0, 1, 20);
  g_array_append_val (reliability->tables, table);
  return TRUE;
}

/* What was done to the example of row I: "fgsm, epsilon 0.01", "fog 3". */
static char *
condition_of (const SlBatch *batch, gint64 i)
{
  GString *name = g_string_new (NULL);
  static const int texts[] = { SL_PREDICTIONS_ATTACK, SL_PREDICTIONS_CORRUPTION };
  for (gsize t = 0; t < G_N_ELEMENTS (texts); t++)
    {
      gsize length;
      SlText column = batch->column[texts[t]].text;
      const char *text = column.offset != NULL ? sl_text_get (column, i, &length) : NULL;
      if (text != NULL && length > 0)
        {
          g_string_append (name, name->len > 0 ? ", " : "");
          g_string_append_len (name, text, (gssize) length);
        }
    }
  const double *epsilon = batch->column[SL_PREDICTIONS_EPSILON].real;
  const gint32 *step = batch->column[SL_PREDICTIONS_STEP].int32,
               *severity = batch->column[SL_PREDICTIONS_SEVERITY].int32;
  if (epsilon != NULL && name->len > 0)
    {
      g_string_append (name, ", ε ");
      sl_html_figure (name, epsilon[i]);
    }
  if (step != NULL && name->len > 0)
    g_string_append_printf (name, ", step %d", step[i]);
  if (severity != NULL && name->len > 0)
    g_string_append_printf (name, " %d", severity[i]);
  return g_string_free (name, FALSE);
}

static Condition *
find_condition (OneTable *table, char *name)
{
  for (int c = 0; c < table->n; c++)
    if (strcmp (table->conditions[c].name, name) == 0)
      return &table->conditions[c];
  if (table->n == CONDITIONS)
    return NULL;
  Condition *added = &table->conditions[table->n++];
  *added = (Condition){ .name = g_strdup (name), .bins = { .n = BINS } };
  return added;
}

static void
add_row (Reliability *reliability, OneTable *table, const SlBatch *batch, gint64 i)
{
  gint32 k = batch->table->n_classes, right = -1;
  const double *p = batch->column[SL_PREDICTIONS_PROB].real + i * k;
  const gint32 *gold = batch->column[SL_PREDICTIONS_GOLD].code;
  if (gold != NULL)
    right = gold[i];
  else if (table->map != NULL)
    {
      gsize length;
      const char *item = sl_text_get (batch->column[SL_PREDICTIONS_ITEM].text, i, &length);
      gint32 code = sl_known_classes_find (&reliability->known, item, length);
      right = code >= 0 ? table->map[code] : -1;
    }
  gint32 top = sl_largest (p, k);
  table->rows++;
  table->unknown += right < 0;
  if (right < 0)
    sl_histogram_add (&table->sure, p[top]);
  if (right < 0)
    return;
  g_autofree char *name = condition_of (batch, i);
  Condition *condition = find_condition (table, name);
  table->left_out += condition == NULL;
  if (condition != NULL)
    sl_reliability_add (&condition->bins, p[top], top == right);
}

static gboolean
take (gpointer state, SlReport *report, const SlBatch *batch, GError **error)
{
  Reliability *reliability = state;
  if (batch->table->kind == &sl_labels)
    return !needs_labels (report)
           || sl_known_classes_take (&reliability->known, report, batch, error);
  OneTable *table = &g_array_index (reliability->tables, OneTable, reliability->tables->len - 1);
  for (gint64 i = 0; i < batch->n_rows; i++)
    add_row (reliability, table, batch, i);
  return TRUE;
}

static void
draw_condition (SlPage *page, const OneTable *table, const Condition *condition)
{
  g_autofree char *title = g_strdup_printf ("%s%s%s", table->input->label,
                                            *condition->name != '\0' ? ": " : "", condition->name);
  sl_draw_reliability (page, title, &condition->bins);
}

/* How sure predictions are of which nothing tells whether they are right. */
static void
draw_sure (SlPage *page, const OneTable *table)
{
  g_autofree char *title
      = g_strdup_printf ("Confidence, right class unknown: %s", table->input->label);
  sl_histogram_draw (&table->sure, page, title, "confidence", "predictions");
}

static void
tell_left_out (SlPage *page, const OneTable *table)
{
  g_autoptr (GString) text = g_string_new ("<bdi>");
  sl_html_text (text, table->input->label, -1);
  g_string_append (text, "</bdi>: ");
  sl_html_count (text, table->unknown);
  g_string_append (text, " of ");
  sl_html_many (text, table->rows, "prediction is", "predictions are");
  g_string_append (text, " left out of the picture, as nothing tells their right class: the "
                         "predictions have no "
                         "gold, and no labels of these items are given.");
  if (table->unknown > 0)
    sl_page_note (page, text->str);
  g_string_assign (text, "");
  sl_html_many (text, table->left_out, "prediction of a further condition is",
                "predictions of further conditions are");
  g_string_append (text, " left out.");
  if (table->left_out > 0)
    sl_page_note (page, text->str);
}

static void
draw (gpointer state, SlReport *report)
{
  const Reliability *reliability = state;
  const SlKnownClasses *known = &reliability->known;
  SlPage *page = &report->page;
  gboolean drawn = FALSE;
  sl_page_grid_begin (page);
  for (guint t = 0; t < reliability->tables->len; t++)
    {
      const OneTable *table = &g_array_index (reliability->tables, OneTable, t);
      for (int c = 0; c < table->n; c++)
        draw_condition (page, table, &table->conditions[c]);
      drawn |= table->n > 0;
      if (table->unknown > 0)
        draw_sure (page, table);
    }
  sl_page_grid_end (page);
  if (drawn)
    sl_page_note (page,
                  "Predictions are put together by the confidence in their likeliest class, "
                  "in 15 equal parts. A dot below the dashed line is sure too often, one "
                  "above it not often enough; a larger dot stands for more predictions. Lines "
                  "are 95 % intervals (Wilson). Several runs of a table are taken together.");
  if (drawn && (known->by_gold || known->by_label))
    sl_page_note (page, known->by_label
                            ? "Where predictions have no gold, right is the labels' gold, or else "
                              "their likeliest class."
                            : "Where predictions have no gold, right is the labels' gold.");
  if (!drawn)
    sl_page_note (page, "There are no predictions whose right class is known.");
  for (guint t = 0; t < reliability->tables->len; t++)
    tell_left_out (page, &g_array_index (reliability->tables, OneTable, t));
}

static gboolean
fills (gconstpointer state)
{
  return ((const Reliability *) state)->tables->len > 0;
}

static void
clear (gpointer state)
{
  Reliability *reliability = state;
  for (guint t = 0; reliability->tables != NULL && t < reliability->tables->len; t++)
    {
      OneTable *table = &g_array_index (reliability->tables, OneTable, t);
      for (int c = 0; c < table->n; c++)
        g_free (table->conditions[c].name);
      g_free (table->map);
      sl_histogram_clear (&table->sure);
    }
  g_clear_pointer (&reliability->tables, g_array_unref);
  sl_known_classes_clear (&reliability->known);
}

const SlSection sl_section_reliability = {
  .id = "reliability",
  .title = "Reliability of predictions",
  .kinds = { &sl_labels, &sl_predictions },
  .size = sizeof (Reliability),
  .together = TRUE,
  .begin = begin,
  .take = take,
  .fills = fills,
  .draw = draw,
  .clear = clear,
};
