/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "answers-private.h"

#include "pipeline/base/shown-text.h"
#include "stages/ingest/formats.h"

#include <math.h>
#include <string.h>

#define PUT_ROWS 4096 /* rows that are collected before they are handed on */

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
cure_of (const SlAnswers *answers)
{
  guint32 traits = sl_ingest_format_traits[answers->ingest->options->from];
  return traits & SL_FORMAT_ANNOTATOR ? "; --annotator NAME says who it is" : "";
}

gboolean
sl_answers_too_many_classes (const SlAnswers *answers, GError **error)
{
  if (sl_intern_size (answers->priv->coder->learned) <= SL_MAX_CLASSES)
    return FALSE;
  g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
               "%s: over %d different answers: is it the right question, and are they classes?",
               answers->file, SL_MAX_CLASSES);
  return TRUE;
}

gboolean
sl_answers_hand_on (SlAnswers *answers, GError **error)
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
  return sl_builder_rows (own->rows) < PUT_ROWS || sl_answers_hand_on (answers, error);
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
  if (own->classes.known == NULL && sl_answers_too_many_classes (answers, error))
    return FALSE;
  return answers->ingest->rehearsal || write_row (answers, &answer, class, MAX (gold, -1), error);
}
