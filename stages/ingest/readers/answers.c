/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "answers.h"

#include "pipeline/base/shown-text.h"
#include "schemas/annotations.h"
#include "stages/ingest/formats.h"
#include "seen-pairs.h"

#include <math.h>
#include <string.h>

#define PUT_ROWS 4096 /* rows that are collected before they are handed on */
#define MOST_QUESTIONS 20

typedef struct
{
  char *why;
  const char *keep;
  gint64 n;
} LeftOut;

struct _SlAnswersPrivate
{
  SlTable *shape; /* as the table will be, but for its classes */
  SlBuilder *rows;
  GPtrArray *waiting; /* of SlBuilder, with codes of the coders */
  SlClassSearch classes;
  SlCoder *coder, *gold_coder;
  SlSeenPairs *seen;
  GArray *left_out;     /* of LeftOut */
  GPtrArray *questions; /* that were met, at most MOST_QUESTIONS */
};

static void
left_out_clear (gpointer data)
{
  g_free (((LeftOut *) data)->why);
}

gboolean
sl_answers_bad (SlAnswers *answers, GError **error, const char *format, ...)
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
sl_answers_leave_out (SlAnswers *answers, const char *why, const char *keep)
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
bad_class (SlAnswers *answers, SlCoder *coder, const char *what, SlCell class, gint32 code,
           GError **error)
{
  g_autofree char *shown = sl_shown (class.text, class.n);
  if (code == SL_CODE_MISSING)
    return sl_answers_bad (answers, error,
                           "%s '%s' means that there is none; if it is a class, name it in "
                           "--classes, or say with --na what means none",
                           what, shown);
  gint32 alike = sl_coder_alike (coder, class.text, class.n);
  if (alike < 0)
    return sl_answers_bad (answers, error, "%s '%s' is not one of the classes", what, shown);
  gsize length;
  const char *name = sl_intern_get (coder->known, alike, &length);
  g_autofree char *known = sl_shown (name, length);
  return sl_answers_bad (
      answers, error,
      "%s '%s' is not one of the classes, but '%s' is: --rename-class '%s=%s' reads it so", what,
      shown, known, shown, known);
}

/* Texts from outside of a parser may end where memory does. */
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

/* What is wrong with a name; NULL: nothing. */
static const char *
name_fault (SlCell name)
{
  if (name.n == 0)
    return "is empty";
  return memchr (name.text, '\0', name.n) != NULL ? "has a NUL in it" : NULL;
}

/* What to do about an annotator that is not there. */
static const char *
cure_of (const SlAnswers *answers)
{
  guint32 traits = sl_ingest_format_traits[answers->ingest->options->from];
  return traits & SL_FORMAT_ANNOTATOR ? "; --annotator NAME says who it is" : "";
}

static gboolean
too_many_classes (const SlAnswers *answers, GError **error)
{
  if (sl_intern_size (answers->priv->coder->learned) <= SL_MAX_CLASSES)
    return FALSE;
  g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
               "%s: over %d different answers: is it the right question, and are they classes?",
               answers->file, SL_MAX_CLASSES);
  return TRUE;
}

/* Rows that are ready go to the table, or wait until its classes are known. */
static gboolean
hand_on (SlAnswers *answers, GError **error)
{
  struct _SlAnswersPrivate *own = answers->priv;
  if (own->classes.known != NULL)
    return sl_ingest_put (answers->ingest, own->rows, error);
  sl_builder_shrink (own->rows);
  gsize bytes = sl_builder_bytes (own->rows);
  g_ptr_array_add (own->waiting, g_steal_pointer (&own->rows));
  own->rows = sl_builder_new (own->shape);
  return sl_run_claim (
      answers->ingest->run, bytes,
      "the answers of a pipe until all their classes are known (with --classes, or from a "
      "file, none need to wait)",
      error);
}

