/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A format is told by the names of its columns or members: one that no other format has. What the
 * fields hold is not looked at. */
#include "sniff.h"

#include "pipeline/text/csv-columns.h"
#include "pipeline/text/json-reader.h"
#include "stages/common/files/column-names.h"
#include "stages/common/files/npy.h"
#include "stages/ingest/readers/array-file.h"
#include "formats.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define MOST_NUMBERS 65536 /* of an array's first row */
#define CIFAR10_BYTES 3073
#define MOST_NAMES 10000 /* in a folder */
#define DEEPEST 4

typedef struct
{
  const char *format, *why; /* NULL: nothing tells */
} Guess;

static gboolean
begins (SlSource *source, const char *start)
{
  gboolean yes;
  return sl_source_begins (source, start, strlen (start), &yes, NULL) && yes;
}

/* The first row of an array tells counts from probabilities, and both from examples. */
static Guess
guess_of_array_file (const char *path)
{
  const Guess examples = { "npy", "it is a NumPy array with a row an example" };
  SlSource *source = sl_source_open (path, NULL);
  g_autoptr (SlSource) own = source;
  SlNpy npy;
  if (own == NULL || !sl_npy_read_header (own, &npy, NULL) || npy.n_dims != 2 || npy.fortran
      || npy.dim[0] == 0 || npy.dim[1] == 0 || npy.dim[1] > MOST_NUMBERS)
    return examples;
  gsize n = (gsize) npy.dim[1], got;
  g_autofree guint8 *row = g_malloc (n * npy.width);
  gboolean counts = TRUE, shares = TRUE;
  double sum = 0;
  if (!sl_source_read (own, row, n * npy.width, &got, NULL) || got < n * npy.width)
    return examples;
  for (gsize i = 0; i < n; i++)
    {
      gint64 count;
      double value = sl_npy_value (&npy, row + i * npy.width);
      counts = counts && sl_npy_count (value, &count) == NULL;
      shares = shares && value >= 0 && value <= 1;
      sum += value;
    }
  if (npy.kind == 'f' && shares && fabs (sum - 1) < 1e-3)
    return (Guess){ "labels", "it is a NumPy array whose rows sum to 1" };
  if (counts && npy.kind != 'b' && npy.width > 1 && sum > 0)
    return (Guess){ "counts", "it is a NumPy array of whole numbers" };
  return examples;
}

/* CIFAR-10's binary files have records of one class and 3,072 pixels, and nothing else. */
static gboolean
is_cifar10 (const SlSource *source)
{
  return source->size > 0 && source->size % CIFAR10_BYTES == 0 && source->n_head > 0
         && (guint8) source->head[0] < 10 && g_str_has_suffix (source->name, ".bin");
}

/* Of what is neither JSON nor CSV. */
static Guess
guess_of_bytes (SlSource *source)
{
  guint8 head[4] = { 0xff };
  if (begins (source, SL_NPY_MAGIC))
    return guess_of_array_file (source->path);
  memcpy (head, source->head, MIN (sizeof head, source->n_head));
  if (source->n_head >= sizeof head && sl_idx_begins (head))
    return (Guess){ "idx", "it begins as MNIST's idx files do" };
  if (is_cifar10 (source))
    return (Guess){ "cifar10", "it has records of 3,073 bytes" };
  if (begins (source, "PAR1") || begins (source, "ARROW1") || begins (source, "\xff\xff\xff\xff"))
    return (Guess){ "long", "it is a table of Parquet or Arrow" };
  return (Guess){ NULL, NULL };
}

static gboolean
has_end (const char *name, const char *const *ends)
{
  g_autofree char *small = g_ascii_strdown (name, -1);
  for (; *ends != NULL; ends++)
    if (g_str_has_suffix (small, *ends))
      return TRUE;
  return FALSE;
}

static const char *const image_ends[] = { ".png", ".jpg", ".jpeg", NULL };
static const char *const data_ends[]
    = { ".json", ".jsonl", ".csv", ".tsv", ".manifest", ".npy", ".parquet", NULL };

/* Counts images and files of data in the folder PATH. */
static void
count_files (const char *path, int depth, int *names, int *images, int *data)
{
  g_autoptr (GDir) folder = depth < DEEPEST ? g_dir_open (path, 0, NULL) : NULL;
  const char *name = NULL;
  while (folder != NULL && *names < MOST_NAMES && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *whole = g_build_filename (path, name, NULL);
      ++*names;
      *images += has_end (name, image_ends);
      *data += has_end (name, data_ends);
      if (g_file_test (whole, G_FILE_TEST_IS_DIR))
        count_files (whole, depth + 1, names, images, data);
    }
}

