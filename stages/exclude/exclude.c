/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exclude: annotations in, the annotations of careful annotators out. Rule: Collins, Bhatt &
 * Weller, HCOMP 2022, section 4.1 (rules.c). Two passes: the first counts, the second copies. */
#include "pipeline/base/number-text.h"
#include "pipeline/base/process/named-files.h"
#include "pipeline/base/shown-text.h"
#include "pipeline/command/options/option-rows.h"
#include "pipeline/command/run-passes.h"
#include "schemas/annotations.h"
#include "census.h"
#include "rules.h"

#include <string.h>

/* ---- options, and the rule that they come to ---- */

typedef struct
{
  int preset;           /* into sl_presets */
  char *max_violations; /* KIND=N,... */
  SlVerdictRule rule;   /* what all of these come to */
  int accuracy_applies; /* as the preset, any, once */
  int count_mode;       /* 0 per kind, 1 total */
  char *annotators;     /* a file of names */
  int incomplete;       /* 0 drop, 1 keep */
  int dedupe;           /* SlDedupe */
  char *report;
  gboolean mark;
} Options;

enum
{
  APPLIES_PRESET,
  APPLIES_ANY,
  APPLIES_ONCE
};

enum
{
  INCOMPLETE_DROP,
  INCOMPLETE_KEEP
};

static const Options defaults = { .rule = { .min_accuracy = 0.75, .max_same = 1, .max_odd = 1 } };

static const char *const applies[] = { "preset", "any", "once", NULL };
static const char *const count_modes[] = { "per-kind", "total", NULL };
static const char *const incompletes[] = { "drop", "keep", NULL };
static const char *const dedupes[] = { "off", "exact", "item", NULL };

#define OPTIONS Options

static const SlOption option_table[] = {
  CHOICE ("preset", preset, sl_preset_names,
          "how many violations of each kind an annotator may have: default one; released (the code "
          "of CIFAR-10S) one, but none of range; paper (its text) two, and the limit of accuracy "
          "applies to annotators with exactly one. Other options override it"),
  TEXT ("max-violations", max_violations, "KIND=N,...",
        "the most violations that are let pass, for any of range, impossible, missing"),
  REAL ("min-accuracy", rule.min_accuracy, 0, 1, "SHARE",
        "the accuracy on gold below which violations exclude"),
  CHOICE ("accuracy-applies", accuracy_applies, applies,
          "to annotators with any violation, or with exactly one (once); as the preset has it "
          "otherwise"),
  CHOICE (
      "count-mode", count_mode, count_modes,
      "what is held against a kind's limit: its own violations, or those of all kinds together"),
  REAL (
      "min-check-accuracy", rule.min_check_accuracy, 0, 1, "SHARE",
      "exclude annotators who get a smaller share of the attention checks right; 0: no such rule"),
  INPUT ("annotators", annotators, "FILE",
         "exclude the annotators that a text file names, one a line, or that are in a table of "
         "annotators (.parquet, .arrow); of a report of this verb, those that it excluded"),
  REAL ("max-accuracy", rule.max_accuracy, 0, 1, "SHARE",
        "exclude annotators whose accuracy on gold is that or less, with violations or without; 0: "
        "no such rule. Gold must be known"),
  REAL ("min-agreement", rule.min_agreement, 0, 1, "SHARE",
        "exclude annotators with whom a smaller share of others' answers to the same items agrees; "
        "0: no such rule"),
  WHOLE ("min-answers", rule.min_answers, 0, G_MAXINT32, "N",
         "exclude annotators with fewer answers; attention checks and repeated rows do not count"),
  REAL ("min-seconds", rule.min_seconds, 0, 1e9, "S",
        "exclude annotators who took less for more than half of their answers whose seconds are "
        "known; 0: no such rule"),
  REAL ("max-same-share", rule.max_same, 0, 1, "SHARE",
        "exclude annotators of whose answers a larger share names one and the same class, if they "
        "gave ten answers or more; 1: no such rule"),
  REAL ("max-odd", rule.max_odd, 0, 1, "SHARE",
        "exclude annotators with a larger share of odd answers, which the page of `softlabel "
        "survey` marks in the column `odd`; 0: whoever gave one; 1: no such rule"),
  CHOICE ("incomplete", incomplete, incompletes, "annotators whose session did not reach its end"),
  CHOICE (
      "dedupe", dedupe, dedupes,
      "rows to leave out: those that repeat an earlier one exactly (annotator, item, answers, "
      "trial and time); or all but the first of an annotator and item, whatever they say (item)"),
  OUTPUT ("report", report, "FILE",
          "write a table of all annotators, with counts, verdicts and reasons"),
  FLAG ("mark", mark,
        "keep every row, and say in a column `excluded` which ones would have been left out"),
  { 0 },
};

