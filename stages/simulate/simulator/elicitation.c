/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elicitation.h"

#include "pipeline/base/draw.h"
#include "pipeline/base/intern/intern.h"
#include "pipeline/base/parallel.h"
#include "schemas/kinds.h"
#include "stages/common/figures/vote-figures.h"
#include "stages/common/labels/redistribution.h"

#include <string.h>

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
  elicitation->attention = g_new (double, n);
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
      if (!elicitation->settings.study)
        continue;
      elicitation->pace[a] = sl_random_normal (&random);
      elicitation->attention[a] = sl_pace_draw_attention (&elicitation->simulator->pace, &random);
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
    .check_purpose = sl_random_purpose ("simulate elicit: what an attention check asks for"),
    .answers = g_new (SlElicited, sl_table_batch_rows (table)),
  };
  sl_elicitor_init (&elicitation->elicitor, simulator, settings->step);
  make_annotators (elicitation);
  if (settings->answers < settings->annotators)
    sl_assignment_init (&elicitation->assignment, run->seed, (gint32) settings->annotators,
                        (gint32) settings->answers, 0);
}

/* The part of MIX that U, uniform in [0, 1), falls into. */
static const SlCrowdPart *
part_of (const GArray *mix, double u)
{
  guint i = 0;
  for (; i + 1 < mix->len && u >= g_array_index (mix, SlCrowdPart, i).share; i++)
    u -= g_array_index (mix, SlCrowdPart, i).share;
  return &g_array_index (mix, SlCrowdPart, i);
}

gboolean
sl_elicitation_confuse (SlElicitation *elicitation, const GArray *mix, const SlCrowdPeople *others,
                        GError **error)
{
  gint32 n = elicitation->elicitor.n_classes;
  gsize cells = (gsize) n * (gsize) n;
  g_autofree gint32 *group = g_new (gint32, MAX (n, 1));
  elicitation->theta = sl_run_alloc0 (elicitation->run, (gsize) elicitation->settings.annotators,
                                      cells * sizeof (double),
                                      "annotators × classes × classes probabilities", error);
  if (elicitation->theta == NULL
      || !sl_crowd_groups_parse (NULL, elicitation->table->classes, group, error))
    return FALSE;
  guint32 purpose = sl_random_purpose ("simulate elicit: confusion");
  for (gint64 a = 0; a < elicitation->settings.annotators; a++)
    {
      double *theta = elicitation->theta + (gsize) a * cells;
      SlRandom random = sl_random (elicitation->run->seed, purpose, 0, elicitation->key[a], 0);
      if (mix != NULL)
        sl_crowd_matrix (part_of (mix, sl_random_unit (&random)), n, group, &random, theta);
      else
        memcpy (theta,
                others->theta + cells * (gsize) sl_random_below (&random, (guint64) others->n),
                cells * sizeof *theta);
      for (gint32 k = 0; k < n; k++)
        sl_draw_sums (theta + (gsize) k * (gsize) n, n, theta + (gsize) k * (gsize) n);
    }
  return TRUE;
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
  g_clear_pointer (&elicitation->attention, g_free);
  g_clear_pointer (&elicitation->theta, g_free);
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

/* Of a study, rows are answers about items, second ones where an item comes again, and answers to
 * attention checks, each of which comes right behind an item. */
enum
{
  FIRST,
  AGAIN,
  CHECK,
  N_ROLES,
};

typedef struct
{
  gint64 item;
  gint32 annotator;
  gint32 role;  /* FIRST, ... */
  double place; /* of a study: where in the annotator's session, from 0 to 1 */
  gint32 trial; /* and its number, from 1 */
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
  return (Row){ .item = row / n, .annotator = annotator_of (answering, row / n, row % n) };
}

/* What a row is drawn by, or when it comes and how long it takes. */
static SlRandom
stream_of (const Answering *answering, Row row, gint32 role, gboolean of_time)
{
  const SlElicitation *elicitation = answering->elicitation;
  return sl_random (elicitation->run->seed, elicitation->purpose, answering->key[row.item],
                    elicitation->key[row.annotator], (guint32) (2 * role + of_time));
}

/* Whether a row of ROLE comes: of all answers, the shares that the fit has are to items that come
 * again, and to attention checks. */
static gboolean
comes (const Answering *answering, Row row)
{
  const SlPace *pace = &answering->elicitation->simulator->pace;
  double again = pace->again > 0 ? pace->again : 0;
  SlRandom random = stream_of (answering, row, row.role, FALSE);
  double u = sl_random_unit (&random) * (1 - again);
  return row.role == FIRST || (row.role == AGAIN ? u < again : u * (1 - pace->check) < pace->check);
}

/* What an annotator's rows are ordered by. Items come again at the end of a session. */
static double
place_of (const Answering *answering, Row row)
{
  double again = answering->elicitation->simulator->pace.again;
  SlRandom random = stream_of (answering, row, row.role == AGAIN ? AGAIN : FIRST, TRUE);
  double u = sl_random_unit (&random);
  if (!(again > 0))
    return u;
  return row.role == AGAIN ? 1 - again + again * u : u * (1 - again);
}

static int
compare_places (gconstpointer a, gconstpointer b)
{
  const Row *x = *(const Row *const *) a, *y = *(const Row *const *) b;
  int order = SL_COMPARE (x->annotator, y->annotator) ?: SL_COMPARE (x->place, y->place);
  return order ?: x->role != y->role ? x->role - y->role : SL_COMPARE (x->item, y->item);
}

/* Gives each annotator's rows their numbers; in place of what they are ordered by, rows then have
 * where they are in the session. */
static void
number_trials (GArray *rows)
{
  g_autofree Row **order = g_new (Row *, MAX (rows->len, 1));
  for (guint i = 0; i < rows->len; i++)
    order[i] = &g_array_index (rows, Row, i);
  qsort (order, rows->len, sizeof *order, compare_places);
  for (guint from = 0, end; from < rows->len; from = end)
    {
      for (end = from; end < rows->len && order[end]->annotator == order[from]->annotator; end++)
        order[end]->trial = (gint32) (end - from) + 1;
      for (guint i = from; i < end; i++)
        order[i]->place = end - from > 1 ? (i - from) / (end - from - 1.0) : .5;
    }
}

/* All rows of a study. */
static GArray *
plan_rows (const Answering *answering, GError **error)
{
  gint64 n = answering->elicitation->settings.answers;
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (Row));
  for (gint64 i = 0; i < answering->items->n; i++)
    for (gint64 j = 0; j < N_ROLES * n; j++)
      {
        Row row = { .item = i,
                    .annotator = annotator_of (answering, i, j % n),
                    .role = (gint32) (j / n) };
        row.place = place_of (answering, row);
        if (comes (answering, row))
          g_array_append_val (rows, row);
      }
  if (!sl_run_claim_array (answering->elicitation->run, rows->len, sizeof (Row) + sizeof (Row *),
                           "the order of each annotator's answers", error))
    g_clear_pointer (&rows, g_array_unref);
  else
    number_trials (rows);
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
  const SlRedistribution rule
      = { .spread = SL_SPREAD_CLAMP, .top = 2, .gamma = elicitation->settings.gamma };
  const SlRecords records = { start, choice, percent, impossible_start, impossible };
  SlAnswerCounts counts = { 0 };
  SlAnswerProblem problem;
  gint64 done = sl_redistribute (&rule, &records, 0, n, n_classes, label, &counts, &problem);
  g_assert (done == n);
}

