/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conditions of a row of scores as one text, and back: "model=vgg, attack=fgsm". In keys and
 * values a backslash stands before a comma, an equals sign and a backslash. */
#pragma once

#include "pipeline/table/tags.h"

/* Adds one condition to TEXT. */
void sl_group_append (GString *text, const char *key, const char *value);

/* CONDITIONS <- those of TEXT[length], over what it has; FALSE where it is no such text. */
gboolean sl_group_parse (SlTags *conditions, const char *text, gsize length);
