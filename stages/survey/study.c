/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study.h"

#include "pipeline/base/error.h"
#include "pipeline/base/number-text.h"
#include "pipeline/base/shown-text.h"
#include "pipeline/command/options/option-rows.h"
#include "stages/common/classes/class-list.h"
#include "stages/common/files/csv-cells.h"

#include <string.h>

typedef struct
{
  SlRun *run;
  int n_roles;
  const int *place; /* of each role among the columns that are read; -1: not there */
  char *(*take) (char **fields, gpointer data);
  gpointer data;
  gsize bytes, claimed;
} Side;

gboolean
sl_side_is_csv (const char *path)
{
  g_autofree char *small = g_ascii_strdown (path, -1);
  return g_str_has_suffix (small, ".csv") || g_str_has_suffix (small, ".tsv");
}

static void
parse (SlCsvRows *rows, gpointer data)
{
  Side *side = data;
  for (guint32 r = 0; r < rows->n; r++)
    {
      g_auto (GStrv) fields = g_new0 (char *, (gsize) side->n_roles + 1);
      gboolean nul = FALSE;
      for (int i = 0; i < side->n_roles; i++)
        {
          gsize n = 0;
          const char *text = side->place[i] >= 0 ? sl_csv_field (rows, side->place[i], r, &n) : "";
          fields[i] = g_strndup (text, n);
          nul = nul || strlen (fields[i]) != n;
          side->bytes += n + 256;
        }
      g_autofree char *wrong = nul ? g_strdup ("it has a NUL") : side->take (fields, side->data);
      if (wrong != NULL)
        sl_csv_rows_bad (rows, r, "%s", wrong);
    }
}

static gboolean
claim (gpointer data, GError **error)
{
  Side *side = data;
  return sl_run_claim_up_to (side->run, &side->claimed, side->bytes, "the study's tables", error);
}

gboolean
sl_side_csv (SlRun *run, const char *option, const char *path, const SlColumnRole *roles,
             int n_roles, char *(*take) (char **fields, gpointer data), gpointer data,
             GError **error)
{
  g_autoptr (SlCsv) csv = sl_csv_open (path, error);
  if (csv == NULL)
    {
      g_prefix_error (error, "--%s: ", option);
      return FALSE;
    }
  g_autofree int *place = g_new (int, n_roles + 1), *columns = g_new (int, n_roles + 1);
  int n = 0;
  for (int i = 0; i < n_roles; i++)
    {
      int column = sl_csv_find_role (csv, &roles[i]);
      if (column < 0 && roles[i].required)
        return sl_error_bad_input (error, "--%s: %s: row 1 has no column '%s'", option, csv->name,
                                   roles[i].role);
      place[i] = column >= 0 ? n : -1;
      if (column >= 0)
        columns[n++] = column;
    }
  Side side = { run, n_roles, place, take, data, 0, 0 };
  sl_csv_skip_first (csv);
  if (sl_csv_cells (csv, columns, n, parse, claim, &side, error))
    return TRUE;
  g_prefix_error (error, "--%s: ", option);
  return FALSE;
}

#define MOST_SIDE 4096

#define SOFT (1u << SL_TASK_SOFT)
#define VOTE (1u << SL_TASK_VOTE)
#define RANK (1u << SL_TASK_RANK)
#define DISTRIBUTION (1u << SL_TASK_DISTRIBUTION)

const SlSurveyOptions sl_survey_defaults = {
  .batch = 27,
  .repeats = 2,
  .low_entropy = 0.1,
  .annotators = 1,
};

const char *const sl_survey_tasks[] = { "soft", "vote", "rank", "mixture", "distribution", NULL };

static const char *const task_meanings[]
    = { "first and second class with their percents, and what it is definitely not",
        "one class",
        "classes in order, the likeliest first",
        "how much of each of two classes is in a mixture, and how sure one is",
        "a number for each class, of 100, by dragging bars or typing",
        NULL };

#define OPTIONS SlSurveyOptions

