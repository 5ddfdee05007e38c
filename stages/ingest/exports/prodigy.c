/* SPDX-License-Identifier: GPL-3.0-or-later */
/* prodigy: what `prodigy db-out` writes, JSON Lines with a card a line.
 *
 * A card with options is a vote for the one that was accepted, if the card itself was accepted: to
 * reject such a card is no vote. A card with a label asks yes or no; --reject-as says which class
 * "no" is. A reviewed card holds the original answers in `versions`, and those are read. The item
 * is `_input_hash`, or what --column names. */
#include "schemas/annotations.h"
#include "stages/ingest/formats.h"

#include <math.h>

static SlCell
item_of (const SlAnswersReader *answers, SlJson card, char room[SL_JSON_ROOM])
{
  static const char *const keys[] = { "_input_hash", "text", "image" };
  const char *given = answers->ingest->columns[0];
  if (given != NULL)
    return sl_json_scalar (sl_json_find (card, given), room);
  SlCell item = { NULL, 0 };
  for (gsize i = 0; item.text == NULL && i < G_N_ELEMENTS (keys); i++)
    item = sl_json_scalar (sl_json_get (card, keys[i]), room);
  return item;
}

static SlCell
annotator_of (const SlAnswersReader *answers, SlJson card, char room[SL_JSON_ROOM])
{
  SlCell name = sl_json_scalar (sl_json_get (card, "_annotator_id"), room);
  if (name.n == 0)
    name = sl_json_scalar (sl_json_get (card, "_session_id"), room);
  return sl_answers_annotator (answers, name);
}

/* The option that was accepted. */
static gboolean
take_choice (SlAnswersReader *answers, SlJson card, SlAnswer *answer, GError **error)
{
  char room[SL_JSON_ROOM];
  SlJson accepted = sl_json_get (card, "accept");
  gsize n = sl_json_length (accepted);
  if (answers->ingest->options->multi_label != NULL)
    {
      answers->set = accepted;
      return sl_answers_add (answers, answer, error);
    }
  if (n == 0)
    return sl_answers_pass (answers, "without an answer");
  if (n > 1)
    return sl_answers_bad (answers, error,
                           "%" G_GSIZE_FORMAT " options are accepted; a vote is for one", n);
  SlJsonEach each = sl_json_each (accepted);
  sl_json_each_next (&each);
  answer->class = sl_json_scalar (each.value, room);
  return answer->class.text != NULL ? sl_answers_add (answers, answer, error)
                                    : sl_answers_bad (answers, error, "`accept` holds no text");
}

/* Yes or no to a label. */
static gboolean
take_label (SlAnswersReader *answers, SlJson card, gboolean yes, SlAnswer *answer, GError **error)
{
  const char *no = answers->ingest->options->reject_as;
  answer->class = sl_json_text (sl_json_get (card, "label"));
  if (!yes && no == NULL)
    return sl_answers_bad (
        answers, error, "a label is rejected: --reject-as CLASS says which class that stands for");
  if (!yes)
    answer->class = (SlCell){ no, strlen (no) };
  return sl_answers_add (answers, answer, error);
}

/* CARD is WHOLE, or one of its versions, which may lack what they have in common. */
static gboolean
take_card (SlAnswersReader *answers, SlJson whole, SlJson card, GError **error)
{
  char item[SL_JSON_ROOM], who[SL_JSON_ROOM];
  SlCell verdict = sl_json_text (sl_json_get (card, "answer"));
  gboolean yes = sl_cell_is (verdict, "accept"), no = sl_cell_is (verdict, "reject");
  gboolean has_options = sl_json_type (sl_json_get (card, "options")) == SL_JSON_ARRAY
                         || sl_json_type (sl_json_get (card, "accept")) == SL_JSON_ARRAY;
  SlAnswer answer = { .item = item_of (answers, card, item),
                      .annotator = annotator_of (answers, card, who),
                      .seconds = (double) NAN };
  if (answer.item.text == NULL)
    answer.item = item_of (answers, whole, item);
  if (verdict.text == NULL)
    return sl_answers_bad (answers, error, "not a card of Prodigy: it has no text `answer`");
  if (sl_cell_is (verdict, "ignore"))
    return sl_answers_pass (answers, "ignored");
  if (!yes && !no)
    return sl_answers_bad (answers, error, "`answer` is none of accept, reject, ignore");
  if (has_options)
    return yes ? take_choice (answers, card, &answer, error)
               : sl_answers_pass (answers, "card rejected");
  if (sl_json_text (sl_json_get (card, "label")).n > 0)
    return take_label (answers, card, yes, &answer, error);
  return sl_answers_bad (answers, error,
                         "the card has neither options nor a label: it is no classification");
}

static gboolean
take (SlAnswersReader *answers, const SlJsonRecord *record, GError **error)
{
  SlJson versions = sl_json_get (record->value, "versions");
  if (sl_json_type (versions) != SL_JSON_ARRAY)
    return take_card (answers, record->value, record->value, error);
  for (SlJsonEach each = sl_json_each (versions); sl_json_each_next (&each);)
    if (!take_card (answers, record->value, each.value, error))
      return FALSE;
  return TRUE;
}

static const SlAnswersFormat format = {
  .columns = 1u << SL_ANNOTATIONS_ANNOTATOR,
  .json = take,
};

const SlIngestFormat sl_ingest_prodigy = { .roles = sl_role_item, .answers = &format };
