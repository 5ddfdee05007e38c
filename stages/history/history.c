/* SPDX-License-Identifier: GPL-3.0-or-later */
/* history: prints how a table was made, from the record that each stage adds to its metadata, as a
 * pipeline for bash. */
#include "pipeline/command/options/option-rows.h"
#include "pipeline/command/provenance.h"
#include "pipeline/command/run.h"
#include "as-json.h"
#include "as-shell.h"
#include "shell-words.h"

typedef struct
{
  gboolean json;
  gboolean full;
} Options;

static const Options defaults = { 0 };

#define OPTIONS Options

static const SlOption option_table[] = {
  FLAG ("full", full, "print options at their defaults, too, where they can be given",
        .unrecorded = TRUE),
  FLAG ("json", json, "print the record itself, as JSON", .unrecorded = TRUE),
  { 0 },
};

/* The table is read to its end, though its history is in front: a cut file is none, and a stage
 * before this one that fails is noticed, or not cut off. */
static gboolean
drain (SlRun *run, GError **error)
{
  g_autoptr (SlBatch) batch = NULL;
  gboolean ok = TRUE;
  while (sl_run_each (run, &batch, &ok, error))
    continue;
  return ok;
}

static gboolean
append (GString *text, const char *json, const Options *options, GError **error)
{
  g_autoptr (SlJsonParser) parser = sl_json_parser_new ();
  SlJson history = { NULL, 0 };
  if (json != NULL && !sl_provenance_read (parser, json, &history))
    return sl_history_malformed (error);
  if (sl_json_length (history) == 0)
    return sl_error_bad_input (
        error, "has no history: it was written with --no-provenance, or by another program");
  if (!options->json && !sl_history_append (text, history, options->full, error))
    return FALSE;
  if (options->json)
    sl_history_append_json (text, history, 0);
  g_string_append_c (text, '\n');
  return TRUE;
}

static gboolean
run (SlRun *run, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  if (!append (text, sl_reader_table (run->in)->provenance, run->options->values, error))
    {
      g_prefix_error (error, "%s: ", sl_reader_name (run->in));
      return FALSE;
    }
  if (!drain (run, error))
    return FALSE;
  sl_run_print (run, text->str, (gssize) text->len);
  return TRUE;
}

const SlCommand sl_command_history = {
  .name = "history",
  .summary = "print how a table was made, as a pipeline",
  .arguments = "[FILE…]",
  .reads = sl_kinds,
  .flags = SL_COMMAND_TEXT,
  SL_OPTIONS (option_table, defaults),
  .description = "Every stage adds a line to the record in its output's metadata: its name, its "
                 "options, its seed if it draws random numbers, and its source files' names, sizes "
                 "and digests. This prints the record as a pipeline for bash; options at their "
                 "defaults are left out. Sources have their names without folders, so run it where "
                 "they are; UNKNOWN stands for a table that had no history, or too long a one. Run "
                 "again on the same sources, it gives the same bytes. `xxhsum -H3 FILE` prints the "
                 "digest of a source file.",
  .examples = "softlabel history labels.parquet\n"
              "    the commands that made it\n"
              "softlabel history labels.parquet > make-labels.sh\n"
              "    a script that makes it again\n",
  .run = run,
};
