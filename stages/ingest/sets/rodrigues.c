/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rodrigues: answers.txt as Rodrigues & Pereira 2018 and those after them have it: a matrix of
 * whole numbers between blanks, a row an item and a column an annotator, both numbered from 0; -1
 * is no answer. What sequences have, blank lines between sentences, is refused. */
#include "pipeline/base/number-text.h"
#include "schemas/annotations.h"
#include "stages/ingest/formats.h"

#include <math.h>

#define BLOCK (1 << 18)
#define MAX_LINE (64 << 20)

/* A file's lines, one after the other. */
typedef struct
{
  SlSource *source;
  GString *text;
  gsize at;
  gint64 done;
} Lines;

/* The next line, without its newline; *N is G_MAXSIZE at the end. */
static gboolean
next_line (Lines *lines, const char **line, gsize *n, GError **error)
{
  for (;;)
    {
      const char *start = lines->text->str + lines->at;
      gsize rest = lines->text->len - lines->at;
      const char *end = memchr (start, '\n', rest);
      if (end != NULL || (lines->source->ended && rest > 0))
        {
          *line = start;
          *n = end != NULL ? (gsize) (end - start) : rest;
          lines->at += *n + (end != NULL);
          lines->done += (gint64) (*n + (end != NULL));
          return TRUE;
        }
      *n = G_MAXSIZE;
      if (lines->source->ended)
        return TRUE;
      if (rest > MAX_LINE)
        return sl_error_bad_input (error, "%s: a line is longer than 64 MiB", lines->source->name);
      g_string_erase (lines->text, 0, (gssize) lines->at);
      lines->at = 0;
      gsize had = lines->text->len, got;
      g_string_set_size (lines->text, had + BLOCK);
      gboolean ok = sl_source_read (lines->source, lines->text->str + had, BLOCK, &got, error);
      g_string_set_size (lines->text, had + (ok ? got : 0));
      if (!ok)
        return FALSE;
    }
}

/* The next word of *LINE[*N]. */
static SlCell
next_word (const char **line, gsize *n)
{
  while (*n > 0 && g_ascii_isspace (**line))
    ++*line, --*n;
  SlCell word = { *line, 0 };
  while (*n > 0 && !g_ascii_isspace (**line))
    ++*line, --*n, word.n++;
  return word;
}

/* One cell: a class's number, written 3, 3.0 or 3.000e+00. *ANY: it is an answer. */
static gboolean
take_cell (SlAnswersReader *answers, SlCell word, gint64 item, gint64 annotator, gboolean *any,
           GError **error)
{
  double value;
  char item_text[24], name[24], class[24];
  if (!sl_parse_real (word.text, (gssize) word.n, &value) || value != floor (value) || value < -1
      || value > 1e6)
    return sl_answers_bad (answers, error,
                           "'%.*s' is neither a class, a whole number from 0, nor -1",
                           (int) MIN (word.n, 40), word.text);
  if (value == -1)
    return TRUE;
  *any = TRUE;
  SlAnswer answer = {
    .item
    = { item_text, (gsize) g_snprintf (item_text, sizeof item_text, "%" G_GINT64_FORMAT, item) },
    .annotator = { name, (gsize) g_snprintf (name, sizeof name, "%" G_GINT64_FORMAT, annotator) },
    .class = { class, (gsize) g_snprintf (class, sizeof class, "%.0f", value) },
    .seconds = (double) NAN,
  };
  return sl_answers_add (answers, &answer, error);
}

static gint64
count_words (const char *line, gsize n)
{
  gint64 words = 0;
  while (next_word (&line, &n).n > 0)
    words++;
  return words;
}

static gboolean
take_line (SlAnswersReader *answers, const char *line, gsize n, gint64 *width, GError **error)
{
  gint64 words = count_words (line, n), item = answers->row - 1;
  gboolean any = FALSE;
  answers->record = line;
  answers->record_length = n;
  if (*width == 0)
    *width = words;
  if (words == 0)
    return sl_answers_bad (answers, error,
                           "the line is empty: answers about sequences, as of named entities, are "
                           "not read");
  if (words != *width)
    return sl_answers_bad (answers, error,
                           "%" G_GINT64_FORMAT " number%s, the first line has %" G_GINT64_FORMAT,
                           words, words == 1 ? "" : "s", *width);
  for (gint64 annotator = 0; annotator < words; annotator++)
    if (!take_cell (answers, next_word (&line, &n), item, annotator, &any, error))
      return FALSE;
  return any || sl_answers_pass (answers, "item without answers");
}

static gboolean
read_lines (SlAnswersReader *answers, Lines *lines, GError **error)
{
  gint64 width = 0;
  for (;;)
    {
      const char *line;
      gsize n;
      if (!next_line (lines, &line, &n, error))
        return FALSE;
      if (n == G_MAXSIZE)
        return TRUE;
      answers->row++;
      if (!take_line (answers, line, n, &width, error))
        return FALSE;
      sl_answers_progress (answers, 1, lines->done);
    }
}

static gboolean
read_file (SlAnswersReader *answers, SlSource *source, GError **error)
{
  g_autoptr (SlSource) own = source;
  Lines lines = { own, g_string_new (NULL), 0, 0 };
  if (answers->path != answers->ingest->files[0])
    {
      sl_error_bad_input (error,
                          "%s: items are numbered by their lines, so there can be one file only",
                          answers->file);
      g_string_free (lines.text, TRUE);
      return FALSE;
    }
  gboolean ok = read_lines (answers, &lines, error);
  answers->ingest->bytes_done += lines.done;
  g_string_free (lines.text, TRUE);
  return ok;
}

static const SlAnswersFormat format = {
  .columns = 1u << SL_ANNOTATIONS_ANNOTATOR,
  .lines = read_file,
};

const SlIngestFormat sl_ingest_rodrigues = { .answers = &format };
