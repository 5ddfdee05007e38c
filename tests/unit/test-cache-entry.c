/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "own-folder.h"

#include "pipeline/command/commands.h"
#include "pipeline/command/run-cache.h"
#include "pipeline/files/cache-entry.h"
#include "pipeline/files/content-digest.h"

#include <fcntl.h>

#define KEY "{\"verb\":\"cat\"}"
#define MAIN "the main output"
#define SIDE "item,annotator\n1,ann\n"

static int
file_of (const char *name, const char *text)
{
  put (name, text);
  return open (name, O_RDONLY | O_CLOEXEC);
}

static void
add_output (SlCacheEntry *entry, const char *option)
{
  SlCacheOutput output = { .option = g_strdup (option) };
  g_array_append_val (entry->outputs, output);
}

/* An entry of two outputs, of which two things were said. */
static SlCacheEntry *
new_entry (void)
{
  SlCacheEntry *entry = g_new0 (SlCacheEntry, 1);
  entry->fd = -1;
  entry->key = g_strdup (KEY);
  entry->names = g_strsplit ("a.parquet|with \"quotes\",\n and [brackets]", "|", -1);
  entry->names_matter = TRUE;
  entry->levels = g_array_new (FALSE, FALSE, sizeof (int));
  entry->said = g_ptr_array_new_with_free_func (g_free);
  for (int level = 0; level < 2; level++)
    {
      g_array_append_val (entry->levels, level);
      g_ptr_array_add (entry->said, g_strdup (level == 0 ? "first \xc3\xa9" : "second\nline"));
    }
  entry->outputs = g_array_new (FALSE, TRUE, sizeof (SlCacheOutput));
  add_output (entry, "output");
  add_output (entry, "report");
  return entry;
}

/* Writes it into the folder "cache"; what it is called there. */
static char *
write_entry (void)
{
  g_autoptr (SlCacheEntry) entry = new_entry ();
  g_autoptr (GError) error = NULL;
  int fds[] = { file_of ("main", MAIN), file_of ("side", SIDE) };
  if (!sl_cache_folder ("cache", TRUE, &error)
      || !sl_cache_entry_write (entry, "cache", fds, &error))
    fail_msg ("%s", error->message);
  close (fds[0]);
  close (fds[1]);
  return sl_cache_id (KEY);
}

static SlCacheEntry *
open_entry (const char *id)
{
  gboolean damaged;
  SlCacheEntry *entry = sl_cache_entry_open ("cache", id, &damaged);
  assert_false (damaged);
  assert_non_null (entry);
  return entry;
}

static void
copies (const SlCacheEntry *entry, guint i, const char *wanted)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SlOutput) output = sl_output_new ("copy", &error);
  if (!sl_cache_entry_copy (entry, i, output, &error) || !sl_output_finish (output, &error)
      || !sl_output_commit (output, &error))
    fail_msg ("%s", error->message);
  g_autofree char *text = NULL;
  assert_true (g_file_get_contents ("copy", &text, NULL, NULL));
  assert_string_equal (text, wanted);
}

static void
test_written_and_read (void **state)
{
  (void) state;
  g_autofree char *id = write_entry ();
  g_autoptr (SlCacheEntry) entry = open_entry (id), wanted = new_entry ();
  assert_string_equal (entry->key, KEY);
  assert_string_equal (entry->id, id);
  assert_true (
      g_strv_equal ((const char *const *) entry->names, (const char *const *) wanted->names));
  assert_true (entry->names_matter);
  assert_int_equal (entry->said->len, 2);
  for (guint i = 0; i < 2; i++)
    {
      assert_string_equal (entry->said->pdata[i], wanted->said->pdata[i]);
      assert_int_equal (g_array_index (entry->levels, int, i), i);
    }
  assert_int_equal (entry->outputs->len, 2);
  assert_string_equal (g_array_index (entry->outputs, SlCacheOutput, 0).option, "output");
  assert_string_equal (g_array_index (entry->outputs, SlCacheOutput, 1).option, "report");
  assert_true (sl_cache_entry_is_sound (entry));
  copies (entry, 1, SIDE);
  copies (entry, 0, MAIN);
}

