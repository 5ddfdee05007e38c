/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elicitation.h"

#include "pipeline/base/draw.h"
#include "pipeline/base/intern/intern.h"
#include "pipeline/base/parallel.h"
#include "schemas/kinds.h"
#include "stages/common/figures/vote-figures.h"
#include "stages/common/labels/redistribution.h"
#include "likeness.h"

#include <string.h>
#include <math.h>

/* Answers as people would give them, drawn from a fit: Collins, MPhil thesis, Cambridge 2022,
 * appendix B.5. The first choice c is drawn from what is known of the item, its share a from
 * Beta_1. The histogram says how many other classes are left possible: those most like c. If there
 * are any, the likest of them is the second choice, and its share b is drawn from Beta_2. Where the
 * fit has kept what people said, percents and number come from one answer of theirs (panel.h). */

static SlBetaDraws *
shares_of (const SlShare *share, gboolean there)
{
  return there && share->n > 0 ? sl_beta_draws_new (share->beta) : NULL;
}

void
sl_elicitor_init (SlElicitor *elicitor, const SlSimulator *simulator, double step)
{
  gint32 n = simulator->n_classes;
  *elicitor = (SlElicitor){ .n_classes = n, .step = step };
  if (sl_panel_is_there (&simulator->people))
    elicitor->people = &simulator->people;
  for (int g = 0; g < SL_N_GROUPS; g++)
    {
      const SlGroupFit *fit = &simulator->group[g];
      elicitor->group[g] = (SlElicitorGroup){
        .there = fit->answers > 0,
        .first = shares_of (&fit->first, fit->answers > 0),
        .second = shares_of (&fit->second, fit->answers > 0),
        .first_scale = fit->first.scale,
        .second_scale = fit->second.scale,
        .sums = g_new (double, MAX (n, 1)),
      };
      sl_draw_sums (fit->alternatives, n, elicitor->group[g].sums);
    }
  elicitor->rank = g_new (gint32, MAX ((gsize) n * (gsize) (n - 1), 1));
  sl_likeness_rank (simulator->likeness, n, elicitor->rank);
}

void
sl_elicitor_clear (SlElicitor *elicitor)
{
  for (int g = 0; g < SL_N_GROUPS; g++)
    {
      g_clear_pointer (&elicitor->group[g].first, sl_beta_draws_free);
      g_clear_pointer (&elicitor->group[g].second, sl_beta_draws_free);
      g_clear_pointer (&elicitor->group[g].sums, g_free);
    }
  g_clear_pointer (&elicitor->rank, g_free);
}

/* A percent as people would type it: above 0, a multiple of `step`. */
static double
round_percent (const SlElicitor *elicitor, double percent)
{
  double step = elicitor->step;
  if (step > 0)
    percent = rint (percent / step) * step;
  return CLAMP (percent, step > 0 ? step : 100 * 0x1p-20, 100);
}

static double
draw_percent (const SlElicitor *elicitor, const SlBetaDraws *shares, double scale, SlRandom *random)
{
  return round_percent (elicitor, 100 * scale * sl_beta_draw (shares, sl_random_unit (random)));
}

/* As it was typed, 0 and what is out of range among them. */
static double
typed_percent (const SlElicitor *elicitor, double percent)
{
  gboolean fits = percent >= 0 && percent <= 100;
  return elicitor->step > 0 && fits ? round_percent (elicitor, percent) : percent;
}

/* The stream gives the class, and what is said of it. */
static void
elicit_jointly (const SlElicitor *elicitor, SlGroup group, gint32 person, SlElicited *answer,
                SlRandom *random)
{
  const SlSaid *said = sl_panel_say (elicitor->people, group, person, sl_random_unit (random));
  answer->percent = typed_percent (elicitor, said->first);
  answer->alternatives = said->alternatives;
  answer->ruled_out = said->ruled_out;
  answer->repaired = said->repaired;
  if (isnan (said->second) || elicitor->n_classes < 2)
    return;
  answer->second = sl_elicitor_others (elicitor, answer->class)[0];
  answer->second_percent = typed_percent (elicitor, said->second);
}