/* CLASS in place of the answer's own. */
static void
change_class (const SlElicitation *elicitation, SlElicited *answer, gint32 class)
{
  answer->class = class;
  if (answer->second >= 0)
    answer->second = sl_elicitor_others (&elicitation->elicitor, class)[0];
}

/* What is said by an annotator who takes classes for one another. */
static void
confuse (const SlElicitation *elicitation, gint32 annotator, SlElicited *answer, SlRandom *random)
{
  gsize n = (gsize) elicitation->elicitor.n_classes;
  if (elicitation->theta == NULL)
    return;
  const double *sums = elicitation->theta + ((gsize) annotator * n + (gsize) answer->class) * n;
  change_class (elicitation, answer, (gint32) sl_draw_by_weight (random, sums, (gint64) n));
}

static SlElicited
first_answer (const Answering *answering, Row row, SlRandom *random)
{
  const SlElicitation *elicitation = answering->elicitation;
  const double *sums = answering->sums + (gsize) row.item * (gsize) elicitation->elicitor.n_classes;
  SlElicited answer = sl_elicit (&elicitation->elicitor, answering->group[row.item],
                                 elicitation->person[row.annotator], sums, random);
  confuse (elicitation, row.annotator, &answer, random);
  return answer;
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
  SlRandom then = stream_of (answering, row, FIRST, FALSE),
           now = stream_of (answering, row, AGAIN, FALSE);
  const SlElicited before = first_answer (answering, row, &then);
  sl_random_skip (&now, 2);
  gboolean same_class = sl_random_unit (&now) < pace->same_class;
  gboolean same = sl_random_unit (&now) < pace->same;
  if (same_class && same)
    return before;
  SlElicited answer = first_answer (answering, row, &now);
  change_class (elicitation, &answer,
                same_class ? before.class : other_class (answering, row, before.class, &now));
  return answer;
}

/* What the attention check behind ITEM asks for. */
static gint32
checked_class (const Answering *answering, gint64 item)
{
  const SlElicitation *elicitation = answering->elicitation;
  SlRandom random
      = sl_random (elicitation->run->seed, elicitation->check_purpose, answering->key[item], 0, 0);
  return (gint32) sl_random_below (&random, (guint64) elicitation->elicitor.n_classes);
}

