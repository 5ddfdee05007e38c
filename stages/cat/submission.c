/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "submission.h"

#include "pipeline/base/error.h"
#include "pipeline/base/intern/intern.h"
#include "pipeline/base/json.h"
#include "pipeline/base/largest.h"
#include "pipeline/base/number-text.h"
#include "pipeline/base/shown-text.h"

#include <string.h>

struct _SlSubmission
{
  gboolean of_2023;
  int label, class, annotator; /* columns; -1: there is none */
  SlIntern *items;             /* so far */
  gint64 rows;
  gint32 item; /* whose line is open, of annotators; -1: none */
};

SlSubmission *
sl_submission_new (const SlTable *table, gboolean of_2023, GError **error)
{
  SlSubmission submission = { .of_2023 = of_2023, .item = -1 };
  submission.label = sl_table_column (table, "label");
  if (submission.label < 0)
    submission.label = sl_table_column (table, "prob");
  submission.class = sl_table_column (table, "class");
  submission.annotator = sl_table_column (table, "annotator");
  gboolean answers = submission.label < 0 && submission.class >= 0 && submission.annotator >= 0;
  if ((submission.label < 0 && !answers) || sl_table_column (table, "item") != 0)
    {
      sl_error_bad_input (
          error,
          "--submission lewidi takes labels, predictions, or votes of annotators; this "
          "is a table of %s without them",
          table->kind->name);
      return NULL;
    }
  if (of_2023 && (submission.label < 0 || submission.annotator >= 0))
    {
      sl_error_bad_input (error, "--submission lewidi-2023 takes one label an item; this table has "
                                 "rows of single annotators");
      return NULL;
    }
  submission.items = sl_intern_new ();
  return g_memdup2 (&submission, sizeof submission);
}

void
sl_submission_free (SlSubmission *submission)
{
  sl_intern_free (submission->items);
  g_free (submission);
}

/* As a Python literal: numbers as they are, other names in quotes. */
static void
append_class (GString *out, const char *class)
{
  double value;
  if (sl_parse_real (class, -1, &value))
    {
      g_string_append (out, class);
      return;
    }
  g_string_append_c (out, '\'');
  for (; *class != '\0'; class ++)
    {
      if (*class == '\'' || *class == '\\')
        g_string_append_c (out, '\\');
      g_string_append_c (out, *class);
    }
  g_string_append_c (out, '\'');
}

static gint32
class_of (const SlSubmission *submission, const SlBatch *batch, gint64 row)
{
  gint32 n = batch->table->n_classes;
  return submission->label < 0 ? batch->column[submission->class].code[row]
                               : sl_largest (batch->column[submission->label].real + row * n, n);
}

static void
append_label (const SlSubmission *submission, GString *out, const SlBatch *batch, gint64 row,
              const char *item, gsize n_item)
{
  const SlTable *table = batch->table;
  const double *p = batch->column[submission->label].real + row * table->n_classes;
  if (submission->of_2023)
    g_string_append (out, table->classes[sl_largest (p, table->n_classes)]);
  else
    {
      g_string_append_len (out, item, (gssize) n_item);
      g_string_append (out, "\t[");
    }
  for (gint32 k = 0; k < table->n_classes; k++)
    {
      g_string_append (out, submission->of_2023 ? "\t" : k > 0 ? ", " : "");
      sl_json_real (out, p[k]);
    }
  g_string_append (out, submission->of_2023 ? "\n" : "]\n");
}

static gboolean
fail_again (const char *item, gsize n, gint64 row, gboolean annotators, GError **error)
{
  g_autofree char *shown = sl_shown (item, n);
  return sl_error_row (error, row,
                       annotators ? "the answers about item '%s' do not stand together"
                                  : "item '%s' has a row already; a submission has one an item",
                       shown);
}

gboolean
sl_submission_append (SlSubmission *submission, GString *out, const SlBatch *batch, GError **error)
{
  for (gint64 row = 0; row < batch->n_rows; row++)
    {
      gsize n;
      submission->rows++;
      const char *item = sl_text_get (batch->column[0].text, row, &n);
      gint32 before = sl_intern_size (submission->items),
             id = sl_intern (submission->items, item, n);
      gboolean again = id < before, same = id == submission->item;
      if (memchr (item, '\t', n) != NULL || memchr (item, '\n', n) != NULL)
        return sl_error_row (error, submission->rows, "the item has a tab or a newline in it");
      if (again && !(same && submission->annotator >= 0))
        return fail_again (item, n, submission->rows, submission->annotator >= 0, error);
      if (submission->annotator < 0)
        {
          append_label (submission, out, batch, row, item, n);
          continue;
        }
      if (!same)
        {
          sl_submission_end (submission, out);
          g_string_append_len (out, item, (gssize) n);
          g_string_append (out, "\t[");
          submission->item = id;
        }
      else
        g_string_append (out, ", ");
      append_class (out, batch->table->classes[class_of (submission, batch, row)]);
    }
  return TRUE;
}

void
sl_submission_end (SlSubmission *submission, GString *out)
{
  if (submission->item >= 0)
    g_string_append (out, "]\n");
  submission->item = -1;
}
