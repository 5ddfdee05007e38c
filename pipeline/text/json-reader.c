/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Here only the ends of records are found, by brackets and quotation marks; what is between them is
 * simdjson's to judge. */
#include "json-reader.h"

#include "pipeline/base/error.h"
#include "csv.h"

#include <string.h>

#define BLOCK (1 << 18)

typedef enum
{
  TOP,         /* before a top-level value, or the end */
  ARRAY_FIRST, /* behind the bracket of a top-level array */
  ARRAY_NEXT,  /* behind an element */
  OBJECT_FIRST,
  OBJECT_NEXT,
} Place;

struct _SlJsonReader
{
  SlSource *source;
  SlJsonParser *parser, *key_parser;
  gboolean members;
  Place place;
  char *data; /* with SL_JSON_PADDING bytes behind its room */
  gsize room, n, at;
  SlJsonRecord record;
};

void
sl_json_reader_free (SlJsonReader *reader)
{
  if (reader == NULL)
    return;
  sl_source_free (reader->source);
  g_clear_pointer (&reader->parser, sl_json_parser_free);
  g_clear_pointer (&reader->key_parser, sl_json_parser_free);
  g_free (reader->data);
  g_free (reader->record.key);
  g_free (reader);
}

const char *
sl_json_reader_name (const SlJsonReader *reader)
{
  return reader->source->name;
}

gint64
sl_json_reader_done (const SlJsonReader *reader)
{
  return reader->source->taken;
}

