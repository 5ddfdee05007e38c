/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lineage.h"

#include "html-text.h"
#include "pipeline/base/number-text.h"
#include "pipeline/command/options/recorded-options.h"
#include "pipeline/command/provenance.h"

#include <string.h>

#define MOST_STEPS 300
#define MOST_TEXT 400 /* bytes of a step's options */

static void
step_free (gpointer data)
{
  SlStep *step = data;
  g_free (step->name);
  g_free (step->text);
  g_array_unref (step->from);
  g_free (step);
}

void
sl_lineage_init (SlLineage *lineage)
{
  *lineage = (SlLineage){ .steps = g_ptr_array_new_with_free_func (step_free),
                          .number = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
}

void
sl_lineage_clear (SlLineage *lineage)
{
  g_ptr_array_unref (lineage->steps);
  g_hash_table_unref (lineage->number);
}

static JsonNode *
member (JsonObject *object, const char *name, JsonNodeType type)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;
  return node != NULL && JSON_NODE_TYPE (node) == type ? node : NULL;
}

static JsonObject *
object_of (JsonObject *object, const char *name)
{
  JsonNode *node = member (object, name, JSON_NODE_OBJECT);
  return node != NULL ? json_node_get_object (node) : NULL;
}

static const char *
text_of (JsonObject *object, const char *name)
{
  JsonNode *node = member (object, name, JSON_NODE_VALUE);
  gboolean text = node != NULL && json_node_get_value_type (node) == G_TYPE_STRING;
  return text ? json_node_get_string (node) : NULL;
}

/* The step that KEY says all of, a new one where there is none; -1 where there is no room. Takes
 * FROM. */
static int
find_step (SlLineage *lineage, SlStepKind kind, const char *key, const char *name, const char *text,
           GArray *from)
{
  GString *whole = g_string_new (NULL);
  g_string_append_printf (whole, "%d\n%s\n%s", kind, name, key);
  for (guint i = 0; i < from->len; i++)
    g_string_append_printf (whole, "\n%d", g_array_index (from, int, i));
  g_autofree char *identity = g_string_free (whole, FALSE);
  int number = GPOINTER_TO_INT (g_hash_table_lookup (lineage->number, identity)) - 1;
  /* For the tables themselves there is always room. */
  gboolean full = lineage->steps->len >= MOST_STEPS && kind != SL_STEP_TABLE;
  lineage->cut |= number < 0 && full;
  if (number >= 0 || full)
    {
      g_array_unref (from);
      return number;
    }
  for (guint i = 0; i < from->len; i++)
    ((SlStep *) lineage->steps->pdata[g_array_index (from, int, i)])->n_uses++;
  SlStep *step = g_new0 (SlStep, 1);
  *step = (SlStep){ kind, g_strdup (name), g_strdup (text), from, 0 };
  g_ptr_array_add (lineage->steps, step);
  g_hash_table_insert (lineage->number, g_steal_pointer (&identity),
                       GINT_TO_POINTER ((int) lineage->steps->len));
  return (int) lineage->steps->len - 1;
}

static GArray *
no_steps (void)
{
  return g_array_new (FALSE, FALSE, sizeof (int));
}

/* Each step is named once, however often it is read. */
static void
add_from (GArray *from, int number)
{
  for (guint i = 0; i < from->len; i++)
    if (g_array_index (from, int, i) == number)
      return;
  if (number >= 0)
    g_array_append_val (from, number);
}

static int
find_file (SlLineage *lineage, JsonObject *file)
{
  const char *name = text_of (file, "name"), *digest = text_of (file, "xxh3");
  JsonNode *size = member (file, "size", JSON_NODE_VALUE);
  g_autoptr (GString) text = g_string_new (NULL);
  if (size != NULL)
    {
      sl_html_count (text, json_node_get_int (size));
      g_string_append (text, " bytes");
    }
  if (digest != NULL)
    g_string_append_printf (text, ", XXH3 %s", digest);
  return name != NULL ? find_step (lineage, SL_STEP_SOURCE, text->str, name, text->str, no_steps ())
                      : -1;
}

static void
append_value (GString *out, JsonNode *node)
{
  char digits[SL_REAL_CHARS];
  GType type = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node) : G_TYPE_INVALID;
  if (type == G_TYPE_STRING)
    g_string_append_printf (out, " %s", json_node_get_string (node));
  else if (type == G_TYPE_INT64)
    g_string_append_printf (out, " %" G_GINT64_FORMAT, json_node_get_int (node));
  else if (type == G_TYPE_DOUBLE)
    {
      g_string_append_c (out, ' ');
      g_string_append_len (out, digits,
                           (gssize) sl_format_real (digits, json_node_get_double (node)));
    }
}