/* The stream gives the class, its percent, the number of alternatives, and the second choice's
 * percent, in this order. */
static void
elicit_by_parts (const SlElicitor *elicitor, SlGroup group, SlElicited *answer, SlRandom *random)
{
  const SlElicitorGroup *from = &elicitor->group[group];
  answer->percent = draw_percent (elicitor, from->first, from->first_scale, random);
  answer->alternatives = (gint32) sl_draw_by_weight (random, from->sums, elicitor->n_classes);
  if (answer->alternatives == 0 || from->second == NULL)
    return;
  answer->second = sl_elicitor_others (elicitor, answer->class)[0];
  answer->second_percent = draw_percent (elicitor, from->second, from->second_scale, random);
}

SlElicited
sl_elicit (const SlElicitor *elicitor, SlGroup group, gint32 person, const double *sums,
           SlRandom *random)
{
  SlElicited answer
      = { .class = (gint32) sl_draw_by_weight (random, sums, elicitor->n_classes), .second = -1 };
  if (elicitor->people != NULL)
    elicit_jointly (elicitor, group, person, &answer, random);
  else
    elicit_by_parts (elicitor, group, &answer, random);
  return answer;
}

G_STATIC_ASSERT ((int) SL_ELICITED_ITEM == SL_LABELS_ITEM
                 && (int) SL_ELICITED_ITEM == SL_ANNOTATIONS_ITEM
                 && (int) SL_ELICITED_ANNOTATOR == SL_LABELS_ANNOTATOR
                 && (int) SL_ELICITED_ANNOTATOR == SL_ANNOTATIONS_ANNOTATOR);

#define CHUNK 1024 /* items or rows that one thread takes at a time */

static int
chunks (gint64 n)
{
  return (int) ((n + CHUNK - 1) / CHUNK);
}

/* The annotators' names, and whom each is like. */
static void
make_annotators (SlElicitation *elicitation)
{
  gint64 n = elicitation->settings.annotators;
  const SlPanel *people = elicitation->elicitor.people;
  guint32 purpose = sl_random_purpose ("simulate elicit: whom an annotator is like");
  elicitation->names = g_string_new (NULL);
  elicitation->offset = g_new0 (gint32, n + 1);
  elicitation->key = g_new (guint64, n);
  elicitation->person = g_new (gint32, n);
  elicitation->pace = g_new (double, n);
  for (gint64 a = 0; a < n; a++)
    {
      gsize start = elicitation->names->len;
      g_string_append_printf (elicitation->names, "sim%" G_GINT64_FORMAT,
                              elicitation->settings.first + a);
      elicitation->offset[a + 1] = (gint32) elicitation->names->len;
      elicitation->key[a]
          = sl_text_hash (elicitation->names->str + start, elicitation->names->len - start);
      SlRandom random = sl_random (elicitation->run->seed, purpose, 0, elicitation->key[a], 0);
      elicitation->person[a]
          = people == NULL || elicitation->settings.alike ? -1 : sl_panel_draw (people, &random);
      elicitation->pace[a] = elicitation->settings.study ? sl_random_normal (&random) : 0;
    }
}

void
sl_elicitation_init (SlElicitation *elicitation, SlRun *run, SlTable *table,
                     const SlSimulator *simulator, const SlElicitationSettings *settings)
{
  *elicitation = (SlElicitation){
    .run = run,
    .table = sl_table_ref (table),
    .builder = sl_builder_new (table),
    .simulator = simulator,
    .settings = *settings,
    .purpose = sl_random_purpose ("simulate elicit"),
    .answers = g_new (SlElicited, sl_table_batch_rows (table)),
  };
  sl_elicitor_init (&elicitation->elicitor, simulator, settings->step);
  make_annotators (elicitation);
  if (settings->answers < settings->annotators)
    sl_assignment_init (&elicitation->assignment, run->seed, (gint32) settings->annotators,
                        (gint32) settings->answers, 0);
}