/* People are as sure of a check as of an item that they agree on. */
static SlGroup
check_group (const SlElicitation *elicitation)
{
  const SlElicitorGroup *group = elicitation->elicitor.group;
  return group[SL_GROUP_LOW].there   ? SL_GROUP_LOW
         : group[SL_GROUP_ALL].there ? SL_GROUP_ALL
                                     : SL_GROUP_HIGH;
}

/* The class that a check asks for, or any other. The stream gives whether it comes, whether it is
 * right, which other class, and the answer. */
static SlElicited
checked_answer (const Answering *answering, Row row)
{
  const SlElicitation *elicitation = answering->elicitation;
  gint32 n = elicitation->elicitor.n_classes, asked = checked_class (answering, row.item);
  SlRandom random = stream_of (answering, row, CHECK, FALSE);
  sl_random_skip (&random, 2);
  gboolean right = sl_random_unit (&random) < elicitation->attention[row.annotator] || n < 2;
  gint32 other = right ? 0 : (gint32) sl_random_below (&random, (guint64) n - 1);
  SlElicited answer = { .class = right ? asked : other + (other >= asked), .second = -1 };
  sl_elicit_of_class (&elicitation->elicitor, check_group (elicitation),
                      elicitation->person[row.annotator], &answer, &random);
  confuse (elicitation, row.annotator, &answer, &random);
  return answer;
}

static SlElicited
answer_of (const Answering *answering, Row row)
{
  SlRandom random = stream_of (answering, row, FIRST, FALSE);
  return row.role == AGAIN   ? second_answer (answering, row)
         : row.role == CHECK ? checked_answer (answering, row)
                             : first_answer (answering, row, &random);
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
      SlGroup group = row.role == CHECK ? check_group (elicitation) : answering->group[row.item];
      *answer = answer_of (answering, row);
      if (!elicitation->settings.study || !sl_pace_has_seconds (pace, group))
        continue;
      SlRandom of_time = stream_of (answering, row, row.role, TRUE);
      sl_random_skip (&of_time, 2);
      answer->seconds
          = sl_pace_draw (pace, group, elicitation->pace[row.annotator], row.place, &of_time);
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

/* "check frog7": what comes behind item frog7. */
static void
append_check_name (SlBuilder *builder, SlText items, gint64 item)
{
  gsize length;
  const char *name = sl_text_get (items, item, &length);
  g_autoptr (GString) text = g_string_new ("check ");
  g_string_append_len (text, name, (gssize) length);
  sl_builder_text (builder, SL_ELICITED_ITEM, text->str, text->len);
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
      gboolean check = row.role == CHECK;
      if (!all)
        sl_builder_texts (builder, SL_ELICITED_ANNOTATOR, names, row.annotator, 1);
      if (check)
        append_check_name (builder, items->name, row.item);
      else
        sl_builder_texts (builder, SL_ELICITED_ITEM, items->name, row.item, 1);
      if (gold >= 0)
        sl_builder_class (builder, gold,
                          check ? checked_class (answering, row.item) : items->gold[row.item]);
      if (answering->label != NULL)
        sl_builder_real (builder, SL_LABELS_WEIGHT, 1);
      if (!elicitation->settings.study)
        continue;
      sl_builder_bool (builder, SL_ANNOTATIONS_REPEAT, row.role == AGAIN);
      sl_builder_int (builder, SL_ANNOTATIONS_TRIAL, row.trial);
      if (sl_table_has (elicitation->table, SL_ANNOTATIONS_CHECK))
        sl_builder_bool (builder, SL_ANNOTATIONS_CHECK, check);
    }
}

static void
fill_share (int job, gpointer data)
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
  sl_parallel (elicitation->run->threads, 1 + chunks (answering->n_rows), fill_share, answering);
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
  g_autoptr (GArray) rows = NULL;
  if (elicitation->settings.study && (rows = plan_rows (&answering, error)) == NULL)
    return FALSE;
  answering.rows = rows;
  gint64 n_rows = rows != NULL ? rows->len : items->n * elicitation->settings.answers;
  for (; answering.first < n_rows; answering.first += answering.n_rows)
    {
      answering.n_rows = MIN (n_rows - answering.first, sl_builder_room (elicitation->builder));
      append_rows (&answering);
      if (!sl_writer_write_built (elicitation->run->out, elicitation->builder, FALSE, error))
        return FALSE;
      elicitation->written += answering.n_rows;
      if (elicitation->whole > 0)
        sl_run_progress (elicitation->run, elicitation->written, elicitation->written,
                         MAX (elicitation->whole, rows != NULL ? n_rows : 0));
    }
  return TRUE;
}

gboolean
sl_elicitation_end (SlElicitation *elicitation, GError **error)
{
  return sl_writer_write_built (elicitation->run->out, elicitation->builder, TRUE, error);
}
