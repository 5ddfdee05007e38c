/* SPDX-License-Identifier: GPL-3.0-or-later */
/* survey: items and classes in, out a page on which people say what they see, as soft labels
 * (Collins, Bhatt & Weller, HCOMP 2022, Fig. 7), votes, ranks, or shares of mixtures (Collins,
 * MPhil thesis 2022, ch. 4). `softlabel ingest --from survey` reads what they said. docs/survey.md.
 * */
#include "pipeline/base/process/named-files.h"
#include "study.h"
#include "page.h"
#include "pictures.h"

#include <string.h>

#define MOST_TEXT_BYTES (1 << 20)

/* *WHOLE becomes what is in PATH, which OPTION names, to be freed; NULL where that is none. */
static gboolean
read_text (const char *option, const char *path, char **whole, GError **error)
{
  g_autoptr (GError) problem = NULL;
  g_autofree char *text = NULL;
  gsize n;
  *whole = NULL;
  if (path == NULL)
    return TRUE;
  if (!sl_named_file_read (path, &text, &n, &problem))
    sl_error_runtime (error, "--%s: %s: cannot be read: %s", option, path, problem->message);
  else if (n > MOST_TEXT_BYTES || !g_utf8_validate (text, (gssize) n, NULL))
    sl_error_bad_input (error, "--%s: %s: is not UTF-8, or over 1 MiB", option, path);
  else
    {
      g_auto (GStrv) lines = g_strsplit (g_strstrip (text), "\r\n", -1);
      *whole = g_strjoinv ("\n", lines);
    }
  return *whole != NULL;
}

/* Where the page finds the picture of ITEM: beside it, where it is put, or in itself. */
static char *
place_picture (SlStudy *study, const SlSurveyItem *item, GError **error)
{
  const char *type;
  g_autoptr (GByteArray) bytes = sl_survey_picture (study, item, &type, error);
  if (bytes == NULL)
    return NULL;
  if (study->options->embed)
    {
      g_autofree char *base64 = g_base64_encode (bytes->data, bytes->len);
      return sl_run_claim (study->run, strlen (base64), "the pictures in the page", error)
                 ? g_strdup_printf ("data:image/%s;base64,%s", type, base64)
                 : NULL;
    }
  g_autofree char *name
      = g_strdup_printf ("images/%s.%s", item->opaque, strcmp (type, "jpeg") == 0 ? "jpg" : type);
  return sl_folder_write (sl_run_folder (study->run), name, bytes->data, bytes->len, error)
             ? g_steal_pointer (&name)
             : NULL;
}

static GPtrArray *
place_pictures (SlStudy *study, GError **error)
{
  int n = study->plan.n_items + study->plan.n_checks + study->n_practice;
  g_autoptr (GPtrArray) pictures = g_ptr_array_new_with_free_func (g_free);
  for (int i = 0; i < n; i++)
    {
      char *place = place_picture (study, study->items->pdata[i], error);
      if (place == NULL)
        return NULL;
      g_ptr_array_add (pictures, place);
      sl_run_progress (study->run, i + 1, i + 1, n);
    }
  return g_steal_pointer (&pictures);
}

static gboolean
write_page (SlStudy *study, GError **error)
{
  const SlSurveyOptions *options = study->options;
  const SlSurveyItem *first = study->items->pdata[0];
  g_autofree char *instructions = NULL, *consent = NULL;
  g_autoptr (GBytes) english = sl_survey_source ("english.json");
  g_auto (SlWords) words = { 0 };
  if (!sl_words_init (&words, english, options->language, error)
      || !read_text ("instructions", options->instructions, &instructions, error)
      || !read_text ("consent", options->consent, &consent, error))
    return FALSE;
  g_autoptr (GPtrArray) pictures = first->text == NULL ? place_pictures (study, error) : NULL;
  if (first->text == NULL && pictures == NULL)
    return FALSE;
  if (options->post != NULL && g_str_has_prefix (options->post, "http://"))
    sl_run_warn (study->run, "--post: answers go over http, which others on the way can read");
  g_autoptr (GString) page
      = sl_survey_page (study, pictures != NULL ? (char *const *) pictures->pdata : NULL, &words,
                        instructions, consent);
  sl_run_note (study->run, "%d items in %d batches of %d trials", study->plan.n_items,
               sl_plan_batches (&study->plan), sl_plan_trials (&study->plan));
  return sl_folder_write (sl_run_folder (study->run), "index.html", page->str, page->len, error);
}

static void
append_field (GString *line, const char *text)
{
  gboolean quoted = strpbrk (text, ",\"\r\n") != NULL || g_ascii_isspace (text[0])
                    || (text[0] != '\0' && g_ascii_isspace (text[strlen (text) - 1]));
  if (!quoted)
    {
      g_string_append (line, text);
      return;
    }
  g_auto (GStrv) parts = g_strsplit (text, "\"", -1);
  g_autofree char *doubled = g_strjoinv ("\"\"", parts);
  g_string_append_printf (line, "\"%s\"", doubled);
}

static void
append_classes (GString *line, const SlStudy *study, guint64 key)
{
  int n = study->plan.n_classes;
  g_autofree gint32 *order = g_new (gint32, (gsize) n);
  sl_plan_classes (&study->plan, key, order);
  g_autoptr (GString) list = g_string_new (NULL);
  for (int c = 0; c < n; c++)
    g_string_append_printf (list, "%s%s", c > 0 ? "|" : "",
                            study->classes[study->options->class_order == 1 ? order[c] : c]);
  append_field (line, list->str);
}

