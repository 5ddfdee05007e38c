/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "json-answers.h"

#include <string.h>

gboolean
sl_json_answers_read (SlAnswers *answers, SlSource *source, gboolean members, SlJsonTake take,
                      GError **error)
{
  g_autoptr (SlJsonReader) reader = sl_json_reader_new (source, members, error);
  if (reader == NULL)
    return FALSE;
  for (;;)
    {
      const SlJsonRecord *record;
      if (!sl_json_reader_next (reader, &record, error))
        return FALSE;
      if (record == NULL)
        break;
      answers->row = record->number;
      answers->record = record->text;
      answers->record_length = record->n;
      if (!(sl_json_type (record->value) == SL_JSON_OBJECT
                ? take (answers, record, error)
                : sl_answers_bad (answers, error, "not an object")))
        return FALSE;
      sl_answers_progress (answers, sl_json_reader_done (reader));
    }
  answers->ingest->bytes_done += sl_json_reader_done (reader);
  return TRUE;
}

SlJson
sl_json_find (SlJson value, const char *path)
{
  SlJson whole = sl_json_get (value, path);
  const char *dot = strchr (path, '.');
  if (sl_json_type (whole) != SL_JSON_ABSENT || dot == NULL)
    return whole;
  SlCell first = { path, (gsize) (dot - path) };
  return sl_json_find (sl_json_get_cell (value, first), dot + 1);
}

gboolean
sl_json_no_memory (GError **error)
{
  g_set_error_literal (error, SL_ERROR, SL_ERROR_RUNTIME, "there is no memory to read JSON");
  return FALSE;
}
