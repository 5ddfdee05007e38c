/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "npy.h"

#include "pipeline/base/error.h"
#include "pipeline/base/number-text.h"
#include "schemas/annotations.h"

#include <math.h>
#include <string.h>

/* NumPy itself refuses headers of over 10,000 characters. */
#define MAX_HEADER 65536

static gboolean
fail (GError **error, const char *what)
{
  return sl_error_bad_input (error, "%s", what);
}

/* The text yet to be parsed. */
typedef struct
{
  const char *at, *end;
} Rest;

static gboolean
skip (Rest *rest, char c)
{
  while (rest->at < rest->end && *rest->at == ' ')
    rest->at++;
  if (rest->at == rest->end || *rest->at != c)
    return FALSE;
  rest->at++;
  return TRUE;
}

/* 'text' or "text", without escapes. */
static char *
parse_text (Rest *rest)
{
  char quote = skip (rest, '\'') ? '\'' : skip (rest, '"') ? '"' : '\0';
  const char *start = rest->at;
  const char *close = quote != '\0' ? memchr (start, quote, (gsize) (rest->end - start)) : NULL;
  if (close == NULL || memchr (start, '\\', (gsize) (close - start)) != NULL)
    return NULL;
  rest->at = close + 1;
  return g_strndup (start, (gsize) (close - start));
}

static gboolean
parse_word (Rest *rest, const char *word)
{
  gsize n = strlen (word);
  while (rest->at < rest->end && *rest->at == ' ')
    rest->at++;
  if ((gsize) (rest->end - rest->at) < n || strncmp (rest->at, word, n) != 0)
    return FALSE;
  rest->at += n;
  return TRUE;
}

/* A size; Python 2 wrote an L behind long ones. */
static gboolean
parse_size (Rest *rest, gint64 *size)
{
  while (rest->at < rest->end && *rest->at == ' ')
    rest->at++;
  const char *start = rest->at;
  while (rest->at < rest->end && g_ascii_isdigit (*rest->at))
    rest->at++;
  gboolean ok = rest->at > start && sl_parse_integer (start, rest->at - start, size);
  (void) skip (rest, 'L');
  return ok;
}

static gboolean
parse_shape (Rest *rest, SlNpy *npy, GError **error)
{
  int n = 0;
  if (!skip (rest, '('))
    return fail (error, "its header has no shape");
  while (!skip (rest, ')'))
    {
      if (n == SL_NPY_DIMS || !parse_size (rest, &npy->dim[n]))
        return fail (error, n == SL_NPY_DIMS ? "the array has more than four dimensions"
                                             : "its header has a shape that cannot be read");
      n++;
      if (!skip (rest, ',') && (rest->at == rest->end || *rest->at != ')'))
        return fail (error, "its header has a shape that cannot be read");
    }
  if (n == 0)
    return fail (error, "the array is a single number");
  npy->n_dims = n;
  while (n < SL_NPY_DIMS)
    npy->dim[n++] = 1;
  return TRUE;
}

/* '<i8': byte order, kind, bytes. */
static gboolean
parse_type (Rest *rest, SlNpy *npy, GError **error)
{
  g_autofree char *type = parse_text (rest);
  gint64 width;
  if (type == NULL)
    return fail (error, "the array has records, not numbers");
  if (strlen (type) < 3 || strchr ("<>=|", type[0]) == NULL || strchr ("iufb", type[1]) == NULL
      || !sl_parse_integer (type + 2, -1, &width))
    {
      gboolean objects = strlen (type) > 1 && type[1] == 'O';
      g_autofree char *shown = g_utf8_make_valid (type, -1);
      return sl_error_bad_input (error, "the array is of type '%.20s'%s, not of numbers", shown,
                                 objects ? " (Python objects)" : "");
    }
  npy->kind = type[1];
  npy->width = (gsize) width;
  gboolean fits = npy->kind == 'b'   ? width == 1
                  : npy->kind == 'f' ? width == 2 || width == 4 || width == 8
                                     : width == 1 || width == 2 || width == 4 || width == 8;
  if (!fits)
    return fail (error, "the array has numbers of an unusual size; save it with .astype('int64')");
  char other = G_BYTE_ORDER == G_LITTLE_ENDIAN ? '>' : '<';
  npy->swapped = type[0] == other && width > 1;
  return TRUE;
}

static gboolean
parse_order (Rest *rest, SlNpy *npy, GError **error)
{
  npy->fortran = parse_word (rest, "True");
  return npy->fortran || parse_word (rest, "False")
         || fail (error, "its header has an order that is neither True nor False");
}

