/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "arrays.h"

#include "pipeline/files/reader.h"
#include "pipeline/files/text/csv-json-out.h"
#include "pipeline/files/writer.h"
#include "schemas/annotations.h"
#include "schemas/labels.h"

#include <arrow-glib/arrow-glib.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static SlReaderOptions any; /* of setup() */
static const char *const formats[] = { "x.arrows", "x.arrow", "x.parquet" };
static char *folder;

static int
setup (void **state)
{
  any.threads = *(const int *) *state;
  folder = g_dir_make_tmp ("softlabel-XXXXXX", NULL);
  return folder != NULL && chdir (folder) == 0 ? 0 : 1;
}

static int
teardown (void **state)
{
  (void) state;
  g_autofree char *command = g_strdup_printf ("rm -rf '%s'", folder);
  int failed = chdir ("/") != 0 || system (command) != 0;
  g_clear_pointer (&folder, g_free);
  return failed;
}

/* Labels over N_CLASSES classes. */
static SlBatch *
labels (gint64 n, int n_classes)
{
  g_auto (GStrv) classes = g_new0 (char *, n_classes + 1);
  for (int k = 0; k < n_classes; k++)
    classes[k] = g_strdup_printf ("class %d", k);
  g_autoptr (SlTable) table = sl_table_new (&sl_labels, (const char *const *) classes);
  sl_table_add (table, SL_LABELS_GOLD);
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  for (gint64 i = 0; i < n; i++)
    {
      g_autofree char *item = g_strdup_printf ("%d", (int) i);
      sl_builder_text (builder, SL_LABELS_ITEM, item, strlen (item));
      sl_builder_labels (builder, SL_LABELS_LABEL, 1)[i % n_classes] = 1;
      sl_builder_real (builder, SL_LABELS_WEIGHT, (double) i);
      sl_builder_class (builder, SL_LABELS_GOLD, (gint32) (i % (n_classes + 1)) - 1);
    }
  g_autoptr (GError) error = NULL;
  return sl_builder_take (builder, &error);
}

static SlBatch *
answers (gint64 n)
{
  g_autoptr (SlTable) table
      = sl_table_new (&sl_annotations, (const char *const[]){ "cat", "dog", "fish", NULL });
  sl_table_add (table, SL_ANNOTATIONS_CHOICES);
  sl_table_add (table, SL_ANNOTATIONS_IMPOSSIBLE);
  sl_table_add (table, SL_ANNOTATIONS_SECONDS);
  table->provenance = g_strdup ("[{\"verb\":\"ingest\"}]");
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  for (gint64 i = 0; i < n; i++)
    {
      sl_builder_text (builder, SL_ANNOTATIONS_ITEM, "item \xc3\xa9", 7);
      for (int j = 0; j <= i % 2; j++)
        sl_builder_choice (builder, SL_ANNOTATIONS_CHOICES, (gint32) (i + j) % 3,
                           j ? (double) NAN : 80);
      sl_builder_end_list (builder, SL_ANNOTATIONS_CHOICES);
      for (int j = 0; j < i % 3; j++)
        sl_builder_member (builder, SL_ANNOTATIONS_IMPOSSIBLE, j);
      sl_builder_end_list (builder, SL_ANNOTATIONS_IMPOSSIBLE);
      sl_builder_real (builder, SL_ANNOTATIONS_SECONDS, i % 3 ? 0.1 * (double) i : (double) NAN);
    }
  g_autoptr (GError) error = NULL;
  return sl_builder_take (builder, &error);
}

/* As softlabel writes it, by the extension of PATH. */
static void
write_own (const char *path, SlBatch *batch)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SlWriter) writer = sl_writer_new (path, SL_FORMAT_AUTO, 1, &error);
  if (writer == NULL || !sl_writer_start (writer, batch->table, &error)
      || !sl_writer_write (writer, batch, &error) || !sl_writer_finish (writer, &error)
      || !sl_writer_commit (writer, &error))
    fail_msg ("%s", error->message);
}

/* As others might: an Arrow stream or file with SIZE rows a batch, each followed by an empty
 * one. */