static void
test_least_entry (void **state)
{
  (void) state;
  g_autoptr (SlCacheEntry) entry = new_entry ();
  g_autoptr (GError) error = NULL;
  g_strfreev (entry->names);
  entry->names = g_new0 (char *, 1);
  entry->names_matter = FALSE;
  g_array_set_size (entry->levels, 0);
  g_ptr_array_set_size (entry->said, 0);
  assert_true (sl_cache_folder ("cache", TRUE, &error));
  int empty = file_of ("empty", ""), fds[] = { empty, empty };
  assert_true (sl_cache_entry_write (entry, "cache", fds, &error));
  close (empty);
  g_autofree char *id = sl_cache_id (KEY);
  g_autoptr (SlCacheEntry) found = open_entry (id);
  assert_null (found->names[0]);
  assert_false (found->names_matter);
  assert_int_equal (found->said->len, 0);
  assert_true (sl_cache_entry_is_sound (found));
  copies (found, 0, "");
}

/* Whether anybody would be served from the entry, whose file says TEXT. */
static gboolean
would_serve (const char *id, const char *text, gsize n)
{
  g_autofree char *path = g_strdup_printf ("cache/%s.entry", id);
  /* Not synced: there are thousands of them. */
  FILE *file = fopen (path, "wb");
  assert_true (file != NULL && fwrite (text, 1, n, file) == n && fclose (file) == 0);
  gboolean damaged;
  g_autoptr (SlCacheEntry) entry = sl_cache_entry_open ("cache", id, &damaged);
  assert_true ((entry == NULL) == damaged);
  return entry != NULL && sl_cache_entry_is_sound (entry);
}

/* No bit of it can change, nothing of it can be missing, and nothing be added. */
static void
test_damage (void **state)
{
  (void) state;
  g_autofree char *id = write_entry (), *path = g_strdup_printf ("cache/%s.entry", id);
  g_autofree char *text = NULL;
  gsize n;
  assert_true (g_file_get_contents (path, &text, &n, NULL));
  assert_true (would_serve (id, text, n));
  for (gsize i = 0; i < n; i++)
    {
      text[i] = (char) (text[i] ^ (1 << i % 8));
      if (would_serve (id, text, n))
        fail_msg ("byte %" G_GSIZE_FORMAT " has changed", i);
      text[i] = (char) (text[i] ^ (1 << i % 8));
      if (would_serve (id, text, i))
        fail_msg ("cut after %" G_GSIZE_FORMAT " bytes", i);
    }
  assert_false (would_serve (id, text, n + 1)); /* the zero after the text */
  assert_true (would_serve (id, text, n));
}

static void
test_none (void **state)
{
  (void) state;
  g_autofree char *id = write_entry ();
  gboolean damaged = TRUE;
  assert_null (sl_cache_entry_open ("cache", "0123456789abcdef0123456789abcdef", &damaged));
  assert_false (damaged);
  damaged = TRUE;
  assert_null (sl_cache_entry_open ("nowhere", id, &damaged));
  assert_false (damaged);
  assert_true (sl_cache_remove ("cache", id));
  assert_null (sl_cache_entry_open ("cache", id, &damaged));
  assert_true (sl_cache_remove ("cache", id)); /* another has removed it */
}

