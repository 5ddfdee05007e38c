/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run-log.h"

#include "pipeline/base/error.h"
#include "pipeline/base/json.h"
#include "run-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

const char *
sl_run_log_path (const SlRun *run)
{
  const char *given = sl_run_common (run)->run_log;
  const char *set = given != NULL ? given : g_getenv ("SOFTLABEL_RUN_LOG");
  return set != NULL && *set != '\0' ? set : NULL;
}

static gboolean
fail (const char *option, const char *path, int number, GError **error)
{
  g_autofree char *shown = g_filename_display_name (path);
  return sl_error_runtime (error, "%s: %s: cannot be written: %s", option, shown,
                           g_strerror (number));
}

static gboolean
open_log (SlRun *run, GError **error)
{
  const char *path = sl_run_log_path (run);
  if (path == NULL)
    return TRUE;
  const int fd = open (path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  run->priv->log = MAX (fd, 0);
  return fd >= 0 || fail ("--run-log", path, errno, error);
}

gboolean
sl_run_log_open (SlRun *run, GError **error)
{
  const char *metrics = sl_run_common (run)->run_metrics;
  run->priv->log_ready = sl_run_check_logs (run, error) && open_log (run, error)
                         && (metrics == NULL || sl_output_check (metrics, error));
  return run->priv->log_ready;
}

void
sl_run_log_clear (SlRun *run)
{
  if (run->priv->log > 0)
    (void) close (run->priv->log);
  run->priv->log = 0;
}

/* What is told in both forms. */
typedef struct
{
  int status;
  double seconds, cpu_seconds;
  gint64 peak, read, written; /* bytes; rows, -1: it has no such */
} Facts;

static double
seconds_of (struct timeval time)
{
  return (double) time.tv_sec + (double) time.tv_usec / G_USEC_PER_SEC;
}

static Facts
find_facts (const SlRun *run, int status)
{
  const SlRunPrivate *priv = run->priv;
  struct rusage used = { 0 };
  (void) getrusage (RUSAGE_SELF, &used);
  return (Facts){
    .status = status,
    .seconds = (double) (g_get_monotonic_time () - priv->messages.progress.began) / G_USEC_PER_SEC,
    .cpu_seconds = seconds_of (used.ru_utime) + seconds_of (used.ru_stime),
    .peak = (gint64) used.ru_maxrss * 1024,
    .read = priv->rows_read,
    .written = run->out != NULL ? sl_writer_rows (run->out) : -1,
  };
}

static void
append_number (GString *json, const char *name, gint64 n)
{
  if (n < 0)
    sl_json_text_member (json, name, NULL);
  else
    sl_json_integer_member (json, name, n);
}

static void
append_seconds (GString *json, const char *name, double seconds)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  sl_json_member (json, name);
  g_string_append (json, g_ascii_formatd (text, sizeof text, "%.3f", seconds));
}

static void
append_texts (GString *json, const char *name, char *const *texts, guint n)
{
  sl_json_member (json, name);
  g_string_append_c (json, '[');
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *valid = g_utf8_make_valid (texts[i], -1);
      g_string_append (json, i > 0 ? "," : "");
      sl_json_string (json, valid, -1);
    }
  g_string_append_c (json, ']');
}

static GString *
log_line (const SlRun *run, const Facts *facts)
{
  const SlMessages *said = &run->priv->messages;
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *time = g_date_time_format (now, "%Y-%m-%dT%H:%M:%SZ");
  g_autofree char *tags = sl_tags_to_json (&run->priv->given);
  const char *output = sl_run_common (run)->output;
  g_autofree char *shown = output != NULL ? g_utf8_make_valid (output, -1) : NULL;
  GString *json = g_string_new ("{");
  sl_json_text_member (json, "time", time);
  sl_json_text_member (json, "stage", run->command->name);
  sl_json_text_member (json, "version", SL_VERSION);
  append_number (json, "status", facts->status);
  append_seconds (json, "seconds", facts->seconds);
  append_seconds (json, "cpu_seconds", facts->cpu_seconds);
  append_number (json, "peak_memory_bytes", facts->peak);
  append_number (json, "rows_read", facts->read);
  append_number (json, "rows_written", facts->written);
  append_texts (json, "inputs", run->files, g_strv_length (run->files));
  sl_json_text_member (json, "output", shown);
  if (tags != NULL)
    g_string_append_printf (json, ",\"tags\":%s", tags);
  append_texts (json, "warnings", (char **) said->warnings->pdata, said->warnings->len);
  sl_json_text_member (json, "error", said->error);
  g_string_append (json, "}\n");
  return json;
}

