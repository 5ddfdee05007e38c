/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same items in several tables of labels or predictions: under an item's image a bar for each
 * table in each class. Items are those that a comparison found furthest apart and nearest, or else
 * some drawn by their names. */
#include "schemas/labels.h"
#include "schemas/predictions.h"

#include "pipeline/base/intern/intern.h"
#include "sections.h"
#include "stages/common/classes/class-map.h"
#include "stages/report/drawings.h"
#include "stages/report/extremes.h"

#define TABLES 6

typedef struct
{
  const SlReportInput *input;
  gint32 *map;       /* its classes among those of the first table; -1: not there */
  GHashTable *asked; /* of items that are wanted: their distribution, double[classes] */
  SlExtremes drawn;  /* where none are */
} OneTable;

typedef struct
{
  OneTable of[TABLES];
  int n, left_out;
  GHashTable *text; /* of items that are shown, by name */
} Tables;

static gboolean
begin (gpointer state, SlReport *report, const SlReportInput *input, GError **error)
{
  Tables *tables = state;
  gsize kept = 2 * (gsize) report->most * ((gsize) input->table->n_classes * sizeof (double) + 100);
  if (!sl_run_claim (report->run, kept, "the items that are shown", error))
    return FALSE;
  if (tables->text == NULL)
    tables->text = SL_OWN (report, g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free),
                           g_hash_table_unref);
  if (tables->n == TABLES)
    {
      tables->left_out++;
      return TRUE;
    }
  OneTable *table = &tables->of[tables->n++];
  const SlTable *first = tables->of[0].input != NULL ? tables->of[0].input->table : input->table;
  *table = (OneTable){ .input = input,
                       .map = sl_class_map_alike (input->table, first->classes, first->n_classes),
                       .asked = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free) };
  sl_report_own (report, table->map, g_free);
  SL_OWN (report, table->asked, g_hash_table_unref);
  SL_OWN (report, &table->drawn, sl_extremes_clear);
  sl_extremes_init (&table->drawn, report->most);
  return TRUE;
}

/* The distribution in the order of the first table's classes, to be freed. */
static double *
in_order (const Tables *tables, const OneTable *table, const double *p)
{
  double *q = g_new0 (double, tables->of[0].input->table->n_classes + 1);
  for (gint32 k = 0; k < table->input->table->n_classes; k++)
    if (table->map[k] >= 0)
      q[table->map[k]] += p[k];
  return q;
}

/* One of the items that are drawn by their names, unless it is there already: of several rows the
 * first counts. */
static SlExtreme *
draw_item (SlExtremes *drawn, const char *item, gsize length)
{
  guint64 hash = sl_text_hash (item, length);
  for (int i = 0; i < drawn->n; i++)
    if (drawn->of[i].tie == hash)
      return NULL;
  return sl_extremes_add (drawn, (double) (hash >> 11), hash, item, length);
}

/* TEXT, which may be NULL, is that of ITEM. */
static void
note_text (Tables *tables, const char *item, char *text)
{
  if (text != NULL)
    g_hash_table_replace (tables->text, g_strdup (item), text);
}

static gboolean
take (gpointer state, SlReport *report, const SlBatch *batch, GError **error)
{
  Tables *tables = state;
  if (tables->left_out > 0)
    return TRUE;
  OneTable *table = &tables->of[tables->n - 1];
  gboolean labels = batch->table->kind == &sl_labels;
  SlText items = batch->column[labels ? SL_LABELS_ITEM : SL_PREDICTIONS_ITEM].text;
  const double *p = batch->column[labels ? SL_LABELS_LABEL : SL_PREDICTIONS_PROB].real;
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      gsize length;
      const char *item = sl_text_get (items, i, &length);
      const double *own = p + i * batch->table->n_classes;
      if (report->wanted->len == 0)
        {
          SlExtreme *place = draw_item (&table->drawn, item, length);
          if (place == NULL)
            continue;
          place->values = in_order (tables, table, own);
          place->text = sl_report_text (report, batch, i, item, length);
          continue;
        }
      g_autofree char *name = g_strndup (item, length);
      if (g_hash_table_contains (report->is_wanted, name)
          && !g_hash_table_contains (table->asked, name))
        {
          note_text (tables, name, sl_report_text (report, batch, i, item, length));
          g_hash_table_insert (table->asked, g_steal_pointer (&name),
                               in_order (tables, table, own));
        }
    }
  return TRUE;
}

