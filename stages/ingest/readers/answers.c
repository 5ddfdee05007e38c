/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "answers-private.h"

static void
new_coders (SlAnswers *answers)
{
  struct _SlAnswersPrivate *own = answers->priv;
  g_clear_pointer (&own->coder, sl_coder_free);
  g_clear_pointer (&own->gold_coder, sl_coder_free);
  own->coder = sl_coder_new (own->classes.known, &answers->ingest->class_texts);
  own->gold_coder = sl_coder_new (own->classes.known, &answers->ingest->class_texts);
}

static gboolean
settle_classes (SlAnswers *answers, GError **error)
{
  struct _SlAnswersPrivate *own = answers->priv;
  g_autoptr (GArray) map = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_autoptr (GArray) gold_map = g_array_new (FALSE, FALSE, sizeof (gint32));
  if (!sl_class_search_add (&own->classes, own->coder, map, TRUE)
      || !sl_class_search_add (&own->classes, own->gold_coder, gold_map, FALSE))
    return !sl_answers_too_many_classes (answers, error);
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
    return sl_answers_fail_question (answers, error);
  if (ok)
    sl_answers_tell_left_out (answers);
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
  own.left_out = g_array_new (FALSE, FALSE, sizeof (SlLeftOut));
  g_array_set_clear_func (own.left_out, sl_answers_left_out_clear);
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
