/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mutate-json.h"

#include <string.h>

#define MOST_SPANS 512

/* A value, or the text of a member's name, as it stands in the text. */
typedef struct
{
  gsize from, to;
  gboolean is_name;
} Span;

typedef struct
{
  Span span[MOST_SPANS];
  guint n;
} Spans;

static void
add_span (Spans *spans, gsize from, gsize to, gboolean is_name)
{
  if (spans->n < MOST_SPANS)
    spans->span[spans->n++] = (Span){ from, to, is_name };
}

static gboolean
is_blank (guint8 c)
{
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static gsize
end_of_text (const guint8 *data, gsize size, gsize at)
{
  for (at++; at < size && data[at] != '"'; at++)
    at += data[at] == '\\';
  return MIN (at + 1, size);
}

/* Whatever the text is, JSON or not quite. */
static void
find_spans (Spans *spans, const guint8 *data, gsize size)
{
  gsize open[64], depth = 0;
  for (gsize at = 0; at < size;)
    {
      gsize from = at;
      guint8 c = data[at];
      if (c == '"')
        {
          at = end_of_text (data, size, at);
          gsize next = at;
          while (next < size && is_blank (data[next]))
            next++;
          add_span (spans, from, at, next < size && data[next] == ':');
          continue;
        }
      at++;
      if ((c == '[' || c == '{') && depth < G_N_ELEMENTS (open))
        open[depth++] = from;
      else if ((c == ']' || c == '}') && depth > 0)
        add_span (spans, open[--depth], at, FALSE);
      else if (g_ascii_isalnum (c) || c == '-')
        {
          while (at < size && (g_ascii_isalnum (data[at]) || strchr ("+-.", data[at]) != NULL))
            at++;
          add_span (spans, from, at, FALSE);
        }
    }
}

/* DATA[from .. to] becomes TEXT[n]; 0 where there is no room. */
static gsize
replace (guint8 *data, gsize size, gsize most, gsize from, gsize to, const guint8 *text, gsize n)
{
  if (size - (to - from) + n > most)
    return 0;
  memmove (data + from + n, data + to, size - to);
  if (n > 0)
    memcpy (data + from, text, n);
  return size - (to - from) + n;
}

/* The member or element, with its name and one comma. */
static gsize
take_out (guint8 *data, gsize size, gsize most, Span span)
{
  gsize from = span.from, to = span.to;
  while (to < size && is_blank (data[to]))
    to++;
  gboolean comma = to < size && data[to] == ',';
  while (from > 0 && strchr (",[{", data[from - 1]) == NULL)
    from--;
  if (!comma && from > 0 && data[from - 1] == ',')
    from--;
  return replace (data, size, most, from, to + (comma ? 1 : 0), NULL, 0);
}

static gsize
put_constant (guint8 *data, gsize size, gsize most, Span span, guint32 which)
{
  static const char *const constants[] = {
    "null", "true",  "false", "0",  "-1",      "1.5",     "1e400",       "18446744073709551616",
    "\"\"", "\"x\"", "[]",    "{}", "[[],{}]", "[\"a\"]", "\"\\u0000\"", "\"\\ud83d\""
  };
  const char *text = constants[which % G_N_ELEMENTS (constants)];
  return replace (data, size, most, span.from, span.to, (const guint8 *) text, strlen (text));
}

gsize
sl_fuzz_mutate_json (guint8 *data, gsize size, gsize most, guint32 seed)
{
  static Spans spans;
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  spans.n = 0;
  find_spans (&spans, data, size);
  if (spans.n == 0)
    return 0;
  Span one = spans.span[g_rand_int (random) % spans.n];
  Span other = spans.span[g_rand_int (random) % spans.n];
  g_autofree guint8 *copy = g_memdup2 (data + other.from, other.to - other.from);
  gsize n = other.to - other.from;
  switch (g_rand_int (random) % 5)
    {
    case 0:
      return take_out (data, size, most, one);
    case 1:
      return replace (data, size, most, one.from, one.to, copy, n);
    case 2: /* twice, where it is an element */
      size = replace (data, size, most, one.to, one.to, copy, n);
      return size > 0 ? replace (data, size, most, one.to, one.to, (const guint8 *) ",", 1) : 0;
    default:
      return put_constant (data, size, most, one, g_rand_int (random));
    }
}
