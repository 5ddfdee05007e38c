/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "arrays.h"

#include "schemas/annotations.h"

static SlBatch *
votes (gint64 n)
{
  g_autoptr (SlTable) table
      = sl_table_new (&sl_annotations, (const char *const[]){ "cat", "dog", NULL });
  sl_table_add (table, SL_ANNOTATIONS_CLASS);
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  for (gint64 i = 0; i < n; i++)
    {
      sl_builder_text (builder, SL_ANNOTATIONS_ITEM, "a", 1);
      sl_builder_class (builder, SL_ANNOTATIONS_CLASS, (gint32) (i % 2));
    }
  g_autoptr (GError) error = NULL;
  return sl_builder_take (builder, &error);
}

/* Each vote is one choice without a percent that rules nothing out. */
static gboolean
is_right (const SlAnnotations *view, gint64 n)
{
  gboolean right = view->n == n && view->start[0] == 0 && view->impossible_start[0] == 0;
  for (gint64 i = 0; i < n && right; i++)
    right = view->start[i + 1] == i + 1 && view->impossible_start[i + 1] == 0
            && isnan (view->percent[i]) && view->choice[i] == i % 2;
  return right;
}

/* A view of votes takes no memory of its batch, however often, and outlasts views of larger
 * ones. */
static void
test_views_are_free (void **state)
{
  (void) state;
  static const gint64 sizes[] = { 0, 1, 5, 1000, 999, 1001, 5000, 3 };
  SlBatch *batches[G_N_ELEMENTS (sizes)];
  SlAnnotations views[G_N_ELEMENTS (sizes)];
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      batches[i] = votes (sizes[i]);
      guint owned = batches[i]->owned->len;
      views[i] = sl_annotations_view (batches[i]);
      assert_ptr_equal (sl_annotations_view (batches[i]).start, views[i].start);
      assert_int_equal (batches[i]->owned->len, owned);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      assert_true (is_right (&views[i], sizes[i]));
      sl_batch_unref (batches[i]);
    }
}

static gpointer
look (gpointer data)
{
  gboolean right = TRUE;
  for (gint64 n = 10000; n < 20000 && right; n += 1000)
    {
      g_autoptr (SlBatch) batch = votes (n + GPOINTER_TO_INT (data));
      SlAnnotations view = sl_annotations_view (batch);
      right = is_right (&view, n + GPOINTER_TO_INT (data));
    }
  return GINT_TO_POINTER (right);
}

static void
test_views_from_threads (void **state)
{
  (void) state;
  GThread *thread[4];
  for (int i = 0; i < 4; i++)
    thread[i] = g_thread_new ("look", look, GINT_TO_POINTER (i));
  for (int i = 0; i < 4; i++)
    assert_true (GPOINTER_TO_INT (g_thread_join (thread[i])));
}

int
main (void)
{
  const struct CMUnitTest tests[]
      = { cmocka_unit_test (test_views_are_free), cmocka_unit_test (test_views_from_threads) };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