/* allowed[] <- what TEXT, "kind=n,kind=n", says; kinds it leaves out stay as they are. */
static gboolean
parse_limits (const char *text, gint64 *allowed, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  gboolean seen[SL_N_RULES] = { FALSE };
  for (char **part = parts; *part != NULL; part++)
    {
      const char *equals = strchr (*part, '=');
      gsize length = equals != NULL ? (gsize) (equals - *part) : 0;
      int rule = 0;
      while (sl_rule_names[rule] != NULL
             && (strlen (sl_rule_names[rule]) != length
                 || strncmp (sl_rule_names[rule], *part, length) != 0))
        rule++;
      gint64 limit;
      if (sl_rule_names[rule] == NULL || seen[rule] || !sl_parse_integer (equals + 1, -1, &limit)
          || limit < 0)
        return sl_error_usage (
            error,
            "--max-violations: \"%s\" is not one of range=N, impossible=N, missing=N, "
            "each once, N from 0",
            *part);
      seen[rule] = TRUE;
      allowed[rule] = limit;
    }
  return TRUE;
}

/* Brings the options into one form, so that the same rules have the same provenance: an option that
 * says what the preset says anyway is left out, however it was given. */
static gboolean
check_options (SlOptions *given, GError **error)
{
  Options *options = given->values;
  SlVerdictRule *rule = &options->rule;
  const SlVerdictRule *preset = &sl_presets[options->preset];
  memcpy (rule->allowed, preset->allowed, sizeof rule->allowed);
  if (options->max_violations != NULL
      && !parse_limits (options->max_violations, rule->allowed, error))
    return FALSE;
  g_clear_pointer (&options->max_violations, g_free);
  if (memcmp (rule->allowed, preset->allowed, sizeof rule->allowed) != 0)
    options->max_violations = g_strdup_printf (
        "range=%" G_GINT64_FORMAT ",impossible=%" G_GINT64_FORMAT ",missing=%" G_GINT64_FORMAT,
        rule->allowed[SL_RULE_RANGE], rule->allowed[SL_RULE_IMPOSSIBLE],
        rule->allowed[SL_RULE_MISSING]);
  if (options->accuracy_applies == (preset->once ? APPLIES_ONCE : APPLIES_ANY))
    options->accuracy_applies = APPLIES_PRESET;
  if (!sl_option_given (given, "min-accuracy"))
    rule->min_accuracy = preset->min_accuracy;
  rule->total = options->count_mode == 1;
  rule->once = options->accuracy_applies == APPLIES_PRESET
                   ? preset->once
                   : options->accuracy_applies == APPLIES_ONCE;
  rule->drop_incomplete = options->incomplete == INCOMPLETE_DROP;
  return TRUE;
}

/* ---- --report: what was found out, as a table of annotators ---- */

/* AGREEMENT: with what was asked for of it. */
static SlTable *
report_table (gboolean agreement)
{
  SlTable *table = sl_table_new (&sl_annotators, NULL);
  for (int column = 0; column <= SL_ANNOTATORS_REASON; column++)
    sl_table_add (table, column);
  if (agreement)
    sl_table_add (table, SL_ANNOTATORS_AGREEMENT);
  return table;
}

/* A row for each annotator, in order of first appearance; KNOWS_COMPLETE: whether the input says
 * which sessions reached their end. The end of the table is left to the caller. */
