/* SPDX-License-Identifier: GPL-3.0-or-later */
/* describe: what the verbs are, what they read and write, and which options they have; for programs
 * that make something of it, as the Python package does. */
#include "pipeline/command/help/describe.h"
#include "pipeline/command/options/option-rows.h"
#include "pipeline/command/run.h"

typedef struct
{
  gboolean json;
} Options;

static const Options defaults = { 0 };

#define OPTIONS Options

static const SlOption option_table[] = {
  FLAG ("json", json, "print JSON: all of the verbs, and the options of every verb",
        .unrecorded = TRUE),
  { 0 },
};

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  if (run->files[0] != NULL)
    return sl_error_usage (error, "'%s': it takes no file; all verbs are described", run->files[0]);
  g_autoptr (GString) text = g_string_new (NULL);
  (options->json ? sl_describe_json : sl_describe_verbs) (text);
  sl_run_print (run, text->str, (gssize) text->len);
  return TRUE;
}

const SlCommand sl_command_describe = {
  .name = "describe",
  .summary = "print what each verb reads and writes; as JSON, with all options",
  .arguments = "",
  .flags = SL_COMMAND_SOURCES | SL_COMMAND_TEXT,
  SL_OPTIONS (option_table, defaults),
  .description
  = "A line for each verb: the kinds of table that it reads and writes.\n"
    "--json is for programs, and made from what --help is made from. `options` are those of every "
    "verb; each of `verbs` has its name, summary, arguments, description and examples, `inputs` "
    "(table: one, or several files as one; tables; files of any form; words), `output` (table, "
    "text, bytes or folder), the kinds that it `reads` (none: any table, if its inputs are tables) "
    "and `writes` (none: as it reads), the options of every verb that are `unused`, and its own "
    "`options`. An option has its name, letter, type (flag, integer, real, size in bytes, choice, "
    "text, texts, input, inputs, output: texts and inputs may be given again, the last three name "
    "files), minimum, maximum and default where there are any, choices with meanings and, where "
    "they decide it, the kind that is made, the word that stands for its value in help, the value "
    "that it has where it is given by itself, help, and its scope: what it goes with.",
  .examples
  = "softlabel describe\n"
    "    which verbs take which tables\n"
    "softlabel describe --json | jq -r '.verbs[] | select(.reads | index(\"labels\")) | .name'\n"
    "    the verbs that read labels\n",
  .run = run,
};
