/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "own-folder.h"

#include "pipeline/files/output.h"

#include <fcntl.h>
#include <signal.h>

/* The file NAME says TEXT, with NULL: is not there. */
static void
holds (const char *name, const char *text)
{
  g_autofree char *found = NULL;
  gsize n;
  if (!g_file_get_contents (name, &found, &n, NULL))
    {
      assert_null (text);
      return;
    }
  if (text == NULL)
    fail_msg ("%s is there", name);
  assert_string_equal (found, text);
}

static mode_t
mode_of (const char *name)
{
  struct stat info;
  assert_int_equal (lstat (name, &info), 0);
  return info.st_mode & 07777;
}

/* Nothing but N files is in FOLDER; hidden ones are counted too. */
static void
has_files (const char *where, int n)
{
  g_autoptr (GDir) dir = g_dir_open (where, 0, NULL);
  int found = 0;
  while (g_dir_read_name (dir) != NULL)
    found++;
  assert_int_equal (found, n);
}

static SlOutput *
begin (const char *name, const char *text)
{
  g_autoptr (GError) error = NULL;
  SlOutput *output = sl_output_new (name, &error);
  if (output == NULL || !sl_output_write (output, text, strlen (text), &error))
    fail_msg ("%s", error->message);
  return output;
}

static void
end (SlOutput *output)
{
  g_autoptr (SlOutput) owned = output;
  g_autoptr (GError) error = NULL;
  if (!sl_output_finish (owned, &error) || !sl_output_commit (owned, &error))
    fail_msg ("%s", error->message);
}

static void
cannot_open (const char *name, const char *part)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SlOutput) output = sl_output_new (name, &error);
  if (output != NULL)
    fail_msg ("%s can be opened", name);
  assert_error (&error, SL_ERROR_RUNTIME, part);
}

static void
test_new_file (void **state)
{
  (void) state;
  SlOutput *output = begin ("x", "one");
  holds ("x", NULL);
  assert_string_equal (sl_output_name (output), "x");
  assert_false (sl_output_is_terminal (output));
  g_autoptr (GError) error = NULL;
  assert_true (sl_output_write (output, "two", 3, &error));
  assert_true (g_output_stream_write_all (sl_output_stream (output), "!", 1, NULL, NULL, &error));
  assert_true (sl_output_finish (output, &error));
  holds ("x", NULL);
  assert_true (sl_output_commit (output, &error));
  holds ("x", "onetwo!");
  assert_int_equal (mode_of ("x"), 0644);
  has_files (".", 1);
  sl_output_free (output);
  holds ("x", "onetwo!");
  umask (077);
  end (begin ("private", ""));
  assert_int_equal (mode_of ("private"), 0600);
  holds ("private", "");
}

static void
test_given_up (void **state)
{
  (void) state;
  put ("old", "old");
  sl_output_free (begin ("x", "one"));
  sl_output_free (begin ("old", "new"));
  g_autoptr (GError) error = NULL;
  g_autoptr (SlOutput) finished = begin ("y", "one");
  assert_true (sl_output_finish (finished, &error));
  g_clear_pointer (&finished, sl_output_free);
  has_files (".", 1);
  holds ("old", "old");
}

static void
test_replaced (void **state)
{
  (void) state;
  static const mode_t modes[] = { 0600, 0640, 0755, 0666 };
  for (gsize i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      put ("x", "old");
      assert_int_equal (g_chmod ("x", (int) modes[i]), 0);
      SlOutput *output = begin ("x", "new");
      holds ("x", "old");
      end (output);
      holds ("x", "new");
      assert_int_equal (mode_of ("x"), modes[i]);
    }
  has_files (".", 1);
}

static void
test_owner (void **state)
{
  (void) state;
  if (geteuid () != 0)
    return;
  put ("x", "old");
  assert_int_equal (chown ("x", 65534, 65533), 0);
  assert_int_equal (g_chmod ("x", 0640), 0);
  end (begin ("x", "new"));
  struct stat info;
  assert_int_equal (stat ("x", &info), 0);
  assert_int_equal (info.st_uid, 65534);
  assert_int_equal (info.st_gid, 65533);
  assert_int_equal (info.st_mode & 07777, 0640);
}

