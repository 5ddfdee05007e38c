/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report: tables of any kinds in, one HTML page out that shows what they say. Each section
 * (sections/) takes the tables of its kinds; comparisons come first, as they say which items are
 * shown, labels before predictions, which are compared with them, and features last, when it is
 * known whose images are shown. */
#include "figures.h"
#include "parts.h"
#include "pdf.h"
#include "pipeline/command/options/option-rows.h"
#include "sections/sections.h"

#include "pipeline/table/tag-columns.h"
#include "pipeline/table/types/types.h"
#include "schemas/features.h"
#include "schemas/predictions.h"

#include <string.h>

typedef struct
{
  char *title, *figures;
  gint64 items;
  int figures_as; /* SlFiguresAs */
  char *text;
} Options;

static const Options defaults = { .items = 12 };

#define OPTIONS Options

static const SlOption option_table[] = {
  TEXT ("title", title, "TEXT", "the page's heading; without it, the names of the tables"),
  WHOLE ("items", items, 1, 200, "N",
         "show so many items of a kind: the least certain, the most certain, the hardest",
         .letter = 'n'),
  OUTPUT ("figures", figures, "FOLDER",
          "each picture of the page as a file that stands alone, for papers: 88 mm wide, and, "
          "where it has axes or bars, 180 mm wide (-wide), with texts of 7.6 points. Without "
          "-o there is no page",
          .is_folder = TRUE),
  CHOICE ("figures-as", figures_as, WORDS ("svg", "pdf", "both", "auto"),
          "write figures as SVG or as PDF, which has its fonts inside and is made by librsvg; "
          "auto: as both where that is installed, else as SVG",
          .with = "figures"),
  SL_TEXT_OPTION ("what items say, beside their names (unless given, the tag text)"),
  { 0 },
};

typedef struct
{
  gpointer object;
  GDestroyNotify free;
} Owned;

/* The last first: states come before what they hold. */
static void
free_owned (GArray *all)
{
  for (guint i = all->len; i-- > 0;)
    {
      const Owned *owned = &g_array_index (all, Owned, i);
      owned->free (owned->object);
    }
  g_array_unref (all);
}

gpointer
sl_report_own (SlReport *report, gpointer object, GDestroyNotify free)
{
  Owned owned = { object, free };
  g_array_append_val (report->owned, owned);
  return object;
}

double *
sl_report_reals (SlReport *report, gsize n, const char *what, GError **error)
{
  double *reals = sl_run_alloc0 (report->run, MAX (n, 1), sizeof (double), what, error);
  return reals != NULL ? sl_report_own (report, reals, g_free) : NULL;
}

/* Files of one name are told apart by their folders. */
static void
tell_names_apart (SlReport *report, char **paths)
{
  int n = report->n_inputs;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (i != j && strcmp (report->input[i].name, report->input[j].name) == 0)
        {
          g_free (report->input[i].label);
          report->input[i].label = g_strdup (paths[i]);
        }
  for (int i = 0; i < n; i++)
    if (report->input[i].label != NULL)
      {
        g_free (report->input[i].name);
        report->input[i].name = g_steal_pointer (&report->input[i].label);
      }
}

/* Whether another table of INPUT's kind has KEY with another value, or not at all. */
static gboolean
tells_apart (const SlReport *report, const SlReportInput *input, const SlTag *tag)
{
  for (int i = 0; i < report->n_inputs; i++)
    if (report->input[i].table->kind == input->table->kind
        && g_strcmp0 (sl_tags_get (&report->input[i].table->tags, tag->key), tag->value) != 0)
      return TRUE;
  return FALSE;
}

static char *
label_of (const SlReport *report, const SlReportInput *input)
{
  GString *label = g_string_new (NULL);
  const SlTags *tags = &input->table->tags;
  for (int t = 0; t < tags->n; t++)
    if (tells_apart (report, input, &tags->tag[t]))
      g_string_append_printf (label, "%s%s=%s", label->len > 0 ? ", " : "", tags->tag[t].key,
                              tags->tag[t].value);
  return g_string_free (label, FALSE);
}

