/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pivot: scores in; a table as papers have them out: conditions down, metrics across, mean ±
 * interval or standard deviation in the cells. */
#include "grid.h"

#include "pipeline/command/options/option-rows.h"
#include "pipeline/display/terminal.h"
#include "pipeline/command/run.h"
#include "schemas/kinds.h"
#include "stages/common/figures/metric-sense.h"
#include "stages/common/tables/row-conditions.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef enum
{
  SPREAD_INTERVAL,
  SPREAD_SD,
  SPREAD_NONE,
} Spread;

typedef enum
{
  AS_TABLE,
  AS_FORM, /* and on, as SlGridForm */
} As;

typedef enum
{
  MARK_AUTO, /* where letters can be bold */
  MARK_ALL,
  MARK_NONE,
} Mark;

typedef struct
{
  char *rows;    /* A,B */
  char *columns; /* A,B */
  char *metrics; /* A,B */
  int spread;    /* Spread */
  gint64 digits;
  int as;   /* As */
  int mark; /* Mark */
} Options;

static const Options defaults = { .digits = 3 };

#define OPTIONS Options

static const SlOption option_table[] = {
  TEXT ("rows", rows, "KEY,KEY",
        "what goes down: tags, conditions, or metric; unless given, all that differs and does not "
        "go across",
        .unrecorded = TRUE),
  TEXT ("columns", columns, "KEY,KEY", "what goes across (default metric)", .unrecorded = TRUE),
  TEXT ("metrics", metrics, "A,B,C", "these alone, in this order", .unrecorded = TRUE),
  CHOICE ("spread", spread, WORDS ("interval", "sd", "none"),
          "beside a value: ± half its interval, or [from, to] where it has not its middle there; ± "
          "the standard deviation over runs; or nothing",
          .unrecorded = TRUE),
  WHOLE ("digits", digits, 0, 15, "N", "decimals", .unrecorded = TRUE),
  CHOICE ("as", as, WORDS ("table", "csv", "markdown", "latex", "html"),
          "for a terminal, as CSV, or as a table of Markdown, of LaTeX, ruled by its package "
          "booktabs, or of HTML",
          .unrecorded = TRUE),
  CHOICE (
      "mark", mark, WORDS ("auto", "all", "none"),
      "the best figure of a metric in bold, and those whose intervals hold it; p of differences "
      "as † ‡ §, with a note below; auto: in Markdown, LaTeX and HTML; all: in CSV and on a "
      "terminal too, where * stands for bold",
      .placeholder = "WHERE", .unrecorded = TRUE),
  { 0 },
};

/* ---- figures ---- */

typedef struct
{
  SlTags conditions; /* metric among them, and bin */
  double value, lower, upper, sd, p;
  char *infinite;   /* why it is, and so has no VALUE; or NULL */
  SlGridCell *cell; /* where it stands */
  guint place;      /* the grid's row or column whose figures it is compared with */
} Figure;

typedef struct
{
  SlRun *run;
  GPtrArray *figures; /* of Figure */
  char **metrics;     /* those that are looked for; NULL: all */
} Figures;

#define INFINITE "infinite: "                /* the beginning of a reason */
#define FIGURE_BYTES (sizeof (Figure) + 200) /* with its conditions' texts, about */

static void
figure_free (gpointer data)
{
  Figure *figure = data;
  sl_tags_clear (&figure->conditions);
  g_free (figure->infinite);
  g_free (figure);
}

static double
real_of (const SlBatch *batch, int column, gint64 i)
{
  const double *x = batch->column[column].real;
  return x != NULL ? x[i] : (double) NAN;
}

/* FIGURE's value of KEY; "" where it has none. */
static const char *
condition_of (const Figure *figure, const char *key)
{
  const char *value = sl_tags_get (&figure->conditions, key);
  return value != NULL ? value : "";
}

/* Of two tables, as `compare` makes it. */
static gboolean
is_difference (const Figure *figure)
{
  return strstr (condition_of (figure, "table"), " - ") != NULL;
}

