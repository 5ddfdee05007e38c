/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline/base/error.h"
#include "schemas/annotations.h"
#include "schemas/labels.h"
#include "pipeline/table/condition.h"

#include <math.h>
#include <string.h>

enum
{
  N_ROWS = 4
};

static const char *const classes[] = { "cat", "dog", NULL };

/* Rows of annotations: 1 a cat gold cat 3 s; 2 a dog no gold 4.5 s; 3 b cat gold dog no time; 4 b
 * dog gold dog 12 s. */
static SlBatch *
annotations (void)
{
  static const char *const items[] = { "1", "2", "3", "4" };
  static const gint32 class[] = { 0, 1, 0, 1 }, gold[] = { 0, -1, 1, 1 };
  static const double seconds[] = { 3, 4.5, NAN, 12 };
  g_autoptr (SlTable) table = sl_table_new (&sl_annotations, classes);
  static const int more[]
      = { SL_ANNOTATIONS_ANNOTATOR, SL_ANNOTATIONS_CLASS, SL_ANNOTATIONS_GOLD,
          SL_ANNOTATIONS_SECONDS,   SL_ANNOTATIONS_TRIAL, SL_ANNOTATIONS_REPEAT };
  for (gsize i = 0; i < G_N_ELEMENTS (more); i++)
    sl_table_add (table, more[i]);
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  for (int i = 0; i < N_ROWS; i++)
    {
      sl_builder_text (builder, SL_ANNOTATIONS_ITEM, items[i], 1);
      sl_builder_text (builder, SL_ANNOTATIONS_ANNOTATOR, i < 2 ? "a" : "b", 1);
      sl_builder_class (builder, SL_ANNOTATIONS_CLASS, class[i]);
      sl_builder_class (builder, SL_ANNOTATIONS_GOLD, gold[i]);
      sl_builder_real (builder, SL_ANNOTATIONS_SECONDS, seconds[i]);
      sl_builder_int (builder, SL_ANNOTATIONS_TRIAL, i - 1);
      sl_builder_bool (builder, SL_ANNOTATIONS_REPEAT, i == 2);
    }
  return sl_builder_take (builder, NULL);
}

static SlBatch *
labels (void)
{
  static const double label[] = { 1, 0, 0.5, 0.5, 0.25, 0.75, 0, 1 };
  g_autoptr (SlTable) table = sl_table_new (&sl_labels, classes);
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  for (int i = 0; i < N_ROWS; i++)
    {
      sl_builder_text (builder, SL_LABELS_ITEM, "x", 1);
      sl_builder_real (builder, SL_LABELS_WEIGHT, i);
    }
  memcpy (sl_builder_labels (builder, SL_LABELS_LABEL, N_ROWS), label, sizeof label);
  return sl_builder_take (builder, NULL);
}

/* The rows that fit TEXT, as a bit each; -1 where the table has no such thing. */
static int
fitting (const char *text, SlBatch *batch)
{
  SlCondition condition;
  guint8 keep[N_ROWS] = { 1, 1, 1, 1 };
  g_autoptr (GError) error = NULL;
  int rows = 0;
  assert_true (sl_condition_parse (&condition, text, NULL));
  if (sl_condition_bind (&condition, batch->table, &error))
    {
      sl_condition_apply (&condition, batch, keep);
      for (int i = 0; i < N_ROWS; i++)
        rows |= keep[i] << i;
    }
  else
    {
      assert_int_equal (error->code, SL_ERROR_USAGE);
      rows = -1;
    }
  sl_condition_clear (&condition);
  return rows;
}

static void
rows_that_fit (void **state)
{
  (void) state;
  static const struct
  {
    const char *text;
    int rows;
  } of_annotations[] = {
    { "seconds < 4.5", 1 },     { "seconds<=4.5", 3 },       { "seconds >= 4.5", 10 },
    { " seconds  > 4.5 ", 8 },  { "seconds = 4.5", 2 },      { "seconds == 4.5", 2 },
    { "seconds != 4.5", 9 },    { "seconds missing", 4 },    { "seconds present", 11 },
    { "trial < 0", 1 },         { "trial >= 2", 8 },         { "trial != 0", 13 },
    { "gold = dog", 12 },       { "gold != dog", 1 },        { "gold missing", 2 },
    { "annotator = a", 3 },     { "annotator != a", 12 },    { "item = 3", 4 },
    { "repeat = yes", 4 },      { "repeat = false", 11 },    { "repeat != true", 11 },
    { "class = cat", 5 },       { "trial = 99999999999", 0 }, { "trial < 99999999999", 15 },
    { "annotator = ab", 0 },    { "annotator > a", 12 },      { "annotator <= a", 3 },
    { "annotator < aa", 3 },    { "annotator >= B", 15 },
  }, of_labels[] = {
    { "label.cat >= 0.5", 3 }, { "label.dog > 0.5", 12 }, { "label.dog = 0.5", 2 },
    { "weight = 2", 4 },
  };
  g_autoptr (SlBatch) votes = annotations (), soft = labels ();
  for (gsize i = 0; i < G_N_ELEMENTS (of_annotations); i++)
    if (fitting (of_annotations[i].text, votes) != of_annotations[i].rows)
      fail_msg ("%s: %d", of_annotations[i].text, fitting (of_annotations[i].text, votes));
  for (gsize i = 0; i < G_N_ELEMENTS (of_labels); i++)
    if (fitting (of_labels[i].text, soft) != of_labels[i].rows)
      fail_msg ("%s: %d", of_labels[i].text, fitting (of_labels[i].text, soft));
}

