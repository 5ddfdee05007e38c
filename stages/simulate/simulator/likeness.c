/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "likeness.h"

#include "pipeline/files/input.h"
#include "schemas/labels.h"
#include "stages/common/answers/votes-of-batch.h"
#include "stages/common/classes/word-vectors.h"
#include "simulator.h"

#include <math.h>
#include <string.h>

gboolean
sl_likeness_of_names (double *likeness, SlRun *run, const char *path, const SlTable *classes,
                      GError **error)
{
  if (!sl_run_add_option_file (run, "vectors", path, error))
    return FALSE;
  g_autoptr (SlInput) text = sl_input_open (path, error);
  if (text == NULL)
    {
      g_prefix_error (error, "%s: ", path);
      return FALSE;
    }
  g_autofree double *cosine = sl_vectors_read (G_INPUT_STREAM (text), path,
                                               (const char *const *) classes->classes, error);
  gsize n = (gsize) classes->n_classes;
  if (cosine != NULL)
    memcpy (likeness, cosine, n * n * sizeof *likeness);
  return cosine != NULL;
}

void
sl_likeness_add (double *together, double *mass, const double *p, gint32 n_classes)
{
  for (gint32 c = 0; c < n_classes; c++, together += n_classes)
    {
      if (!(p[c] > 0))
        continue;
      mass[c] += p[c];
      for (gint32 k = 0; k < n_classes; k++)
        together[k] += p[c] * p[k];
    }
}

void
sl_likeness_together (double *likeness, const double *together, const double *mass,
                      gint32 n_classes)
{
  for (gint32 c = 0; c < n_classes; c++, likeness += n_classes, together += n_classes)
    for (gint32 k = 0; k < n_classes; k++)
      likeness[k] = mass[c] > 0 ? together[k] / mass[c] : 0;
}

/* A table that is being added up. */
typedef struct
{
  SlReader *reader;
  const gint32 *map; /* its classes as the input's */
  gint32 n_classes;
  double *together, *mass;
  double *label; /* [n_classes]: one, in the order of the input's classes */
} Sum;

/* Answers are summed over all annotators, so one who gave many counts for more. */
static void
add_confusion (const Sum *sum, const SlBatch *batch)
{
  const SlColumn *column = batch->column;
  const double *answers = column[SL_CONFUSION_ANSWERS].real;
  for (gint64 i = 0; i < batch->n_rows; i++)
    {
      gint32 c = sum->map[column[SL_CONFUSION_TRUE].code[i]];
      gint32 k = sum->map[column[SL_CONFUSION_ANSWERED].code[i]];
      double n = answers != NULL ? answers[i] : column[SL_CONFUSION_PROBABILITY].real[i];
      if (!(n > 0) || isinf (n))
        continue;
      sum->together[(gsize) c * (gsize) sum->n_classes + (gsize) k] += n;
      sum->mass[c] += n;
    }
}

static gboolean
add_labels (const Sum *sum, SlBatch *batch, GError **error)
{
  g_auto (SlRowVotes) rows;
  if (!sl_row_votes_init (&rows, batch, error))
    return FALSE;
  gint32 n_classes = batch->table->n_classes;
  for (gint64 i = 0; i < rows.n; i++)
    {
      const double *p = rows.label + (gsize) i * (gsize) n_classes;
      if (rows.weight[i] == 0)
        continue;
      for (gint32 k = 0; k < n_classes; k++)
        sum->label[sum->map[k]] = p[k];
      sl_likeness_add (sum->together, sum->mass, sum->label, sum->n_classes);
    }
  return TRUE;
}

static gboolean
add_all (const Sum *sum, GError **error)
{
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_reader_each (sum->reader, &batch, &ok, error))
    if (batch->table->kind == &sl_labels)
      ok = add_labels (sum, batch, error);
    else
      add_confusion (sum, batch);
  return ok;
}

gboolean
sl_likeness_of_table (double *likeness, SlRun *run, const char *path, const SlTable *classes,
                      GError **error)
{
  static const SlKind *const kinds[] = { &sl_confusion, &sl_labels, NULL };
  g_autoptr (SlReader) reader = sl_run_open (run, "likeness", path, kinds, error);
  if (reader == NULL)
    return FALSE;
  g_autofree gint32 *map = sl_class_map (reader, classes, error);
  if (map == NULL)
    return FALSE;
  gsize n = (gsize) classes->n_classes;
  g_autofree double *together
      = sl_run_alloc0 (run, n * n, sizeof (double), "how often class and class go together", error);
  if (together == NULL)
    return FALSE;
  g_autofree double *mass = g_new0 (double, n);
  g_autofree double *label = g_new0 (double, n);
  Sum sum = { reader, map, classes->n_classes, together, mass, label };
  if (!add_all (&sum, error))
    return FALSE;
  sl_likeness_together (likeness, together, mass, classes->n_classes);
  return TRUE;
}

typedef struct
{
  gint32 class;
  double likeness;
} Ranked;

static int
compare_ranked (gconstpointer a, gconstpointer b)
{
  const Ranked *x = a, *y = b;
  return SL_COMPARE (y->likeness, x->likeness) ?: x->class - y->class;
}

void
sl_likeness_rank (const double *likeness, gint32 n_classes, gint32 *rank)
{
  g_autofree Ranked *others = g_new (Ranked, MAX (n_classes, 1));
  for (gint32 c = 0; c < n_classes; c++, likeness += n_classes)
    {
      gint32 n = 0;
      for (gint32 k = 0; k < n_classes; k++)
        if (k != c)
          others[n++] = (Ranked){ k, likeness[k] };
      qsort (others, (gsize) n, sizeof *others, compare_ranked);
      for (gint32 j = 0; j < n; j++)
        *rank++ = others[j].class;
    }
}
