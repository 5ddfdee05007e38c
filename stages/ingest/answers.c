/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "answers.h"

#include <stddef.h>
#include <string.h>

/* What each column needs. */
static const struct
{
  int column;
  gsize at, width;
} fields[] = {
  { SL_ANNOTATIONS_CLASS, offsetof (SlAnswers, first), sizeof (gint32) },
  { SL_ANNOTATIONS_CHOICES, offsetof (SlAnswers, first), sizeof (gint32) },
  { SL_ANNOTATIONS_CHOICES, offsetof (SlAnswers, second), sizeof (gint32) },
  { SL_ANNOTATIONS_CHOICES, offsetof (SlAnswers, percent), sizeof (double) },
  { SL_ANNOTATIONS_CHOICES, offsetof (SlAnswers, percent2), sizeof (double) },
  { SL_ANNOTATIONS_IMPOSSIBLE, offsetof (SlAnswers, impossible_end), sizeof (gint32) },
  { SL_ANNOTATIONS_GOLD, offsetof (SlAnswers, gold), sizeof (gint32) },
  { SL_ANNOTATIONS_REPEAT, offsetof (SlAnswers, repeat), sizeof (guint8) },
  { SL_ANNOTATIONS_CHECK, offsetof (SlAnswers, check), sizeof (guint8) },
  { SL_ANNOTATIONS_REPAIRED, offsetof (SlAnswers, repaired), sizeof (guint8) },
  { SL_ANNOTATIONS_COMPLETE, offsetof (SlAnswers, complete), sizeof (guint8) },
  { SL_ANNOTATIONS_TRIAL, offsetof (SlAnswers, trial), sizeof (gint32) },
  { SL_ANNOTATIONS_SECONDS, offsetof (SlAnswers, seconds), sizeof (double) },
  { SL_ANNOTATIONS_COUNT, offsetof (SlAnswers, count), sizeof (gint64) },
};

static gpointer *
field (SlAnswers *answers, gsize f)
{
  return (gpointer *) (gpointer) ((char *) answers + fields[f].at);
}

SlAnswers *
sl_answers_new (guint32 columns)
{
  SlAnswers *answers = g_new0 (SlAnswers, 1);
  answers->columns = columns;
  answers->impossible = g_array_new (FALSE, FALSE, sizeof (gint32));
  sl_answers_reserve (answers, 64);
  return answers;
}

void
sl_answers_free (SlAnswers *answers)
{
  for (gsize f = 0; f < G_N_ELEMENTS (fields); f++)
    g_clear_pointer (field (answers, f), g_free);
  g_free (answers->item.offset);
  g_free (answers->item.data);
  g_free (answers->annotator.offset);
  g_free (answers->annotator.data);
  g_array_unref (answers->impossible);
  g_free (answers);
}

static void
resize (SlAnswers *answers, gsize room)
{
  answers->room = room;
  for (gsize f = 0; f < G_N_ELEMENTS (fields); f++)
    if (sl_answers_have (answers, fields[f].column))
      *field (answers, f) = g_realloc_n (*field (answers, f), room, fields[f].width);
  answers->item.offset = g_renew (gint32, answers->item.offset, room + 1);
  answers->annotator.offset = g_renew (gint32, answers->annotator.offset, room + 1);
  answers->item.offset[0] = answers->annotator.offset[0] = 0;
}

void
sl_answers_reserve (SlAnswers *answers, gsize n)
{
  if (answers->n + n > answers->room)
    resize (answers, MAX (answers->n + n, answers->room * 3 / 2));
}

void
sl_answers_clear (SlAnswers *answers)
{
  answers->n = answers->item.used = answers->annotator.used = 0;
  g_array_set_size (answers->impossible, 0);
}

void
sl_answers_shrink (SlAnswers *answers)
{
  resize (answers, MAX (answers->n, 1));
  SlTexts *texts[] = { &answers->item, &answers->annotator };
  for (int i = 0; i < 2; i++)
    {
      texts[i]->room = MAX (texts[i]->used, 1);
      texts[i]->data = g_realloc (texts[i]->data, texts[i]->room);
    }
}

gsize
sl_answers_bytes (const SlAnswers *answers)
{
  gsize bytes = sizeof *answers + answers->item.room + answers->annotator.room
                + answers->impossible->len * sizeof (gint32);
  gsize per_row = 2 * sizeof (gint32);
  for (gsize f = 0; f < G_N_ELEMENTS (fields); f++)
    if (sl_answers_have (answers, fields[f].column))
      per_row += fields[f].width;
  return bytes + per_row * answers->room;
}

static void
reserve_text (SlTexts *texts, gsize n)
{
  /* Texts are copied 16 bytes at once, the last ones too. */
  n += 16;
  if (n <= texts->room - texts->used)
    return;
  texts->room = MAX (texts->used + n, texts->room * 3 / 2);
  g_assert (texts->room <= G_MAXINT32);
  texts->data = g_realloc (texts->data, texts->room);
}

void
sl_texts_append (SlTexts *texts, gsize row, const char *text, gsize n)
{
  reserve_text (texts, n);
  memcpy (texts->data + texts->used, text, n);
  texts->used += n;
  texts->offset[row + 1] = (gint32) texts->used;
}

