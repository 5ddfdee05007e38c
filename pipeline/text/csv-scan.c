/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every byte of a word of 64 becomes one bit of a mask for each question asked. Whether a byte is
 * inside of quotes is the parity of the marks before it: a prefix sum of the marks' mask in
 * arithmetic modulo 2 (Langdale & Lemire 2019, "Parsing gigabytes of JSON per second",
 * section 3.1.1). The parity is wrong where a mark stands in the middle of an unquoted field; that
 * shows as an opening mark at a place where no field begins, and such words go byte by byte. */
#include "csv-scan.h"

#include <emmintrin.h>
#include <string.h>

#if defined(__SSE2__) && !defined(SL_CSV_PORTABLE)
#endif

/* Bit i is about byte i of the word; but of `odd` and `blank` only whether there is one at all. */
typedef struct
{
  guint64 separator, newline, quote, odd, blank;
} Masks;

#if defined(__SSE2__) && !defined(SL_CSV_PORTABLE)

static inline guint64
equal (const __m128i bytes[4], char c)
{
  guint64 mask = 0;
  for (int i = 0; i < 4; i++)
    {
      int part = _mm_movemask_epi8 (_mm_cmpeq_epi8 (bytes[i], _mm_set1_epi8 (c)));
      mask |= (guint64) (guint32) part << (16 * i);
    }
  return mask;
}

static inline Masks
masks_of (const char *word, char separator)
{
  __m128i bytes[4];
  for (int i = 0; i < 4; i++)
    bytes[i] = _mm_loadu_si128 ((const __m128i *) (word + 16 * i));
  /* A byte is odd if it is 0 or has its highest bit: as a signed number, if it is less than 1. */
  __m128i least = _mm_setzero_si128 (), blank = _mm_setzero_si128 ();
  for (int i = 0; i < 4; i++)
    {
      least = _mm_or_si128 (least, _mm_cmplt_epi8 (bytes[i], _mm_set1_epi8 (1)));
      blank = _mm_or_si128 (blank, _mm_cmpeq_epi8 (bytes[i], _mm_set1_epi8 (' ')));
    }
  return (Masks){ equal (bytes, separator), equal (bytes, '\n'), equal (bytes, '"'),
                  (guint64) _mm_movemask_epi8 (least), (guint64) _mm_movemask_epi8 (blank) };
}

static inline guint64
blanks_of (const char *word)
{
  __m128i bytes[4];
  for (int i = 0; i < 4; i++)
    bytes[i] = _mm_loadu_si128 ((const __m128i *) (word + 16 * i));
  return equal (bytes, ' ');
}

#else

static inline Masks
masks_of (const char *word, char separator)
{
  Masks masks = { 0, 0, 0, 0, 0 };
  for (int i = 0; i < 64; i++)
    {
      masks.separator |= (guint64) (word[i] == separator) << i;
      masks.newline |= (guint64) (word[i] == '\n') << i;
      masks.quote |= (guint64) (word[i] == '"') << i;
      masks.odd |= (guint64) ((signed char) word[i] < 1) << i;
      masks.blank |= (guint64) (word[i] == ' ') << i;
    }
  return masks;
}

static inline guint64
blanks_of (const char *word)
{
  guint64 blanks = 0;
  for (int i = 0; i < 64; i++)
    blanks |= (guint64) (word[i] == ' ') << i;
  return blanks;
}

#endif

SlCsvScan
sl_csv_scan_start (char separator)
{
  return (SlCsvScan){ .separator = separator, .may_open = TRUE };
}

/* Bit i of the result is the parity of bits 0 .. i. */
static inline guint64
prefix_parity (guint64 mask)
{
  for (int shift = 1; shift < 64; shift *= 2)
    mask ^= mask << shift;
  return mask;
}