static gboolean
add_row (Figures *figures, const SlBatch *batch, gint64 i, GError **error)
{
  gsize length;
  const SlColumn *columns = batch->column;
  g_autofree char *metric = sl_text_dup (columns[SL_SCORES_METRIC].text, i);
  if (figures->metrics != NULL && !g_strv_contains ((const char *const *) figures->metrics, metric))
    return TRUE;
  Figure *figure = g_new0 (Figure, 1);
  g_ptr_array_add (figures->figures, figure);
  if (!sl_row_conditions (&figure->conditions, batch, i))
    return sl_error_row (error, batch->first_row + i + 1,
                         "group is no list of KEY=VALUE, KEY=VALUE");
  if (columns[SL_SCORES_BIN].text.offset != NULL)
    {
      g_autofree char *bin = sl_text_dup (columns[SL_SCORES_BIN].text, i);
      sl_tags_set (&figure->conditions, "bin", *bin != '\0' ? bin : NULL);
    }
  sl_tags_set (&figure->conditions, "metric", metric);
  figure->value = real_of (batch, SL_SCORES_VALUE, i);
  figure->lower = real_of (batch, SL_SCORES_LOWER, i);
  figure->upper = real_of (batch, SL_SCORES_UPPER, i);
  figure->sd = real_of (batch, SL_SCORES_SD, i);
  figure->p = real_of (batch, SL_SCORES_P, i);
  if (columns[SL_SCORES_REASON].text.offset != NULL)
    {
      const char *text = sl_text_get (columns[SL_SCORES_REASON].text, i, &length);
      g_autofree char *reason = g_strndup (text, length);
      if (isnan (figure->value) && !is_difference (figure) && g_str_has_prefix (reason, INFINITE))
        figure->infinite
            = g_strndup (reason + strlen (INFINITE), strcspn (reason + strlen (INFINITE), ";"));
    }
  return TRUE;
}

static gboolean
read_figures (Figures *figures, const char *path, GError **error)
{
  static const SlKind *const kinds[] = { &sl_scores, NULL };
  if (figures->figures == NULL)
    figures->figures = g_ptr_array_new_with_free_func (figure_free);
  g_autoptr (SlReader) reader = sl_run_open (figures->run, NULL, path, kinds, error);
  if (reader == NULL)
    return FALSE;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    {
      ok = sl_run_claim_array (figures->run, (gsize) batch->n_rows, FIGURE_BYTES, "the figures",
                               error);
      for (gint64 i = 0; ok && i < batch->n_rows; i++)
        ok = add_row (figures, batch, i, error);
    }
  return ok;
}

static void
figures_clear (Figures *figures)
{
  g_clear_pointer (&figures->figures, g_ptr_array_unref);
  g_clear_pointer (&figures->metrics, g_strfreev);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Figures, figures_clear)

/* Whether KEY is not the same in all figures. */
static gboolean
differs (const Figures *figures, const char *key)
{
  for (guint f = 1; f < figures->figures->len; f++)
    if (strcmp (condition_of (figures->figures->pdata[f], key),
                condition_of (figures->figures->pdata[0], key))
        != 0)
      return TRUE;
  return FALSE;
}

/* Every key that tells figures apart, but those of A and B (either may be NULL). */
static char **
keys_of (const Figures *figures, char *const *a, char *const *b)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  for (guint f = 0; f < figures->figures->len; f++)
    {
      const Figure *figure = figures->figures->pdata[f];
      for (int t = 0; t < figure->conditions.n; t++)
        {
          const char *key = figure->conditions.tag[t].key;
          if (!g_ptr_array_find_with_equal_func (keys, key, g_str_equal, NULL)
              && !(a != NULL && g_strv_contains ((const char *const *) a, key))
              && !(b != NULL && g_strv_contains ((const char *const *) b, key))
              && differs (figures, key))
            g_ptr_array_add (keys, (gpointer) key);
        }
    }
  g_ptr_array_add (keys, NULL);
  return g_strdupv ((char **) keys->pdata);
}

/* ---- the layout ---- */

/* Every one of KEYS must be there. */
static gboolean
check_keys (const Figures *figures, const char *option, char *const *keys, GError **error)
{
  for (; *keys != NULL; keys++)
    {
      gboolean there = figures->figures->len == 0;
      for (guint f = 0; f < figures->figures->len && !there; f++)
        there = *condition_of (figures->figures->pdata[f], *keys) != '\0';
      if (!there)
        return sl_error_usage (error, "--%s: no row has a tag or condition '%s'", option, *keys);
    }
  return TRUE;
}

static void
append_number (GString *out, double value, int digits)
{
  char text[DBL_MAX_10_EXP + 32], format[8]; /* all digits, a sign, a point, decimals */
  g_snprintf (format, sizeof format, "%%.%df", digits);
  g_ascii_formatd (text, sizeof text, format, value);
  /* No figure is less than nothing by rounding. */
  g_string_append (out, strspn (text, "-0.") == strlen (text) && text[0] == '-' ? text + 1 : text);
}

static const char *
infinity (const Options *options)
{
  return options->as != AS_TABLE || sl_display_utf8 () ? "∞" : "inf";
}

