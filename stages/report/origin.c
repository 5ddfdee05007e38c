/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last section: the tables, and how they came to be: one graph, in which what their histories
 * have in common is there once, drawn as a step a line with its ways at the left. */
#include "report.h"

#include "pipeline/base/number-text.h"
#include "pipeline/command/options/recorded-options.h"
#include "pipeline/command/provenance.h"

#define WAY 18      /* between two ways */
#define DOT 16      /* below a line's top */
#define MOST_WAYS 7 /* more would leave a phone no room for words */
#define MOST_STEPS 300
#define MOST_TEXT 400 /* bytes of a step's options */

typedef enum
{
  STEP_SOURCE,
  STEP_STAGE,
  STEP_TABLE,
  STEP_UNKNOWN, /* a table without a history that could be read */
} StepKind;

typedef struct
{
  StepKind kind;
  char *name;   /* a verb, or a file */
  char *text;   /* options that are not at their defaults; a file's size */
  GArray *from; /* int: the steps that it reads, all before this one */
  int n_uses;   /* steps that read it */
} Step;

typedef struct
{
  GPtrArray *steps;   /* of Step, each after those that it reads */
  GHashTable *number; /* what a step is: its number + 1 */
  gboolean cut;       /* there are more steps than a picture has room for */
} Lineage;

static void
step_free (gpointer data)
{
  Step *step = data;
  g_free (step->name);
  g_free (step->text);
  g_array_unref (step->from);
  g_free (step);
}

