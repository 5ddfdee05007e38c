/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report: tables of any kinds in, one HTML page out that shows what they say. Each section
 * (sections/) takes the tables of its kinds; labels come before predictions, which are compared
 * with them, and features last, when it is known whose images are shown. */
#include "report.h"

#include "schemas/features.h"
#include "schemas/predictions.h"

#include <string.h>

typedef struct
{
  char *title;
  gint64 items;
} Options;

static const Options defaults = { .items = 12 };

static const SlOption option_table[] = {
  { .name = "title",
    .kind = SL_OPTION_TEXT,
    .field = offsetof (Options, title),
    .placeholder = "TEXT",
    .help = "the page's heading; without it, the names of the tables" },
  { .name = "items",
    .letter = 'n',
    .kind = SL_OPTION_INTEGER,
    .field = offsetof (Options, items),
    .min = 1,
    .max = 200,
    .placeholder = "N",
    .help = "show so many items of a kind: the least certain, the most certain, the hardest" },
  { 0 },
};

gboolean
sl_report_is_one_of_several (const SlReport *report, const SlReportInput *input)
{
  int n = 0;
  for (int i = 0; i < report->n_inputs; i++)
    n += report->input[i].table->kind == input->table->kind;
  return n > 1;
}

void
sl_report_heading (SlReport *report, const SlReportInput *input)
{
  if (sl_report_is_one_of_several (report, input))
    sl_page_heading (&report->page, 3, input->label);
}

void
sl_report_subheading (SlReport *report, const SlReportInput *input, const char *title)
{
  sl_page_heading (&report->page, sl_report_is_one_of_several (report, input) ? 4 : 3, title);
}

static gboolean
section_takes (const SlSection *section, const SlKind *kind)
{
  for (int k = 0; section->kinds[k] != NULL; k++)
    if (section->kinds[k] == kind)
      return TRUE;
  return FALSE;
}

/* What a section has taken in: one table, or all of its kinds together. */
typedef struct
{
  const SlReportInput *input;
  gpointer state;
} Taken;

/* The section's state for the table that is being read: the last one. */
static gpointer
state_of (const GArray *taken)
{
  return g_array_index (taken, Taken, taken->len - 1).state;
}

static gboolean
begin_section (SlReport *report, const SlSection *section, const SlReportInput *input,
               GArray *taken, GError **error)
{
  if (taken->len == 0 || !section->together)
    {
      Taken one = { .input = input, .state = g_malloc0 (section->size) };
      g_array_append_val (taken, one);
    }
  return section->begin (state_of (taken), report, input, error);
}

static gboolean
read_input (SlReport *report, SlReportInput *input, GArray **taken, GError **error)
{
  const SlKind *kind = input->table->kind;
  gboolean ok = TRUE;
  for (int s = 0; ok && sl_sections[s] != NULL; s++)
    ok = !section_takes (sl_sections[s], kind)
         || begin_section (report, sl_sections[s], input, taken[s], error);
  g_autoptr (SlBatch) batch = NULL;
  while (ok && sl_reader_each (input->reader, &batch, &ok, error))
    {
      input->rows += batch->n_rows;
      sl_run_progress (report->run, input->rows, 0, 0);
      if (kind == &sl_features)
        sl_pictures_take (report->pictures, batch);
      for (int s = 0; ok && sl_sections[s] != NULL; s++)
        ok = !section_takes (sl_sections[s], kind)
             || sl_sections[s]->take (state_of (taken[s]), report, batch, error);
    }
  for (int s = 0; ok && sl_sections[s] != NULL; s++)
    ok = !section_takes (sl_sections[s], kind) || sl_sections[s]->end == NULL
         || sl_sections[s]->end (state_of (taken[s]), report, error);
  return ok;
}

static gboolean
read_all (SlReport *report, GArray **taken, GError **error)
{
  for (int rank = 0; rank < 3; rank++)
    for (int i = 0; i < report->n_inputs; i++)
      {
        SlReportInput *input = &report->input[i];
        const SlKind *kind = input->table->kind;
        int own = kind == &sl_features ? 2 : kind == &sl_predictions ? 1 : 0;
        if (own != rank)
          continue;
        if (!read_input (report, input, taken, error))
          return FALSE;
        g_clear_pointer (&input->reader, sl_reader_free);
      }
  return TRUE;
}

