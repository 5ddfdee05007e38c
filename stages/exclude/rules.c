/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Violations: Collins, Bhatt & Weller, "Eliciting and Learning with Soft Labels from Every
 * Annotator", HCOMP 2022, section 4.1. Attention checks: Peterson, Battleday, Griffiths &
 * Russakovsky, ICCV 2019.
 *
 * With v_c the answers that break rule c, annotator a is excluded
 *   if v_c > allowed_c for any c, or
 *   if sum_c v_c >= 1 (or = 1: `once`) and accuracy(a) < min_accuracy, or
 *   if the accuracy on attention checks is below min_check_accuracy.
 * Disagreeing with gold alone never excludes, as an annotator who sees the images differently is
 * not careless, unless the user asks for it: if accuracy(a) <= max_accuracy, if the share of
 * others' answers that are the same is below min_agreement, if a has fewer than min_answers
 * answers, if more than half of them took less than min_seconds, if more than max_same of them are
 * of one class, if more than max_odd of them are odd, or if a is named. */
#include "rules.h"

#include <math.h>

const char *const sl_rule_names[] = { "range", "impossible", "missing", NULL };

/* The paper excludes annotators who err "more than twice", and applies the limit of accuracy to
 * those who err "only once". The code published with it allows one violation of a kind, and none of
 * range, and applies the limit of accuracy to every annotator with a violation. */
const char *const sl_preset_names[] = { "default", "released", "paper", NULL };
const SlVerdictRule sl_presets[] = {
  { .allowed = { 1, 1, 1 }, .min_accuracy = 0.75 },
  { .allowed = { 0, 1, 1 }, .min_accuracy = 0.75 },
  { .allowed = { 2, 2, 2 }, .min_accuracy = 0.75, .once = TRUE },
};

static gboolean
is_ruled_out (const SlRecords *answers, gint64 i, gint32 class)
{
  for (gint32 j = answers->impossible_start[i]; j < answers->impossible_start[i + 1]; j++)
    if (answers->impossible[j] == class)
      return TRUE;
  return FALSE;
}

void
sl_find_violations (const SlRecords *answers, const guint8 *repaired, gint64 first, gint64 end,
                    guint8 *violations)
{
  for (gint64 i = first; i < end; i++)
    {
      gint32 from = answers->start[i];
      gint32 to = answers->start[i + 1];
      gboolean range = FALSE;
      gboolean impossible = FALSE;
      gboolean missing
          = from == to || isnan (answers->percent[from]) || answers->percent[from] == 0;
      missing |= repaired != NULL && repaired[i];
      for (gint32 j = from; j < to; j++)
        {
          range |= answers->percent[j] < 0 || answers->percent[j] > 100; /* false for NaN */
          impossible |= is_ruled_out (answers, i, answers->choice[j]);
        }
      violations[i]
          = (guint8) ((range ? 1 << SL_RULE_RANGE : 0) | (impossible ? 1 << SL_RULE_IMPOSSIBLE : 0)
                      | (missing ? 1 << SL_RULE_MISSING : 0));
    }
}

double
sl_conduct_accuracy (const SlConduct *conduct)
{
  return conduct->with_gold > 0 ? (double) conduct->right / (double) conduct->with_gold
                                : (double) NAN;
}

double
sl_conduct_check_accuracy (const SlConduct *conduct)
{
  return conduct->checks_with_gold > 0
             ? (double) conduct->checks_right / (double) conduct->checks_with_gold
             : (double) NAN;
}

static gint64
all_violations (const SlConduct *conduct)
{
  gint64 sum = 0;
  for (int c = 0; c < SL_N_RULES; c++)
    sum += conduct->violations[c];
  return sum;
}

guint
sl_verdict (const SlVerdictRule *rule, const SlConduct *conduct)
{
  guint grounds = 0;
  gint64 all = all_violations (conduct);
  for (int c = 0; c < SL_N_RULES; c++)
    {
      gint64 held_against
          = rule->total && conduct->violations[c] > 0 ? all : conduct->violations[c];
      if (held_against > rule->allowed[c])
        grounds |= 1u << c;
    }
  /* Comparisons with NaN, an accuracy not known, are false: then the rule does not apply. */
  if ((rule->once ? all == 1 : all >= 1) && sl_conduct_accuracy (conduct) < rule->min_accuracy)
    grounds |= SL_GROUND_ACCURACY;
  if (sl_conduct_check_accuracy (conduct) < rule->min_check_accuracy)
    grounds |= SL_GROUND_CHECKS;
  if (rule->drop_incomplete && conduct->incomplete)
    grounds |= SL_GROUND_INCOMPLETE;
  if (conduct->listed)
    grounds |= SL_GROUND_LISTED;
  if (rule->max_accuracy > 0 && sl_conduct_accuracy (conduct) <= rule->max_accuracy)
    grounds |= SL_GROUND_WRONG;
  if (conduct->agreement < rule->min_agreement)
    grounds |= SL_GROUND_ALONE;
  if (conduct->answers < rule->min_answers)
    grounds |= SL_GROUND_FEW;
  if (rule->min_seconds > 0 && 2 * conduct->fast > conduct->timed)
    grounds |= SL_GROUND_FAST;
  if (conduct->answers >= SL_SAME_LEAST
      && (double) conduct->same > rule->max_same * (double) conduct->answers)
    grounds |= SL_GROUND_SAME;
  if ((double) conduct->odd > rule->max_odd * (double) conduct->answers)
    grounds |= SL_GROUND_ODD;
  return grounds;
}

