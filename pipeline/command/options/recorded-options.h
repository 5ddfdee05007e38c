/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a history says of a stage's options, read by this program's own option tables. Of a verb
 * that it does not have it knows nothing. */
#pragma once

#include "pipeline/base/json-value.h"

/* What VERB records where no option is given, in PARSER, without what the other options of RECORDED
 * (or absent) would settle otherwise; absent where the verb, or the VERSION that wrote the record,
 * is not this program's. */
SlJson sl_recorded_defaults (SlJsonParser *parser, const char *verb, const char *version,
                             SlJson recorded);

/* Whether VALUE is what NAME has in DEFAULTS. */
gboolean sl_recorded_is_default (SlJson defaults, const char *name, SlJson value);

/* The names of those options of VERB that RECORDED has at their DEFAULTS, and that the verb takes
 * beside the ones it has otherwise: some go with other choices only, and some say by their default
 * that there is nothing. */
GHashTable *sl_recorded_sayable (const char *verb, SlJson recorded, SlJson defaults);

/* The text of a number, a text or a choice as the command line takes it; NULL for anything else. To
 * be freed. */
char *sl_recorded_text (SlJson value);

typedef enum
{
  SL_RECORDED_PLAIN,
  SL_RECORDED_JOINED, /* it may stand alone, so its value follows "=" */
  SL_RECORDED_OUTPUT, /* it is a file that was written, and VALUE says only that there was one */
} SlRecordedForm;

/* How the option NAME of VERB is said with VALUE. */
SlRecordedForm sl_recorded_form (const char *verb, const char *name, SlJson value);