static void
test_ids (void **state)
{
  (void) state;
  char xxh3[33];
  g_autofree char *id = write_entry ();
  sl_content_of_text (KEY, strlen (KEY), xxh3);
  assert_string_equal (id, xxh3);
  put ("cache/0000456789abcdef0123456789abcdef.entry", "whatever it is");
  put ("cache/0123456789ABCDEF0123456789ABCDEF.entry", "");
  put ("cache/0123456789abcdef0123456789abcdef.tmp", "");
  put ("cache/123.entry", "");
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) ids = sl_cache_ids ("cache", &error);
  assert_int_equal (ids->len, 2);
  assert_string_equal (ids->pdata[0], "0000456789abcdef0123456789abcdef");
  assert_string_equal (ids->pdata[1], id);
  assert_null (sl_cache_ids ("nowhere", &error));
  assert_error (&error, SL_ERROR_RUNTIME, "nowhere: there is no such cache");
}

static void
test_folder (void **state)
{
  (void) state;
  g_autoptr (GError) error = NULL;
  assert_false (sl_cache_folder ("a/b", FALSE, &error));
  assert_error (&error, SL_ERROR_RUNTIME, "a/b: there is no such cache");
  assert_false (g_file_test ("a", G_FILE_TEST_EXISTS));
  assert_true (sl_cache_folder ("a/b", TRUE, &error));
  assert_true (g_file_test ("a/b/CACHEDIR.TAG", G_FILE_TEST_IS_REGULAR));
  assert_true (sl_cache_folder ("a/b", FALSE, &error));
  put ("file", "");
  assert_false (sl_cache_folder ("file", TRUE, &error));
  assert_error (&error, SL_ERROR_RUNTIME, "file: cannot be a cache: ");
  g_autoptr (SlCacheEntry) entry = new_entry ();
  int fd = file_of ("main", MAIN), fds[] = { fd, fd };
  assert_false (sl_cache_entry_write (entry, "nowhere", fds, &error));
  assert_error (&error, SL_ERROR_RUNTIME, "nowhere");
  close (fd);
}

static void
test_use (void **state)
{
  (void) state;
  g_autofree char *id = write_entry ();
  assert_int_equal (system ("touch -d '2001-01-01 UTC' cache/*.entry"), 0);
  g_autoptr (SlCacheEntry) old = open_entry (id);
  assert_int_equal (old->used, 978307200);
  sl_cache_entry_touch (old);
  g_autoptr (SlCacheEntry) touched = open_entry (id);
  assert_true (touched->used > 978307200);
  /* Made again, it is the newer one that is found; who holds the older one still has it. */
  g_autofree char *again = write_entry ();
  assert_true (sl_cache_entry_is_sound (touched));
  sl_cache_entry_close (touched);
  assert_int_equal (touched->fd, -1);
}

/* An entry with these lines, and a digest that is right. */
static void
put_lines (const char *id, const char *key, const char *rest)
{
  g_autofree char *lines = g_strdup_printf ("%s\n%s\n", key, rest);
  char xxh3[33];
  sl_content_of_text (lines, strlen (lines), xxh3);
  g_autofree char *text = g_strdup_printf ("softlabel-cache 1\n%s\n%s", xxh3, lines);
  g_autofree char *path = g_strdup_printf ("cache/%s.entry", id);
  put (path, text);
}

