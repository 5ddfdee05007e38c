/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "arrays.h"

#include "pipeline/command/provenance.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static gint64 level = 3;
static const SlOption option_table[]
    = { { .name = "level", .kind = SL_OPTION_INTEGER, .max = 9 }, { 0 } };
static const SlOptions options = { .table = option_table, .values = &level };
#define OPTIONS "\"version\":\"" SL_VERSION "\",\"options\":{\"level\":3}"

static SlProvenance provenance;
static char *folder;

static int
setup (void **state)
{
  (void) state;
  sl_provenance_init (&provenance);
  folder = g_dir_make_tmp ("softlabel-XXXXXX", NULL);
  return folder != NULL ? 0 : 1;
}

static int
teardown (void **state)
{
  (void) state;
  sl_provenance_clear (&provenance);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      (void) g_remove (path);
    }
  (void) g_rmdir (folder);
  g_clear_pointer (&folder, g_free);
  return 0;
}

/* The whole history, which must be a JSON array of N objects. */
static char *
finish (const guint64 *seed, guint n)
{
  char *json = sl_provenance_finish (&provenance, "verb", &options, seed);
  g_autoptr (SlJsonParser) parser = sl_json_parser_new ();
  SlJson stages;
  if (!sl_provenance_read (parser, json, &stages))
    fail_msg ("%s", json);
  assert_int_equal (sl_json_length (stages), n);
  return json;
}

static void
add_input (const char *option, const char *history)
{
  const char *problem = sl_provenance_add_input (&provenance, option, history);
  if (problem != NULL)
    fail_msg ("%s", problem);
}

static void
test_alone (void **state)
{
  (void) state;
  g_autofree char *json = finish (NULL, 1);
  assert_string_equal (json, "[{\"verb\":\"verb\"," OPTIONS "}]");
  guint64 seed = G_MAXUINT64;
  g_autofree char *seeded = finish (&seed, 1);
  assert_string_equal (seeded, "[{\"verb\":\"verb\"," OPTIONS ",\"seed\":18446744073709551615}]");
  const SlOptions none = { 0 };
  g_autofree char *bare = sl_provenance_finish (&provenance, "show", &none, NULL);
  assert_string_equal (bare, "[{\"verb\":\"show\",\"version\":\"" SL_VERSION "\",\"options\":{}}]");
}

static void
test_chain (void **state)
{
  (void) state;
  add_input (NULL, "[{\"verb\":\"a]\"},{\"verb\":\"[b\"}]");
  g_autofree char *json = finish (NULL, 3);
  assert_string_equal (json,
                       "[{\"verb\":\"a]\"},{\"verb\":\"[b\"},{\"verb\":\"verb\"," OPTIONS "}]");
}

static void
test_no_history (void **state)
{
  (void) state;
  static const char *const empty[] = { NULL, "[]", "[ ]", " [\n]\n" };
  for (gsize i = 0; i < G_N_ELEMENTS (empty); i++)
    {
      sl_provenance_clear (&provenance);
      sl_provenance_init (&provenance);
      add_input (NULL, empty[i]);
      g_free (finish (NULL, 1));
    }
}

static void
test_spaces (void **state)
{
  (void) state;
  add_input (NULL, " [ {\"verb\": \"a\"} ]\n");
  add_input ("vectors", "\n[ ] ");
  g_free (finish (NULL, 2));
}

static void
test_inputs (void **state)
{
  (void) state;
  add_input ("vectors", "[{\"verb\":\"v\"}]");
  add_input ("file 1", NULL);
  add_input ("file 2", "[]");
  add_input ("a \"b\"", "[{\"verb\":\"x\"},{\"verb\":\"y\"}]");
  add_input (NULL, "[{\"verb\":\"main\"}]");
  g_autofree char *json = finish (NULL, 2);
  /* A table without a history has its place all the same. */
  assert_string_equal (json,
                       "[{\"verb\":\"main\"},{\"verb\":\"verb\"," OPTIONS
                       ",\"inputs\":{\"vectors\":[{\"verb\":\"v\"}],\"file 1\":[],\"file 2\":[],"
                       "\"a \\\"b\\\"\":[{\"verb\":\"x\"},{\"verb\":\"y\"}]}}]");
}

static void
test_not_a_history (void **state)
{
  (void) state;
  static const char *const wrong[] = { "",      "{}",     "[",        "x",       "\"[]\"", "null",
                                       "[1] 2", "[1][2]", "[\"a\",]", "/*[*/[]", "['a']",  "[1]" };
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      sl_provenance_clear (&provenance);
      sl_provenance_init (&provenance);
      const char *problem
          = sl_provenance_add_input (&provenance, i % 2 ? NULL : "option", wrong[i]);
      if (problem == NULL)
        fail_msg ("'%s' is accepted", wrong[i]);
      assert_string_equal (problem, "its history is not in the form that softlabel writes");
      g_autofree char *json = finish (NULL, 1);
      assert_string_equal (json, i % 2 ? "[{\"verb\":\"verb\"," OPTIONS "}]"
                                       : "[{\"verb\":\"verb\"," OPTIONS
                                         ",\"inputs\":{\"option\":[]}}]");
    }
}