/* Whether PATH is an image, or a folder with images and no files of data. */
static gboolean
is_images (const char *path)
{
  int names = 0, images = 0, data = 0;
  if (!g_file_test (path, G_FILE_TEST_IS_DIR))
    return strcmp (path, "-") != 0 && has_end (path, image_ends);
  count_files (path, 0, &names, &images, &data);
  return images > 0 && data == 0;
}

#define MEMBERS_LOOKED_AT 64

static gboolean
is_list (SlJson value)
{
  return sl_json_type (value) == SL_JSON_ARRAY;
}

static gboolean
has (SlJson value, const char *name)
{
  return sl_json_type (sl_json_get (value, name)) != SL_JSON_ABSENT;
}

static SlJson
first_element (SlJson value)
{
  SlJsonEach each = sl_json_each (value);
  return sl_json_each_next (&each) ? each.value : (SlJson){ 0 };
}

/* Of the member KEY of a record, or of a file that is one object. */
static Guess
guess_of_member (const char *key, SlJson value)
{
  if (strcmp (key, "_task_hash") == 0 || strcmp (key, "_input_hash") == 0)
    return (Guess){ "prodigy", "its records have `_task_hash`" };
  if (strcmp (key, "source-ref") == 0)
    return (Guess){ "groundtruth", "its records have `source-ref`" };
  if (strcmp (key, "answers") == 0 && has (first_element (value), "answerContent"))
    return (Guess){ "groundtruth", "it has answers with `answerContent`" };
  if (strcmp (key, "annotationsFromAllWorkers") == 0
      || (strcmp (key, "annotations") == 0 && has (first_element (value), "annotationData")))
    return (Guess){ "groundtruth", "its records have answers with `annotationData`" };
  if ((strcmp (key, "annotations") == 0 && has (first_element (value), "result"))
      || strcmp (key, "completions") == 0 || strcmp (key, "annotation_id") == 0)
    return (Guess){ "labelstudio", "its records have annotations with results" };
  if (strcmp (key, "cats") == 0 && sl_json_type (value) == SL_JSON_OBJECT)
    return (Guess){ "labels", "its records have `cats`, as spaCy's have" };
  if (strcmp (key, "session") == 0)
    return (Guess){ "survey", "its records have `session`" };
  if (strcmp (key, "trial_type") == 0)
    return (Guess){ "jspsych", "its records have `trial_type`" };
  if (g_str_has_suffix (key, ".responses")
      || (strcmp (key, "responses") == 0 && sl_json_type (value) == SL_JSON_OBJECT))
    return (Guess){ "argilla", "its records have `responses`" };
  if (has (first_element (value), "user_id") && has (first_element (value), "value"))
    return (Guess){ "argilla", "its records have answers with `user_id` and `value`" };
  if ((strcmp (key, "label") == 0 || strcmp (key, "labels") == 0 || strcmp (key, "cats") == 0)
      && is_list (value))
    return (Guess){ "doccano", "its records have a list `label`" };
  return (Guess){ NULL, NULL };
}

/* Of the value of a member, where the file is one object whose members are the records. */
static Guess
guess_of_value (SlJson value)
{
  if (has (value, "annotations") && has (value, "annotators"))
    return (Guess){ "lewidi", "its members have `annotations` and `annotators`" };
  if (is_list (sl_json_get (value, "weak_labels")))
    return (Guess){ "wrench", "its members have `weak_labels`" };
  return (Guess){ NULL, NULL };
}

/* Whether VALUE is an object of numbers or texts. */
static gboolean
is_votes (SlJson value, gboolean *any)
{
  if (sl_json_type (value) != SL_JSON_OBJECT)
    return FALSE;
  for (SlJsonEach each = sl_json_each (value); sl_json_each_next (&each);)
    {
      char room[SL_JSON_ROOM];
      *any = TRUE;
      if (sl_json_scalar (each.value, room).text == NULL
          && sl_json_type (each.value) != SL_JSON_NULL)
        return FALSE;
    }
  return TRUE;
}

static const SlColumnRole item_role = { "item", SL_NAMES (SL_ITEM_NAMES), FALSE, NULL };
static const SlColumnRole annotator_role
    = { "annotator", SL_NAMES (SL_ANNOTATOR_NAMES), FALSE, NULL };
static const SlColumnRole class_role = { "class", SL_NAMES (SL_CLASS_NAMES), FALSE, NULL };

/* What of a long table there is. */
typedef struct
{
  gboolean item, annotator, class;
} Roles;

