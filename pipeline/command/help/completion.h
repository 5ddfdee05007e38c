/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the completion scripts of all shells are made from: the verbs and their option tables. */
#pragma once

#include "pipeline/command/commands.h"

/* Words that stand where a verb does, and are none. */
extern const char *const sl_completion_own[]; /* ends with NULL */
extern const char *const sl_completion_shells[];

/* Whether OPTION goes with some choices of another one only. */
gboolean sl_completion_is_scoped (const SlOption *option);

/* The words that OPTION's value may be, between blanks; NULL: any. */
char *sl_completion_values (const SlOption *option);

/* Whether OPTION's value is a file. */
gboolean sl_completion_is_file (const SlOption *option);

/* The words of which a verb's arguments are, between blanks; NULL: they are files. */
char *sl_completion_arguments (const SlCommand *command);

/* The first words of all verbs, each once; or, with FAMILY, the second words of those of a
 * family. */
char **sl_completion_words (const char *family);

/* The families: the first words of verbs of two. */
char **sl_completion_families (void);

/* What WORD, the first one of a verb, or a FAMILY's second one, is for: one line. */
const char *sl_completion_summary (const char *family, const char *word);

void sl_completion_bash (GString *out);
void sl_completion_zsh (GString *out);
void sl_completion_fish (GString *out);