void
sl_elicitation_clear (SlElicitation *elicitation)
{
  g_clear_pointer (&elicitation->builder, sl_builder_free);
  g_clear_pointer (&elicitation->table, sl_table_unref);
  sl_elicitor_clear (&elicitation->elicitor);
  if (elicitation->names != NULL)
    g_string_free (elicitation->names, TRUE);
  elicitation->names = NULL;
  g_clear_pointer (&elicitation->offset, g_free);
  g_clear_pointer (&elicitation->key, g_free);
  g_clear_pointer (&elicitation->person, g_free);
  g_clear_pointer (&elicitation->pace, g_free);
  sl_assignment_clear (&elicitation->assignment);
  g_clear_pointer (&elicitation->answers, g_free);
}

/* Items that are being answered about. */
typedef struct
{
  SlElicitation *elicitation;
  const SlElicitedItems *items;
  guint64 *key;   /* [n] */
  double *sums;   /* [n][n_classes]: running sums of the shares */
  SlGroup *group; /* [n] */
  gint32 *who;    /* [n][answers]: the annotators of each item; NULL: all */
  GArray *rows;   /* of Row: all of them; NULL: one of each annotator of each item */
  /* The rows being written: of all items' answers, in order, N_ROWS from FIRST. */
  gint64 first, n_rows;
  double *label; /* [n_rows][n_classes]; NULL where answers are written */
} Answering;

typedef struct
{
  gint64 item;
  gint32 annotator;
  gboolean again; /* the annotator has answered about the item before */
} Row;

static gint32
annotator_of (const Answering *answering, gint64 i, gint64 j)
{
  return answering->who == NULL ? (gint32) j
                                : answering->who[i * answering->elicitation->settings.answers + j];
}

static void
prepare_chunk (int chunk, gpointer data)
{
  const Answering *answering = data;
  const SlElicitation *elicitation = answering->elicitation;
  const SlElicitedItems *items = answering->items;
  gint32 n_classes = elicitation->simulator->n_classes;
  gint64 n_answers = elicitation->settings.answers;
  g_autofree gint32 *taken = g_new (gint32, n_answers);
  for (gint64 i = (gint64) chunk * CHUNK; i < MIN (items->n, ((gint64) chunk + 1) * CHUNK); i++)
    {
      const double *share = items->share + (gsize) i * (gsize) n_classes;
      gsize length;
      const char *name = sl_text_get (items->name, i, &length);
      answering->key[i] = sl_text_hash (name, length);
      if (answering->who != NULL)
        sl_assign (&elicitation->assignment, answering->key[i], answering->who + i * n_answers,
                   taken);
      sl_draw_sums (share, n_classes, answering->sums + (gsize) i * (gsize) n_classes);
      if (elicitation->settings.group >= 0)
        answering->group[i] = (SlGroup) elicitation->settings.group;
      else if (sl_simulator_is_routed (elicitation->simulator))
        answering->group[i]
            = sl_simulator_route (elicitation->simulator, sl_shares_entropy (share, n_classes));
      else
        answering->group[i] = SL_GROUP_ALL;
    }
}

static Row
row_of (const Answering *answering, gint64 row)
{
  if (answering->rows != NULL)
    return g_array_index (answering->rows, Row, row);
  gint64 n = answering->elicitation->settings.answers;
  return (Row){ row / n, annotator_of (answering, row / n, row % n), FALSE };
}

/* What an item's answers are drawn by: DRAW is 0 for an annotator's first answer, 1 for the
 * seconds, 2 and 3 for the answer and the seconds when it comes again. */
static SlRandom
stream_of (const Answering *answering, Row row, guint32 draw)
{
  const SlElicitation *elicitation = answering->elicitation;
  return sl_random (elicitation->run->seed, elicitation->purpose, answering->key[row.item],
                    elicitation->key[row.annotator], draw);
}

/* All rows of a study: an item comes to an annotator again so often that, of all answers, the share
 * that the fit has is about such. */