/* Once all items are known, those that were drawn are as if they had been asked for. */
static gboolean
end (gpointer state, SlReport *report, GError **error)
{
  Tables *tables = state;
  OneTable *table = &tables->of[tables->n - 1];
  for (int i = 0; tables->left_out == 0 && i < table->drawn.n; i++)
    {
      SlExtreme *one = &table->drawn.of[i];
      if (!g_hash_table_contains (table->asked, one->name))
        g_hash_table_insert (table->asked, g_strdup (one->name), g_steal_pointer (&one->values));
      note_text (tables, one->name, g_steal_pointer (&one->text));
      sl_pictures_want (report->pictures, one->name);
    }
  return TRUE;
}

static gboolean
in_several (const Tables *tables, const char *item)
{
  int n = 0;
  for (int t = 0; t < tables->n; t++)
    n += g_hash_table_contains (tables->of[t].asked, item);
  return n > 1;
}

static gboolean
fills (gconstpointer state)
{
  const Tables *tables = state;
  GHashTableIter iter;
  gpointer item;
  g_hash_table_iter_init (&iter, tables->of[0].asked);
  while (g_hash_table_iter_next (&iter, &item, NULL))
    if (in_several (tables, item))
      return TRUE;
  return FALSE;
}

static void
draw_card (const Tables *tables, SlReport *report, const char *item)
{
  SlPage *page = &report->page;
  const double *p[TABLES];
  for (int t = 0; t < tables->n; t++)
    p[t] = g_hash_table_lookup (tables->of[t].asked, item);
  sl_html_say (page->html, "<li><p>%c</p>", item, 60);
  const char *text = g_hash_table_lookup (tables->text, item);
  if (text != NULL)
    sl_html_say (page->html, "<p><small>%t</small></p>", text);
  sl_pictures_append (report->pictures, page->html, item);
  sl_draw_distributions (page, tables->of[0].input->table, item, p, tables->n);
  g_string_append (page->html, "</li>\n");
}

static void
draw_cards (const Tables *tables, SlReport *report, const char *title, const GPtrArray *items)
{
  int n = 0;
  for (guint i = 0; i < items->len; i++)
    {
      if (!in_several (tables, items->pdata[i]))
        continue;
      if (n++ == 0)
        {
          sl_page_heading (&report->page, 3, title);
          g_string_append (report->page.html, "<ul class=\"cards\">\n");
        }
      draw_card (tables, report, items->pdata[i]);
    }
  if (n > 0)
    g_string_append (report->page.html, "</ul>\n");
}

static void
draw (gpointer state, SlReport *report)
{
  const Tables *tables = state;
  SlPage *page = &report->page;
  g_string_append (page->html, "<p>");
  for (int t = 0; t < tables->n; t++)
    {
      g_string_append (page->html, t > 0 ? " · " : "");
      sl_page_key (page, t + 1, tables->of[t].input->label);
    }
  g_string_append (page->html, "</p>\n");
  if (report->wanted->len > 0)
    {
      g_autofree char *far = g_strdup_printf ("Furthest apart by %s", report->distance),
                      *near = g_strdup_printf ("Nearest by %s", report->distance);
      draw_cards (tables, report, far, report->wanted);
      draw_cards (tables, report, near, report->nearest);
    }
  else
    {
      g_autoptr (GPtrArray) items = g_ptr_array_new ();
      for (int i = 0; i < tables->of[0].drawn.n; i++)
        g_ptr_array_add (items, tables->of[0].drawn.of[i].name);
      draw_cards (tables, report, "Some items, drawn by their names", items);
    }
  if (tables->left_out > 0)
    sl_page_note (page, "%m not shown.", (gint64) tables->left_out, "more table is",
                  "more tables are");
}

const SlSection sl_section_side_by_side = {
  .id = "side-by-side",
  .title = "The same items in several tables",
  .kinds = { &sl_labels, &sl_predictions },
  .together = TRUE,
  .size = sizeof (Tables),
  .begin = begin,
  .take = take,
  .end = end,
  .fills = fills,
  .draw = draw,
};
