/* SPDX-License-Identifier: GPL-3.0-or-later */
/* exclude: annotations in, the annotations of careful annotators out. Rule: Collins, Bhatt &
 * Weller, HCOMP 2022, section 4.1 (rules.c). Two passes: the first counts, the second copies. */
#include <string.h>

#include "pipeline/base/number-text.h"
#include "pipeline/base/shown-text.h"
#include "schemas/annotations.h"
#include "census.h"
#include "report.h"

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

enum
{
  DEDUPE_OFF,
  DEDUPE_EXACT
};

typedef struct
{
  int preset;           /* into sl_presets */
  char *max_violations; /* KIND=N,... */
  double min_accuracy;  /* [0, 1] */
  int accuracy_applies; /* APPLIES_... */
  int count_mode;       /* 0 per kind, 1 total */
  double min_check;     /* [0, 1]; 0 for none */
  char *annotators;     /* a file of names */
  double max_accuracy;  /* [0, 1]; 0 for none */
  double min_agreement; /* [0, 1]; 0 for none */
  gint64 min_answers;   /* 0 for none */
  int incomplete;       /* INCOMPLETE_... */
  int dedupe;           /* DEDUPE_... */
  char *report;
  gboolean mark;
} Options;

static const Options defaults = { .min_accuracy = 0.75 };

static const char *const applies[] = { "preset", "any", "once", NULL };
static const char *const count_modes[] = { "per-kind", "total", NULL };
static const char *const incompletes[] = { "drop", "keep", NULL };
static const char *const dedupes[] = { "off", "exact", NULL };

static const SlOption option_table[] = {
  { .name = "preset",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (Options, preset),
    .choices = sl_preset_names,
    .help = "how many violations of each kind an annotator may have: default one; released (the "
            "code of CIFAR-10S) one, but none of range; paper (its text) two, and the limit of "
            "accuracy applies to annotators with exactly one. Other options override it" },
  { .name = "max-violations",
    .kind = SL_OPTION_TEXT,
    .field = offsetof (Options, max_violations),
    .placeholder = "KIND=N,...",
    .help = "the most violations that are let pass, for any of range, impossible, missing" },
  { .name = "min-accuracy",
    .kind = SL_OPTION_REAL,
    .field = offsetof (Options, min_accuracy),
    .min = 0,
    .max = 1,
    .placeholder = "SHARE",
    .help = "the accuracy on gold below which violations exclude" },
  { .name = "accuracy-applies",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (Options, accuracy_applies),
    .choices = applies,
    .help = "to annotators with any violation, or with exactly one (once); as the preset has it "
            "otherwise" },
  { .name = "count-mode",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (Options, count_mode),
    .choices = count_modes,
    .help
    = "what is held against a kind's limit: its own violations, or those of all kinds together" },
  { .name = "min-check-accuracy",
    .kind = SL_OPTION_REAL,
    .field = offsetof (Options, min_check),
    .min = 0,
    .max = 1,
    .placeholder = "SHARE",
    .help
    = "exclude annotators who get a smaller share of the attention checks right; 0: no such rule" },
  { .name = "annotators",
    .kind = SL_OPTION_INPUT,
    .field = offsetof (Options, annotators),
    .placeholder = "FILE",
    .help = "exclude the annotators that a text file names, one a line" },
  { .name = "max-accuracy",
    .kind = SL_OPTION_REAL,
    .field = offsetof (Options, max_accuracy),
    .min = 0,
    .max = 1,
    .placeholder = "SHARE",
    .help = "exclude annotators whose accuracy on gold is that or less, with violations or "
            "without; 0: no such rule" },
  { .name = "min-agreement",
    .kind = SL_OPTION_REAL,
    .field = offsetof (Options, min_agreement),
    .min = 0,
    .max = 1,
    .placeholder = "SHARE",
    .help = "exclude annotators with whom a smaller share of others' answers to the same items "
            "agrees; 0: no such rule" },
  { .name = "min-answers",
    .kind = SL_OPTION_INTEGER,
    .field = offsetof (Options, min_answers),
    .min = 0,
    .max = G_MAXINT32,
    .placeholder = "N",
    .help = "exclude annotators with fewer answers; attention checks and repeated rows do not "
            "count" },
  { .name = "incomplete",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (Options, incomplete),
    .choices = incompletes,
    .help = "annotators whose session did not reach its end" },
  { .name = "dedupe",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (Options, dedupe),
    .choices = dedupes,
    .help = "whether to leave out rows that repeat an earlier one exactly: annotator, item, "
            "answers, trial and time" },
  { .name = "report",
    .kind = SL_OPTION_OUTPUT,
    .field = offsetof (Options, report),
    .placeholder = "FILE",
    .help = "write a table of all annotators, with counts, verdicts and reasons" },
  { .name = "mark",
    .kind = SL_OPTION_FLAG,
    .field = offsetof (Options, mark),
    .help = "keep every row, and say in a column `excluded` which ones would have been left out" },
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
  gint64 allowed[SL_N_RULES];
  const SlVerdictRule *preset = &sl_presets[options->preset];
  memcpy (allowed, preset->allowed, sizeof allowed);
  if (options->max_violations != NULL && !parse_limits (options->max_violations, allowed, error))
    return FALSE;
  g_clear_pointer (&options->max_violations, g_free);
  if (memcmp (allowed, preset->allowed, sizeof allowed) != 0)
    options->max_violations = g_strdup_printf (
        "range=%" G_GINT64_FORMAT ",impossible=%" G_GINT64_FORMAT ",missing=%" G_GINT64_FORMAT,
        allowed[SL_RULE_RANGE], allowed[SL_RULE_IMPOSSIBLE], allowed[SL_RULE_MISSING]);
  if (options->accuracy_applies == (preset->once ? APPLIES_ONCE : APPLIES_ANY))
    options->accuracy_applies = APPLIES_PRESET;
  if (!sl_option_given (given, "min-accuracy"))
    options->min_accuracy = preset->min_accuracy;
  return TRUE;
}