/* The rows of one annotator. */
static void
list_annotator (const SlStudy *study, const char *name)
{
  static const char *const kinds[] = { "", "check", "repeat" };
  const SlPlan *plan = &study->plan;
  int n = sl_plan_trials (plan), batch = sl_study_batch_of (study, name);
  guint64 key = sl_plan_key (name, strlen (name));
  g_autofree SlPlanTrial *trials = g_new (SlPlanTrial, (gsize) n);
  g_autofree guint8 *swapped = g_new (guint8, (gsize) n);
  g_autoptr (GString) line = g_string_new (NULL);
  sl_plan_order (plan, key, batch, trials);
  sl_plan_ends (plan, key, batch, swapped);
  for (int t = 0; t < n; t++)
    {
      const SlSurveyItem *item = study->items->pdata[trials[t].item];
      g_string_truncate (line, 0);
      append_field (line, name);
      g_string_append_printf (line, ",%d,%d,", batch + 1, t + 1);
      append_field (line, item->name);
      g_string_append_printf (line, ",%s,", kinds[trials[t].kind]);
      if (study->options->task != SL_TASK_MIXTURE)
        append_classes (line, study, key);
      else
        {
          g_autofree char *both = g_strdup_printf ("%s|%s", item->end_class[swapped[t]],
                                                   item->end_class[!swapped[t]]);
          append_field (line, both);
        }
      g_string_append_c (line, '\n');
      sl_run_print (study->run, line->str, (gssize) line->len);
    }
}

static void
list (const SlStudy *study)
{
  sl_run_printf (study->run, "annotator,batch,trial,item,kind,classes\n");
  for (guint i = 0; study->allotted != NULL && i < study->allotted->len; i++)
    list_annotator (study, study->allotted->pdata[i]);
  for (gint64 a = 1; study->allotted == NULL && a <= study->options->annotators; a++)
    {
      char name[32];
      g_snprintf (name, sizeof name, "%" G_GINT64_FORMAT, a);
      list_annotator (study, name);
    }
}

static gboolean
run (SlRun *run, GError **error)
{
  g_auto (SlStudy) study = { 0 };
  if (run->files[0] != NULL)
    return sl_error_usage (error, "'%s' goes with no option: what is asked about is --items",
                           run->files[0]);
  if (!sl_study_read (&study, run, error))
    return FALSE;
  if (!study.options->list)
    return write_page (&study, error);
  list (&study);
  return TRUE;
}

const SlCommand sl_command_survey = {
  .name = "survey",
  .summary = "make a page on which people give soft labels",
  .arguments = "--classes FILE --items IMAGES|TABLE -o FOLDER",
  .flags = SL_COMMAND_SOURCES | SL_COMMAND_TEXT | SL_COMMAND_FOLDER | SL_COMMAND_SEEDED,
  .prints = "list",
  SL_OPTIONS (sl_survey_options, sl_survey_defaults),
  .description
  = "Writes a folder with one page, index.html, and its pictures. The page works from a disk and "
    "from any web server. It makes no request but, with --post, the one that brings the answers; "
    "without, they are downloaded at the end as CSV or JSON. `softlabel ingest --from survey` "
    "reads them.\n\n"
    "The items are shuffled once and dealt into batches of --batch trials, less the repeats and "
    "checks. Who takes part is said by the page's address: index.html?annotator=7, and &batch=3 "
    "where it is not to be that of annotator 7; Prolific's PROLIFIC_PID and Mechanical Turk's "
    "workerId do as well, and who comes without a name is asked for one. Annotator k has batch k "
    "in turn; a name that is no number has one that is drawn. What one sees in which order is a "
    "function of the seed, the name and the batch alone: --list prints it.\n\n"
    "Names of pictures say nothing of the items. The names of items and their classes are in the "
    "page, enciphered: who reads its source does not see them, who takes its code apart does.\n\n"
    "Answers are kept in the browser at once, and a page that is loaded again goes on where it "
    "was. An unusual answer (percents over 100 together, a second choice above the first, a chosen "
    "class that is ruled out) is pointed out, may stand, and is recorded as such.\n\n"
    "The page speaks English, or what --language says: a file of all its texts, as those of "
    "examples/survey/german.json. With --mixtures, which --task mixture needs, any task asks about "
    "mixtures.\n\n"
    "A folder of that name is replaced if it is empty, or if all files in it are as `softlabel "
    "survey` wrote them.",
  .examples
  = "softlabel survey --classes classes.txt --items photos/ --display 160 --seed 7 -o study/\n"
    "    soft labels, 27 trials with 2 repeats an annotator, as CIFAR-10S was collected\n"
    "softlabel survey --task vote --classes yes,no --items texts.csv --checks obvious.csv \\\n"
    "    --post https://example.org/answers --code C0FFEE -o study/\n"
    "    votes on texts with attention checks, sent to a server\n"
    "softlabel agreement --by items votes.parquet -o items.parquet\n"
    "softlabel survey --classes classes.txt --items photos/ --from-agreement items.parquet \\\n"
    "    -o again/\n"
    "    ask again where that is worth most\n"
    "softlabel survey --top 3 --classes classes.txt --items photos/ -o study/\n"
    "    of many classes the three likeliest, each with its percent: labels are made of the\n"
    "    answers by `softlabel redistribute --top all`\n"
    "softlabel survey --task distribution --classes classes.txt --items photos/ \\\n"
    "    --language german.json -o study/\n"
    "    how many of 100 people give each answer, asked in German\n"
    "softlabel ingest --from survey answers/ | softlabel exclude | softlabel redistribute\n"
    "    from what came back to labels\n",
  .check = sl_survey_check_options,
  .run = run,
};
