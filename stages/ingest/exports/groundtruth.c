/* SPDX-License-Identifier: GPL-3.0-or-later */
/* groundtruth: what SageMaker Ground Truth leaves. Three kinds of files are told apart:
 *
 * - worker responses, one file an item, annotations/worker-response/iteration-N/INDEX/TIME.json:
 * INDEX, the line of the input manifest counted from 0, is the item, as nothing inside of the file
 * names it;
 * - consolidation requests, whose answers are JSON in a text;
 * - output manifests, JSON Lines with the label that the job made of the answers: one row an item,
 * with the job's name as the annotator. What the job trained itself to label is left out. */
#include "schemas/annotations.h"
#include "stages/ingest/formats.h"

#include <math.h>

/* The answers of one worker to a form, {element: answer}. */
static gboolean
take_content (SlAnswersReader *answers, SlJson content, SlAnswer *answer, GError **error)
{
  const char *wrong = sl_form_wrong (content);
  if (wrong != NULL)
    return sl_answers_bad (answers, error, "a worker's answer: %s", wrong);
  SlJsonEach each = sl_json_each (content);
  gboolean any = FALSE;
  while (sl_json_each_next (&each))
    {
      gboolean wanted;
      guint n_classes;
      char room[SL_JSON_ROOM];
      if (!sl_answers_question (answers, each.key, &wanted, error))
        return FALSE;
      if (!wanted)
        continue;
      answer->class = sl_form_class (each.value, &n_classes, room);
      any = any || n_classes > 0;
      if (n_classes == 0)
        continue;
      if (n_classes > 1)
        return sl_answers_bad (answers, error, "an answer has %u labels; a vote is for one",
                               n_classes);
      if (!sl_answers_add (answers, answer, error))
        return FALSE;
    }
  if (!any)
    sl_answers_leave_out (answers, "without an answer", NULL);
  return TRUE;
}

/* The folder that the file is in, which is the item's number. */
static char *
folder_of (const SlAnswersReader *answers)
{
  g_autofree char *folder = g_path_get_dirname (answers->path);
  return strcmp (answers->path, "-") == 0 ? NULL : g_path_get_basename (folder);
}

