/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a history says of a stage's options, read by this program's own option tables. Of a verb
 * that it does not have it knows nothing. */
#pragma once

#include <json-glib/json-glib.h>

/* What VERB records where no option is given; NULL where the verb, or the VERSION that wrote the
 * record, is not this program's. */
JsonNode *sl_recorded_defaults (const char *verb, const char *version);

/* Whether VALUE is what NAME has in DEFAULTS, which may be NULL. */
gboolean sl_recorded_is_default (JsonNode *defaults, const char *name, JsonNode *value);

/* The names of those options of VERB that RECORDED has at their DEFAULTS, and that the verb takes
 * beside the ones it has otherwise: some go with other choices only, and some say by their default
 * that there is nothing. */
GHashTable *sl_recorded_sayable (const char *verb, JsonObject *recorded, JsonNode *defaults);

/* The text of a number, a text or a choice as the command line takes it; NULL for anything else. To
 * be freed. */
char *sl_recorded_text (JsonNode *value);

typedef enum
{
  SL_RECORDED_PLAIN,
  SL_RECORDED_JOINED, /* it may stand alone, so its value follows "=" */
  SL_RECORDED_OUTPUT, /* it is a file that was written, and VALUE says only that there was one */
} SlRecordedForm;

/* How the option NAME of VERB is said with VALUE. */
SlRecordedForm sl_recorded_form (const char *verb, const char *name, JsonNode *value);
