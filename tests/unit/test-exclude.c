/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Violations, verdicts and duplicates. The verdicts are those that the text of Collins, Bhatt &
 * Weller (HCOMP 2022, section 4.1) and the code published with it give, worked by hand for sessions
 * of 27 trials. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stages/common/figures/pair-agreement.h"
#include "stages/exclude/census.h"
#include "stages/exclude/rules.h"

#include <math.h>
#include <string.h>

enum
{
  CAT,
  DOG,
  SHIP
};

#define RANGE (1 << SL_RULE_RANGE)
#define IMPOSSIBLE (1 << SL_RULE_IMPOSSIBLE)
#define MISSING (1 << SL_RULE_MISSING)

static void
test_violations (void **state)
{
  const gint32 start[] = { 0, 2, 4, 6, 7, 8, 9, 11, 13, 15 };
  const gint32 choice[]
      = { CAT, DOG, CAT, DOG, CAT, DOG, CAT, CAT, CAT, CAT, DOG, CAT, DOG, CAT, DOG };
  const double percent[] = { 60, 40, 100.5, -1, 60, NAN, NAN, 0, 100, 0, 101, INFINITY, 0, 100, 0 };
  const gint32 impossible_start[] = { 0, 1, 1, 2, 2, 2, 2, 2, 4, 5 };
  const gint32 impossible[] = { SHIP, DOG, CAT, DOG, SHIP };
  const guint8 repaired[] = { FALSE, FALSE, FALSE, FALSE, FALSE, TRUE, FALSE, FALSE, FALSE };
  const guint8 expected[] = {
    0,                  /* 60, 40 */
    RANGE,              /* two percents outside: one violation */
    IMPOSSIBLE,         /* the second choice, though it has no percent */
    MISSING,            /* no percent */
    MISSING,            /* 0 */
    MISSING,            /* repaired */
    MISSING | RANGE,    /* 0, 101 */
    RANGE | IMPOSSIBLE, /* both choices ruled out: one violation */
    0,                  /* a second percent of 0 */
  };
  const SlRecords answers = { start, choice, percent, impossible_start, impossible };
  guint8 seen[G_N_ELEMENTS (expected)];
  sl_find_violations (&answers, repaired, 0, G_N_ELEMENTS (expected), seen);
  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++)
    if (seen[i] != expected[i])
      fail_msg ("answer %d: %d, not %d", (int) i, seen[i], expected[i]);
}

enum
{
  DEFAULT,
  RELEASED,
  PAPER
};

static void
test_presets (void **state)
{
  const struct
  {
    gint64 violations[SL_N_RULES];
    gint64 right;
    gboolean dropped[3]; /* DEFAULT, RELEASED, PAPER */
  } vectors[] = {
    { { 0, 1, 0 }, 22, { FALSE, FALSE, FALSE } }, /* .815 */
    { { 0, 1, 0 }, 20, { TRUE, TRUE, TRUE } },    /* .741 */
    { { 0, 2, 0 }, 27, { TRUE, TRUE, FALSE } },   { { 0, 3, 0 }, 27, { TRUE, TRUE, TRUE } },
    { { 0, 1, 1 }, 25, { FALSE, FALSE, FALSE } }, { { 1, 0, 0 }, 27, { FALSE, TRUE, FALSE } },
    { { 0, 0, 0 }, 10, { FALSE, FALSE, FALSE } }, /* never on accuracy alone */
    { { 0, 1, 1 }, 20, { TRUE, TRUE, FALSE } },   /* "once": with two, accuracy plays no part */
  };
  assert_string_equal (sl_preset_names[RELEASED], "released");
  assert_string_equal (sl_preset_names[PAPER], "paper");
  for (gsize i = 0; i < G_N_ELEMENTS (vectors); i++)
    for (int r = 0; r < 3; r++)
      {
        SlConduct conduct = { .answers = 27, .with_gold = 27, .right = vectors[i].right };
        memcpy (conduct.violations, vectors[i].violations, sizeof conduct.violations);
        guint grounds = sl_verdict (&sl_presets[r], &conduct);
        if ((grounds != 0) != vectors[i].dropped[r])
          fail_msg ("vector %d, rule %d: grounds %u", (int) i, r, grounds);
        g_autofree char *reason = sl_verdict_reason (&sl_presets[r], &conduct, grounds);
        assert_true ((reason != NULL) == vectors[i].dropped[r]);
      }
}

