/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "semantic-cost.h"

#include "pipeline/files/input.h"
#include "stages/common/priors/prior-files.h"
#include "stages/common/classes/word-vectors.h"

static double *
from_csv (SlRun *run, const SlTable *table, const char *path, GError **error)
{
  SlPriorFiles files = { .cost = (char *) path };
  g_auto (SlPriors) priors = { 0 };
  if (!sl_priors_open (&priors, run, &files, table, error))
    return NULL;
  for (gint64 i = 0; i < (gint64) table->n_classes * table->n_classes; i++)
    if (!(priors.cost[i] >= 0))
      {
        sl_error_bad_input (error, "%s: from '%s' to '%s' costs %g; costs are 0 or more", path,
                            table->classes[i / table->n_classes],
                            table->classes[i % table->n_classes], priors.cost[i]);
        return NULL;
      }
  return g_steal_pointer (&priors.cost);
}

static double *
from_vectors (SlRun *run, const SlTable *table, const char *path, GError **error)
{
  if (!sl_run_add_option_file (run, "vectors", path, error))
    return NULL;
  g_autoptr (SlInput) text = sl_input_open (path, error);
  if (text == NULL)
    {
      g_prefix_error (error, "%s: ", path);
      return NULL;
    }
  double *cosine
      = sl_vectors_read (G_INPUT_STREAM (text), path, (const char *const *) table->classes, error);
  for (gint64 i = 0; cosine != NULL && i < (gint64) table->n_classes * table->n_classes; i++)
    cosine[i] = i % (table->n_classes + 1) == 0 ? 0 : MAX (1 - cosine[i], 0);
  return cosine;
}

double *
sl_semantic_cost (SlRun *run, const SlTable *table, const char *cost, const char *vectors,
                  GError **error)
{
  return cost != NULL ? from_csv (run, table, cost, error)
                      : from_vectors (run, table, vectors, error);
}
