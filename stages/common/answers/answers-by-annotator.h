/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same answers, annotator by annotator. */
#pragma once

#include "answers-by-item.h"

/* Of annotator a's answers, order[first[a]] .. order[first[a + 1] - 1] are places in an SlByItem,
 * from the first item on. */
typedef struct
{
  gint64 *first, *order;
  gint32 *item; /* [n_answers], by place */
} SlByAnnotator;

void sl_by_annotator_init (SlByAnnotator *own, const SlByItem *by);
void sl_by_annotator_clear (SlByAnnotator *own);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlByAnnotator, sl_by_annotator_clear)