const SlOption sl_survey_options[] = {
  CHOICE ("task", task, sl_survey_tasks, "what is asked", .meanings = task_meanings),
  WHOLE ("top", top, 0, 200, "N",
         "how many classes an answer may name, the likeliest first; of soft ones each with its "
         "percent. 0: two, and of ranks as many as there are",
         .with = "task", .of = SOFT | RANK),
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
         "as its lambda says"),
  WHOLE ("batch", batch, 1, 100000, "N",
         "trials of an annotator, repeats and checks among them; unless given, all items where "
         "these are fewer, with fewer repeats"),
  WHOLE ("repeats", repeats, 0, 100000, "N", "how many of them show an item again"),
  CHOICE ("repeats-at", repeats_at, WORDS ("distance", "end"),
          "in the last third, apart from each other, or behind all others"),
  INPUT ("checks", checks, "FILE",
         "attention checks: a CSV file with a column item, and gold, the answer that is right; "
         "these items are asked as checks alone"),
  WHOLE ("checks-each", checks_each, 0, 100000, "N",
         "how many of the trials are checks; 0: one in twenty, and at least one", .with = "checks"),
  INPUT ("practice", practice, "FILE",
         "practice trials before the first one, the same for everybody, of which nothing is kept: "
         "a CSV file with a column item"),
  INPUT ("entropy-from", entropy_from, "FILE",
         "the items' entropies, from `softlabel agreement --by items`, for --low-each"),
  WHOLE ("low-each", low_each, 0, 100000, "N", "how many items of each batch have a low entropy",
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
         "theirs by their number, or as it is drawn. Or (.json) which items each batch has: an "
         "array of arrays of items"),
  WHOLE ("annotators", annotators, 1, 1e7, "N",
         "annotators 1 to N are expected: --list lists them"),
  CHOICE ("perspective", perspective, WORDS ("third", "first"),
          "ask what 100 people would say, or what the annotator thinks", .with = "task",
          .of = SOFT | RANK | DISTRIBUTION),
  FLAG ("no-alternative", no_alternative,
        "the second choice has an answer \"no alternative\", and must be made; without it, it may "
        "be left open",
        .with = "task", .of = SOFT),
  CHOICE ("class-order", class_order, WORDS ("fixed", "shuffled"),
          "the classes stand as they were given, or in an order that is drawn for each annotator",
          .with = "task", .of = SOFT | VOTE | RANK | DISTRIBUTION),
  TEXT ("question", question, "TEXT", "the (first) question, in place of the usual one"),
  TEXT ("display", display, "as-is|N",
        "show pictures as they are, or with N pixels on their longer side (Lanczos)"),
  FLAG ("embed", embed, "put the pictures into the page, which then is one file"),
  TEXT ("title", title, "TEXT", "the study's name for those who take part"),
  INPUT ("language", language, "FILE",
         "all texts of the page in another language: an object of JSON with the names that "
         "examples/survey/german.json has"),
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

/* Whether --allocation says which items each batch has. */
static gboolean
deals_items (const SlSurveyOptions *options)
{
  return options->allocation != NULL && g_str_has_suffix (options->allocation, ".json");
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
  const char *const settled[] = { "batch", "low-each", "from-agreement" };
  for (gsize i = 0; deals_items (options) && i < G_N_ELEMENTS (settled); i++)
    if (sl_option_given (given, settled[i]))
      return sl_error_usage (
          error, "--allocation: its batches have their items, so --%s excludes it", settled[i]);
  if (options->no_alternative && options->top != 0 && options->top != 2)
    return sl_error_usage (error, "--no-alternative is an answer of --top 2 alone");
  if (options->code != NULL && options->code[0] == '\0')
    return sl_error_usage (error, "--code is empty");
  return parse_display (options, error)
         && (options->post == NULL || check_post (options->post, error));
}

#define MOST_CLASSES 200
#define CHECKED_EVERY 20 /* trials, as in Peterson et al. (ICCV 2019) */

static void
item_free (gpointer data)
{
  SlSurveyItem *item = data;
  g_free (item->name);
  g_free (item->gold);
  g_free (item->text);
  g_free (item->path);
  g_free (item->pixels.pixels);
  for (int e = 0; e < 2; e++)
    {
      g_free (item->end_name[e]);
      g_free (item->end_class[e]);
    }
  g_free (item);
}

SlSurveyItem *
sl_survey_item_new (const char *name, gssize length)
{
  SlSurveyItem *item = g_new0 (SlSurveyItem, 1);
  item->name = length < 0 ? g_strdup (name) : g_strndup (name, (gsize) length);
  item->end[0] = item->end[1] = -1;
  return item;
}

GPtrArray *
sl_survey_items_new (void)
{
  return g_ptr_array_new_with_free_func (item_free);
}

