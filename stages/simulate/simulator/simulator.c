/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulator.h"

#include "pipeline/base/number-text.h"
#include "schemas/kinds.h"

#include <math.h>
#include <string.h>

const char *const sl_group_names[] = { "all", "high", "low", NULL };

/* Numbers of a group and their names; a name may be followed by a number. */
#define ALTERNATIVES "alternatives."
#define THRESHOLD "route_threshold"
#define LIKENESS "likeness"
#define ICC "icc"
#define ANSWER "answer" /* one as the further columns have it */

gboolean
sl_simulator_init (SlSimulator *simulator, gint32 n_classes, SlRun *run, GError **error)
{
  *simulator = (SlSimulator){ .n_classes = n_classes, .threshold = (double) NAN };
  gsize n = (gsize) n_classes;
  simulator->likeness
      = sl_run_alloc0 (run, n * n, sizeof (double), "the likeness of class and class", error);
  if (simulator->likeness == NULL)
    return FALSE;
  sl_panel_init (&simulator->people);
  sl_pace_init (&simulator->pace);
  for (int g = 0; g < SL_N_GROUPS; g++)
    simulator->group[g].alternatives = g_new0 (double, MAX (n, 1));
  return TRUE;
}

void
sl_simulator_clear (SlSimulator *simulator)
{
  g_clear_pointer (&simulator->likeness, g_free);
  sl_panel_clear (&simulator->people);
  for (int g = 0; g < SL_N_GROUPS; g++)
    g_clear_pointer (&simulator->group[g].alternatives, g_free);
}

/* ---- writing ---- */

typedef struct
{
  SlRun *run;
  SlBuilder *builder;
  const char *group;
  gboolean people; /* the table has columns for what they said */
} Rows;

/* -1 is missing. */
static void
add_whole (SlBuilder *builder, int column, gint32 value)
{
  if (value < 0)
    sl_builder_null (builder, column);
  else
    sl_builder_int (builder, column, value);
}

/* SAID: what so many answers are, VALUE their number; or NULL. */
static gboolean
add_row (const Rows *rows, const char *name, gint32 class, gint32 other, double value,
         const SlSaid *said, GError **error)
{
  sl_builder_text (rows->builder, SL_SIMULATOR_GROUP, rows->group, strlen (rows->group));
  sl_builder_text (rows->builder, SL_SIMULATOR_NAME, name, strlen (name));
  sl_builder_class (rows->builder, SL_SIMULATOR_CLASS, class);
  sl_builder_class (rows->builder, SL_SIMULATOR_OTHER, other);
  sl_builder_real (rows->builder, SL_SIMULATOR_VALUE, value);
  if (rows->people)
    {
      add_whole (rows->builder, SL_SIMULATOR_PERSON, said != NULL ? said->person : -1);
      sl_builder_real (rows->builder, SL_SIMULATOR_FIRST_PERCENT,
                       said != NULL ? said->first : (double) NAN);
      sl_builder_real (rows->builder, SL_SIMULATOR_SECOND_PERCENT,
                       said != NULL ? said->second : (double) NAN);
      add_whole (rows->builder, SL_SIMULATOR_ALTERNATIVES, said != NULL ? said->alternatives : -1);
      add_whole (rows->builder, SL_SIMULATOR_RULED_OUT, said != NULL ? said->ruled_out : -1);
      sl_builder_bool (rows->builder, SL_SIMULATOR_REPAIRED, said != NULL && said->repaired);
    }
  return sl_writer_write_built (rows->run->out, rows->builder, FALSE, error);
}

static gboolean
add (const Rows *rows, const char *name, gint32 class, gint32 other, double value, GError **error)
{
  return add_row (rows, name, class, other, value, NULL, error);
}

/* The numbers of a share, in the order in which they are written; they are all read back. */
#define N_NUMBERS 7
static const char *const number_names[N_NUMBERS]
    = { "n", "mean", "variance", "alpha", "beta", "scale", "distance" };
#define SCALE 5 /* written only where it is not 1 */

