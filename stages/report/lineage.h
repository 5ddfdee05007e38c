/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How several tables came to be, as one graph: what their histories have in common is there once.
 */
#pragma once

#include "pipeline/table/table.h"

typedef enum
{
  SL_STEP_SOURCE,
  SL_STEP_STAGE,
  SL_STEP_TABLE,
  SL_STEP_UNKNOWN, /* a table without a history that could be read */
} SlStepKind;

typedef struct
{
  SlStepKind kind;
  char *name;   /* a verb, or a file */
  char *text;   /* options that are not at their defaults; a file's size */
  GArray *from; /* int: the steps that it reads, all before this one */
  int n_uses;   /* steps that read it */
} SlStep;

typedef struct
{
  GPtrArray *steps;   /* of SlStep, each after those that it reads */
  GHashTable *number; /* what a step is: its number + 1 */
  gboolean cut;       /* there are more steps than a picture has room for */
} SlLineage;

void sl_lineage_init (SlLineage *lineage);
void sl_lineage_clear (SlLineage *lineage);

/* Adds TABLE, called NAME, and all that it came from. What cannot be read of its history is an
 * unknown step. */
void sl_lineage_add (SlLineage *lineage, const SlTable *table, const char *name);
