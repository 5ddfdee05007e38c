/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page: one HTML file that holds the study and the code that runs it. */
#pragma once

#include "study.h"

/* PICTURES[n]: where each item's picture is, a name beside the page or its bytes as a data URL;
 * NULL of texts. */
GString *sl_survey_page (const SlStudy *study, char *const *pictures, const char *instructions,
                         const char *consent);