static gboolean fail (const SlJsonReader *reader, GError **error, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

/* Of the record that is being read. */
static gboolean
fail (const SlJsonReader *reader, GError **error, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  return sl_error_bad_input (error, "%s: row %" G_GINT64_FORMAT ": %s", reader->source->name,
                             reader->record.number, what);
}

static gboolean
fail_cut (const SlJsonReader *reader, GError **error)
{
  return fail (reader, error, "the file ends in the middle of it: was it written to its end?");
}

/* Reads on behind data[n]; what lies before data[FROM] is no longer needed, and *FROM becomes 0.
 * *MORE: there was any. */
static gboolean
read_on (SlJsonReader *reader, gsize *from, gboolean *more, GError **error)
{
  reader->n -= *from;
  reader->at -= *from;
  if (reader->n > 0)
    memmove (reader->data, reader->data + *from, reader->n);
  *from = 0;
  if (reader->n >= SL_JSON_MAX_RECORD)
    return fail (reader, error,
                 "longer than %d MiB; is every text closed, and is it JSON with records?",
                 SL_JSON_MAX_RECORD >> 20);
  if (reader->room < reader->n + BLOCK)
    {
      reader->room = MAX (2 * reader->room, reader->n + BLOCK);
      reader->data = g_realloc (reader->data, reader->room + SL_JSON_PADDING);
    }
  gsize got;
  if (!sl_source_read (reader->source, reader->data + reader->n, reader->room - reader->n, &got,
                       error))
    return FALSE;
  reader->n += got;
  *more = got > 0;
  return TRUE;
}

static inline gboolean
is_blank (char c)
{
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Goes on to what is no blank; *C is 0 at the end of the file. */
static gboolean
skip_blanks (SlJsonReader *reader, char *c, GError **error)
{
  for (;;)
    {
      while (reader->at < reader->n && is_blank (reader->data[reader->at]))
        reader->at++;
      *c = reader->at < reader->n ? reader->data[reader->at] : '\0';
      if (reader->at < reader->n)
        return TRUE;
      gboolean more = FALSE;
      gsize from = reader->at;
      if (!read_on (reader, &from, &more, error))
        return FALSE;
      if (!more)
        return TRUE;
    }
}

/* How far the end of a value is found. */
typedef struct
{
  int depth;
  gboolean quoted, escaped;
} Scan;

/* From data[AT] on; returns the place behind the value, or n where it does not end before. */
static gsize
scan_value (Scan *scan, const char *data, gsize at, gsize n, gboolean *ended)
{
  *ended = FALSE;
  while (at < n)
    {
      char c = data[at++];
      if (scan->quoted)
        {
          /* Most of a file is inside of texts. */
          while (!scan->escaped && c != '"' && c != '\\' && at < n)
            c = data[at++];
          if (scan->escaped)
            scan->escaped = FALSE;
          else if (c == '\\')
            scan->escaped = TRUE;
          else if (c == '"')
            scan->quoted = FALSE;
          if (!scan->quoted && scan->depth == 0)
            {
              *ended = TRUE;
              return at;
            }
        }
      else if (c == '"')
        scan->quoted = TRUE;
      else if (c == '{' || c == '[')
        {
          if (++scan->depth > SL_JSON_DEPTH)
            return at;
        }
      else if (c == '}' || c == ']')
        {
          if (--scan->depth <= 0)
            {
              *ended = TRUE;
              return at;
            }
        }
    }
  return at;
}

/* A number or a word ends before what can be no part of it. */
static gsize
scan_word (const char *data, gsize at, gsize n, gboolean *ended)
{
  while (at < n && !is_blank (data[at]) && strchr (",:]}[{\"", data[at]) == NULL)
    at++;
  *ended = at < n;
  return at;
}

/* The value at data[at]; *START to *END are its bytes, and reader->at is behind it. */
static gboolean
find_value (SlJsonReader *reader, gsize *start, gsize *end, GError **error)
{
  char first = reader->data[reader->at];
  gboolean word = first != '{' && first != '[' && first != '"', ended = FALSE, more = TRUE;
  Scan scan = { 0 };
  *start = reader->at;
  for (;;)
    {
      reader->at = word ? scan_word (reader->data, reader->at, reader->n, &ended)
                        : scan_value (&scan, reader->data, reader->at, reader->n, &ended);
      *end = reader->at;
      if (scan.depth > SL_JSON_DEPTH)
        return fail (reader, error, "nested deeper than %d levels", SL_JSON_DEPTH);
      if (ended || (word && !more))
        return *end > *start || fail (reader, error, "'%c' where a value should be", first);
      if (!more)
        return fail_cut (reader, error);
      if (!read_on (reader, start, &more, error))
        return FALSE;
    }
}

/* Says that C is not what should be there. */
static gboolean
unexpected (const SlJsonReader *reader, char c, const char *wanted, GError **error)
{
  if (c == '\0')
    return fail_cut (reader, error);
  return fail (reader, error, "'%c' where %s should be: is it JSON?", g_ascii_isprint (c) ? c : '?',
               wanted);
}

/* Goes to the beginning of the next record's key or value; *MORE: there is one. */
static gboolean
find_record (SlJsonReader *reader, gboolean *more, GError **error)
{
  char c;
  *more = TRUE;
  for (;;)
    {
      if (!skip_blanks (reader, &c, error))
        return FALSE;
      char close = reader->place == ARRAY_FIRST || reader->place == ARRAY_NEXT ? ']' : '}';
      if (reader->place == TOP && c == '\0' && reader->at == reader->n)
        {
          *more = FALSE;
          return TRUE;
        }
      if (reader->place == TOP && c != (reader->members ? '{' : '['))
        return TRUE;
      if (reader->place == TOP)
        {
          reader->place = reader->members ? OBJECT_FIRST : ARRAY_FIRST;
          reader->at++;
        }
      else if (c == close)
        {
          reader->place = TOP;
          reader->at++;
        }
      else if (reader->place == ARRAY_FIRST || reader->place == OBJECT_FIRST)
        return c != '\0' || fail_cut (reader, error);
      else if (c != ',')
        return unexpected (reader, c, close == ']' ? "a comma or ]" : "a comma or }", error);
      else
        {
          reader->at++;
          return skip_blanks (reader, &c, error)
                 && (c != close && c != '\0' ? TRUE : unexpected (reader, c, "a value", error));
        }
    }
}

static gboolean
parse (SlJsonReader *reader, SlJsonParser *parser, gsize start, gsize end, SlJson *value,
       GError **error)
{
  const char *wrong = sl_json_parse (parser, reader->data + start, end - start, value);
  return wrong == NULL || fail (reader, error, "%s", wrong);
}

static gboolean
read_key (SlJsonReader *reader, GError **error)
{
  gsize start, end;
  SlJson key;
  char c = reader->data[reader->at];
  if (c != '"')
    return unexpected (reader, c, "a key in quotation marks", error);
  if (!find_value (reader, &start, &end, error)
      || !parse (reader, reader->key_parser, start, end, &key, error))
    return FALSE;
  SlCell text = sl_json_text (key);
  reader->record.key = g_strndup (text.text, text.n);
  if (!skip_blanks (reader, &c, error))
    return FALSE;
  if (c != ':')
    return unexpected (reader, c, "a colon", error);
  reader->at++;
  return skip_blanks (reader, &c, error) && (c != '\0' || fail_cut (reader, error));
}

gboolean
sl_json_reader_next (SlJsonReader *reader, const SlJsonRecord **record, GError **error)
{
  gboolean more;
  gsize start, end;
  *record = NULL;
  g_clear_pointer (&reader->record.key, g_free);
  reader->record.number++;
  if (!find_record (reader, &more, error) || !more)
    return !more;
  gboolean member = reader->place == OBJECT_FIRST || reader->place == OBJECT_NEXT;
  reader->record.alone = reader->place == TOP;
  if ((member && !read_key (reader, error)) || !find_value (reader, &start, &end, error)
      || !parse (reader, reader->parser, start, end, &reader->record.value, error))
    return FALSE;
  reader->record.text = reader->data + start;
  reader->record.n = end - start;
  if (reader->place != TOP)
    reader->place = member ? OBJECT_NEXT : ARRAY_NEXT;
  *record = &reader->record;
  return TRUE;
}

/* The first bytes tell whether it may be JSON. */
static gboolean
check_start (SlJsonReader *reader, GError **error)
{
  gboolean more = FALSE;
  gsize from = 0;
  if (!read_on (reader, &from, &more, error))
    return FALSE;
  const char *other = sl_csv_find_other_format (reader->data, reader->n);
  if (other != NULL)
    return sl_error_bad_input (error, "%s: %s", reader->source->name, other);
  if (reader->n >= 3 && memcmp (reader->data, "\xef\xbb\xbf", 3) == 0)
    reader->at = 3;
  char c;
  if (!skip_blanks (reader, &c, error))
    return FALSE;
  if (c == '{' || c == '[')
    return TRUE;
  return sl_error_bad_input (error, "%s: %s", reader->source->name,
                             c == '\0'
                                 ? "is empty: was it written to its end, and is it the right file?"
                                 : "is not JSON: it begins neither with [ nor with {");
}

SlJsonReader *
sl_json_reader_new (SlSource *source, gboolean members, GError **error)
{
  g_autoptr (SlJsonReader) reader = g_new0 (SlJsonReader, 1);
  reader->source = source;
  reader->members = members;
  reader->parser = sl_json_parser_new ();
  reader->key_parser = sl_json_parser_new ();
  if (reader->parser == NULL || reader->key_parser == NULL)
    {
      g_set_error_literal (error, SL_ERROR, SL_ERROR_RUNTIME, "there is no memory to read JSON");
      return NULL;
    }
  return check_start (reader, error) ? g_steal_pointer (&reader) : NULL;
}

gboolean
sl_json_begins (SlSource *source, gboolean *is_json, GError **error)
{
  *is_json = FALSE;
  if (!sl_source_peek (source, sizeof source->head, error))
    return FALSE;
  gsize at = source->n_head >= 3 && memcmp (source->head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  while (at < source->n_head && g_ascii_isspace (source->head[at]))
    at++;
  *is_json = at < source->n_head && (source->head[at] == '{' || source->head[at] == '[');
  return TRUE;
}