/* Tables whose tags do not tell them apart are called by their names. */
static void
label_inputs (SlReport *report)
{
  int n = report->n_inputs;
  g_autofree gboolean *plain = g_new0 (gboolean, (guint) n);
  for (int i = 0; i < n; i++)
    report->input[i].label = label_of (report, &report->input[i]);
  for (int i = 0; i < n; i++)
    {
      plain[i] = *report->input[i].label == '\0';
      for (int j = 0; j < n; j++)
        plain[i] |= i != j && report->input[i].table->kind == report->input[j].table->kind
                    && strcmp (report->input[i].label, report->input[j].label) == 0;
    }
  for (int i = 0; i < n; i++)
    if (plain[i])
      {
        g_free (report->input[i].label);
        report->input[i].label = g_strdup (report->input[i].name);
      }
}

/* Opens the FILES, or standard input where there are none. */
static gboolean
open_inputs (SlReport *report, char **files, GError **error)
{
  char *standard[] = { (char *) "-", NULL };
  char **paths = files[0] != NULL ? files : standard;
  guint n = g_strv_length (paths);
  report->input = g_new0 (SlReportInput, n);
  for (guint i = 0; i < n; i++)
    {
      SlReportInput *input = &report->input[i];
      report->n_inputs = (int) i + 1;
      input->reader = sl_run_open (report->run, NULL, paths[i], NULL, error);
      if (input->reader == NULL)
        return FALSE;
      input->table = sl_table_ref (sl_reader_table (input->reader));
      input->name = strcmp (paths[i], "-") == 0 ? g_strdup (sl_reader_name (input->reader))
                                                : g_path_get_basename (paths[i]);
    }
  tell_names_apart (report, paths);
  label_inputs (report);
  return TRUE;
}

char *
sl_report_text (const SlReport *report, const SlBatch *batch, gint64 i, const char *item, gsize n)
{
  if (report->texts.file.items != NULL)
    return sl_item_texts_find (&report->texts, item, n);
  const int said = sl_table_tag_column (batch->table, report->text_key);
  if (said < 0 || !sl_table_has (batch->table, said) || sl_value_is_missing (batch, said, i))
    return NULL;
  return sl_text_dup (batch->column[said].text, i);
}

/* Which texts stand beside items: those of the tag TEXT, if one of the tables has it, or of the
 * file TEXT. */
static gboolean
open_texts (SlReport *report, const char *text, GError **error)
{
  report->text_key = SL_ITEM_TEXT;
  for (int i = 0; text != NULL && i < report->n_inputs; i++)
    {
      const char *key = sl_tag_key_of (text) ?: text;
      if (sl_table_tag_column (report->input[i].table, key) < 0)
        continue;
      report->text_key = key;
      return TRUE;
    }
  return sl_item_texts_open (&report->texts, report->run, text, report->input[0].reader, error);
}

static void
close_inputs (SlReport *report)
{
  for (int i = 0; i < report->n_inputs; i++)
    {
      SlReportInput *input = &report->input[i];
      g_clear_pointer (&input->reader, sl_reader_free);
      g_clear_pointer (&input->table, sl_table_unref);
      g_free (input->name);
      g_free (input->label);
    }
  g_clear_pointer (&report->input, g_free);
}

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

/* In the order of the page. */
static const SlSection *const sections[] = {
  &sl_section_labels,      &sl_section_annotations, &sl_section_annotators,
  &sl_section_pairs,       &sl_section_percents,    &sl_section_items,
  &sl_section_confusion,   &sl_section_scores,      &sl_section_histograms,
  &sl_section_differences, &sl_section_comparisons, &sl_section_side_by_side,
  &sl_section_curves,      &sl_section_costs,       &sl_section_reliability,
  &sl_section_log,         &sl_section_dynamics,    &sl_section_doubts,
  &sl_section_noise,       &sl_section_mixtures,    &sl_section_mixing_curves,
  &sl_section_simulator,   &sl_section_features,    NULL,
};

static gboolean
section_takes (const SlSection *section, const SlKind *kind)
{
  for (int k = 0; section->of == NULL && section->kinds[k] != NULL; k++)
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
      gsize size = section->parts != NULL ? sizeof (SlPartsState) : section->size;
      Taken one = { input, sl_report_own (report, g_malloc0 (size), g_free) };
      g_array_append_val (taken, one);
    }
  gpointer state = state_of (taken);
  return section->parts != NULL ? sl_parts_begin (state, section->parts, report, input, error)
                                : section->begin (state, report, input, error);
}

