/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "csv-encoding.h"

#include <string.h>

/* The first that fits is taken: the mark of UTF-32 begins with that of UTF-16. */
static const struct
{
  const char *start;
  gsize n;
  const char *message;
} starts[] = {
  { "\xff\xfe\0\0", 4, "is UTF-32, not UTF-8: convert it with `iconv -f UTF-32 -t UTF-8`" },
  { "\0\0\xfe\xff", 4, "is UTF-32, not UTF-8: convert it with `iconv -f UTF-32 -t UTF-8`" },
  { "\xff\xfe", 2, "is UTF-16, not UTF-8: convert it with `iconv -f UTF-16 -t UTF-8`" },
  { "\xfe\xff", 2, "is UTF-16, not UTF-8: convert it with `iconv -f UTF-16 -t UTF-8`" },
  { "\x1f\x8b", 2, "is compressed: pipe it in with `zcat FILE | softlabel ingest`" },
  { "\x28\xb5\x2f\xfd", 4, "is compressed: pipe it in with `zstdcat FILE | softlabel ingest`" },
  { "PK\x03\x04", 4, "is a zip archive or a spreadsheet: unpack it, or export the sheet as CSV" },
  { "PAR1", 4, "is a Parquet file, not CSV" },
  { "ARROW1", 6, "is an Arrow file, not CSV" },
  { "\x93NUMPY", 6, "is a NumPy array, not CSV; --from counts reads one" },
};

/* Bytes whose NULs are counted: a header has letters of ASCII among its first ones. */
#define LOOKED_AT 256

/* Text in a wider encoding without a mark at its start: letters of ASCII have NULs at fixed places
 * of every two or four bytes. */
static const char *
find_wide_encoding (const char *data, gsize n)
{
  gsize n_zeros[4] = { 0 }, n_units = MIN (n, LOOKED_AT) / 4;
  for (gsize i = 0; i < n_units * 4; i++)
    n_zeros[i % 4] += data[i] == '\0';
  static const struct
  {
    gboolean zero[4]; /* whether most of such bytes are 0; the others never are */
    const char *message;
  } encodings[] = {
    { { 0, 1, 1, 1 },
      "looks like UTF-32, not UTF-8: convert it with `iconv -f UTF-32LE -t UTF-8`" },
    { { 1, 1, 1, 0 },
      "looks like UTF-32, not UTF-8: convert it with `iconv -f UTF-32BE -t UTF-8`" },
    { { 0, 1, 0, 1 },
      "looks like UTF-16, not UTF-8: convert it with `iconv -f UTF-16LE -t UTF-8`" },
    { { 1, 0, 1, 0 },
      "looks like UTF-16, not UTF-8: convert it with `iconv -f UTF-16BE -t UTF-8`" },
  };
  for (gsize e = 0; n_units > 0 && e < G_N_ELEMENTS (encodings); e++)
    {
      gboolean fits = TRUE;
      for (int b = 0; b < 4; b++)
        fits = fits && (encodings[e].zero[b] ? 2 * n_zeros[b] > n_units : n_zeros[b] == 0);
      if (fits)
        return encodings[e].message;
    }
  return NULL;
}

const char *
sl_csv_find_other_format (const char *data, gsize n)
{
  for (gsize i = 0; i < G_N_ELEMENTS (starts); i++)
    if (n >= starts[i].n && memcmp (data, starts[i].start, starts[i].n) == 0)
      return starts[i].message;
  return find_wide_encoding (data, n);
}
