/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small CSV files that options name. */
#pragma once

#include "pipeline/command/run.h"
#include "pipeline/text/csv-columns.h"

/* Whether PATH is CSV by its name: .csv or .tsv. */
gboolean sl_side_is_csv (const char *path);

/* Hands the fields of ROLES[n_roles] of each record of PATH, which OPTION names, to TAKE; an
 * optional column that is not there is "". TAKE returns NULL, or what is wrong, to be freed. */
gboolean sl_side_csv (SlRun *run, const char *option, const char *path, const SlColumnRole *roles,
                      int n_roles, char *(*take) (char **fields, gpointer data), gpointer data,
                      GError **error);
