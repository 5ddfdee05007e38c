/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run-passes.h"
#include "run-private.h"

#include "pipeline/base/process/shortage.h"
#include "pipeline/base/process/signals.h"

#include <string.h>
#include <unistd.h>

char *
sl_run_provenance (SlRun *run)
{
  if (sl_run_common (run)->no_provenance)
    return NULL;
  return sl_provenance_finish (&run->priv->provenance, run->command->name, run->options,
                               run->command->flags & SL_COMMAND_SEEDED ? &run->seed : NULL);
}

gboolean
sl_run_start (SlRun *run, SlTable *table, GError **error)
{
  g_clear_pointer (&table->provenance, g_free);
  table->provenance = sl_run_provenance (run);
  return sl_run_start_tagged (run, run->out, table, error);
}

SlReader *
sl_run_open (SlRun *run, const char *option, const char *path, const SlKind *const *kinds,
             GError **error)
{
  SlReaderOptions options = { .kinds = kinds, .threads = run->threads };
  return sl_run_open_as (run, option, path, &options, error);
}

static gboolean
refuse_terminal (const char *path, GError **error)
{
  if ((path != NULL && strcmp (path, "-") != 0) || !isatty (STDIN_FILENO))
    return TRUE;
  return sl_error_usage (error, "no input: give a file, or pipe a table in");
}

void
sl_run_add_history (SlRun *run, const char *option, const char *name, const char *history)
{
  gboolean recorded
      = !(run->command->flags & SL_COMMAND_TEXT) && !sl_run_common (run)->no_provenance;
  const char *problem
      = recorded ? sl_provenance_add_input (&run->priv->provenance, option, history) : NULL;
  /* What has lost its history will do all the same; of several such, the first is told. */
  if (problem != NULL && run->priv->history_lost == NULL)
    run->priv->history_lost = g_strdup_printf ("%s: %s; it is recorded as unknown", name, problem);
}

SlReader *
sl_run_open_as (SlRun *run, const char *option, const char *path, const SlReaderOptions *options,
                GError **error)
{
  if (!refuse_terminal (path, error))
    return NULL;
  SlReaderOptions own = *options;
  own.shard = option == NULL ? run->priv->shard : 0;
  own.shards = option == NULL ? run->priv->shards : 0;
  return sl_run_take_input (run, option, sl_reader_open (path, &own, error), error);
}

SlReader *
sl_run_take_input (SlRun *run, const char *option, SlReader *taken, GError **error)
{
  g_autoptr (SlReader) reader = taken;
  if (reader == NULL)
    return NULL;
  if (option == NULL)
    {
      run->priv->rows_read = MAX (run->priv->rows_read, 0);
      sl_reader_count (reader, &run->priv->rows_read);
    }
  sl_run_join_histories (reader);
  /* One table alone is simply what came before; of several, each is told apart. */
  gboolean several
      = run->command->flags & SL_COMMAND_TABLES && run->files[0] != NULL && run->files[1] != NULL;
  g_autofree char *name = option == NULL && several
                              ? g_strdup_printf ("file %u", ++run->priv->n_files_open)
                              : g_strdup (option);
  sl_run_add_history (run, name, sl_reader_name (reader), sl_reader_table (reader)->provenance);
  const SlTable *table = sl_reader_table (reader);
  gboolean in_rows = (run->command->flags & SL_COMMAND_ROWS_HAVE_TAGS) != 0;
  if (option == NULL && (in_rows || (several && table->kind->tags_in_rows)))
    sl_run_share_tags (run, &table->tags);
  else if (!in_rows && !sl_run_add_tags (run, sl_reader_name (reader), &table->tags, error))
    return NULL;
  if (!sl_run_add_values (run, sl_reader_name (reader), table->classes, table->values, error)
      || (run->command->opened != NULL && !run->command->opened (run, option, reader, error)))
    return NULL;
  return g_steal_pointer (&reader);
}

gboolean
sl_run_add_source (SlRun *run, const char *path, GError **error)
{
  return sl_provenance_add_source (&run->priv->provenance, path, error);
}

gboolean
sl_run_add_option_file (SlRun *run, const char *option, const char *path, GError **error)
{
  return sl_provenance_add_file (&run->priv->provenance, option, path, error);
}

void
sl_run_add_found (SlRun *run, const char *found)
{
  sl_provenance_set_found (&run->priv->provenance, found);
}

/* Progress, by the rows of run->in. */
static void
count_rows (SlRun *run, const SlBatch *batch)
{
  gint64 done, whole;
  sl_reader_position (run->in, &done, &whole);
  run->priv->rows = (run->priv->passed ? 0 : run->priv->rows) + (batch != NULL ? batch->n_rows : 0);
  if (batch == NULL)
    run->priv->passed = TRUE;
  else
    sl_run_progress (run, run->priv->rows, done, whole);
}

gboolean
sl_run_next_of (SlRun *run, SlReader *reader, SlBatch **batch, GError **error)
{
  if (!sl_reader_next (reader, batch, error))
    return FALSE;
  if (reader == run->in)
    count_rows (run, *batch);
  return *batch == NULL || !sl_reader_keeps_memory (reader)
         || sl_run_claim (
             run, sl_batch_bytes (*batch),
             "a table that is read twice and came by a pipe (give it as a file instead)", error);
}

gboolean
sl_run_next (SlRun *run, SlBatch **batch, GError **error)
{
  return sl_run_next_of (run, run->in, batch, error);
}

