/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Votes and weights by turns, and relatives of Dawid & Skene's model: worked examples. */
#include "crowds.h"

#include "stages/common/figures/chances.h"

/* Item, annotator: 5 × 3. The vote is 0, 1, 1, 1, 0, with which the annotators agree in 4, 5 and
 * 3. */
static const gint32 example[5][3]
    = { { 0, 0, 0 }, { 1, 1, 0 }, { 1, 1, 1 }, { 0, 1, 1 }, { 0, 0, 1 } };

static Crowd
crowd_of (const gint32 *answers, gint32 n_items, gint32 n_annotators, gint32 n_classes)
{
  gint32 n = n_items * n_annotators;
  Crowd crowd
      = { .n_items = n_items, .n_classes = n_classes, .n_annotators = n_annotators, .n = n };
  crowd.item = g_new (gint32, n);
  crowd.annotator = g_new (gint32, n);
  crowd.answer = g_memdup2 (answers, (gsize) n * sizeof *answers);
  for (gint32 j = 0; j < n; j++)
    {
      crowd.item[j] = j / n_annotators;
      crowd.annotator[j] = j % n_annotators;
    }
  return crowd;
}

/* The first class of the example's labels, and the annotators' reliability. */
static void
check (Fit fit, const SlMethodSettings *settings, const double *first, const double *expected,
       double bound)
{
  double reliability[3];
  SlLearned learned = { .reliability = reliability };
  g_auto (Crowd) crowd = crowd_of (example[0], 5, 3, 2);
  g_autofree double *label = crowd_fit (&crowd, fit, settings, &learned);
  for (int i = 0; i < 5; i++)
    assert_near ("p", &label[2 * i], &first[i], 1, bound);
  if (expected != NULL)
    assert_near ("reliability", reliability, expected, 3, bound);
}

static void
test_iwmv (void **state)
{
  (void) state;
  check (sl_fit_iwmv, &defaults, (double[]){ 1, .6 / 2.4, 0, .8 / 2.4, 1.8 / 2.4 },
         (double[]){ .8, 1, .6 }, 1e-15);
}

/* K s - 1; and an annotator who is always against two others takes off what nobody gave. */
static void
test_li_yu (void **state)
{
  (void) state;
  check (sl_fit_li_yu, &defaults, (double[]){ 1, .2 / 1.8, 0, .6 / 1.8, 1.6 / 1.8 },
         (double[]){ .6, 1, .2 }, 1e-15);
  static const gint32 against[] = { 0, 0, 1, 1, 1, 0 };
  double reliability[3];
  SlLearned learned = { .reliability = reliability };
  g_auto (Crowd) crowd = crowd_of (against, 2, 3, 2);
  g_autofree double *label = crowd_fit (&crowd, sl_fit_li_yu, &defaults, &learned);
  assert_near ("p", label, (double[]){ 1, 0, 0, 1 }, 4, 0);
  assert_near ("weight", reliability, (double[]){ 1, 1, -1 }, 3, 0);
}

/* Three are always right and two always wrong; of the last item those two say 0, of 2 classes or of
 * 3: the largest sum is the others'. */
static void
test_always_wrong (void **state)
{
  (void) state;
  for (gint32 n_classes = 2; n_classes <= 3; n_classes++)
    {
      gint32 item[27], annotator[27], answer[27];
      for (gint32 j = 0; j < 27; j++)
        {
          item[j] = j / 5;
          annotator[j] = j < 25 ? j % 5 : j - 22;
          answer[j] = j < 25 ? (item[j] + (annotator[j] > 2)) % n_classes : 0;
        }
      Crowd crowd = { .n_items = 6,
                      .n_classes = n_classes,
                      .n_annotators = 5,
                      .n = 27,
                      .item = item,
                      .annotator = annotator,
                      .answer = answer };
      SlLearned nothing = { 0 };
      g_autofree double *label = crowd_fit (&crowd, sl_fit_li_yu, &defaults, &nothing);
      assert_near ("p", &label[5 * n_classes],
                   n_classes == 2 ? (double[]){ 0, 1 } : (double[]){ 0, .5, .5 }, (gsize) n_classes,
                   0);
    }
}

/* Errors 1, 0, 2: -log (1/2 + 1e-7), -log (5e-9 + 1e-7) and nothing, each + 1e-7. */
static void
test_pm (void **state)
{
  (void) state;
  check (sl_fit_pm, &defaults, (double[]){ 1, 0, 0, .04135117302434675, 1 },
         (double[]){ .6931470806, 16.0693055868, 0 }, 1e-9);
  static const gint32 same[] = { 0, 0, 1, 1 };
  g_auto (Crowd) crowd = crowd_of (same, 2, 2, 2);
  SlLearned nothing = { 0 };
  g_autofree double *label = crowd_fit (&crowd, sl_fit_pm, &defaults, &nothing);
  assert_near ("nobody errs", label, (double[]){ 1, 0, 0, 1 }, 4, 0);
}

