/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "json-members.h"

JsonNode *
sl_json_node_of (JsonObject *object, const char *name, JsonNodeType type)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;
  return node != NULL && JSON_NODE_TYPE (node) == type ? node : NULL;
}

const char *
sl_json_text_of (JsonObject *object, const char *name)
{
  JsonNode *node = sl_json_node_of (object, name, JSON_NODE_VALUE);
  return node != NULL && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : NULL;
}

JsonObject *
sl_json_object_of (JsonObject *object, const char *name)
{
  JsonNode *node = sl_json_node_of (object, name, JSON_NODE_OBJECT);
  return node != NULL ? json_node_get_object (node) : NULL;
}

JsonArray *
sl_json_array_of (JsonObject *object, const char *name)
{
  JsonNode *node = sl_json_node_of (object, name, JSON_NODE_ARRAY);
  return node != NULL ? json_node_get_array (node) : NULL;
}

JsonObject *
sl_json_element (JsonArray *array, guint i)
{
  JsonNode *node = json_array_get_element (array, i);
  return JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}