static void
lineage_init (Lineage *lineage)
{
  *lineage = (Lineage){ .steps = g_ptr_array_new_with_free_func (step_free),
                        .number = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
}

static void
lineage_clear (Lineage *lineage)
{
  g_ptr_array_unref (lineage->steps);
  g_hash_table_unref (lineage->number);
}

static const char *
text_of (SlJson object, const char *name)
{
  return sl_json_c_str (sl_json_get (object, name));
}

/* The step that KEY says all of, a new one where there is none; -1 where there is no room. Takes
 * FROM. */
static int
find_step (Lineage *lineage, StepKind kind, const char *key, const char *name, const char *text,
           GArray *from)
{
  GString *whole = g_string_new (NULL);
  g_string_append_printf (whole, "%d\n%s\n%s", kind, name, key);
  for (guint i = 0; i < from->len; i++)
    g_string_append_printf (whole, "\n%d", g_array_index (from, int, i));
  g_autofree char *identity = g_string_free (whole, FALSE);
  int number = GPOINTER_TO_INT (g_hash_table_lookup (lineage->number, identity)) - 1;
  /* For the tables themselves there is always room. */
  gboolean full = lineage->steps->len >= MOST_STEPS && kind != STEP_TABLE;
  lineage->cut |= number < 0 && full;
  if (number >= 0 || full)
    {
      g_array_unref (from);
      return number;
    }
  for (guint i = 0; i < from->len; i++)
    ((Step *) lineage->steps->pdata[g_array_index (from, int, i)])->n_uses++;
  Step *step = g_new0 (Step, 1);
  *step = (Step){ kind, g_strdup (name), g_strdup (text), from, 0 };
  g_ptr_array_add (lineage->steps, step);
  g_hash_table_insert (lineage->number, g_steal_pointer (&identity),
                       GINT_TO_POINTER ((int) lineage->steps->len));
  return (int) lineage->steps->len - 1;
}

static GArray *
no_steps (void)
{
  return g_array_new (FALSE, FALSE, sizeof (int));
}

/* Each step is named once, however often it is read. */
static void
add_from (GArray *from, int number)
{
  for (guint i = 0; i < from->len; i++)
    if (g_array_index (from, int, i) == number)
      return;
  if (number >= 0)
    g_array_append_val (from, number);
}

static int
find_file (Lineage *lineage, SlJson file)
{
  const char *name = text_of (file, "name"), *digest = text_of (file, "xxh3");
  g_autoptr (GString) text = g_string_new (NULL);
  gint64 size;
  if (sl_json_integer (sl_json_get (file, "size"), &size))
    {
      sl_html_count (text, size);
      g_string_append (text, " bytes");
    }
  if (digest != NULL)
    g_string_append_printf (text, ", XXH3 %s", digest);
  return name != NULL ? find_step (lineage, STEP_SOURCE, text->str, name, text->str, no_steps ())
                      : -1;
}

static void
append_option (GString *out, const char *name, SlJson value)
{
  gboolean flag = sl_json_type (value) == SL_JSON_BOOL;
  if (sl_json_type (value) == SL_JSON_ARRAY)
    {
      for (SlJsonEach each = sl_json_each (value); sl_json_each_next (&each);)
        append_option (out, name, each.value);
      return;
    }
  if (sl_json_type (value) == SL_JSON_NULL || (flag && !sl_json_is_true (value)))
    return;
  char room[SL_JSON_ROOM];
  SlCell text = flag ? (SlCell){ NULL, 0 } : sl_json_scalar (value, room);
  g_string_append_printf (out, "%s--%s", out->len > 0 ? " " : "", name);
  if (sl_json_is_real (value))
    text = (SlCell){ room, sl_format_real (room, sl_json_number (value)) };
  if (text.text != NULL)
    g_string_append_printf (out, " %.*s", (int) text.n, text.text);
}

/* The options of STAGE that are not at their defaults, its seed and its tags. */
static char *
describe (SlJson stage)
{
  GString *out = g_string_new (NULL);
  g_autoptr (SlJsonParser) parser = sl_json_parser_new ();
  SlJson options = sl_json_get_as (stage, "options", SL_JSON_OBJECT);
  SlJson defaults
      = sl_recorded_defaults (parser, text_of (stage, "verb"), text_of (stage, "version"), options);
  SlJsonEach each = sl_json_each (options);
  while (sl_json_each_next (&each))
    if (!sl_recorded_is_default (defaults, each.key.text, each.value))
      append_option (out, each.key.text, each.value);
  SlJson shard = sl_json_get (stage, "shard"), seed = sl_json_get (stage, "seed");
  if (sl_json_is_scalar (shard))
    append_option (out, "shard", shard);
  if (sl_json_is_scalar (seed) && sl_json_number (seed) != 0)
    append_option (out, "seed", seed);
  each = sl_json_each (sl_json_get_as (stage, "tags", SL_JSON_OBJECT));
  while (sl_json_each_next (&each))
    g_string_append_printf (out, "%s--tag %s=%s", out->len > 0 ? " " : "", each.key.text,
                            sl_json_c_str (each.value) != NULL ? sl_json_c_str (each.value) : "");
  if (out->len > MOST_TEXT)
    {
      const char *end = g_utf8_find_prev_char (out->str, out->str + MOST_TEXT);
      g_string_truncate (out, end != NULL ? (gsize) (end - out->str) : 0);
      g_string_append (out, "…");
    }
  return g_string_free (out, FALSE);
}

static int find_chain (Lineage *lineage, SlJson history);

static int
find_stage (Lineage *lineage, SlJson stage, int before)
{
  const char *verb = text_of (stage, "verb");
  if (verb == NULL)
    return find_step (lineage, STEP_UNKNOWN, "", "unknown", "", no_steps ());
  GArray *from = no_steps ();
  add_from (from, before);
  SlJsonEach each = sl_json_each (sl_json_get_as (stage, "sources", SL_JSON_ARRAY));
  while (sl_json_each_next (&each))
    if (sl_json_type (each.value) == SL_JSON_OBJECT)
      add_from (from, find_file (lineage, each.value));
  each = sl_json_each (sl_json_get_as (stage, "inputs", SL_JSON_OBJECT));
  while (sl_json_each_next (&each))
    if (sl_json_type (each.value) == SL_JSON_OBJECT)
      add_from (from, find_file (lineage, each.value));
    else if (sl_json_type (each.value) == SL_JSON_ARRAY)
      add_from (from, find_chain (lineage, each.value));
  g_autofree char *text = describe (stage);
  return find_step (lineage, STEP_STAGE, text, verb, text, from);
}

/* The last step of HISTORY, an array. */
static int
find_chain (Lineage *lineage, SlJson history)
{
  int last = -1;
  for (SlJsonEach each = sl_json_each (history); sl_json_each_next (&each);)
    last = find_stage (lineage, each.value, last);
  return sl_json_length (history) > 0 ? last
                                      : find_step (lineage, STEP_UNKNOWN, "", "unknown",
                                                   "a table without a history", no_steps ());
}

/* Adds TABLE, called NAME, and all that it came from. What cannot be read of its history is an
 * unknown step. */
static void
lineage_add (Lineage *lineage, const SlTable *table, const char *name)
{
  GArray *from = no_steps ();
  g_autoptr (SlJsonParser) parser = sl_json_parser_new ();
  SlJson history;
  if (table->provenance != NULL && sl_provenance_read (parser, table->provenance, &history))
    add_from (from, find_chain (lineage, history));
  else
    add_from (from, find_step (lineage, STEP_UNKNOWN, name, "unknown",
                               "no history: written with --no-provenance, or by another program",
                               no_steps ()));
  find_step (lineage, STEP_TABLE, name, name, "", from);
}

/* Which steps are on the way at a line: lane[i] is one whose result is still to be read, -1: none.
 */
typedef struct
{
  GArray *lane;
  int *left; /* [steps] how many readers of it are still to come */
} Ways;

static int
find_lane (const Ways *ways, int step)
{
  for (guint i = 0; i < ways->lane->len; i++)
    if (g_array_index (ways->lane, int, i) == step)
      return (int) i;
  return -1;
}

static int
free_lane (Ways *ways)
{
  int found = find_lane (ways, -1), none = -1;
  if (found < 0)
    {
      g_array_append_val (ways->lane, none);
      found = (int) ways->lane->len - 1;
    }
  return found;
}

/* The lane of STEP: that of the first one it reads and nobody else will, or a new one. */
static int
choose_lane (Ways *ways, const Step *step)
{
  int chosen = -1;
  for (guint i = 0; i < step->from->len; i++)
    {
      int from = g_array_index (step->from, int, i), lane = find_lane (ways, from);
      if (--ways->left[from] > 0 || lane < 0)
        continue;
      g_array_index (ways->lane, int, lane) = -1;
      chosen = chosen < 0 ? lane : MIN (chosen, lane);
    }
  return chosen >= 0 ? chosen : free_lane (ways);
}

static int
at (int lane)
{
  return 9 + WAY * MIN (lane, MOST_WAYS - 1);
}

/* The ways past and into STEP, whose number is NUMBER; BEFORE: the lanes above it. */
static void
draw_ways (GString *out, const GArray *before, const Ways *ways, const Step *step, int lane,
           int n_ways)
{
  g_string_append_printf (out, "<svg width=\"%d\" aria-hidden=\"true\">", at (n_ways - 1) + 9);
  for (guint i = 0; i < ways->lane->len; i++)
    {
      int passing = g_array_index (ways->lane, int, i);
      if (passing >= 0 && (int) i != lane && i < before->len
          && g_array_index (before, int, i) == passing)
        g_string_append_printf (out, "<line x1=\"%d\" x2=\"%d\" y1=\"0\" y2=\"100%%\"/>",
                                at ((int) i), at ((int) i));
    }
  for (guint i = 0; i < step->from->len; i++)
    for (guint j = 0; j < before->len; j++)
      if (g_array_index (before, int, j) == g_array_index (step->from, int, i))
        g_string_append_printf (out, "<path d=\"M%d 0C%d %d %d 0 %d %d\"/>", at ((int) j),
                                at ((int) j), DOT, at (lane), at (lane), DOT);
  if (step->n_uses > 0)
    g_string_append_printf (out, "<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"100%%\"/>", at (lane),
                            at (lane), DOT);
  g_string_append_printf (out, "<circle cx=\"%d\" cy=\"%d\" r=\"5\"/></svg>", at (lane), DOT);
}

/* For ears: "step 3, reads steps 1 and 2". */
static void
append_spoken (GString *out, const Step *step, guint number)
{
  g_string_append_printf (out, "<span class=\"hidden\">Step %u", number + 1);
  for (guint i = 0; i < step->from->len; i++)
    g_string_append_printf (out, "%s%d", i == 0 ? ", reads step " : ", step ",
                            g_array_index (step->from, int, i) + 1);
  g_string_append (out, ": </span>");
}

static const SlReportInput *
input_of (const SlReport *report, const char *name)
{
  for (int i = 0; i < report->n_inputs; i++)
    if (g_str_equal (report->input[i].name, name))
      return &report->input[i];
  return NULL;
}

static void
draw_table (GString *out, const SlReportInput *input)
{
  const SlTable *table = input->table;
  g_string_append_printf (out, " <span class=\"soft\">%s, ", table->kind->name);
  sl_html_many (out, input->rows, "row", "rows");
  if (table->n_classes > 0)
    {
      g_string_append (out, ", ");
      sl_html_many (out, table->n_classes, "class", "classes");
    }
  g_string_append (out, "</span>");
  for (int t = 0; t < table->tags.n; t++)
    {
      g_string_append (out, " <span class=\"tag\"><bdi>");
      sl_html_text (out, table->tags.tag[t].key, -1);
      g_string_append (out, "</bdi> = <bdi>");
      sl_html_text (out, table->tags.tag[t].value, -1);
      g_string_append (out, "</bdi></span>");
    }
}

static void
draw_step (SlReport *report, const Step *step, guint number, const GArray *before, const Ways *ways,
           int lane, int n_ways)
{
  static const char *const classes[] = { "source", "stage", "table", "source" };
  GString *out = report->page.html;
  g_string_append_printf (out, "<li class=\"%s\" style=\"padding-left:%dpx\">", classes[step->kind],
                          at (n_ways - 1) + 16);
  draw_ways (out, before, ways, step, lane, n_ways);
  append_spoken (out, step, number);
  g_string_append (out, step->kind == STEP_SOURCE ? "<bdi>" : "<strong><bdi>");
  sl_html_text (out, step->name, -1);
  g_string_append (out, step->kind == STEP_SOURCE ? "</bdi>" : "</bdi></strong>");
  const SlReportInput *input = step->kind == STEP_TABLE ? input_of (report, step->name) : NULL;
  if (input != NULL)
    draw_table (out, input);
  if (*step->text != '\0')
    {
      g_string_append (out, step->kind == STEP_STAGE ? " <code><bdi>" : " <span class=\"soft\">");
      sl_html_text (out, step->text, -1);
      g_string_append (out, step->kind == STEP_STAGE ? "</bdi></code>" : "</span>");
    }
  g_string_append (out, "</li>\n");
}

/* The steps in order, once to learn how many ways there are, then to draw them. */
static int
follow (SlReport *report, const Lineage *lineage, int n_ways, gboolean drawn)
{
  guint n = lineage->steps->len;
  g_autofree int *left = g_new0 (int, n + 1);
  g_autoptr (GArray) lanes = g_array_new (FALSE, FALSE, sizeof (int));
  Ways ways = { .lane = lanes, .left = left };
  for (guint i = 0; i < n; i++)
    left[i] = ((Step *) lineage->steps->pdata[i])->n_uses;
  for (guint i = 0; i < n; i++)
    {
      const Step *step = lineage->steps->pdata[i];
      g_autoptr (GArray) before = g_array_copy (lanes);
      int lane = choose_lane (&ways, step);
      n_ways = MAX (n_ways, (int) lanes->len);
      g_array_index (lanes, int, lane) = step->n_uses > 0 ? (int) i : -1;
      if (drawn)
        draw_step (report, step, i, before, &ways, lane, n_ways);
    }
  return MIN (n_ways, MOST_WAYS);
}

void
sl_report_draw_origin (SlReport *report)
{
  SlPage *page = &report->page;
  Lineage lineage;
  lineage_init (&lineage);
  for (int i = 0; i < report->n_inputs; i++)
    lineage_add (&lineage, report->input[i].table, report->input[i].name);
  sl_page_section_begin (page, "origin", "Where the tables come from");
  sl_page_note (page, "Each line is a file, a stage with the options that are not at their "
                      "defaults, or one of the tables of this page.");
  g_string_append (page->html, "<ol class=\"way\">\n");
  follow (report, &lineage, follow (report, &lineage, 1, FALSE), TRUE);
  g_string_append (page->html, "</ol>\n");
  if (lineage.cut)
    sl_page_note (page, "There are more steps than can be drawn; `softlabel history` prints all.");
  sl_page_section_end (page);
  lineage_clear (&lineage);
}