static gboolean
write_report (SlWriter *writer, SlTable *table, const SlCensus *census, const SlVerdictRule *rule,
              gboolean knows_complete, GError **error)
{
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  for (gint32 i = 0; i < sl_intern_size (census->names); i++)
    {
      gsize length;
      const char *name = sl_intern_get (census->names, i, &length);
      const SlConduct *conduct = &g_array_index (census->conduct, SlConduct, i);
      sl_builder_text (builder, SL_ANNOTATORS_ANNOTATOR, name, length);
      sl_builder_int (builder, SL_ANNOTATORS_ANSWERS, conduct->answers);
      sl_builder_real (builder, SL_ANNOTATORS_ACCURACY, sl_conduct_accuracy (conduct));
      sl_builder_int (builder, SL_ANNOTATORS_CHECKS, conduct->checks);
      sl_builder_real (builder, SL_ANNOTATORS_CHECK_ACCURACY, sl_conduct_check_accuracy (conduct));
      sl_builder_int (builder, SL_ANNOTATORS_RANGE, conduct->violations[SL_RULE_RANGE]);
      sl_builder_int (builder, SL_ANNOTATORS_IMPOSSIBLE, conduct->violations[SL_RULE_IMPOSSIBLE]);
      sl_builder_int (builder, SL_ANNOTATORS_MISSING, conduct->violations[SL_RULE_MISSING]);
      if (census->digests != NULL)
        sl_builder_int (builder, SL_ANNOTATORS_DUPLICATES, conduct->duplicates);
      else
        sl_builder_null (builder, SL_ANNOTATORS_DUPLICATES);
      if (knows_complete)
        sl_builder_bool (builder, SL_ANNOTATORS_COMPLETE, !conduct->incomplete);
      else
        sl_builder_null (builder, SL_ANNOTATORS_COMPLETE);
      sl_builder_bool (builder, SL_ANNOTATORS_EXCLUDED, census->grounds[i] != 0);
      g_autofree char *reason = sl_verdict_reason (rule, conduct, census->grounds[i]);
      if (reason != NULL)
        sl_builder_text (builder, SL_ANNOTATORS_REASON, reason, strlen (reason));
      else
        sl_builder_null (builder, SL_ANNOTATORS_REASON);
      if (sl_table_has (table, SL_ANNOTATORS_AGREEMENT))
        sl_builder_real (builder, SL_ANNOTATORS_AGREEMENT, conduct->agreement);
      if (!sl_writer_write_built (writer, builder, FALSE, error))
        return FALSE;
    }
  return sl_writer_write_built (writer, builder, TRUE, error);
}

/* Notes how many violations and exclusions there are. */
static void
note_report (SlRun *run, const SlCensus *census)
{
  gint64 violations[SL_N_RULES] = { 0 };
  gint32 n_offenders = 0;
  gint32 n_excluded = 0;
  for (gint32 i = 0; i < census->n_judged; i++)
    {
      const SlConduct *conduct = &g_array_index (census->conduct, SlConduct, i);
      gboolean offends = FALSE;
      for (int rule = 0; rule < SL_N_RULES; rule++)
        {
          violations[rule] += conduct->violations[rule];
          offends |= conduct->violations[rule] > 0;
        }
      n_offenders += offends;
      n_excluded += census->grounds[i] != 0;
    }
  sl_run_note (run,
               "%d of %d annotators with violations (range %" G_GINT64_FORMAT
               ", impossible %" G_GINT64_FORMAT ", missing %" G_GINT64_FORMAT "), %d excluded",
               n_offenders, census->n_judged, violations[SL_RULE_RANGE],
               violations[SL_RULE_IMPOSSIBLE], violations[SL_RULE_MISSING], n_excluded);
  if (census->digests != NULL)
    sl_run_note (run, "%u rows repeat an earlier one", census->duplicates->len);
}

/* ---- annotators that the user names ---- */

static gboolean
is_table (const char *path)
{
  static const char *const ends[] = { ".parquet", ".arrow", ".arrows", ".feather" };
  for (gsize e = 0; e < G_N_ELEMENTS (ends); e++)
    if (g_str_has_suffix (path, ends[e]))
      return TRUE;
  return FALSE;
}

/* The empty name is nobody's. */
static void
add_name (GPtrArray *names, const char *name, gsize length)
{
  if (length > 0)
    g_ptr_array_add (names, g_strndup (name, length));
}

static gboolean
read_table (GPtrArray *names, SlRun *run, const char *path, GError **error)
{
  static const SlKind *const kinds[] = { &sl_annotators, NULL };
  g_autoptr (SlReader) reader = sl_run_open (run, "annotators", path, kinds, error);
  if (reader == NULL)
    return FALSE;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    for (gint64 i = 0; i < batch->n_rows; i++)
      {
        const guint8 *excluded = batch->column[SL_ANNOTATORS_EXCLUDED].flag;
        gsize length;
        if (excluded != NULL && !excluded[i])
          continue;
        const char *name = sl_text_get (batch->column[SL_ANNOTATORS_ANNOTATOR].text, i, &length);
        add_name (names, name, length);
      }
  return ok;
}

