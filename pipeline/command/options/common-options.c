/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options that every stage has. */
#include "pipeline/command/options/option-rows.h"
#include "pipeline/command/run-private.h"

const SlCommonOptions sl_common_defaults = { 0 };

#define OPTIONS SlCommonOptions

const SlOption sl_common_options[] = {
  OUTPUT ("output", output, "FILE",
          "write to FILE, which appears only when all went well; its extension says the format: "
          ".parquet, .arrow, .arrows, .csv, .jsonl (otherwise to standard output). A FOLDER/ gets "
          "part-00000.parquet and on, each at a stroke, and _SUCCESS once all are there",
          .letter = 'o'),
  TEXTS ("partition-by", partition_by, "COLUMN",
         "of a folder: a folder COLUMN=VALUE for the rows of each value, as Hive, Spark and DuckDB "
         "have them. COLUMN is one of texts, classes, whole numbers or yes and no, or the key of a "
         "tag or of such folders in the input"),
  WHOLE ("rows-per-file", rows_per_file, 0, 9e18, "N",
         "of a folder: begin another file after so many rows; 0: one file a folder"),
  CHOICE ("format", format, sl_format_names,
          "the output's format, whatever its name; auto is by extension, an Arrow stream (arrows) "
          "on a pipe, a table on a terminal",
          .placeholder = "FORMAT"),
  FLAG ("if-changed", if_changed,
        "do not touch a file that holds the same bytes already: it keeps its time, and make "
        "remakes nothing that depends on it"),
  INPUT ("cache", cache, "DIR",
         "take the result from the folder DIR if the same program made it there with the same "
         "options from inputs of the same bytes; otherwise keep it there, with all its outputs; "
         "`softlabel cache` manages DIR (default SOFTLABEL_CACHE_DIR, if that is set). "
         "Checkpoints, text and what a terminal shows are not kept"),
  TEXT ("shard", shard, "I/N",
        "read part I of N of the input, from 1/1 to N/N: a share of the row groups of Parquet, or "
        "of several files. A stage that works row by row writes the same rows for the N parts, one "
        "after the other, as for the whole"),
  WHOLE ("threads", threads, 0, 1024, "N",
         "threads that work, beside one that reads ahead (none with 1); 0 is one a processor",
         .letter = 'j'),
  WHOLE ("seed", seed, 0, 9e18, "N",
         "for stages that draw random numbers: the same seed, the same output"),
  SIZE ("max-memory", max_memory, "SIZE",
        "stop rather than hold more than SIZE (512M, 2G) of a table in memory; 0 is no limit. "
        "It bounds what grows with the table, not the batches that are read and written at the "
        "time, the libraries and a network, which come to some hundred MB more. "
        "Without it a batch may take 1 GiB, or eight times its bytes in the input"),
  OUTPUT ("run-log", run_log, "FILE",
          "append a line of JSON for this run to FILE when it ends, well or not: stage, status, "
          "seconds, memory, rows, warnings, error. Runs at the same time can share FILE (default "
          "SOFTLABEL_RUN_LOG, if that is set)"),
  OUTPUT ("run-metrics", run_metrics, "FILE",
          "write the same figures to FILE, at a stroke, in Prometheus' text form; node_exporter's "
          "textfile collector takes FILE.prom, and the run is named by it"),
  CHOICE ("sandbox", sandbox, sl_sandbox_names,
          "open only the files that the command line names, the folders of outputs and the "
          "system's libraries, use no network and start no program, even if a hostile input takes "
          "control; auto does so where the kernel can (Landlock), on fails where it cannot "
          "(default SOFTLABEL_SANDBOX, if that is set)",
          .placeholder = "WHEN"),
  FLAG ("quiet", quiet, "no warnings, no progress", .letter = 'q'),
  FLAG ("verbose", verbose, "tell what was found and done", .letter = 'v'),
  FLAG ("progress", progress,
        "show progress even if standard error is no terminal (a line now and then), or standard "
        "output a pipe"),
  TEXTS ("tag", tag, "KEY=VALUE",
         "a condition that the table is made under; it stays with the table, and with what later "
         "stages make of it. KEY= takes it off again"),
  FLAG ("no-provenance", no_provenance, "leave the table's history out of its metadata"),
  FLAG ("no-digest", no_digest,
        "leave out the digests by which every reader finds a changed bit: a stage that only copies "
        "an Arrow stream saves a fifth of its time, others hardly any. Text has none"),
  { 0 },
};
