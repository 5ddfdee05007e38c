/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Items of several questions: the answers to each question are fitted by themselves, so that what
 * is learned of annotators, and how common a class is, is the question's own. */
#pragma once

#include "stages/common/answers/gathering.h"

/* group[n_items], by place: the question that each item is about, from 0, NAMES having them: what
 * follows the last SEPARATOR of the item's name. NULL and ERROR where an item has none. To be freed
 * with g_free(). */
gint32 *sl_questions_of (const SlGathering *gathering, const char *separator, SlIntern *names,
                         GError **error);

/* Makes labels of ITEMS, a question's, by their answers. */
typedef gboolean (*SlFitPart) (gpointer data, gint32 group, const SlItems *items,
                               const SlAnswers *answers, GError **error);

/* Calls FIT for each of GROUP[n_items]'s N_GROUPS, with annotators numbered anew. */
gboolean sl_fit_apart (const SlItems *items, const SlAnswers *answers, const gint32 *group,
                       gint32 n_groups, SlFitPart fit, gpointer data, GError **error);