static void
write_batches (const char *path, SlBatch *batch, gint64 size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArrowSchema) schema = sl_table_to_schema (batch->table);
  g_autoptr (GArrowFileOutputStream) file = garrow_file_output_stream_new (path, FALSE, &error);
  assert_non_null (file);
  GArrowOutputStream *sink = GARROW_OUTPUT_STREAM (file);
  g_autoptr (GArrowRecordBatchWriter) writer
      = g_str_has_suffix (path, ".arrow")
            ? GARROW_RECORD_BATCH_WRITER (
                garrow_record_batch_file_writer_new (sink, schema, &error))
            : GARROW_RECORD_BATCH_WRITER (
                garrow_record_batch_stream_writer_new (sink, schema, &error));
  for (gint64 at = 0; at < batch->n_rows; at += size)
    for (int empty = 0; empty < 2; empty++)
      {
        g_autoptr (GArrowRecordBatch) piece = garrow_record_batch_slice (
            batch->arrow, at, empty ? 0 : MIN (size, batch->n_rows - at));
        if (!garrow_record_batch_writer_write_record_batch (writer, piece, &error))
          fail_msg ("%s", error->message);
      }
  assert_true (garrow_record_batch_writer_close (writer, &error));
  assert_true (garrow_file_close (GARROW_FILE (file), &error));
}

/* The rest of READER's rows as JSON lines; NULL on failure. Checks the sizes of its batches. */
static char *
read_all (SlReader *reader, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gint64 full = sl_table_batch_rows (sl_reader_table (reader)), last = full, rows = 0;
  for (;;)
    {
      g_autoptr (SlBatch) batch = NULL;
      if (!sl_reader_next (reader, &batch, error))
        {
          assert_null (batch);
          return NULL;
        }
      if (batch == NULL)
        break;
      assert_int_equal (last, full);
      assert_int_equal (batch->first_row, rows);
      assert_in_range (batch->n_rows, 1, full);
      for (gint64 i = 0; i < batch->n_rows; i++)
        sl_jsonl_append (text, batch, i);
      last = batch->n_rows;
      rows += last;
    }
  /* The end is the end, however often one asks. */
  g_autoptr (SlBatch) more = NULL;
  assert_true (sl_reader_next (reader, &more, error));
  assert_null (more);
  return g_strndup (text->str, text->len);
}

static char *
read_path (const char *path, GError **error)
{
  g_autoptr (SlReader) reader = sl_reader_open (path, &any, error);
  return reader != NULL ? read_all (reader, error) : NULL;
}

static char *
text_of (const SlBatch *batch)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (gint64 i = 0; i < batch->n_rows; i++)
    sl_jsonl_append (text, batch, i);
  return g_strndup (text->str, text->len);
}

static void
reads (const char *path, const char *wanted)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *found = read_path (path, &error);
  if (found == NULL)
    fail_msg ("%s: %s", path, error->message);
  if (strcmp (found, wanted) != 0)
    fail_msg ("%s: other rows were read than written", path);
}

static void
refuses (const char *path, int code, const char *part)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *found = read_path (path, &error);
  if (found != NULL)
    fail_msg ("%s is read; expected '%s'", path, part);
  assert_true (g_str_has_prefix (error->message, path));
  assert_error (&error, code, part);
}

/* A pipe that holds BYTES, at most as many as a pipe takes, and then ends; as a path. *FD is to be
 * closed. */
static char *
pipe_with (const char *bytes, gsize size, int *fd)
{
  int ends[2];
  assert_int_equal (pipe (ends), 0);
  assert_true (fcntl (ends[1], F_SETPIPE_SZ, 1 << 20) >= (int) size);
  assert_int_equal (write (ends[1], bytes, size), size);
  (void) close (ends[1]);
  *fd = ends[0];
  return g_strdup_printf ("/dev/fd/%d", ends[0]);
}

static void
test_every_format (void **state)
{
  (void) state;
  /* Three full batches and a bit. */
  g_autoptr (SlBatch) large = labels (1600, 300);
  assert_int_equal (sl_table_batch_rows (large->table), 512);
  g_autoptr (SlBatch) some = answers (50);
  g_autoptr (SlBatch) one = labels (1, 1);
  SlBatch *batches[] = { large, some, one };
  for (gsize b = 0; b < G_N_ELEMENTS (batches); b++)
    {
      g_autofree char *wanted = text_of (batches[b]);
      for (gsize f = 0; f < G_N_ELEMENTS (formats); f++)
        {
          write_own (formats[f], batches[b]);
          reads (formats[f], wanted);
          g_autoptr (GError) error = NULL;
          g_autoptr (SlReader) reader = sl_reader_open (formats[f], &any, &error);
          SlTable *table = sl_reader_table (reader);
          assert_ptr_equal (table->kind, batches[b]->table->kind);
          assert_int_equal (table->columns, batches[b]->table->columns);
          assert_true (g_strv_equal ((const char *const *) table->classes,
                                     (const char *const *) batches[b]->table->classes));
          assert_int_equal (g_strcmp0 (table->provenance, batches[b]->table->provenance), 0);
          assert_string_equal (sl_reader_name (reader), formats[f]);
        }
    }
}

