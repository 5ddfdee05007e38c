/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options.h"

#include "pipeline/base/error.h"
#include "pipeline/base/number-text.h"

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

#define FIELD(name) .field = offsetof (SlSurveyOptions, name)

const SlOption sl_survey_options[] = {
  { .name = "task",
    .kind = SL_OPTION_CHOICE,
    FIELD (task),
    .choices = sl_survey_tasks,
    .meanings = task_meanings,
    .help = "what is asked" },
  { .name = "classes",
    .kind = SL_OPTION_TEXT,
    FIELD (classes),
    .placeholder = "FILE|A,B,C",
    .may_be_file = TRUE,
    .help = "the classes, in their order: a file with one a line, or a list" },
  { .name = "items",
    .kind = SL_OPTION_INPUT,
    FIELD (items),
    .placeholder = "IMAGES|TABLE",
    .help = "what is asked about: a folder of PNG and JPEG files; a table of features with pixels; "
            "or a CSV file (.csv, .tsv) with columns item and text" },
  { .name = "item",
    .kind = SL_OPTION_CHOICE,
    FIELD (item_part),
    .choices = (const char *const[]){ "name", "path", "stem", NULL },
    .help = "the item of an image file: its name (a.png of cat/a.png), its path below the folder, "
            "or its name without the ending; as in `softlabel ingest --from images`" },
  { .name = "mixtures",
    .kind = SL_OPTION_INPUT,
    FIELD (mixtures),
    .placeholder = "FILE",
    .with = "task",
    .of = MIXTURE,
    .help = "the mixtures, from `softlabel simulate mixup`: pairs of the items, which are shown "
            "mixed as its lambda says" },
  { .name = "batch",
    .kind = SL_OPTION_INTEGER,
    FIELD (batch),
    .min = 1,
    .max = 100000,
    .placeholder = "N",
    .help = "trials of an annotator, with repeats and checks" },
  { .name = "repeats",
    .kind = SL_OPTION_INTEGER,
    FIELD (repeats),
    .max = 100000,
    .placeholder = "N",
    .help = "of them so many show an item again" },
  { .name = "repeats-at",
    .kind = SL_OPTION_CHOICE,
    FIELD (repeats_at),
    .choices = (const char *const[]){ "distance", "end", NULL },
    .help = "in the last third, apart from each other, or behind all others" },
  { .name = "checks",
    .kind = SL_OPTION_INPUT,
    FIELD (checks),
    .placeholder = "FILE",
    .help = "attention checks: a CSV file with a column item, and gold, the answer that is right; "
            "these items are asked as checks alone" },
  { .name = "checks-each",
    .kind = SL_OPTION_INTEGER,
    FIELD (checks_each),
    .max = 100000,
    .placeholder = "N",
    .with = "checks",
    .help = "of the trials so many are checks; 0: one in twenty, one at least" },
  { .name = "practice",
    .kind = SL_OPTION_INPUT,
    FIELD (practice),
    .placeholder = "FILE",
    .help = "practice trials before the first one, the same for everybody, of which nothing is "
            "kept: a CSV file with a column item" },
  { .name = "entropy-from",
    .kind = SL_OPTION_INPUT,
    FIELD (entropy_from),
    .placeholder = "FILE",
    .help = "the items' entropies, from `softlabel agreement --by items`, for --low-each" },
  { .name = "low-each",
    .kind = SL_OPTION_INTEGER,
    FIELD (low_each),
    .max = 100000,
    .placeholder = "N",
    .with = "entropy-from",
    .help = "so many items of each batch have a low entropy" },
  { .name = "low-entropy",
    .kind = SL_OPTION_REAL,
    FIELD (low_entropy),
    .max = 1000,
    .placeholder = "H",
    .with = "entropy-from",
    .help = "an entropy up to H nats is low" },
  { .name = "from-agreement",
    .kind = SL_OPTION_INPUT,
    FIELD (from_agreement),
    .placeholder = "FILE",
    .help = "ask about the items alone where another answer is worth most: by the gain of "
            "`softlabel agreement --by items`, or, of answers with percents, by how far their "
            "labels, from `softlabel redistribute`, lie apart" },
  { .name = "ask",
    .kind = SL_OPTION_INTEGER,
    FIELD (ask),
    .max = 1e9,
    .placeholder = "N",
    .with = "from-agreement",
    .help = "about so many; 0: as many as a batch has" },
  { .name = "allocation",
    .kind = SL_OPTION_INPUT,
    FIELD (allocation),
    .placeholder = "FILE",
    .help = "who has which batch: a CSV file with columns annotator and batch, from 1. Others have "
            "theirs by their number, or as it is drawn" },
  { .name = "annotators",
    .kind = SL_OPTION_INTEGER,
    FIELD (annotators),
    .min = 1,
    .max = 1e7,
    .placeholder = "N",
    .help = "annotators 1 to N are expected: --list lists them" },
  { .name = "perspective",
    .kind = SL_OPTION_CHOICE,
    FIELD (perspective),
    .choices = (const char *const[]){ "third", "first", NULL },
    .with = "task",
    .of = SOFT | RANK,
    .help = "ask what 100 people would say, or what the annotator thinks" },
  { .name = "no-alternative",
    .kind = SL_OPTION_FLAG,
    FIELD (no_alternative),
    .with = "task",
    .of = SOFT,
    .help = "the second choice has an answer \"no alternative\", and must be made; without it, it "
            "may be left open" },
  { .name = "class-order",
    .kind = SL_OPTION_CHOICE,
    FIELD (class_order),
    .choices = (const char *const[]){ "fixed", "shuffled", NULL },
    .with = "task",
    .of = SOFT | VOTE | RANK,
    .help
    = "the classes stand as they were given, or in an order that is drawn for each annotator" },
  { .name = "question",
    .kind = SL_OPTION_TEXT,
    FIELD (question),
    .placeholder = "TEXT",
    .help = "the (first) question, in place of the usual one" },
  { .name = "display",
    .kind = SL_OPTION_TEXT,
    FIELD (display),
    .placeholder = "as-is|N",
    .help = "show pictures as they are, or with N pixels on their longer side (Lanczos)" },
  { .name = "embed",
    .kind = SL_OPTION_FLAG,
    FIELD (embed),
    .help = "put the pictures into the page, which then is one file" },
  { .name = "title",
    .kind = SL_OPTION_TEXT,
    FIELD (title),
    .placeholder = "TEXT",
    .help = "the study's name for those who take part" },
  { .name = "instructions",
    .kind = SL_OPTION_INPUT,
    FIELD (instructions),
    .placeholder = "FILE",
    .help = "text of the first screen; an empty line parts paragraphs" },
  { .name = "consent",
    .kind = SL_OPTION_INPUT,
    FIELD (consent),
    .placeholder = "FILE",
    .help = "text that one has to agree to before it begins" },
  { .name = "post",
    .kind = SL_OPTION_TEXT,
    FIELD (post),
    .placeholder = "URL",
    .help = "the page sends the answers there at the end, and nothing else anywhere" },
  { .name = "code",
    .kind = SL_OPTION_TEXT,
    FIELD (code),
    .placeholder = "TEXT",
    .help = "shown at the end, to be given to Prolific or Mechanical Turk" },
  { .name = "list",
    .kind = SL_OPTION_FLAG,
    FIELD (list),
    .help = "print, as CSV, what each annotator is shown in which order, and write no page" },
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
