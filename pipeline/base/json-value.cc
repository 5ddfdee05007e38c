// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <cstring>

#include "json-value.h"

#include "pipeline/base/number-text.h"

#include <simdjson.h>

using simdjson::dom::element;
using simdjson::dom::element_type;

struct _SlJsonParser
{
  simdjson::dom::parser parser;
};

// An element is a pointer and a place, and nothing that needs to be destroyed.
static_assert (sizeof (element) == sizeof (SlJson) && std::is_trivially_copyable_v<element>);

static SlJson
pack (const element &value)
{
  SlJson packed;
  std::memcpy (&packed, &value, sizeof packed);
  return packed;
}

static element
unpack (SlJson packed)
{
  element value;
  std::memcpy (static_cast<void *> (&value), &packed, sizeof packed);
  return value;
}

static const SlJson absent = { nullptr, 0 };

SlJsonParser *
sl_json_parser_new (void)
{
  return new (std::nothrow) SlJsonParser;
}

void
sl_json_parser_free (SlJsonParser *parser)
{
  delete parser;
}

static const char *
reason (simdjson::error_code code)
{
  switch (code)
    {
    case simdjson::MEMALLOC:
      return "there is no memory for it";
    case simdjson::DEPTH_ERROR:
      return SL_JSON_TOO_DEEP;
    case simdjson::UTF8_ERROR:
      return SL_JSON_NOT_UTF8;
    case simdjson::NUMBER_ERROR:
      return "a number that is none of JSON's, or too large";
    case simdjson::STRING_ERROR:
      return SL_JSON_BAD_ESCAPE;
    case simdjson::UNCLOSED_STRING:
      return "a text that is never closed";
    case simdjson::UNESCAPED_CHARS:
      return "a control character inside of a text";
    default:
      return "not JSON: a comma, bracket or quotation mark is missing, or it has NaN";
    }
}

// TEXT with its whole numbers of 19 digits and more as texts: simdjson refuses those that do not
// fit into 64 bits, and what is numbered by them needs every digit.
static std::string
with_long_numbers_quoted (SlCell text)
{
  std::string_view rest (text.text, text.n);
  std::string out;
  bool quoted = false;
  while (!rest.empty ())
    {
      gsize n = 1, digits = 0;
      if (quoted)
        n = rest[0] == '\\' && rest.size () > 1 ? 2 : 1;
      else if (rest[0] == '-' || g_ascii_isdigit (rest[0]))
        {
          n = MIN (rest.find_first_not_of ("+-.eE0123456789"), rest.size ());
          digits = MIN (rest.find_first_not_of ("0123456789", rest[0] == '-'), rest.size ());
        }
      bool is_long = digits == n && n > 18 && rest[rest[0] == '-'] != '0';
      quoted ^= rest[0] == '"';
      out.append (is_long ? "\"" : "").append (rest.substr (0, n)).append (is_long ? "\"" : "");
      rest.remove_prefix (n);
    }
  return out;
}

// COPY: what is behind the text may not be read, or may not be there.
static const char *
parse (SlJsonParser *parser, SlCell text, bool copy, SlJson *value)
{
  element root;
  *value = absent;
  if (text.n > simdjson::SIMDJSON_MAXSIZE_BYTES)
    return "too long";
  // Room for a record of this size, and somewhat larger ones.
  simdjson::error_code code = simdjson::SUCCESS;
  if (parser->parser.capacity () < text.n || parser->parser.max_depth () != SL_JSON_DEPTH)
    code = parser->parser.allocate (text.n + text.n / 2 + 4096, SL_JSON_DEPTH);
  if (code == simdjson::SUCCESS)
    code = parser->parser.parse (text.text, text.n, copy).get (root);
  if (code == simdjson::NUMBER_ERROR)
    {
      std::string quoted = with_long_numbers_quoted (text);
      if (quoted.size () > text.n)
        code = parser->parser.parse (quoted).get (root);
    }
  if (code != simdjson::SUCCESS)
    return reason (code);
  *value = pack (root);
  return nullptr;
}

const char *
sl_json_parse (SlJsonParser *parser, const char *text, gsize n, SlJson *value)
{
  return parse (parser, SlCell{ text, n }, false, value);
}

const char *
sl_json_parse_cell (SlJsonParser *parser, SlCell text, SlJson *value)
{
  return parse (parser, text, true, value);
}

SlJsonType
sl_json_type (SlJson value)
{
  if (value.document == nullptr)
    return SL_JSON_ABSENT;
  switch (unpack (value).type ())
    {
    case element_type::ARRAY:
      return SL_JSON_ARRAY;
    case element_type::OBJECT:
      return SL_JSON_OBJECT;
    case element_type::STRING:
      return SL_JSON_TEXT;
    case element_type::BOOL:
      return SL_JSON_BOOL;
    case element_type::NULL_VALUE:
      return SL_JSON_NULL;
    default:
      return SL_JSON_NUMBER;
    }
}

SlJson
sl_json_get_cell (SlJson value, SlCell name)
{
  element member;
  if (sl_json_type (value) != SL_JSON_OBJECT
      || unpack (value).at_key (std::string_view (name.text, name.n)).get (member)
             != simdjson::SUCCESS)
    return absent;
  return pack (member);
}

