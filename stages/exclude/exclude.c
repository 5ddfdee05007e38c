/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exclude: annotations in, the annotations of careful annotators out. Rule: Collins, Bhatt &
 * Weller, HCOMP 2022, section 4.1 (rules.c). Two passes: the first counts, the second copies. */
#include "pipeline/base/process/named-files.h"
#include "pipeline/base/shown-text.h"
#include "schemas/annotations.h"
#include "census.h"
#include "options.h"

#include <string.h>

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
            guint *duplicate, gint64 *n_kept, GError **error)
{
  const SlExcludeOptions *options = run->options->values;
  SlAnnotations view = sl_annotations_view (batch);
  g_autofree guint8 *out = g_new (guint8, view.n);
  g_autofree guint8 *keep = g_new (guint8, view.n);
  if (!sl_census_sort_out (census, batch, duplicate, out, error))
    return FALSE;
  for (gint64 i = 0; i < view.n; i++)
    {
      keep[i] = !out[i] && !(view.check != NULL && view.check[i]);
      *n_kept += keep[i];
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

/* Second pass: the rows that stay. */
static gboolean
copy_all (SlRun *run, const SlCensus *census, SlTable *table, gint64 *n_kept, GError **error)
{
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  guint duplicate = 0;
  *n_kept = 0;
  if (!sl_reader_rewind (run->in, error))
    return FALSE;
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (run, &batch, &ok, error))
    ok = copy_batch (run, census, batch, builder, table, &duplicate, n_kept, error);
  return ok;
}

/* The input's columns, with `excluded` where it is asked for. */
static SlTable *
output_table (const SlExcludeOptions *options, const SlTable *in)
{
  SlTable *table = sl_table_new (&sl_annotations, (const char *const *) in->classes);
  for (int column = 0; in->spec[column].name != NULL; column++)
    if (sl_table_has (in, column) && column != SL_ANNOTATIONS_EXCLUDED)
      sl_table_add (table, column);
  if (options->mark)
    sl_table_add (table, SL_ANNOTATIONS_EXCLUDED);
  return table;
}

/* Options for which nothing in the table can be held against anybody. --max-accuracy asks for the
 * wrong to go: without gold it would let all of them stay. */
static gboolean
check_grounds (SlRun *run, const SlCensus *census, GError **error)
{
  const SlExcludeOptions *options = run->options->values;
  if (options->max_accuracy > 0 && !sl_census_knows (census, SL_KNOWS_GOLD))
    return sl_error_bad_input (error,
                               "%s: no answer's gold is known, and --max-accuracy goes by it; "
                               "`softlabel join --columns gold --with FILE` brings gold",
                               sl_reader_name (run->in));
  if (sl_option_given (run->options, "min-accuracy") && !sl_census_knows (census, SL_KNOWS_GOLD))
    sl_run_warn (run, "no answer's gold is known, so --min-accuracy excludes nobody");
  if (options->min_agreement > 0 && !sl_census_knows (census, SL_KNOWS_OTHERS))
    sl_run_warn (run, "no item has answers of several annotators, so --min-agreement excludes "
                      "nobody");
  if (options->min_check > 0 && !census->checks)
    sl_run_warn (run, "no row is an attention check, so --min-check-accuracy excludes nobody");
  return TRUE;
}

/* The first pass, and the verdicts. */
static gboolean
judge (SlRun *run, SlCensus *census, const GPtrArray *named, const SlVerdictRule *rule,
       gint64 *n_rows, GError **error)
{
  const SlExcludeOptions *options = run->options->values;
  if (!count_all (run, census, n_rows, error))
    return FALSE;
  if (named != NULL)
    list_named (named, census, run, options->annotators);
  if ((census->items != NULL && !sl_census_find_agreement (census, run, error))
      || !check_grounds (run, census, error))
    return FALSE;
  gint32 n_excluded = sl_census_judge (census, rule);
  if (n_excluded > 0 && n_excluded == census->n_judged)
    sl_run_warn (run, "every annotator is excluded: %s",
                 options->mark ? "all rows are marked" : "the output has no rows");
  return TRUE;
}

static gboolean
run (SlRun *run, GError **error)
{
  const SlExcludeOptions *options = run->options->values;
  const SlTable *in = sl_reader_table (run->in);
  if (!sl_table_has (in, SL_ANNOTATIONS_ANNOTATOR))
    return sl_error_bad_input (
        error,
        "%s: no column 'annotator', so there is nobody to exclude; name it where the "
        "answers are ingested",
        sl_reader_name (run->in));
  SlVerdictRule rule = sl_exclude_rule (options);
  g_autoptr (SlCensus) census = sl_census_new (options->dedupe == SL_DEDUPE_EXACT);
  g_autoptr (SlTable) table = output_table (options, in);
  g_autoptr (SlTable) report = report_table (options->min_agreement > 0);
  g_autoptr (GPtrArray) named = NULL;
  gint64 n_rows, n_kept;
  SlWriter *writer = NULL;
  sl_reader_keep (run->in);
  if (options->min_agreement > 0)
    sl_census_ask_agreement (census, sl_reader_table (run->in)->n_classes);
  if ((options->annotators != NULL
       && (named = read_named (run, options->annotators, error)) == NULL)
      || !sl_run_start (run, table, error)
      || (options->report != NULL
          && (writer = sl_run_side_table (run, options->report, report, error)) == NULL)
      || !judge (run, census, named, &rule, &n_rows, error))
    return FALSE;
  if (writer != NULL
      && !write_report (writer, report, census, &rule, sl_table_has (in, SL_ANNOTATIONS_COMPLETE),
                        error))
    return FALSE;
  if (!copy_all (run, census, table, &n_kept, error))
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
  SL_OPTIONS (sl_exclude_options, sl_exclude_defaults),
  .description
  = "An answer violates `range` if it has a percent outside 0 to 100, `impossible` if it "
    "rules out a class it chooses, `missing` if its first percent was 0 or not given. "
    "Annotators with more violations of one kind than allowed are excluded, and those with a "
    "violation whose accuracy on gold is low. Nobody is excluded for disagreeing with gold "
    "alone unless --max-accuracy asks for it, and where gold is not known accuracy plays no part. "
    "Of plain votes --min-agreement, --min-answers and --annotators tell the careless.\n"
    "With --count-mode total, the violations of all kinds together are held against the limit "
    "of every kind that the annotator has violated.\n"
    "Attention checks are not judgements: they count for --min-check-accuracy only, and are "
    "left out of the output. Rows that repeat an earlier one exactly count once with --dedupe "
    "exact; it is off unless asked for, as someone may have given the same plain vote twice. "
    "Rows that an earlier --mark has marked are left out.\n"
    "The input is read twice: a file from the disk, a pipe from memory. Beside that, memory "
    "grows with the annotators, and with --dedupe exact or --min-agreement with the rows.",
  .examples
  = "softlabel exclude --report annotators.csv answers.parquet -o careful.parquet\n"
    "    Leave out careless annotators and write down who and why.\n"
    "softlabel exclude --preset released --dedupe exact answers.parquet -o careful.parquet\n"
    "    As CIFAR-10S was made, but without the batch that was stored twice.\n"
    "softlabel exclude --min-answers 20 --min-agreement 0.4 votes.parquet -o careful.parquet\n"
    "    Of plain votes, leave out who answered too little to judge, or as nobody else does.\n"
    "softlabel exclude --mark --min-check-accuracy 0.75 votes.parquet -o marked.parquet\n"
    "    Keep all rows, marked by how their annotators did on attention checks.\n",
  .check = sl_exclude_check,
  .run = run,
};
