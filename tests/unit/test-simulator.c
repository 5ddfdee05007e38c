/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Simulators that softlabel itself would not write. */
#include "written.h"

#include "pipeline/command/run-private.h"
#include "schemas/labels.h"
#include "stages/simulate/simulator/simulator.h"

static const char *const classes[] = { "bird", "cat", "dog", NULL };

typedef struct
{
  const char *group, *name;
  double value;
  gint32 class, other;         /* both 0: none */
  gint32 person, alternatives; /* of an answer: one more than they are */
  double first, second;
  gint32 ruled_out;
} Row;

#define ANSWER(group, n, person, first, second, ...)                                               \
  ANSWER_OUT (group, n, person, first, second, __VA_ARGS__, 0)
#define ANSWER_OUT(group, n, person, first, second, alternatives, out, ...)                        \
  {                                                                                                \
    group, "answer", n, 0, 0, (person) + 1, (alternatives) + 1, first, second, out                 \
  }

#define FIT(group, alpha, beta, zero, two)                                                         \
  { group, "answers", 7 }, { group, "top1.n", 7 }, { group, "top1.alpha", alpha },                 \
      { group, "top1.beta", beta }, { group, "alternatives.0", zero },                             \
  {                                                                                                \
    group, "alternatives.2", two                                                                   \
  }
#define GROUP(group) FIT (group, 2, .5, 3, 4)

#define NONE ((double) NAN)

/* -1: none. */
static void
whole (SlBuilder *builder, int column, gint32 value)
{
  if (value < 0)
    sl_builder_null (builder, column);
  else
    sl_builder_int (builder, column, value);
}

/* SIMULATOR of ROWS, for a table of the classes IN; FALSE and ERROR as of sl_simulator_read(). */
static gboolean
read_rows (SlSimulator *simulator, const Row *rows, gsize n, const char *const *in, GError **error)
{
  g_autoptr (SlTable) table = sl_table_new (&sl_simulator, classes);
  g_autoptr (SlTable) input = sl_table_new (&sl_labels, in);
  sl_table_add (table, SL_SIMULATOR_CLASS);
  sl_table_add (table, SL_SIMULATOR_OTHER);
  for (int column = SL_SIMULATOR_PERSON; column <= SL_SIMULATOR_RULED_OUT; column++)
    sl_table_add (table, column);
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  for (gsize i = 0; i < n; i++)
    {
      gboolean pair = rows[i].class != rows[i].other;
      sl_builder_text (builder, SL_SIMULATOR_GROUP, rows[i].group, strlen (rows[i].group));
      sl_builder_text (builder, SL_SIMULATOR_NAME, rows[i].name, strlen (rows[i].name));
      sl_builder_class (builder, SL_SIMULATOR_CLASS, pair ? rows[i].class : -1);
      sl_builder_class (builder, SL_SIMULATOR_OTHER, pair ? rows[i].other : -1);
      sl_builder_real (builder, SL_SIMULATOR_VALUE, rows[i].value);
      gboolean answer = strcmp (rows[i].name, "answer") == 0;
      sl_builder_real (builder, SL_SIMULATOR_FIRST_PERCENT, answer ? rows[i].first : NONE);
      sl_builder_real (builder, SL_SIMULATOR_SECOND_PERCENT, answer ? rows[i].second : NONE);
      whole (builder, SL_SIMULATOR_PERSON, rows[i].person - 1);
      whole (builder, SL_SIMULATOR_ALTERNATIVES, rows[i].alternatives - 1);
      whole (builder, SL_SIMULATOR_RULED_OUT, rows[i].ruled_out);
    }
  g_autoptr (SlReader) reader = reader_of (builder, table);
  SlRunPrivate priv = { 0 };
  SlCommonOptions values = { 0 };
  const SlOptions common = { .values = &values };
  SlRun run = { .common = &common, .priv = &priv };
  return sl_simulator_read (simulator, &run, reader, input, error);
}

static void
check_refused (const Row *rows, gsize n, const char *part)
{
  g_auto (SlSimulator) simulator = { 0 };
  g_autoptr (GError) error = NULL;
  assert_false (read_rows (&simulator, rows, n, classes, &error));
  assert_error (&error, SL_ERROR_INPUT, part);
}

