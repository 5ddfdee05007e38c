/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page: one HTML file that holds the study and the code that runs it. */
#pragma once

#include "study.h"
#include "words.h"

/* One of the files of page/. */
GBytes *sl_survey_source (const char *name);

/* PICTURES[n]: where each item's picture is, a name beside the page or its bytes as a data URL;
 * NULL of texts. INSTRUCTIONS and CONSENT NULL: those of WORDS. */
GString *sl_survey_page (const SlStudy *study, char *const *pictures, const SlWords *words,
                         const char *instructions, const char *consent);