static gboolean
take_batch (SlReport *report, const SlSection *section, const GArray *taken, const SlBatch *batch,
            GError **error)
{
  if (section->parts == NULL)
    return section->take (state_of (taken), report, batch, error);
  sl_parts_take (state_of (taken), batch);
  return TRUE;
}

static gboolean
end_section (SlReport *report, const SlSection *section, const GArray *taken, GError **error)
{
  if (section->parts != NULL)
    sl_parts_end (state_of (taken), report);
  return section->end == NULL || section->end (state_of (taken), report, error);
}

static gboolean
read_input (SlReport *report, SlReportInput *input, GArray **taken, GError **error)
{
  const SlKind *kind = input->table->kind;
  gboolean ok = TRUE;
  for (int s = 0; ok && sections[s] != NULL; s++)
    ok = !section_takes (sections[s], kind)
         || begin_section (report, sections[s], input, taken[s], error);
  g_autoptr (SlBatch) batch = NULL;
  while (ok && sl_reader_each (input->reader, &batch, &ok, error))
    {
      input->rows += batch->n_rows;
      sl_run_progress (report->run, input->rows, 0, 0);
      if (kind == &sl_features)
        sl_pictures_take (report->pictures, batch);
      for (int s = 0; ok && sections[s] != NULL; s++)
        ok = !section_takes (sections[s], kind)
             || take_batch (report, sections[s], taken[s], batch, error);
    }
  for (int s = 0; ok && sections[s] != NULL; s++)
    ok = !section_takes (sections[s], kind) || end_section (report, sections[s], taken[s], error);
  return ok;
}

static gboolean
read_all (SlReport *report, GArray **taken, GError **error)
{
  for (int rank = 0; rank < 4; rank++)
    for (int i = 0; i < report->n_inputs; i++)
      {
        SlReportInput *input = &report->input[i];
        const SlKind *kind = input->table->kind;
        int own = kind == &sl_features      ? 3
                  : kind == &sl_predictions ? 2
                  : kind == &sl_comparisons ? 0
                                            : 1;
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

/* What SECTION draws: what it has taken, or another one. */
static const GArray *
taken_by (const SlSection *section, GArray **taken)
{
  int s = 0;
  while (sections[s] != (section->of != NULL ? section->of : section))
    s++;
  return taken[s];
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
      if (section->empty != NULL && one->input->rows == 0)
        sl_page_note (&report->page, "%s", section->empty);
      else if (section->parts != NULL)
        sl_parts_draw (one->state, report);
      else
        section->draw (one->state, report);
    }
  sl_page_section_end (&report->page);
}

static void
draw (SlReport *report, GArray **taken)
{
  for (int s = 0; sections[s] != NULL; s++)
    draw_section (report, sections[s], taken_by (sections[s], taken));
}

static void
print_page (SlReport *report)
{
  sl_report_draw_origin (report);
  g_autofree char *title = title_of (report, report->run->options->values);
  g_autoptr (GString) text
      = sl_page_finish (&report->page, title, "Made by softlabel " SL_VERSION ".");
  sl_run_print (report->run, text->str, (gssize) text->len);
}

/* The pictures of the page that is drawn, and of a wider one. */
static gboolean
write_figures (SlReport *report, GArray **taken, SlFolder *folder, GError **error)
{
  const Options *options = report->run->options->values;
  const gboolean has_pdf = sl_pdf_font_folders () != NULL;
  SlFiguresAs as = (SlFiguresAs) options->figures_as;
  if (as == SL_FIGURES_AUTO && !has_pdf)
    sl_run_warn (report->run, "no PDF: librsvg is not installed, or cannot be loaded");
  if (as == SL_FIGURES_AUTO)
    as = has_pdf ? SL_FIGURES_BOTH : SL_FIGURES_SVG;
  int n = sl_figures_write (folder, &report->page, as, error);
  if (n == 0)
    sl_run_warn (report->run, "these tables have no pictures: the folder is empty");
  SlPage narrow = report->page;
  sl_page_init (&report->page, SL_TWO_COLUMNS);
  if (n > 0)
    draw (report, taken);
  if (n > 0)
    n = sl_figures_write (folder, &report->page, as, error);
  sl_page_clear (&report->page);
  report->page = narrow;
  return n >= 0;
}

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  SlReport report = { .run = run, .pictures = sl_pictures_new (), .most = (int) options->items };
  report.wanted = g_ptr_array_new_with_free_func (g_free);
  report.nearest = g_ptr_array_new_with_free_func (g_free);
  report.is_wanted = g_hash_table_new (g_str_hash, g_str_equal);
  report.owned = g_array_new (FALSE, FALSE, sizeof (Owned));
  int n_sections = 0;
  while (sections[n_sections] != NULL)
    n_sections++;
  g_autofree GArray **taken = g_new (GArray *, n_sections);
  for (int s = 0; s < n_sections; s++)
    taken[s] = g_array_new (FALSE, FALSE, sizeof (Taken));
  sl_page_init (&report.page, SL_PAGE_WIDTH);
  SlFolder *folder = NULL;
  gboolean ok = options->figures == NULL
                || (folder = sl_run_side_folder (run, options->figures, error)) != NULL;
  ok = ok && open_inputs (&report, run->files, error) && open_texts (&report, options->text, error)
       && read_all (&report, taken, error);
  if (ok)
    draw (&report, taken);
  ok = ok && (folder == NULL || write_figures (&report, taken, folder, error));
  if (ok && sl_run_wants_main (run))
    print_page (&report);
  for (int s = 0; s < n_sections; s++)
    g_array_unref (taken[s]);
  free_owned (report.owned);
  close_inputs (&report);
  sl_item_texts_clear (&report.texts);
  sl_pictures_free (report.pictures);
  g_hash_table_unref (report.is_wanted);
  g_ptr_array_unref (report.wanted);
  g_ptr_array_unref (report.nearest);
  sl_page_clear (&report.page);
  return ok;
}