void
sl_texts_append_spans (SlTexts *texts, gsize row, const char *data, const guint32 *start,
                       const guint32 *end, gsize n)
{
  gsize bytes = 0;
  for (gsize i = 0; i < n; i++)
    bytes += end[i] - start[i];
  reserve_text (texts, bytes);
  char *to = texts->data + texts->used;
  gint32 *offset = texts->offset + row + 1;
  for (gsize i = 0; i < n; i++)
    {
      const char *from = data + start[i];
      gsize length = end[i] - start[i];
      /* Most are short; a copy of known size is two instructions. */
      memcpy (to, from, 16);
      if (G_UNLIKELY (length > 16))
        memcpy (to + 16, from + 16, length - 16);
      to += length;
      offset[i] = (gint32) (to - texts->data);
    }
  texts->used += bytes;
}

static void
recode (gint32 *codes, gsize n, const gint32 *code)
{
  for (gsize i = 0; codes != NULL && i < n; i++)
    if (codes[i] >= 0)
      codes[i] = code[codes[i]];
}

void
sl_answers_recode (SlAnswers *answers, const gint32 *code)
{
  recode (answers->first, answers->n, code);
  recode (answers->second, answers->n, code);
  recode (answers->gold, answers->n, code);
  recode (&g_array_index (answers->impossible, gint32, 0), answers->impossible->len, code);
}

static void
write_choices (const SlAnswers *answers, SlBuilder *builder, gsize from, gsize to)
{
  for (gsize i = from; i < to; i++)
    {
      sl_builder_choice (builder, SL_ANNOTATIONS_CHOICES, answers->first[i], answers->percent[i]);
      if (answers->second[i] >= 0)
        sl_builder_choice (builder, SL_ANNOTATIONS_CHOICES, answers->second[i],
                           answers->percent2[i]);
      sl_builder_end_list (builder, SL_ANNOTATIONS_CHOICES);
    }
}

static void
write_impossible (const SlAnswers *answers, SlBuilder *builder, gsize from, gsize to)
{
  gint32 j = from > 0 ? answers->impossible_end[from - 1] : 0;
  for (gsize i = from; i < to; i++)
    {
      for (; j < answers->impossible_end[i]; j++)
        sl_builder_member (builder, SL_ANNOTATIONS_IMPOSSIBLE,
                           g_array_index (answers->impossible, gint32, j));
      sl_builder_end_list (builder, SL_ANNOTATIONS_IMPOSSIBLE);
    }
}

static void
write_flags (SlBuilder *builder, int column, const guint8 *flags, gsize from, gsize to)
{
  for (gsize i = from; flags != NULL && i < to; i++)
    sl_builder_bool (builder, column, flags[i]);
}

/* Rows FROM .. TO - 1. */
static void
build (const SlAnswers *answers, SlBuilder *builder, gsize from, gsize to)
{
  SlText items = { answers->item.offset, answers->item.data },
         annotators = { answers->annotator.offset, answers->annotator.data };
  gint64 first = (gint64) from, n = (gint64) (to - from);
  sl_builder_texts (builder, SL_ANNOTATIONS_ITEM, items, first, n);
  if (sl_answers_have (answers, SL_ANNOTATIONS_ANNOTATOR))
    sl_builder_texts (builder, SL_ANNOTATIONS_ANNOTATOR, annotators, first, n);
  if (sl_answers_have (answers, SL_ANNOTATIONS_CLASS))
    sl_builder_classes (builder, SL_ANNOTATIONS_CLASS, answers->first + from, n);
  if (sl_answers_have (answers, SL_ANNOTATIONS_CHOICES))
    write_choices (answers, builder, from, to);
  if (sl_answers_have (answers, SL_ANNOTATIONS_IMPOSSIBLE))
    write_impossible (answers, builder, from, to);
  if (sl_answers_have (answers, SL_ANNOTATIONS_GOLD))
    sl_builder_classes (builder, SL_ANNOTATIONS_GOLD, answers->gold + from, n);
  write_flags (builder, SL_ANNOTATIONS_REPEAT, answers->repeat, from, to);
  write_flags (builder, SL_ANNOTATIONS_CHECK, answers->check, from, to);
  write_flags (builder, SL_ANNOTATIONS_REPAIRED, answers->repaired, from, to);
  write_flags (builder, SL_ANNOTATIONS_COMPLETE, answers->complete, from, to);
  for (gsize i = from; answers->trial != NULL && i < to; i++)
    if (answers->trial[i] >= 0)
      sl_builder_int (builder, SL_ANNOTATIONS_TRIAL, answers->trial[i]);
    else
      sl_builder_null (builder, SL_ANNOTATIONS_TRIAL);
  for (gsize i = from; answers->seconds != NULL && i < to; i++)
    sl_builder_real (builder, SL_ANNOTATIONS_SECONDS, answers->seconds[i]);
  for (gsize i = from; answers->count != NULL && i < to; i++)
    sl_builder_int (builder, SL_ANNOTATIONS_COUNT, answers->count[i]);
}

gboolean
sl_answers_write (const SlAnswers *answers, SlBuilder *builder, SlWriter *out, GError **error)
{
  for (gsize from = 0; from < answers->n;)
    {
      gsize to = MIN (answers->n, from + (gsize) sl_builder_room (builder));
      build (answers, builder, from, to);
      from = to;
      if (!sl_writer_write_built (out, builder, FALSE, error))
        return FALSE;
    }
  return TRUE;
}
