/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members of a JSON object whose form nobody has checked. Each is NULL where OBJECT is NULL, has no
 * member NAME, or has one of another type. */
#pragma once

#include <json-glib/json-glib.h>

JsonNode *sl_json_node_of (JsonObject *object, const char *name, JsonNodeType type);
const char *sl_json_text_of (JsonObject *object, const char *name);
JsonObject *sl_json_object_of (JsonObject *object, const char *name);
JsonArray *sl_json_array_of (JsonObject *object, const char *name);

/* Element I of ARRAY, where it is an object; NULL otherwise. */
JsonObject *sl_json_element (JsonArray *array, guint i);