static SlVerdictRule
chosen_rule (const Options *options)
{
  const SlVerdictRule *preset = &sl_presets[options->preset];
  SlVerdictRule rule = { .total = options->count_mode == 1,
                         .min_accuracy = options->min_accuracy,
                         .once = options->accuracy_applies == APPLIES_PRESET
                                     ? preset->once
                                     : options->accuracy_applies == APPLIES_ONCE,
                         .min_check_accuracy = options->min_check,
                         .max_accuracy = options->max_accuracy,
                         .min_agreement = options->min_agreement,
                         .min_answers = options->min_answers,
                         .drop_incomplete = options->incomplete == INCOMPLETE_DROP };
  memcpy (rule.allowed, preset->allowed, sizeof rule.allowed);
  gboolean whole = options->max_violations == NULL
                   || parse_limits (options->max_violations, rule.allowed, NULL);
  g_assert (whole); /* check() wrote it */
  return rule;
}

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

/* The annotators that the user names are to go; names that nobody has are told of. */
static gboolean
list_annotators (SlRun *run, SlCensus *census, const char *path, GError **error)
{
  gsize length, n_unknown = 0;
  g_autofree char *text = NULL, *first = NULL;
  g_autoptr (GError) problem = NULL;
  if (path == NULL)
    return TRUE;
  if (!g_file_get_contents (path, &text, &length, &problem))
    {
      g_set_error (error, SL_ERROR, SL_ERROR_RUNTIME, "--annotators: %s", problem->message);
      return FALSE;
    }
  g_auto (GStrv) names = g_strsplit (text, "\n", -1);
  for (char **name = names; *name != NULL; name++)
    {
      g_strchomp (*name);
      if ((*name)[0] == '\0' || sl_census_list (census, *name, strlen (*name)))
        continue;
      n_unknown++;
      if (first == NULL)
        first = sl_shown (*name, strlen (*name));
    }
  if (n_unknown > 0)
    sl_run_warn (run,
                 "--annotators: %" G_GSIZE_FORMAT " of the names in %s answered nothing, as '%s'",
                 n_unknown, path, first);
  return TRUE;
}

static gboolean
copy_batch (SlRun *run, const SlCensus *census, SlBatch *batch, SlBuilder *builder, SlTable *table,
            guint *duplicate, gint64 *n_kept, GError **error)
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
output_table (const Options *options, const SlTable *in)
{
  SlTable *table = sl_table_new (&sl_annotations, (const char *const *) in->classes);
  for (int column = 0; in->spec[column].name != NULL; column++)
    if (sl_table_has (in, column) && column != SL_ANNOTATIONS_EXCLUDED)
      sl_table_add (table, column);
  if (options->mark)
    sl_table_add (table, SL_ANNOTATIONS_EXCLUDED);
  return table;
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
  SlVerdictRule rule = chosen_rule (options);
  g_autoptr (SlCensus) census = sl_census_new (options->dedupe == DEDUPE_EXACT);
  g_autoptr (SlTable) table = output_table (options, in);
  gint64 n_rows, n_kept;
  sl_reader_keep (run->in);
  g_autoptr (SlTable) report = sl_report_table ();
  SlWriter *writer = NULL;
  if (options->min_agreement > 0)
    sl_census_ask_agreement (census);
  if ((options->annotators != NULL
       && !sl_run_add_option_file (run, "annotators", options->annotators, error))
      || !sl_run_start (run, table, error)
      || (options->report != NULL
          && (writer = sl_run_side_table (run, options->report, report, error)) == NULL)
      || !count_all (run, census, &n_rows, error)
      || !list_annotators (run, census, options->annotators, error)
      || (census->items != NULL
          && !sl_census_find_agreement (census, run, table->n_classes, error)))
    return FALSE;
  gint32 n_excluded = sl_census_judge (census, &rule);
  if (writer != NULL
      && !sl_report_write (writer, report, census, &rule,
                           sl_table_has (in, SL_ANNOTATIONS_COMPLETE), error))
    return FALSE;
  if (!copy_all (run, census, table, &n_kept, error))
    return FALSE;
  sl_report_note (run, census);
  sl_run_note (run, "%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " rows %s", n_kept, n_rows,
               options->mark ? "stay unmarked" : "kept");
  if (options->min_check > 0 && !census->checks)
    sl_run_warn (run, "no row is an attention check, so --min-check-accuracy excludes nobody");
  if (n_excluded > 0 && n_excluded == census->n_judged)
    sl_run_warn (run, "every annotator is excluded: %s",
                 options->mark ? "all rows are marked" : "the output has no rows");
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
  .check = check_options,
  .run = run,
};
