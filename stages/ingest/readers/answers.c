/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "answers.h"

#include "pipeline/base/shown-text.h"
#include "pipeline/table/tag-columns.h"
#include "schemas/annotations.h"
#include "stages/ingest/class-search.h"
#include "stages/ingest/formats.h"
#include "field-values.h"
#include "stages/common/answers/seen-pairs.h"

#include <math.h>
#include <string.h>

#define WAITING_ROWS 4096 /* that wait together */
#define MOST_QUESTIONS 20

typedef struct
{
  char *why;
  const char *keep;
  gint64 n;
} LeftOut;

struct _SlAnswersPrivate
{
  SlTable *shape;     /* as the table will be, but for its classes */
  SlBuilder *rows;    /* the table's, or, before its classes are known, of rows that wait */
  GPtrArray *waiting; /* of SlBuilder, with codes of the coders */
  SlClassSearch classes;
  SlCoder *coder, *gold_coder;
  SlSeenPairs *seen;
  SlRepeats repeats;
  GArray *left_out;     /* of LeftOut */
  GPtrArray *questions; /* that were met, at most MOST_QUESTIONS */
  /* --multi-label: */
  char **asked;   /* what items are asked: the classes of sets */
  GArray *chosen; /* of gint32, those of the answer at hand */
  gint64 n_empty;
};

static void
left_out_clear (gpointer data)
{
  g_free (((LeftOut *) data)->why);
}

gboolean
sl_answers_bad (SlAnswersReader *answers, GError **error, const char *format, ...)
{
  SlIngest *ingest = answers->ingest;
  if (ingest->rehearsal && ingest->rejected.path != NULL)
    return TRUE;
  va_list args;
  va_start (args, format);
  g_autofree char *reason = g_strdup_vprintf (format, args);
  va_end (args);
  return sl_rejected_rows_add (&ingest->rejected, answers->file, answers->row, reason,
                               answers->record, answers->record_length, error);
}

static gboolean
is_kept (const SlIngestOptions *options, const char *word)
{
  return word != NULL && options->keep != NULL
         && g_strv_contains ((const char *const *) options->keep, word);
}

gboolean
sl_answers_leave_out (SlAnswersReader *answers, const char *why, const char *keep)
{
  if (is_kept (answers->ingest->options, keep))
    return TRUE;
  GArray *all = answers->priv->left_out;
  guint i = 0;
  while (i < all->len && strcmp (g_array_index (all, LeftOut, i).why, why) != 0)
    i++;
  if (i == all->len)
    {
      LeftOut one = { g_strdup (why), keep, 0 };
      g_array_append_val (all, one);
    }
  g_array_index (all, LeftOut, i).n += !answers->ingest->rehearsal;
  return FALSE;
}

static gboolean
is_among (const GPtrArray *names, SlCell name)
{
  for (guint i = 0; i < names->len; i++)
    if (sl_cell_is (name, names->pdata[i]))
      return TRUE;
  return FALSE;
}

gboolean
sl_answers_pass (SlAnswersReader *answers, const char *why)
{
  sl_answers_leave_out (answers, why, NULL);
  return TRUE;
}

gboolean
sl_answers_question (SlAnswersReader *answers, SlCell name, gboolean *wanted, GError **error)
{
  GPtrArray *met = answers->priv->questions;
  const char *given = answers->ingest->options->question;
  if (met->len < MOST_QUESTIONS && !is_among (met, name))
    g_ptr_array_add (met, g_strndup (name.text, name.n));
  *wanted = sl_cell_is (name, given != NULL ? given : met->pdata[0]);
  if (*wanted || given != NULL)
    return TRUE;
  const char *first = met->pdata[0];
  g_autofree char *one = sl_shown (first, strlen (first)), *other = sl_shown (name.text, name.n);
  return sl_error_bad_input (
      error,
      "%s: row %" G_GINT64_FORMAT
      ": there are several questions, '%s' and '%s': say which with --question '%s'",
      answers->file, answers->row, one, other, one);
}

SlCell
sl_answers_annotator (const SlAnswersReader *answers, SlCell named)
{
  const char *given = answers->ingest->options->annotator;
  return named.n > 0 || given == NULL ? named : (SlCell){ given, strlen (given) };
}

