/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulator.h"

#include "../../schemas/simulator.h"

#include <math.h>
#include <string.h>

const char *const sl_group_names[] = { "all", "high", "low", NULL };

/* Numbers of a group and their names; a name may be followed by a number. */
#define ALTERNATIVES "alternatives."
#define THRESHOLD "route_threshold"
#define LIKENESS "likeness"

gboolean
sl_simulator_init (SlSimulator *simulator, gint32 n_classes, SlRun *run, GError **error)
{
  *simulator = (SlSimulator){ .n_classes = n_classes, .threshold = (double) NAN };
  gsize n = (gsize) n_classes;
  simulator->likeness
      = sl_run_alloc0 (run, n * n, sizeof (double), "the likeness of class and class", error);
  if (simulator->likeness == NULL)
    return FALSE;
  for (int g = 0; g < SL_N_GROUPS; g++)
    simulator->group[g].alternatives = g_new0 (double, MAX (n, 1));
  return TRUE;
}

void
sl_simulator_clear (SlSimulator *simulator)
{
  g_clear_pointer (&simulator->likeness, g_free);
  for (int g = 0; g < SL_N_GROUPS; g++)
    g_clear_pointer (&simulator->group[g].alternatives, g_free);
}

/* ---- writing ---- */

typedef struct
{
  SlRun *run;
  SlBuilder *builder;
  const char *group;
} Rows;

static gboolean
add (const Rows *rows, const char *name, gint32 class, gint32 other, double value, GError **error)
{
  sl_builder_text (rows->builder, SL_SIMULATOR_GROUP, rows->group, strlen (rows->group));
  sl_builder_text (rows->builder, SL_SIMULATOR_NAME, name, strlen (name));
  sl_builder_class (rows->builder, SL_SIMULATOR_CLASS, class);
  sl_builder_class (rows->builder, SL_SIMULATOR_OTHER, other);
  sl_builder_real (rows->builder, SL_SIMULATOR_VALUE, value);
  return sl_writer_write_built (rows->run->out, rows->builder, FALSE, error);
}

/* The numbers of a share, in the order in which they are written; they are all read back. */
#define N_NUMBERS 6
static const char *const number_names[N_NUMBERS]
    = { "n", "mean", "variance", "alpha", "beta", "distance" };