void
sl_study_clear (SlStudy *study)
{
  g_clear_pointer (&study->items, g_ptr_array_unref);
  g_clear_pointer (&study->ends, g_ptr_array_unref);
  g_clear_pointer (&study->classes, g_strfreev);
  g_clear_pointer (&study->allocation, g_hash_table_unref);
  g_clear_pointer (&study->allotted, g_ptr_array_unref);
  g_clear_pointer (&study->dealt_items, g_ptr_array_unref);
  g_clear_pointer (&study->dealt, g_free);
}

static gboolean
check_class (const char *name, GError **error)
{
  if (strpbrk (name, "|;\r\n") == NULL)
    return TRUE;
  g_autofree char *shown = sl_shown (name, strlen (name));
  return sl_error_bad_input (
      error,
      "--classes: '%s' has a | or ;, which stands between classes in answers: call it otherwise",
      shown);
}

/* A file that is there, or else a list. */
static gboolean
read_classes (SlStudy *study, GError **error)
{
  const char *given = study->options->classes;
  gboolean is_file = g_file_test (given, G_FILE_TEST_EXISTS);
  g_autoptr (GError) problem = NULL;
  if (!is_file && strchr (given, ',') == NULL)
    return sl_error_usage (error, "--classes: '%s' is neither a file nor a list such as A,B,C",
                           given);
  if (!sl_classes_given (is_file ? NULL : given, is_file ? given : NULL, &study->classes, &problem))
    {
      const char *text = problem->message, *other = "--classes-from: ";
      text += g_str_has_prefix (text, other) ? strlen (other) : 0;
      g_set_error (error, SL_ERROR, problem->code, "%s%s", is_file ? "--classes: " : "", text);
      return FALSE;
    }
  int n = (int) g_strv_length (study->classes);
  if (n < 2 || n > MOST_CLASSES)
    return sl_error_usage (error, "--classes: a page can ask for 2 to %d classes, not %d",
                           MOST_CLASSES, n);
  if (study->options->top > n)
    return sl_error_usage (error, "--top %d: there are %d classes", (int) study->options->top, n);
  for (int c = 0; c < n; c++)
    if (!check_class (study->classes[c], error))
      return FALSE;
  return TRUE;
}

/* Items by their names, which are theirs alone. */
static GHashTable *
index_items (SlStudy *study, GError **error)
{
  g_autoptr (GHashTable) index = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < study->items->len; i++)
    {
      SlSurveyItem *item = study->items->pdata[i];
      g_autofree char *shown = sl_shown (item->name, strlen (item->name));
      sl_plan_opaque (study->run->seed, item->name, strlen (item->name), item->opaque);
      if (item->name[0] == '\0')
        sl_error_bad_input (error, "--items: row %u has an empty item", i + 1);
      else if (!g_utf8_validate (item->name, -1, NULL))
        sl_error_bad_input (error, "--items: '%s' is not UTF-8", shown);
      else if (!g_hash_table_insert (index, item->name, item))
        sl_error_bad_input (error, "--items: '%s' is there twice%s", shown,
                            item->path != NULL ? "; --item path names items by the folders, too"
                                               : "");
      else
        continue;
      return NULL;
    }
  return g_steal_pointer (&index);
}

/* Role by role; within one by a name that says nothing, so that neighbours have nothing in common.
 * */
static int
by_place (gconstpointer a, gconstpointer b)
{
  const SlSurveyItem *one = *(SlSurveyItem *const *) a, *other = *(SlSurveyItem *const *) b;
  int order = SL_COMPARE (one->role, other->role) ?: SL_COMPARE (one->practice, other->practice);
  return order ?: strcmp (one->opaque, other->opaque);
}

static int
count_role (const SlStudy *study, SlSurveyRole role)
{
  int n = 0;
  for (guint i = 0; i < study->items->len; i++)
    n += ((SlSurveyItem *) study->items->pdata[i])->role == role;
  return n;
}

static int
checks_of (const SlSurveyOptions *options)
{
  if (options->checks == NULL)
    return 0;
  return options->checks_each > 0 ? (int) options->checks_each
                                  : (int) MAX (options->batch / CHECKED_EVERY, 1);
}

