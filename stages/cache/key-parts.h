/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A key's JSON as its parts: "options.top" is "2", "inputs.file 1.xxh3" a digest. */
#pragma once

#include <glib.h>

/* Of texts by texts; what is no JSON object has no parts. */
GHashTable *sl_key_parts (const char *key);

/* In how many parts two keys differ; where LIST is given, the names of these, sorted. */
guint sl_key_differences (GHashTable *one, GHashTable *other, GPtrArray *list);