/* A table to which another is appended, again and again; and one joined with itself. What is
 * written can always be read. */
static void
appended (guint copies, guint times, guint lost_from, guint lost_to)
{
  g_autofree char *history = g_strdup ("[{\"verb\":\"a\"}]");
  guint first_lost = 0;
  for (guint i = 1; i <= times; i++)
    {
      const char *problem = NULL;
      sl_provenance_clear (&provenance);
      sl_provenance_init (&provenance);
      for (guint copy = 0; copy < copies; copy++)
        {
          g_autofree char *name = g_strdup_printf ("file %u", copy + 1);
          const char *found = sl_provenance_add_input (&provenance, name, history);
          problem = found != NULL ? found : problem;
        }
      g_free (history);
      history = finish (NULL, 1);
      assert_true (strlen (history) <= (1 << 20) + 200);
      if (problem != NULL && first_lost == 0)
        {
          assert_string_equal (problem, "its history is too long to be kept");
          first_lost = i;
        }
    }
  assert_in_range (first_lost, lost_from, lost_to);
}

static void
test_too_long (void **state)
{
  (void) state;
  appended (1, 40, 20, 33);
  appended (2, 16, 8, 15);
}

static char *
write_file (const char *name, const void *bytes, gsize size)
{
  char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;
  if (!g_file_set_contents (path, bytes, (gssize) size, &error))
    fail_msg ("%s", error->message);
  return path;
}

static void
add_source (const char *path)
{
  g_autoptr (GError) error = NULL;
  if (!sl_provenance_add_source (&provenance, path, &error))
    fail_msg ("%s", error->message);
}

static void
test_sources (void **state)
{
  (void) state;
  g_autofree char *empty = write_file ("a \"b\".csv", "", 0);
  /* More than is read at a time. */
  gsize size = (2 << 20) + 12345;
  g_autofree guint8 *bytes = g_malloc (size);
  for (gsize i = 0; i < size; i++)
    bytes[i] = (guint8) (i * 2654435761u >> 13);
  g_autofree char *large = write_file ("\xff.npy", bytes, size);
  add_source (empty);
  add_source ("-");
  add_source (large);
  g_autofree char *json = finish (NULL, 1);
  /* The digest of nothing is from the documentation of XXH3. */
  g_autofree char *wanted = g_strdup_printf (
      "[{\"verb\":\"verb\"," OPTIONS
      ",\"sources\":[{\"name\":\"a \\\"b\\\".csv\",\"size\":0,\"xxh3\":\"2d06800538d394c2\"},"
      "{\"name\":\"-\"},{\"name\":\"\xef\xbf\xbd.npy\",\"size\":%zu,\"xxh3\":\"%"
      "016" G_GINT64_MODIFIER "x\"}]}]",
      size, (guint64) XXH3_64bits (bytes, size));
  assert_string_equal (json, wanted);
}

static void
test_missing_source (void **state)
{
  (void) state;
  g_autofree char *path = g_build_filename (folder, "no such file", NULL);
  g_autoptr (GError) error = NULL;
  assert_false (sl_provenance_add_source (&provenance, path, &error));
  assert_error (&error, SL_ERROR_RUNTIME, "no such file: cannot be read: No such file");
}

/* A pipe has no digest, and is not opened: whoever writes to it would take that for a reader come
 * and gone. */
static void
test_pipe_source (void **state)
{
  (void) state;
  g_autofree char *path = g_build_filename (folder, "pipe", NULL);
  assert_int_equal (mkfifo (path, 0600), 0);
  int watch = inotify_init1 (IN_NONBLOCK);
  assert_true (inotify_add_watch (watch, path, IN_OPEN) >= 0);
  add_source (path);
  g_autofree char *json = finish (NULL, 1);
  assert_non_null (strstr (json, "\"sources\":[{\"name\":\"pipe\"}]"));
  struct inotify_event event;
  assert_int_equal (read (watch, &event, sizeof event), -1);
  assert_int_equal (errno, EAGAIN);
  (void) close (watch);
}

#define TEST(name) cmocka_unit_test_setup_teardown (name, setup, teardown)

int
main (void)
{
  const struct CMUnitTest tests[] = {
    TEST (test_alone),    TEST (test_chain),          TEST (test_no_history),
    TEST (test_spaces),   TEST (test_inputs),         TEST (test_not_a_history),
    TEST (test_sources),  TEST (test_missing_source), TEST (test_pipe_source),
    TEST (test_too_long),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
