/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where several questions are asked about an item, a row's name is the item, a separator and the
 * question, parted at the last separator. */
#pragma once

#include <glib.h>
#include <string.h>

/* Where in NAME[length] the question begins; NULL: no SEPARATOR parts it from an item. */
static inline const char *
sl_question_in (const char *name, gsize length, const char *separator)
{
  gsize part = strlen (separator);
  for (gsize end = length; end >= part; end--)
    if (memcmp (name + end - part, separator, part) == 0)
      return name + end;
  return NULL;
}
