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
  { SL_ANNOTATIONS_CLASS, offsetof (SlIngestAnswers, first), sizeof (gint32) },
  { SL_ANNOTATIONS_CHOICES, offsetof (SlIngestAnswers, first), sizeof (gint32) },
  { SL_ANNOTATIONS_CHOICES, offsetof (SlIngestAnswers, second), sizeof (gint32) },
  { SL_ANNOTATIONS_CHOICES, offsetof (SlIngestAnswers, percent), sizeof (double) },
  { SL_ANNOTATIONS_CHOICES, offsetof (SlIngestAnswers, percent2), sizeof (double) },
  { SL_ANNOTATIONS_IMPOSSIBLE, offsetof (SlIngestAnswers, impossible_end), sizeof (gint32) },
  { SL_ANNOTATIONS_GOLD, offsetof (SlIngestAnswers, gold), sizeof (gint32) },
  { SL_ANNOTATIONS_REPEAT, offsetof (SlIngestAnswers, repeat), sizeof (guint8) },
  { SL_ANNOTATIONS_CHECK, offsetof (SlIngestAnswers, check), sizeof (guint8) },
  { SL_ANNOTATIONS_REPAIRED, offsetof (SlIngestAnswers, repaired), sizeof (guint8) },
  { SL_ANNOTATIONS_COMPLETE, offsetof (SlIngestAnswers, complete), sizeof (guint8) },
  { SL_ANNOTATIONS_TRIAL, offsetof (SlIngestAnswers, trial), sizeof (gint32) },
  { SL_ANNOTATIONS_SECONDS, offsetof (SlIngestAnswers, seconds), sizeof (double) },
  { SL_ANNOTATIONS_COUNT, offsetof (SlIngestAnswers, count), sizeof (gint64) },
};

static gpointer *
field (SlIngestAnswers *answers, gsize f)
{
  return (gpointer *) (gpointer) ((char *) answers + fields[f].at);
}

SlIngestAnswers *
sl_ingest_answers_new (guint32 columns)
{
  SlIngestAnswers *answers = g_new0 (SlIngestAnswers, 1);
  answers->columns = columns;
  answers->impossible = g_array_new (FALSE, FALSE, sizeof (gint32));
  sl_ingest_answers_reserve (answers, 64);
  return answers;
}

void
sl_ingest_answers_free (SlIngestAnswers *answers)
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
resize (SlIngestAnswers *answers, gsize room)
{
  answers->room = room;
  for (gsize f = 0; f < G_N_ELEMENTS (fields); f++)
    if (sl_ingest_answers_have (answers, fields[f].column))
      *field (answers, f) = g_realloc_n (*field (answers, f), room, fields[f].width);
  answers->item.offset = g_renew (gint32, answers->item.offset, room + 1);
  answers->annotator.offset = g_renew (gint32, answers->annotator.offset, room + 1);
  answers->item.offset[0] = answers->annotator.offset[0] = 0;
}

void
sl_ingest_answers_reserve (SlIngestAnswers *answers, gsize n)
{
  if (answers->n + n > answers->room)
    resize (answers, MAX (answers->n + n, answers->room * 3 / 2));
}

void
sl_ingest_answers_clear (SlIngestAnswers *answers)
{
  answers->n = answers->item.used = answers->annotator.used = 0;
  g_array_set_size (answers->impossible, 0);
}

void
sl_ingest_answers_shrink (SlIngestAnswers *answers)
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
sl_ingest_answers_bytes (const SlIngestAnswers *answers)
{
  gsize bytes = sizeof *answers + answers->item.room + answers->annotator.room
                + answers->impossible->len * sizeof (gint32);
  gsize per_row = 2 * sizeof (gint32);
  for (gsize f = 0; f < G_N_ELEMENTS (fields); f++)
    if (sl_ingest_answers_have (answers, fields[f].column))
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
  /* A block of a file has 64 MiB, and what repeats its texts writes them as it goes. */
  g_assert (texts->used + n <= G_MAXINT32);
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
sl_ingest_answers_recode (SlIngestAnswers *answers, const gint32 *code, const gint32 *gold)
{
  recode (answers->first, answers->n, code);
  recode (answers->second, answers->n, code);
  recode (answers->gold, answers->n, gold);
  recode (&g_array_index (answers->impossible, gint32, 0), answers->impossible->len, code);
}

static void
write_choices (const SlIngestAnswers *answers, SlBuilder *builder, gsize from, gsize to)
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
write_impossible (const SlIngestAnswers *answers, SlBuilder *builder, gsize from, gsize to)
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
build (const SlIngestAnswers *answers, SlBuilder *builder, gsize from, gsize to)
{
  SlText items = { answers->item.offset, answers->item.data },
         annotators = { answers->annotator.offset, answers->annotator.data };
  gint64 first = (gint64) from, n = (gint64) (to - from);
  sl_builder_texts (builder, SL_ANNOTATIONS_ITEM, items, first, n);
  if (sl_ingest_answers_have (answers, SL_ANNOTATIONS_ANNOTATOR))
    sl_builder_texts (builder, SL_ANNOTATIONS_ANNOTATOR, annotators, first, n);
  if (sl_ingest_answers_have (answers, SL_ANNOTATIONS_CLASS))
    sl_builder_classes (builder, SL_ANNOTATIONS_CLASS, answers->first + from, n);
  if (sl_ingest_answers_have (answers, SL_ANNOTATIONS_CHOICES))
    write_choices (answers, builder, from, to);
  if (sl_ingest_answers_have (answers, SL_ANNOTATIONS_IMPOSSIBLE))
    write_impossible (answers, builder, from, to);
  if (sl_ingest_answers_have (answers, SL_ANNOTATIONS_GOLD))
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

/* Texts and lists that go to the builder between two looks at its room. */
#define MOST_AT_ONCE (1 << 26)

/* Where the rows from FROM on, at most up to TO, hold MOST_AT_ONCE; at least one row. */
static gsize
find_end (const SlIngestAnswers *answers, gsize from, gsize to)
{
  const gint32 *ends[]
      = { answers->item.offset + 1,
          sl_ingest_answers_have (answers, SL_ANNOTATIONS_ANNOTATOR) ? answers->annotator.offset + 1
                                                                     : NULL,
          answers->impossible_end };
  for (gsize c = 0; c < G_N_ELEMENTS (ends); c++)
    if (ends[c] != NULL)
      {
        gint32 start = c < 2 || from > 0 ? ends[c][(gssize) from - 1] : 0;
        while (to > from + 1 && ends[c][to - 1] - start > MOST_AT_ONCE)
          to = from + (to - from) / 2;
      }
  return to;
}

gboolean
sl_ingest_answers_write (const SlIngestAnswers *answers, SlBuilder *builder, SlWriter *out,
                         GError **error)
{
  for (gsize from = 0; from < answers->n;)
    {
      gsize room = (gsize) sl_builder_room (builder);
      gsize to = find_end (answers, from, MIN (answers->n, from + room));
      build (answers, builder, from, to);
      from = to;
      if (!sl_writer_write_built (out, builder, FALSE, error))
        return FALSE;
    }
  return TRUE;
}
