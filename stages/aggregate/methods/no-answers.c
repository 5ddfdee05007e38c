/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "no-answers.h"

#include "stages/common/methods/posterior.h"

gboolean
sl_no_answers (const SlItems *items, const SlAnswers *answers, const SlMethodSettings *settings,
               const SlLearned *learned)
{
  if (answers->n_answers > 0)
    return FALSE;
  g_auto (SlByItem) by;
  sl_by_item_init (&by, items, answers, 0);
  sl_posterior_shares (items, settings);
  sl_posterior_learn (items, &by, NULL, learned);
  return TRUE;
}
