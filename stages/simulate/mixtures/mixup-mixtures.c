/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/base/intern/intern.h"
#include "pipeline/base/parallel.h"
#include "schemas/mixtures.h"
#include "stages/common/mixtures/mixing.h"
#include "mixup.h"

#include <math.h>

#define CHUNK 1024 /* rows that one thread takes at a time */

/* That the table has the columns that the target looks at. */
static gboolean
check_columns (const SlMixup *mixup, SlRun *run, GError **error)
{
  guint32 wanted = 1u << SL_MIXTURES_FIRST_CLASS | 1u << SL_MIXTURES_SECOND_CLASS;
  if (sl_mixup_asks_people (mixup))
    wanted |= 1u << SL_MIXTURES_HUMAN;
  if (mixup->gamma > 0)
    wanted |= 1u << SL_MIXTURES_CONFIDENCE;
  return sl_mixtures_require (sl_reader_table (run->in), wanted, sl_reader_name (run->in), error);
}

gboolean
sl_mixup_check_row (const SlMixup *mixup, const SlBatch *batch, gint64 i, GError **error)
{
  const SlColumn *column = batch->column;
  const char *missing = NULL;
  if (column[SL_MIXTURES_FIRST_CLASS].code[i] < 0)
    missing = "first_class";
  else if (column[SL_MIXTURES_SECOND_CLASS].code[i] < 0)
    missing = "second_class";
  else if (sl_mixup_asks_people (mixup) && isnan (column[SL_MIXTURES_HUMAN].real[i]))
    missing = "human";
  else if (mixup->gamma > 0 && isnan (column[SL_MIXTURES_CONFIDENCE].real[i]))
    missing = "confidence";
  return missing == NULL
         || sl_error_row (error, batch->first_row + i + 1, "%s is missing; leave such rows out",
                          missing);
}

typedef struct
{
  const SlMixup *mixup;
  const SlBatch *batch;
  double *label; /* [n_rows][n_classes] */
} Labelling;

static void
label_chunk (int chunk, gpointer data)
{
  const Labelling *labelling = data;
  const SlMixup *mixup = labelling->mixup;
  const SlColumn *column = labelling->batch->column;
  gint32 n_classes = labelling->batch->table->n_classes;
  gint64 from = (gint64) chunk * CHUNK, to = MIN (labelling->batch->n_rows, from + CHUNK);
  for (gint64 i = from; i < to; i++)
    {
      double spread = mixup->gamma > 0 ? sl_mix_spread (
                          mixup->gamma, column[SL_MIXTURES_CONFIDENCE].real[i], mixup->exact_at_1)
                                       : 0;
      sl_mix_classes (column[SL_MIXTURES_FIRST_CLASS].code[i],
                      column[SL_MIXTURES_SECOND_CLASS].code[i], column[SL_MIXTURES_HUMAN].real[i],
                      spread, n_classes, labelling->label + (gsize) i * (gsize) n_classes);
    }
}

static gboolean
label_batch (const SlMixup *mixup, SlRun *run, const SlBatch *batch, SlBuilder *builder,
             GError **error)
{
  for (gint64 i = 0; i < batch->n_rows; i++)
    if (!sl_mixup_check_row (mixup, batch, i, error))
      return FALSE;
  for (int c = 0; batch->table->spec[c].name != NULL; c++)
    if (sl_table_has (batch->table, c) && c != SL_MIXTURES_LABEL && c != SL_MIXTURES_WEIGHT)
      sl_builder_share (builder, c, batch, c);
  Labelling labelling
      = { mixup, batch, sl_builder_labels (builder, SL_MIXTURES_LABEL, batch->n_rows) };
  sl_parallel (run->threads, (int) ((batch->n_rows + CHUNK - 1) / CHUNK), label_chunk, &labelling);
  for (gint64 i = 0; i < batch->n_rows; i++)
    sl_builder_real (builder, SL_MIXTURES_WEIGHT, 1);
  return sl_writer_write_built (run->out, builder, TRUE, error);
}

gboolean
sl_mixup_answers (const SlMixup *mixup, SlRun *run, GError **error)
{
  const SlTable *in = sl_reader_table (run->in);
  g_autoptr (SlTable) table = sl_table_new (&sl_mixtures, (const char *const *) in->classes);
  table->columns = in->columns | 1u << SL_MIXTURES_LABEL | 1u << SL_MIXTURES_WEIGHT;
  if (!check_columns (mixup, run, error) || !sl_run_start (run, table, error))
    return FALSE;
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (run, &batch, &ok, error))
    ok = label_batch (mixup, run, batch, builder, error);
  return ok;
}

