/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "answers-private.h"

#include "pipeline/base/shown-text.h"

#include <string.h>

#define MOST_QUESTIONS 20

void
sl_answers_left_out_clear (gpointer data)
{
  g_free (((SlLeftOut *) data)->why);
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
  while (i < all->len && strcmp (g_array_index (all, SlLeftOut, i).why, why) != 0)
    i++;
  if (i == all->len)
    {
      SlLeftOut one = { g_strdup (why), keep, 0 };
      g_array_append_val (all, one);
    }
  g_array_index (all, SlLeftOut, i).n += !answers->ingest->rehearsal;
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
sl_answers_pass (SlAnswers *answers, const char *why)
{
  sl_answers_leave_out (answers, why, NULL);
  return TRUE;
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

gboolean
sl_answers_fail_question (const SlAnswers *answers, GError **error)
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

void
sl_answers_tell_left_out (SlAnswers *answers)
{
  const GArray *all = answers->priv->left_out;
  g_autoptr (GString) text = g_string_new (NULL), keep = g_string_new (NULL);
  for (guint i = 0; i < all->len; i++)
    {
      const SlLeftOut *one = &g_array_index (all, SlLeftOut, i);
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