void
sl_answers_progress (SlAnswersReader *answers, gint64 n, gint64 done)
{
  SlIngest *ingest = answers->ingest;
  ingest->n_read += n;
  sl_run_progress (ingest->run, ingest->n_read, ingest->bytes_done + done, ingest->bytes_whole);
}

static gboolean
bad_class (SlAnswersReader *answers, SlCoder *coder, const char *what, SlCell class, gint32 code,
           GError **error)
{
  g_autofree char *shown = sl_shown (class.text, class.n), *none = NULL;
  if (code == SL_CODE_MISSING && sl_class_texts_said (coder->texts, class.text, class.n))
    return sl_answers_pass (answers, SL_WITHOUT_ANSWER);
  if (code == SL_CODE_MISSING)
    none = sl_fields_no_class (what, class.text, class.n);
  if (none != NULL)
    return sl_answers_bad (answers, error, "%s", none);
  gint32 alike = sl_coder_alike (coder, class.text, class.n);
  if (alike < 0)
    return sl_answers_bad (answers, error, "%s '%s' is not %s", what, shown,
                           coder->texts->bins != NULL ? "a number in one of the bins"
                                                      : "one of the classes");
  gsize length;
  const char *name = sl_intern_get (coder->known, alike, &length);
  g_autofree char *known = sl_shown (name, length);
  return sl_answers_bad (
      answers, error,
      "%s '%s' is not one of the classes, but '%s' is: --rename-class '%s=%s' reads it so", what,
      shown, known, shown, known);
}

static gint32
code_of (SlCoder *coder, SlCell class)
{
  char room[16] = { 0 };
  if (class.n >= sizeof room)
    return sl_coder_code (coder, class.text, class.n);
  memcpy (room, class.text, class.n);
  return sl_coder_code (coder, room, class.n);
}

static SlCell
trimmed (const SlIngest *ingest, SlCell cell)
{
  while (ingest->class_texts.trim && cell.n > 0 && cell.text[0] == ' ')
    cell.text++, cell.n--;
  while (ingest->class_texts.trim && cell.n > 0 && cell.text[cell.n - 1] == ' ')
    cell.n--;
  return cell;
}

static const char *
name_fault (SlCell name)
{
  if (name.n == 0)
    return "is empty";
  return memchr (name.text, '\0', name.n) != NULL ? "has a NUL in it" : NULL;
}

static const char *
cure_of (const SlAnswersReader *answers)
{
  guint32 traits = sl_ingest_format_traits[answers->ingest->options->from];
  return traits & SL_FORMAT_ANNOTATOR ? "; --annotator NAME says who it is" : "";
}

static gboolean
too_many_classes (const SlAnswersReader *answers, GError **error)
{
  if (sl_intern_size (answers->priv->coder->learned) <= SL_MAX_CLASSES)
    return FALSE;
  sl_error_bad_input (
      error, "%s: over %d different answers: is it the right question, and are they classes?",
      answers->file, SL_MAX_CLASSES);
  return TRUE;
}

/* A row has been added: it goes to the table, or waits until the classes are known. */
static gboolean
hand_on (SlAnswersReader *answers, GError **error)
{
  struct _SlAnswersPrivate *own = answers->priv;
  SlIngest *ingest = answers->ingest;
  if (own->rows == ingest->builder)
    return sl_ingest_added (ingest, 1, error);
  if (sl_builder_rows (own->rows) < WAITING_ROWS)
    return TRUE;
  sl_builder_shrink (own->rows);
  gsize bytes = sl_builder_bytes (own->rows);
  g_ptr_array_add (own->waiting, own->rows);
  own->rows = sl_builder_new (own->shape);
  return sl_run_claim (ingest->run, bytes,
                       "the answers of a pipe until all their classes are known (with --classes, "
                       "or from a file, none need to wait)",
                       error);
}

static void
put_attributes (SlAnswersReader *answers, SlBuilder *rows)
{
  const SlIngest *ingest = answers->ingest;
  for (int a = 0; a < ingest->n_attributes; a++)
    {
      const SlAttribute *attribute = &ingest->attribute[a];
      const int column = sl_table_tag_column (answers->priv->shape, attribute->key);
      char room[SL_JSON_ROOM];
      SlJson member = sl_json_find (answers->answer_value, attribute->column);
      if (sl_json_type (member) == SL_JSON_ABSENT)
        member = sl_json_find (answers->record_value, attribute->column);
      sl_attribute_put (ingest, rows, column,
                        answers->csv != NULL
                            ? sl_csv_answers_cell (answers->csv, answers->attribute[a])
                            : sl_json_scalar (member, room));
    }
}

