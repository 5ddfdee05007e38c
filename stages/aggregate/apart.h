/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Items of several questions, or groups of annotators (SlParting): the answers to each question, or
 * of each group, are fitted by themselves, so that what is learned of annotators, and how common a
 * class is, is its own. */
#pragma once

#include "stages/common/answers/gathering.h"

/* part[n_items], by place: the question and group that each item is about, from 0, NAMES having
 * them: what follows the last SEPARATOR of the item's name, unless that is NULL, then a NUL and the
 * group, where there are groups. NULL and ERROR where an item has no question. To be freed with
 * g_free(). */
gint32 *sl_parts_of (const SlGathering *gathering, const char *separator, SlIntern *names,
                     GError **error);

/* Makes labels of ITEMS, a part's, by their answers. They are the items WHICH[] of all. */
typedef gboolean (*SlFitPart) (gpointer data, gint32 group, const gint32 *which,
                               const SlItems *items, const SlAnswers *answers, GError **error);

/* Calls FIT for each of GROUP[n_items]'s N_GROUPS, with annotators numbered anew. */
gboolean sl_fit_apart (const SlItems *items, const SlAnswers *answers, const gint32 *group,
                       gint32 n_groups, SlFitPart fit, gpointer data, GError **error);