static gboolean
write_row (SlAnswers *answers, const SlAnswer *answer, gint32 class, gint32 gold, GError **error)
{
  struct _SlAnswersPrivate *own = answers->priv;
  const SlTable *shape = own->shape;
  sl_builder_text (own->rows, SL_ANNOTATIONS_ITEM, answer->item.text, answer->item.n);
  sl_builder_class (own->rows, SL_ANNOTATIONS_CLASS, class);
  if (sl_table_has (shape, SL_ANNOTATIONS_ANNOTATOR))
    {
      gboolean repeat;
      if (!sl_seen_pairs_add (own->seen, answer->item, answer->annotator, &repeat, error))
        return FALSE;
      sl_builder_text (own->rows, SL_ANNOTATIONS_ANNOTATOR, answer->annotator.text,
                       answer->annotator.n);
      sl_builder_bool (own->rows, SL_ANNOTATIONS_REPEAT, repeat);
    }
  if (sl_table_has (shape, SL_ANNOTATIONS_GOLD))
    sl_builder_class (own->rows, SL_ANNOTATIONS_GOLD, gold);
  if (sl_table_has (shape, SL_ANNOTATIONS_SECONDS))
    sl_builder_real (own->rows, SL_ANNOTATIONS_SECONDS, answer->seconds);
  if (sl_table_has (shape, SL_ANNOTATIONS_CHECK))
    sl_builder_bool (own->rows, SL_ANNOTATIONS_CHECK, answer->check);
  return sl_builder_rows (own->rows) < PUT_ROWS || hand_on (answers, error);
}

gboolean
sl_answers_add (SlAnswers *answers, const SlAnswer *given, GError **error)
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
  fault = name_fault (answer.class);
  if (fault != NULL)
    return sl_answers_bad (answers, error, "the class %s", fault);
  gint32 class = code_of (own->coder, answer.class), gold = -1;
  if (class < 0)
    return bad_class (answers, own->coder, "class", answer.class, class, error);
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

static gboolean
is_among (const GPtrArray *names, SlCell name)
{
  for (guint i = 0; i < names->len; i++)
    if (sl_cell_is (name, names->pdata[i]))
      return TRUE;
  return FALSE;
}

gboolean
sl_answers_question (SlAnswers *answers, SlCell name, gboolean *wanted, GError **error)
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
  g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
               "%s: row %" G_GINT64_FORMAT
               ": there are several questions, '%s' and '%s': say which with --question '%s'",
               answers->file, answers->row, one, other, one);
  return FALSE;
}

/* Nobody answered the question that was asked for. */
static gboolean
fail_question (const SlAnswers *answers, GError **error)
{
  const GPtrArray *met = answers->priv->questions;
  g_autofree char *file = sl_ingest_file_name (answers->ingest->files[0]);
  g_autoptr (GString) all = g_string_new (NULL);
  for (guint i = 0; i < met->len; i++)
    {
      g_autofree char *shown = sl_shown (met->pdata[i], strlen (met->pdata[i]));
      g_string_append_printf (all, "%s'%s'", i > 0 ? ", " : "", shown);
    }
  g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
               "%s: there are no answers to the question '%s'; the questions are %s", file,
               answers->ingest->options->question, all->str);
  return FALSE;
}

SlCell
sl_answers_annotator (const SlAnswers *answers, SlCell named)
{
  const char *given = answers->ingest->options->annotator;
  return named.n > 0 || given == NULL ? named : (SlCell){ given, strlen (given) };
}

void
sl_answers_progress (SlAnswers *answers, gint64 done)
{
  SlIngest *ingest = answers->ingest;
  sl_run_progress (ingest->run, ++ingest->n_read, ingest->bytes_done + done, ingest->bytes_whole);
}

static void
new_coders (SlAnswers *answers)
{
  struct _SlAnswersPrivate *own = answers->priv;
  g_clear_pointer (&own->coder, sl_coder_free);
  g_clear_pointer (&own->gold_coder, sl_coder_free);
  own->coder = sl_coder_new (own->classes.known, &answers->ingest->class_texts);
  own->gold_coder = sl_coder_new (own->classes.known, &answers->ingest->class_texts);
}