/* What the masks say, byte by byte. */
static __attribute__ ((noinline)) guint64
outside_bytewise (SlCsvScan *scan, const Masks *masks)
{
  guint64 outside = 0, breaks = masks->separator | masks->newline;
  for (int i = 0; i < 64; i++)
    {
      guint64 bit = G_GUINT64_CONSTANT (1) << i;
      gboolean is_break = !scan->in_quotes && (breaks & bit);
      gboolean is_quote = (masks->quote & bit) != 0;
      gboolean closes = is_quote && scan->in_quotes;
      if (closes)
        scan->in_quotes = FALSE;
      else if (is_quote && scan->may_open)
        scan->in_quotes = TRUE;
      scan->may_open = is_break || closes;
      if (is_break)
        outside |= bit;
    }
  return outside;
}

/* The separators and newlines outside of quotes. */
static inline guint64
outside_of (SlCsvScan *scan, const Masks *masks)
{
  guint64 breaks = masks->separator | masks->newline;
  if (G_LIKELY (masks->quote == 0 && !scan->in_quotes))
    {
      scan->may_open = (breaks >> 63) != 0;
      return breaks;
    }
  guint64 inside = prefix_parity (masks->quote) ^ (scan->in_quotes ? ~G_GUINT64_CONSTANT (0) : 0);
  guint64 opening = masks->quote & inside, closing = masks->quote & ~inside,
          outside = breaks & ~inside;
  if (opening & ~((outside | closing) << 1 | (scan->may_open ? 1 : 0)))
    return outside_bytewise (scan, masks);
  scan->in_quotes = (inside >> 63) != 0;
  scan->may_open = ((outside | closing) >> 63) != 0;
  return outside;
}

/* Whether a blank of WORD, or the one before it, stands beside one of the breaks OUTSIDE.
 * AFTER_BREAK: so does the word itself, or after a closing mark, which does no harm. */
static __attribute__ ((noinline)) void
note_blanks (SlCsvScan *scan, const char *word, guint64 outside, gboolean after_break)
{
  guint64 blanks = blanks_of (word);
  guint64 beside = outside << 1 | outside >> 1 | (after_break ? 1 : 0);
  scan->any_blank |= (blanks & beside) != 0 || (scan->after_blank && (outside & 1) != 0);
  scan->after_blank = (blanks >> 63) != 0;
}

/* The next word of at most N bytes; *NEWLINES are the newlines among the breaks that it returns. */
static inline __attribute__ ((always_inline)) guint64
scan_word (SlCsvScan *scan, const char *data, gsize n, guint64 *newlines)
{
  char last[64];
  if (G_UNLIKELY (n < 64))
    {
      memset (last, SL_CSV_FILLER, sizeof last);
      memcpy (last, data, n);
      data = last;
    }
  Masks masks = masks_of (data, scan->separator);
  gboolean after_break = scan->may_open;
  guint64 outside = outside_of (scan, &masks);
  scan->any_quote |= masks.quote != 0;
  scan->any_odd |= masks.odd != 0;
  if (G_UNLIKELY (masks.blank != 0 || scan->after_blank))
    note_blanks (scan, data, outside, after_break);
  *newlines = outside & masks.newline;
  if (G_UNLIKELY (*newlines != masks.newline))
    scan->n_hidden += (gsize) __builtin_popcountll (masks.newline & ~outside);
  return outside;
}

static inline guint32 *
put_bits (guint32 *out, guint64 mask, guint32 base)
{
  for (; mask != 0; mask &= mask - 1)
    *out++ = base + (guint32) __builtin_ctzll (mask);
  return out;
}

gsize
sl_csv_scan (SlCsvScan *scan, const char *data, gsize from, gsize to, SlCsvMarks *marks)
{
  guint32 *end = marks->end + marks->n_ends, *line = marks->line + marks->n_lines;
  const guint32 *last = marks->end + marks->room - 64;
  SlCsvScan state = *scan;
  for (; from < to && end <= last; from += 64)
    {
      guint64 newlines, breaks = scan_word (&state, data + from, to - from, &newlines);
      end = put_bits (end, breaks, (guint32) from);
      line = put_bits (line, newlines, (guint32) from);
    }
  *scan = state;
  marks->n_ends = (gsize) (end - marks->end);
  marks->n_lines = (gsize) (line - marks->line);
  return MIN (from, to);
}

