/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page: one HTML file that holds the study and the code that runs it. */
#pragma once

#include "pipeline/base/json-value.h"
#include "study.h"

/* The texts of the page, which is English unless --language says otherwise: an object of JSON. */
typedef struct
{
  SlJsonParser *parser, *english_parser;
  SlJson all; /* names to texts */
} SlWords;

/* Reads the texts of PATH, which must have the names that the English ones, OWN, have; NULL: those.
 */
gboolean sl_words_init (SlWords *words, GBytes *own, const char *path, GError **error);
void sl_words_clear (SlWords *words);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlWords, sl_words_clear)

const char *sl_words_get (const SlWords *words, const char *name);

/* One of the files of page/. */
GBytes *sl_survey_source (const char *name);

/* PICTURES[n]: where each item's picture is, a name beside the page or its bytes as a data URL;
 * NULL of texts. INSTRUCTIONS and CONSENT NULL: those of WORDS. */
GString *sl_survey_page (const SlStudy *study, char *const *pictures, const SlWords *words,
                         const char *instructions, const char *consent);