static void
note_role (Roles *roles, const char *name)
{
  roles->item |= sl_role_matches (&item_role, name);
  roles->annotator |= sl_role_matches (&annotator_role, name);
  roles->class |= sl_role_matches (&class_role, name);
}

static const Guess long_records = { "long", "its records have an item or annotator, and a class" };

static gboolean
is_long (const Roles *roles)
{
  return roles->class && (roles->item || roles->annotator);
}

/* Looks at the members of a top-level object, and of those behind it. */
static Guess
guess_of_object (SlJsonReader *reader)
{
  gboolean all_votes = TRUE, any_vote = FALSE;
  Roles roles = { 0 };
  for (int i = 0; i < MEMBERS_LOOKED_AT; i++)
    {
      const SlJsonRecord *record;
      if (!sl_json_reader_next (reader, &record, NULL) || record == NULL)
        break;
      Guess guess = record->key != NULL ? guess_of_member (record->key, record->value)
                                        : (Guess){ NULL, NULL };
      if (guess.format == NULL)
        guess = guess_of_value (record->value);
      if (guess.format != NULL)
        return guess;
      if (record->key != NULL)
        note_role (&roles, record->key);
      all_votes = all_votes && is_votes (record->value, &any_vote);
    }
  if (all_votes && any_vote)
    return (Guess){ "peerannot", "it is an object of objects of answers" };
  return is_long (&roles) ? long_records : (Guess){ NULL, NULL };
}

/* Looks at the first element of an array. */
static Guess
guess_of_array (SlJsonReader *reader)
{
  const SlJsonRecord *record;
  Guess guess = { NULL, NULL };
  if (!sl_json_reader_next (reader, &record, NULL) || record == NULL)
    return guess;
  if (sl_json_type (record->value) != SL_JSON_OBJECT)
    return guess;
  SlJsonEach each = sl_json_each (record->value);
  Roles roles = { 0 };
  while (guess.format == NULL && sl_json_each_next (&each))
    {
      g_autofree char *key = g_strndup (each.key.text, each.key.n);
      note_role (&roles, key);
      guess = guess_of_member (key, each.value);
    }
  return guess.format == NULL && is_long (&roles) ? long_records : guess;
}

static gboolean
has_column (const SlCsv *csv, const char *name)
{
  return g_strv_contains ((const char *const *) csv->first, name);
}

static gboolean
has_prefix (const SlCsv *csv, const char *prefix)
{
  for (int i = 0; i < csv->n_fields; i++)
    if (g_str_has_prefix (csv->first[i], prefix))
      return TRUE;
  return FALSE;
}

/* Whether the first record is nothing but numbers between blanks, in one field. */
static gboolean
is_matrix (const SlCsv *csv)
{
  const char *text = csv->first[0];
  return csv->n_fields == 1 && strchr (text, ' ') != NULL
         && strspn (text, "0123456789-+.e ") == strlen (text);
}

static Guess
guess_of_csv (const SlCsv *csv)
{
  if (has_column (csv, "HITId") && has_column (csv, "WorkerId"))
    return (Guess){ "mturk", "its header has HITId" };
  if (has_prefix (csv, "Input.") && has_prefix (csv, "Answer."))
    return (Guess){ "mturk", "its header has Input.… and Answer.…" };
  if (has_prefix (csv, "ASSIGNMENT:"))
    return (Guess){ "toloka", "its header has ASSIGNMENT:…" };
  if (has_column (csv, "ResponseId") || has_column (csv, "ResponseID"))
    return (Guess){ "qualtrics", "its header has ResponseId" };
  if (has_column (csv, "class_pair") && has_column (csv, "trial_type"))
    return (Guess){ "hmix", "its header has class_pair" };
  if (has_column (csv, "is_attn_check") && has_column (csv, "chosen_category"))
    return (Guess){ "cifar10h", "its header has is_attn_check" };
  if (has_column (csv, "study") && has_column (csv, "session") && !has_column (csv, "human"))
    return (Guess){ "survey", "its header has study and session" };
  if (has_column (csv, "trial_type"))
    return (Guess){ "jspsych", "its header has trial_type" };
  if (strcmp (csv->first[0], "Timestamp") == 0)
    return (Guess){ "googleforms", "its header begins with Timestamp" };
  if (has_column (csv, "annotation_id") && has_column (csv, "annotator"))
    return (Guess){ "labelstudio", "its header has annotation_id" };
  Roles roles = { 0 };
  for (int i = 0; i < csv->n_fields; i++)
    note_role (&roles, csv->first[i]);
  if (is_long (&roles))
    return (Guess){ "long", "its header has an item or annotator, and a class" };
  if (roles.item && has_prefix (csv, "prob."))
    return (Guess){ "predictions", "its header has an item, and prob.… of classes" };
  if (roles.item && (has_prefix (csv, "label.") || has_prefix (csv, "p_")))
    return (Guess){ "labels", "its header has an item, and a column a class" };
  if (is_matrix (csv))
    return (Guess){ "rodrigues", "it is a matrix of numbers between blanks" };
  return (Guess){ NULL, NULL };
}

