/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crowd-people.h"

#include "pipeline/base/intern/intern.h"
#include "pipeline/base/vector-math.h"
#include "schemas/kinds.h"
#include "stages/common/tables/confusion-rows.h"
#include "pipeline/base/draw.h"
#include "stages/common/priors/prior-files.h"
#include "assignment.h"
#include "stages/simulate/simulator/simulator.h"

#include <math.h>

/* Bytes that a name of usual length and a place in the order of activity take. */
#define BYTES 32

void
sl_crowd_people_clear (SlCrowdPeople *people)
{
  if (people->text != NULL)
    g_string_free (people->text, TRUE);
  g_free (people->offset);
  g_free (people->key);
  g_free (people->which);
  g_free (people->theta);
  g_free (people->priors);
}

static gboolean
start (SlCrowdPeople *people, SlRun *run, gint32 n, gint32 n_classes, GError **error)
{
  static const char what[] = "the annotators";
  gsize places = (gsize) n + 1;
  if (!sl_run_claim (run, (gsize) n * BYTES, what, error))
    return FALSE;
  *people = (SlCrowdPeople){ .n = n, .n_classes = n_classes, .text = g_string_new (NULL) };
  return (people->offset = sl_run_alloc0 (run, places, sizeof *people->offset, what, error)) != NULL
         && (people->key = sl_run_alloc0 (run, places, sizeof *people->key, what, error)) != NULL
         && (people->which = sl_run_alloc0 (run, places, sizeof *people->which, what, error))
                != NULL;
}

/* The name of A, which is the last in the text. */
static void
end_name (SlCrowdPeople *people, gint32 a)
{
  gsize from = (gsize) people->offset[a];
  people->offset[a + 1] = (gint32) people->text->len;
  people->key[a] = sl_text_hash (people->text->str + from, people->text->len - from);
  people->names = (SlText){ people->offset, people->text->str };
}

/* ---- made ---- */

/* Sets in `which` the type of each annotator. Places are in order of type; who gets which place is
 * drawn. */
static void
share_out (SlCrowdPeople *people, guint64 seed, const GArray *mix)
{
  g_autofree gint64 *counts = g_new (gint64, mix->len);
  sl_crowd_mix_counts (mix, people->n, counts);
  SlRandom random = sl_random (seed, sl_random_purpose ("simulate crowd: types"), 0, 0, 0);
  SlPermutation places;
  sl_permutation_init (&places, (guint64) people->n, &random);
  for (gint32 a = 0; a < people->n; a++)
    {
      gint64 place = (gint64) sl_permutation_at (&places, (guint64) a);
      gint32 part = 0;
      for (; place >= counts[part]; part++)
        place -= counts[part];
      people->which[a] = part;
    }
}

/* Turns `which` into the number of each annotator's theta, whose type is part_of[theta]. Returns
 * how many of them there are. */
static gint32
number_thetas (SlCrowdPeople *people, const GArray *mix, gint32 *part_of)
{
  g_autofree gint32 *shared = g_new (gint32, mix->len);
  for (guint i = 0; i < mix->len; i++)
    shared[i] = -1;
  gint32 n = 0;
  for (gint32 a = 0; a < people->n; a++)
    {
      gint32 part = people->which[a];
      SlCrowdType type = g_array_index (mix, SlCrowdPart, part).type;
      gboolean is_new = sl_crowd_types[type].is_drawn || shared[part] < 0;
      if (is_new)
        part_of[shared[part] = n++] = part;
      people->which[a] = shared[part];
    }
  return n;
}

gboolean
sl_crowd_people_make (SlCrowdPeople *people, SlRun *run, gint32 n, const GArray *mix,
                      const gint32 *group, gint32 n_classes, GError **error)
{
  if (!start (people, run, n, n_classes, error))
    return FALSE;
  for (gint32 a = 0; a < n; a++)
    {
      g_string_append_printf (people->text, "a%d", a + 1);
      end_name (people, a);
    }
  share_out (people, run->seed, mix);
  g_autofree gint32 *part_of = g_new (gint32, n);
  people->n_thetas = number_thetas (people, mix, part_of);
  gsize cells = (gsize) n_classes * (gsize) n_classes;
  people->theta = sl_run_alloc0 (run, (gsize) people->n_thetas, cells * sizeof (double),
                                 "annotators × classes × classes probabilities", error);
  if (people->theta == NULL)
    return FALSE;
  guint32 purpose = sl_random_purpose ("simulate crowd: confusion");
  gint32 done = 0;
  for (gint32 a = 0; a < n; a++)
    {
      gint32 theta = people->which[a];
      if (theta < done)
        continue;
      SlRandom random = sl_random (run->seed, purpose, 0, people->key[a], 0);
      sl_crowd_matrix (&g_array_index (mix, SlCrowdPart, part_of[theta]), n_classes, group, &random,
                       people->theta + (gsize) theta * cells);
      done = theta + 1;
    }
  return TRUE;
}