/* All have given five answers, so that with e = 1 they weigh 1/2 : 1 : 1/3. */
static void
test_catd (void **state)
{
  (void) state;
  SlMethodSettings settings = defaults;
  settings.smoothing = 1;
  check (sl_fit_catd, &settings, (double[]){ 1, 2 / 11.0, 0, 3 / 11.0, 9 / 11.0 },
         (double[]){ 3 / 11.0, 6 / 11.0, 2 / 11.0 }, 1e-15);
  /* Who was never against the vote decides alone, but for 1e-9 or so. */
  check (sl_fit_catd, &defaults, (double[]){ 1, 0, 0, 0, 1 }, (double[]){ 0, 1, 0 }, 2e-9);
}

/* Quantiles of SciPy 1.15. */
static void
test_chi_square (void **state)
{
  (void) state;
  static const double known[][3] = {
    { .025, 0.5, 5.273202591259991e-07 }, { .025, 1, .0009820691171752555 },
    { .025, 2, .05063561596857975 },      { .025, 5, .8312116134866625 },
    { .025, 30, 16.79077226556663 },      { .025, 100, 74.22192747492373 },
    { .025, 1000, 914.257153799259 },     { .025, 1e6, 997230.0871432901 },
    { .5, 3, 2.3659738843753377 },        { .001, 7, .598493752375376 },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    {
      double ratio = sl_chi_square_quantile (known[i][0], known[i][1]) / known[i][2];
      assert_near ("quantile", &ratio, (double[]){ 1 }, 1, known[i][1] > 1e4 ? 1e-9 : 1e-11);
    }
}

/* One round: .8³ : .2³, and .8 : .2 where two outvote one. */
static void
test_zencrowd (void **state)
{
  (void) state;
  SlMethodSettings settings = defaults;
  settings.iterations = 1;
  check (sl_fit_zencrowd, &settings, (double[]){ .512 / .52, .2, .008 / .52, .2, .8 },
         (double[]){ .7528348145878027, .8723567269384002, .633312902237205 }, 1e-14);
}

/* One round from the shares of the votes, with one answer of each class to each. */
static void
test_lfc (void **state)
{
  (void) state;
  SlMethodSettings settings = defaults;
  settings.iterations = 1;
  check (sl_fit_lfc, &settings,
         (double[]){ .8211086864475784, .276672099033697, .15407816209972403, .35334805003679176,
                     .6860980140020003 },
         NULL, 1e-14);
}

/* After one round of Dawid & Skene's EM without smoothing, whose labels are .963 .130 .036 .272
 * .867. */
static void
test_wds (void **state)
{
  (void) state;
  SlMethodSettings settings = defaults;
  settings.iterations = 1;
  settings.smoothing = 0;
  check (sl_fit_wds, &settings,
         (double[]){ 1, .23046156673531806, 0, .3659482016943075, .7218825028933982 }, NULL, 1e-14);
}

/* The first annotator finds 15 classes, of which a tenth is 2, the second five of them, of which it
 * is 0: √2 - 2^0.2 + log 2.1 against log 2.1 in the last item. */
static void
test_plantnet (void **state)
{
  (void) state;
  gint32 item[22], annotator[22], answer[22];
  gint64 n = 0;
  for (gint32 i = 0; i < 16; i++)
    for (gint32 a = 0; a < (i < 5 || i == 15 ? 2 : 1); a++, n++)
      {
        item[n] = i;
        annotator[n] = a;
        answer[n] = i < 15 ? i : a;
      }
  Crowd crowd = { .n_items = 16,
                  .n_classes = 15,
                  .n_annotators = 2,
                  .n = n,
                  .item = item,
                  .annotator = annotator,
                  .answer = answer };
  double reliability[2];
  SlLearned learned = { .reliability = reliability };
  g_autofree double *label = crowd_fit (&crowd, sl_fit_plantnet, &defaults, &learned);
  double less = log (2.1), more = sqrt (2) - pow (2, 0.2) + less;
  assert_near ("weight", reliability, (double[]){ more, less }, 2, 1e-14);
  assert_near ("p", &label[15 * 15], (double[]){ more / (more + less), less / (more + less) }, 2,
               1e-14);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_iwmv),         cmocka_unit_test (test_li_yu),
    cmocka_unit_test (test_always_wrong), cmocka_unit_test (test_pm),
    cmocka_unit_test (test_catd),         cmocka_unit_test (test_chi_square),
    cmocka_unit_test (test_zencrowd),     cmocka_unit_test (test_lfc),
    cmocka_unit_test (test_wds),          cmocka_unit_test (test_plantnet),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