/* The classes found become the classes of the table, and the rows that wait get their codes. */
static gboolean
settle_classes (SlAnswers *answers, GError **error)
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
  own->rows = sl_builder_new (own->shape);
  new_coders (answers);
  return TRUE;
}

static gboolean
read_files (SlAnswers *answers, GError **error)
{
  SlIngest *ingest = answers->ingest;
  for (int i = 0; ingest->files[i] != NULL; i++)
    {
      g_autofree char *name = sl_ingest_file_name (ingest->files[i]);
      answers->file = name;
      answers->path = ingest->files[i];
      answers->row = 0;
      SlSource *source = sl_source_open (ingest->files[i], error);
      if (source == NULL || !answers->format->read_file (answers, source, error))
        return FALSE;
    }
  answers->file = NULL;
  return TRUE;
}

/* What was left out, and why, in one line. */
static void
tell_left_out (SlAnswers *answers)
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
start (SlAnswers *answers, GError **error)
{
  return sl_ingest_start (answers->ingest, &sl_annotations, answers->priv->shape->columns, error);
}

static gboolean
find_classes_first (SlAnswers *answers, GError **error)
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
    if (!sl_ingest_put (ingest, answers->priv->waiting->pdata[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
read_and_write (SlAnswers *answers, GError **error)
{
  SlIngest *ingest = answers->ingest;
  struct _SlAnswersPrivate *own = answers->priv;
  if (ingest->classes == NULL && answers->format->classes != NULL)
    ingest->classes = g_strdupv ((char **) answers->format->classes);
  sl_class_search_init (&own->classes, ingest->classes);
  new_coders (answers);
  gboolean ok = ingest->classes != NULL ? start (answers, error) && read_files (answers, error)
                                        : find_classes_first (answers, error);
  if (ok && ingest->table != NULL)
    ok = sl_ingest_put (ingest, own->rows, error);
  if (ok && ingest->options->question != NULL && own->questions->len > 0 && ingest->n_rows == 0
      && ingest->rejected.n == 0)
    return fail_question (answers, error);
  if (ok)
    tell_left_out (answers);
  return ok;
}

gboolean
sl_answers_run (SlIngest *ingest, const SlAnswersFormat *format, gpointer state, GError **error)
{
  struct _SlAnswersPrivate own = { 0 };
  SlAnswers answers = { .ingest = ingest, .format = format, .state = state, .priv = &own };
  own.shape = sl_table_new (&sl_annotations, NULL);
  own.shape->columns |= format->columns | 1u << SL_ANNOTATIONS_CLASS;
  if (sl_table_has (own.shape, SL_ANNOTATIONS_ANNOTATOR))
    sl_table_add (own.shape, SL_ANNOTATIONS_REPEAT);
  own.rows = sl_builder_new (own.shape);
  own.waiting = g_ptr_array_new_with_free_func ((GDestroyNotify) sl_builder_free);
  own.left_out = g_array_new (FALSE, FALSE, sizeof (LeftOut));
  g_array_set_clear_func (own.left_out, left_out_clear);
  own.questions = g_ptr_array_new_with_free_func (g_free);
  own.seen = sl_seen_pairs_new (ingest->run);
  gboolean ok = read_and_write (&answers, error);
  sl_seen_pairs_free (own.seen);
  g_ptr_array_unref (own.questions);
  g_array_unref (own.left_out);
  g_ptr_array_unref (own.waiting);
  g_clear_pointer (&own.rows, sl_builder_free);
  g_clear_pointer (&own.shape, sl_table_unref);
  g_clear_pointer (&own.coder, sl_coder_free);
  g_clear_pointer (&own.gold_coder, sl_coder_free);
  sl_class_search_clear (&own.classes);
  return ok;
}
