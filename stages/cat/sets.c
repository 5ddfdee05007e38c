/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sets.h"

#include "pipeline/base/error.h"
#include "pipeline/base/intern/intern.h"
#include "pipeline/base/json.h"
#include "pipeline/base/shown-text.h"
#include "stages/common/items/question.h"

#include <string.h>

struct _SlSets
{
  char *separator;
  double threshold;
  gint32 yes;                  /* the class */
  int label, class, annotator; /* columns; -1: there is none */
  SlIntern *met;               /* sets so far: item, NUL, annotator */
  gint64 rows;
  gint32 open; /* whose line is; -1: none */
  GString *name, *members, *likely;
};

SlSets *
sl_sets_new (const SlTable *table, const char *separator, double threshold, GError **error)
{
  SlSets sets = { .threshold = threshold, .open = -1, .yes = sl_table_class (table, "yes", -1) };
  const int annotator = sl_table_column (table, "annotator");
  sets.label = sl_table_column (table, "label");
  if (sets.label < 0)
    sets.label = sl_table_column (table, "prob");
  sets.class = sl_table_column (table, "class");
  sets.annotator = annotator >= 0 && sl_table_has (table, annotator) ? annotator : -1;
  if (sets.class >= 0 && !sl_table_has (table, sets.class))
    sets.class = -1;
  if (table->n_classes != 2 || sets.yes < 0 || sl_table_class (table, "no", -1) < 0
      || (sets.label < 0 && sets.class < 0) || sl_table_column (table, "item") != 0)
    {
      sl_error_bad_input (error,
                          "--sets: questions with the classes no and yes are wanted, as `softlabel "
                          "ingest --multi-label` makes them, and labels of them; this is another "
                          "table of %s",
                          table->kind->name);
      return NULL;
    }
  sets.separator = g_strdup (separator);
  sets.met = sl_intern_new ();
  sets.name = g_string_new (NULL);
  sets.members = g_string_new (NULL);
  sets.likely = g_string_new (NULL);
  return g_memdup2 (&sets, sizeof sets);
}

void
sl_sets_free (SlSets *sets)
{
  g_free (sets->separator);
  sl_intern_free (sets->met);
  g_string_free (sets->name, TRUE);
  g_string_free (sets->members, TRUE);
  g_string_free (sets->likely, TRUE);
  g_free (sets);
}

void
sl_sets_end (SlSets *sets, GString *out)
{
  if (sets->open < 0)
    return;
  g_string_append_printf (out, ",\"classes\":[%s]", sets->members->str);
  if (sets->label >= 0)
    g_string_append_printf (out, ",\"probabilities\":%s}", sets->likely->str);
  g_string_append (out, "}\n");
  sets->open = -1;
}

static void
begin_line (SlSets *sets, GString *out, const char *item, gsize n_item, const char *who, gsize n)
{
  g_string_append (out, "{\"item\":");
  sl_json_string (out, item, (gssize) n_item);
  if (sets->annotator >= 0)
    {
      g_string_append (out, ",\"annotator\":");
      sl_json_string (out, who, (gssize) n);
    }
  g_string_truncate (sets->members, 0);
  g_string_assign (sets->likely, "{");
}

/* The question TEXT[n], and how likely it is answered by yes. */
static void
add_question (SlSets *sets, const char *text, gsize n, double p)
{
  if (p >= sets->threshold)
    {
      g_string_append (sets->members, sets->members->len > 0 ? "," : "");
      sl_json_string (sets->members, text, (gssize) n);
    }
  if (sets->label < 0)
    return;
  g_autofree char *question = g_strndup (text, n);
  sl_json_member (sets->likely, question);
  sl_json_real (sets->likely, p);
}

gboolean
sl_sets_append (SlSets *sets, GString *out, const SlBatch *batch, GError **error)
{
  const SlColumn *column = batch->column;
  for (gint64 row = 0; row < batch->n_rows; row++)
    {
      gsize n, n_who = 0;
      const char *name = sl_text_get (column[0].text, row, &n), *who = "";
      const char *question = sl_question_in (name, n, sets->separator);
      sets->rows++;
      if (question == NULL)
        {
          g_autofree char *shown = sl_shown (name, n);
          return sl_error_row (error, sets->rows,
                               "item '%s' has no '%s' that parts it from its question", shown,
                               sets->separator);
        }
      if (sets->annotator >= 0)
        who = sl_text_get (column[sets->annotator].text, row, &n_who);
      const gsize own = (gsize) (question - name) - strlen (sets->separator);
      g_string_append_len (g_string_truncate (sets->name, 0), name, (gssize) own);
      g_string_append_c (sets->name, '\0');
      g_string_append_len (sets->name, who, (gssize) n_who);
      const gint32 before = sl_intern_size (sets->met),
                   id = sl_intern (sets->met, sets->name->str, sets->name->len);
      if (id < before && id != sets->open)
        {
          g_autofree char *shown = sl_shown (name, own);
          return sl_error_row (error, sets->rows,
                               "the answers to questions about item '%s' do not stand together, or "
                               "are there twice",
                               shown);
        }
      if (id != sets->open)
        {
          sl_sets_end (sets, out);
          begin_line (sets, out, name, own, who, n_who);
          sets->open = id;
        }
      add_question (sets, question, n - (gsize) (question - name),
                    sets->label >= 0 ? column[sets->label].real[2 * row + sets->yes]
                                     : column[sets->class].code[row] == sets->yes);
    }
  return TRUE;
}