static gboolean
write_row (SlAnswersReader *answers, const SlAnswer *answer, gint32 class, gint32 gold,
           GError **error)
{
  struct _SlAnswersPrivate *own = answers->priv;
  const SlTable *shape = own->shape;
  gboolean named = sl_table_has (shape, SL_ANNOTATIONS_ANNOTATOR), repeat = FALSE;
  if (named
      && !sl_seen_pairs_add (own->seen, sl_pair_of (answer->item, answer->annotator), &repeat,
                             error))
    return FALSE;
  if (repeat && own->repeats == SL_REPEATS_DROP)
    return TRUE;
  sl_builder_text (own->rows, SL_ANNOTATIONS_ITEM, answer->item.text, answer->item.n);
  sl_builder_class (own->rows, SL_ANNOTATIONS_CLASS, class);
  if (named)
    sl_builder_text (own->rows, SL_ANNOTATIONS_ANNOTATOR, answer->annotator.text,
                     answer->annotator.n);
  if (sl_table_has (shape, SL_ANNOTATIONS_REPEAT))
    sl_builder_bool (own->rows, SL_ANNOTATIONS_REPEAT, repeat);
  if (sl_table_has (shape, SL_ANNOTATIONS_GOLD))
    sl_builder_class (own->rows, SL_ANNOTATIONS_GOLD, gold);
  if (sl_table_has (shape, SL_ANNOTATIONS_SECONDS))
    sl_builder_real (own->rows, SL_ANNOTATIONS_SECONDS, answer->seconds);
  if (sl_table_has (shape, SL_ANNOTATIONS_CHECK))
    sl_builder_bool (own->rows, SL_ANNOTATIONS_CHECK, answer->check);
  put_attributes (answers, own->rows);
  return hand_on (answers, error);
}

/* *CODE <- that of CLASS, which is taken of ANSWER. FALSE: there is none, and *GO_ON says whether
 * that ends the run. */
static gboolean
take_class (SlAnswersReader *answers, SlCell class, gint32 *code, gboolean *go_on, GError **error)
{
  const char *fault = name_fault (class);
  *code = fault == NULL ? code_of (answers->priv->coder, class) : -1;
  if (*code >= 0)
    return TRUE;
  *go_on = fault != NULL ? sl_answers_bad (answers, error, "the class %s", fault)
                         : bad_class (answers, answers->priv->coder, "class", class, *code, error);
  return FALSE;
}

