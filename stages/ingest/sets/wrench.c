/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wrench: a data set of the WRENCH benchmark, {id: {label, weak_labels, data}}. The annotators are
 * the labelling functions, by their positions from 0; -1 abstains. `label` is the true class. */
#include "schemas/annotations.h"
#include "stages/ingest/formats.h"

#include <math.h>

static gboolean
take (SlAnswersReader *answers, const SlJsonRecord *record, GError **error)
{
  char gold[SL_JSON_ROOM];
  SlJson votes = sl_json_get (record->value, "weak_labels");
  SlAnswer answer = { .item = { record->key, record->key != NULL ? strlen (record->key) : 0 },
                      .gold = sl_json_scalar (sl_json_get (record->value, "label"), gold),
                      .seconds = (double) NAN };
  if (sl_cell_is (answer.gold, "-1"))
    answer.gold = (SlCell){ NULL, 0 };
  if (sl_json_type (votes) != SL_JSON_ARRAY)
    return sl_answers_bad (answers, error, "it has no array `weak_labels`");
  int n = 0;
  for (SlJsonEach each = sl_json_each (votes); sl_json_each_next (&each); n++)
    {
      char who[16], room[SL_JSON_ROOM];
      answer.annotator = (SlCell){ who, (gsize) g_snprintf (who, sizeof who, "%d", n) };
      answer.class = sl_json_scalar (each.value, room);
      if (answer.class.text == NULL || sl_cell_is (answer.class, "-1"))
        {
          sl_answers_leave_out (answers, "abstained", NULL);
          continue;
        }
      if (!sl_answers_add (answers, &answer, error))
        return FALSE;
    }
  return TRUE;
}

static const SlAnswersFormat format = {
  .columns = 1u << SL_ANNOTATIONS_ANNOTATOR | 1u << SL_ANNOTATIONS_GOLD,
  .json = take,
  .members = TRUE,
};

const SlIngestFormat sl_ingest_wrench = { .answers = &format };
