/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cat: tables of one kind, end to end, in any format. Classes in another order than the first
 * table's are put into its order. */
#include "pipeline/command/run.h"
#include "stages/common/classes/class-list.h"
#include "stages/common/tables/joined-tables.h"

typedef struct
{
  char *table;   /* a kind's name */
  char *classes; /* A,B,C */
  gboolean common;
} Options;

static const Options defaults = { 0 };

static const SlOption option_table[] = {
  { .name = "table",
    .kind = SL_OPTION_TEXT,
    .field = offsetof (Options, table),
    .placeholder = "KIND",
    .help
    = "what a table is that does not say it itself (as written by pandas, Polars or DuckDB)" },
  { .name = "classes",
    .kind = SL_OPTION_TEXT,
    .field = offsetof (Options, classes),
    .placeholder = "A,B,C",
    .help = "the classes, in their order, of a table that does not name them itself" },
  { .name = "common",
    .kind = SL_OPTION_FLAG,
    .field = offsetof (Options, common),
    .help = "leave out optional columns that not all tables have, instead of refusing" },
  { 0 },
};

static gboolean
check_options (SlOptions *given, GError **error)
{
  const Options *options = given->values;
  if (options->table != NULL && sl_kind_find (options->table) == NULL)
    return sl_error_usage (error,
                           "--table: there is no kind of table '%s'; `softlabel schema` lists them",
                           options->table);
  g_auto (GStrv) classes = NULL;
  return sl_classes_given (options->classes, NULL, &classes, error);
}

static gboolean
run (SlRun *run, GError **error)
{
  const Options *options = run->options->values;
  g_auto (GStrv) classes = NULL;
  if (!sl_classes_given (options->classes, NULL, &classes, error))
    return FALSE;
  const SlReaderOptions how
      = { .kind = options->table != NULL ? sl_kind_find (options->table) : NULL,
          .classes = (const char *const *) classes,
          .threads = run->threads };
  g_auto (SlJoined) joined;
  sl_joined_init (&joined, run, &how, options->common);
  if (!sl_joined_open (&joined, error) || !sl_run_start (run, joined.table, error))
    return FALSE;
  for (;;)
    {
      g_autoptr (SlBatch) batch = NULL;
      if (!sl_joined_next (&joined, &batch, error))
        return FALSE;
      if (batch == NULL)
        return TRUE;
      if (!sl_writer_write (run->out, batch, error))
        return FALSE;
    }
}

const SlCommand sl_command_cat = {
  .name = "cat",
  .summary = "join tables end to end, or convert a table to another format",
  .arguments = "[FILE…]",
  .flags = SL_COMMAND_TABLES,
  SL_OPTIONS (option_table, defaults),
  .description = "Writes the rows of all FILEs, in order. They must be of one kind and have the "
                 "same classes; classes in another order are put into that of the first. The "
                 "output's format goes by its extension: .parquet, .arrow (an Arrow file), "
                 ".arrows (an Arrow stream), .csv, .jsonl.\n\n"
                 "Programs such as pandas, Polars and DuckDB write Parquet without the metadata "
                 "that says what a table is. --table and --classes give it back.",
  .examples = "softlabel cat labels.arrows -o labels.parquet\n"
              "    converts\n"
              "softlabel cat monday.parquet tuesday.parquet -o both.parquet\n"
              "    joins\n"
              "softlabel cat --table labels --classes cat,dog edited.parquet -o labels.parquet\n"
              "    makes a table of what another program wrote\n",
  .check = check_options,
  .run = run,
};
