/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A format is told by the names of its columns or members: one that no other format has. What the
 * fields hold is not looked at. */
#include "sniff.h"

#include "pipeline/text/csv-columns.h"
#include "pipeline/text/json-reader.h"
#include "stages/common/files/column-names.h"
#include "sniff-bytes.h"

#include <string.h>

#define MEMBERS_LOOKED_AT 64

typedef SlGuess Guess;

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
  SlJsonEach each = sl_json_each (value);
  while (sl_json_each_next (&each))
    {
      char room[SL_JSON_ROOM];
      *any = TRUE;
      if (sl_json_scalar (each.value, room).text == NULL
          && sl_json_type (each.value) != SL_JSON_NULL)
        return FALSE;
    }
  return TRUE;
}

/* Looks at the members of a top-level object, and of those behind it. */
static Guess
guess_of_object (SlJsonReader *reader)
{
  gboolean all_votes = TRUE, any_vote = FALSE;
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
      all_votes = all_votes && is_votes (record->value, &any_vote);
    }
  if (all_votes && any_vote)
    return (Guess){ "peerannot", "it is an object of objects of answers" };
  return (Guess){ NULL, NULL };
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
  while (guess.format == NULL && sl_json_each_next (&each))
    {
      g_autofree char *key = g_strndup (each.key.text, each.key.n);
      guess = guess_of_member (key, each.value);
    }
  return guess;
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

static const SlColumnRole item_role = { "item", SL_NAMES (SL_ITEM_NAMES), FALSE, NULL };
static const SlColumnRole annotator_role
    = { "annotator", SL_NAMES (SL_ANNOTATOR_NAMES), FALSE, NULL };
static const SlColumnRole class_role = { "class", SL_NAMES (SL_CLASS_NAMES), FALSE, NULL };

static gboolean
has_role (const SlCsv *csv, const SlColumnRole *role)
{
  for (int i = 0; i < csv->n_fields; i++)
    if (sl_columns_goes_by (role, csv->first[i]))
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
  if (has_prefix (csv, "ASSIGNMENT:"))
    return (Guess){ "toloka", "its header has ASSIGNMENT:…" };
  if (has_column (csv, "ResponseId") || has_column (csv, "ResponseID"))
    return (Guess){ "qualtrics", "its header has ResponseId" };
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
  if (has_role (csv, &class_role)
      && (has_role (csv, &item_role) || has_role (csv, &annotator_role)))
    return (Guess){ "long", "its header has an item or annotator, and a class" };
  if (has_role (csv, &item_role) && has_prefix (csv, "prob."))
    return (Guess){ "predictions", "its header has an item, and prob.… of classes" };
  if (has_role (csv, &item_role) && (has_prefix (csv, "label.") || has_prefix (csv, "p_")))
    return (Guess){ "labels", "its header has an item, and a column a class" };
  if (is_matrix (csv))
    return (Guess){ "rodrigues", "it is a matrix of numbers between blanks" };
  return (Guess){ NULL, NULL };
}

/* The first of the bytes that were looked at that is no blank. */
static char
first_letter (SlSource *source)
{
  (void) sl_source_look (source, 16, NULL);
  gsize at = source->n_head >= 3 && memcmp (source->head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  while (at < source->n_head && g_ascii_isspace (source->head[at]))
    at++;
  return at < source->n_head ? source->head[at] : '\0';
}

const char *
sl_sniff (const char *path, const char **why)
{
  SlSource *source = sl_source_can_reopen (path) ? sl_source_open (path, NULL) : NULL;
  if (source == NULL)
    return NULL;
  Guess guess = sl_sniff_bytes (source);
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
