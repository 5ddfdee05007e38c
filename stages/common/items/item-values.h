/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of items from a file that an option names: gold classes, or whatever a join brings. The
 * file is a table of softlabel's, CSV, JSON lines, or Parquet and Arrow of another program, told by
 * its first bytes. Wherever it is read the same holds: blanks around items and values do not count;
 * what is empty, or NA and the like, is no value; a class may be written in other letters, upper
 * and lower case; two values of an item are an error; a class that is none of the table's is one
 * once somebody asks for it. */
#pragma once

#include "pipeline/base/intern/intern.h"
#include "pipeline/command/run.h"
#include "pipeline/text/csv.h"
#include "stages/common/classes/class-coder.h"
#include "stages/common/files/csv-cells.h"

typedef union
{
  gint64 integer; /* also yes and no; texts, by their numbers; classes, by their codes, or -2 less
                   * the text's number where it is none of them */
  double real;
} SlItemValue;

typedef struct
{
  char *name; /* what the file calls it */
  SlType type;
  gboolean is_gold; /* goes by truth, label and the like, too */
  GArray *values;   /* SlItemValue, of the items */
  GByteArray *there;
} SlItemColumn;

typedef struct
{
  SlRun *run;
  char *name;             /* of the file */
  const char *option;     /* that names it */
  const SlColumnRole *of; /* whose values they are: items, or annotators */
  SlIntern *items, *texts;
  GArray *columns;      /* SlItemColumn */
  char *const *classes; /* that values may be of, and how texts stand for them */
  const SlClassTexts *class_texts;
  gint32 n_classes;
  gsize claimed;
  SlReader *reader; /* until it is read, one of the two */
  SlCsv *csv;
} SlItemValues;

/* Opens PATH, which OPTION names and which is part of the history: before the output begins. */
gboolean sl_item_values_open (SlItemValues *values, SlRun *run, const char *option,
                              const char *path, GError **error);
gboolean sl_item_values_open_of (SlItemValues *values, SlRun *run, const char *option,
                                 const char *path, const SlColumnRole *of, GError **error);
void sl_item_values_clear (SlItemValues *values);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlItemValues, sl_item_values_clear)

/* Wants the column NAME. GOLD: it is looked for by the other names of gold as well, and a file of
 * one column is a list of them, of items that are numbered from 0. */
void sl_item_values_want (SlItemValues *values, const char *name, SlType type, gboolean gold);

/* Reads all of it; classes are those of CLASSES[n]. TEXTS: how texts stand for them, or NULL. */
gboolean sl_item_values_read (SlItemValues *values, char *const *classes, gint32 n,
                              const SlClassTexts *texts, GError **error);

/* All of that for gold classes alone. */
gboolean sl_item_values_gold (SlItemValues *values, SlRun *run, const char *path,
                              const SlTable *table, GError **error);

/* The number of ITEM[n]; -1: the file does not have it. */
gint32 sl_item_values_find (const SlItemValues *values, const char *item, gsize n);

/* ID[n] <- the numbers of NAMES in ITEMS, which have no blanks around them; -1: not there. */
void sl_items_find (const SlIntern *items, SlText names, gint64 n, int threads, gint32 *id);

/* Column C's value of item ID, which may be -1; NULL: there is none. */
const SlItemValue *sl_item_values_get (const SlItemValues *values, int c, gint32 id);

/* *CODE <- the class of item ID, or -1. FALSE and ERROR: it has one that is none of the classes. */
gboolean sl_item_values_class (const SlItemValues *values, int c, gint32 id, gint32 *code,
                               GError **error);