static void
test_no_rows (void **state)
{
  (void) state;
  g_autoptr (SlBatch) none = answers (0);
  for (gsize f = 0; f < G_N_ELEMENTS (formats); f++)
    {
      write_own (formats[f], none);
      reads (formats[f], "");
    }
  write_batches ("x.arrows", none, 1);
  reads ("x.arrows", "");
}

static void
test_other_batches (void **state)
{
  (void) state;
  g_autoptr (SlBatch) large = labels (1600, 300);
  g_autoptr (SlBatch) some = answers (50);
  SlBatch *batches[] = { large, some };
  static const gint64 sizes[] = { 1, 7, 511, 512, 513, 1024, 65536 };
  for (gsize b = 0; b < G_N_ELEMENTS (batches); b++)
    {
      g_autofree char *wanted = text_of (batches[b]);
      for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++)
        for (int f = 0; f < 2; f++)
          {
            write_batches (formats[f], batches[b], sizes[s]);
            reads (formats[f], wanted);
          }
    }
}

/* The file PATH, cut at every offset (or at many), is never a table, and always an error that says
 * so; a stream also if it comes by a pipe. */
static void
check_cuts (const char *path)
{
  g_autofree char *bytes = NULL;
  gsize size;
  assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  assert_true (g_file_set_contents ("cut", bytes, (gssize) size, NULL));
  gsize step = any.threads > 1 ? 5 : 1;         /* a thread for each takes its time */
  for (gsize n = size - 1; n < size; n -= step) /* below 0 it is large */
    {
      g_autoptr (GError) error = NULL;
      assert_int_equal (truncate ("cut", (off_t) n), 0);
      g_autofree char *found = read_path ("cut", &error);
      if (found != NULL)
        fail_msg ("the first %d bytes of %s are taken for all %d", (int) n, path, (int) size);
      assert_error (&error, SL_ERROR_INPUT, "cut: ");
      if (!g_str_has_suffix (path, ".arrows"))
        continue;
      int fd;
      g_autofree char *piped = pipe_with (bytes, n, &fd);
      found = read_path (piped, &error);
      (void) close (fd);
      if (found != NULL)
        fail_msg ("the first %d bytes of %s by a pipe are taken for all %d", (int) n, path,
                  (int) size);
      assert_error (&error, SL_ERROR_INPUT, "/dev/fd/");
    }
}

static void
test_cut_short (void **state)
{
  (void) state;
  g_autoptr (SlBatch) answered = answers (5);
  g_autoptr (SlBatch) labelled = labels (5, 3);
  SlBatch *batches[] = { answered, labelled };
  for (gsize b = 0; b < G_N_ELEMENTS (batches); b++)
    for (gsize f = 0; f < G_N_ELEMENTS (formats); f++)
      {
        write_own (formats[f], batches[b]);
        check_cuts (formats[f]);
      }
  write_batches ("x.arrows", answered, 2);
  check_cuts ("x.arrows");
  write_batches ("x.arrow", labelled, 2);
  check_cuts ("x.arrow");
}

static void
append (const char *path, const char *bytes, gsize size, const char *to)
{
  g_autofree char *first = NULL;
  gsize n;
  assert_true (g_file_get_contents (path, &first, &n, NULL));
  g_autoptr (GString) both = g_string_new_len (first, (gssize) n);
  g_string_append_len (both, bytes, (gssize) size);
  assert_true (g_file_set_contents (to, both->str, (gssize) both->len, NULL));
}

static void
test_something_after (void **state)
{
  (void) state;
  g_autoptr (SlBatch) batch = labels (10, 3);
  static const struct
  {
    const char *bytes;
    gsize size;
  } tails[] = { { "\n", 1 },
                { "\0\0\0\0\0\0\0\0", 8 },
                { "\377\377\377\377\0\0\0\0", 8 },
                { "ARROW1", 6 },
                { "PAR1", 4 } };
  for (gsize f = 0; f < G_N_ELEMENTS (formats); f++)
    {
      write_own (formats[f], batch);
      for (gsize t = 0; t < G_N_ELEMENTS (tails); t++)
        {
          append (formats[f], tails[t].bytes, tails[t].size, "longer");
          refuses ("longer", SL_ERROR_INPUT, "longer: ");
        }
    }
}

