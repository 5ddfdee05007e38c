/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Command lines on made-up bytes, and what is promised of how they end. */
#include "pipeline/command/commands.h"
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What all commands may hold of a table. */
#define MOST "--max-memory=128M"

static int said = -1; /* what commands say */

/* Standard input becomes a pipe with the bytes in it, or as many as go into it. */
static void
pipe_in (const guint8 *data, gsize size)
{
  int ends[2];
  if (pipe (ends) != 0)
    sl_fuzz_fail ("no pipe: %s", g_strerror (errno));
  int wanted = fcntl (ends[1], F_SETPIPE_SZ, 1 << 20),
      room = wanted > 0 ? wanted : fcntl (ends[1], F_GETPIPE_SZ);
  if (room > 0 && size > 0 && write (ends[1], data, MIN (size, (gsize) room)) < 0)
    sl_fuzz_fail ("a pipe cannot be filled: %s", g_strerror (errno));
  (void) close (ends[1]);
  (void) dup2 (ends[0], STDIN_FILENO);
  (void) close (ends[0]);
}

/* `in.zip/a.json` is in the file in.zip, and so is what an option names, `--items=in.txt`. */
static void
give_inputs (char **words, const guint8 *data, gsize size)
{
  for (; *words != NULL; words++)
    {
      const char *equals = strchr (*words, '='), *value = equals != NULL ? equals + 1 : *words;
      if (g_str_has_prefix (value, "in."))
        {
          g_autofree char *name = g_strndup (value, strcspn (value, "/"));
          sl_fuzz_write (name, data, size);
        }
      else if (strstr (value, "/in.") != NULL)
        sl_fuzz_write (value, data, size);
      else if (strcmp (value, "TEXT") == 0)
        {
          g_autofree char *text = g_strndup ((const char *) data, size);
          char *word = g_strdup_printf ("%.*s%s", (int) (value - *words), *words, text);
          g_free (*words);
          *words = word;
        }
    }
}

/* Runs WORDS with standard error kept in SAID. */
static int
run_words (char **words)
{
  int n;
  const SlCommand *command = sl_command_find (words, &n);
  if (command == NULL)
    sl_fuzz_fail ("%s is no verb", words[0]);
  if (said < 0)
    said = memfd_create ("said", MFD_CLOEXEC);
  (void) !ftruncate (said, 0);
  (void) lseek (said, 0, SEEK_SET);
  (void) dup2 (said, STDERR_FILENO);
  int status = sl_run_command (command, words + n);
  (void) dup2 (sl_fuzz_spoken (), STDERR_FILENO);
  return status;
}

static char *
what_was_said (void)
{
  gsize size = (gsize) lseek (said, 0, SEEK_END);
  char *text = g_malloc0 (size + 1);
  if (pread (said, text, size, 0) != (gssize) size)
    sl_fuzz_fail ("messages cannot be read");
  return text;
}

/* A failure says why, in a line; nothing said steers a terminal. */
static void
check_messages (const char *line, int status)
{
  g_autofree char *text = what_was_said ();
  if (g_getenv ("SOFTLABEL_FUZZ_SHOW") != NULL)
    dprintf (sl_fuzz_spoken (), "%d %s\n%s", status, line, text);
  if (status < 0 || status > 3)
    sl_fuzz_fail ("%s: ended with status %d", line, status);
  /* verify prints what it finds. */
  gboolean told = g_str_has_suffix (text, "\n") || g_str_has_prefix (line, "verify ");
  if (status != 0 && !told)
    sl_fuzz_fail ("%s: ended with status %d and said: %s", line, status, text);
  if (!g_utf8_validate (text, -1, NULL))
    sl_fuzz_fail ("%s: said what is not UTF-8: %s", line, text);
  for (const char *at = text; *at != '\0'; at++)
    if (((guchar) *at < ' ' && *at != '\n') || *at == 127)
      sl_fuzz_fail ("%s: said byte %d: %s", line, *at, text);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  if (status != 0 && strstr (line, " -q ") != NULL && g_strv_length (lines) > 2)
    sl_fuzz_fail ("%s: does not say in one line why it failed: %s", line, text);
  for (char **each = lines; *each != NULL; each++)
    if (**each != '\0' && !g_str_has_prefix (*each, "softlabel "))
      sl_fuzz_fail ("%s: said: %s", line, text);
  if (status == 1 && text[0] != '\0' && strstr (text, "memory") == NULL)
    sl_fuzz_fail ("%s: takes bad input for a failure of the machine: %s", line, text);
}

/* What was written is there if all went well, and nothing else is. */
static void
check_outputs (const char *line, char **words, int status)
{
  for (; *words != NULL; words++)
    if (g_str_has_prefix (*words, "out."))
      {
        if (g_file_test (*words, G_FILE_TEST_EXISTS) != (status == 0))
          sl_fuzz_fail ("%s: ended with status %d, and %s %s there", line, status, *words,
                        status == 0 ? "is not" : "is");
        gboolean table = g_str_has_suffix (*words, ".arrows") || g_str_has_suffix (*words, ".arrow")
                         || g_str_has_suffix (*words, ".parquet");
        char *verify[] = { "verify", "-q", *words, NULL };
        if (status == 0 && table && run_words (verify) != 0)
          sl_fuzz_fail ("%s: wrote a table that is refused: %s", line, what_was_said ());
      }
}

int
sl_fuzz_run (const char *line, const guint8 *data, gsize size)
{
  gboolean by_pipe = g_str_has_prefix (line, "| ");
  g_autofree char *all = g_strconcat (by_pipe ? line + 2 : line, " ", MOST, NULL);
  g_auto (GStrv) words = g_strsplit (all, " ", -1);
  if (by_pipe)
    pipe_in (data, size);
  give_inputs (words, data, size);
  for (char **word = words; *word != NULL; word++)
    if (g_str_has_prefix (*word, "out."))
      (void) unlink (*word);
  int status = run_words (words);
  check_messages (line, status);
  check_outputs (line, words, status);
  return status;
}

/* How the first line ended is how each must. */
static void
run_alike (const SlFuzz *harness, const guint8 *data, gsize size)
{
  int first = sl_fuzz_run (harness->lines[0], data, size);
  if (first == 0)
    sl_fuzz_keep ("out.arrows", "first.arrows");
  for (int i = 1; i < SL_FUZZ_LINES && harness->lines[i] != NULL; i++)
    {
      int status = sl_fuzz_run (harness->lines[i], data, size);
      if (status != first)
        sl_fuzz_fail ("%s: ended with status %d, and not with %d as `%s`", harness->lines[i],
                      status, first, harness->lines[0]);
      if (first == 0)
        sl_fuzz_expect_same ("first.arrows", "out.arrows");
    }
}

void
sl_fuzz_try (const SlFuzz *harness, const guint8 *data, gsize size)
{
  if (harness->check != NULL)
    harness->check (data, size);
  else if (harness->same)
    run_alike (harness, data, size);
  else
    for (int i = 0; i < SL_FUZZ_LINES && harness->lines[i] != NULL; i++)
      (void) sl_fuzz_run (harness->lines[i], data, size);
}