gboolean
sl_npy_parse (const char *text, gsize n, SlNpy *npy, GError **error)
{
  Rest rest = { text, text + n };
  gboolean descr = FALSE, order = FALSE, shape = FALSE;
  while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\n'))
    rest.end = text + --n;
  if (!skip (&rest, '{'))
    return fail (error, "its header is no dictionary");
  while (!skip (&rest, '}'))
    {
      g_autofree char *key = parse_text (&rest);
      if (key == NULL || !skip (&rest, ':'))
        return fail (error, "its header cannot be read");
      gboolean *seen = strcmp (key, "descr") == 0           ? &descr
                       : strcmp (key, "shape") == 0         ? &shape
                       : strcmp (key, "fortran_order") == 0 ? &order
                                                            : NULL;
      if (seen == NULL || *seen)
        return fail (error, "its header has a key that is not known, or is there twice");
      *seen = TRUE;
      if (!(seen == &descr   ? parse_type (&rest, npy, error)
            : seen == &shape ? parse_shape (&rest, npy, error)
                             : parse_order (&rest, npy, error)))
        return FALSE;
      if (!skip (&rest, ',') && (rest.at == rest.end || *rest.at != '}'))
        return fail (error, "its header cannot be read");
    }
  return (rest.at == rest.end && descr && order && shape)
         || fail (error, "its header is not complete");
}

/* N bytes, and no less. */
static gboolean
read_exactly (SlSource *source, void *to, gsize n, GError **error)
{
  gsize got;
  if (!sl_source_read (source, to, n, &got, error))
    return FALSE;
  return got == n || fail (error, "ends within its header");
}

gboolean
sl_npy_read_header (SlSource *source, SlNpy *npy, GError **error)
{
  guint8 start[SL_NPY_MAGIC_BYTES + 2], size[4] = { 0 };
  *npy = (SlNpy){ 0 };
  if (!read_exactly (source, start, sizeof start, error))
    return FALSE;
  guint8 version = start[SL_NPY_MAGIC_BYTES];
  if (memcmp (start, SL_NPY_MAGIC, SL_NPY_MAGIC_BYTES) != 0)
    return fail (error, "is not a NumPy array");
  if (version < 1 || version > 3)
    return fail (error, "has a version of the .npy format that is not known");
  if (!read_exactly (source, size, version == 1 ? 2 : 4, error))
    return FALSE;
  gsize n = size[0] | (gsize) size[1] << 8 | (gsize) size[2] << 16 | (gsize) size[3] << 24;
  if (n > MAX_HEADER)
    return fail (error, "has a header that is too long");
  g_autofree char *text = g_malloc (n + 1);
  if (!read_exactly (source, text, n, error))
    return FALSE;
  text[n] = '\0';
  return sl_npy_parse (text, n, npy, error);
}

/* IEEE 754 half precision. */
static double
half (guint16 bits)
{
  int exponent = bits >> 10 & 31;
  double fraction = bits & 1023;
  double value = exponent == 0    ? ldexp (fraction, -24)
                 : exponent == 31 ? (fraction > 0 ? (double) NAN : (double) INFINITY)
                                  : ldexp (1024 + fraction, exponent - 25);
  return bits >> 15 ? -value : value;
}

double
sl_npy_value (const SlNpy *npy, const guint8 *bytes)
{
  guint64 bits = 0;
  for (gsize i = 0; i < npy->width; i++)
    {
      gboolean first_is_low = (G_BYTE_ORDER == G_LITTLE_ENDIAN) != npy->swapped;
      bits |= (guint64) bytes[i] << (8 * (first_is_low ? i : npy->width - 1 - i));
    }
  guint32 low = (guint32) bits;
  float single;
  double number;
  memcpy (&single, &low, sizeof single);
  memcpy (&number, &bits, sizeof number);
  if (npy->kind == 'f')
    return npy->width == 2 ? half ((guint16) bits) : npy->width == 4 ? (double) single : number;
  if (npy->kind == 'b')
    return bits != 0;
  /* The least that is too large for a count must not be rounded to the largest that is not. */
  if (npy->width == 8 && bits == (guint64) SL_COUNT_MOST + 1)
    return (double) SL_COUNT_MOST + 2;
  if (npy->kind == 'u')
    return (double) bits;
  return npy->width == 1   ? (gint8) bits
         : npy->width == 2 ? (gint16) bits
         : npy->width == 4 ? (gint32) bits
                           : (double) (gint64) bits;
}

const char *
sl_npy_count (double value, gint64 *count)
{
  if (isnan (value))
    return "is not a number";
  if (value < 0)
    return "is negative";
  if (value > (double) SL_COUNT_MOST)
    return "is too large";
  *count = (gint64) value;
  return (double) *count == value ? NULL : "is not a whole number";
}
