/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The case in which there is nothing to fit. */
#pragma once

#include "stages/common/methods/method.h"

/* Where there are no answers at all: labels from what gold is kept, uniform if none, and the like
 * for what LEARNED asks for. Returns whether that is so. */
gboolean sl_no_answers (const SlItems *items, const SlAnswers *answers,
                        const SlMethodSettings *settings, const SlLearned *learned);