static gboolean
check_plan (const SlStudy *study, GError **error)
{
  const SlPlan *plan = &study->plan;
  int high = plan->n_items - plan->n_low, high_each = plan->each - plan->low_each;
  if (plan->each < 1)
    return sl_error_usage (error, "--batch %" G_GINT64_FORMAT " is all repeats and checks",
                           study->options->batch);
  if (plan->repeats > (plan->each + 1) / 2)
    return sl_error_usage (error, "--repeats %d: of %d items at most half come again",
                           plan->repeats, plan->each);
  if (plan->checks_each > plan->n_checks)
    return sl_error_usage (error, "--checks has %d items; a batch wants %d of them (--checks-each)",
                           plan->n_checks, plan->checks_each);
  if (high_each < 0)
    return sl_error_usage (error, "--low-each %d: a batch has only %d items", plan->low_each,
                           plan->each);
  if (high_each > high)
    return sl_error_usage (
        error, "there are %d %sitems to ask about, and a batch has %d: make --batch smaller", high,
        plan->low_each > 0 ? "other " : "", high_each);
  if (plan->low_each > plan->n_low)
    return sl_error_usage (
        error, "%d items have an entropy up to --low-entropy, and a batch wants %d (--low-each)",
        plan->n_low, plan->low_each);
  return TRUE;
}

/* Of fewer items than a batch has, where nobody has said how many those are to be, a batch has all,
 * and as many repeats for each as usual. */
static void
fit_few_items (SlStudy *study)
{
  SlPlan *plan = &study->plan;
  const SlOptions *given = study->run->options;
  int usual = (int) (sl_survey_defaults.batch - sl_survey_defaults.repeats);
  if (sl_option_given (given, "batch") || plan->low_each > 0
      || (plan->n_items >= plan->each && plan->dealt == NULL))
    return;
  plan->each = plan->dealt != NULL ? plan->each : plan->n_items;
  if (!sl_option_given (given, "repeats"))
    plan->repeats = (int) sl_survey_defaults.repeats * plan->each / usual;
}

static gboolean
make_plan (SlStudy *study, GError **error)
{
  const SlSurveyOptions *options = study->options;
  int n = 0;
  while (study->classes[n] != NULL)
    n++;
  study->n_practice = count_role (study, SL_ROLE_PRACTICE);
  study->plan = (SlPlan){
    .seed = study->run->seed,
    .n_low = count_role (study, SL_ROLE_LOW),
    .n_checks = count_role (study, SL_ROLE_CHECK),
    .low_each = (int) options->low_each,
    .checks_each = checks_of (options),
    .repeats = (int) options->repeats,
    .repeats_at_end = options->repeats_at == 1,
    .n_classes = n,
  };
  study->plan.n_items = count_role (study, SL_ROLE_ASKED) + study->plan.n_low;
  study->plan.each = (int) options->batch - study->plan.repeats - study->plan.checks_each;
  if (study->dealt_items != NULL)
    {
      study->dealt = sl_study_dealt (study);
      study->plan.dealt = study->dealt;
      study->plan.each = (int) study->dealt_each;
      study->plan.n_dealt = (int) (study->dealt_items->len / study->dealt_each);
    }
  fit_few_items (study);
  return check_plan (study, error);
}

/* Warns where some batches have more annotators than others. */
static void
tell_coverage (const SlStudy *study)
{
  int batches = sl_plan_batches (&study->plan);
  gint64 n = study->options->annotators;
  if (sl_option_given (study->run->options, "annotators") && study->allocation == NULL
      && n % batches != 0)
    sl_run_warn (study->run, "%" G_GINT64_FORMAT " annotators, %d batches: %s", n, batches,
                 n < batches ? "some batches are seen by nobody"
                             : "some batches are seen by one annotator more than others");
}

gboolean
sl_study_read (SlStudy *study, SlRun *run, GError **error)
{
  study->run = run;
  study->options = run->options->values;
  study->items = sl_survey_items_new ();
  if (!read_classes (study, error))
    return FALSE;
  if (!(study->options->mixtures != NULL ? sl_study_read_mixtures (study, error)
                                         : sl_study_read_items (study, study->items, error)))
    return FALSE;
  g_autoptr (GHashTable) index = index_items (study, error);
  gboolean deals = deals_items (study->options);
  if (index == NULL || !sl_study_give_roles (study, index, error)
      || (deals && !sl_study_read_dealt (study, index, error)))
    return FALSE;
  qsort (study->items->pdata, study->items->len, sizeof *study->items->pdata, by_place);
  if (!make_plan (study, error)
      || (study->options->allocation != NULL && !deals && !sl_study_read_allocation (study, error)))
    return FALSE;
  tell_coverage (study);
  return TRUE;
}

int
sl_study_batch_of (const SlStudy *study, const char *name)
{
  gpointer batch = study->allocation != NULL ? g_hash_table_lookup (study->allocation, name) : NULL;
  return batch != NULL ? GPOINTER_TO_INT (batch) - 1
                       : sl_plan_batch_of (&study->plan, name, strlen (name));
}
