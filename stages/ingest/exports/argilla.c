/* SPDX-License-Identifier: GPL-3.0-or-later */
/* argilla: records of Argilla. Three shapes are told apart, of a question Q:
 *
 * - version 2, to_json(): {"responses": {"Q": [{"value", "user_id"}]}}, which does not say which of
 * them were discarded;
 * - version 2, of `datasets`: lists "Q.responses", "Q.responses.users" and "Q.responses.status",
 * one beside the other;
 * - version 1: {"Q": [{"user_id", "value", "status"}]}.
 *
 * Responses that were discarded, or are drafts, are no votes. Suggestions are a model's, and not
 * read. */
#include "schemas/annotations.h"
#include "stages/ingest/formats.h"

#include <math.h>

typedef struct
{
  gboolean no_status; /* some responses do not tell theirs */
} Argilla;

static SlCell
item_of (const SlAnswersReader *answers, SlJson record, char room[SL_JSON_ROOM])
{
  static const char *const keys[] = { "id", "external_id", "_server_id" };
  const char *given = answers->ingest->columns[0];
  if (given != NULL)
    {
      SlJson field = sl_json_find (sl_json_get (record, "fields"), given);
      return sl_json_scalar (
          sl_json_type (field) != SL_JSON_ABSENT ? field : sl_json_find (record, given), room);
    }
  SlCell item = { NULL, 0 };
  for (gsize i = 0; item.n == 0 && i < G_N_ELEMENTS (keys); i++)
    item = sl_json_scalar (sl_json_get (record, keys[i]), room);
  return item;
}

/* Whether a response of STATUS is a vote. What is not is counted. */
static gboolean
is_vote (SlAnswersReader *answers, SlJson status)
{
  Argilla *state = answers->state;
  SlCell word = sl_json_text (status);
  if (word.text == NULL)
    {
      state->no_status = TRUE;
      return TRUE;
    }
  if (sl_cell_is (word, "discarded"))
    return sl_answers_leave_out (answers, "discarded", "discarded");
  return !sl_cell_is (word, "draft") || sl_answers_leave_out (answers, "draft", "draft");
}

static gboolean
add (SlAnswersReader *answers, SlCell item, SlJson value, SlJson user, GError **error)
{
  char room[SL_JSON_ROOM], who[SL_JSON_ROOM];
  SlAnswer answer = { .item = item,
                      .annotator = sl_answers_annotator (answers, sl_json_scalar (user, who)),
                      .class = sl_json_scalar (value, room),
                      .seconds = (double) NAN };
  if (sl_json_type (value) == SL_JSON_NULL || sl_json_type (value) == SL_JSON_ABSENT)
    {
      sl_answers_leave_out (answers, "without an answer", NULL);
      return TRUE;
    }
  if (answer.class.text == NULL)
    return sl_answers_bad (answers, error,
                           "a response is a list or a ranking, and no single class");
  return sl_answers_add (answers, &answer, error);
}

/* [{"value", "user_id", "status"}] */
static gboolean
take_objects (SlAnswersReader *answers, SlCell item, SlJson responses, GError **error)
{
  for (SlJsonEach each = sl_json_each (responses); sl_json_each_next (&each);)
    {
      answers->answer_value = each.value;
      if (is_vote (answers, sl_json_get (each.value, "status"))
          && !add (answers, item, sl_json_get (each.value, "value"),
                   sl_json_get (each.value, "user_id"), error))
        return FALSE;
    }
  return TRUE;
}

/* Parallel lists. */
static gboolean
take_lists (SlAnswersReader *answers, SlCell item, SlJson record, const char *name, GError **error)
{
  g_autofree char *users_name = g_strconcat (name, ".users", NULL);
  g_autofree char *status_name = g_strconcat (name, ".status", NULL);
  SlJson values = sl_json_get (record, name), users = sl_json_get (record, users_name),
         states = sl_json_get (record, status_name);
  gsize n = sl_json_length (values);
  if (n > 0
      && (sl_json_length (users) != n
          || (sl_json_length (states) != n && sl_json_type (states) == SL_JSON_ARRAY)))
    return sl_answers_bad (answers, error, "`%s` is not as long as the lists of users and status",
                           name);
  SlJsonEach value = sl_json_each (values), user = sl_json_each (users),
             status = sl_json_each (states);
  while (sl_json_each_next (&value) && sl_json_each_next (&user))
    {
      gboolean told = sl_json_each_next (&status);
      if (is_vote (answers, told ? status.value : (SlJson){ 0 })
          && !add (answers, item, value.value, user.value, error))
        return FALSE;
    }
  return TRUE;
}

/* What the member KEY of a record is, if it holds responses: the question's name. */
static gboolean
is_question (SlJson record, SlCell key, SlJson value, SlCell *question, gboolean *lists)
{
  static const char end[] = ".responses";
  gsize n = strlen (end);
  *lists = key.n > n && memcmp (key.text + key.n - n, end, n) == 0;
  *question = (SlCell){ key.text, *lists ? key.n - n : key.n };
  if (*lists || sl_json_type (value) != SL_JSON_ARRAY)
    return *lists && sl_json_type (value) == SL_JSON_ARRAY;
  SlJsonEach each = sl_json_each (value);
  return sl_json_each_next (&each)
         && sl_json_type (sl_json_get (each.value, "user_id")) != SL_JSON_ABSENT;
}

static gboolean
take_members (SlAnswersReader *answers, SlJson record, SlCell item, gboolean *any, GError **error)
{
  for (SlJsonEach each = sl_json_each (record); sl_json_each_next (&each);)
    {
      SlCell question;
      gboolean lists, wanted;
      if (!is_question (record, each.key, each.value, &question, &lists))
        continue;
      *any = TRUE;
      if (!sl_answers_question (answers, question, &wanted, error))
        return FALSE;
      g_autofree char *name = g_strndup (each.key.text, each.key.n);
      if (wanted
          && !(lists ? take_lists (answers, item, record, name, error)
                     : take_objects (answers, item, each.value, error)))
        return FALSE;
    }
  return TRUE;
}

static gboolean
take (SlAnswersReader *answers, const SlJsonRecord *record, GError **error)
{
  char room[SL_JSON_ROOM];
  gboolean any = FALSE;
  SlCell item = item_of (answers, record->value, room);
  SlJson responses = sl_json_get (record->value, "responses");
  if (sl_json_type (responses) == SL_JSON_OBJECT)
    {
      SlJsonEach each = sl_json_each (responses);
      for (; sl_json_each_next (&each); any = TRUE)
        {
          gboolean wanted;
          if (!sl_answers_question (answers, each.key, &wanted, error)
              || (wanted && !take_objects (answers, item, each.value, error)))
            return FALSE;
        }
    }
  else if (!take_members (answers, record->value, item, &any, error))
    return FALSE;
  if (!any)
    sl_answers_leave_out (answers, "record without responses", NULL);
  return TRUE;
}

static void
end (SlAnswersReader *answers)
{
  const Argilla *state = answers->state;
  if (state->no_status)
    sl_run_warn (answers->ingest->run,
                 "responses without a status: those that were discarded, or are drafts, cannot be "
                 "told from the others (an export of `datasets` has it)");
}

static const SlAnswersFormat format = {
  .columns = 1u << SL_ANNOTATIONS_ANNOTATOR,
  .json = take,
  .state_bytes = sizeof (Argilla),
  .end = end,
};

static const char *const statuses[] = { "discarded", "draft", NULL };

const SlIngestFormat sl_ingest_argilla
    = { .roles = sl_role_item, .statuses = statuses, .answers = &format };