static gboolean
check_options (SlOptions *given, GError **error)
{
  const Options *options = given->values;
  const gboolean may_fail = options->figures_as == SL_FIGURES_AUTO;
  return options->figures_as == SL_FIGURES_SVG
         || sl_pdf_load ("--figures-as", may_fail ? NULL : error) || may_fail;
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
    "their intervals across all tables, their histograms, the differences that `softlabel compare` "
    "found and the items that it found furthest apart and nearest, in the order of its --sort, "
    "with what all labels and predictions say of them side by side, curves of scores over a tag "
    "that is a number, what figures cost of annotators' time, reliability of predictions, the log "
    "of training, what training says of single items, the labels that a model doubts and the noise "
    "of each class, mixtures, the parameters of a simulator, examples. It ends with how the tables "
    "came to be, drawn as a pipeline from their histories.\n\n"
    "Tables of one kind are told apart by the tags in which they differ (--tag), or by their file "
    "names. Predictions are held against their own gold, or else against the labels that are "
    "given: their gold, or else their likeliest class.\n\n"
    "However many rows the tables have, the page stays small: rows are counted up, or a sample is "
    "drawn, always the same one, and the caption says so.\n\n"
    "Figures (--figures) have their colours inside and name common fonts; their colours differ for "
    "people who do not see all of them, and in grey print. What colours stand for is below the "
    "picture. Journals want PDF: --figures-as pdf. Without librsvg, `inkscape "
    "--export-type=pdf` makes it of SVG.",
  .examples = "softlabel report -o report.html labels.parquet annotators.parquet images.parquet\n"
              "    the labels with their images, and who answered\n"
              "softlabel report -o runs.html --title 'Soft against hard' scores-*.parquet "
              "log.parquet\n"
              "    scores of several runs side by side\n"
              "softlabel report --figures figures scores-*.parquet\n"
              "    the pictures alone, as files of SVG\n"
              "softlabel report --figures figures --figures-as pdf scores-*.parquet\n"
              "    for LaTeX: \\includegraphics{figures/scores-accuracy}\n",
  .check = check_options,
  .run = run,
  .library_folders = sl_pdf_font_folders,
};
