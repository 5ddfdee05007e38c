/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The other side of a join: for each of its items, the values of the columns that are wanted. */
#pragma once

#include "pipeline/base/intern/intern.h"
#include "pipeline/command/run.h"
#include "pipeline/text/csv.h"

typedef union
{
  gint64 integer; /* also classes, by their codes; yes and no; texts, by their numbers */
  double real;
} SlPartnerValue;

typedef struct
{
  int number;      /* the column in the table that gets it */
  const char *own; /* its name there */
  char *theirs;    /* by what name the other side has it */
  SlType type;
  gboolean renamed; /* THEIRS was given */
  GArray *values;   /* SlPartnerValue, of the items */
  GByteArray *there;
} SlPartnerColumn;

typedef struct
{
  SlRun *run;
  const char *name;     /* for messages */
  const SlTable *table; /* that gets the columns; its classes are those of the values */
  SlPartnerColumn *columns;
  int n_columns;
  SlIntern *items, *texts;
  SlIntern *classes; /* of TABLE */
  gsize claimed;
  SlReader *reader; /* one of the two */
  SlCsv *csv;
} SlPartner;

/* Opens PATH, a CSV file or a table, which OPTION names. */
gboolean sl_partner_open (SlPartner *partner, SlRun *run, const char *option, const char *path,
                          GError **error);
void sl_partner_clear (SlPartner *partner);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlPartner, sl_partner_clear)

/* Takes apart TEXT, "gold,seconds=time": columns of KIND, and what they are called on the other
 * side. */
gboolean sl_partner_parse (SlPartner *partner, const SlKind *kind, const char *text,
                           GError **error);

/* Reads all of it, for TABLE. */
gboolean sl_partner_read (SlPartner *partner, const SlTable *table, GError **error);

/* Notes that item ITEM has VALUE in column C; what is wrong with that, or NULL. */
const char *sl_partner_add (SlPartner *partner, int c, gint32 item, SlPartnerValue value);

/* A value of column C as TEXT[length] says it; what is wrong with it, or NULL. */
const char *sl_partner_value (SlPartner *partner, int c, const char *text, gsize length,
                              SlPartnerValue *value);

gboolean sl_partner_claim (SlPartner *partner, GError **error);

/* ---- partner-csv.c ---- */
gboolean sl_partner_read_csv (SlPartner *partner, GError **error);
