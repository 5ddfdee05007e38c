/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "own-folder.h"

#include "pipeline/files/content-digest.h"

#include <errno.h>
#include <fcntl.h>

/* What the reference implementation's xxhsum -H2 says. */
#define OF_NOTHING "99aa06d3014798d86001c324468d497f"
#define OF_ABC "06b05ab6733a618578af5f94892f3950"

static void
test_known_values (void **state)
{
  (void) state;
  char xxh3[33];
  sl_content_of_text ("", 0, xxh3);
  assert_string_equal (xxh3, OF_NOTHING);
  sl_content_of_text ("abcd", 3, xxh3);
  assert_string_equal (xxh3, OF_ABC);
  put ("abc", "abc");
  SlContent content;
  char *why = NULL;
  assert_true (sl_content_of_path ("abc", &content, &why));
  assert_string_equal (content.xxh3, OF_ABC);
  assert_int_equal (content.size, 3);
  assert_int_equal (content.files, -1);
}

static void
test_ranges (void **state)
{
  (void) state;
  put ("file", "..abc.....");
  int fd = open ("file", O_RDONLY | O_CLOEXEC);
  SlContent content;
  assert_true (sl_content_of (fd, 2, 3, &content));
  assert_string_equal (content.xxh3, OF_ABC);
  assert_int_equal (content.size, 3);
  assert_true (sl_content_of (fd, 0, 0, &content));
  assert_string_equal (content.xxh3, OF_NOTHING);
  assert_true (sl_content_of (fd, 7, 100, &content)); /* as many as there are */
  assert_int_equal (content.size, 3);
  assert_true (sl_content_of (fd, 50, -1, &content));
  assert_int_equal (content.size, 0);
  assert_int_equal (lseek (fd, 0, SEEK_CUR), 0); /* nobody's place has moved */
  close (fd);
  fd = open (".", O_RDONLY | O_CLOEXEC);
  assert_false (sl_content_of (fd, 0, -1, &content));
  assert_int_equal (errno, EISDIR);
  close (fd);
}

/* More bytes than are read at a time. */
static char *
many_bytes (gsize n)
{
  char *bytes = g_malloc (n);
  for (gsize i = 0; i < n; i++)
    bytes[i] = (char) (i * 2654435761u >> 24);
  return bytes;
}

static void
test_many_bytes (void **state)
{
  (void) state;
  gsize n = (3 << 20) + 7;
  g_autofree char *bytes = many_bytes (n);
  char wanted[33];
  sl_content_of_text (bytes, n, wanted);
  assert_true (g_file_set_contents ("many", bytes, (gssize) n, NULL));
  int fd = open ("many", O_RDONLY | O_CLOEXEC);
  SlContent content;
  assert_true (sl_content_of (fd, 0, -1, &content));
  assert_string_equal (content.xxh3, wanted);
  assert_int_equal (content.size, n);
  sl_content_of_text (bytes + 5, 2 << 20, wanted);
  assert_true (sl_content_of (fd, 5, 2 << 20, &content));
  assert_string_equal (content.xxh3, wanted);
  close (fd);
}

static void
has_none (const char *path, const char *wanted)
{
  SlContent content;
  g_autofree char *why = NULL;
  assert_false (sl_content_of_path (path, &content, &why));
  if (strstr (why, wanted) == NULL)
    fail_msg ("'%s' says nothing of '%s'", why, wanted);
}

static void
test_what_has_no_content (void **state)
{
  (void) state;
  has_none ("nowhere", "nowhere cannot be read");
  assert_int_equal (mkfifo ("fifo", 0600), 0);
  has_none ("fifo", "fifo is no regular file"); /* and nobody waits for its writer */
  has_none ("/dev/zero", "is no regular file");
  assert_int_equal (g_mkdir ("d", 0777), 0);
  assert_int_equal (symlink ("nowhere", "d/dangling"), 0);
  has_none ("d", "d/dangling cannot be read");
  assert_int_equal (unlink ("d/dangling"), 0);
  assert_int_equal (symlink (".", "d/itself"), 0);
  has_none ("d", "itself cannot be read"); /* the kernel follows forty links */
  g_autoptr (GString) deep = g_string_new ("deep");
  for (int i = 0; i < 64; i++)
    g_string_append (deep, "/a");
  assert_int_equal (g_mkdir_with_parents (deep->str, 0777), 0);
  has_none ("deep", "lies too deep");
  SlContent content;
  char *why = NULL;
  assert_true (sl_content_of_path ("deep/a", &content, &why)); /* one less does not */
}

/* The digest of the folder "d", which has HAS: a name and a text each. */
static SlContent
of_folder (const char *const (*has)[2])
{
  assert_int_equal (system ("rm -rf d"), 0);
  assert_int_equal (g_mkdir ("d", 0777), 0);
  for (; (*has)[0] != NULL; has++)
    {
      g_autofree char *path = g_build_filename ("d", (*has)[0], NULL);
      g_autofree char *parent = g_path_get_dirname (path);
      assert_int_equal (g_mkdir_with_parents (parent, 0777), 0);
      if ((*has)[1] != NULL)
        put (path, (*has)[1]);
      else
        assert_int_equal (g_mkdir (path, 0777), 0);
    }
  SlContent content;
  char *why = NULL;
  if (!sl_content_of_path ("d", &content, &why))
    fail_msg ("%s", why);
  return content;
}
#define OF_FOLDER(...) of_folder ((const char *const[][2]){ __VA_ARGS__, { NULL, NULL } })