#define REFUSED(part, ...)                                                                         \
  check_refused ((const Row[]){ __VA_ARGS__ }, G_N_ELEMENTS (((const Row[]){ __VA_ARGS__ })), part)

static void
test_refused (void **state)
{
  (void) state;
  check_refused (NULL, 0, "it has no fit to answers");
  REFUSED ("it has no fit to answers", { "all", "answers", 0 });
  REFUSED ("row 1: value is not a finite number", { "all", "answers", (double) NAN });
  REFUSED ("row 7: no parameter of a model of answers", GROUP ("all"), { "all", "mixup.k", 5 });
  REFUSED ("row 7: no parameter of a model of answers", GROUP ("all"), { "all", "top1.gamma", 5 });
  REFUSED ("row 7: no parameter of a model of answers", GROUP ("all"),
           { "all", "alternatives.3", 5 });
  REFUSED ("row 7: no parameter of a model of answers", GROUP ("all"),
           { "all", "alternatives.-1", 5 });
  REFUSED ("row 7: no parameter of a model of answers", GROUP ("all"), { "some", "top1.alpha", 5 });
  REFUSED ("row 7: no parameter of a model of answers", GROUP ("all"), { "all", "likeness", 1 });
  REFUSED ("a 'top1' that is no Beta distribution", GROUP ("all"), { "all", "top1.scale", 1.5 });
  REFUSED ("a 'top1' that is no Beta distribution", GROUP ("all"), { "all", "top1.scale", 0 });
  REFUSED ("group 'low' has no 'top1'", GROUP ("all"), { "low", "answers", 5 });
  REFUSED ("row 7: the parameter has been given in a row before", GROUP ("all"),
           { "all", "top1.alpha", 2 });
  REFUSED ("row 8: the parameter has been given in a row before", GROUP ("all"),
           { "all", "likeness", .5, 1, 2 }, { "all", "likeness", .5, 1, 2 });
  REFUSED ("row 7: no parameter", GROUP ("all"), { "all", "alternatives.01", 5 });
  REFUSED ("group 'all' has a 'top1' that is no Beta distribution", FIT ("all", 0, 1, 3, 4));
  REFUSED ("group 'all' has a 'top1' that is no Beta distribution", FIT ("all", 1, 1e-310, 3, 4));
  REFUSED ("group 'all' has a 'top1' that is no Beta distribution", FIT ("all", 1, 1e300, 3, 4));
  REFUSED ("group 'all' has a 'top2' that is no Beta distribution", GROUP ("all"),
           { "all", "top2.n", 5 });
  REFUSED ("group 'all' has a 'top2' that is no Beta distribution", GROUP ("all"),
           { "all", "top2.alpha", 5 }, { "all", "top2.beta", 5 });
  REFUSED ("group 'all' has no 'alternatives'", FIT ("all", 1, 1, 3, -1));
  REFUSED ("group 'all' has no 'alternatives'", FIT ("all", 1, 1, 0, 0));
}