gsize
sl_csv_whole_records (char separator, const char *data, gsize n)
{
  if (memchr (data, '"', n) == NULL)
    {
      const char *newline = memrchr (data, '\n', n);
      return newline != NULL ? (gsize) (newline - data) + 1 : 0;
    }
  SlCsvScan scan = sl_csv_scan_start (separator);
  gsize length = 0;
  for (gsize i = 0; i < n; i += 64)
    {
      guint64 newlines;
      scan_word (&scan, data + i, n - i, &newlines);
      if (newlines != 0)
        length = i + 64 - (gsize) __builtin_clzll (newlines);
    }
  return length;
}

gsize
sl_csv_first_record (char separator, const char *data, gsize n)
{
  SlCsvScan scan = sl_csv_scan_start (separator);
  for (gsize i = 0; i < n; i += 64)
    {
      guint64 newlines;
      scan_word (&scan, data + i, n - i, &newlines);
      if (newlines != 0)
        return i + (gsize) __builtin_ctzll (newlines) + 1;
    }
  return 0;
}

gint64
sl_csv_count_newlines (const char *data, gsize n)
{
  gint64 lines = 0;
  for (gsize i = 0; i < n; i++)
    lines += data[i] == '\n';
  return lines;
}

/* ---- quotes ---- */

gboolean
sl_csv_quotes_right (const char *field, gsize n, gsize *n_doubled)
{
  *n_doubled = 0;
  if (n < 2 || field[n - 1] != '"')
    return FALSE;
  const char *end = field + n - 1;
  for (const char *mark = field + 1; (mark = memchr (mark, '"', (gsize) (end - mark))) != NULL;
       mark += 2)
    {
      if (mark + 1 == end || mark[1] != '"')
        return FALSE;
      ++*n_doubled;
    }
  return TRUE;
}

gsize
sl_csv_undo_quotes (const char *field, gsize n, char *out)
{
  gsize length = 0;
  for (gsize i = 1; i + 1 < n; i++)
    {
      char c = field[i];
      out[length++] = c;
      i += c == '"';
    }
  return length;
}

/* One field, its quotes undone, is added to FIELDS; returns NULL, or what is wrong. */
static const char *
add_field (const char *text, gsize n, GPtrArray *fields)
{
  gsize n_doubled;
  char *field = g_strndup (text, n);
  g_ptr_array_add (fields, field);
  if (!g_utf8_validate_len (text, n, NULL))
    return SL_CSV_NOT_UTF8;
  if (field[0] != '"')
    return NULL;
  if (!sl_csv_quotes_right (field, n, &n_doubled))
    return SL_CSV_AFTER_QUOTE;
  field[sl_csv_undo_quotes (field, n, field)] = '\0';
  return NULL;
}

const char *
sl_csv_split_one (char separator, const char *data, gsize n, GPtrArray *fields)
{
  guint32 ends[128], lines[128];
  SlCsvMarks marks = { ends, lines, 0, 0, G_N_ELEMENTS (ends) };
  SlCsvScan scan = sl_csv_scan_start (separator);
  guint32 start = 0;
  for (gsize position = 0; position < n;)
    {
      position = sl_csv_scan (&scan, data, position, n, &marks);
      for (gsize i = 0; i < marks.n_ends; i++)
        {
          gboolean last = ends[i] + 1 == n;
          guint32 end = last ? sl_csv_without_return (data, start, ends[i]) : ends[i];
          const char *problem = add_field (data + start, end - start, fields);
          if (problem != NULL)
            return problem;
          start = ends[i] + 1;
        }
      marks.n_ends = marks.n_lines = 0;
    }
  return start < n ? SL_CSV_UNCLOSED : NULL;
}