static void
test_unknown_accuracy (void **state)
{
  SlConduct conduct = { .answers = 27, .violations = { 0, 1, 0 } };
  assert_true (isnan (sl_conduct_accuracy (&conduct)));
  assert_int_equal (sl_verdict (&sl_presets[DEFAULT], &conduct), 0);
  conduct.with_gold = 4;
  conduct.right = 3; /* not below .75 */
  assert_int_equal (sl_verdict (&sl_presets[DEFAULT], &conduct), 0);
  conduct.right = 2;
  assert_int_equal (sl_verdict (&sl_presets[DEFAULT], &conduct), SL_GROUND_ACCURACY);
}

static void
test_total (void **state)
{
  SlVerdictRule rule = sl_presets[RELEASED];
  rule.total = TRUE;
  SlConduct conduct = { .violations = { 0, 1, 0 } };
  /* The limit of a kind that did not occur: range, 0. */
  assert_int_equal (sl_verdict (&rule, &conduct), 0);
  conduct.violations[SL_RULE_MISSING] = 1;
  assert_int_equal (sl_verdict (&rule, &conduct), IMPOSSIBLE | MISSING);
  rule.allowed[SL_RULE_MISSING] = 2;
  assert_int_equal (sl_verdict (&rule, &conduct), IMPOSSIBLE);
}

static void
test_habits (void **state)
{
  SlVerdictRule rule = sl_presets[DEFAULT];
  rule.max_same = .9;
  rule.min_seconds = 2;
  SlConduct conduct = { .answers = 10, .timed = 8, .fast = 4, .same = 9 }; /* both at the limit */
  assert_int_equal (sl_verdict (&rule, &conduct), 0);
  conduct.fast = 5;
  assert_int_equal (sl_verdict (&rule, &conduct), SL_GROUND_FAST);
  conduct.same = 10;
  assert_int_equal (sl_verdict (&rule, &conduct), SL_GROUND_FAST | SL_GROUND_SAME);
  conduct.answers = conduct.same = SL_SAME_LEAST - 1;
  conduct.timed = conduct.fast = 0;
  assert_int_equal (sl_verdict (&rule, &conduct), 0);
  conduct = (SlConduct){ .answers = 4, .odd = 2 };
  rule.max_odd = .5; /* at the limit */
  assert_int_equal (sl_verdict (&rule, &conduct), 0);
  conduct.odd = 3;
  assert_int_equal (sl_verdict (&rule, &conduct), SL_GROUND_ODD);
}

static void
test_checks_and_sessions (void **state)
{
  SlVerdictRule rule = sl_presets[DEFAULT];
  SlConduct conduct = { .answers = 200, .checks = 10, .checks_with_gold = 10, .checks_right = 7 };
  assert_int_equal (sl_verdict (&rule, &conduct), 0);
  rule.min_check_accuracy = .75;
  assert_int_equal (sl_verdict (&rule, &conduct), SL_GROUND_CHECKS);
  conduct.checks_right = 8;
  assert_int_equal (sl_verdict (&rule, &conduct), 0);
  conduct.checks_with_gold = conduct.checks_right = 0;
  assert_int_equal (sl_verdict (&rule, &conduct), 0);
  conduct.incomplete = TRUE;
  assert_int_equal (sl_verdict (&rule, &conduct), 0);
  rule.drop_incomplete = TRUE;
  assert_int_equal (sl_verdict (&rule, &conduct), SL_GROUND_INCOMPLETE);
}

