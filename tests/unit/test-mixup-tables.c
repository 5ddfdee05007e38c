/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of mixtures, and of curves, that softlabel itself would not write. */
#include "written.h"

#include "schemas/mixtures.h"
#include "stages/common/mixtures/mixing.h"
#include "stages/simulate/mixtures/mixup.h"

static const char *const classes[] = { "bird", "cat", "dog", NULL };
/* What is said of a share that a row has in COLUMN. */
static void
check_share (int column, double value, const char *part)
{
  g_autoptr (SlTable) table = sl_table_new (&sl_mixtures, classes);
  sl_table_add (table, SL_MIXTURES_HUMAN);
  sl_table_add (table, SL_MIXTURES_CONFIDENCE);
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  for (int row = 0; row < 3; row++)
    {
      sl_builder_text (builder, SL_MIXTURES_ITEM, "m", 1);
      for (int c = SL_MIXTURES_LAMBDA; c <= SL_MIXTURES_CONFIDENCE; c++)
        if (c != SL_MIXTURES_LABEL)
          sl_builder_real (builder, c, row == 1 && c == column ? value : .5);
    }
  g_autoptr (SlReader) reader = reader_of (builder, table);
  g_autoptr (SlBatch) batch = NULL;
  g_autoptr (GError) error = NULL;
  gboolean ok = sl_reader_next (reader, &batch, &error);
  assert_int_equal (ok, part == NULL);
  if (part != NULL)
    assert_error (&error, SL_ERROR_INPUT, part);
}

static void
test_shares (void **state)
{
  (void) state;
  const double none = (double) NAN;
  check_share (SL_MIXTURES_LAMBDA, 0, NULL);
  check_share (SL_MIXTURES_LAMBDA, 1, NULL);
  check_share (SL_MIXTURES_LAMBDA, none, "row 2: lambda is nan; it lies between 0 and 1");
  check_share (SL_MIXTURES_LAMBDA, 1.5, "row 2: lambda is 1.5;");
  check_share (SL_MIXTURES_LAMBDA, -1e-9, "row 2: lambda is -1e-09;");
  check_share (SL_MIXTURES_HUMAN, (double) INFINITY, "row 2: human is inf;");
  check_share (SL_MIXTURES_HUMAN, none, NULL);
  check_share (SL_MIXTURES_CONFIDENCE, 2, "row 2: confidence is 2;");
  check_share (SL_MIXTURES_CONFIDENCE, none, NULL);
}

static void
check_row (const SlMixup *mixup, gint32 second, double human, double confidence, const char *part)
{
  g_autoptr (SlTable) table = sl_table_new (&sl_mixtures, classes);
  table->columns |= 1u << SL_MIXTURES_FIRST_CLASS | 1u << SL_MIXTURES_SECOND_CLASS
                    | 1u << SL_MIXTURES_HUMAN | 1u << SL_MIXTURES_CONFIDENCE;
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  sl_builder_text (builder, SL_MIXTURES_ITEM, "m", 1);
  sl_builder_class (builder, SL_MIXTURES_FIRST_CLASS, 0);
  sl_builder_class (builder, SL_MIXTURES_SECOND_CLASS, second);
  sl_builder_real (builder, SL_MIXTURES_LAMBDA, .5);
  sl_builder_real (builder, SL_MIXTURES_HUMAN, human);
  sl_builder_real (builder, SL_MIXTURES_CONFIDENCE, confidence);
  g_autoptr (SlReader) reader = reader_of (builder, table);
  g_autoptr (SlBatch) batch = NULL;
  g_autoptr (GError) error = NULL;
  assert_true (sl_reader_next (reader, &batch, &error));
  assert_int_equal (sl_mixup_check_row (mixup, batch, 0, &error), part == NULL);
  if (part != NULL)
    assert_error (&error, SL_ERROR_INPUT, part);
}

/* A value may be missing only where nobody looks at it. */
static void
test_missing (void **state)
{
  (void) state;
  const double none = (double) NAN;
  const SlMixup linear = { .target = SL_MIXUP_LINEAR }, human = { .target = SL_MIXUP_HUMAN },
                mean = { .target = SL_MIXUP_MEAN },
                smooth = { .target = SL_MIXUP_MEAN, .gamma = .005 };
  check_row (&linear, 1, none, none, NULL);
  check_row (&linear, -1, .5, .5, "row 1: second_class is missing");
  check_row (&human, 1, .5, none, NULL);
  check_row (&human, 1, none, .5, "row 1: human is missing");
  check_row (&mean, 1, none, .5, "row 1: human is missing");
  check_row (&smooth, 1, .5, .5, NULL);
  check_row (&smooth, 1, .5, none, "row 1: confidence is missing");
}

