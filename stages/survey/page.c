/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page.h"

#include "pipeline/base/error.h"
#include "pipeline/base/json.h"
#include "pipeline/base/process/named-files.h"
#include "pipeline/base/random.h"
#include "pipeline/base/shown-text.h"
#include "stages/common/classes/class-scale.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The files of page/, as glib-compile-resources has put them into the program. */
GResource *survey_page_get_resource (void);

#define FOLDER "/softlabel/survey/"
#define IN_ROW_MOST 7 /* classes beside each other: more are too narrow on a phone */

/* In the order in which they run. */
static const char *const scripts[]
    = { "random.js", "plan.js",     "answers.js",   "store.js", "send.js",
        "timing.js", "elements.js", "questions.js", "page.js",  NULL };

GBytes *
sl_survey_source (const char *name)
{
  g_autofree char *path = g_strconcat (FOLDER, name, NULL);
  GBytes *bytes = g_resource_lookup_data (survey_page_get_resource (), path,
                                          G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  g_assert (bytes != NULL);
  return bytes;
}

static void
append_source (GString *out, const char *name)
{
  g_autoptr (GBytes) bytes = sl_survey_source (name);
  gsize n;
  const char *text = g_bytes_get_data (bytes, &n);
  g_string_append_len (out, text, (gssize) n);
}

/* What stands between the tags, as a policy has it. */
static char *
policy_hash (const GString *text)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  guint8 digest[32];
  gsize n = sizeof digest;
  g_checksum_update (sum, (const guchar *) text->str, (gssize) text->len);
  g_checksum_get_digest (sum, digest, &n);
  g_autofree char *base64 = g_base64_encode (digest, n);
  return g_strdup_printf ("'sha256-%s'", base64);
}

static void
append_purposes (GString *json)
{
  static const char *const names[] = { "batches", "batch", "order", "classes", "ends", "cover" };
  g_string_append_c (json, '{');
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *purpose = g_strconcat ("survey: ", names[i], NULL);
      sl_json_integer_member (json, names[i], sl_random_purpose (purpose));
    }
  g_string_append_c (json, '}');
}

static void
append_plan (GString *json, const SlStudy *study)
{
  const SlPlan *plan = &study->plan;
  g_autofree char *seed = g_strdup_printf ("%" G_GUINT64_FORMAT, plan->seed);
  g_string_append_c (json, '{');
  sl_json_text_member (json, "seed", seed);
  sl_json_integer_member (json, "items", plan->n_items);
  sl_json_integer_member (json, "low", plan->n_low);
  sl_json_integer_member (json, "checks", plan->n_checks);
  sl_json_integer_member (json, "practice", study->n_practice);
  sl_json_integer_member (json, "each", plan->each);
  sl_json_integer_member (json, "lowEach", plan->low_each);
  sl_json_integer_member (json, "checksEach", plan->checks_each);
  sl_json_integer_member (json, "repeats", plan->repeats);
  sl_json_flag_member (json, "repeatsAtEnd", plan->repeats_at_end);
  sl_json_integer_member (json, "classes", plan->n_classes);
  if (plan->n_dealt > 0)
    sl_json_member (json, "dealt");
  for (int b = 0; b < plan->n_dealt; b++)
    {
      g_string_append (json, b > 0 ? "],[" : "[[");
      for (int i = 0; i < plan->each; i++)
        g_string_append_printf (json, i > 0 ? ",%d" : "%d", plan->dealt[b * plan->each + i]);
    }
  g_string_append (json, plan->n_dealt > 0 ? "]]" : "");
  sl_json_member (json, "purposes");
  append_purposes (json);
  g_string_append_c (json, '}');
}

static int
shown_items (const SlStudy *study)
{
  return study->plan.n_items + study->plan.n_checks + study->n_practice;
}

