/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One JSON document in memory, by simdjson: what it holds is looked at in place. Texts are UTF-8
 * with escapes undone; documents with bytes that are not UTF-8, or nested deeper than
 * SL_JSON_DEPTH, are refused. */
#pragma once

#include <glib.h>
#include <string.h>

G_BEGIN_DECLS

#define SL_JSON_DEPTH 256

/* Bytes behind a document that must be readable. */
#define SL_JSON_PADDING 64

typedef enum
{
  SL_JSON_ABSENT,
  SL_JSON_NULL,
  SL_JSON_BOOL,
  SL_JSON_NUMBER,
  SL_JSON_TEXT,
  SL_JSON_ARRAY,
  SL_JSON_OBJECT,
} SlJsonType;

/* A value of a document: as long as the document is the parser's last one. All zero: there is none.
 */
typedef struct
{
  const void *document;
  gsize place;
} SlJson;

typedef struct
{
  const char *text; /* NULL: there is none; not NUL-terminated. 16 bytes from it on are readable */
  gsize n;
} SlCell;

typedef struct _SlJsonParser SlJsonParser;

SlJsonParser *sl_json_parser_new (void);
void sl_json_parser_free (SlJsonParser *parser);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlJsonParser, sl_json_parser_free)

/* Parses TEXT[n], one value, with SL_JSON_PADDING bytes behind it. Returns NULL, or what is wrong.
 */
const char *sl_json_parse (SlJsonParser *parser, const char *text, gsize n, SlJson *value);

/* The same of a text that is anywhere: JSON inside of a field. */
const char *sl_json_parse_cell (SlJsonParser *parser, SlCell text, SlJson *value);

/* Some of the reasons: the first, and two that are about texts alone. */
#define SL_JSON_TOO_DEEP "nested too deeply"
#define SL_JSON_NOT_UTF8 "not UTF-8"
#define SL_JSON_BAD_ESCAPE "an escape that stands for no character"

/* The same of TEXT, of a table's metadata, whose texts must hold no NUL. */
const char *sl_json_parse_text (SlJsonParser *parser, const char *text, SlJson *value);

SlJsonType sl_json_type (SlJson value);
int sl_json_depth (SlJson value); /* how deep arrays and objects nest in it */
gboolean sl_json_equal (SlJson a, SlJson b);
char *sl_json_to_string (SlJson value); /* without spaces */

/* The member NAME of an object; absent where there is none, or where VALUE is no object. */
SlJson sl_json_get (SlJson value, const char *name);
SlJson sl_json_get_cell (SlJson value, SlCell name);

/* The member NAME where it is of TYPE; absent elsewhere. */
static inline SlJson
sl_json_get_as (SlJson value, const char *name, SlJsonType type)
{
  SlJson member = sl_json_get (value, name);
  return sl_json_type (member) == type ? member : (SlJson){ NULL, 0 };
}

gboolean sl_json_is_true (SlJson value);
gboolean sl_json_is_scalar (SlJson value); /* a boolean, number or text */

/* Whether it is a whole number that 64 bits hold with its sign: *NUMBER. */
gboolean sl_json_integer (SlJson value, gint64 *number);
gboolean sl_json_is_real (SlJson value); /* a number that is written as none of whole ones */

/* The number, or the text's if it is one and nothing else; else NaN. */
double sl_json_number (SlJson value);

/* A text, NUL-terminated; NULL for anything else. */
const char *sl_json_c_str (SlJson value);

/* A text as it is; {NULL} for anything else. */
SlCell sl_json_text (SlJson value);

/* A text, number or boolean as text: numbers as the shortest text that reads back, in ROOM; {NULL}
 * for anything else. */
#define SL_JSON_ROOM 48
SlCell sl_json_scalar (SlJson value, char room[SL_JSON_ROOM]);

/* Elements of an array, or members of an object; of any other value there are none. */
typedef struct
{
  SlJson value;
  SlCell key; /* of a member; a NUL follows */
  /* The iterator's own. */
  guint64 own[5];
} SlJsonEach;

SlJsonEach sl_json_each (SlJson value);
gboolean sl_json_each_next (SlJsonEach *each);
gsize sl_json_length (SlJson value); /* of elements or members */

static inline gboolean
sl_cell_is (SlCell cell, const char *text)
{
  return cell.text != NULL && cell.n == strlen (text) && memcmp (cell.text, text, cell.n) == 0;
}

G_END_DECLS