typedef struct
{
  const char *name;
  gint32 class, other;
  double value;
} Row;

/* MODEL of ROWS, for a table of the classes IN; FALSE and ERROR as of sl_mix_model_read(). */
static gboolean
read_model (SlMixModel *model, const Row *rows, gsize n, const char *const *in, GError **error)
{
  g_autoptr (SlTable) table = sl_table_new (&sl_simulator, classes);
  g_autoptr (SlTable) input = sl_table_new (&sl_mixtures, in);
  sl_table_add (table, SL_SIMULATOR_CLASS);
  sl_table_add (table, SL_SIMULATOR_OTHER);
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  for (gsize i = 0; i < n; i++)
    {
      sl_builder_text (builder, SL_SIMULATOR_GROUP, "all", 3);
      sl_builder_text (builder, SL_SIMULATOR_NAME, rows[i].name, strlen (rows[i].name));
      sl_builder_class (builder, SL_SIMULATOR_CLASS, rows[i].class);
      sl_builder_class (builder, SL_SIMULATOR_OTHER, rows[i].other);
      sl_builder_real (builder, SL_SIMULATOR_VALUE, rows[i].value);
    }
  g_autoptr (SlReader) reader = reader_of (builder, table);
  return sl_mix_model_read (model, reader, input, error);
}

static void
check_refused (const Row *rows, gsize n, const char *part)
{
  g_auto (SlMixModel) model;
  sl_mix_model_init (&model);
  g_autoptr (GError) error = NULL;
  assert_false (read_model (&model, rows, n, classes, &error));
  assert_error (&error, SL_ERROR_INPUT, part);
}

#define REFUSED(part, ...)                                                                         \
  check_refused ((const Row[]){ __VA_ARGS__ }, G_N_ELEMENTS (((const Row[]){ __VA_ARGS__ })), part)

static void
test_refused_models (void **state)
{
  (void) state;
  check_refused (NULL, 0, "there is no pair of classes in it");
  REFUSED ("the pair of 'cat' and 'dog' has no 'mixup.x0'", { "mixup.k", 1, 2, 5 });
  REFUSED ("the pair of 'bird' and 'dog' has no 'mixup.k'", { "mixup.n", 0, 2, 5 });
  REFUSED ("row 2: no parameter of a model of mixtures", { "mixup.k", 1, 2, 5 },
           { "mixup.k0", 1, 2, 5 });
  REFUSED ("row 2: the parameter has been given in a row before", { "mixup.k", 1, 2, 5 },
           { "mixup.k", 2, 1, 5 });
  REFUSED ("row 1: a pair of classes is wanted", { "mixup.k", 1, 1, 5 });
  REFUSED ("row 1: a pair of classes is wanted", { "mixup.k", 1, -1, 5 });
}

/* Rows in any order, pairs either way round, and classes in another order. */
static void
test_models (void **state)
{
  (void) state;
  static const Row rows[]
      = { { "mixup.x0", 2, 1, .3 },     { "mixup.x0", 0, 1, .6 },      { "mixup.k", 0, 1, 4 },
          { "mixup.k", 2, 1, 8 },       { "mixup.identity", 2, 0, 1 }, { "mixup.n", 2, 0, 7 },
          { "mixup.identity", 2, 1, 0 } };
  static const char *const other[] = { "dog", "cat", "bird", NULL };
  const char *const *orders[] = { classes, other };
  for (int o = 0; o < 2; o++)
    {
      gint32 bird = o == 0 ? 0 : 2, cat = 1, dog = o == 0 ? 2 : 0;
      g_auto (SlMixModel) model;
      sl_mix_model_init (&model);
      g_autoptr (GError) error = NULL;
      assert_true (read_model (&model, rows, G_N_ELEMENTS (rows), orders[o], &error));
      for (double share = 0; share <= 1; share += .125)
        {
          double as_dog = sl_mix_logistic (8, .3, share), as_bird = sl_mix_logistic (4, .6, share);
          assert_true (fabs (sl_mix_model_share (&model, dog, cat, share) - as_dog) < 1e-14);
          assert_true (fabs (sl_mix_model_share (&model, cat, dog, 1 - share) - (1 - as_dog))
                       < 1e-14);
          assert_true (fabs (sl_mix_model_share (&model, bird, cat, share) - as_bird) < 1e-14);
          assert_real (sl_mix_model_share (&model, bird, dog, share), share);
          assert_real (sl_mix_model_share (&model, dog, bird, share), share);
          assert_real (sl_mix_model_share (&model, cat, cat, share), share);
        }
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_shares),
    cmocka_unit_test (test_missing),
    cmocka_unit_test (test_refused_models),
    cmocka_unit_test (test_models),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, setup, teardown);
}