static gboolean
add_share (const Rows *rows, const char *which, const SlShare *share, GError **error)
{
  const double numbers[N_NUMBERS]
      = { (double) share->n, share->mean,  share->variance, share->beta.alpha,
          share->beta.beta,  share->scale, share->distance };
  for (int i = 0; share->n > 0 && i < N_NUMBERS; i++)
    {
      if (i == SCALE && share->scale == 1)
        continue;
      g_autofree char *name = g_strconcat (which, ".", number_names[i], NULL);
      if (!add (rows, name, -1, -1, numbers[i], error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
add_group (const Rows *rows, const SlGroupFit *group, gint32 n_classes, GError **error)
{
  if (!add (rows, "answers", -1, -1, (double) group->answers, error)
      || !add_share (rows, "top1", &group->first, error)
      || !add_share (rows, "top2", &group->second, error))
    return FALSE;
  for (gint32 k = 0; k < n_classes; k++)
    {
      g_autofree char *name = g_strdup_printf (ALTERNATIVES "%d", k);
      if (!add (rows, name, -1, -1, group->alternatives[k], error))
        return FALSE;
    }
  return TRUE;
}

/* The numbers that are known. */
static gboolean
add_pace (const Rows *rows, const SlPace *pace, int which, GError **error)
{
  SlPace numbers = *pace;
  for (int g = 0; g < (sl_pace_of_groups (which) ? SL_N_GROUPS : 1); g++)
    {
      const Rows of_group = { rows->run, rows->builder, sl_group_names[g], rows->people };
      double number = *sl_pace_number (&numbers, which, g);
      if (!isnan (number) && !add (&of_group, sl_pace_names[which], -1, -1, number, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
add_people (const Rows *rows, const GArray *said, GError **error)
{
  for (guint i = 0; i < said->len; i++)
    {
      const SlSaid *one = &g_array_index (said, SlSaid, i);
      if (!add_row (rows, ANSWER, -1, -1, (double) one->n, one, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
sl_simulator_write (const SlSimulator *simulator, SlRun *run, SlTable *table, GError **error)
{
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  Rows rows
      = { run, builder, sl_group_names[SL_GROUP_ALL], sl_table_has (table, SL_SIMULATOR_PERSON) };
  if (rows.people && !add (&rows, ICC, -1, -1, simulator->people.icc, error))
    return FALSE;
  if (sl_simulator_is_routed (simulator)
      && !add (&rows, THRESHOLD, -1, -1, simulator->threshold, error))
    return FALSE;
  for (int which = 0; which < SL_N_PACES; which++)
    if (!add_pace (&rows, &simulator->pace, which, error))
      return FALSE;
  for (int g = 0; g < SL_N_GROUPS; g++)
    {
      rows.group = sl_group_names[g];
      if (simulator->group[g].answers > 0
          && !add_group (&rows, &simulator->group[g], simulator->n_classes, error))
        return FALSE;
    }
  for (int g = 0; rows.people && g < SL_N_GROUPS; g++)
    {
      rows.group = sl_group_names[g];
      if (!add_people (&rows, simulator->people.said[g], error))
        return FALSE;
    }
  rows.group = sl_group_names[SL_GROUP_ALL];
  gint32 n = simulator->n_classes;
  for (gint32 c = 0; c < n; c++)
    for (gint32 k = 0; k < n; k++)
      {
        double likeness = simulator->likeness[(gsize) c * (gsize) n + (gsize) k];
        if (c != k && likeness != 0 && !add (&rows, LIKENESS, c, k, likeness, error))
          return FALSE;
      }
  return sl_writer_write_built (run->out, builder, TRUE, error);
}

/* ---- reading ---- */

/* Numbers that have not been read are NaN, which no value is; those that are counts stand here
 * until all are read. */
typedef struct
{
  SlSimulator *simulator;
  SlRun *run;
  double answers[SL_N_GROUPS], first[SL_N_GROUPS], second[SL_N_GROUPS], icc;
  double n_answers; /* of people, so far */
  gint32 most;      /* the greatest number of a person; -1: there is none */
} Reading;

static void
begin_reading (Reading *reading)
{
  SlSimulator *simulator = reading->simulator;
  const double none = (double) NAN;
  reading->icc = none;
  reading->most = -1;
  gsize n = (gsize) simulator->n_classes;
  for (int g = 0; g < SL_N_GROUPS; g++)
    {
      SlGroupFit *group = &simulator->group[g];
      reading->answers[g] = reading->first[g] = reading->second[g] = none;
      group->first = group->second = (SlShare){ 0, none, none, { none, none }, none, none };
      for (gsize k = 0; k < n; k++)
        group->alternatives[k] = none;
    }
  for (gsize i = 0; i < n * n; i++)
    simulator->likeness[i] = none;
}

static gint64
as_count (double number)
{
  return isnan (number) ? 0 : (gint64) CLAMP (number, 0, 0x1p53);
}

static void
end_reading (Reading *reading)
{
  SlSimulator *simulator = reading->simulator;
  gsize n = (gsize) simulator->n_classes;
  for (int g = 0; g < SL_N_GROUPS; g++)
    {
      SlGroupFit *group = &simulator->group[g];
      group->answers = as_count (reading->answers[g]);
      group->first.n = as_count (reading->first[g]);
      group->second.n = as_count (reading->second[g]);
      group->first.scale = isnan (group->first.scale) ? 1 : group->first.scale;
      group->second.scale = isnan (group->second.scale) ? 1 : group->second.scale;
      for (gsize k = 0; k < n; k++)
        group->alternatives[k] = isnan (group->alternatives[k]) ? 0 : group->alternatives[k];
    }
  for (gsize i = 0; i < n * n; i++)
    simulator->likeness[i] = isnan (simulator->likeness[i]) ? 0 : simulator->likeness[i];
  sl_panel_arrange (&simulator->people, reading->most + 1);
  sl_panel_set_icc (&simulator->people, isnan (reading->icc) ? 0 : CLAMP (reading->icc, 0, 1));
}

/* The number of SHARE that is called NAME; NULL: there is none. */
static double *
share_number (SlShare *share, double *n, const char *name)
{
  double *const fields[N_NUMBERS] = { n,
                                      &share->mean,
                                      &share->variance,
                                      &share->beta.alpha,
                                      &share->beta.beta,
                                      &share->scale,
                                      &share->distance };
  for (int i = 0; i < N_NUMBERS; i++)
    if (strcmp (name, number_names[i]) == 0)
      return fields[i];
  return NULL;
}

static double *
group_number (Reading *reading, int g, const char *name)
{
  for (int which = 0; which < SL_N_PACES; which++)
    if (strcmp (name, sl_pace_names[which]) == 0)
      return sl_pace_of_groups (which) || g == SL_GROUP_ALL
                 ? sl_pace_number (&reading->simulator->pace, which, g)
                 : NULL;
  SlGroupFit *group = &reading->simulator->group[g];
  if (strcmp (name, "answers") == 0)
    return &reading->answers[g];
  if (g_str_has_prefix (name, "top1."))
    return share_number (&group->first, &reading->first[g], name + 5);
  if (g_str_has_prefix (name, "top2."))
    return share_number (&group->second, &reading->second[g], name + 5);
  const char *number = name + strlen (ALTERNATIVES);
  gint64 k;
  if (!g_str_has_prefix (name, ALTERNATIVES) || !sl_parse_integer (number, -1, &k) || k < 0
      || k >= reading->simulator->n_classes)
    return NULL;
  g_autofree char *plain = g_strdup_printf ("%" G_GINT64_FORMAT, k);
  return strcmp (number, plain) == 0 ? &group->alternatives[k] : NULL;
}

/* The text in row I; NULL: it has a NUL in it. */
static char *
row_text (const SlColumn *column, gint64 i)
{
  gsize length;
  const char *text = sl_text_get (column->text, i, &length);
  return memchr (text, 0, length) == NULL ? g_strndup (text, length) : NULL;
}

/* The group of row I; SL_N_GROUPS: none. */
static int
row_group (const SlBatch *batch, gint64 i)
{
  g_autofree char *group = row_text (&batch->column[SL_SIMULATOR_GROUP], i);
  int g = 0;
  while (g < SL_N_GROUPS && g_strcmp0 (group, sl_group_names[g]) != 0)
    g++;
  return g;
}

/* The number that row I, of NAME, has; NULL: none. */
static double *
row_number (Reading *reading, const SlBatch *batch, gint64 i, const char *name, const gint32 *map)
{
  SlSimulator *simulator = reading->simulator;
  const SlColumn *column = batch->column;
  if (strcmp (name, THRESHOLD) == 0)
    return &simulator->threshold;
  if (strcmp (name, ICC) == 0)
    return &reading->icc;
  if (strcmp (name, LIKENESS) == 0)
    {
      const gint32 *from = column[SL_SIMULATOR_CLASS].code, *to = column[SL_SIMULATOR_OTHER].code;
      gboolean pair = from != NULL && to != NULL && from[i] >= 0 && to[i] >= 0;
      return pair ? &simulator->likeness[(gsize) map[from[i]] * (gsize) simulator->n_classes
                                         + (gsize) map[to[i]]]
                  : NULL;
    }
  int g = row_group (batch, i);
  return g < SL_N_GROUPS ? group_number (reading, g, name) : NULL;
}

/* -1 where there is none. */
static gint32
whole_number (const SlColumn *column, gint64 i)
{
  gboolean there = column->int32 != NULL && (column->valid == NULL || column->valid[i]);
  return there ? column->int32[i] : -1;
}

static double
real_number (const SlColumn *column, gint64 i)
{
  return column->real != NULL ? column->real[i] : (double) NAN;
}

/* Whether somebody can have said so: percents may be typed wrongly, but the second choice is
 * possible or ruled out. */
static gboolean
is_said (const SlSaid *said, gint32 n_classes)
{
  gint32 others = n_classes - 1;
  gboolean second = !isnan (said->second), second_out = (said->ruled_out & SL_RULED_OUT_SECOND) > 0;
  return isfinite (said->first) && !isinf (said->second) && said->alternatives >= 0
         && said->ruled_out <= (SL_RULED_OUT_FIRST | SL_RULED_OUT_SECOND) && (!second_out || second)
         && said->alternatives <= others - second_out
         && (!second || second_out || said->alternatives > 0);
}

/* The answers that row I stands for. */
static gboolean
take_answers (Reading *reading, const SlBatch *batch, gint64 i, GError **error)
{
  const SlColumn *column = batch->column;
  int g = row_group (batch, i);
  double n = column[SL_SIMULATOR_VALUE].real[i];
  SlSaid said = { .person = whole_number (&column[SL_SIMULATOR_PERSON], i),
                  .alternatives = whole_number (&column[SL_SIMULATOR_ALTERNATIVES], i),
                  .first = real_number (&column[SL_SIMULATOR_FIRST_PERCENT], i),
                  .second = real_number (&column[SL_SIMULATOR_SECOND_PERCENT], i),
                  .ruled_out = MAX (whole_number (&column[SL_SIMULATOR_RULED_OUT], i), 0),
                  .repaired = column[SL_SIMULATOR_REPAIRED].flag != NULL
                              && column[SL_SIMULATOR_REPAIRED].flag[i],
                  .n = (gint64) CLAMP (n, 0, 0x1p53) };
  reading->n_answers += n;
  if (g == SL_N_GROUPS || !is_said (&said, reading->simulator->n_classes) || said.n < 1
      || (double) said.n != n || reading->n_answers >= 0x1p53)
    return sl_error_row (error, batch->first_row + i + 1,
                         "no answers of people: percents, a number of classes left possible, which "
                         "choices are ruled out, and how often");
  reading->most = MAX (reading->most, said.person);
  g_array_append_val (reading->simulator->people.said[g], said);
  return sl_run_claim (reading->run, sizeof said + sizeof (gint64), "what people said", error);
}

static gboolean
take_row (Reading *reading, const SlBatch *batch, gint64 i, const gint32 *map, GError **error)
{
  g_autofree char *name = row_text (&batch->column[SL_SIMULATOR_NAME], i);
  if (g_strcmp0 (name, ANSWER) == 0)
    return take_answers (reading, batch, i, error);
  double *number = name != NULL ? row_number (reading, batch, i, name, map) : NULL;
  if (number == NULL)
    return sl_error_row (error, batch->first_row + i + 1,
                         "no parameter of a model of answers; `softlabel simulate fit` makes "
                         "one");
  if (!isnan (*number))
    return sl_error_row (error, batch->first_row + i + 1,
                         "the parameter has been given in a row before");
  *number = batch->column[SL_SIMULATOR_VALUE].real[i];
  return TRUE;
}

/* Whether a Beta can be drawn from. simulate fit's are below SL_BETA_MOST, up to rounding. */
static gboolean
is_usable (const SlShare *share)
{
  const SlBeta beta = share->beta;
  if (share->n == 0)
    return isnan (beta.alpha) && isnan (beta.beta);
  if (!(share->scale > 0 && share->scale <= 1))
    return FALSE;
  return beta.alpha > 1e-9 && beta.beta > 1e-9 && beta.alpha + beta.beta < 2 * SL_BETA_MOST;
}

/* That the numbers, which anyone may have written, can be drawn from. */
static gboolean
check_groups (const SlSimulator *simulator, const char *name, GError **error)
{
  gint64 answers = 0;
  gboolean people = sl_panel_is_there (&simulator->people);
  for (int g = 0; g < SL_N_GROUPS; g++)
    {
      const SlGroupFit *group = &simulator->group[g];
      double sum = 0, least = 0;
      answers += group->answers;
      for (gint32 k = 0; k < simulator->n_classes; k++)
        {
          sum += group->alternatives[k];
          least = fmin (least, group->alternatives[k]);
        }
      const char *wrong = group->answers == 0           ? NULL
                          : group->first.n == 0         ? "no 'top1'"
                          : !is_usable (&group->first)  ? "a 'top1' that is no Beta distribution"
                          : !is_usable (&group->second) ? "a 'top2' that is no Beta distribution"
                          : !(sum > 0) || !(sum <= 0x1p100) || !(least >= 0) ? "no 'alternatives'"
                          : people && simulator->people.said[g]->len == 0
                              ? "no 'answer', though others have"
                              : NULL;
      if (wrong == NULL)
        continue;
      return sl_error_bad_input (error, "%s: group '%s' has %s", name, sl_group_names[g], wrong);
    }
  for (int g = 0; g < SL_N_GROUPS; g++)
    if (!sl_pace_is_usable (&simulator->pace, (SlGroup) g))
      return sl_error_bad_input (error,
                                 "%s: group '%s' has seconds that nobody takes, or repeats "
                                 "that are no shares",
                                 name, sl_group_names[g]);
  if (answers > 0)
    return TRUE;
  return sl_error_bad_input (
      error, "%s: it has no fit to answers; `softlabel simulate fit` makes one", name);
}

/* That persons count from 0, so that there are no more than rows about them. */
static gboolean
check_people (const Reading *reading, const char *name, GError **error)
{
  gint64 n = 0;
  for (int g = 0; g < SL_N_GROUPS; g++)
    n += reading->simulator->people.said[g]->len;
  if (reading->most < n)
    return sl_run_claim_array (reading->run, (gsize) reading->most + 2,
                               SL_N_GROUPS * (sizeof (gsize) + sizeof (double)),
                               "where each person's answers are", error);
  return sl_error_bad_input (error,
                             "%s: person %d is there, but rows for %" G_GINT64_FORMAT
                             " persons at most; they count from 0",
                             name, reading->most, n);
}

gboolean
sl_simulator_read (SlSimulator *simulator, SlRun *run, SlReader *reader, const SlTable *classes,
                   GError **error)
{
  g_autofree gint32 *map = sl_class_map (reader, classes, error);
  if (map == NULL || !sl_simulator_init (simulator, classes->n_classes, run, error))
    return FALSE;
  Reading reading = { .simulator = simulator, .run = run };
  begin_reading (&reading);
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    for (gint64 i = 0; ok && i < batch->n_rows; i++)
      ok = take_row (&reading, batch, i, map, error);
  if (!ok || !check_people (&reading, sl_reader_name (reader), error))
    return FALSE;
  end_reading (&reading);
  return check_groups (simulator, sl_reader_name (reader), error);
}