static gboolean
take_responses (SlAnswersReader *answers, SlJson responses, GError **error)
{
  g_autofree char *item = folder_of (answers);
  if (item == NULL || item[0] == '\0' || strspn (item, "0123456789") != strlen (item))
    return sl_answers_bad (answers, error,
                           "a worker response's folder is its item, a number: give the file, or "
                           "worker-response, by its name");
  for (SlJsonEach each = sl_json_each (responses); sl_json_each_next (&each);)
    {
      char who[SL_JSON_ROOM];
      SlAnswer answer
          = { .item = { item, strlen (item) },
              .annotator = sl_answers_annotator (
                  answers, sl_json_scalar (sl_json_get (each.value, "workerId"), who)),
              .seconds = sl_json_number (sl_json_get (each.value, "timeSpentInSeconds")) };
      answers->answer_value = each.value;
      if (!take_content (answers, sl_json_get (each.value, "answerContent"), &answer, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
take_consolidation (SlAnswersReader *answers, SlJson record, SlJson annotations, GError **error)
{
  char item[SL_JSON_ROOM];
  SlCell name = sl_json_scalar (sl_json_get (record, "datasetObjectId"), item);
  g_autofree char *folder = name.n == 0 ? folder_of (answers) : NULL;
  for (SlJsonEach each = sl_json_each (annotations); sl_json_each_next (&each);)
    {
      char who[SL_JSON_ROOM];
      SlJson content;
      SlCell text
          = sl_json_text (sl_json_get (sl_json_get (each.value, "annotationData"), "content"));
      SlAnswer answer = { .item = folder != NULL ? (SlCell){ folder, strlen (folder) } : name,
                          .annotator = sl_answers_annotator (
                              answers, sl_json_scalar (sl_json_get (each.value, "workerId"), who)),
                          .seconds = (double) NAN };
      answers->answer_value = each.value;
      const char *wrong = text.text == NULL ? "not there (`s3uri` says where it lies)"
                                            : sl_json_parse_cell (answers->parser, text, &content);
      if (!(wrong != NULL ? sl_answers_bad (answers, error, "`content` of an answer: %s", wrong)
                          : take_content (answers, content, &answer, error)))
        return FALSE;
    }
  return TRUE;
}

static gboolean
is_classification (SlCell type)
{
  static const char end[] = "classification";
  gsize n = strlen (end);
  return type.n >= n && memcmp (type.text + type.n - n, end, n) == 0;
}

/* The label that a job made: the member NAME and what METADATA says of it. */
static gboolean
take_label (SlAnswersReader *answers, SlJson record, const char *name, SlJson metadata,
            GError **error)
{
  char room[SL_JSON_ROOM], item[SL_JSON_ROOM];
  SlCell type = sl_json_text (sl_json_get (metadata, "type"));
  SlCell class = sl_json_text (sl_json_get (metadata, "class-name"));
  SlCell source = sl_json_scalar (sl_json_get (record, "source-ref"), item);
  SlCell job = sl_json_text (sl_json_get (metadata, "job-name"));
  if (type.n > 0 && !is_classification (type))
    return sl_answers_bad (answers, error, "`%s` is of type %.*s, which is no single class", name,
                           (int) MIN (type.n, 80), type.text);
  if (sl_cell_is (sl_json_text (sl_json_get (metadata, "human-annotated")), "no")
      && !sl_answers_leave_out (answers, "labelled by a machine", "machine"))
    return TRUE;
  if (class.n == 0)
    class = sl_json_scalar (sl_json_get (record, name), room);
  SlAnswer answer
      = { .item = source.n > 0 ? source : sl_json_scalar (sl_json_get (record, "source"), item),
          .annotator
          = sl_answers_annotator (answers, job.n > 0 ? job : (SlCell){ name, strlen (name) }),
          .class = class,
          .seconds = (double) NAN };
  return sl_answers_add (answers, &answer, error);
}

/* The label that the member KEY of a manifest's record stands for: one that has metadata beside it,
 * or is asked for; or, of metadata whose label goes by another name, what they are called for.
 * *METADATA: what is known of it. */
static char *
label_of (const SlAnswersReader *answers, SlJson record, SlCell key, SlJson *metadata)
{
  static const char end[] = "-metadata", maker[] = "groundtruth/";
  const char *question = answers->ingest->options->question;
  gsize n = strlen (end);
  g_autofree char *name = g_strndup (key.text, key.n), *of = g_strconcat (name, end, NULL);
  *metadata = sl_json_get (record, of);
  if (sl_json_type (*metadata) == SL_JSON_OBJECT || g_strcmp0 (question, name) == 0)
    return g_steal_pointer (&name);
  if (!g_str_has_suffix (name, end))
    return NULL;
  *metadata = sl_json_get (record, name);
  name[key.n - n] = '\0';
  SlCell type = sl_json_text (sl_json_get (*metadata, "type"));
  gboolean renamed = sl_json_type (sl_json_get (record, name)) == SL_JSON_ABSENT
                     && type.n > strlen (maker) && memcmp (type.text, maker, strlen (maker)) == 0;
  return renamed ? g_steal_pointer (&name) : NULL;
}

static gboolean
take_manifest (SlAnswersReader *answers, SlJson record, GError **error)
{
  gboolean any = FALSE;
  for (SlJsonEach each = sl_json_each (record); sl_json_each_next (&each);)
    {
      gboolean wanted;
      SlJson metadata;
      g_autofree char *name = label_of (answers, record, each.key, &metadata);
      if (name == NULL)
        continue;
      if (!sl_answers_question (answers, (SlCell){ name, strlen (name) }, &wanted, error))
        return FALSE;
      any = TRUE;
      if (wanted && !take_label (answers, record, name, metadata, error))
        return FALSE;
    }
  if (!any)
    sl_answers_leave_out (answers, "no label that has metadata, or that --question names", NULL);
  return TRUE;
}

static gboolean
take (SlAnswersReader *answers, const SlJsonRecord *record, GError **error)
{
  static const char *const lists[] = { "annotations", "annotationsFromAllWorkers" };
  SlJson responses = sl_json_get (record->value, "answers");
  if (sl_json_type (responses) == SL_JSON_ARRAY)
    return take_responses (answers, responses, error);
  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      SlJson list = sl_json_get (record->value, lists[i]);
      if (sl_json_type (list) == SL_JSON_ARRAY)
        return take_consolidation (answers, record->value, list, error);
    }
  if (sl_json_type (sl_json_get (record->value, "source-ref")) != SL_JSON_ABSENT
      || sl_json_type (sl_json_get (record->value, "source")) != SL_JSON_ABSENT)
    return take_manifest (answers, record->value, error);
  return sl_answers_bad (answers, error,
                         "neither a worker response (`answers`), nor a consolidation request "
                         "(`annotations`), nor a line of an output manifest (`source-ref`)");
}

static const SlAnswersFormat format = {
  .columns = 1u << SL_ANNOTATIONS_ANNOTATOR | 1u << SL_ANNOTATIONS_SECONDS,
  .json = take,
};

static const char *const statuses[] = { "machine", NULL };

const SlIngestFormat sl_ingest_groundtruth = { .statuses = statuses, .answers = &format };