/* One write for the whole line, so that lines of runs that end at the same time do not mix. */
static gboolean
append_line (SlRun *run, const Facts *facts, GError **error)
{
  if (run->priv->log == 0)
    return TRUE;
  g_autoptr (GString) line = log_line (run, facts);
  gssize n;
  do
    n = write (run->priv->log, line->str, line->len);
  while (n < 0 && errno == EINTR);
  return n == (gssize) line->len
         || fail ("--run-log", sl_run_log_path (run), n < 0 ? errno : ENOSPC, error);
}

/* The run is named by its file, as no two files of a folder have one name. */
static void
append_metric (GString *text, const SlRun *run, const char *name, const char *help, double value)
{
  g_autofree char *base = g_path_get_basename (sl_run_common (run)->run_metrics);
  if (g_str_has_suffix (base, ".prom"))
    base[strlen (base) - strlen (".prom")] = '\0';
  g_autofree char *valid = g_utf8_make_valid (base, -1);
  g_autoptr (GString) label = g_string_new (g_strdelimit (valid, "\n", ' '));
  g_string_replace (label, "\\", "\\\\", 0);
  g_string_replace (label, "\"", "\\\"", 0);
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append_printf (text,
                          "# HELP softlabel_run_%s %s\n# TYPE softlabel_run_%s gauge\n"
                          "softlabel_run_%s{run=\"%s\",stage=\"%s\"} %s\n",
                          name, help, name, name, label->str, run->command->name,
                          g_ascii_formatd (number, sizeof number, "%.15g", value));
}

static gboolean
write_metrics (SlRun *run, const Facts *facts, GError **error)
{
  const char *path = sl_run_common (run)->run_metrics;
  if (path == NULL)
    return TRUE;
  g_autoptr (GString) text = g_string_new (NULL);
  append_metric (text, run, "success", "1 if the run ended well, 0 if not.", facts->status == 0);
  append_metric (text, run, "exit_status", "Exit status of the run.", facts->status);
  append_metric (text, run, "end_time_seconds", "When the run ended, since 1970.",
                 (double) (g_get_real_time () / G_USEC_PER_SEC));
  append_metric (text, run, "duration_seconds", "How long the run took.", facts->seconds);
  append_metric (text, run, "cpu_seconds", "Processor time of the run.", facts->cpu_seconds);
  append_metric (text, run, "peak_memory_bytes", "Most memory that the run had.",
                 (double) facts->peak);
  if (facts->read >= 0)
    append_metric (text, run, "rows_read", "Rows of the input.", (double) facts->read);
  if (facts->written >= 0)
    append_metric (text, run, "rows_written", "Rows of the output.", (double) facts->written);
  append_metric (text, run, "warnings", "Warnings of the run.", run->priv->messages.warnings->len);
  g_autoptr (SlOutput) output = sl_output_new (path, error);
  return output != NULL && sl_output_write (output, text->str, text->len, error)
         && sl_output_finish (output, error) && sl_output_commit (output, error);
}

int
sl_run_log_end (SlRun *run, int status)
{
  /* A run that ended before it could be asked whether these files can be written is asked now. */
  if (!run->priv->log_ready
      && !(status != 0 && run->priv->parsed && run->priv->log == 0 && sl_run_log_open (run, NULL)))
    return status;
  const Facts facts = find_facts (run, status);
  g_autoptr (GError) error = NULL;
  gboolean ok = append_line (run, &facts, &error);
  if (!ok)
    sl_messages_say (&run->priv->messages, SL_MESSAGE_ERROR, error->message);
  g_clear_error (&error);
  if (!write_metrics (run, &facts, &error))
    {
      sl_messages_say (&run->priv->messages, SL_MESSAGE_ERROR, error->message);
      ok = FALSE;
    }
  return ok || status != 0 ? status : SL_ERROR_RUNTIME;
}