static void
test_reasons (void **state)
{
  SlVerdictRule rule = sl_presets[RELEASED];
  rule.drop_incomplete = TRUE;
  rule.min_check_accuracy = .75;
  SlConduct conduct = { .answers = 27,
                        .with_gold = 27,
                        .right = 20,
                        .violations = { 1, 3, 0 },
                        .checks = 4,
                        .checks_with_gold = 4,
                        .checks_right = 1,
                        .incomplete = TRUE };
  g_autofree char *all = sl_verdict_reason (&rule, &conduct, sl_verdict (&rule, &conduct));
  assert_string_equal (all, "the session did not reach its end; "
                            "1 answer with a percent outside 0 to 100 (0 allowed); "
                            "3 answers with a chosen class ruled out (1 allowed); "
                            "accuracy 0.7407 below 0.75 after 4 violations; "
                            "1 of 4 attention checks right (0.75 required)");
  rule.total = TRUE;
  rule.allowed[SL_RULE_RANGE] = 1;
  conduct.violations[SL_RULE_IMPOSSIBLE] = 1;
  g_autofree char *sum = sl_verdict_reason (&rule, &conduct, RANGE);
  assert_string_equal (sum,
                       "1 answer with a percent outside 0 to 100 among 2 violations (1 allowed)");
  assert_null (sl_verdict_reason (&rule, &conduct, 0));
}