gboolean
sl_run_each (SlRun *run, SlBatch **batch, gboolean *ok, GError **error)
{
  g_clear_pointer (batch, sl_batch_unref);
  *ok = *ok && sl_run_next (run, batch, error);
  return *ok && *batch != NULL;
}

void
sl_run_passes (SlRun *run, gint64 n)
{
  run->priv->passes = n;
}

void
sl_run_progress (SlRun *run, gint64 rows, gint64 done, gint64 whole)
{
  SlRunPrivate *priv = run->priv;
  gboolean known = whole > 0 && done > 0 && done <= whole;
  priv->pass += priv->passed;
  priv->passed = FALSE;
  SlHowFar step = { .unit = "rows",
                    .n = rows,
                    .start = priv->pass + 1,
                    .starts = MAX (priv->passes, priv->pass + 1),
                    .share = known ? (double) done / (double) whole : 0 };
  sl_run_step (run, &step);
}

gboolean
sl_run_claim (SlRun *run, gsize bytes, const char *what, GError **error)
{
  run->priv->claimed += MIN (bytes, G_MAXSIZE - run->priv->claimed);
  if (sl_run_common (run)->max_memory == 0
      || run->priv->claimed <= (gsize) sl_run_common (run)->max_memory)
    return TRUE;
  g_autofree char *limit
      = g_format_size_full ((guint64) sl_run_common (run)->max_memory, G_FORMAT_SIZE_IEC_UNITS);
  g_auto (GStrv) parts = g_strsplit (limit, "\u00a0", -1); /* nobody types that space */
  g_autofree char *plain = g_strjoinv (" ", parts);
  return sl_error_runtime (error, "--max-memory: %s is not enough to hold %s", plain, what);
}

gboolean
sl_run_claim_up_to (SlRun *run, gsize *claimed, gsize bytes, const char *what, GError **error)
{
  gsize more = bytes - MIN (bytes, *claimed);
  *claimed += more;
  return sl_run_claim (run, more, what, error);
}

void
sl_run_release (SlRun *run, gsize bytes)
{
  run->priv->claimed -= MIN (bytes, run->priv->claimed);
}

static gboolean
refuse_memory (const char *what, GError **error)
{
  return sl_error_runtime (error, "not enough memory to hold %s", what);
}

gboolean
sl_run_claim_array (SlRun *run, gsize n, gsize size, const char *what, GError **error)
{
  gsize bytes = 0;
  gboolean counted = g_size_checked_mul (&bytes, n, size) && bytes < G_MAXSSIZE;
  return sl_run_claim (run, counted ? bytes : G_MAXSSIZE, what, error)
         && (counted || refuse_memory (what, error));
}

gpointer
sl_run_alloc0 (SlRun *run, gsize n, gsize size, const char *what, GError **error)
{
  if (!sl_run_claim_array (run, MAX (n, 1), size, what, error))
    return NULL;
  gpointer memory = sl_memory_try0 (n, size);
  if (memory == NULL)
    (void) refuse_memory (what, error);
  return memory;
}

void
sl_run_has_read (SlRun *run, gint64 rows)
{
  run->priv->rows_read = rows;
}

void
sl_run_set_status (SlRun *run, int status)
{
  run->priv->status = status;
}

void
sl_run_step (SlRun *run, const SlHowFar *step)
{
  sl_messages_step (&run->priv->messages, step);
}

static gboolean
beat (gpointer data, const SlHowFar *step)
{
  SlRun *run = data;
  sl_run_step (run, step);
  return !sl_run_stopping (run);
}

SlPulse
sl_run_pulse (SlRun *run)
{
  return (SlPulse){ .beat = beat, .data = run };
}

void
sl_run_may_stop (SlRun *run)
{
  run->priv->may_stop = TRUE;
  sl_stop_accept (TRUE);
}

gboolean
sl_run_stopping (SlRun *run)
{
  if (!run->priv->may_stop || sl_stop_asked () == 0)
    return FALSE;
  run->priv->told_to_stop = TRUE;
  return TRUE;
}

static void
say (SlRun *run, SlMessageLevel level, const char *format, va_list args)
{
  g_autofree char *text = g_strdup_vprintf (format, args);
  sl_run_cache_record (run, level, text);
  sl_messages_say (&run->priv->messages, level, text);
}

void
sl_run_warn (SlRun *run, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  say (run, SL_MESSAGE_WARNING, format, args);
  va_end (args);
}

void
sl_run_note (SlRun *run, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  say (run, SL_MESSAGE_NOTE, format, args);
  va_end (args);
}

void
sl_run_report (SlRun *run, const char *text)
{
  sl_run_cache_record (run, SL_MESSAGE_REPORT, text);
  sl_messages_say (&run->priv->messages, SL_MESSAGE_REPORT, text);
}

/* Printed text is gathered to this much before it is written. */
#define PRINT_BYTES (1 << 16)

void
sl_run_print (SlRun *run, const char *text, gssize length)
{
  GString *printed = run->priv->printed;
  g_string_append_len (printed, text, length);
  if (printed->len < PRINT_BYTES)
    return;
  /* A failure is kept by the output, and found at the end. */
  (void) sl_output_write (run->priv->bytes, printed->str, printed->len, NULL);
  g_string_truncate (printed, 0);
}

void
sl_run_printf (SlRun *run, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  sl_run_print (run, text, -1);
}
