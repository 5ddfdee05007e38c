/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options.h"

#include "pipeline/base/error.h"
#include "pipeline/base/number-text.h"
#include "pipeline/command/options/option-rows.h"

#include <string.h>

#define MOST_SIDE 4096

#define SOFT (1u << SL_TASK_SOFT)
#define VOTE (1u << SL_TASK_VOTE)
#define RANK (1u << SL_TASK_RANK)
#define MIXTURE (1u << SL_TASK_MIXTURE)

const SlSurveyOptions sl_survey_defaults = {
  .batch = 27,
  .repeats = 2,
  .low_entropy = 0.1,
  .annotators = 1,
};

const char *const sl_survey_tasks[] = { "soft", "vote", "rank", "mixture", NULL };

static const char *const task_meanings[]
    = { "first and second class with their percents, and what it is definitely not", "one class",
        "classes in order, the likeliest first",
        "how much of each of two classes is in a mixture, and how sure one is", NULL };

#define OPTIONS SlSurveyOptions

const SlOption sl_survey_options[] = {
  CHOICE ("task", task, sl_survey_tasks, "what is asked", .meanings = task_meanings),
  TEXT ("classes", classes, "FILE|A,B,C",
        "the classes, in their order: a file with one a line, or a list", .may_be_file = TRUE),
  INPUT ("items", items, "IMAGES|TABLE",
         "what is asked about: a folder of PNG and JPEG files; a table of features with pixels; or "
         "a CSV file (.csv, .tsv) with columns item and text"),
  CHOICE ("item", item_part, WORDS ("name", "path", "stem"),
          "the item of an image file: its name (a.png of cat/a.png), its path below the folder, or "
          "its name without the ending; as in `softlabel ingest --from images`"),
  INPUT ("mixtures", mixtures, "FILE",
         "the mixtures, from `softlabel simulate mixup`: pairs of the items, which are shown mixed "
         "as its lambda says",
         .with = "task", .of = MIXTURE),
  WHOLE ("batch", batch, 1, 100000, "N", "trials of an annotator, with repeats and checks"),
  WHOLE ("repeats", repeats, 0, 100000, "N", "of them so many show an item again"),
  CHOICE ("repeats-at", repeats_at, WORDS ("distance", "end"),
          "in the last third, apart from each other, or behind all others"),
  INPUT ("checks", checks, "FILE",
         "attention checks: a CSV file with a column item, and gold, the answer that is right; "
         "these items are asked as checks alone"),
  WHOLE ("checks-each", checks_each, 0, 100000, "N",
         "of the trials so many are checks; 0: one in twenty, one at least", .with = "checks"),
  INPUT ("practice", practice, "FILE",
         "practice trials before the first one, the same for everybody, of which nothing is kept: "
         "a CSV file with a column item"),
  INPUT ("entropy-from", entropy_from, "FILE",
         "the items' entropies, from `softlabel agreement --by items`, for --low-each"),
  WHOLE ("low-each", low_each, 0, 100000, "N", "so many items of each batch have a low entropy",
         .with = "entropy-from"),
  REAL ("low-entropy", low_entropy, 0, 1000, "H", "an entropy up to H nats is low",
        .with = "entropy-from"),
  INPUT ("from-agreement", from_agreement, "FILE",
         "ask about the items alone where another answer is worth most: by the gain of `softlabel "
         "agreement --by items`, or, of answers with percents, by how far their labels, from "
         "`softlabel redistribute`, lie apart"),
  WHOLE ("ask", ask, 0, 1e9, "N", "about so many; 0: as many as a batch has",
         .with = "from-agreement"),
  INPUT ("allocation", allocation, "FILE",
         "who has which batch: a CSV file with columns annotator and batch, from 1. Others have "
         "theirs by their number, or as it is drawn"),
  WHOLE ("annotators", annotators, 1, 1e7, "N",
         "annotators 1 to N are expected: --list lists them"),
  CHOICE ("perspective", perspective, WORDS ("third", "first"),
          "ask what 100 people would say, or what the annotator thinks", .with = "task",
          .of = SOFT | RANK),
  FLAG ("no-alternative", no_alternative,
        "the second choice has an answer \"no alternative\", and must be made; without it, it may "
        "be left open",
        .with = "task", .of = SOFT),
  CHOICE ("class-order", class_order, WORDS ("fixed", "shuffled"),
          "the classes stand as they were given, or in an order that is drawn for each annotator",
          .with = "task", .of = SOFT | VOTE | RANK),
  TEXT ("question", question, "TEXT", "the (first) question, in place of the usual one"),
  TEXT ("display", display, "as-is|N",
        "show pictures as they are, or with N pixels on their longer side (Lanczos)"),
  FLAG ("embed", embed, "put the pictures into the page, which then is one file"),
  TEXT ("title", title, "TEXT", "the study's name for those who take part"),
  INPUT ("instructions", instructions, "FILE",
         "text of the first screen; an empty line parts paragraphs"),
  INPUT ("consent", consent, "FILE", "text that one has to agree to before it begins"),
  TEXT ("post", post, "URL",
        "the page sends the answers there at the end, and nothing else anywhere"),
  TEXT ("code", code, "TEXT", "shown at the end, to be given to Prolific or Mechanical Turk"),
  FLAG ("list", list,
        "print, as CSV, what each annotator is shown in which order, and write no page"),
  { 0 },
};

