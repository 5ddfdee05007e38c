/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes that nothing names before the answers. */
#pragma once

#include "pipeline/command/run.h"
#include "stages/common/classes/class-coder.h"

/* Finds the classes in the files where --classes does not say them, and tells of doubtful ones. */
typedef struct
{
  SlIntern *known; /* the classes; NULL while they are being found */
  SlIntern *found; /* meanwhile */
  /* of gboolean, for each code in `found`: it was answered, and is not gold alone */
  GArray *answered;
  /* Names in one case, to codes in `found`; NULL: case tells classes apart. */
  GHashTable *folded;
} SlClassSearch;

/* CLASSES NULL: they are to be found. IGNORE_CASE: those that differ in case alone are one. */
void sl_class_search_init (SlClassSearch *search, char *const *classes, gboolean ignore_case);
void sl_class_search_clear (SlClassSearch *search);

/* Takes over the classes that CODER has learned; MAP gets their codes in `found`. ANSWERED:
 * annotators answered them. FALSE where there are more classes than a table can have. */
gboolean sl_class_search_add (SlClassSearch *search, const SlCoder *coder, GArray *map,
                              gboolean answered);

/* Sorts the classes found and returns them. Code c in `found` becomes place[c]. Warns of doubtful
 * ones. */
char **sl_class_search_end (SlClassSearch *search, gint32 *place, SlRun *run);

/* Warns of classes that look alike, of those whose names read as "no answer", and of gold classes
 * that nobody answered. ANSWERED[n classes]. */
void sl_classes_warn (char *const *classes, const gboolean *answered, SlRun *run);