/* A row that another condition has dropped stays so. */
static void
both (void **state)
{
  (void) state;
  g_autoptr (SlBatch) votes = annotations ();
  SlCondition condition;
  guint8 keep[N_ROWS] = { 0, 1, 0, 1 };
  assert_true (sl_condition_parse (&condition, "seconds present", NULL));
  assert_true (sl_condition_bind (&condition, votes->table, NULL));
  sl_condition_apply (&condition, votes, keep);
  sl_condition_clear (&condition);
  static const guint8 expected[N_ROWS] = { 0, 1, 0, 1 };
  assert_memory_equal (keep, expected, N_ROWS);
}

/* What a folder's name says is a text until a column's type is known: every reading counts. */
static void
of_folders (void **state)
{
  (void) state;
  static const struct
  {
    const char *text, *value;
    gboolean fits;
  } of[] = {
    { "dt = 2026-11-20", "2026-11-20", TRUE },
    { "dt = 2026-11-20", "2026-11-21", FALSE },
    { "dt < 2026-11-20", "2026-11-19", TRUE },
    { "dt >= 2026-11-20", "2026-11-19", FALSE },
    { "dt != 2026-11-20", "2026-11-20", FALSE },
    { "n > 9", "10", TRUE },
    { "n < 10", "9", TRUE },
    { "n = 1", "1.0", TRUE },
    { "n < 9", "9", FALSE },
    { "n missing", "", TRUE },
    { "n present", "", FALSE },
    { "n present", "7", TRUE },
    { "n != 7", "", FALSE },
    { "repeat = yes", "true", TRUE },
    { "repeat = yes", "maybe", FALSE },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (of); i++)
    {
      SlCondition condition;
      assert_true (sl_condition_parse (&condition, of[i].text, NULL));
      if (sl_condition_may_fit (&condition, of[i].value) != of[i].fits)
        fail_msg ("%s of '%s'", of[i].text, of[i].value);
      sl_condition_clear (&condition);
    }
  SlCondition condition;
  assert_true (sl_condition_parse (&condition, "tag_dt = 1", NULL));
  assert_true (sl_condition_is_of (&condition, "dt"));
  assert_false (sl_condition_is_of (&condition, "d"));
  sl_condition_clear (&condition);
}

static void
no_conditions (void **state)
{
  (void) state;
  static const char *const texts[]
      = { "",          " ",          "gold",    "gold lion",           "= 3",
          "seconds =", "seconds < ", "missing", "gold is missing now", "!3",
          "a ! b" };
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      SlCondition condition;
      g_autoptr (GError) error = NULL;
      if (sl_condition_parse (&condition, texts[i], &error))
        fail_msg ("taken: '%s'", texts[i]);
      assert_int_equal (error->code, SL_ERROR_USAGE);
      sl_condition_clear (&condition);
    }
}

static void
no_such_values (void **state)
{
  (void) state;
  g_autoptr (SlBatch) votes = annotations (), soft = labels ();
  static const char *const of_annotations[]
      = { "lion = 1",     "seconds = fast",   "gold = lion", "gold < dog",
          "repeat > yes", "repeat = perhaps", "trial = 1.5", "gold.cat = 1" },
      *const of_labels[] = { "label > 0.5", "label.lion > 0.5", "label missing",
                             "label.cat present", "label.cat = x" };
  for (gsize i = 0; i < G_N_ELEMENTS (of_annotations); i++)
    if (fitting (of_annotations[i], votes) != -1)
      fail_msg ("taken: %s", of_annotations[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (of_labels); i++)
    if (fitting (of_labels[i], soft) != -1)
      fail_msg ("taken: %s", of_labels[i]);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (rows_that_fit),  cmocka_unit_test (both),
    cmocka_unit_test (of_folders),     cmocka_unit_test (no_conditions),
    cmocka_unit_test (no_such_values),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
