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
#include "pipeline/base/number-text.h"
#include "schemas/annotations.h"

#include <math.h>
#include <string.h>

#define MAX_DEPTH 8 /* deeper nesting is no form */

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

/* A percent as it was typed, NaN for none. */
static double
percent_of (SlJson value, const SlAnswerFormRules *rules, SlAnswerForm *form)
{
  if (sl_json_type (value) == SL_JSON_NULL)
    return (double) NAN;
  if (sl_json_type (value) == SL_JSON_NUMBER)
    return sl_percent_of_number (sl_json_number (value), rules->scale, &form->percents);
  const char *typed = sl_json_c_str (value);
  g_autofree char *text = g_strstrip (g_strdup (typed != NULL ? typed : "?"));
  for (int i = 0; rules->replace_from[i] != NULL; i++)
    if (strcmp (text, rules->replace_from[i]) == 0)
      {
        form->n_replaced++;
        return rules->replace_to[i];
      }
  double percent;
  char room[64];
  const gsize n = strlen (text);
  if (n == 0)
    return (double) NAN;
  if (sl_percent_read (sl_with_point (rules->decimal_comma, text, n, room), n, rules->scale,
                       &percent, &form->percents))
    return percent;
  return SL_PERCENT_UNREADABLE;
}

static char *
without_prefix (const char *text, const char *prefix)
{
  return g_strdup (g_str_has_prefix (text, prefix) ? text + strlen (prefix) : text);
}

static gboolean
is_ticked (SlJson value)
{
  const char *text = sl_json_c_str (value);
  if (text != NULL)
    return text[0] != '\0' && strcmp (text, "0") != 0 && strcmp (text, "false") != 0;
  double number = sl_json_number (value);
  return sl_json_is_true (value) || (!isnan (number) && number != 0);
}

/* Takes one field. */
static void
take (SlAnswerForm *form, const char *name, SlJson value, const SlAnswerFormRules *rules)
{
  static const char tick[] = "improbClassSelect";
  const char *text = sl_json_c_str (value);
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
    form->percent = percent_of (value, rules, form);
  else if (strcmp (name, "prob2") == 0)
    form->percent2 = percent_of (value, rules, form);
  else if (g_str_has_prefix (name, tick) && name[sizeof tick - 1] != '\0')
    {
      if (is_ticked (value))
        g_ptr_array_add (form->impossible, g_strdup (name + sizeof tick - 1));
    }
  else
    known = FALSE;
  form->is_form = form->is_form || known;
}

static void
take_all (SlAnswerForm *form, SlJson root, const SlAnswerFormRules *rules)
{
  gboolean object = sl_json_type (root) == SL_JSON_OBJECT;
  for (SlJsonEach each = sl_json_each (root); sl_json_each_next (&each);)
    {
      const char *name = object ? each.key.text : sl_json_c_str (sl_json_get (each.value, "name"));
      SlJson value = object ? each.value : sl_json_get (each.value, "value");
      if (name != NULL && sl_json_type (value) != SL_JSON_ABSENT)
        take (form, name, value, rules);
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
sl_answer_form_parse (SlJsonParser *parser, const char *json, gsize n,
                      const SlAnswerFormRules *rules, SlAnswerForm *form)
{
  *form = (SlAnswerForm){ .percent = (double) NAN, .percent2 = (double) NAN };
  g_autofree char *text = g_strndup (json, n);
  SlJson root;
  const char *wrong = sl_json_parse_text (parser, text, &root);
  if (g_strcmp0 (wrong, SL_JSON_BAD_ESCAPE) == 0)
    return "the response has an escape that stands for no character";
  if (g_strcmp0 (wrong, SL_JSON_TOO_DEEP) == 0 || sl_json_depth (root) > MAX_DEPTH)
    return "the response is nested too deeply";
  if (wrong != NULL
      || (sl_json_type (root) != SL_JSON_OBJECT && sl_json_type (root) != SL_JSON_ARRAY))
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
