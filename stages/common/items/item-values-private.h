/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of item-values.c share: item-values-read.c reads the file. */
#pragma once

#include "item-values.h"

static inline SlItemColumn *
sl_item_column (const SlItemValues *values, int c)
{
  return &g_array_index (values->columns, SlItemColumn, c);
}

/* TEXT[n] without blanks around it. */
static inline const char *
sl_item_trim (const char *text, gsize *n)
{
  for (; *n > 0 && g_ascii_isspace (text[0]); text++)
    (*n)--;
  while (*n > 0 && g_ascii_isspace (text[*n - 1]))
    (*n)--;
  return text;
}

/* Notes that ITEM has VALUE in column C; what is wrong with that, to be freed, or NULL. */
char *sl_item_values_add (SlItemValues *values, int c, gint32 item, SlItemValue value);