/* The first of the bytes that were looked at that is no blank. */
static char
first_letter (SlSource *source)
{
  (void) sl_source_peek (source, 16, NULL);
  gsize at = source->n_head >= 3 && memcmp (source->head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  while (at < source->n_head && g_ascii_isspace (source->head[at]))
    at++;
  return at < source->n_head ? source->head[at] : '\0';
}

/* Which format PATH looks like: what --from calls it, and WHY ("its header has HITId"), neither to
 * be freed; NULL where nothing is known, or where PATH cannot be read twice. */
static const char *
sniff (const char *path, const char **why)
{
  SlSource *source = sl_source_can_reopen (path) ? sl_source_open (path, NULL) : NULL;
  if (source == NULL)
    return NULL;
  Guess guess = guess_of_bytes (source);
  char first = first_letter (source);
  if (guess.format != NULL)
    sl_source_free (source);
  else if (first == '{' || first == '[')
    {
      g_autoptr (SlJsonReader) reader = sl_json_reader_new (source, first == '{', NULL);
      if (reader != NULL)
        guess = first == '{' ? guess_of_object (reader) : guess_of_array (reader);
    }
  else
    {
      g_autoptr (SlCsv) csv = sl_csv_new (source, '\0', NULL);
      if (csv != NULL)
        guess = guess_of_csv (csv);
    }
  *why = guess.why;
  return guess.format;
}

static int
format_named (const char *name)
{
  int i = 0;
  while (strcmp (sl_ingest_format_names[i], name) != 0)
    i++;
  return i;
}

/* A folder of images is told before its files of data are looked for. */
void
sl_format_settle_folder (SlRun *run, SlIngestOptions *options, const char *path)
{
  if (sl_ingest_formats[options->from] != &sl_ingest_auto || !is_images (path))
    return;
  g_autofree char *name = sl_ingest_file_name (path);
  sl_run_warn (run, "%s is taken for --from images: it is of PNG or JPEG files", name);
  options->from = format_named ("images");
}

/* In place of --from auto comes what FILE looks like; the history, too, names that. */
gboolean
sl_format_settle (SlRun *run, SlIngestOptions *options, const char *file, GError **error)
{
  const char *why = NULL;
  if (sl_ingest_formats[options->from] != &sl_ingest_auto)
    return TRUE;
  g_autofree char *name = sl_ingest_file_name (file);
  if (sl_source_can_reopen (file) || (strcmp (file, "-") != 0 && access (file, F_OK) != 0))
    {
      SlSource *source = sl_source_open (file, error);
      if (source == NULL)
        return FALSE;
      sl_source_free (source);
    }
  const char *guess = sniff (file, &why);
  if (guess == NULL)
    return sl_error_bad_input (error, "%s: nothing tells its format%s; say it with --from FORMAT",
                               name, sl_source_can_reopen (file) ? "" : ", as it comes by a pipe");
  sl_run_warn (run, "%s is taken for --from %s: %s", name, guess, why);
  options->from = format_named (guess);
  return TRUE;
}

/* A file that could not be read at all may be one of another format. */
void
sl_format_name_other (const SlIngest *ingest, GError **error)
{
  const char *why;
  g_autofree char *name = sl_ingest_file_name (ingest->files[0]);
  if (error == NULL || !g_error_matches (*error, SL_ERROR, SL_ERROR_INPUT) || ingest->n_rows > 0
      || !g_str_has_prefix ((*error)->message, name))
    return;
  /* What reads arrays takes both forms of them, and some messages name the way themselves. */
  const char *guess = sniff (ingest->files[0], &why);
  const char *own = sl_ingest_format_names[ingest->options->from];
  if (strstr ((*error)->message, "--from ") != NULL
      || (g_strcmp0 (guess, "idx") == 0 && strcmp (own, "npy") == 0)
      || (g_strcmp0 (guess, "npy") == 0 && strcmp (own, "idx") == 0))
    return;
  if (guess == NULL || format_named (guess) == ingest->options->from
      || sl_ingest_format_kinds[format_named (guess)]
             != sl_ingest_format_kinds[ingest->options->from])
    return;
  char *whole = g_strdup_printf ("%s; is it --from %s? %s", (*error)->message, guess, why);
  g_free ((*error)->message);
  (*error)->message = whole;
}