/* Whoever can write an entry can make its digests. */
static void
test_made_up (void **state)
{
  (void) state;
  static const char *const good_rest
      = "{\"names\":[],\"names_matter\":false,\"said\":[],\"outputs\":[]}";
  static const char *const keys[] = { "", "{}", "[1]", "{\"verb\":5}", "{\"verb\":null}", "no" };
  static const char *const rests[]
      = { "",
          "[]",
          "{}",
          "null",
          "{\"names\":5,\"said\":[],\"outputs\":[]}",
          "{\"names\":[5],\"said\":[],\"outputs\":[]}",
          "{\"names\":[],\"said\":[5],\"outputs\":[]}",
          "{\"names\":[],\"said\":[[]],\"outputs\":[]}",
          "{\"names\":[],\"said\":[[0]],\"outputs\":[]}",
          "{\"names\":[],\"said\":[[0,5]],\"outputs\":[]}",
          "{\"names\":[],\"said\":[[\"a\",\"b\"]],\"outputs\":[]}",
          "{\"names\":[],\"said\":[[77,\"b\"]],\"outputs\":[]}",
          "{\"names\":[],\"said\":{},\"outputs\":[]}",
          "{\"names\":[],\"said\":[],\"outputs\":[5]}",
          "{\"names\":[],\"said\":[],\"outputs\":[{\"option\":5,\"size\":0,\"xxh3\":\"\"}]}",
          "{\"names\":[],\"said\":[],\"outputs\":[{\"option\":\"output\",\"size\":-1}]}",
          "{\"names\":[],\"said\":[],\"outputs\":[{\"option\":\"output\",\"size\":1e99,"
          "\"xxh3\":\"0123456789abcdef0123456789abcdef\"}]}" };
  g_autofree char *id = write_entry ();
  gboolean damaged;
  put_lines (id, KEY, good_rest);
  g_autoptr (SlCacheEntry) entry = sl_cache_entry_open ("cache", id, &damaged);
  assert_non_null (entry);
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      put_lines (id, keys[i], good_rest);
      assert_null (sl_cache_entry_open ("cache", id, &damaged));
      assert_true (damaged);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (rests); i++)
    {
      put_lines (id, KEY, rests[i]);
      assert_null (sl_cache_entry_open ("cache", id, &damaged));
      assert_true (damaged);
    }
}

#define RUN "ingest -q --from long --cache cache --sandbox off votes.csv -o votes.arrows"

/* An entry for RUN, with outputs that are named so; and the run, which is not served from it. */
static void
runs_by_itself (const char *outputs)
{
  g_auto (GStrv) words = g_strsplit (RUN, " ", -1);
  g_autofree char *named = NULL, *why = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *key = sl_run_key_of (words, ".", &named, &why, &error);
  assert_non_null (key);
  g_autoptr (SlCacheEntry) entry = new_entry ();
  int empty = file_of ("empty", ""), fds[] = { empty, empty };
  g_free (entry->key);
  entry->key = g_strdup (key);
  entry->names_matter = FALSE;
  g_array_set_size (entry->levels, 0);
  g_ptr_array_set_size (entry->said, 0);
  for (guint o = 0; o < entry->outputs->len; o++)
    g_free (g_array_index (entry->outputs, SlCacheOutput, o).option);
  g_array_set_size (entry->outputs, 0);
  g_auto (GStrv) names = g_strsplit (outputs, " ", -1);
  for (char **name = names; *name != NULL; name++)
    add_output (entry, *name);
  assert_true (sl_cache_folder ("cache", TRUE, &error));
  assert_true (sl_cache_entry_write (entry, "cache", fds, &error));
  close (empty);
  int n;
  const SlCommand *command = sl_command_find (words, &n);
  assert_int_equal (sl_run_command (command, words + n), 0);
  struct stat info;
  assert_int_equal (stat ("votes.arrows", &info), 0);
  assert_true (info.st_size > 0);
}

static void
test_outputs_of_another (void **state)
{
  (void) state;
  put ("votes.csv", "item,annotator,class\n1,a,cat\n");
  runs_by_itself ("output nonsense");
  runs_by_itself ("output classes");
  runs_by_itself ("output output");
  runs_by_itself ("rejected");
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown (test_written_and_read, setup, teardown),
    cmocka_unit_test_setup_teardown (test_least_entry, setup, teardown),
    cmocka_unit_test_setup_teardown (test_damage, setup, teardown),
    cmocka_unit_test_setup_teardown (test_none, setup, teardown),
    cmocka_unit_test_setup_teardown (test_ids, setup, teardown),
    cmocka_unit_test_setup_teardown (test_folder, setup, teardown),
    cmocka_unit_test_setup_teardown (test_use, setup, teardown),
    cmocka_unit_test_setup_teardown (test_made_up, setup, teardown),
    cmocka_unit_test_setup_teardown (test_outputs_of_another, setup, teardown),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
