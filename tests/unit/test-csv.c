/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The CSV reader against a plain reference, byte by byte, on written and on random files: with
 * blocks of every size, so that blocks are cut everywhere, and with several threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline/base/error.h"
#include "pipeline/text/csv.h"
#include "pipeline/text/made-source.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* What was read: "a|b|c\n" a record; "!row: reason\n" a bad one. */
typedef struct
{
  GString *text;
} Seen;

static gpointer
piece_new (gpointer data)
{
  (void) data;
  return g_string_new (NULL);
}

static void
piece_free (gpointer piece)
{
  g_string_free (piece, TRUE);
}

static void
parse (SlCsvRows *rows, gpointer piece, gpointer data)
{
  (void) data;
  sl_csv_rows_drop_bad (rows);
  for (guint32 r = 0; r < rows->n; r++)
    for (int c = 0; c < rows->n_columns; c++)
      {
        gsize n;
        const char *field = sl_csv_field (rows, c, r, &n);
        g_string_append_len (piece, field, (gssize) n);
        g_string_append_c (piece, c + 1 == rows->n_columns ? '\n' : '|');
      }
}

static gboolean
bad (gint64 row, const char *reason, const char *record, gsize length, gpointer data,
     GError **error)
{
  (void) error;
  Seen *seen = data;
  g_string_append_printf (seen->text, "!%d: %s: %.*s\n", (int) row, reason, (int) length, record);
  return TRUE;
}

static gboolean
emit (gpointer *piece, gpointer data, GError **error)
{
  (void) error;
  Seen *seen = data;
  GString *text = *piece;
  g_string_append_len (seen->text, text->str, (gssize) text->len);
  g_string_truncate (text, 0);
  return TRUE;
}

static const SlCsvHandler handler = { piece_new, piece_free, parse, bad, emit };

static char *
write_file (const char *text, gsize n)
{
  char *path = NULL;
  int fd = g_file_open_tmp ("test-csv-XXXXXX", &path, NULL);
  assert_true (fd >= 0);
  assert_int_equal (write (fd, text, n), n);
  close (fd);
  return path;
}

/* Reads all columns; bad records come before the good ones of their block. */
static char *
read_all (const char *path, gsize block, int threads)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SlCsv) csv = sl_csv_open (path, &error);
  if (csv == NULL)
    {
      assert_true (g_str_has_prefix (error->message, path));
      return g_strdup (error->message + strlen (path) + 2);
    }
  g_autofree int *columns = g_new (int, csv->n_fields);
  for (int i = 0; i < csv->n_fields; i++)
    columns[i] = i;
  Seen seen = { g_string_new (NULL) };
  csv->block = block;
  if (!sl_csv_each (csv, columns, csv->n_fields, threads, &handler, &seen, &error))
    g_string_append (seen.text, error->message);
  return g_string_free (seen.text, FALSE);
}

static char *
read_text (const char *text, gsize block, int threads)
{
  g_autofree char *path = write_file (text, strlen (text));
  char *seen = read_all (path, block, threads);
  g_unlink (path);
  return seen;
}

/* The same by a state machine that looks at one byte after the other. */
static char *
reference (const char *text)
{
  GString *out = g_string_new (NULL);
  enum
  {
    START,
    PLAIN,
    QUOTED,
    CLOSED
  } state
      = START;
  gboolean any = FALSE;
  for (const char *p = text;; p++)
    {
      char c = *p;
      gsize n_returns = strspn (p, "\r");
      if (state == QUOTED)
        {
          assert_true (c != '\0');
          if (c != '"')
            g_string_append_c (out, c);
          else if (p[1] == '"')
            g_string_append_c (out, *++p);
          else
            state = CLOSED;
          continue;
        }
      if (c == '"' && state == START)
        {
          state = QUOTED;
          any = TRUE;
        }
      else if (c == ',')
        {
          g_string_append_c (out, '|');
          state = START;
          any = TRUE;
        }
      else if (p[n_returns] == '\n' || c == '\0')
        {
          if (any)
            g_string_append_c (out, '\n');
          if (c == '\0')
            break;
          p += n_returns;
          state = START;
          any = FALSE;
        }
      else
        {
          g_string_append_c (out, c);
          state = PLAIN;
          any = TRUE;
        }
    }
  return g_string_free (out, FALSE);
}