/* What nobody can have answered. */
static void
test_refused_answers (void **state)
{
  (void) state;
  REFUSED ("row 7: no answers of people", GROUP ("all"), ANSWER ("all", 1, 0, NONE, 5, 1));
  REFUSED ("row 7: no answers of people", GROUP ("all"), ANSWER ("all", 1, 0, 90, 5, 0));
  REFUSED ("row 7: no answers of people", GROUP ("all"), ANSWER ("all", 1, 0, 90, NONE, 1, 2));
  REFUSED ("row 7: no answers of people", GROUP ("all"), ANSWER ("all", 1, 0, 90, 5, 2, 2));
  REFUSED ("row 7: no answers of people", GROUP ("all"), ANSWER ("all", 1, 0, 90, 5, 1, 4));
  REFUSED ("has seconds that nobody takes", GROUP ("all"), { "all", "seconds.mean", 3 });
  REFUSED ("repeats that are no shares", GROUP ("all"), { "all", "again", -1 });
  REFUSED ("row 7: no parameter", GROUP ("all"), { "low", "again", .5 });
  REFUSED ("row 7: no answers of people", GROUP ("all"), ANSWER ("all", 1, 0, 90, 5, 3));
  REFUSED ("row 7: no answers of people", GROUP ("all"), ANSWER ("all", 1, 0, 90, 5, -1));
  REFUSED ("row 7: no answers of people", GROUP ("all"), ANSWER ("all", 0, 0, 90, 5, 1));
  REFUSED ("row 7: no answers of people", GROUP ("all"), ANSWER ("all", 1.5, 0, 90, 5, 1));
  REFUSED ("row 7: no answers of people", GROUP ("all"), ANSWER ("all", 1e300, 0, 90, 5, 1));
  REFUSED ("row 7: no answers of people", GROUP ("all"), ANSWER ("some", 1, 0, 90, 5, 1));
  REFUSED ("person 2147483646 is there, but rows for 1 persons at most", GROUP ("all"),
           ANSWER ("all", 1, G_MAXINT32 - 1, 90, 5, 1));
  REFUSED ("group 'low' has no 'answer', though others have", GROUP ("high"), GROUP ("low"),
           ANSWER ("high", 1, 0, 90, 5, 1));
}

/* An answer's row stands for as many as its value says; whose it is may be unknown. An icc out of
 * range is taken for the nearest one. */
static void
test_read_answers (void **state)
{
  (void) state;
  static const Row rows[] = { GROUP ("all"),
                              ANSWER ("all", 3, 1, 90, 10, 2),
                              ANSWER ("all", 1, -1, 40, NAN, 0),
                              ANSWER ("all", 1, 0, 100, NAN, 0),
                              { "all", "icc", 1.5 } };
  g_auto (SlSimulator) simulator = { 0 };
  g_autoptr (GError) error = NULL;
  assert_true (read_rows (&simulator, rows, G_N_ELEMENTS (rows), classes, &error));
  const SlPanel *people = &simulator.people;
  assert_int_equal (people->n_people, 2);
  assert_int_equal (people->said[SL_GROUP_ALL]->len, 3);
  assert_real (people->icc, 1);
  assert_real (people->own[SL_GROUP_ALL][1], 1);
  assert_real (sl_panel_say (people, SL_GROUP_ALL, 1, .5)->second, 10);
  assert_real (sl_panel_say (people, SL_GROUP_ALL, -1, .1)->first, 40);
  assert_real (sl_panel_say (people, SL_GROUP_ALL, -1, .5)->first, 90);
}

/* Classes in another order; groups that are not there. */
static void
test_read (void **state)
{
  (void) state;
  static const Row rows[] = { { "all", "likeness", .75, 0, 2 },  GROUP ("low"),
                              { "all", "route_threshold", .25 }, { "low", "top2.n", 2 },
                              { "low", "top2.alpha", 3 },        { "low", "top2.beta", 4 } };
  static const char *const other[] = { "dog", "cat", "bird", NULL };
  g_auto (SlSimulator) simulator = { 0 };
  g_autoptr (GError) error = NULL;
  assert_true (read_rows (&simulator, rows, G_N_ELEMENTS (rows), other, &error));
  assert_int_equal (simulator.group[SL_GROUP_ALL].answers, 0);
  assert_int_equal (simulator.group[SL_GROUP_LOW].answers, 7);
  assert_real (simulator.group[SL_GROUP_LOW].first.beta.alpha, 2);
  assert_real (simulator.group[SL_GROUP_LOW].second.beta.beta, 4);
  assert_real (simulator.group[SL_GROUP_LOW].alternatives[2], 4);
  assert_real (simulator.likeness[2 * 3 + 0], .75);
  assert_int_equal (sl_simulator_route (&simulator, .24), SL_GROUP_LOW);
  assert_int_equal (sl_simulator_route (&simulator, .25), SL_GROUP_HIGH);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_refused),
    cmocka_unit_test (test_refused_answers),
    cmocka_unit_test (test_read),
    cmocka_unit_test (test_read_answers),
  };
  return cmocka_run_group_tests (tests, setup, teardown);
}