typedef struct
{
  gint32 first, second; /* texts; -1: the table has none */
  gint32 first_class, second_class;
  double lambda;
} Mixture;

/* What one person saw. */
typedef struct
{
  gint32 mixture;
  double human, confidence; /* confidence: 0 where nobody looks at it */
} Answer;

typedef struct
{
  const SlMixup *mixup;
  SlRun *run;
  SlIntern *names, *items;
  GArray *mixtures; /* of Mixture */
  GArray *answers;  /* of Answer; none unless people are asked */
  gsize claimed;
} Mixtures;

static void
mixtures_clear (Mixtures *all)
{
  g_clear_pointer (&all->names, sl_intern_free);
  g_clear_pointer (&all->items, sl_intern_free);
  g_clear_pointer (&all->mixtures, g_array_unref);
  g_clear_pointer (&all->answers, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Mixtures, mixtures_clear)

static gint32
intern_text (SlIntern *intern, const SlBatch *batch, int c, gint64 i)
{
  if (!sl_table_has (batch->table, c))
    return -1;
  return sl_intern_text (intern, batch->column[c].text, i);
}

static gboolean
are_same (const Mixture *a, const Mixture *b)
{
  return a->first == b->first && a->second == b->second && a->first_class == b->first_class
         && a->second_class == b->second_class && a->lambda == b->lambda;
}

static gboolean
add_row (Mixtures *all, const SlBatch *batch, gint64 i, GError **error)
{
  const SlColumn *column = batch->column;
  if (!sl_mixup_check_row (all->mixup, batch, i, error))
    return FALSE;
  const Mixture mixture
      = { intern_text (all->items, batch, SL_MIXTURES_FIRST, i),
          intern_text (all->items, batch, SL_MIXTURES_SECOND, i),
          column[SL_MIXTURES_FIRST_CLASS].code[i], column[SL_MIXTURES_SECOND_CLASS].code[i],
          column[SL_MIXTURES_LAMBDA].real[i] };
  gint32 m = intern_text (all->names, batch, SL_MIXTURES_ITEM, i);
  if (m == (gint32) all->mixtures->len)
    g_array_append_val (all->mixtures, mixture);
  else if (!are_same (&g_array_index (all->mixtures, Mixture, m), &mixture))
    {
      gsize length;
      const char *name = sl_intern_get (all->names, m, &length);
      return sl_error_row (error, batch->first_row + i + 1,
                           "mixture '%.*s' is of other items, classes or another lambda than in an "
                           "earlier row; different mixtures need different names",
                           (int) MIN (length, 1000), name);
    }
  if (!sl_mixup_asks_people (all->mixup))
    return TRUE;
  const Answer answer = { m, column[SL_MIXTURES_HUMAN].real[i],
                          all->mixup->gamma > 0 ? column[SL_MIXTURES_CONFIDENCE].real[i] : 0 };
  g_array_append_val (all->answers, answer);
  return TRUE;
}

static gboolean
read_rows (Mixtures *all, GError **error)
{
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (all->run, &batch, &ok, error))
    {
      if ((guint64) all->answers->len + (guint64) batch->n_rows > G_MAXINT32)
        return sl_error_row (error, batch->first_row + 1, "over 2^31 answers are too many");
      for (gint64 i = 0; i < batch->n_rows; i++)
        if (!add_row (all, batch, i, error))
          return FALSE;
      gsize bytes = sl_intern_bytes (all->names) + sl_intern_bytes (all->items)
                    + all->mixtures->len * sizeof (Mixture)
                    + 2 * all->answers->len * sizeof (Answer); /* they are sorted */
      if (!sl_run_claim_up_to (all->run, &all->claimed, bytes,
                               "every mixture, and the answers about it", error))
        return FALSE;
    }
  return ok;
}

/* A total order, so that sums do not depend on that of the rows. */
static int
compare_answers (gconstpointer a, gconstpointer b)
{
  const Answer *x = a, *y = b;
  int order = SL_COMPARE (x->mixture, y->mixture) ?: SL_COMPARE (x->human, y->human);
  return order ?: SL_COMPARE (x->confidence, y->confidence);
}

/* Takes the mean of the answers about mixture M. They begin at *NEXT, which becomes the first of
 * the next mixture. Returns how many there are. */
