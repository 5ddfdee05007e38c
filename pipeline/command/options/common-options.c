/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options that every stage has. */
#include "pipeline/command/run-private.h"

const SlCommonOptions sl_common_defaults = { 0 };

const SlOption sl_common_options[] = {
  { .name = "output",
    .letter = 'o',
    .kind = SL_OPTION_OUTPUT,
    .field = offsetof (SlCommonOptions, output),
    .placeholder = "FILE",
    .help = "write to FILE, which appears only when all went well; its extension says the format: "
            ".parquet, .arrow, .arrows, .csv, .jsonl (otherwise to standard output)" },
  { .name = "format",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (SlCommonOptions, format),
    .choices = sl_format_names,
    .placeholder = "FORMAT",
    .help = "the output's format, whatever its name; auto is by extension, an Arrow stream "
            "(arrows) on a pipe, a table on a terminal; lewidi is what the shared tasks Learning "
            "With Disagreements take" },
  { .name = "if-changed",
    .kind = SL_OPTION_FLAG,
    .field = offsetof (SlCommonOptions, if_changed),
    .help = "leave a file alone, with its time, that holds the same bytes already: make then "
            "remakes nothing that depends on it" },
  { .name = "cache",
    .kind = SL_OPTION_INPUT,
    .field = offsetof (SlCommonOptions, cache),
    .placeholder = "DIR",
    .help = "take an earlier result from the folder DIR, if the verb, the program, all options "
            "and all bytes of the inputs were the same, and keep this one there with all its "
            "outputs; `softlabel cache` looks after DIR (default SOFTLABEL_CACHE_DIR, if that is "
            "set). Checkpoints, text and what a terminal shows are not kept" },
  { .name = "shard",
    .kind = SL_OPTION_TEXT,
    .field = offsetof (SlCommonOptions, shard),
    .placeholder = "I/N",
    .help = "read part I of N of the input, from 1/1 to N/N: a share of the row groups of Parquet, "
            "or of several files. A stage that works row by row writes the same rows for the N "
            "parts, one after the other, as for the whole" },
  { .name = "threads",
    .letter = 'j',
    .kind = SL_OPTION_INTEGER,
    .field = offsetof (SlCommonOptions, threads),
    .min = 0,
    .max = 1024,
    .placeholder = "N",
    .help = "threads that work, beside one that reads ahead (none with 1); 0 is one a processor" },
  { .name = "seed",
    .kind = SL_OPTION_INTEGER,
    .field = offsetof (SlCommonOptions, seed),
    .min = 0,
    .max = 9e18,
    .placeholder = "N",
    .help = "for stages that draw random numbers: the same seed, the same output" },
  { .name = "max-memory",
    .kind = SL_OPTION_SIZE,
    .field = offsetof (SlCommonOptions, max_memory),
    .placeholder = "SIZE",
    .help = "stop rather than hold more than SIZE (512M, 2G) of a table in memory; 0 is no limit. "
            "Without it a batch may take 1 GiB, or eight times its bytes in the input" },
  { .name = "sandbox",
    .kind = SL_OPTION_CHOICE,
    .field = offsetof (SlCommonOptions, sandbox),
    .choices = sl_sandbox_names,
    .placeholder = "WHEN",
    .help = "open nothing but the files that the command line names, the folders of outputs and "
            "the system's libraries, reach nobody and run no program, whatever the input makes of "
            "this one; auto does so where the kernel can (Landlock), on fails where it cannot "
            "(default SOFTLABEL_SANDBOX, if that is set)" },
  { .name = "quiet",
    .letter = 'q',
    .kind = SL_OPTION_FLAG,
    .field = offsetof (SlCommonOptions, quiet),
    .help = "no warnings, no progress" },
  { .name = "verbose",
    .letter = 'v',
    .kind = SL_OPTION_FLAG,
    .field = offsetof (SlCommonOptions, verbose),
    .help = "tell what was found and done" },
  { .name = "progress",
    .kind = SL_OPTION_FLAG,
    .field = offsetof (SlCommonOptions, progress),
    .help = "show progress even if standard error is no terminal (a line now and then), or "
            "standard output a pipe" },
  { .name = "tag",
    .kind = SL_OPTION_TEXTS,
    .field = offsetof (SlCommonOptions, tag),
    .placeholder = "KEY=VALUE",
    .help
    = "a condition that the table is made under; it stays with the table, and with what later "
      "stages make of it. KEY= takes it off again" },
  { .name = "no-provenance",
    .kind = SL_OPTION_FLAG,
    .field = offsetof (SlCommonOptions, no_provenance),
    .help = "leave the table's history out of its metadata" },
  { .name = "no-digest",
    .kind = SL_OPTION_FLAG,
    .field = offsetof (SlCommonOptions, no_digest),
    .help = "leave out the digests by which every reader finds a changed bit: a stage that only "
            "copies an Arrow stream saves a fifth of its time, others hardly any. Text has none" },
  { 0 },
};