static void
check_every_block (const char *text, const char *expected)
{
  for (gsize block = 1; block <= strlen (text) + 1; block++)
    {
      g_autofree char *one = read_text (text, block, 1);
      g_autofree char *three = read_text (text, block, 3);
      assert_string_equal (one, expected);
      assert_string_equal (three, expected);
    }
}

static void
test_quoting (void **state)
{
  (void) state;
  static const struct
  {
    const char *text, *expected;
  } cases[] = {
    { "a,b\n1,2\n", "a|b\n1|2\n" },
    { "a,b\r\n1,2\r\n", "a|b\n1|2\n" },
    { "a,b\n1,2", "a|b\n1|2\n" },
    { "a,b\r\n1,2\r\n\r\n\n", "a|b\n1|2\n" },
    { "a,b\r\r\n1,\"2\"\r\r\n\r\r\n3,4\r\r\n", "a|b\n1|2\n3|4\n" },
    { "\xef\xbb\xbf"
      "a,b\n",
      "a|b\n" },
    { "\xef\xbb\xbf\"a\",b\n", "a|b\n" },
    { "a,b\n,\n", "a|b\n|\n" },
    { "\"a\",\"b\"\n\"1\",\"2\"\n", "a|b\n1|2\n" },
    { "a,b\n\"x,y\",\"l1\nl2\"\n", "a|b\nx,y|l1\nl2\n" },
    { "a,b\n\"say \"\"hi\"\"\",\"\"\"\"\n", "a|b\nsay \"hi\"|\"\n" },
    { "a,b\n\"\",\"\"\n", "a|b\n|\n" },
    { "a,b\n5\" disk,it's 3\"\n", "a|b\n5\" disk|it's 3\"\n" },
    { "a,b\n x\"y\"\"z,\"q\"\n", "a|b\n x\"y\"\"z|q\n" },
    { "a,b\n\"\r\n\",\"\"\"\r\n\"\"\"\r\n", "a|b\n\r\n|\"\r\n\"\n" },
    { "a,b\n\"1\",\"2\"", "a|b\n1|2\n" },
    { "a,b\n1\r2,3\n", "a|b\n1\r2|3\n" },
    { "a\tb\n1,5\t2\n", "a|b\n1,5|2\n" },
    { "one\n1\n\n2\n", "one\n1\n2\n" },
    { "a,b\nä,€😀\n", "a|b\nä|€😀\n" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    check_every_block (cases[i].text, cases[i].expected);
}

static void
test_bad_records (void **state)
{
  (void) state;
  static const struct
  {
    const char *text, *expected;
  } cases[] = {
    { "a,b\n1\n3,4\n", "!2: 2 fields expected, 1 found: 1\na|b\n3|4\n" },
    { "a,b\n\"x\ny\",1\n1,2,3\n",
      "!4: 2 fields expected, 3 found; is there a separator in a text without quotation "
      "marks?: 1,2,3\na|b\nx\ny|1\n" },
    { "a,b\n\"x\"y,1\n",
      "!2: text between a field's closing quotation mark and the next separator; is a mark inside "
      "of it not doubled?: \"x\"y,1\na|b\n" },
    { "a,b\n\"x\"y\",1\n",
      "!2: text between a field's closing quotation mark and the next separator; is a mark inside "
      "of it not doubled?: \"x\"y\",1\na|b\n" },
    { "a,b\n1,2\n3,\"4\n5,6\n", "!3: a quotation mark is never closed: 3,\"4\n5,6\n\na|b\n1|2\n" },
    { "a,b\n1,\"\n", "!2: a quotation mark is never closed: 1,\"\n\na|b\n" },
    { "a,b\n1,\xe9\n2,3\n",
      "!2: byte 0xE9 is not UTF-8; if it is Latin-1, convert the file with `iconv -f "
      "WINDOWS-1252 -t UTF-8`: 1,\xe9\na|b\n2|3\n" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *seen = read_text (cases[i].text, 1 << 20, 2);
      assert_string_equal (seen, cases[i].expected);
    }
}

static void
test_nul_bytes (void **state)
{
  (void) state;
  static const char text[] = "a,b\n1,2\n3\0,4\n5,6\n";
  g_autofree char *path = write_file (text, sizeof text - 1);
  g_autofree char *seen = read_all (path, 1 << 20, 1);
  assert_true (g_str_has_prefix (seen, "!3: a NUL byte: 3"));
  assert_true (g_str_has_suffix (seen, "a|b\n1|2\n5|6\n"));
  g_unlink (path);
}

static void
test_not_csv (void **state)
{
  (void) state;
  static const struct
  {
    const char *text, *message;
  } cases[] = {
    { "", "is empty: was it written to its end, and is it the right file?" },
    { "\xef\xbb\xbf", "is empty: was it written to its end, and is it the right file?" },
    { "\"a,b\n1,2\n", "row 1: a quotation mark is never closed" },
    { "\xff\xfe"
      "a",
      "is UTF-16, not UTF-8: convert it with `iconv -f UTF-16 -t UTF-8`" },
    { "PAR1....", "is a Parquet file, not CSV" },
    { "a,\xe9\n", "row 1: is not UTF-8; if it is Latin-1, convert the file with `iconv -f "
                  "WINDOWS-1252 -t UTF-8`" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *seen = read_text (cases[i].text, 64, 1);
      assert_string_equal (seen, cases[i].message);
    }
  g_autofree char *directory = read_all (g_get_tmp_dir (), 64, 1);
  assert_string_equal (directory, "cannot be read: Is a directory");
  g_autofree char *missing = read_all ("/no/such/file.csv", 64, 1);
  assert_string_equal (missing, "cannot be read: No such file or directory");
}

/* A random file of three columns; if RAGGED, fields are often quoted or odd. */
static char *
random_file (GRand *random, int n_rows, gboolean rare)
{
  static const char *const plain[]
      = { "", "a", "bc", "item00123", "0.5", "x y", "a \"b\"", "\xc3\xa4", "\r", "\xe2\x82\xac" };
  static const char *const quoted[]
      = { "\"\"",
          "\"a\"",
          "\",\"",
          "\"\n\"",
          "\"\"\"\"",
          "\"a\"\"b,\r\n\"\"\"",
          "\",,,\n\n\"",
          "\"a long text that goes over sixty-four bytes,\nso that a word of the scan is all "
          "inside of quotes, with a comma\"" };
  GString *text = g_string_new ("h1,h2,h3\n");
  for (int r = 0; r < n_rows; r++)
    for (int c = 0; c < 3; c++)
      {
        gboolean quote = rare ? g_rand_int_range (random, 0, 400) == 0 : g_rand_boolean (random);
        const char *field = quote ? quoted[g_rand_int_range (random, 0, G_N_ELEMENTS (quoted))]
                                  : plain[g_rand_int_range (random, 0, G_N_ELEMENTS (plain))];
        g_string_append (text, c == 0 && *field == '\0' ? "-" : field);
        g_string_append (text, c < 2 ? "," : g_rand_boolean (random) ? "\n" : "\r\n");
      }
  return g_string_free (text, FALSE);
}

static void
test_random_files (void **state)
{
  (void) state;
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  for (int i = 0; i < 60; i++)
    {
      g_autofree char *text = random_file (random, i < 50 ? 12 : 30000, i % 2 == 0);
      g_autofree char *expected = reference (text);
      for (int k = 0; k < 12; k++)
        {
          gsize block = i < 50 ? (gsize) g_rand_int_range (random, 1, 300) : (gsize) 1000 << k;
          g_autofree char *seen = read_text (text, block, 1 + k % 3);
          assert_string_equal (seen, expected);
        }
    }
}

/* The same marks, whatever the words of 64 bytes are cut like. */
static void
test_scan_words (void **state)
{
  (void) state;
  static const char text[] = "a,\"b,\"\"\nc\",5\" d,\"\",\n\"x\",y\"\"z,\"\n\n\",w\n";
  enum
  {
    N = sizeof text - 1
  };
  for (int before = 0; before < 130; before++)
    {
      g_autofree char *data = g_malloc (before + N + SL_CSV_PADDING);
      memset (data, 'p', (gsize) before);
      if (before > 0)
        data[before - 1] = ',';
      memcpy (data + before, text, N);
      guint32 ends[1024], lines[1024];
      SlCsvMarks marks = { ends, lines, 0, 0, 1024 };
      SlCsvScan scan = sl_csv_scan_start (',');
      assert_int_equal (sl_csv_scan (&scan, data, 0, (gsize) before + N, &marks), before + N);
      static const guint32 expected[] = { 1, 10, 15, 18, 19, 23, 28, 33, 35 };
      gsize skip = before > 0;
      assert_int_equal (marks.n_ends - skip, G_N_ELEMENTS (expected));
      for (gsize i = 0; i < G_N_ELEMENTS (expected); i++)
        assert_int_equal (ends[i + skip], expected[i] + (guint32) before);
      assert_int_equal (marks.n_lines, 2);
      assert_false (scan.in_quotes);
      assert_true (scan.any_quote);
      assert_false (scan.any_odd);
    }
}

static void
test_many_fields (void **state)
{
  (void) state;
  g_autoptr (GString) text = g_string_new ("a,b\n1,2\n");
  for (int i = 0; i < 100000; i++)
    g_string_append (text, "x,");
  g_string_append (text, "y\n3,4\n");
  g_autofree char *seen = read_text (text->str, 1 << 20, 1);
  assert_true (g_str_has_prefix (seen, "!3: 2 fields expected, 100001 found"));
  assert_true (g_str_has_suffix (seen, "a|b\n1|2\n3|4\n"));
}

/* A long record among many of which what matters is scanned well before its end, or at its end. */
static void
test_records_in_parts (void **state)
{
  (void) state;
  g_autofree char *filler = g_strnfill (200, 'f');
  static const char *const ends[][2]
      = { { "\"q,x\"", "z" }, { "q", "\"\"\"z\"" }, { "\xc3\xa4", "z" }, { "\xe4", "z" } };
  for (int kind = 0; kind < 4; kind++)
    for (int special = 5420; special < 5470; special++)
      {
        g_autoptr (GString) text = g_string_new (NULL);
        for (int r = 0; r < 5600; r++)
          if (r == special)
            g_string_append_printf (text, "%s,%s,%s\n", ends[kind][0], filler, ends[kind][1]);
          else
            g_string_append (text, "a,b,c\n");
        g_autofree char *expected = reference (text->str);
        g_autofree char *seen = read_text (text->str, 1 << 20, 1);
        if (kind < 3)
          assert_string_equal (seen, expected);
        else
          assert_true (g_str_has_prefix (seen, "!") && strstr (seen, "not UTF-8") != NULL);
      }
}

/* The number of fields is right, however many of them are counted without being kept. */
static void
test_counted_fields (void **state)
{
  (void) state;
  for (int n = 16300; n < 16500; n++)
    {
      g_autofree char *commas = g_strnfill ((gsize) n, ',');
      g_autofree char *text = g_strdup_printf ("a,b\n1,2\n%s\n3,4\n", commas);
      g_autofree char *seen = read_text (text, 1 << 20, 1);
      g_autofree char *start = g_strdup_printf ("!3: 2 fields expected, %d found", n + 1);
      assert_true (g_str_has_prefix (seen, start));
      assert_true (g_str_has_suffix (seen, "a|b\n1|2\n3|4\n"));
    }
}

static void
test_wide_table (void **state)
{
  (void) state;
  g_autoptr (GString) text = g_string_new (NULL);
  for (int r = 0; r < 50; r++)
    for (int c = 0; c < 20000; c++)
      g_string_append_printf (text, "%d%c", r * c, c + 1 < 20000 ? ',' : '\n');
  g_autofree char *expected = reference (text->str);
  g_autofree char *seen = read_text (text->str, 1 << 17, 2);
  assert_string_equal (seen, expected);
}

static gboolean
stop_at_bad (gint64 row, const char *reason, const char *record, gsize length, gpointer data,
             GError **error)
{
  (void) record;
  (void) length;
  (void) data;
  return sl_error_row (error, row, "%s", reason);
}

/* The first error in the file is the one reported, however many threads there are. */
static void
test_first_error (void **state)
{
  (void) state;
  g_autoptr (GString) text = g_string_new ("a,b\n");
  for (int r = 0; r < 20000; r++)
    g_string_append (text, r > 7000 && r % 1000 == 7 ? "1\n" : "1,2\n");
  g_autofree char *path = write_file (text->str, text->len);
  SlCsvHandler strict = handler;
  strict.bad = stop_at_bad;
  for (int threads = 1; threads <= 8; threads++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SlCsv) csv = sl_csv_open (path, &error);
      Seen seen = { g_string_new (NULL) };
      csv->block = 500;
      sl_csv_skip_first (csv);
      assert_false (sl_csv_each (csv, (int[]){ 0, 1 }, 2, threads, &strict, &seen, &error));
      assert_string_equal (error->message, "row 7009: 2 fields expected, 1 found");
      assert_int_equal (error->code, SL_ERROR_INPUT);
      g_string_free (seen.text, TRUE);
    }
  g_unlink (path);
}

/* Only some columns, in another order. */
static void
test_some_columns (void **state)
{
  (void) state;
  static const char text[] = "a,b,c\n1,\"2\",3\r\n4,5,\"6\"\r\n";
  g_autofree char *path = write_file (text, sizeof text - 1);
  g_autoptr (SlCsv) csv = sl_csv_open (path, NULL);
  assert_int_equal (csv->n_fields, 3);
  assert_string_equal (csv->first[1], "b");
  sl_csv_skip_first (csv);
  Seen seen = { g_string_new (NULL) };
  assert_true (sl_csv_each (csv, (int[]){ 2, 0, 2 }, 3, 1, &handler, &seen, NULL));
  assert_string_equal (seen.text->str, "3|1|3\n6|4|6\n");
  g_string_free (seen.text, TRUE);
  g_unlink (path);
}

/* How much of the file was read is known of text that is made of another form, too: progress goes
 * by it. */
static void
test_bytes_of_the_file (void **state)
{
  (void) state;
  static const char text[] = "{\"a\": 1,   \"b\": [2]}\n{\"a\": 3, \"b\": [\"4\"]}\n";
  g_autofree char *path = write_file (text, sizeof text - 1);
  for (int made = 0; made < 2; made++)
    {
      SlSource *source = sl_source_open (path, NULL);
      g_autoptr (SlCsv) csv
          = sl_csv_new (made ? sl_source_new_json_text (source, NULL) : source, ',', NULL);
      Seen seen = { g_string_new (NULL) };
      sl_csv_skip_first (csv);
      assert_true (sl_csv_each (csv, (int[]){ 0 }, 1, 2, &handler, &seen, NULL));
      assert_int_equal (csv->done, sizeof text - 1);
      g_string_free (seen.text, TRUE);
    }
  g_unlink (path);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_quoting),           cmocka_unit_test (test_bad_records),
    cmocka_unit_test (test_nul_bytes),         cmocka_unit_test (test_not_csv),
    cmocka_unit_test (test_scan_words),        cmocka_unit_test (test_random_files),
    cmocka_unit_test (test_many_fields),       cmocka_unit_test (test_wide_table),
    cmocka_unit_test (test_first_error),       cmocka_unit_test (test_some_columns),
    cmocka_unit_test (test_records_in_parts),  cmocka_unit_test (test_counted_fields),
    cmocka_unit_test (test_bytes_of_the_file),
  };
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
