/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The texts of the page, which is English unless --language says otherwise: an object of JSON. */
#pragma once

#include "pipeline/base/json-value.h"

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