static gboolean
read_text (GPtrArray *names, SlRun *run, const char *path, GError **error)
{
  gsize length;
  g_autofree char *text = NULL;
  g_autoptr (GError) problem = NULL;
  if (!sl_run_add_option_file (run, "annotators", path, error))
    return FALSE;
  if (!sl_named_file_read (path, &text, &length, &problem))
    return sl_error_runtime (error, "--annotators: %s: cannot be read: %s", path, problem->message);
  if (!g_utf8_validate (text, (gssize) length, NULL))
    return sl_error_bad_input (error,
                               "%s: it is no text in UTF-8; --annotators takes names, one a line, "
                               "or a table of annotators (.parquet, .arrow)",
                               path);
  g_auto (GStrv) lines
      = g_strsplit (g_str_has_prefix (text, "\xef\xbb\xbf") ? text + 3 : text, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    {
      g_strchomp (*line);
      add_name (names, *line, strlen (*line));
    }
  return TRUE;
}

/* The names in PATH, a text file with one a line or a table of annotators (.parquet, .arrow,
 * .arrows, .feather), of which those that it says are excluded, if it says so of any. Before the
 * output begins: PATH is part of its history. NULL and ERROR where it cannot be read. */
static GPtrArray *
read_named (SlRun *run, const char *path, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  if (!(is_table (path) ? read_table : read_text) (names, run, path, error))
    return NULL;
  if (!sl_run_claim_array (run, names->len, 64, "the names of annotators", error))
    return NULL;
  if (names->len == 0)
    sl_run_warn (run, "--annotators: %s names nobody", path);
  return g_steal_pointer (&names);
}

/* Once all rows are counted: those of NAMES are to go. Names that nobody has are told of. */
static void
list_named (const GPtrArray *names, SlCensus *census, SlRun *run, const char *path)
{
  guint n_unknown = 0;
  g_autofree char *first = NULL;
  for (guint i = 0; i < names->len; i++)
    {
      const char *name = names->pdata[i];
      if (sl_census_list (census, name, strlen (name)))
        continue;
      n_unknown++;
      if (first == NULL)
        first = sl_shown (name, strlen (name));
    }
  if (n_unknown > 0)
    sl_run_warn (run, "--annotators: %u of the names in %s answered nothing, as '%s'", n_unknown,
                 path, first);
}

/* ---- the two passes ---- */

/* First pass: what everyone did. */
static gboolean
count_all (SlRun *run, SlCensus *census, gint64 *n_rows, GError **error)
{
  *n_rows = 0;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (run, &batch, &ok, error))
    {
      ok = sl_census_count (census, run, batch, error);
      *n_rows += batch->n_rows;
    }
  return ok;
}

static gboolean
copy_batch (SlRun *run, const SlCensus *census, SlBatch *batch, SlBuilder *builder, SlTable *table,
            SlIntern *lost, guint *duplicate, gint64 *n_kept, GError **error)
{
  const Options *options = run->options->values;
  SlAnnotations view = sl_annotations_view (batch);
  g_autofree guint8 *out = g_new (guint8, view.n);
  g_autofree guint8 *keep = g_new (guint8, view.n);
  if (!sl_census_sort_out (census, batch, duplicate, out, error))
    return FALSE;
  for (gint64 i = 0; i < view.n; i++)
    {
      keep[i] = !out[i] && !(view.check != NULL && view.check[i]);
      *n_kept += keep[i];
      if (out[i] && !(view.check != NULL && view.check[i]))
        {
          gsize length;
          const char *item = sl_text_get (view.item, i, &length);
          (void) sl_intern (lost, item, length);
        }
      if (options->mark)
        {
          sl_builder_bool (builder, SL_ANNOTATIONS_EXCLUDED, out[i]);
          keep[i] = TRUE;
        }
    }
  g_autoptr (SlBatch) rows = sl_batch_filter (batch, keep, error);
  if (rows == NULL)
    return FALSE;
  if (rows->n_rows == 0)
    return TRUE;
  for (int column = 0; table->spec[column].name != NULL; column++)
    if (sl_table_has (table, column) && column != SL_ANNOTATIONS_EXCLUDED)
      sl_builder_share (builder, column, rows, column);
  return sl_writer_write_built (run->out, builder, TRUE, error);
}

/* Second pass: the rows that stay. LOST <- the items of those that go. */
static gboolean
copy_all (SlRun *run, const SlCensus *census, SlTable *table, SlIntern *lost, gint64 *n_kept,
          GError **error)
{
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  guint duplicate = 0;
  *n_kept = 0;
  sl_run_passes (run, sl_census_is_empty (census) ? 2 : 3);
  if (!sl_reader_rewind (run->in, error))
    return FALSE;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  gsize claimed = 0;
  while (sl_run_each (run, &batch, &ok, error))
    ok = copy_batch (run, census, batch, builder, table, lost, &duplicate, n_kept, error)
         && sl_run_claim_up_to (run, &claimed, sl_intern_bytes (lost),
                                "the items of annotators who are excluded", error);
  return ok;
}