gboolean
sl_json_is_true (SlJson value)
{
  bool flag;
  return sl_json_type (value) == SL_JSON_BOOL && unpack (value).get (flag) == simdjson::SUCCESS
         && flag;
}

gboolean
sl_json_integer (SlJson value, gint64 *number)
{
  int64_t integer;
  if (sl_json_type (value) != SL_JSON_NUMBER || unpack (value).get (integer) != simdjson::SUCCESS
      || !unpack (value).is_int64 ())
    return FALSE;
  *number = integer;
  return TRUE;
}

gboolean
sl_json_is_real (SlJson value)
{
  return sl_json_type (value) == SL_JSON_NUMBER && unpack (value).is_double ();
}

char *
sl_json_to_string (SlJson value)
{
  return g_strdup (simdjson::minify (unpack (value)).c_str ());
}

double
sl_json_number (SlJson value)
{
  double number;
  SlCell cell = sl_json_text (value);
  if (cell.text != nullptr && sl_parse_real (cell.text, static_cast<gssize> (cell.n), &number))
    return number;
  if (sl_json_type (value) != SL_JSON_NUMBER || unpack (value).get (number) != simdjson::SUCCESS)
    return std::nan ("");
  return number;
}

SlCell
sl_json_text (SlJson value)
{
  std::string_view text;
  if (sl_json_type (value) != SL_JSON_TEXT || unpack (value).get (text) != simdjson::SUCCESS)
    return SlCell{ nullptr, 0 };
  return SlCell{ text.data (), text.size () };
}

const char *
sl_json_c_str (SlJson value)
{
  const char *text;
  return sl_json_type (value) == SL_JSON_TEXT
                 && unpack (value).get_c_str ().get (text) == simdjson::SUCCESS
             ? text
             : nullptr;
}

SlCell
sl_json_scalar (SlJson value, char room[SL_JSON_ROOM])
{
  switch (sl_json_type (value))
    {
    case SL_JSON_TEXT:
      return sl_json_text (value);
    case SL_JSON_BOOL:
      {
        const char *word = sl_json_is_true (value) ? "true" : "false";
        g_strlcpy (room, word, SL_JSON_ROOM);
        return SlCell{ room, std::strlen (word) };
      }
    case SL_JSON_NUMBER:
      break;
    default:
      return SlCell{ nullptr, 0 };
    }
  element number = unpack (value);
  gsize n;
  if (number.is_int64 ())
    n = g_snprintf (room, SL_JSON_ROOM, "%" G_GINT64_FORMAT,
                    static_cast<gint64> (number.get_int64 ().value_unsafe ()));
  else if (number.is_uint64 ())
    n = g_snprintf (room, SL_JSON_ROOM, "%" G_GUINT64_FORMAT,
                    static_cast<guint64> (number.get_uint64 ().value_unsafe ()));
  else
    n = sl_format_name (room, sl_json_number (value));
  return SlCell{ room, n };
}

// An iterator of simdjson is a place on its tape, as an element is.
static_assert (sizeof (simdjson::dom::array::iterator) == sizeof (SlJson)
               && std::is_trivially_copyable_v<simdjson::dom::array::iterator>);
static_assert (sizeof (simdjson::dom::object::iterator) == sizeof (SlJson)
               && std::is_trivially_copyable_v<simdjson::dom::object::iterator>);

template <typename Collection>
static void
begin (SlJsonEach *each, const Collection &all)
{
  const typename Collection::iterator at = all.begin (), end = all.end ();
  std::memcpy (each->own, &at, sizeof at);
  std::memcpy (each->own + 2, &end, sizeof end);
}

// *AT <- where EACH is, which steps on; false at the end.
template <typename Iterator>
static bool
step (SlJsonEach *each, Iterator *at)
{
  Iterator next, end;
  std::memcpy (static_cast<void *> (at), each->own, sizeof *at);
  std::memcpy (static_cast<void *> (&end), each->own + 2, sizeof end);
  if (!(*at != end))
    return false;
  next = *at;
  ++next;
  std::memcpy (each->own, &next, sizeof next);
  return true;
}

SlJsonEach
sl_json_each (SlJson value)
{
  SlJsonEach each = {};
  each.own[4] = sl_json_type (value);
  if (each.own[4] == SL_JSON_ARRAY)
    begin (&each, unpack (value).get_array ().value_unsafe ());
  else if (each.own[4] == SL_JSON_OBJECT)
    begin (&each, unpack (value).get_object ().value_unsafe ());
  return each;
}

gboolean
sl_json_each_next (SlJsonEach *each)
{
  simdjson::dom::array::iterator element;
  simdjson::dom::object::iterator member;
  if (each->own[4] == SL_JSON_ARRAY && step (each, &element))
    {
      each->value = pack (*element);
      return TRUE;
    }
  if (each->own[4] != SL_JSON_OBJECT || !step (each, &member))
    return FALSE;
  std::string_view key = member.key ();
  each->key = SlCell{ key.data (), key.size () };
  each->value = pack (member.value ());
  return TRUE;
}
