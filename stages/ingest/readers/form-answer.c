/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stages/ingest/readers/form-answer.h"

const char *
sl_form_wrong (SlJson answers)
{
  switch (sl_json_type (answers))
    {
    case SL_JSON_ABSENT:
    case SL_JSON_NULL:
    case SL_JSON_OBJECT:
      return NULL;
    default:
      return "it is no object, {element: answer}";
    }
}

SlCell
sl_form_class (SlJson answer, guint *n_classes, char room[SL_JSON_ROOM])
{
  SlJson label = sl_json_get (answer, "label"), labels = sl_json_get (answer, "labels");
  if (sl_json_type (labels) != SL_JSON_ARRAY)
    labels = sl_json_type (label) != SL_JSON_ABSENT ? label : answer;
  gboolean listed = sl_json_type (labels) == SL_JSON_ARRAY;
  SlCell class = sl_json_scalar (labels, room);
  *n_classes = class.n > 0;
  if (class.text != NULL)
    return class;
  for (SlJsonEach each = sl_json_each (labels); sl_json_each_next (&each);)
    if (listed || sl_json_is_true (each.value))
      {
        class = listed ? sl_json_scalar (each.value, room) : each.key;
        ++*n_classes;
      }
  return class;
}
