/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which column of a CSV file holds what. */
#pragma once

#include "csv.h"

typedef struct
{
  const char *role; /* what --column calls it */
  /* Headers it is known by, NULL-terminated, in small letters and digits only. "item" also stands
   * for "Item ID" and "item_id". */
  const char *const *names;
  gboolean required;
  /* Headers that are taken for it, the first of them there is, where no column goes by the names
   * above; or NULL. */
  const char *const *fallback;
} SlColumnRole; /* a table ends with {0} */

typedef enum
{
  SL_HEADER_AUTO, /* the first row is a header, unless --column gives nothing but positions */
  SL_HEADER_YES,
  SL_HEADER_NO,
} SlHeader;

/* Parses the texts of --column into the name or position for each of ROLES: NULL where none was
 * given, empty where there is to be none. *GIVEN is to be freed with ROLES, whatever comes of
 * it. */
gboolean sl_columns_parse (const SlColumnRole *roles, char *const *texts, char ***given,
                           GError **error);
void sl_columns_free (char **given, const SlColumnRole *roles);

/* COLUMN[role] becomes the place of each role in CSV, -1 for none. GIVEN NULL: there is no such
 * option. Where the first record is a
 * header, it is skipped. */
gboolean sl_columns_find (SlCsv *csv, const SlColumnRole *roles, char *const *given,
                          SlHeader header, int *column, GError **error);

/* The same for a table that has names and is not CSV: of CSV its name, first and n_fields are
 * looked at. */
gboolean sl_columns_find_named (const SlCsv *csv, const SlColumnRole *roles, char *const *given,
                                int *column, GError **error);

/* Likewise in a file after others: it must have the same roles as COLUMN says of the one before
 * it. */
gboolean sl_columns_find_again (SlCsv *csv, const SlColumnRole *roles, char *const *given,
                                SlHeader header, int *column, GError **error);

/* The header's names, for a message. */
char *sl_columns_list (const SlCsv *csv);

/* Which column each role was found in, for --verbose. */
char *sl_columns_tell (const SlCsv *csv, const SlColumnRole *roles, const int *column);

/* What the user should know of the columns without asking: which are left out, and which were taken
 * by a fallback. NULL where there is nothing to tell. */
char *sl_columns_left_out (const SlCsv *csv, const SlColumnRole *roles, const int *column);

/* Whether HEADER is one of the names that ROLE is known by. */
gboolean sl_role_matches (const SlColumnRole *role, const char *header);