/* Third pass, where rows were left out: how many of the items LOST have no other answers. */
static gboolean
tell_of_lost_items (SlRun *run, const SlCensus *census, const SlIntern *lost, GError **error)
{
  gint32 n = sl_intern_size (lost), gone = n;
  if (n == 0 || sl_census_is_empty (census))
    return TRUE;
  g_autofree guint8 *kept = g_new0 (guint8, n);
  guint duplicate = 0;
  if (!sl_reader_rewind (run->in, error))
    return FALSE;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (gone > 0 && sl_run_each (run, &batch, &ok, error))
    {
      SlAnnotations view = sl_annotations_view (batch);
      g_autofree guint8 *out = g_new (guint8, view.n);
      ok = sl_census_sort_out (census, batch, &duplicate, out, error);
      for (gint64 i = 0; ok && i < view.n; i++)
        {
          gsize length;
          const char *item = sl_text_get (view.item, i, &length);
          if (out[i] || (view.check != NULL && view.check[i]))
            continue;
          gint32 number = sl_intern_find (lost, item, length);
          gone -= number >= 0 && !kept[number];
          if (number >= 0)
            kept[number] = TRUE;
        }
    }
  if (ok && gone > 0)
    sl_run_warn (run, "%d item%s no answer any more: all of %s answers are %s", gone,
                 gone == 1 ? " has" : "s have", gone == 1 ? "its" : "their",
                 ((const Options *) run->options->values)->mark ? "marked" : "left out");
  return ok;
}

/* The input's columns, with `excluded` where it is asked for. */
static SlTable *
output_table (const Options *options, const SlTable *in)
{
  SlTable *table = sl_table_new (&sl_annotations, (const char *const *) in->classes);
  sl_table_take_columns (table, in, in->columns & ~(1u << SL_ANNOTATIONS_EXCLUDED));
  if (options->mark)
    sl_table_add (table, SL_ANNOTATIONS_EXCLUDED);
  return table;
}

/* Options for which nothing in the table can be held against anybody. --max-accuracy asks for the
 * wrong to go: without gold it would let all of them stay. */
static gboolean
check_grounds (SlRun *run, const SlCensus *census, GError **error)
{
  const Options *options = run->options->values;
  if (options->rule.max_accuracy > 0 && !sl_census_knows (census, SL_KNOWS_GOLD))
    return sl_error_bad_input (error,
                               "%s: no answer's gold is known, and --max-accuracy goes by it; "
                               "`softlabel join --columns gold --with FILE` brings gold",
                               sl_reader_name (run->in));
  if (sl_option_given (run->options, "min-accuracy") && !sl_census_knows (census, SL_KNOWS_GOLD))
    sl_run_warn (run, "no answer's gold is known, so --min-accuracy excludes nobody");
  if (options->rule.min_agreement > 0 && !sl_census_knows (census, SL_KNOWS_OTHERS))
    sl_run_warn (run, "no item has answers of several annotators, so --min-agreement excludes "
                      "nobody");
  if (options->rule.min_check_accuracy > 0 && !census->checks)
    sl_run_warn (run, "no row is an attention check, so --min-check-accuracy excludes nobody");
  if (options->rule.min_seconds > 0 && !census->times)
    sl_run_warn (run, "no answer's seconds are known, so --min-seconds excludes nobody");
  if (options->rule.max_odd < 1 && !census->oddities)
    sl_run_warn (run,
                 "--max-odd excludes nobody: there is no column `odd`, as `softlabel ingest --from "
                 "survey` reads it");
  return TRUE;
}