/* Two whole files run together, as by cat: never one of them alone. */
static void
test_run_together (void **state)
{
  (void) state;
  g_autoptr (SlBatch) some = labels (10, 3);
  g_autoptr (SlBatch) none = labels (0, 3);
  SlBatch *batches[] = { some, none };
  for (gsize f = 0; f < G_N_ELEMENTS (formats); f++)
    for (int first = 0; first < 2; first++)
      for (int second = 0; second < 2; second++)
        {
          g_autofree char *bytes = NULL;
          gsize size;
          write_own (formats[f], batches[second]);
          assert_true (g_file_get_contents (formats[f], &bytes, &size, NULL));
          write_own (formats[f], batches[first]);
          append (formats[f], bytes, size, "both");
          refuses ("both", SL_ERROR_INPUT, "run together");
        }
}

static void
test_no_table (void **state)
{
  (void) state;
  static const struct
  {
    const char *text, *message;
  } files[] = {
    { "", "is empty: no table" },
    { "item,worker,label\n", "is not a table" },
    { "{\"item\":1}\n", "is not a table" },
    { "a", "a" },
    { "\377\377\377\377", "ends in the middle" },
    { "\377\377\377\377\377\377\377\377\377", "is damaged" },
    { "PAR1PAR1", "is not a whole Parquet file" },
    { "PAR1xxxxxxxxxxxxxxxxPAR1", "is not a whole Parquet file" },
    { "ARROW1", "table" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      assert_true (g_file_set_contents ("x", files[i].text, -1, NULL));
      refuses ("x", SL_ERROR_INPUT, files[i].message);
    }
  assert_int_equal (g_mkdir ("folder", 0755), 0);
  refuses ("folder", SL_ERROR_INPUT, "is an empty folder: no table");
  refuses ("missing", SL_ERROR_RUNTIME, "cannot be read: No such file");
}

static void
test_kinds (void **state)
{
  (void) state;
  static const SlKind *const wanted[] = { &sl_annotations, NULL };
  static const SlKind *const both[] = { &sl_annotations, &sl_labels, NULL };
  SlReaderOptions options = { .kinds = wanted, .threads = any.threads };
  g_autoptr (SlBatch) batch = labels (3, 3);
  write_own ("x.arrows", batch);
  g_autoptr (GError) error = NULL;
  assert_null (sl_reader_open ("x.arrows", &options, &error));
  assert_error (&error, SL_ERROR_INPUT,
                "x.arrows: is a table of labels; annotations is wanted here");
  options.kinds = both;
  g_autoptr (SlReader) reader = sl_reader_open ("x.arrows", &options, &error);
  assert_non_null (reader);
}

/* Rows that break the table's rules are named by their number in the whole table. */
static void
test_bad_rows (void **state)
{
  (void) state;
  g_autoptr (SlBatch) batch = labels (1600, 300);
  double *label = (double *) (gpointer) batch->column[SL_LABELS_LABEL].real;
  label[1234 * 300] += 0.5;
  for (gsize f = 0; f < G_N_ELEMENTS (formats); f++)
    {
      write_own (formats[f], batch);
      refuses (formats[f], SL_ERROR_INPUT, "row 1235: label sums to 1.5, not to 1");
    }
}

static void
test_damaged_code (void **state)
{
  (void) state;
  g_autoptr (SlBatch) batch = labels (100, 3);
  /* The codes of a column with missing values are a copy, so it is the array's own that are
   * overwritten. */
  struct ArrowArray c;
  assert_true (sl_carray_export (batch->column[SL_LABELS_GOLD].array, &c, NULL));
  ((gint32 *) (gpointer) c.buffers[1])[50] = 1000;
  sl_carray_release (&c);
  write_batches ("x.arrows", batch, 10);
  refuses ("x.arrows", SL_ERROR_INPUT, "row 51: column 'gold' is damaged");
}

/* Twice over, with WANTED both times. */
static void
check_rewind (SlReader *reader, const char *wanted)
{
  g_autoptr (GError) error = NULL;
  sl_reader_keep (reader);
  for (int round = 0; round < 3; round++)
    {
      g_autofree char *found = read_all (reader, &error);
      if (found == NULL)
        fail_msg ("%s", error->message);
      assert_true (strcmp (found, wanted) == 0);
      if (!sl_reader_rewind (reader, &error))
        fail_msg ("%s", error->message);
    }
}

static void
test_rewind_files (void **state)
{
  (void) state;
  g_autoptr (SlBatch) batch = labels (1600, 300);
  g_autofree char *wanted = text_of (batch);
  for (gsize f = 0; f < G_N_ELEMENTS (formats); f++)
    {
      write_own (formats[f], batch);
      g_autoptr (GError) error = NULL;
      g_autoptr (SlReader) reader = sl_reader_open (formats[f], &any, &error);
      assert_false (sl_reader_keeps_memory (reader));
      check_rewind (reader, wanted);
      assert_false (sl_reader_keeps_memory (reader));
      /* From the middle, too. */
      g_autoptr (SlBatch) first = NULL;
      assert_true (sl_reader_next (reader, &first, &error));
      assert_true (sl_reader_rewind (reader, &error));
      check_rewind (reader, wanted);
    }
}

static void
test_rewind_pipe (void **state)
{
  (void) state;
  g_autoptr (SlBatch) batch = answers (50);
  g_autofree char *wanted = text_of (batch);
  write_batches ("x.arrows", batch, 7);
  g_autofree char *bytes = NULL;
  gsize size;
  int fd;
  assert_true (g_file_get_contents ("x.arrows", &bytes, &size, NULL));
  g_autofree char *path = pipe_with (bytes, size, &fd);
  g_autoptr (GError) error = NULL;
  g_autoptr (SlReader) reader = sl_reader_open (path, &any, &error);
  assert_non_null (reader);
  (void) close (fd);
  assert_false (sl_reader_keeps_memory (reader));
  sl_reader_keep (reader);
  assert_true (sl_reader_keeps_memory (reader));
  check_rewind (reader, wanted);
  assert_false (sl_reader_keeps_memory (reader));
}

/* After any number of batches, while further ones may be in the making. */
static void
test_rewind_any_time (void **state)
{
  (void) state;
  g_autoptr (SlBatch) batch = labels (1600, 300);
  g_autofree char *wanted = text_of (batch);
  for (gsize f = 0; f < G_N_ELEMENTS (formats); f++)
    {
      write_own (formats[f], batch);
      g_autoptr (GError) error = NULL;
      g_autoptr (SlReader) reader = sl_reader_open (formats[f], &any, &error);
      sl_reader_keep (reader);
      for (int round = 0; round < 20; round++)
        {
          for (int taken = 0; taken < round % 5; taken++)
            {
              g_autoptr (SlBatch) next = NULL;
              assert_true (sl_reader_next (reader, &next, &error));
              assert_int_equal (next->first_row, 512 * taken);
            }
          assert_true (sl_reader_rewind (reader, &error));
        }
      check_rewind (reader, wanted);
    }
}

typedef struct
{
  int fd;
  const char *bytes;
  gsize size;
} Flow;

static gpointer
pour (gpointer data)
{
  Flow *flow = data;
  gssize n = 0;
  for (gsize done = 0; done < flow->size && n >= 0; done += (gsize) MAX (n, 0))
    n = write (flow->fd, flow->bytes + done, flow->size - done);
  return NULL;
}

/* Freed while it waits for a pipe that stays open and has no more to give, or is being written
 * to. */
static void
test_endless_pipe (void **state)
{
  (void) state;
  g_autoptr (SlBatch) batch = labels (1600, 300);
  g_autofree char *bytes = NULL;
  gsize size;
  write_batches ("x.arrows", batch, 100);
  assert_true (g_file_get_contents ("x.arrows", &bytes, &size, NULL));
  (void) alarm (30); /* rather than wait for ever */
  for (int taken = 0; taken <= 2; taken++)
    for (int pause = 0; pause < 2; pause++)
      {
        int ends[2];
        assert_int_equal (pipe (ends), 0);
        Flow flow = { ends[1], bytes, size / 10 * 9 }; /* two full batches, and a part of one */
        GThread *thread = g_thread_new ("pour", pour, &flow);
        g_autofree char *path = g_strdup_printf ("/dev/fd/%d", ends[0]);
        g_autoptr (GError) error = NULL;
        SlReader *reader = sl_reader_open (path, &any, &error);
        assert_non_null (reader);
        (void) close (ends[0]);
        for (int i = 0; i < taken; i++)
          {
            g_autoptr (SlBatch) next = NULL;
            assert_true (sl_reader_next (reader, &next, &error));
            assert_int_equal (next->n_rows, 512);
          }
        if (pause)
          g_usleep (20000);
        sl_reader_free (reader);
        (void) g_thread_join (thread);
        (void) close (ends[1]);
      }
  (void) alarm (0);
}

/* A file that is another one by the second pass. */
static void
test_changed (void **state)
{
  (void) state;
  g_autoptr (SlBatch) batch = labels (10, 3);
  g_autoptr (SlBatch) other = labels (10, 4);
  write_own ("x.arrows", batch);
  g_autoptr (GError) error = NULL;
  g_autoptr (SlReader) reader = sl_reader_open ("x.arrows", &any, &error);
  sl_reader_keep (reader);
  g_free (read_all (reader, &error));
  write_own ("x.arrows", other);
  assert_false (sl_reader_rewind (reader, &error));
  assert_error (&error, SL_ERROR_INPUT, "x.arrows: has changed while it was being read");
}

/* A batch outlives its reader. */
static void
test_batches_live_on (void **state)
{
  (void) state;
  g_autoptr (SlBatch) batch = labels (10, 3);
  g_autofree char *wanted = text_of (batch);
  for (gsize f = 0; f < G_N_ELEMENTS (formats); f++)
    {
      write_own (formats[f], batch);
      g_autoptr (GError) error = NULL;
      SlReader *reader = sl_reader_open (formats[f], &any, &error);
      g_autoptr (SlBatch) read = NULL;
      assert_true (sl_reader_next (reader, &read, &error));
      sl_reader_free (reader);
      g_autofree char *found = text_of (read);
      assert_string_equal (found, wanted);
    }
}

/* The loop over batches ends with the table, or with an error of its body, which gets the
 * name of the table. */
static void
test_each (void **state)
{
  (void) state;
  g_autoptr (SlBatch) batch = labels (1600, 300);
  write_own ("each.arrows", batch);
  for (gint64 stop = -1; stop < 2; stop++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SlReader) reader = sl_reader_open ("each.arrows", &any, &error);
      g_autoptr (SlBatch) each = NULL;
      gboolean ok = TRUE;
      gint64 rows = 0, n = 0;
      for (; sl_reader_each (reader, &each, &ok, &error); rows += each->n_rows, n++)
        ok = n == stop ? sl_error_row (&error, 7, "is odd") : TRUE;
      assert_int_equal (ok, stop < 0);
      if (stop < 0)
        assert_int_equal (rows, batch->n_rows);
      else
        assert_string_equal (error->message, "each.arrows: row 7: is odd");
      assert_true (stop < 0 || n == stop + 1);
    }
}

