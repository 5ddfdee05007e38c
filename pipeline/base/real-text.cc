/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In C++, whose standard library alone reads and writes reals in no locale. */
#include "number-text.h"

#include <charconv>

gsize
sl_format_real (char *text, double value)
{
  return static_cast<gsize> (std::to_chars (text, text + SL_REAL_CHARS, value).ptr - text);
}

gsize
sl_format_float32 (char *text, float value)
{
  return static_cast<gsize> (std::to_chars (text, text + SL_REAL_CHARS, value).ptr - text);
}

gsize
sl_scan_real (const char *text, gsize length, double *value)
{
  /* from_chars takes no leading plus sign, which people do write. */
  gsize plus = length > 1 && text[0] == '+' && text[1] != '-';
  auto result = std::from_chars (text + plus, text + length, *value);
  return result.ec == std::errc () ? static_cast<gsize> (result.ptr - text) : 0;
}
