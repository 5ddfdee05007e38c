/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of classes that nobody has put into one. */
#pragma once

#include "intern/intern.h"

/* The texts of NAMES in order: numerically if all are numbers, else bytewise. Code i of NAMES
 * becomes place[i]. To be freed with g_strfreev(). */
char **sl_classes_sorted (const SlIntern *names, gint32 *place);