/* "1.290 ± 0.047", "0.927 [0.910, 0.945]"; nothing where there is no value. */
static char *
cell_text (const Figure *figure, const Options *options)
{
  int digits = (int) options->digits;
  GString *out = g_string_new (NULL);
  if (isnan (figure->value))
    return g_string_free (g_string_append (out, figure->infinite != NULL ? infinity (options) : ""),
                          FALSE);
  append_number (out, figure->value, digits);
  double half = options->spread == SPREAD_SD ? figure->sd : (figure->upper - figure->lower) / 2;
  double off = fabs (figure->upper - figure->value - half);
  if (options->spread == SPREAD_NONE || isnan (half))
    return g_string_free (out, FALSE);
  if (options->spread == SPREAD_SD || off <= 1e-9 * (1 + fabs (figure->value)))
    {
      g_string_append (out, options->as != AS_TABLE || sl_display_utf8 () ? " ± " : " +- ");
      append_number (out, half, digits);
      return g_string_free (out, FALSE);
    }
  g_string_append (out, " [");
  append_number (out, figure->lower, digits);
  g_string_append (out, ", ");
  append_number (out, figure->upper, digits);
  g_string_append (out, "]");
  return g_string_free (out, FALSE);
}

static char **
values_of (const Figure *figure, char *const *keys)
{
  guint n = g_strv_length ((char **) keys);
  char **values = g_new0 (char *, n + 1);
  for (guint k = 0; k < n; k++)
    values[k] = g_strdup (condition_of (figure, keys[k]));
  return values;
}

/* The head of FIGURE's column: the metric by its name, conditions with theirs. */
static char *
head_of (const Figure *figure, char *const *keys)
{
  g_autoptr (GString) head = g_string_new (NULL);
  for (; *keys != NULL; keys++)
    {
      g_string_append (head, head->len > 0 ? " " : "");
      if (strcmp (*keys, "metric") != 0)
        g_string_append_printf (head, "%s=", *keys);
      g_string_append (head, condition_of (figure, *keys));
    }
  return g_string_free (g_steal_pointer (&head), FALSE);
}

/* Whether the figures are to be marked where the table goes. */
static gboolean
marks (const Options *options)
{
  return options->mark == MARK_ALL
         || (options->mark == MARK_AUTO && options->as != AS_TABLE
             && (SlGridForm) (options->as - AS_FORM) != SL_GRID_CSV);
}

/* By how much A is better than B, figures of one metric; NaN where that is not said of it. */
static double
lead (const Figure *a, const Figure *b)
{
  const int sense = sl_metric_sense (condition_of (a, "metric"));
  return sense == 0 ? (double) NAN : sense * (a->value - b->value);
}

/* Whether FIGURE is the best of those beside it, or its interval holds the best one. A difference
 * is none of them. */
static gboolean
is_best (const Figures *figures, const Figure *figure)
{
  guint others = 0;
  const Figure *best = figure;
  for (guint f = 0; f < figures->figures->len; f++)
    {
      const Figure *other = figures->figures->pdata[f];
      if (other->place != figure->place || is_difference (other)
          || (isnan (other->value) && other->infinite == NULL)
          || strcmp (condition_of (other, "metric"), condition_of (figure, "metric")) != 0)
        continue;
      others += other != figure;
      if (other->infinite == NULL && !(lead (best, other) >= 0))
        best = other;
    }
  return others > 0 && !is_difference (figure) && isfinite (lead (best, figure))
         && (lead (best, figure) <= 0
             || (figure->lower <= best->value && best->value <= figure->upper));
}

static void
mark (const Figures *figures)
{
  static const double most[SL_GRID_STARS] = { 0.05, 0.01, 0.001 };
  for (guint f = 0; f < figures->figures->len; f++)
    {
      Figure *figure = figures->figures->pdata[f];
      figure->cell->best = !isnan (figure->value) && is_best (figures, figure);
      for (int s = 0; s < SL_GRID_STARS; s++)
        figure->cell->stars += figure->p < most[s];
    }
}

static gboolean
fill (const Figures *figures, SlGrid *grid, char *const *rows, char *const *columns, GError **error)
{
  const Options *options = figures->run->options->values;
  /* Where metrics go down, what is compared stands across. */
  const gboolean down = g_strv_contains ((const char *const *) rows, "metric");
  for (guint f = 0; f < figures->figures->len; f++)
    {
      Figure *figure = figures->figures->pdata[f];
      g_auto (GStrv) values = values_of (figure, rows);
      g_autofree char *head = head_of (figure, columns);
      g_autofree char *text = cell_text (figure, options);
      if (figure->infinite != NULL && *figure->infinite != '\0' && grid->said == NULL)
        grid->said = g_strdup_printf ("%s: %s.", infinity (options), figure->infinite);
      const guint row = sl_grid_row (grid, values), column = sl_grid_column (grid, head);
      figure->place = down ? row : column;
      figure->cell = sl_grid_put (grid, row, column, text);
      if (figure->cell != NULL)
        continue;
      g_autofree char *where = g_strjoinv (", ", values);
      g_auto (GStrv) left = keys_of (figures, rows, columns);
      g_autofree char *keys = g_strjoinv (", ", left);
      if (left[0] != NULL)
        return sl_error_usage (error,
                               "several figures would be in one cell ('%s', '%s'): name in --rows "
                               "or --columns what tells them apart: %s",
                               where, head, keys);
      return sl_error_bad_input (
          error, "there are two figures '%s' of '%s'; was a table given twice?", head, where);
    }
  return TRUE;
}

