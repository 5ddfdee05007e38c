/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doccano: the files of an export, JSON Lines, JSON or CSV, one a member of the project and named
 * after that member. Each lists every example; an empty list of labels is no answer. What a
 * collaborative project exports, all.jsonl, pools the labels of everybody, so that its annotators
 * are lost. The item is the example's id; images have none, but `filename`. Before 1.4 an
 * example held `annotations` with numbers of label and user. */
#include "schemas/annotations.h"
#include "stages/ingest/formats.h"

#include <math.h>

typedef struct
{
  char *member;    /* whose file it is; NULL: the file does not tell */
  int item, label; /* columns of CSV */
} Doccano;

/* The file's name without its last extension; that of a collaborative project names nobody. */
static char *
member_of (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);
  char *dot = strrchr (name, '.');
  if (dot != NULL)
    *dot = '\0';
  return strcmp (path, "-") == 0 || strcmp (name, "all") == 0 ? NULL : g_steal_pointer (&name);
}

static gboolean
needs_annotator (SlAnswersReader *answers, GError **error)
{
  return sl_error_bad_input (
      error,
      "%s: who answered is told by the name of a member's file alone; all.jsonl pools "
      "everybody's labels (--annotator NAME takes them as one's)",
      answers->file);
}

/* The annotator of a file's answers: --annotator comes first, as the file's name may have been
 * changed. */
static gboolean
find_annotator (SlAnswersReader *answers, SlCell *annotator, GError **error)
{
  const Doccano *state = answers->state;
  const char *given = answers->ingest->options->annotator;
  const char *name = given != NULL ? given : state->member;
  *annotator = (SlCell){ name, name != NULL ? strlen (name) : 0 };
  return name != NULL || needs_annotator (answers, error);
}

/* The example's one label of LABELS. */
static gboolean
take_labels (SlAnswersReader *answers, SlJson labels, SlAnswer *answer, GError **error)
{
  char room[SL_JSON_ROOM];
  gsize n = sl_json_length (labels);
  if (answers->ingest->options->multi_label != NULL)
    {
      answers->set = labels;
      return find_annotator (answers, &answer->annotator, error)
             && sl_answers_add (answers, answer, error);
    }
  if (n == 0)
    return sl_answers_pass (answers, "without an answer");
  if (n > 1)
    return sl_answers_bad (answers, error, "%" G_GSIZE_FORMAT " labels; a vote is for one", n);
  SlJsonEach each = sl_json_each (labels);
  sl_json_each_next (&each);
  answer->class = sl_json_scalar (each.value, room);
  if (answer->class.text == NULL)
    return sl_answers_bad (answers, error, "a label of a part of the text, not of the whole");
  return find_annotator (answers, &answer->annotator, error)
         && sl_answers_add (answers, answer, error);
}

/* One of `annotations`, of old exports. */
static gboolean
take_numbered (SlAnswersReader *answers, SlJson annotation, SlAnswer *answer, GError **error)
{
  char label[SL_JSON_ROOM], user[SL_JSON_ROOM];
  if (sl_json_type (sl_json_get (annotation, "start_offset")) != SL_JSON_ABSENT)
    return sl_answers_bad (answers, error, "a label of a part of the text, not of the whole");
  answer->class = sl_json_scalar (sl_json_get (annotation, "label"), label);
  answer->annotator = sl_json_scalar (sl_json_get (annotation, "user"), user);
  answers->answer_value = annotation;
  return (answer->annotator.n > 0 || find_annotator (answers, &answer->annotator, error))
         && sl_answers_add (answers, answer, error);
}

static gboolean
take (SlAnswersReader *answers, const SlJsonRecord *record, GError **error)
{
  static const char *const lists[] = { "label", "labels", "cats" };
  char room[SL_JSON_ROOM];
  const char *given = answers->ingest->columns[0];
  SlJson example = record->value, labels = { 0 };
  SlAnswer answer
      = { .item = sl_json_scalar (sl_json_find (example, given != NULL ? given : "id"), room),
          .seconds = (double) NAN };
  if (answer.item.n == 0 && given == NULL)
    answer.item = sl_json_scalar (sl_json_get (example, "filename"), room);
  for (gsize i = 0; sl_json_type (labels) != SL_JSON_ARRAY && i < G_N_ELEMENTS (lists); i++)
    labels = sl_json_get (example, lists[i]);
  if (sl_json_type (labels) == SL_JSON_ARRAY)
    return take_labels (answers, labels, &answer, error);
  SlJson annotations = sl_json_get (example, "annotations");
  if (sl_json_type (annotations) != SL_JSON_ARRAY)
    return sl_answers_bad (answers, error, "not an example of doccano: it has no list `label`");
  SlJsonEach each = sl_json_each (annotations);
  if (sl_json_length (annotations) == 0)
    return sl_answers_pass (answers, "without an answer");
  while (sl_json_each_next (&each))
    if (!take_numbered (answers, each.value, &answer, error))
      return FALSE;
  return TRUE;
}

/* fastText has neither ids nor a header: which line is of which example is lost. */
static gboolean
refuse_fasttext (const SlAnswersReader *answers, const SlCsv *csv, GError **error)
{
  return !g_str_has_prefix (csv->first[0], "__label__")
         || sl_error_bad_input (
             error, "%s: is in fastText's form, which has no ids: export JSONL, or JSON",
             answers->file);
}

static gboolean
begin_csv (SlAnswersReader *answers, SlCsvAnswers *csv, GError **error)
{
  Doccano *state = answers->state;
  const char *given = answers->ingest->columns[0];
  if (given == NULL && sl_csv_answers_column (csv, "id") < 0
      && sl_csv_answers_column (csv, "filename") >= 0)
    given = "filename";
  return refuse_fasttext (answers, csv->csv, error)
         && sl_csv_answers_needs (answers, csv, "label", &state->label, error)
         && sl_csv_answers_given (answers, csv, "--column item", given != NULL ? given : "id",
                                  &state->item, error);
}

/* Several labels are joined by '#'. */
static gboolean
take_csv (SlAnswersReader *answers, SlCsvAnswers *csv, GError **error)
{
  const Doccano *state = answers->state;
  SlAnswer answer = { .item = sl_csv_answers_cell (csv, state->item),
                      .class = sl_csv_answers_cell (csv, state->label),
                      .seconds = (double) NAN };
  if (answer.class.n == 0)
    return sl_answers_pass (answers, "without an answer");
  if (memchr (answer.class.text, '#', answer.class.n) != NULL)
    return sl_answers_bad (answers, error, "several labels, joined by #; a vote is for one");
  return find_annotator (answers, &answer.annotator, error)
         && sl_answers_add (answers, &answer, error);
}

static void
clear (gpointer data)
{
  g_free (((Doccano *) data)->member);
}

static gboolean
begin_file (SlAnswersReader *answers, GError **error)
{
  clear (answers->state);
  ((Doccano *) answers->state)->member = member_of (answers->path);
  return TRUE;
}

static const SlAnswersFormat format = {
  .columns = 1u << SL_ANNOTATIONS_ANNOTATOR,
  .json = take,
  .csv = { .begin = begin_csv, .take = take_csv },
  .state_bytes = sizeof (Doccano),
  .clear = clear,
  .begin_file = begin_file,
};

const SlIngestFormat sl_ingest_doccano = { .roles = sl_role_item, .answers = &format };