/* Each of these is another folder to whoever reads it. */
static void
test_folders (void **state)
{
  (void) state;
  SlContent all[] = {
    OF_FOLDER ({ "a", "xy" }, { "b", "" }),
    OF_FOLDER ({ "a", "x" }, { "b", "y" }),
    OF_FOLDER ({ "a", "" }, { "b", "xy" }),
    OF_FOLDER ({ "a", "xy" }, { "c", "" }),
    OF_FOLDER ({ "a", "xy" }),
    OF_FOLDER ({ "ab", "xy" }),
    OF_FOLDER ({ "a/b", "xy" }),
    OF_FOLDER ({ "a/c", "xy" }),
    OF_FOLDER ({ "a", "xy" }, { ".b", "" }),
    OF_FOLDER ({ "a", "xy" }, { "b", NULL }),
    OF_FOLDER ({ "a/b", "xy" }, { "c", "z" }),
    OF_FOLDER ({ "a/b", "xy" }, { "a/c", "z" }),
    OF_FOLDER ({ "a", NULL }),
    of_folder ((const char *const[][2]){ { NULL, NULL } }),
  };
  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    for (gsize j = 0; j < i; j++)
      assert_string_not_equal (all[i].xxh3, all[j].xxh3);
  assert_int_equal (all[0].files, 2);
  assert_int_equal (all[0].size, 2);
  assert_int_equal (all[10].files, 2);
  assert_int_equal (all[10].size, 3);
  assert_int_equal (all[13].files, 0);
}

static void
test_folder_is_its_content (void **state)
{
  (void) state;
  SlContent one = OF_FOLDER ({ "a", "1" }, { "b", "2" }, { "c/d", "3" });
  SlContent other = OF_FOLDER ({ "c/d", "3" }, { "b", "2" }, { "a", "1" });
  assert_string_equal (one.xxh3, other.xxh3);
  /* Another place and time, a link in place of a file. */
  assert_int_equal (system ("touch -d 2001-01-01 d/a && mv d elsewhere && mv elsewhere/b b"
                            " && ln -s ../b elsewhere/b && ln -s elsewhere link"),
                    0);
  SlContent moved;
  char *why = NULL;
  assert_true (sl_content_of_path ("link", &moved, &why));
  assert_string_equal (one.xxh3, moved.xxh3);
}

/* A thread of its own, since a pipe holds less than is written. */
static gpointer
write_and_close (gpointer data)
{
  int fd = GPOINTER_TO_INT (data);
  g_autofree char *bytes = many_bytes (3 << 20);
  gboolean ok = sl_write_whole (fd, bytes, 3 << 20);
  close (fd);
  return GINT_TO_POINTER (ok);
}

static void
test_spool (void **state)
{
  (void) state;
  int ends[2];
  assert_int_equal (pipe (ends), 0);
  GThread *thread = g_thread_new (NULL, write_and_close, GINT_TO_POINTER (ends[1]));
  SlContent content;
  g_autoptr (GError) error = NULL;
  dup2 (ends[0], STDIN_FILENO);
  assert_true (sl_stdin_keep (".", &error));
  assert_true (GPOINTER_TO_INT (g_thread_join (thread)));
  assert_int_equal (lseek (STDIN_FILENO, 0, SEEK_CUR), 0);
  assert_true (sl_content_of (STDIN_FILENO, 0, -1, &content));
  assert_int_equal (content.size, 3 << 20);
  g_autofree char *bytes = many_bytes (3 << 20);
  char wanted[33];
  sl_content_of_text (bytes, 3 << 20, wanted);
  assert_string_equal (content.xxh3, wanted);
  g_autoptr (GDir) here = g_dir_open (".", 0, NULL);
  assert_null (g_dir_read_name (here)); /* it has no name */
  close (ends[0]);
}

static void
test_spool_that_fails (void **state)
{
  (void) state;
  g_autoptr (GError) error = NULL;
  assert_false (sl_stdin_keep ("nowhere", &error));
  assert_error (&error, SL_ERROR_RUNTIME, "standard input cannot be kept in nowhere");
  int fd = open (".", O_RDONLY | O_CLOEXEC); /* reading it fails */
  dup2 (fd, STDIN_FILENO);
  assert_false (sl_stdin_keep (".", &error));
  assert_error (&error, SL_ERROR_RUNTIME, "Is a directory");
  assert_false (sl_write_whole (fd, "x", 1));
  close (fd);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown (test_known_values, setup, teardown),
    cmocka_unit_test_setup_teardown (test_ranges, setup, teardown),
    cmocka_unit_test_setup_teardown (test_many_bytes, setup, teardown),
    cmocka_unit_test_setup_teardown (test_what_has_no_content, setup, teardown),
    cmocka_unit_test_setup_teardown (test_folders, setup, teardown),
    cmocka_unit_test_setup_teardown (test_folder_is_its_content, setup, teardown),
    cmocka_unit_test_setup_teardown (test_spool, setup, teardown),
    cmocka_unit_test_setup_teardown (test_spool_that_fails, setup, teardown),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