static void
test_links (void **state)
{
  (void) state;
  assert_int_equal (g_mkdir ("there", 0755), 0);
  put ("there/real", "old");
  assert_int_equal (symlink ("there/real", "link"), 0);
  assert_int_equal (symlink ("../link", "there/to-link"), 0);
  end (begin ("link", "new"));
  assert_true (g_file_test ("link", G_FILE_TEST_IS_SYMLINK));
  assert_false (g_file_test ("there/real", G_FILE_TEST_IS_SYMLINK));
  holds ("there/real", "new");
  end (begin ("there/to-link", "newer"));
  assert_true (g_file_test ("there/to-link", G_FILE_TEST_IS_SYMLINK));
  assert_true (g_file_test ("link", G_FILE_TEST_IS_SYMLINK));
  holds ("there/real", "newer");
  sl_output_free (begin ("link", "lost"));
  holds ("there/real", "newer");
  has_files (".", 2);
  has_files ("there", 2);
}

/* A link to what is not there yet is a place to put it. */
static void
test_dangling_link (void **state)
{
  (void) state;
  assert_int_equal (g_mkdir ("there", 0755), 0);
  assert_int_equal (symlink ("there/real", "link"), 0);
  assert_int_equal (symlink ("there/link", "outer"), 0);
  assert_int_equal (symlink ("inner", "there/link"), 0);
  end (begin ("link", "new"));
  assert_true (g_file_test ("link", G_FILE_TEST_IS_SYMLINK));
  holds ("there/real", "new");
  end (begin ("outer", "new"));
  assert_true (g_file_test ("outer", G_FILE_TEST_IS_SYMLINK));
  assert_true (g_file_test ("there/link", G_FILE_TEST_IS_SYMLINK));
  holds ("there/inner", "new");
  assert_int_equal (symlink ("loop", "loop"), 0);
  cannot_open ("loop", "loop: cannot be written");
  assert_int_equal (symlink ("nowhere/at/all", "far"), 0);
  cannot_open ("far", "far: cannot be written");
}

static void
test_names (void **state)
{
  (void) state;
  g_autofree char *longest = g_strnfill (255, 'n');
  end (begin (longest, "1"));
  holds (longest, "1");
  end (begin (longest, "2"));
  holds (longest, "2");
  end (begin ("\xff\n", "3"));
  holds ("\xff\n", "3");
  end (begin ("-x", "4"));
  holds ("-x", "4");
  g_autofree char *path = g_build_filename (folder, "5", NULL);
  end (begin (path, "5"));
  holds ("5", "5");
  has_files (".", 4);
  g_autofree char *too_long = g_strnfill (256, 'n');
  g_autoptr (GError) error = NULL;
  g_autoptr (SlOutput) output = sl_output_new (too_long, &error);
  assert_true (output == NULL || !sl_output_commit (output, &error));
  assert_error (&error, SL_ERROR_RUNTIME, "cannot be written");
}

static void
test_no_such_place (void **state)
{
  (void) state;
  put ("file", "");
  assert_int_equal (g_mkdir ("folder", 0755), 0);
  cannot_open ("nowhere/x", "nowhere/x: cannot be written: No such file or directory");
  cannot_open ("file/x", "file/x: cannot be written: Not a directory");
  cannot_open ("folder", "folder: cannot be written: Is a directory");
  cannot_open (".", "cannot be written: Is a directory");
  has_files (".", 2);
  has_files ("folder", 0);
}