static gint64
average (const GArray *answers, gint32 m, guint *next, Answer *mean)
{
  guint from = *next, to = from;
  *mean = (Answer){ m, 0, 0 };
  for (; to < answers->len && g_array_index (answers, Answer, to).mixture == m; to++)
    {
      mean->human += g_array_index (answers, Answer, to).human;
      mean->confidence += g_array_index (answers, Answer, to).confidence;
    }
  *next = to;
  /* Rounding must not lead out of what a share can be. */
  mean->human = MIN (mean->human / (to - from), 1);
  mean->confidence = MIN (mean->confidence / (to - from), 1);
  return to - from;
}

static void
build_text (SlBuilder *builder, int column, SlIntern *texts, gint32 id)
{
  if (id < 0)
    return;
  gsize length;
  const char *text = sl_intern_get (texts, id, &length);
  sl_builder_text (builder, column, text, length);
}

static void
build_row (const Mixtures *all, gint32 m, guint *next, SlBuilder *builder)
{
  const SlMixup *mixup = all->mixup;
  const Mixture *mixture = &g_array_index (all->mixtures, Mixture, m);
  double share = mixture->lambda, spread = 0;
  build_text (builder, SL_MIXTURES_ITEM, all->names, m);
  build_text (builder, SL_MIXTURES_FIRST, all->items, mixture->first);
  build_text (builder, SL_MIXTURES_SECOND, all->items, mixture->second);
  sl_builder_class (builder, SL_MIXTURES_FIRST_CLASS, mixture->first_class);
  sl_builder_class (builder, SL_MIXTURES_SECOND_CLASS, mixture->second_class);
  sl_builder_real (builder, SL_MIXTURES_LAMBDA, mixture->lambda);
  if (mixup->target == SL_MIXUP_LOGISTIC)
    share = sl_mix_model_share (mixup->model, mixture->first_class, mixture->second_class, share);
  if (sl_mixup_asks_people (mixup))
    {
      Answer mean;
      sl_builder_real (builder, SL_MIXTURES_WEIGHT,
                       (double) average (all->answers, m, next, &mean));
      sl_builder_real (builder, SL_MIXTURES_HUMAN, mean.human);
      share = mean.human;
      if (mixup->gamma > 0)
        {
          sl_builder_real (builder, SL_MIXTURES_CONFIDENCE, mean.confidence);
          spread = sl_mix_spread (mixup->gamma, mean.confidence, mixup->exact_at_1);
        }
    }
  sl_mix_classes (mixture->first_class, mixture->second_class, share, spread,
                  sl_reader_table (all->run->in)->n_classes,
                  sl_builder_labels (builder, SL_MIXTURES_LABEL, 1));
}

static SlTable *
output_table (const SlMixup *mixup, const SlTable *in)
{
  guint32 kept = 1u << SL_MIXTURES_ITEM | 1u << SL_MIXTURES_FIRST | 1u << SL_MIXTURES_SECOND
                 | 1u << SL_MIXTURES_FIRST_CLASS | 1u << SL_MIXTURES_SECOND_CLASS
                 | 1u << SL_MIXTURES_LAMBDA;
  if (sl_mixup_asks_people (mixup))
    kept |= 1u << SL_MIXTURES_HUMAN;
  if (mixup->gamma > 0)
    kept |= 1u << SL_MIXTURES_CONFIDENCE;
  SlTable *table = sl_table_new (&sl_mixtures, (const char *const *) in->classes);
  table->columns = in->columns & kept;
  sl_table_add (table, SL_MIXTURES_LABEL);
  if (sl_mixup_asks_people (mixup))
    sl_table_add (table, SL_MIXTURES_WEIGHT);
  return table;
}

gboolean
sl_mixup_mixtures (const SlMixup *mixup, SlRun *run, GError **error)
{
  g_auto (Mixtures) all = { .mixup = mixup,
                            .run = run,
                            .names = sl_intern_new (),
                            .items = sl_intern_new (),
                            .mixtures = g_array_new (FALSE, FALSE, sizeof (Mixture)),
                            .answers = g_array_new (FALSE, FALSE, sizeof (Answer)) };
  g_autoptr (SlTable) table = output_table (mixup, sl_reader_table (run->in));
  if (!check_columns (mixup, run, error) || !read_rows (&all, error)
      || !sl_run_start (run, table, error))
    return FALSE;
  g_array_sort (all.answers, compare_answers);
  g_autoptr (SlBuilder) builder = sl_builder_new (table);
  guint next = 0;
  for (gint32 m = 0; m < (gint32) all.mixtures->len; m++)
    {
      build_row (&all, m, &next, builder);
      if (!sl_writer_write_built (run->out, builder, FALSE, error))
        return FALSE;
    }
  return sl_writer_write_built (run->out, builder, TRUE, error);
}