static GArray *
plan_rows (const Answering *answering)
{
  const SlElicitation *elicitation = answering->elicitation;
  double again = elicitation->simulator->pace.again;
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (Row));
  for (gint64 i = 0; i < answering->items->n; i++)
    for (gint64 j = 0; j < 2 * elicitation->settings.answers; j++)
      {
        gint64 n = elicitation->settings.answers;
        const Row row = { i, annotator_of (answering, i, j % n), j >= n };
        SlRandom random = stream_of (answering, row, 2);
        if (!row.again || sl_random_unit (&random) * (1 - again) < again)
          g_array_append_val (rows, row);
      }
  return rows;
}

static gboolean
check_groups (const Answering *answering, GError **error)
{
  const SlElicitation *elicitation = answering->elicitation;
  for (gint64 i = 0; i < answering->items->n; i++)
    {
      if (elicitation->elicitor.group[answering->group[i]].there)
        continue;
      gsize length;
      const char *name = sl_text_get (answering->items->name, i, &length);
      return sl_error_bad_input (
          error,
          "%s: item '%.*s' is of the group '%s' by its entropy, for which the model has "
          "no fit; fit it to such items, or choose with --group",
          sl_reader_name (elicitation->run->in), (int) MIN (length, 1000), name,
          sl_group_names[answering->group[i]]);
    }
  return TRUE;
}

/* out[n_classes] <- the classes that are ruled out; how many. */
static gint32
ruled_out (const SlElicitor *elicitor, const SlElicited *answer, gint32 *out)
{
  const gint32 *others = sl_elicitor_others (elicitor, answer->class);
  gboolean second = (answer->ruled_out & SL_RULED_OUT_SECOND) > 0;
  gint32 n = 0;
  if (answer->ruled_out & SL_RULED_OUT_FIRST)
    out[n++] = answer->class;
  if (second)
    out[n++] = others[0];
  for (gint32 k = answer->alternatives + second; k < elicitor->n_classes - 1; k++)
    out[n++] = others[k];
  return n;
}

/* label[n][n_classes] of the answers: the same numbers that redistribute makes of the written ones;
 * percents out of range count as 0, or as 100. */
static void
label_answers (const SlElicitation *elicitation, const SlElicited *answers, gint64 n, double *label)
{
  const SlElicitor *elicitor = &elicitation->elicitor;
  gint32 n_classes = elicitor->n_classes, n_choices = 0, n_impossible = 0;
  g_autofree gint32 *start = g_new0 (gint32, n + 1), *impossible_start = g_new0 (gint32, n + 1);
  g_autofree gint32 *choice = g_new (gint32, 2 * n);
  g_autofree double *percent = g_new (double, 2 * n);
  g_autofree gint32 *impossible = g_new (gint32, (gsize) n * (gsize) n_classes);
  for (gint64 i = 0; i < n; i++)
    {
      const SlElicited *answer = &answers[i];
      choice[n_choices] = answer->class;
      percent[n_choices++] = CLAMP (answer->percent, 0, 100);
      choice[n_choices] = answer->second;
      percent[n_choices] = CLAMP (answer->second_percent, 0, 100);
      n_choices += answer->second >= 0;
      n_impossible += ruled_out (elicitor, answer, impossible + n_impossible);
      start[i + 1] = n_choices;
      impossible_start[i + 1] = n_impossible;
    }
  const SlRedistribution how
      = { .spread = SL_SPREAD_CLAMP, .top = 2, .gamma = elicitation->settings.gamma };
  const SlRecords records = { start, choice, percent, impossible_start, impossible };
  SlAnswerCounts counts = { 0 };
  SlAnswerProblem problem;
  gint64 done = sl_redistribute (&how, &records, 0, n, n_classes, label, &counts, &problem);
  g_assert (done == n);
}

static SlElicited
first_answer (const Answering *answering, Row row, SlRandom *random)
{
  const SlElicitation *elicitation = answering->elicitation;
  const double *sums = answering->sums + (gsize) row.item * (gsize) elicitation->elicitor.n_classes;
  return sl_elicit (&elicitation->elicitor, answering->group[row.item],
                    elicitation->person[row.annotator], sums, random);
}

