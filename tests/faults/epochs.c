/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stage to try a long run with, which works in epochs and does nothing else:
 *
 *     epochs [--heed] [--checkpoint FILE] [--sides N] -o FILE LINES
 *
 * An epoch is a line of LINES, a file or pipe. Each ends with a checkpoint; the output is text that
 * says how many there were, and the history. With --heed a request to stop ends it after the epoch.
 * Beside them it writes N files side-1, side-2, ... */
#include "pipeline/command/run.h"
#include "pipeline/files/output.h"

#include <stdio.h>

typedef struct
{
  gboolean heed;
  gint64 sides;
  char *checkpoint;
} Options;

static const Options defaults = { 0 };

static const SlOption option_table[] = {
  { .name = "heed",
    .kind = SL_OPTION_FLAG,
    .field = offsetof (Options, heed),
    .help = "stop if asked" },
  { .name = "sides", .kind = SL_OPTION_INTEGER, .field = offsetof (Options, sides), .max = 1000 },
  { .name = "checkpoint",
    .kind = SL_OPTION_OUTPUT,
    .field = offsetof (Options, checkpoint),
    .help = "write one here" },
  { 0 },
};

static gboolean
write_checkpoint (SlRun *run, int epochs, GError **error)
{
  const Options *options = run->options->values;
  if (options->checkpoint == NULL)
    return TRUE;
  SlOutput *output = sl_run_side_file (run, options->checkpoint, error);
  g_autofree char *text = g_strdup_printf ("epoch %d\n", epochs);
  return output != NULL && sl_output_write (output, text, strlen (text), error)
         && sl_run_land_file (run, output, error);
}

static gboolean
begin_sides (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  for (gint64 i = 1; i <= options->sides; i++)
    {
      g_autofree char *name = g_strdup_printf ("side-%d", (int) i);
      SlOutput *side = sl_run_side_file (run, name, error);
      if (side == NULL || !sl_output_write (side, "side\n", 5, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
train (SlRun *run, FILE *lines, int *epochs, GError **error)
{
  char line[100];
  SlPulse pulse = sl_run_pulse (run);
  while (fgets (line, sizeof line, lines) != NULL)
    {
      gboolean go_on = sl_pulse (&pulse, (SlHowFar){ .unit = "epoch", .n = ++*epochs, .of = 100 });
      sl_run_note (run, "epoch %d", *epochs);
      if (!write_checkpoint (run, *epochs, error))
        return FALSE;
      if (!go_on)
        {
          sl_run_note (run, "stopped");
          break;
        }
    }
  return TRUE;
}

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  int epochs = 0;
  if (options->heed)
    sl_run_may_stop (run);
  FILE *lines = fopen (run->files[0], "re");
  if (lines == NULL)
    return sl_error_usage (error, "LINES cannot be read");
  gboolean ok = begin_sides (run, error) && train (run, lines, &epochs, error);
  (void) fclose (lines);
  if (!ok)
    return FALSE;
  g_autofree char *history = sl_run_provenance (run);
  g_autofree char *text = g_strdup_printf ("%d epochs\n%s\n", epochs, history);
  return sl_output_write (sl_run_output (run), text, strlen (text), error);
}

static const SlCommand command = {
  .name = "epochs",
  .flags = SL_COMMAND_SOURCES | SL_COMMAND_BYTES,
  SL_OPTIONS (option_table, defaults),
  .run = run,
};

int
main (int argc, char **argv)
{
  sl_output_init ();
  return argc > 1 ? sl_run_command (&command, argv + 1) : 2;
}