static void
append_mixture (GString *json, const SlSurveyItem *item)
{
  char lambda[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append_c (json, '{');
  sl_json_text_member (json, "first", item->end_name[0]);
  sl_json_text_member (json, "second", item->end_name[1]);
  sl_json_text_member (json, "lambda", g_ascii_dtostr (lambda, sizeof lambda, item->lambda));
  sl_json_member (json, "classes");
  g_string_append_c (json, '[');
  sl_json_string (json, item->end_class[0], -1);
  g_string_append_c (json, ',');
  sl_json_string (json, item->end_class[1], -1);
  g_string_append (json, "]}");
}

/* What nobody is to see who just looks at the page's source: names, what is right, the code.
 * Enciphered, as base64. */
static char *
hidden_part (const SlStudy *study)
{
  g_autoptr (GString) json = g_string_new ("{");
  static const char *const names[] = { "names", "gold", "mixtures" };
  for (gsize m = 0; m < G_N_ELEMENTS (names); m++)
    {
      if (m == 2 && study->ends == NULL)
        continue;
      sl_json_member (json, names[m]);
      g_string_append_c (json, '[');
      for (int i = 0; i < shown_items (study); i++)
        {
          const SlSurveyItem *item = study->items->pdata[i];
          g_string_append (json, i > 0 ? "," : "");
          if (m == 2)
            append_mixture (json, item);
          else
            sl_json_text_or_null (json, m == 0 ? item->name : item->gold);
        }
      g_string_append_c (json, ']');
    }
  sl_json_text_member (json, "code", study->options->code);
  g_string_append_c (json, '}');
  sl_plan_cover (study->run->seed, (guint8 *) json->str, json->len);
  return g_base64_encode ((const guchar *) json->str, json->len);
}

static void
append_allocation (GString *json, const SlStudy *study)
{
  g_string_append_c (json, '{');
  for (guint i = 0; i < study->allotted->len; i++)
    {
      const char *name = study->allotted->pdata[i];
      g_autofree char *key
          = g_strdup_printf ("%016" G_GINT64_MODIFIER "x", sl_plan_key (name, strlen (name)));
      sl_json_integer_member (json, key, sl_study_batch_of (study, name));
    }
  g_string_append_c (json, '}');
}

/* Whether the classes are a short scale, whose steps stand side by side. */
static gboolean
is_in_row (const SlStudy *study)
{
  g_autofree char *scale = study->options->class_order == 0 && study->plan.n_classes <= IN_ROW_MOST
                               ? sl_scale_guess (study->classes)
                               : NULL;
  return scale != NULL;
}

/* What the page calls the task: of soft answers there is a form for one class, two, and more. */
static const char *
form_of (const SlSurveyOptions *options)
{
  gboolean is_plain = options->task != SL_TASK_SOFT || options->top == 0 || options->top == 2;
  return is_plain ? sl_survey_tasks[options->task] : options->top == 1 ? "single" : "several";
}

/* Everything but the study's own name, which follows from it. */
static void
append_members (GString *json, const SlStudy *study, char *const *pictures, const SlWords *words,
                const char *instructions, const char *consent)
{
  const SlSurveyOptions *options = study->options;
  g_autofree char *hidden = hidden_part (study), *texts = sl_json_to_string (words->all);
  sl_json_text_member (json, "title", options->title);
  sl_json_text_member (json, "task", form_of (options));
  if (options->top > 0)
    sl_json_integer_member (json, "top", options->top);
  sl_json_text_member (json, "perspective", options->perspective == 0 ? "third" : "first");
  sl_json_flag_member (json, "noAlternative", options->no_alternative);
  sl_json_flag_member (json, "shuffleClasses", options->class_order == 1);
  sl_json_flag_member (json, "inRow", is_in_row (study));
  sl_json_text_member (json, "question", options->question);
  sl_json_text_member (json, "instructions", instructions);
  sl_json_text_member (json, "consent", consent);
  sl_json_member (json, "words");
  g_string_append (json, texts);
  sl_json_text_member (json, "post", options->post);
  sl_json_member (json, "classes");
  g_string_append_c (json, '[');
  for (char **class = study->classes; *class != NULL; class ++)
    {
      g_string_append (json, class != study->classes ? "," : "");
      sl_json_string (json, *class, -1);
    }
  g_string_append_c (json, ']');
  sl_json_member (json, "plan");
  append_plan (json, study);
  sl_json_member (json, pictures != NULL ? "pictures" : "texts");
  g_string_append_c (json, '[');
  for (int i = 0; i < shown_items (study); i++)
    {
      const SlSurveyItem *item = study->items->pdata[i];
      g_string_append (json, i > 0 ? "," : "");
      sl_json_string (json, pictures != NULL ? pictures[i] : item->text, -1);
    }
  g_string_append_c (json, ']');
  if (study->allocation != NULL)
    {
      sl_json_member (json, "allocation");
      append_allocation (json, study);
    }
  sl_json_text_member (json, "hidden", hidden);
}

/* JSON that no markup ends: outside of its texts there is no "<". */
static GString *
data_of (const SlStudy *study, char *const *pictures, const SlWords *words,
         const char *instructions, const char *consent)
{
  g_autoptr (GString) members = g_string_new ("{");
  append_members (members, study, pictures, words, instructions, consent);
  g_autofree char *id = g_strdup_printf ("%016" G_GINT64_MODIFIER "x",
                                         (guint64) XXH3_64bits (members->str, members->len));
  sl_json_text_member (members, "id", id);
  g_string_append_c (members, '}');
  GString *data = g_string_sized_new (members->len);
  for (gsize i = 0; i < members->len; i++)
    if (members->str[i] == '<')
      g_string_append (data, "\\u003c");
    else
      g_string_append_c (data, members->str[i]);
  return data;
}

/* An address as a policy takes it: without what stands behind "?" or "#". */
static char *
connect_source (const char *url)
{
  return url != NULL ? g_strndup (url, strcspn (url, "?#")) : g_strdup ("'none'");
}

static void
append_escaped (GString *out, const char *text)
{
  g_autofree char *escaped = g_markup_escape_text (text, -1);
  g_string_append (out, escaped);
}

GString *
sl_survey_page (const SlStudy *study, char *const *pictures, const SlWords *words,
                const char *instructions, const char *consent)
{
  g_autoptr (GString) style = g_string_new ("\n"), script = g_string_new ("\n'use strict';\n");
  g_autoptr (GString) data = data_of (study, pictures, words, instructions, consent);
  append_source (style, "survey.css");
  for (const char *const *name = scripts; *name != NULL; name++)
    append_source (script, *name);
  g_autofree char *style_hash = policy_hash (style), *script_hash = policy_hash (script);
  g_autofree char *connect = connect_source (study->options->post);
  const char *title
      = study->options->title != NULL ? study->options->title : sl_words_get (words, "title");
  GString *out = g_string_new (NULL);
  g_string_append_printf (out,
                          "<!DOCTYPE html>\n<html lang=\"%s\" dir=\"%s\">\n<head>\n"
                          "<meta charset=\"utf-8\">\n",
                          sl_words_get (words, "lang"), sl_words_get (words, "dir"));
  g_string_append_printf (out,
                          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                          "'none'; script-src %s; style-src %s; img-src 'self' data:; connect-src "
                          "%s; base-uri 'none'; form-action 'none'\">\n",
                          script_hash, style_hash, connect);
  g_string_append (out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                        "<meta name=\"color-scheme\" content=\"light dark\">\n"
                        "<meta name=\"referrer\" content=\"no-referrer\">\n"
                        "<link rel=\"icon\" href=\"data:,\">\n<title>");
  append_escaped (out, title);
  g_string_append_printf (out, "</title>\n<style>%s</style>\n</head>\n<body>\n", style->str);
  g_string_append (out, "<noscript><p>");
  append_escaped (out, sl_words_get (words, "noscript"));
  g_string_append (out, "</p></noscript>\n"
                        "<p id=\"warning\" role=\"alert\" hidden></p>\n<main id=\"main\"></main>\n"
                        "<script type=\"application/json\" id=\"study\">");
  g_string_append_len (out, data->str, (gssize) data->len);
  g_string_append_printf (out, "</script>\n<script>%s</script>\n</body>\n</html>\n", script->str);
  return out;
}

/* ---- the page's texts (--language) ---- */

#define MOST_NAMES 12 /* that a message lists */

static void
add_name (GString *list, guint *n, const char *name)
{
  if ((*n)++ < MOST_NAMES)
    g_string_append_printf (list, "%s%s", *n > 1 ? ", " : "", name);
}

/* FALSE and ERROR where LIST has names, N of them; WHAT says what is wrong with them. */
static gboolean
check_none (const char *path, const char *what, const GString *list, guint n, GError **error)
{
  g_autofree char *shown = sl_shown (list->str, list->len);
  g_autofree char *more
      = n > MOST_NAMES ? g_strdup_printf (", and %u more", n - MOST_NAMES) : g_strdup ("");
  return n == 0 || sl_error_bad_input (error, "--language: %s: %s: %s%s", path, what, shown, more);
}

/* Whether each {name} in TEXT is in ENGLISH, too. */
static gboolean
places_fit (const char *text, const char *english)
{
  const char *end;
  for (const char *at = strchr (text, '{'); at != NULL; at = strchr (end, '{'))
    {
      end = strchr (at, '}');
      if (end == NULL)
        return FALSE;
      g_autofree char *place = g_strndup (at, (gsize) (end - at) + 1);
      if (strstr (english, place) == NULL)
        return FALSE;
    }
  return TRUE;
}

/* Whether WORDS have the names of ENGLISH, each with a text. */
static gboolean
check_names (const SlWords *words, SlJson english, const char *path, GError **error)
{
  g_autoptr (GString) missing = g_string_new (NULL), unknown = g_string_new (NULL),
                      misplaced = g_string_new (NULL);
  guint n_missing = 0, n_unknown = 0, n_misplaced = 0;
  for (SlJsonEach each = sl_json_each (english); sl_json_each_next (&each);)
    {
      const char *text = sl_words_get (words, each.key.text);
      if (text == NULL || *text == '\0')
        add_name (missing, &n_missing, each.key.text);
      else if (!places_fit (text, sl_json_c_str (each.value)))
        add_name (misplaced, &n_misplaced, each.key.text);
    }
  for (SlJsonEach each = sl_json_each (words->all); sl_json_each_next (&each);)
    if (sl_json_type (sl_json_get (english, each.key.text)) == SL_JSON_ABSENT)
      add_name (unknown, &n_unknown, each.key.text);
  return check_none (path, "texts are missing", missing, n_missing, error)
         && check_none (path, "these are no texts of the page", unknown, n_unknown, error)
         && check_none (path, "a {place} in these is none of the English text", misplaced,
                        n_misplaced, error);
}

static gboolean
check_language (const SlWords *words, const char *path, GError **error)
{
  const char *lang = sl_words_get (words, "lang"), *dir = sl_words_get (words, "dir");
  for (const char *at = lang; *at != '\0'; at++)
    if (!g_ascii_isalnum (*at) && *at != '-')
      return sl_error_bad_input (error, "--language: %s: lang is no name of a language such as de",
                                 path);
  return strcmp (dir, "ltr") == 0 || strcmp (dir, "rtl") == 0
         || sl_error_bad_input (error, "--language: %s: dir is neither ltr nor rtl", path);
}

/* TEXT[n] with what a parser wants behind it. */
static const char *
parse (SlJsonParser *parser, const char *text, gsize n, SlJson *value)
{
  return sl_json_parse_cell (parser, (SlCell){ text, n }, value);
}

gboolean
sl_words_init (SlWords *words, GBytes *own, const char *path, GError **error)
{
  gsize n;
  SlJson english;
  const char *text = g_bytes_get_data (own, &n), *wrong;
  words->english_parser = sl_json_parser_new ();
  words->parser = sl_json_parser_new ();
  wrong = parse (words->english_parser, text, n, &english);
  g_assert (wrong == NULL);
  words->all = english;
  if (path == NULL)
    return TRUE;
  g_autoptr (GError) problem = NULL;
  g_autofree char *read = NULL;
  if (!sl_named_file_read (path, &read, &n, &problem))
    return sl_error_runtime (error, "--language: %s: cannot be read: %s", path, problem->message);
  wrong = parse (words->parser, read, n, &words->all);
  if (wrong == NULL && sl_json_type (words->all) != SL_JSON_OBJECT)
    wrong = "no object of names and texts";
  if (wrong != NULL)
    return sl_error_bad_input (error, "--language: %s: %s", path, wrong);
  return check_names (words, english, path, error) && check_language (words, path, error);
}

void
sl_words_clear (SlWords *words)
{
  g_clear_pointer (&words->parser, sl_json_parser_free);
  g_clear_pointer (&words->english_parser, sl_json_parser_free);
}

const char *
sl_words_get (const SlWords *words, const char *name)
{
  return sl_json_c_str (sl_json_get (words->all, name));
}
