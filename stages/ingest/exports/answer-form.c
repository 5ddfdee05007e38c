/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answers of a form are an object {field: value}, or, as jsPsych's `dataAsArray` has it,
 * [{"name": field, "value": value}]. Values are texts in a browser's form, but numbers and booleans
 * are taken too. The fields:
 *
 *     classSelect             "mostProbDeer"
 *     prob                    "80"
 *     classSelect2            "secondProbDog", or "secondProbNo" for none
 *     prob2                   "20"
 *     improbClassSelectFrog   there, and not empty, if the box is ticked */
#include "answer-form.h"

#include "pipeline/base/error.h"
#include "pipeline/base/json.h"
#include "pipeline/base/number-text.h"
#include "schemas/annotations.h"

#include <math.h>
#include <string.h>

/* Deeper nesting is no form, and json-glib goes down by recursion. */
#define MAX_DEPTH 8

gboolean
sl_answer_form_rules_init (SlAnswerFormRules *rules, char *const *replace, SlZeroPercent zero,
                           SlPercentScale scale, GError **error)
{
  guint n = replace != NULL ? g_strv_length ((char **) replace) : 0;
  *rules = (SlAnswerFormRules){ g_new0 (char *, n + 1), g_new0 (double, n + 1), zero, scale };
  for (guint i = 0; i < n; i++)
    {
      const char *equals = strrchr (replace[i], '=');
      if (equals == NULL || equals == replace[i]
          || !sl_parse_real (equals + 1, -1, &rules->replace_to[i]))
        return sl_error_usage (error, "--replace-percent: '%s' is not of the form TEXT=NUMBER",
                               replace[i]);
      rules->replace_from[i] = g_strndup (replace[i], (gsize) (equals - replace[i]));
    }
  return TRUE;
}

void
sl_answer_form_rules_clear (SlAnswerFormRules *rules)
{
  g_strfreev (rules->replace_from);
  g_free (rules->replace_to);
}

void
sl_answer_form_clear (SlAnswerForm *form)
{
  g_clear_pointer (&form->first, g_free);
  g_clear_pointer (&form->second, g_free);
  g_clear_pointer (&form->impossible, g_ptr_array_unref);
}

/* What is wrong with the JSON before it is parsed, or NULL. JSON-GLib also takes 'texts' and
 * comments, in which brackets would have to be told apart again. */
static const char *
find_fault (const char *json, gsize n)
{
  int depth = 0;
  gboolean quoted = FALSE;
  for (gsize i = 0; i < n; i++)
    if (quoted && json[i] == '\\')
      i++;
    else if (json[i] == '"')
      quoted = !quoted;
    else if (!quoted && (json[i] == '{' || json[i] == '['))
      {
        if (++depth > MAX_DEPTH)
          return "the response is nested too deeply";
      }
    else if (!quoted && (json[i] == '}' || json[i] == ']'))
      depth--;
    else if (!quoted && (json[i] == '\'' || json[i] == '/'))
      return "the response is not a JSON object";
  return sl_json_has_fit_texts (json, n)
             ? NULL
             : "the response has an escape that stands for no character";
}

/* The text of a value; NULL if it is none. */
static const char *
text_of (JsonNode *node)
{
  return JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : NULL;
}

/* A percent as it was typed, NaN for none. */
static double
percent_of (JsonNode *node, const SlAnswerFormRules *rules, SlAnswerForm *form)
{
  if (JSON_NODE_HOLDS_NULL (node))
    return (double) NAN;
  GType type = JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node) : G_TYPE_INVALID;
  if (type == G_TYPE_INT64 || type == G_TYPE_DOUBLE)
    return sl_percent_of_number (json_node_get_double (node), rules->scale, &form->percents);
  g_autofree char *text = g_strdup (text_of (node) != NULL ? text_of (node) : "?");
  g_strstrip (text);
  for (int i = 0; rules->replace_from[i] != NULL; i++)
    if (strcmp (text, rules->replace_from[i]) == 0)
      {
        form->n_replaced++;
        return rules->replace_to[i];
      }
  double percent;
  if (text[0] == '\0')
    return (double) NAN;
  if (sl_percent_read (text, strlen (text), rules->scale, &percent, &form->percents))
    return percent;
  return SL_PERCENT_UNREADABLE;
}

static char *
without_prefix (const char *text, const char *prefix)
{
  return g_strdup (g_str_has_prefix (text, prefix) ? text + strlen (prefix) : text);
}

