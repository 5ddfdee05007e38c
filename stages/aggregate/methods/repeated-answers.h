/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Annotators who answer an item more than once. */
#pragma once

#include "stages/common/answers/answers-by-item.h"

typedef enum
{
  SL_REPEAT_SAME,  /* the annotator has given the item this answer before */
  SL_REPEAT_OTHER, /* ... has given it another */
  SL_REPEAT_FIRST,
} SlRepeat;

/* kind[n_answers], by place in BY. */
void sl_repeats_set (const SlByItem *by, guint8 *kind);

/* Answers without those that only repeat what their annotator has said of the item. */
typedef struct
{
  SlAnswers answers;
  gpointer memory[4];
} SlDistinct;

/* Where any do, the items' sums of votes lose them too. Where none does, distinct->answers are
 * ANSWERS themselves, whose arrays must live as long. */
void sl_distinct_init (SlDistinct *distinct, const SlItems *items, const SlAnswers *answers);
void sl_distinct_clear (SlDistinct *distinct);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlDistinct, sl_distinct_clear)