/* A first choice that is not CLASS, if the item has any. */
static gint32
other_class (const Answering *answering, Row row, gint32 class, SlRandom *random)
{
  gint32 n = answering->elicitation->elicitor.n_classes;
  const double *sums = answering->sums + (gsize) row.item * (gsize) n;
  double before = class > 0 ? sums[class - 1] : 0, own = sums[class] - before;
  double u = sl_random_unit (random) * (sums[n - 1] - own);
  u += u >= before ? own : 0;
  for (gint32 k = 0; k < n; k++)
    if (k != class && sums[k] > u && sums[k] > (k > 0 ? sums[k - 1] : 0))
      return k;
  return class;
}

/* What an annotator says who has answered about the item before: the same, or with the same class,
 * or another one. The stream gives whether the item comes, whether the class and the rest are the
 * same, and the answer. */
static SlElicited
second_answer (const Answering *answering, Row row)
{
  const SlElicitation *elicitation = answering->elicitation;
  const SlPace *pace = &elicitation->simulator->pace;
  SlRandom then = stream_of (answering, row, 0), now = stream_of (answering, row, 2);
  const SlElicited before = first_answer (answering, row, &then);
  sl_random_skip (&now, 2);
  gboolean same_class = sl_random_unit (&now) < pace->same_class;
  gboolean same = sl_random_unit (&now) < pace->same;
  if (same_class && same)
    return before;
  SlElicited answer = first_answer (answering, row, &now);
  answer.class = same_class ? before.class : other_class (answering, row, before.class, &now);
  if (answer.second >= 0)
    answer.second = sl_elicitor_others (&elicitation->elicitor, answer.class)[0];
  return answer;
}

static void
answer_chunk (int chunk, gpointer data)
{
  const Answering *answering = data;
  const SlElicitation *elicitation = answering->elicitation;
  const SlPace *pace = &elicitation->simulator->pace;
  gsize n_classes = (gsize) elicitation->elicitor.n_classes;
  gint64 from = (gint64) chunk * CHUNK, to = MIN (answering->n_rows, from + CHUNK);
  for (gint64 i = from; i < to; i++)
    {
      const Row row = row_of (answering, answering->first + i);
      SlElicited *answer = &elicitation->answers[i];
      SlRandom random = stream_of (answering, row, 0);
      *answer = row.again ? second_answer (answering, row) : first_answer (answering, row, &random);
      answer->again = row.again;
      if (!elicitation->settings.study || !sl_pace_has_seconds (pace, answering->group[row.item]))
        continue;
      SlRandom of_time = stream_of (answering, row, row.again ? 3 : 1);
      answer->seconds = sl_pace_draw (pace, answering->group[row.item],
                                      elicitation->pace[row.annotator], &of_time);
    }
  if (answering->label != NULL)
    label_answers (elicitation, elicitation->answers + from, to - from,
                   answering->label + (gsize) from * n_classes);
}

static void
append_answer (const SlElicitation *elicitation, const SlElicited *answer, gint32 *out)
{
  SlBuilder *builder = elicitation->builder;
  sl_builder_choice (builder, SL_ANNOTATIONS_CHOICES, answer->class, answer->percent);
  if (answer->second >= 0)
    sl_builder_choice (builder, SL_ANNOTATIONS_CHOICES, answer->second, answer->second_percent);
  sl_builder_end_list (builder, SL_ANNOTATIONS_CHOICES);
  gint32 n = ruled_out (&elicitation->elicitor, answer, out);
  for (gint32 k = 0; k < n; k++)
    sl_builder_member (builder, SL_ANNOTATIONS_IMPOSSIBLE, out[k]);
  sl_builder_end_list (builder, SL_ANNOTATIONS_IMPOSSIBLE);
  if (!elicitation->settings.study)
    return;
  sl_builder_bool (builder, SL_ANNOTATIONS_REPEAT, answer->again);
  sl_builder_bool (builder, SL_ANNOTATIONS_REPAIRED, answer->repaired);
  if (sl_table_has (elicitation->table, SL_ANNOTATIONS_SECONDS))
    sl_builder_real (builder, SL_ANNOTATIONS_SECONDS, answer->seconds);
}