static gboolean
is_ticked (JsonNode *node)
{
  const char *text = text_of (node);
  if (text != NULL)
    return text[0] != '\0' && strcmp (text, "0") != 0 && strcmp (text, "false") != 0;
  return JSON_NODE_HOLDS_VALUE (node)
         && (json_node_get_boolean (node) || json_node_get_double (node) != 0);
}

/* Takes one field. */
static void
take (SlAnswerForm *form, const char *name, JsonNode *node, const SlAnswerFormRules *rules)
{
  static const char tick[] = "improbClassSelect";
  const char *text = text_of (node);
  gboolean known = TRUE;
  if (strcmp (name, "classSelect") == 0 && text != NULL)
    {
      g_free (form->first);
      form->first = without_prefix (text, "mostProb");
    }
  else if (strcmp (name, "classSelect2") == 0 && text != NULL)
    {
      g_free (form->second);
      form->second = without_prefix (text, "secondProb");
    }
  else if (strcmp (name, "prob") == 0)
    form->percent = percent_of (node, rules, form);
  else if (strcmp (name, "prob2") == 0)
    form->percent2 = percent_of (node, rules, form);
  else if (g_str_has_prefix (name, tick) && name[sizeof tick - 1] != '\0')
    {
      if (is_ticked (node))
        g_ptr_array_add (form->impossible, g_strdup (name + sizeof tick - 1));
    }
  else
    known = FALSE;
  form->is_form = form->is_form || known;
}

static void
take_all (SlAnswerForm *form, JsonNode *root, const SlAnswerFormRules *rules)
{
  if (JSON_NODE_HOLDS_OBJECT (root))
    {
      JsonObjectIter iter;
      const char *name;
      JsonNode *node;
      json_object_iter_init_ordered (&iter, json_node_get_object (root));
      while (json_object_iter_next_ordered (&iter, &name, &node))
        take (form, name, node, rules);
      return;
    }
  JsonArray *array = json_node_get_array (root);
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonNode *element = json_array_get_element (array, i);
      JsonObject *pair = JSON_NODE_HOLDS_OBJECT (element) ? json_node_get_object (element) : NULL;
      JsonNode *name = pair != NULL ? json_object_get_member (pair, "name") : NULL;
      JsonNode *value = pair != NULL ? json_object_get_member (pair, "value") : NULL;
      if (name != NULL && value != NULL && text_of (name) != NULL)
        take (form, text_of (name), value, rules);
    }
}

/* Settles the second choice, if there is one: a second percent without it does not count. Then
 * reads the first percent by the rules. */
static void
apply_rules (SlAnswerForm *form, const SlAnswerFormRules *rules)
{
  if (form->second != NULL
      && (form->second[0] == '\0' || g_ascii_strcasecmp (form->second, "No") == 0))
    g_clear_pointer (&form->second, g_free);
  if (form->second == NULL)
    {
      form->percent2_alone = !isnan (form->percent2);
      form->percent2 = (double) NAN;
    }
  form->typed = form->percent;
  gboolean zero = isnan (form->typed) || form->typed == 0;
  form->repaired = zero && rules->zero == SL_ZERO_HUNDRED;
  if (form->repaired)
    form->percent = 100;
  else if (zero && rules->zero == SL_ZERO_MISSING)
    form->percent = (double) NAN;
}

const char *
sl_answer_form_parse (JsonParser *parser, const char *json, gsize n, const SlAnswerFormRules *rules,
                      SlAnswerForm *form)
{
  *form = (SlAnswerForm){ .percent = (double) NAN, .percent2 = (double) NAN };
  const char *fault = find_fault (json, n);
  if (fault != NULL)
    return fault;
  JsonNode *root = json_parser_load_from_data (parser, json, (gssize) n, NULL)
                       ? json_parser_get_root (parser)
                       : NULL;
  if (root == NULL || !(JSON_NODE_HOLDS_OBJECT (root) || JSON_NODE_HOLDS_ARRAY (root)))
    return "the response is not a JSON object";
  form->impossible = g_ptr_array_new_with_free_func (g_free);
  take_all (form, root, rules);
  if (!form->is_form)
    return NULL;
  if (form->first == NULL || form->first[0] == '\0')
    return "no first class (classSelect) in the response";
  apply_rules (form, rules);
  return NULL;
}
