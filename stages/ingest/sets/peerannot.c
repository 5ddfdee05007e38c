/* SPDX-License-Identifier: GPL-3.0-or-later */
/* peerannot: answers.json, {task: {worker: label}}, or with --transpose {worker: {task: label}}:
 * the file does not say which. */
#include "schemas/annotations.h"
#include "stages/ingest/formats.h"

#include <math.h>

static gboolean
take (SlAnswersReader *answers, const SlJsonRecord *record, GError **error)
{
  gboolean turned = answers->ingest->options->transpose;
  SlCell outer = { record->key, record->key != NULL ? strlen (record->key) : 0 };
  if (sl_json_length (record->value) == 0)
    sl_answers_leave_out (answers, turned ? "annotator without answers" : "item without answers",
                          NULL);
  for (SlJsonEach each = sl_json_each (record->value); sl_json_each_next (&each);)
    {
      char room[SL_JSON_ROOM];
      SlAnswer answer = { .item = turned ? each.key : outer,
                          .annotator = turned ? outer : each.key,
                          .class = sl_json_scalar (each.value, room),
                          .seconds = (double) NAN };
      if (sl_json_type (each.value) == SL_JSON_NULL)
        {
          sl_answers_leave_out (answers, "without an answer", NULL);
          continue;
        }
      if (!(answer.class.text != NULL ? sl_answers_add (answers, &answer, error)
                                      : sl_answers_bad (answers, error,
                                                        "an answer is neither a number nor a text, "
                                                        "as answers.json of peerannot has them")))
        return FALSE;
    }
  return TRUE;
}

static const SlAnswersFormat format = {
  .columns = 1u << SL_ANNOTATIONS_ANNOTATOR,
  .json = take,
  .members = TRUE,
};

const SlIngestFormat sl_ingest_peerannot = { .answers = &format };
