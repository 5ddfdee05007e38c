/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options.h"

#include "formats.h"
#include "pipeline/command/options/option-rows.h"
#include "stages/ingest/readers/seen-pairs.h"

static const char *const header_names[] = { "auto", "yes", "no", NULL };
static const char *const zero_names[] = { "hundred", "missing", "keep", NULL };

static const char *const yes_no[] = { "yes", "no", NULL };
static const char *const percent_scales[] = { "1", "100", NULL };

static const char *const layout_names[] = { "auto", "hwc", "chw", NULL };
static const char *const repeat_names[] = { "keep", "mark", "drop", NULL };
static const char *const fit_names[] = { "stretch", "crop", NULL };
static const char *const item_names[] = { "name", "path", "stem", NULL };

const SlIngestOptions sl_ingest_defaults
    = { .from = -1, .percent_scale = SL_PERCENT_UNSAID, .repeats = SL_REPEATS_UNSAID };

#define OPTIONS SlIngestOptions

const SlOption sl_ingest_options[] = {
  CHOICE ("from", from, sl_ingest_format_names, "what the files are; must be given",
          .traits = sl_ingest_format_traits, .makes = sl_ingest_format_kinds,
          .meanings = sl_ingest_format_meanings, .placeholder = "FORMAT"),
  TEXT ("classes", classes, "A,B,C",
        "the classes, in their order; any other answer is an error. Without it they are the "
        "answers found, sorted"),
  INPUT ("classes-from", classes_from, "FILE", "the classes from a text file, one a line"),
  TEXTS ("column", columns, "ROLE=COLUMN,...",
         "which column holds what: its name, or its position counted from 1; nothing for none",
         .with = "from", .of = SL_FORMAT_COLUMN),
  TEXT ("columns", columns_like, "PATTERN",
        "which columns hold answers: a name in which * stands for anything and ? for one character",
        .with = "from", .of = SL_FORMAT_COLUMNS),
  TEXT ("trial-type", trial_type, "TYPE", "which trials are answers, by their trial_type",
        .with = "from", .of = SL_FORMAT_TRIAL_TYPE),
  CHOICE ("header", header, header_names,
          "whether the first row names the columns; auto: yes, unless --column gives positions "
          "only, or, for counts, all of it is numbers",
          .placeholder = "WHEN", .with = "from", .of = SL_FORMAT_HEADER),
  TEXT ("delimiter", delimiter, "C",
        "what separates the fields of CSV: one character, tab or space. Without it a comma or a "
        "tab, whichever the first row has more of, or, where it has neither, a semicolon or |",
        .with = "from", .of = SL_FORMAT_DELIMITER),
  TEXTS ("na", missing, "TEXT",
         "a TEXT that stands for no class: such answers are left out, and counted. NA, N/A, n/a, "
         "<NA>, #N/A, NaN, nan, NULL and null are errors where an answer is wanted, unless --na or "
         "--classes names them, or --na '' says that they are classes",
         .with = "from", .of = SL_FORMAT_NA),
  CHOICE ("trim", trim, yes_no, "drop blanks around items, annotators and classes", .with = "from",
          .of = SL_FORMAT_NAMES),
  TEXTS ("rename-class", renamed, "OLD=NEW", "read the class OLD as NEW", .with = "from",
         .of = SL_FORMAT_NAMES),
  CHOICE ("percent-scale", percent_scale, percent_scales,
          "the percent that is all: 1 where the files have fractions. A number with a percent sign "
          "is a percent anyway. Without it 100, but fractions alone are an error",
          .with = "from", .of = SL_FORMAT_PERCENTS),
  TEXTS ("replace-percent", replace_percent, "TEXT=NUMBER",
         "read a percent typed as TEXT as NUMBER", .with = "from", .of = SL_FORMAT_REPLACE_PERCENT),
  CHOICE ("zero-percent", zero_percent, zero_names,
          "what a first percent of 0, or none, becomes: 100 with the row marked as repaired, "
          "missing, or itself",
          .placeholder = "HOW", .with = "from", .of = SL_FORMAT_REPLACE_PERCENT),
  REAL ("rescale", rescale, 0, 0.5, "TOLERANCE",
        "divide a distribution by its sum, where that is within TOLERANCE of 1, as of rounded "
        "ones; more than 0.0001 off is an error without it",
        .with = "from", .of = SL_FORMAT_DISTRIBUTIONS),
  TEXT ("question", question, "NAME",
        "which question is read, where the files have answers to several", .with = "from",
        .of = SL_FORMAT_QUESTION),
  TEXT ("annotator", annotator, "NAME", "who answered, where the files do not say", .with = "from",
        .of = SL_FORMAT_ANNOTATOR),
  TEXTS ("keep", keep, "STATUS", "take answers of this status too, which are left out otherwise",
         .with = "from", .of = SL_FORMAT_KEEP),
  CHOICE ("repeats", repeats, repeat_names,
          "answers of an annotator to an item that has one of theirs already: keep them as they "
          "are, mark them in the column `repeat`, or drop them; how many there are is said. "
          "Without it long keeps them, and the exports mark them",
          .with = "from", .of = SL_FORMAT_REPEATS),
  TEXT ("reject-as", reject_as, "CLASS", "the class that rejecting the label on show stands for",
        .with = "from", .of = SL_FORMAT_REJECT_AS),
  FLAG ("transpose", transpose, "rows are annotators, and columns items", .with = "from",
        .of = SL_FORMAT_TRANSPOSE),
  INPUTS ("labels", labels, "FILE",
          "the gold classes, one for each row: numbers from 0 (.npy, idx), -1 for none, or class "
          "names (a text file, one a line); each FILE has its own",
          .with = "from", .of = SL_FORMAT_LABELS),
  INPUT ("items", items, "FILE",
         "the items of rows that have no names, one a line; without it they are numbered from 0",
         .with = "from", .of = SL_FORMAT_DISTRIBUTIONS | SL_FORMAT_UNNAMED),
  INPUT ("gold", gold, "FILE",
         "the items' true classes, from a table (CSV, Parquet, JSON ...) with a column of items "
         "and one headed gold, truth, label or class; or a class a line, for items numbered from 0",
         .with = "from", .of = SL_FORMAT_GOLD),
  TEXT ("item-prefix", item_prefix, "TEXT", "put TEXT before each item's name", .with = "from",
        .of = SL_FORMAT_EXAMPLES),
  WHOLE ("severity", severity, 1, 5, "N",
         "of a file of CIFAR-10-C, which has five severities one behind the other, the rows of "
         "this one, with items numbered as in each",
         .with = "from", .of = SL_FORMAT_LAYOUT),
  CHOICE ("layout", layout, layout_names,
          "whether an image's channels are the last of its dimensions, or the first; auto: that of "
          "1 or 3, the last one if both are",
          .with = "from", .of = SL_FORMAT_LAYOUT),
  TEXT ("resize", resize, "N|WxH", "make all images so large; without it they must be alike",
        .with = "from", .of = SL_FORMAT_IMAGES),
  CHOICE (
      "fit", fit, fit_names,
      "what --resize does where the shape is another: stretch the image, or take the middle of it",
      .with = "from", .of = SL_FORMAT_IMAGES),
  CHOICE ("item", item_part, item_names, "what of cat/a.png is the item: a.png, all of it, or a",
          .with = "from", .of = SL_FORMAT_IMAGES),
  TEXT ("pattern", pattern, "REGEX",
        "a regular expression (PCRE) whose groups (?<item>...) and (?<class>...) find both in the "
        "path below the folder; images that do not match are left out",
        .with = "from", .of = SL_FORMAT_IMAGES),
  INPUT ("class-map", class_map, "FILE",
         "the class of each folder: lines of a folder, a comma or tab, and its class; images in "
         "other folders are left out",
         .with = "from", .of = SL_FORMAT_IMAGES),
  OUTPUT ("rejects", rejects, "FILE",
          "write bad rows to this CSV file, with place and reason, and go on",
          .shapes_output = TRUE),
  { 0 },
};