/* The first pass, and the verdicts. */
static gboolean
judge (SlRun *run, SlCensus *census, const GPtrArray *named, const SlVerdictRule *rule,
       gint64 *n_rows, GError **error)
{
  const Options *options = run->options->values;
  if (!count_all (run, census, n_rows, error))
    return FALSE;
  if (named != NULL)
    list_named (named, census, run, options->annotators);
  if ((census->items != NULL && !sl_census_find_agreement (census, run, error))
      || !check_grounds (run, census, error))
    return FALSE;
  sl_census_judge (census, rule);
  if (sl_census_is_empty (census))
    sl_run_warn (run, "every annotator is excluded: %s",
                 options->mark ? "all rows are marked" : "the output has no rows");
  return TRUE;
}

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  const SlTable *in = sl_reader_table (run->in);
  if (!sl_table_has (in, SL_ANNOTATIONS_ANNOTATOR))
    return sl_error_bad_input (
        error,
        "%s: no column 'annotator', so there is nobody to exclude; name it where the "
        "answers are ingested",
        sl_reader_name (run->in));
  const SlVerdictRule *rule = &options->rule;
  g_autoptr (SlCensus) census = sl_census_new ((SlDedupe) options->dedupe);
  g_autoptr (SlTable) table = output_table (options, in);
  g_autoptr (SlTable) report = report_table (rule->min_agreement > 0);
  g_autoptr (GPtrArray) named = NULL;
  gint64 n_rows, n_kept;
  SlWriter *writer = NULL;
  sl_reader_keep (run->in);
  sl_run_passes (run, 3);
  if (rule->min_agreement > 0)
    sl_census_ask_agreement (census, in->n_classes);
  if (rule->max_same < 1)
    sl_census_ask_classes (census, in->n_classes);
  census->min_seconds = rule->min_seconds;
  if ((options->annotators != NULL
       && (named = read_named (run, options->annotators, error)) == NULL)
      || !sl_run_start (run, table, error)
      || (options->report != NULL
          && (writer = sl_run_side_table (run, options->report, report, error)) == NULL)
      || !judge (run, census, named, rule, &n_rows, error))
    return FALSE;
  if (writer != NULL
      && !write_report (writer, report, census, rule, sl_table_has (in, SL_ANNOTATIONS_COMPLETE),
                        error))
    return FALSE;
  g_autoptr (SlIntern) lost = sl_intern_new ();
  if (!copy_all (run, census, table, lost, &n_kept, error)
      || !tell_of_lost_items (run, census, lost, error))
    return FALSE;
  note_report (run, census);
  sl_run_note (run, "%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " rows %s", n_kept, n_rows,
               options->mark ? "stay unmarked" : "kept");
  return TRUE;
}

static const SlKind *const reads[] = { &sl_annotations, NULL };

const SlCommand sl_command_exclude = {
  .name = "exclude",
  .summary = "leave out the answers of careless annotators",
  .arguments = "[FILE…]",
  .reads = reads,
  .writes = &sl_annotations,
  SL_OPTIONS (option_table, defaults),
  .description
  = "An answer violates `range` if it has a percent outside 0 to 100, `impossible` if it rules out "
    "a class it chooses, `missing` if its first percent was 0 or not given. An annotator is "
    "excluded for more violations of one kind than allowed, or for any violation if the "
    "annotator's accuracy on gold is low. Nobody is excluded for disagreeing with gold alone "
    "unless --max-accuracy asks for it, and where gold is not known accuracy plays no part. Of "
    "plain votes --min-agreement, --min-answers and --annotators tell the careless.\n"
    "With --count-mode total, the violations of all kinds together are held against the limit of "
    "every kind that the annotator has violated.\n"
    "Attention checks are not judgements: they count for --min-check-accuracy only, and are left "
    "out of the output. Rows that repeat an earlier one count once with --dedupe; it is off unless "
    "asked for, as someone may have given the same plain vote twice: `exact` is for a session that "
    "was stored twice, `item` for whoever answered an item again. Rows that an earlier --mark has "
    "marked are left out.\n"
    "The input is read twice, and a third time to tell how many items have no answer any more: a "
    "file from the disk, a pipe from memory. Beside that, memory grows with the annotators (with "
    "--max-same-share, times the classes) and the items of those who are excluded, and with "
    "--dedupe or --min-agreement with the rows.",
  .examples
  = "softlabel exclude --report annotators.csv answers.parquet -o careful.parquet\n"
    "    Leave out careless annotators and write down who and why.\n"
    "softlabel exclude --preset released --dedupe exact answers.parquet -o careful.parquet\n"
    "    As CIFAR-10S was made, but without the batch that was stored twice.\n"
    "softlabel exclude --min-answers 20 --min-agreement 0.4 votes.parquet -o careful.parquet\n"
    "    Of plain votes, leave out who answered too little to judge, or as nobody else does.\n"
    "softlabel exclude --mark --min-check-accuracy 0.75 votes.parquet -o marked.parquet\n"
    "    Keep all rows, marked by how their annotators did on attention checks.\n",
  .check = check_options,
  .run = run,
};
