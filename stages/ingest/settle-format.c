/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "settle-format.h"

#include "formats.h"
#include "sniff-bytes.h"
#include "sniff.h"

#include <string.h>
#include <unistd.h>

static int
format_named (const char *name)
{
  int i = 0;
  while (strcmp (sl_ingest_format_names[i], name) != 0)
    i++;
  return i;
}

/* A folder of images is told before its files of data are looked for. */
void
sl_format_settle_folder (SlRun *run, SlIngestOptions *options, const char *path)
{
  if (sl_ingest_formats[options->from] != &sl_ingest_auto || !sl_sniff_is_images (path))
    return;
  g_autofree char *name = sl_ingest_file_name (path);
  sl_run_warn (run, "%s is taken for --from images: it is of PNG or JPEG files", name);
  options->from = format_named ("images");
}

/* In place of --from auto comes what FILE looks like; the history, too, names that. */
gboolean
sl_format_settle (SlRun *run, SlIngestOptions *options, const char *file, GError **error)
{
  const char *why = NULL;
  if (sl_ingest_formats[options->from] != &sl_ingest_auto)
    return TRUE;
  g_autofree char *name = sl_ingest_file_name (file);
  if (sl_source_can_reopen (file) || (strcmp (file, "-") != 0 && access (file, F_OK) != 0))
    {
      SlSource *source = sl_source_open (file, error);
      if (source == NULL)
        return FALSE;
      sl_source_free (source);
    }
  const char *guess = sl_sniff (file, &why);
  if (guess == NULL)
    return sl_error_bad_input (error, "%s: nothing tells its format%s; say it with --from FORMAT",
                               name, sl_source_can_reopen (file) ? "" : ", as it comes by a pipe");
  sl_run_warn (run, "%s is taken for --from %s: %s", name, guess, why);
  options->from = format_named (guess);
  return TRUE;
}

/* A file that could not be read at all may be one of another format. */
void
sl_format_name_other (const SlIngest *ingest, GError **error)
{
  const char *why;
  g_autofree char *name = sl_ingest_file_name (ingest->files[0]);
  if (error == NULL || !g_error_matches (*error, SL_ERROR, SL_ERROR_INPUT) || ingest->n_rows > 0
      || !g_str_has_prefix ((*error)->message, name))
    return;
  /* What reads arrays takes both forms of them, and some messages name the way themselves. */
  const char *guess = sl_sniff (ingest->files[0], &why);
  const char *own = sl_ingest_format_names[ingest->options->from];
  if (strstr ((*error)->message, "--from ") != NULL
      || (g_strcmp0 (guess, "idx") == 0 && strcmp (own, "npy") == 0)
      || (g_strcmp0 (guess, "npy") == 0 && strcmp (own, "idx") == 0))
    return;
  if (guess == NULL || format_named (guess) == ingest->options->from
      || sl_ingest_format_kinds[format_named (guess)]
             != sl_ingest_format_kinds[ingest->options->from])
    return;
  char *whole = g_strdup_printf ("%s; is it --from %s? %s", (*error)->message, guess, why);
  g_free ((*error)->message);
  (*error)->message = whole;
}