/* A row for each question: whether the answer, a set, has it. */
static gboolean
write_set (SlAnswersReader *answers, const SlAnswer *given, GError **error)
{
  struct _SlAnswersPrivate *own = answers->priv;
  SlAnswer answer = *given;
  g_autoptr (GString) name = g_string_new_len (given->item.text, (gssize) given->item.n);
  g_string_append (name, SL_QUESTION);
  const gsize before = name->len;
  own->n_empty += own->chosen->len == 0;
  for (gint32 k = 0; own->asked[k] != NULL; k++)
    {
      gint32 yes = 0;
      for (guint c = 0; c < own->chosen->len; c++)
        yes |= g_array_index (own->chosen, gint32, c) == k;
      g_string_append (g_string_truncate (name, before), own->asked[k]);
      answer.item = (SlCell){ name->str, name->len };
      if (!write_row (answers, &answer, yes, -1, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
add_set (SlAnswersReader *answers, const SlAnswer *answer, GError **error)
{
  struct _SlAnswersPrivate *own = answers->priv;
  const SlJson set = answers->set;
  gboolean go_on = TRUE, listed = sl_json_type (set) == SL_JSON_ARRAY;
  gint32 code;
  answers->set = (SlJson){ NULL, 0 };
  g_array_set_size (own->chosen, 0);
  for (SlJsonEach each = sl_json_each (set); listed && sl_json_each_next (&each);)
    {
      char room[SL_JSON_ROOM];
      SlCell class = sl_json_scalar (each.value, room);
      if (class.text == NULL)
        return sl_answers_bad (answers, error, "a class of the list is no text");
      if (!take_class (answers, class, &code, &go_on, error))
        return go_on;
      g_array_append_val (own->chosen, code);
    }
  if (!listed && !take_class (answers, answer->class, &code, &go_on, error))
    return go_on;
  if (!listed)
    g_array_append_val (own->chosen, code);
  if (own->classes.known == NULL && too_many_classes (answers, error))
    return FALSE;
  if (!answers->ingest->rehearsal && own->classes.known == NULL)
    return sl_error_bad_input (error, "--multi-label: what comes by a pipe is read once, so its "
                                      "classes are to be said: --classes A,B,C");
  return answers->ingest->rehearsal || write_set (answers, answer, error);
}

gboolean
sl_answers_add (SlAnswersReader *answers, const SlAnswer *given, GError **error)
{
  struct _SlAnswersPrivate *own = answers->priv;
  SlAnswer answer = *given;
  answer.item = trimmed (answers->ingest, given->item);
  answer.annotator = trimmed (answers->ingest, given->annotator);
  const char *fault = name_fault (answer.item);
  if (fault != NULL)
    return sl_answers_bad (answers, error, "the item %s", fault);
  fault
      = sl_table_has (own->shape, SL_ANNOTATIONS_ANNOTATOR) ? name_fault (answer.annotator) : NULL;
  if (fault != NULL)
    return sl_answers_bad (answers, error, "the annotator %s%s", fault, cure_of (answers));
  gint32 class, gold = -1;
  gboolean go_on;
  if (answers->ingest->options->multi_label != NULL)
    return add_set (answers, &answer, error);
  if (!take_class (answers, answer.class, &class, &go_on, error))
    return go_on;
  if (answer.gold.n > 0 && sl_table_has (own->shape, SL_ANNOTATIONS_GOLD))
    gold = code_of (own->gold_coder, answer.gold);
  if (gold == SL_CODE_UNKNOWN && answer.gold.n > 0
      && sl_table_has (own->shape, SL_ANNOTATIONS_GOLD))
    return bad_class (answers, own->gold_coder, "gold class", answer.gold, gold, error);
  if (!isfinite (answer.seconds) || answer.seconds < 0)
    answer.seconds = (double) NAN;
  if (own->classes.known == NULL && too_many_classes (answers, error))
    return FALSE;
  return answers->ingest->rehearsal || write_row (answers, &answer, class, MAX (gold, -1), error);
}

static void
tell_left_out (SlAnswersReader *answers)
{
  const GArray *all = answers->priv->left_out;
  g_autoptr (GString) text = g_string_new (NULL), keep = g_string_new (NULL);
  for (guint i = 0; i < all->len; i++)
    {
      const LeftOut *one = &g_array_index (all, LeftOut, i);
      if (one->n == 0)
        continue;
      g_string_append_printf (text, "%s%s %" G_GINT64_FORMAT, text->len > 0 ? ", " : "", one->why,
                              one->n);
      if (one->keep != NULL)
        g_string_append_printf (keep, "%s%s", keep->len > 0 ? "," : "", one->keep);
    }
  if (keep->len > 0)
    g_string_append_printf (text, " (--keep %s takes them)", keep->str);
  if (text->len > 0)
    sl_run_warn (answers->ingest->run, "left out: %s", text->str);
}

static gboolean
fail_question (const SlAnswersReader *answers, GError **error)
{
  const GPtrArray *met = answers->priv->questions;
  g_autofree char *file = sl_ingest_file_name (answers->ingest->files[0]);
  g_autoptr (GString) all = g_string_new (NULL);
  for (guint i = 0; i < met->len; i++)
    {
      g_autofree char *shown = sl_shown (met->pdata[i], strlen (met->pdata[i]));
      g_string_append_printf (all, "%s'%s'", i > 0 ? ", " : "", shown);
    }
  return sl_error_bad_input (error,
                             "%s: there are no answers to the question '%s'; the questions are %s",
                             file, answers->ingest->options->question, all->str);
}

static void
new_coders (SlAnswersReader *answers)
{
  struct _SlAnswersPrivate *own = answers->priv;
  g_clear_pointer (&own->coder, sl_coder_free);
  g_clear_pointer (&own->gold_coder, sl_coder_free);
  own->coder = sl_coder_new (own->classes.known, &answers->ingest->class_texts);
  own->gold_coder = sl_coder_new (own->classes.known, &answers->ingest->class_texts);
}

static gboolean
settle_classes (SlAnswersReader *answers, GError **error)
{
  struct _SlAnswersPrivate *own = answers->priv;
  g_autoptr (GArray) map = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_autoptr (GArray) gold_map = g_array_new (FALSE, FALSE, sizeof (gint32));
  if (!sl_class_search_add (&own->classes, own->coder, map, TRUE)
      || !sl_class_search_add (&own->classes, own->gold_coder, gold_map, FALSE))
    return !too_many_classes (answers, error);
  gint32 n = sl_intern_size (own->classes.found);
  if (n == 0)
    return TRUE;
  g_autofree gint32 *place = g_new (gint32, n);
  answers->ingest->classes = sl_class_search_end (&own->classes, place, answers->ingest->run);
  for (guint i = 0; i < map->len; i++)
    g_array_index (map, gint32, i) = place[g_array_index (map, gint32, i)];
  for (guint i = 0; i < gold_map->len; i++)
    g_array_index (gold_map, gint32, i) = place[g_array_index (gold_map, gint32, i)];
  g_ptr_array_add (own->waiting, g_steal_pointer (&own->rows));
  for (guint i = 0; i < own->waiting->len; i++)
    {
      SlBuilder *rows = own->waiting->pdata[i];
      sl_builder_recode (rows, SL_ANNOTATIONS_CLASS, (const gint32 *) (gpointer) map->data);
      if (sl_table_has (own->shape, SL_ANNOTATIONS_GOLD))
        sl_builder_recode (rows, SL_ANNOTATIONS_GOLD, (const gint32 *) (gpointer) gold_map->data);
    }
  new_coders (answers);
  return TRUE;
}

static gboolean
read_files (SlAnswersReader *answers, GError **error)
{
  SlIngest *ingest = answers->ingest;
  for (int i = 0; ingest->files[i] != NULL; i++)
    {
      g_autofree char *name = sl_ingest_file_name (ingest->files[i]);
      answers->file = name;
      answers->path = ingest->files[i];
      answers->row = 0;
      if (answers->format->begin_file != NULL && !answers->format->begin_file (answers, error))
        return FALSE;
      SlSource *source = sl_ingest_turn_to (ingest, ingest->files[i], error)
                             ? sl_source_open (ingest->files[i], error)
                             : NULL;
      if (source == NULL || !sl_answers_read_file (answers, source, error))
        return FALSE;
    }
  answers->file = NULL;
  return TRUE;
}

static gboolean
start (SlAnswersReader *answers, GError **error)
{
  SlIngest *ingest = answers->ingest;
  if (ingest->options->multi_label != NULL
      && (answers->priv->asked = sl_ingest_ask (ingest, error)) == NULL)
    return FALSE;
  gboolean ok = sl_ingest_start_as (ingest, answers->priv->shape, error);
  answers->priv->rows = ingest->builder;
  return ok;
}

static gboolean
find_classes_first (SlAnswersReader *answers, GError **error)
{
  SlIngest *ingest = answers->ingest;
  ingest->rehearsal = TRUE;
  for (int i = 0; ingest->files[i] != NULL; i++)
    ingest->rehearsal = ingest->rehearsal && sl_source_can_reopen (ingest->files[i]);
  if (ingest->rehearsal)
    ingest->bytes_whole *= 2;
  if (!read_files (answers, error))
    return FALSE;
  gboolean again = ingest->rehearsal;
  ingest->rehearsal = FALSE;
  ingest->again = again;
  if (!settle_classes (answers, error))
    return FALSE;
  if (ingest->classes == NULL)
    return !again || read_files (answers, error);
  if (!start (answers, error))
    return FALSE;
  if (again)
    return read_files (answers, error);
  for (guint i = 0; i < answers->priv->waiting->len; i++)
    if (!sl_ingest_put (ingest, answers->priv->waiting->pdata[i], NULL, error))
      return FALSE;
  return TRUE;
}

static gboolean
read_and_write (SlAnswersReader *answers, GError **error)
{
  SlIngest *ingest = answers->ingest;
  struct _SlAnswersPrivate *own = answers->priv;
  if (ingest->classes == NULL && answers->format->classes != NULL)
    ingest->classes = g_strdupv ((char **) answers->format->classes);
  sl_class_search_init (&own->classes, ingest->classes, ingest->options->ignore_case);
  new_coders (answers);
  if (ingest->classes == NULL)
    own->rows = sl_builder_new (own->shape);
  gboolean ok = ingest->classes != NULL ? start (answers, error) && read_files (answers, error)
                                        : find_classes_first (answers, error);
  if (ok && ingest->options->question != NULL && own->questions->len > 0 && ingest->n_rows == 0
      && ingest->rejected.n == 0)
    return fail_question (answers, error);
  if (ok)
    tell_left_out (answers);
  return ok;
}

static guint32
columns_of (const SlIngest *ingest, const SlAnswersFormat *format)
{
  const SlColumnRole *roles = sl_ingest_formats[ingest->options->from]->roles;
  guint32 columns = format->columns | 1u << SL_ANNOTATIONS_CLASS;
  for (int i = 0; roles != NULL && roles[i].role != NULL; i++)
    if (strcmp (roles[i].role, "gold") == 0 && ingest->columns[i] != NULL)
      columns |= 1u << SL_ANNOTATIONS_GOLD;
  return columns;
}

static void
own_clear (struct _SlAnswersPrivate *own, const SlIngest *ingest)
{
  if (own->rows != ingest->builder)
    g_clear_pointer (&own->rows, sl_builder_free);
  sl_seen_pairs_free (own->seen);
  g_ptr_array_unref (own->questions);
  g_array_unref (own->left_out);
  g_ptr_array_unref (own->waiting);
  g_clear_pointer (&own->shape, sl_table_unref);
  g_clear_pointer (&own->coder, sl_coder_free);
  g_clear_pointer (&own->gold_coder, sl_coder_free);
  sl_class_search_clear (&own->classes);
  g_strfreev (own->asked);
  g_array_unref (own->chosen);
}

gboolean
sl_answers_run (SlIngest *ingest, const SlAnswersFormat *format, GError **error)
{
  struct _SlAnswersPrivate own = { 0 };
  g_autofree gpointer state = g_malloc0 (format->state_bytes);
  g_autoptr (SlJsonParser) parser = sl_json_parser_new ();
  SlAnswersReader answers
      = { .ingest = ingest, .format = format, .state = state, .parser = parser, .priv = &own };
  if (parser == NULL)
    return sl_error_runtime (error, "there is no memory to read JSON");
  own.repeats = ingest->options->repeats != SL_REPEATS_UNSAID ? (SlRepeats) ingest->options->repeats
                                                              : SL_REPEATS_MARK;
  own.shape = sl_table_new (&sl_annotations, NULL);
  own.shape->columns |= columns_of (ingest, format);
  if (sl_table_has (own.shape, SL_ANNOTATIONS_ANNOTATOR) && own.repeats == SL_REPEATS_MARK)
    sl_table_add (own.shape, SL_ANNOTATIONS_REPEAT);
  g_autofree int *attribute = answers.attribute = g_new0 (int, ingest->n_attributes + 1);
  own.waiting = g_ptr_array_new_with_free_func ((GDestroyNotify) sl_builder_free);
  own.left_out = g_array_new (FALSE, FALSE, sizeof (LeftOut));
  g_array_set_clear_func (own.left_out, left_out_clear);
  own.questions = g_ptr_array_new_with_free_func (g_free);
  own.chosen = g_array_new (FALSE, FALSE, sizeof (gint32));
  own.seen = sl_seen_pairs_new (ingest->run);
  if (own.repeats == SL_REPEATS_KEEP)
    sl_seen_pairs_sample (own.seen);
  gboolean ok = sl_attributes_add (ingest, own.shape, error) && read_and_write (&answers, error);
  if (ok && own.n_empty > 0)
    sl_run_warn (ingest->run, SL_EMPTY_SETS, own.n_empty);
  if (ok)
    sl_seen_pairs_tell (own.seen, own.repeats);
  if (ok && format->end != NULL)
    format->end (&answers);
  if (format->clear != NULL)
    format->clear (state);
  own_clear (&own, ingest);
  return ok;
}