static int
gold_column (const SlElicitation *elicitation)
{
  int gold = sl_gold_column (elicitation->table->kind);
  return sl_table_has (elicitation->table, gold) ? gold : -1;
}

/* Fills the columns that do not depend on what is drawn. */
static void
append_known (const Answering *answering)
{
  const SlElicitation *elicitation = answering->elicitation;
  SlBuilder *builder = elicitation->builder;
  const SlElicitedItems *items = answering->items;
  const SlText names = { elicitation->offset, elicitation->names->str };
  int gold = gold_column (elicitation);
  gint64 n_answers = elicitation->settings.answers;
  gboolean all = answering->who == NULL && answering->rows == NULL;
  for (gint64 at = 0, n; all && at < answering->n_rows; at += n)
    {
      gint64 j = (answering->first + at) % n_answers;
      n = MIN (answering->n_rows - at, n_answers - j);
      sl_builder_texts (builder, SL_ELICITED_ANNOTATOR, names, j, n);
    }
  for (gint64 at = 0; at < answering->n_rows; at++)
    {
      const Row row = row_of (answering, answering->first + at);
      if (!all)
        sl_builder_texts (builder, SL_ELICITED_ANNOTATOR, names, row.annotator, 1);
      sl_builder_texts (builder, SL_ELICITED_ITEM, items->name, row.item, 1);
      if (gold >= 0)
        sl_builder_class (builder, gold, items->gold[row.item]);
      if (answering->label != NULL)
        sl_builder_real (builder, SL_LABELS_WEIGHT, 1);
    }
}

static void
work (int job, gpointer data)
{
  if (job == 0)
    append_known (data);
  else
    answer_chunk (job - 1, data);
}

/* The rows, which the builder has room for. */
static void
append_rows (Answering *answering)
{
  SlElicitation *elicitation = answering->elicitation;
  if (elicitation->table->kind == &sl_labels)
    answering->label = sl_builder_labels (elicitation->builder, SL_LABELS_LABEL, answering->n_rows);
  sl_parallel (elicitation->run->threads, 1 + chunks (answering->n_rows), work, answering);
  g_autofree gint32 *out = g_new (gint32, elicitation->elicitor.n_classes);
  for (gint64 row = 0; answering->label == NULL && row < answering->n_rows; row++)
    append_answer (elicitation, &elicitation->answers[row], out);
}

gboolean
sl_elicitation_add (SlElicitation *elicitation, const SlElicitedItems *items, GError **error)
{
  gsize n_classes = (gsize) elicitation->elicitor.n_classes, n = (gsize) items->n;
  g_autofree guint64 *key = g_new (guint64, n + 1);
  g_autofree SlGroup *group = g_new (SlGroup, n + 1);
  g_autofree double *sums = g_new (double, (n + 1) * n_classes);
  gsize n_answers = (gsize) elicitation->settings.answers;
  g_autofree gint32 *who
      = elicitation->assignment.n > 0 ? g_new (gint32, (n + 1) * n_answers) : NULL;
  Answering answering = {
    .elicitation = elicitation, .items = items, .key = key, .sums = sums, .group = group, .who = who
  };
  sl_parallel (elicitation->run->threads, chunks (items->n), prepare_chunk, &answering);
  if (!check_groups (&answering, error))
    return FALSE;
  g_autoptr (GArray) rows = elicitation->settings.study ? plan_rows (&answering) : NULL;
  answering.rows = rows;
  gint64 n_rows = rows != NULL ? rows->len : items->n * elicitation->settings.answers;
  for (; answering.first < n_rows; answering.first += answering.n_rows)
    {
      answering.n_rows = MIN (n_rows - answering.first, sl_builder_room (elicitation->builder));
      append_rows (&answering);
      if (!sl_writer_write_built (elicitation->run->out, elicitation->builder, FALSE, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
sl_elicitation_end (SlElicitation *elicitation, GError **error)
{
  return sl_writer_write_built (elicitation->run->out, elicitation->builder, TRUE, error);
}
