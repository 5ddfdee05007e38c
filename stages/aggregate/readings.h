/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Annotators who answer an item more than once. */
#pragma once

#include "by-item.h"

typedef enum
{
  SL_READING_AGAIN,   /* the annotator has given the item this answer before */
  SL_READING_FURTHER, /* ... has given it another */
  SL_READING_FIRST,
} SlReading;

/* kind[n_answers], by place in BY. */
void sl_readings_set (const SlByItem *by, guint8 *kind);