/* Row 0, and rows that differ from it in one thing each. */
static void
test_digests (void **state)
{
  enum
  {
    N = 12
  };
  const gint32 offset[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
  const char data[] = "aabaaaaaaaaa";
  gint32 annotator[N] = { 0 };
  gint32 start[N + 1], choice[2 * N], impossible_start[N + 1], impossible[N];
  double percent[2 * N], seconds[N];
  guint8 repeat[N] = { 0 }, check[N] = { 0 };
  gint32 trial[N] = { 0 };
  gint64 count[N];
  for (gint32 i = 0; i <= N; i++)
    start[i] = 2 * i, impossible_start[i] = i;
  for (int i = 0; i < N; i++)
    {
      choice[2 * i] = CAT, choice[2 * i + 1] = DOG;
      percent[2 * i] = 60, percent[2 * i + 1] = NAN;
      impossible[i] = SHIP;
      seconds[i] = 1.5;
      count[i] = 1;
    }
  percent[3] = -(double) NAN; /* row 1: another NaN, the same answer */
  annotator[3] = 1;
  repeat[4] = TRUE;
  choice[2 * 5] = SHIP;
  percent[2 * 6 + 1] = 0;
  impossible[7] = CAT;
  trial[8] = 1;
  seconds[9] = 1.25;
  count[10] = 2;
  check[11] = TRUE;
  const SlAnnotations view = { .n = N,
                               .item = { offset, data },
                               .start = start,
                               .choice = choice,
                               .percent = percent,
                               .impossible_start = impossible_start,
                               .impossible = impossible,
                               .repeat = repeat,
                               .check = check,
                               .trial = trial,
                               .seconds = seconds,
                               .count = count };
  SlDigest digest[N];
  sl_digest_rows (&view, annotator, 0, N, digest);
  g_autoptr (SlDigestSet) set = sl_digest_set_new ();
  for (int i = 0; i < N; i++)
    assert_int_equal (sl_digest_set_add (set, digest[i]), i != 1);
}

static void
test_digest_sets (void **state)
{
  enum
  {
    N = 200000
  };
  g_autoptr (SlDigestSet) set = sl_digest_set_new ();
  for (guint64 pass = 0; pass < 2; pass++)
    for (guint64 i = 0; i < N; i++)
      {
        SlDigest digest = { i * G_GUINT64_CONSTANT (0xD6E8FEB86659FD93),
                            i * G_GUINT64_CONSTANT (0x9E3779B97F4A7C15) };
        assert_int_equal (sl_digest_set_add (set, digest), pass == 0);
      }
  assert_true (sl_digest_set_bytes (set) <= 27 * (gsize) N);
  /* The same place, and the value that marks free places. */
  for (guint64 low = 0; low < 1000; low++)
    assert_true (sl_digest_set_add (set, (SlDigest){ low, G_MAXUINT64 }));
  for (guint64 low = 0; low < 1000; low++)
    assert_false (sl_digest_set_add (set, (SlDigest){ low, G_MAXUINT64 }));
  assert_false (sl_digest_set_add (set, (SlDigest){ 0, 0 }));
}

static double
share (const SlAnswers *answers, gint32 annotator)
{
  const SlItems items = { .n_items = 3, .n_classes = 3 };
  g_auto (SlByItem) by;
  sl_by_item_init (&by, &items, answers, 0);
  g_autofree SlAnswerConduct *conduct = sl_answer_conduct (&by, NULL);
  return conduct[annotator].same / conduct[annotator].pairs;
}

/* Three answer item 0, cat cat dog; item 1 has two votes for dog of one, and one of another; nobody
 * else answers item 2. Who says the same thrice of item 0 agrees with nobody the more for it. */
static void
test_agreeing (void **state)
{
  (void) state;
  static const gint32 item[] = { 0, 0, 0, 0, 0, 1, 1, 2 }, annotator[] = { 0, 1, 2, 2, 2, 0, 1, 3 },
                      class[] = { CAT, CAT, DOG, DOG, DOG, DOG, DOG, SHIP };
  static const double count[] = { 1, 1, 1, 1, 1, 2, 1, 1 };
  SlAnswers answers = { 8, 4, item, annotator, class, NULL, NULL, NULL, NULL };
  assert_true (share (&answers, 0) == 2. / 5); /* 1 of 4, and 1 of 1 */
  assert_true (share (&answers, 2) == 0);
  assert_true (isnan (share (&answers, 3)));
  answers.count = count;
  assert_true (share (&answers, 0) == 3. / 6); /* 1 of 4, and twice 1 of 1 */
  assert_true (share (&answers, 1) == 3. / 6); /* 1 of 4, and 2 of 2 */
}

/* What only the user's options exclude. */
static void
test_asked (void **state)
{
  (void) state;
  SlVerdictRule rule = sl_presets[0];
  SlConduct conduct = { .answers = 5, .with_gold = 4, .right = 2, .agreement = 0.25 };
  assert_int_equal (sl_verdict (&rule, &conduct), 0);
  rule.max_accuracy = 0.5;
  assert_int_equal (sl_verdict (&rule, &conduct), SL_GROUND_WRONG);
  rule.max_accuracy = 0.49;
  rule.min_agreement = 0.25;
  rule.min_answers = 5;
  assert_int_equal (sl_verdict (&rule, &conduct), 0);
  rule.min_agreement = 0.26;
  rule.min_answers = 6;
  conduct.listed = TRUE;
  guint grounds = sl_verdict (&rule, &conduct);
  assert_int_equal (grounds, SL_GROUND_ALONE | SL_GROUND_FEW | SL_GROUND_LISTED);
  g_autofree char *reason = sl_verdict_reason (&rule, &conduct, grounds);
  assert_string_equal (
      reason, "named in --annotators; agreement 0.2500 below 0.26; 5 answers (6 required)");
  conduct = (SlConduct){ .answers = 6, .agreement = (double) NAN };
  assert_int_equal (sl_verdict (&rule, &conduct), 0);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_violations),
    cmocka_unit_test (test_presets),
    cmocka_unit_test (test_unknown_accuracy),
    cmocka_unit_test (test_total),
    cmocka_unit_test (test_reasons),
    cmocka_unit_test (test_habits),
    cmocka_unit_test (test_checks_and_sessions),
    cmocka_unit_test (test_agreeing),
    cmocka_unit_test (test_asked),
    cmocka_unit_test (test_digests),
    cmocka_unit_test (test_digest_sets),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