static gboolean
add_share (const Rows *rows, const char *which, const SlShare *share, GError **error)
{
  const double numbers[N_NUMBERS] = { (double) share->n, share->mean,      share->variance,
                                      share->beta.alpha, share->beta.beta, share->distance };
  for (int i = 0; share->n > 0 && i < N_NUMBERS; i++)
    {
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

gboolean
sl_simulator_write (const SlSimulator *simulator, SlRun *run, SlTable *table, GError **error)
{
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  Rows rows = { run, builder, sl_group_names[SL_GROUP_ALL] };
  if (sl_simulator_is_routed (simulator)
      && !add (&rows, THRESHOLD, -1, -1, simulator->threshold, error))
    return FALSE;
  for (int g = 0; g < SL_N_GROUPS; g++)
    {
      rows.group = sl_group_names[g];
      if (simulator->group[g].answers > 0
          && !add_group (&rows, &simulator->group[g], simulator->n_classes, error))
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

gint32 *
sl_class_map (SlReader *reader, const SlTable *classes, GError **error)
{
  const SlTable *own = sl_reader_table (reader);
  if (own->n_classes != classes->n_classes)
    {
      g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
                   "%s: it is about %d classes, and the other table about %d; both must be about "
                   "the same",
                   sl_reader_name (reader), own->n_classes, classes->n_classes);
      return NULL;
    }
  g_autofree gint32 *map = g_new (gint32, MAX (own->n_classes, 1));
  for (gint32 k = 0; k < own->n_classes; k++)
    {
      map[k] = sl_table_class (classes, own->classes[k], -1);
      if (map[k] >= 0)
        continue;
      g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
                   "%s: its class '%s' is none of the other table's ('%s', ...); both must be "
                   "about the same",
                   sl_reader_name (reader), own->classes[k], classes->classes[0]);
      return NULL;
    }
  return g_steal_pointer (&map);
}

static gboolean
set_number (SlShare *share, const char *name, double value)
{
  double *const fields[N_NUMBERS] = {
    NULL, &share->mean, &share->variance, &share->beta.alpha, &share->beta.beta, &share->distance
  };
  for (int i = 0; i < N_NUMBERS; i++)
    if (strcmp (name, number_names[i]) == 0)
      {
        if (fields[i] == NULL)
          share->n = (gint64) CLAMP (value, 0, 0x1p53);
        else
          *fields[i] = value;
        return TRUE;
      }
  return FALSE;
}

/* Sets the number NAME of GROUP; FALSE where there is none of that name. */
static gboolean
set_group (SlGroupFit *group, gint32 n_classes, const char *name, double value)
{
  gint64 k;
  if (strcmp (name, "answers") == 0)
    group->answers = (gint64) CLAMP (value, 0, 0x1p53);
  else if (g_str_has_prefix (name, "top1."))
    return set_number (&group->first, name + 5, value);
  else if (g_str_has_prefix (name, "top2."))
    return set_number (&group->second, name + 5, value);
  else if (g_str_has_prefix (name, ALTERNATIVES)
           && sl_parse_integer (name + strlen (ALTERNATIVES), -1, &k) && k >= 0 && k < n_classes)
    group->alternatives[k] = value;
  else
    return FALSE;
  return TRUE;
}

static gboolean
take_row (SlSimulator *simulator, const SlBatch *batch, gint64 i, const gint32 *map)
{
  const SlColumn *column = batch->column;
  gsize length;
  const char *text = sl_text_get (column[SL_SIMULATOR_NAME].text, i, &length);
  g_autofree char *name = g_strndup (text, length);
  text = sl_text_get (column[SL_SIMULATOR_GROUP].text, i, &length);
  g_autofree char *group = g_strndup (text, length);
  double value = column[SL_SIMULATOR_VALUE].real[i];
  if (strcmp (name, THRESHOLD) == 0)
    {
      simulator->threshold = value;
      return TRUE;
    }
  if (strcmp (name, LIKENESS) == 0)
    {
      const gint32 *from = column[SL_SIMULATOR_CLASS].code, *to = column[SL_SIMULATOR_OTHER].code;
      if (from == NULL || to == NULL || from[i] < 0 || to[i] < 0)
        return FALSE;
      simulator->likeness[(gsize) map[from[i]] * (gsize) simulator->n_classes + (gsize) map[to[i]]]
          = value;
      return TRUE;
    }
  for (int g = 0; g < SL_N_GROUPS; g++)
    if (strcmp (group, sl_group_names[g]) == 0)
      return set_group (&simulator->group[g], simulator->n_classes, name, value);
  return FALSE;
}

/* GSL draws from it. simulate fit's are below SL_BETA_MOST, up to rounding. */
static gboolean
is_usable (const SlShare *share)
{
  return share->n == 0
         || (share->beta.alpha > 0 && share->beta.beta > 0
             && share->beta.alpha + share->beta.beta < 2 * SL_BETA_MOST);
}

/* That the numbers, which anyone may have written, can be drawn from. */
static gboolean
check_groups (const SlSimulator *simulator, const char *name, GError **error)
{
  gint64 answers = 0;
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
                                                                             : NULL;
      if (wrong == NULL)
        continue;
      g_set_error (error, SL_ERROR, SL_ERROR_INPUT, "%s: group '%s' has %s", name,
                   sl_group_names[g], wrong);
      return FALSE;
    }
  if (answers > 0)
    return TRUE;
  g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
               "%s: it has no fit to answers; `softlabel simulate fit` makes one", name);
  return FALSE;
}

gboolean
sl_simulator_read (SlSimulator *simulator, SlRun *run, SlReader *reader, const SlTable *classes,
                   GError **error)
{
  g_autofree gint32 *map = sl_class_map (reader, classes, error);
  if (map == NULL || !sl_simulator_init (simulator, classes->n_classes, run, error))
    return FALSE;
  for (;;)
    {
      g_autoptr (SlBatch) batch = NULL;
      if (!sl_reader_next (reader, &batch, error))
        return FALSE;
      if (batch == NULL)
        return check_groups (simulator, sl_reader_name (reader), error);
      for (gint64 i = 0; i < batch->n_rows; i++)
        if (!take_row (simulator, batch, i, map))
          {
            g_set_error (error, SL_ERROR, SL_ERROR_INPUT,
                         "%s: row %" G_GINT64_FORMAT ": no parameter of a model of answers; "
                         "`softlabel simulate fit` makes one",
                         sl_reader_name (reader), batch->first_row + i + 1);
            return FALSE;
          }
    }
}