/* Columns stand as --metrics has them. */
static void
order_metrics (const Figures *figures, SlGrid *grid, char *const *columns)
{
  if (figures->metrics != NULL && strcmp (columns[0], "metric") == 0 && columns[1] == NULL)
    for (char **metric = figures->metrics; *metric != NULL; metric++)
      for (guint f = 0; f < figures->figures->len; f++)
        if (strcmp (condition_of (figures->figures->pdata[f], "metric"), *metric) == 0)
          {
            sl_grid_column (grid, *metric);
            break;
          }
}

static gboolean
check_metrics (const Figures *figures, GError **error)
{
  for (char **metric = figures->metrics; metric != NULL && *metric != NULL; metric++)
    {
      gboolean there = FALSE;
      for (guint f = 0; f < figures->figures->len && !there; f++)
        there = strcmp (condition_of (figures->figures->pdata[f], "metric"), *metric) == 0;
      if (!there)
        return sl_error_usage (error, "--metrics: no row has the metric '%s'", *metric);
    }
  return TRUE;
}

static gboolean
print (Figures *figures, GError **error)
{
  const Options *options = figures->run->options->values;
  g_auto (GStrv) columns
      = g_strsplit (options->columns != NULL ? options->columns : "metric", ",", -1);
  g_auto (GStrv) rows = options->rows != NULL ? g_strsplit (options->rows, ",", -1)
                                              : keys_of (figures, columns, NULL);
  g_auto (SlGrid) grid;
  sl_grid_init (&grid, rows);
  if (!check_keys (figures, "rows", rows, error) || !check_keys (figures, "columns", columns, error)
      || !check_metrics (figures, error))
    return FALSE;
  order_metrics (figures, &grid, columns);
  if (!fill (figures, &grid, rows, columns, error))
    return FALSE;
  if (marks (options))
    mark (figures);
  g_autoptr (GString) text = g_string_new (NULL);
  if (options->as == AS_TABLE)
    sl_grid_print (&grid, text);
  else
    sl_grid_print_as (&grid, (SlGridForm) (options->as - AS_FORM), text);
  sl_run_print (figures->run, text->str, (gssize) text->len);
  return TRUE;
}

static gboolean
run (SlRun *run, GError **error)
{
  static char *standard_input[] = { (char *) "-", NULL };
  const Options *options = run->options->values;
  g_auto (Figures) figures
      = { .run = run,
          .metrics = options->metrics != NULL ? g_strsplit (options->metrics, ",", -1) : NULL };
  for (char **file = run->files[0] != NULL ? run->files : standard_input; *file != NULL; file++)
    if (!read_figures (&figures, *file, error))
      return FALSE;
  return print (&figures, error);
}

static const SlKind *const kinds[] = { &sl_scores, NULL };

const SlCommand sl_command_pivot = {
  .name = "pivot",
  .summary = "lay scores out as the tables of papers are",
  .arguments = "[FILE…]",
  .reads = kinds,
  .flags = SL_COMMAND_TABLES | SL_COMMAND_TEXT,
  SL_OPTIONS (option_table, defaults),
  .description
  = "Conditions go down, metrics across. A condition is a tag of a table of scores, or what "
    "`softlabel score` tells groups apart by: attack, class and the like; metric is one, too. "
    "Several tables are laid out together. A cell has the mean and, as --spread says, its interval "
    "or standard deviation; it is empty where there is no value, but ∞ where that is infinite, and "
    "a note below says why. Two "
    "figures for one cell are an "
    "error that says what tells them apart.",
  .examples
  = "softlabel pivot scores.parquet\n"
    "    metrics across, whatever differs down\n"
    "softlabel pivot --rows labels --columns model --metrics kl --as markdown scores/*.parquet\n"
    "    a table of a README\n"
    "softlabel pivot --rows model --metrics kl,brier --as latex scores.parquet -o table.tex\n"
    "    a table of a paper: \\usepackage{booktabs}, \\input{table}\n",
  .run = run,
};