/* The folder is gone, or a folder has taken the name, when the file would be put in its place. */
static void
test_too_late (void **state)
{
  (void) state;
  assert_int_equal (g_mkdir ("a", 0755), 0);
  g_autoptr (SlOutput) gone = begin ("a/x", "lost");
  g_autoptr (SlOutput) taken = begin ("y", "lost");
  assert_int_equal (g_rmdir ("a"), 0);
  assert_int_equal (g_mkdir ("y", 0755), 0);
  SlOutput *outputs[] = { gone, taken };
  for (gsize i = 0; i < G_N_ELEMENTS (outputs); i++)
    {
      g_autoptr (GError) error = NULL;
      assert_true (sl_output_finish (outputs[i], &error));
      assert_false (sl_output_commit (outputs[i], &error));
      assert_error (&error, SL_ERROR_RUNTIME, "cannot be written");
    }
  g_clear_pointer (&gone, sl_output_free);
  g_clear_pointer (&taken, sl_output_free);
  has_files (".", 1);
  has_files ("y", 0);
}

/* What somebody without special rights may not do. */
static void
test_no_permission (void **state)
{
  (void) state;
  assert_int_equal (g_chmod (".", 0777), 0);
  assert_int_equal (g_mkdir ("sealed", 0555), 0);
  put ("read-only", "old");
  assert_int_equal (g_chmod ("read-only", 0444), 0);
  uid_t user = geteuid ();
  if (user == 0)
    assert_int_equal (seteuid (65534), 0);
  cannot_open ("sealed/x", "sealed/x: cannot be written: Permission denied");
  cannot_open ("read-only", "read-only: cannot be written: Permission denied");
  if (user == 0)
    assert_int_equal (seteuid (0), 0);
  holds ("read-only", "old");
  has_files ("sealed", 0);
  has_files (".", 2);
}

static void
test_devices (void **state)
{
  (void) state;
  end (begin ("/dev/null", "gone"));
  assert_true (g_file_test ("/dev/null", G_FILE_TEST_EXISTS));
  assert_false (g_file_test ("/dev/null", G_FILE_TEST_IS_REGULAR));
  /* The first error stays. */
  g_autoptr (GError) error = NULL;
  g_autoptr (SlOutput) full = sl_output_new ("/dev/full", &error);
  assert_non_null (full);
  assert_false (sl_output_write (full, "x", 1, &error));
  assert_error (&error, SL_ERROR_RUNTIME, "/dev/full: ");
  assert_false (sl_output_write (full, "x", 1, &error));
  assert_error (&error, SL_ERROR_RUNTIME, "No space left");
  assert_false (sl_output_finish (full, &error));
  assert_error (&error, SL_ERROR_RUNTIME, "No space left");
  assert_false (sl_output_fail (full, NULL, &error));
  assert_error (&error, SL_ERROR_RUNTIME, "No space left");
  assert_false (sl_output_is_broken_pipe (full));
}

static void
test_pipes (void **state)
{
  (void) state;
  assert_int_equal (mkfifo ("pipe", 0600), 0);
  int reader = open ("pipe", O_RDONLY | O_NONBLOCK);
  assert_true (reader >= 0);
  SlOutput *output = begin ("pipe", "one");
  char text[8] = "";
  assert_int_equal (read (reader, text, sizeof text), 3);
  assert_string_equal (text, "one");
  end (output);
  assert_int_equal (read (reader, text, sizeof text), 0);
  /* Nobody reads any more. */
  g_autoptr (GError) error = NULL;
  g_autoptr (SlOutput) broken = begin ("pipe", "x");
  assert_false (sl_output_is_broken_pipe (broken));
  (void) close (reader);
  assert_false (sl_output_write (broken, "x", 1, &error));
  assert_true (sl_output_is_broken_pipe (broken));
  struct stat info;
  assert_int_equal (stat ("pipe", &info), 0);
  assert_true (S_ISFIFO (info.st_mode));
  has_files (".", 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown (name, setup, teardown)

int
main (void)
{
  const struct CMUnitTest tests[] = {
    TEST (test_new_file),      TEST (test_given_up),      TEST (test_replaced),
    TEST (test_owner),         TEST (test_links),         TEST (test_dangling_link),
    TEST (test_names),         TEST (test_no_such_place), TEST (test_too_late),
    TEST (test_no_permission), TEST (test_devices),       TEST (test_pipes),
  };
  signal (SIGPIPE, SIG_IGN);
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
