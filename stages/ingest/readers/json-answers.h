/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What formats of JSON have in common. */
#pragma once

#include "pipeline/text/json-reader.h"
#include "answers.h"

typedef gboolean (*SlJsonTake) (SlAnswers *answers, const SlJsonRecord *record, GError **error);

/* Hands every record of SOURCE, which it takes, to TAKE. MEMBERS: those of a file that is one
 * object are its members. */
gboolean sl_json_answers_read (SlAnswers *answers, SlSource *source, gboolean members,
                               SlJsonTake take, GError **error);

/* The value at PATH, "image" or "meta.id", of an object; a member that has dots in its name comes
 * first. */
SlJson sl_json_find (SlJson value, const char *path);

/* FALSE and ERROR: there is no parser. */
gboolean sl_json_no_memory (GError **error);