static void
append_option (GString *out, const char *name, JsonNode *node)
{
  if (JSON_NODE_HOLDS_ARRAY (node))
    {
      JsonArray *values = json_node_get_array (node);
      for (guint i = 0; i < json_array_get_length (values); i++)
        {
          g_string_append_printf (out, "%s--%s", out->len > 0 ? " " : "", name);
          append_value (out, json_array_get_element (values, i));
        }
      return;
    }
  gboolean flag = JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_BOOLEAN;
  if (JSON_NODE_HOLDS_NULL (node) || (flag && !json_node_get_boolean (node)))
    return;
  g_string_append_printf (out, "%s--%s", out->len > 0 ? " " : "", name);
  append_value (out, node);
}

/* The options of STAGE that are not at their defaults, its seed and its tags. */
static char *
describe (JsonObject *stage)
{
  GString *out = g_string_new (NULL);
  g_autoptr (JsonNode) defaults
      = sl_recorded_defaults (text_of (stage, "verb"), text_of (stage, "version"));
  JsonObject *options = object_of (stage, "options"), *tags = object_of (stage, "tags");
  g_autoptr (GList) names = options != NULL ? json_object_get_members (options) : NULL;
  for (GList *name = names; name != NULL; name = name->next)
    {
      JsonNode *value = json_object_get_member (options, name->data);
      if (!sl_recorded_is_default (defaults, name->data, value))
        append_option (out, name->data, value);
    }
  JsonNode *shard = member (stage, "shard", JSON_NODE_VALUE);
  if (shard != NULL)
    append_option (out, "shard", shard);
  JsonNode *seed = member (stage, "seed", JSON_NODE_VALUE);
  if (seed != NULL && json_node_get_int (seed) != 0)
    append_option (out, "seed", seed);
  g_autoptr (GList) keys = tags != NULL ? json_object_get_members (tags) : NULL;
  for (GList *key = keys; key != NULL; key = key->next)
    g_string_append_printf (out, "%s--tag %s=%s", out->len > 0 ? " " : "", (char *) key->data,
                            text_of (tags, key->data) != NULL ? text_of (tags, key->data) : "");
  if (out->len > MOST_TEXT)
    {
      const char *end = g_utf8_find_prev_char (out->str, out->str + MOST_TEXT);
      g_string_truncate (out, end != NULL ? (gsize) (end - out->str) : 0);
      g_string_append (out, "…");
    }
  return g_string_free (out, FALSE);
}

static int find_chain (SlLineage *lineage, JsonNode *history);

static int
find_stage (SlLineage *lineage, JsonNode *entry, int before)
{
  JsonObject *stage = JSON_NODE_HOLDS_OBJECT (entry) ? json_node_get_object (entry) : NULL;
  const char *verb = text_of (stage, "verb");
  if (verb == NULL)
    return find_step (lineage, SL_STEP_UNKNOWN, "", "unknown", "", no_steps ());
  GArray *from = no_steps ();
  add_from (from, before);
  JsonNode *list = member (stage, "sources", JSON_NODE_ARRAY);
  JsonArray *sources = list != NULL ? json_node_get_array (list) : NULL;
  for (guint i = 0; sources != NULL && i < json_array_get_length (sources); i++)
    {
      JsonNode *file = json_array_get_element (sources, i);
      if (JSON_NODE_HOLDS_OBJECT (file))
        add_from (from, find_file (lineage, json_node_get_object (file)));
    }
  JsonObject *inputs = object_of (stage, "inputs");
  g_autoptr (GList) names = inputs != NULL ? json_object_get_members (inputs) : NULL;
  for (GList *name = names; name != NULL; name = name->next)
    {
      JsonNode *input = json_object_get_member (inputs, name->data);
      if (JSON_NODE_HOLDS_OBJECT (input))
        add_from (from, find_file (lineage, json_node_get_object (input)));
      else if (JSON_NODE_HOLDS_ARRAY (input))
        add_from (from, find_chain (lineage, input));
    }
  g_autofree char *text = describe (stage);
  return find_step (lineage, SL_STEP_STAGE, text, verb, text, from);
}

/* The last step of HISTORY, an array. */
static int
find_chain (SlLineage *lineage, JsonNode *history)
{
  JsonArray *stages = json_node_get_array (history);
  int last = -1;
  for (guint i = 0; i < json_array_get_length (stages); i++)
    last = find_stage (lineage, json_array_get_element (stages, i), last);
  return json_array_get_length (stages) > 0 ? last
                                            : find_step (lineage, SL_STEP_UNKNOWN, "", "unknown",
                                                         "a table without a history", no_steps ());
}

void
sl_lineage_add (SlLineage *lineage, const SlTable *table, const char *name)
{
  GArray *from = no_steps ();
  gboolean readable = table->provenance != NULL && sl_provenance_is_history (table->provenance);
  g_autoptr (JsonNode) history = readable ? json_from_string (table->provenance, NULL) : NULL;
  if (history != NULL && JSON_NODE_HOLDS_ARRAY (history))
    add_from (from, find_chain (lineage, history));
  else
    add_from (from, find_step (lineage, SL_STEP_UNKNOWN, name, "unknown",
                               "no history: written with --no-provenance, or by another program",
                               no_steps ()));
  find_step (lineage, SL_STEP_TABLE, name, name, "", from);
}