static void
test_position (void **state)
{
  (void) state;
  g_autoptr (SlBatch) batch = labels (1600, 300);
  for (gsize f = 0; f < G_N_ELEMENTS (formats); f++)
    {
      write_own (formats[f], batch);
      g_autoptr (GError) error = NULL;
      g_autoptr (SlReader) reader = sl_reader_open (formats[f], &any, &error);
      gint64 done, whole, before = -1;
      for (;;)
        {
          g_autoptr (SlBatch) next = NULL;
          sl_reader_position (reader, &done, &whole);
          assert_true (done >= before && done <= whole);
          before = done;
          assert_true (sl_reader_next (reader, &next, &error));
          if (next == NULL)
            break;
        }
      sl_reader_position (reader, &done, &whole);
      assert_int_equal (done, whole);
      assert_true (whole > 0);
    }
}

static int threads[] = { 1, 2 };

#define WITH(name, state) cmocka_unit_test_prestate_setup_teardown (name, setup, teardown, state)
#define TEST(name) WITH (name, &threads[0]), WITH (name, &threads[1])

int
main (void)
{
  const struct CMUnitTest tests[] = {
    TEST (test_every_format),
    TEST (test_no_rows),
    TEST (test_other_batches),
    TEST (test_cut_short),
    TEST (test_something_after),
    TEST (test_run_together),
    TEST (test_no_table),
    TEST (test_kinds),
    TEST (test_bad_rows),
    TEST (test_damaged_code),
    TEST (test_rewind_files),
    TEST (test_rewind_pipe),
    TEST (test_rewind_any_time),
    TEST (test_endless_pipe),
    TEST (test_changed),
    TEST (test_batches_live_on),
    TEST (test_each),
    TEST (test_position),
  };
  signal (SIGPIPE, SIG_IGN);
  cmocka_set_message_output (CM_OUTPUT_TAP);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