static gboolean
parse_display (SlSurveyOptions *options, GError **error)
{
  gint64 size = 0;
  options->display_size = 0;
  if (options->display == NULL || strcmp (options->display, "as-is") == 0)
    return TRUE;
  if (!sl_parse_integer (options->display, -1, &size) || size < 8 || size > MOST_SIDE)
    return sl_error_usage (error, "--display: '%s' is neither as-is nor 8 to %d pixels",
                           options->display, MOST_SIDE);
  options->display_size = (int) size;
  return TRUE;
}

/* It stands in a policy of the page, where these characters would end it. */
static gboolean
check_post (const char *url, GError **error)
{
  g_autoptr (GUri) uri = g_uri_parse (url, G_URI_FLAGS_NONE, NULL);
  if (uri == NULL || g_uri_get_host (uri) == NULL || *g_uri_get_host (uri) == '\0'
      || (g_strcmp0 (g_uri_get_scheme (uri), "https") != 0
          && g_strcmp0 (g_uri_get_scheme (uri), "http") != 0)
      || strpbrk (url, " \t\r\n;,'\"<>\\") != NULL || g_uri_get_userinfo (uri) != NULL)
    return sl_error_usage (error, "--post: '%s' is no address such as https://example.org/answers",
                           url);
  return TRUE;
}

gboolean
sl_survey_check_options (SlOptions *given, GError **error)
{
  SlSurveyOptions *options = given->values;
  if (options->items == NULL)
    return sl_error_usage (error, "what is asked about? give --items, a folder or a table");
  if (options->classes == NULL)
    return sl_error_usage (error, "what may be answered? give --classes, a file or a list");
  if (options->task == SL_TASK_MIXTURE && options->mixtures == NULL)
    return sl_error_usage (error,
                           "--task mixture needs --mixtures, from `softlabel simulate mixup`");
  if (options->entropy_from != NULL && options->low_each == 0)
    return sl_error_usage (error,
                           "--entropy-from goes with --low-each, items of low entropy a batch");
  if (options->entropy_from == NULL && options->low_each > 0)
    return sl_error_usage (error, "--low-each needs the items' entropies: --entropy-from");
  if (options->code != NULL && options->code[0] == '\0')
    return sl_error_usage (error, "--code is empty");
  return parse_display (options, error)
         && (options->post == NULL || check_post (options->post, error));
}
