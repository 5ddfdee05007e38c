/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verbs: the one list from which dispatch, help, manual pages and completion come. */
#pragma once

#include "run.h"

extern const SlCommand *const sl_commands[]; /* ends with NULL */

/* The command that the words at the start of ARGV name, and how many they are; NULL where they name
 * none. */
const SlCommand *sl_command_find (char **argv, int *n_words);

/* "simulate fit"; NULL where there is none */
const SlCommand *sl_command_by_name (const char *name);

/* Whether verbs of two words begin with WORD: "simulate". */
gboolean sl_command_is_family (const char *word);

/* Whether COMMAND is of the family WORD. */
gboolean sl_command_is_of (const SlCommand *command, const char *word);

/* The verb most like WORD, or NULL where none is near. */
const char *sl_command_nearest (const char *word);