static char *
title_of (const SlReport *report, const Options *options)
{
  if (options->title != NULL)
    return g_strdup (options->title);
  if (report->n_inputs > 3)
    return g_strdup_printf ("Report on %d tables", report->n_inputs);
  GString *title = g_string_new ("Report on ");
  for (int i = 0; i < report->n_inputs; i++)
    g_string_append_printf (title, "%s%s",
                            i == 0                     ? ""
                            : i + 1 < report->n_inputs ? ", "
                                                       : " and ",
                            report->input[i].name);
  return g_string_free (title, FALSE);
}

static void
draw_section (SlReport *report, const SlSection *section, const GArray *taken)
{
  if (taken->len == 0 || (section->fills != NULL && !section->fills (state_of (taken))))
    return;
  sl_page_section_begin (&report->page, section->id, section->title);
  for (guint t = 0; t < taken->len; t++)
    {
      const Taken *one = &g_array_index (taken, Taken, t);
      if (!section->together)
        sl_report_heading (report, one->input);
      section->draw (one->state, report);
    }
  sl_page_section_end (&report->page);
}

static void
draw (SlReport *report, GArray **taken)
{
  SlPage *page = &report->page;
  for (int s = 0; sl_sections[s] != NULL; s++)
    draw_section (report, sl_sections[s], taken[s]);
  sl_report_draw_origin (report);
  g_autofree char *title = title_of (report, report->run->options->values);
  g_autoptr (GString) text = sl_page_finish (page, title, "Made by softlabel " SL_VERSION ".");
  sl_run_print (report->run, text->str, (gssize) text->len);
}

static void
clear_section (const SlSection *section, GArray *taken)
{
  for (guint t = 0; t < taken->len; t++)
    {
      gpointer state = g_array_index (taken, Taken, t).state;
      section->clear (state);
      g_free (state);
    }
  g_array_unref (taken);
}

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  SlReport report = { .run = run, .pictures = sl_pictures_new (), .most = (int) options->items };
  int n_sections = 0;
  while (sl_sections[n_sections] != NULL)
    n_sections++;
  g_autofree GArray **taken = g_new (GArray *, n_sections);
  for (int s = 0; s < n_sections; s++)
    taken[s] = g_array_new (FALSE, FALSE, sizeof (Taken));
  sl_page_init (&report.page);
  gboolean ok = sl_report_open (&report, run->files, error);
  ok = ok && read_all (&report, taken, error);
  if (ok)
    draw (&report, taken);
  for (int s = 0; s < n_sections; s++)
    clear_section (sl_sections[s], taken[s]);
  sl_report_close (&report);
  sl_pictures_free (report.pictures);
  sl_page_clear (&report.page);
  return ok;
}

const SlCommand sl_command_report = {
  .name = "report",
  .summary = "draw what tables say, as one page for a browser",
  .arguments = "[TABLE…]",
  .flags = SL_COMMAND_TABLES | SL_COMMAND_TEXT | SL_COMMAND_BYTES,
  SL_OPTIONS (option_table, defaults),
  .description
  = "Writes one HTML file that needs nothing else: no network, no script. It opens from a disk, "
    "prints, follows the browser's light or dark setting, and can be read by keyboard and screen "
    "reader.\n\n"
    "Its sections follow from the kinds of tables: labels (how certain they are; the least and the "
    "most certain items, with their images where a table of features is given), annotations, "
    "annotators with those excluded and why, items' agreement, confusion matrices, scores with "
    "their intervals across all tables, their histograms, the differences that `softlabel "
    "compare` found and the items that it found furthest apart, curves of scores over a tag that "
    "is a number, what figures cost of annotators' time, reliability of predictions, the log of "
    "training, what training says of single items, the labels that a model doubts and the noise "
    "of each class, mixtures, the parameters of a simulator, examples. It ends with how the tables "
    "came to be, drawn as a pipeline from their histories.\n\n"
    "Tables of one kind are told apart by the tags in which they differ (--tag), or by their file "
    "names. Predictions are held against their own gold, or else against the labels that are "
    "given: their gold, or else their likeliest class.\n\n"
    "However many rows the tables have, the page stays small: rows are counted up, or a sample is "
    "drawn, always the same one, and the caption says so.",
  .examples = "softlabel report -o report.html labels.parquet annotators.parquet images.parquet\n"
              "    the labels with their images, and who answered\n"
              "softlabel report -o runs.html --title 'Soft against hard' scores-*.parquet "
              "log.parquet\n"
              "    scores of several runs side by side\n",
  .run = run,
};