static void add (GString *text, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
add (GString *text, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  if (text->len > 0)
    g_string_append (text, "; ");
  g_string_append_vprintf (text, format, arguments);
  va_end (arguments);
}

/* Grounds that nothing but an option of the user's makes. */
static void
add_asked (GString *text, const SlVerdictRule *rule, const SlConduct *conduct, guint grounds)
{
  char rate[G_ASCII_DTOSTR_BUF_SIZE], limit[G_ASCII_DTOSTR_BUF_SIZE];
  if (grounds & SL_GROUND_LISTED)
    add (text, "named in --annotators");
  if (grounds & SL_GROUND_WRONG)
    add (text, "accuracy %s, %s at most",
         g_ascii_formatd (rate, sizeof rate, "%.4f", sl_conduct_accuracy (conduct)),
         g_ascii_formatd (limit, sizeof limit, "%g", rule->max_accuracy));
  if (grounds & SL_GROUND_ALONE)
    add (text, "agreement %s below %s",
         g_ascii_formatd (rate, sizeof rate, "%.4f", conduct->agreement),
         g_ascii_formatd (limit, sizeof limit, "%g", rule->min_agreement));
  if (grounds & SL_GROUND_FEW)
    add (text, "%" G_GINT64_FORMAT " answer%s (%" G_GINT64_FORMAT " required)", conduct->answers,
         conduct->answers == 1 ? "" : "s", rule->min_answers);
  if (grounds & SL_GROUND_FAST)
    add (text, "%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " answers took less than %s s",
         conduct->fast, conduct->timed,
         g_ascii_formatd (limit, sizeof limit, "%g", rule->min_seconds));
  if (grounds & SL_GROUND_SAME)
    add (text,
         "%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " answers name one class (share %s at most)",
         conduct->same, conduct->answers,
         g_ascii_formatd (limit, sizeof limit, "%g", rule->max_same));
  if (grounds & SL_GROUND_ODD)
    add (text, "%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " answers are odd (share %s at most)",
         conduct->odd, conduct->answers,
         g_ascii_formatd (limit, sizeof limit, "%g", rule->max_odd));
}

char *
sl_verdict_reason (const SlVerdictRule *rule, const SlConduct *conduct, guint grounds)
{
  static const char *const what[SL_N_RULES]
      = { "a percent outside 0 to 100", "a chosen class ruled out", "no usable first percent" };
  char rate[G_ASCII_DTOSTR_BUF_SIZE];
  char limit[G_ASCII_DTOSTR_BUF_SIZE];
  gint64 all = all_violations (conduct);
  if (grounds == 0)
    return NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  if (grounds & SL_GROUND_INCOMPLETE)
    add (text, "the session did not reach its end");
  for (int c = 0; c < SL_N_RULES; c++)
    if (grounds & (1u << c))
      {
        add (text, "%" G_GINT64_FORMAT " answer%s with %s", conduct->violations[c],
             conduct->violations[c] == 1 ? "" : "s", what[c]);
        if (rule->total)
          g_string_append_printf (text, " among %" G_GINT64_FORMAT " violations", all);
        g_string_append_printf (text, " (%" G_GINT64_FORMAT " allowed)", rule->allowed[c]);
      }
  if (grounds & SL_GROUND_ACCURACY)
    add (text, "accuracy %s below %s after %" G_GINT64_FORMAT " violation%s",
         g_ascii_formatd (rate, sizeof rate, "%.4f", sl_conduct_accuracy (conduct)),
         g_ascii_formatd (limit, sizeof limit, "%g", rule->min_accuracy), all, all == 1 ? "" : "s");
  add_asked (text, rule, conduct, grounds);
  if (grounds & SL_GROUND_CHECKS)
    add (text, "%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " attention checks right (%s required)",
         conduct->checks_right, conduct->checks_with_gold,
         g_ascii_formatd (limit, sizeof limit, "%g", rule->min_check_accuracy));
  return g_string_free (g_steal_pointer (&text), FALSE);
}
