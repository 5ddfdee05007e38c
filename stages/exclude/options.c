/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options.h"

#include "pipeline/base/error.h"
#include "pipeline/base/number-text.h"
#include "pipeline/command/options/option-rows.h"

#include <string.h>

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

const SlExcludeOptions sl_exclude_defaults = { .min_accuracy = 0.75 };

static const char *const applies[] = { "preset", "any", "once", NULL };
static const char *const count_modes[] = { "per-kind", "total", NULL };
static const char *const incompletes[] = { "drop", "keep", NULL };
static const char *const dedupes[] = { "off", "exact", NULL };

#define OPTIONS SlExcludeOptions

const SlOption sl_exclude_options[] = {
  CHOICE ("preset", preset, sl_preset_names,
          "how many violations of each kind an annotator may have: default one; released (the code "
          "of CIFAR-10S) one, but none of range; paper (its text) two, and the limit of accuracy "
          "applies to annotators with exactly one. Other options override it"),
  TEXT ("max-violations", max_violations, "KIND=N,...",
        "the most violations that are let pass, for any of range, impossible, missing"),
  REAL ("min-accuracy", min_accuracy, 0, 1, "SHARE",
        "the accuracy on gold below which violations exclude"),
  CHOICE ("accuracy-applies", accuracy_applies, applies,
          "to annotators with any violation, or with exactly one (once); as the preset has it "
          "otherwise"),
  CHOICE (
      "count-mode", count_mode, count_modes,
      "what is held against a kind's limit: its own violations, or those of all kinds together"),
  REAL (
      "min-check-accuracy", min_check, 0, 1, "SHARE",
      "exclude annotators who get a smaller share of the attention checks right; 0: no such rule"),
  INPUT ("annotators", annotators, "FILE",
         "exclude the annotators that a text file names, one a line, or that are in a table of "
         "annotators (.parquet, .arrow); of a report of this verb, those that it excluded"),
  REAL ("max-accuracy", max_accuracy, 0, 1, "SHARE",
        "exclude annotators whose accuracy on gold is that or less, with violations or without; 0: "
        "no such rule. Gold must be known"),
  REAL ("min-agreement", min_agreement, 0, 1, "SHARE",
        "exclude annotators with whom a smaller share of others' answers to the same items agrees; "
        "0: no such rule"),
  WHOLE ("min-answers", min_answers, 0, G_MAXINT32, "N",
         "exclude annotators with fewer answers; attention checks and repeated rows do not count"),
  CHOICE ("incomplete", incomplete, incompletes, "annotators whose session did not reach its end"),
  CHOICE ("dedupe", dedupe, dedupes,
          "whether to leave out rows that repeat an earlier one exactly: annotator, item, answers, "
          "trial and time"),
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
gboolean
sl_exclude_check (SlOptions *given, GError **error)
{
  SlExcludeOptions *options = given->values;
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

SlVerdictRule
sl_exclude_rule (const SlExcludeOptions *options)
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