/* ---- from a table ---- */

/* Tables of --merge have rows of nobody, too. */
static gboolean
read_names (SlIntern *names, SlReader *reader, GError **error)
{
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (reader, &batch, &ok, error))
    for (gint64 i = 0; i < batch->n_rows; i++)
      {
        gsize length;
        const char *name = sl_text_get (batch->column[SL_CONFUSION_ANNOTATOR].text, i, &length);
        if (length > 0)
          sl_intern (names, name, length);
      }
  if (!ok)
    return FALSE;
  if (sl_intern_size (names) > 0)
    return TRUE;
  return sl_error_bad_input (error, "%s: there are no annotators in it", sl_reader_name (reader));
}

static gboolean
check_priors (const double *priors, gint32 n, SlReader *reader, GError **error)
{
  double sum = 0;
  gboolean negative = FALSE;
  for (gint32 k = 0; k < n; k++)
    {
      sum += priors[k];
      negative |= priors[k] < 0;
    }
  if (!negative && fabs (sum - 1) <= 1e-6 * n)
    return TRUE;
  return sl_error_bad_input (
      error, "%s: the classes' shares (prior) %s; they are 0 or more and sum to 1",
      sl_reader_name (reader), negative ? "are not all positive" : "do not sum to 1");
}

gboolean
sl_crowd_people_read (SlCrowdPeople *people, SlRun *run, SlReader *reader, const SlTable *classes,
                      GError **error)
{
  g_autoptr (SlIntern) names = sl_intern_new ();
  g_autofree gint32 *map = sl_class_map (reader, classes, error);
  if (map == NULL)
    return FALSE;
  sl_reader_keep (reader);
  if (!read_names (names, reader, error) || !sl_reader_rewind (reader, error)
      || !start (people, run, sl_intern_size (names), classes->n_classes, error))
    return FALSE;
  people->n_thetas = people->n;
  for (gint32 a = 0; a < people->n; a++)
    {
      gsize length;
      const char *name = sl_intern_get (names, a, &length);
      if (people->text->len + length > G_MAXINT32)
        return sl_error_bad_input (error, "%s: the annotators' names are over 2 GiB together",
                                   sl_reader_name (reader));
      g_string_append_len (people->text, name, (gssize) length);
      end_name (people, a);
      people->which[a] = a;
    }
  SlPriors priors = { .run = run, .classes = classes->classes, .n_classes = classes->n_classes };
  people->priors = g_new (double, MAX (classes->n_classes, 1));
  people->theta = sl_priors_read_confusion (&priors, reader, names, people->priors, error);
  if (people->theta == NULL)
    return FALSE;
  if (!sl_table_has (sl_reader_table (reader), SL_CONFUSION_PRIOR))
    g_clear_pointer (&people->priors, g_free);
  return people->priors == NULL || check_priors (people->priors, people->n_classes, reader, error);
}

/* ---- used ---- */

void
sl_crowd_people_prepare (SlCrowdPeople *people, gboolean by_ease)
{
  gsize n = (gsize) people->n_classes, rows = (gsize) people->n_thetas * n;
  for (gsize row = 0; row < rows; row++)
    {
      double *theta = people->theta + row * n;
      if (!by_ease)
        sl_draw_sums (theta, (gint64) n, theta);
      for (gsize l = 0; by_ease && l < n; l++)
        theta[l] = theta[l] > 0 ? sl_scalar_log (theta[l]) : -INFINITY;
    }
}

gboolean
sl_crowd_people_write (const SlCrowdPeople *people, SlRun *run, const char *path,
                       char *const *classes, const double *priors, GError **error)
{
  g_autoptr (SlTable) table = sl_table_new (&sl_confusion, (const char *const *) classes);
  if (priors != NULL)
    sl_table_add (table, SL_CONFUSION_PRIOR);
  SlWriter *writer = sl_run_side_table (run, path, table, error);
  if (writer == NULL)
    return FALSE;
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  gint32 n = people->n_classes;
  for (gint32 a = 0; a < people->n; a++)
    {
      gsize length;
      const char *name = sl_text_get (people->names, a, &length);
      const double *theta = people->theta + (gsize) people->which[a] * (gsize) n * (gsize) n;
      for (gint32 k = 0; k < n; k++)
        for (gint32 l = 0; l < n; l++)
          {
            const SlConfusionCell cell
                = { k, l, *theta++, SL_NO_COLUMN, priors != NULL ? priors[k] : SL_NO_COLUMN };
            if (!sl_confusion_write (writer, builder, name, length, &cell, error))
              return FALSE;
          }
    }
  return sl_writer_write_built (writer, builder, TRUE, error);
}
