/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which table a header of CSV is that softlabel wrote: its kind, its columns, and, where a column
 * is of distributions, its classes. */
#pragma once

#include "pipeline/table/types/types.h"

typedef struct
{
  SlTable *table;
  int *field[SL_MAX_COLUMNS]; /* of a column that the table has: where in a record its texts are */
} SlTextForm;

/* Of the names FIELDS, NULL-terminated. KIND and CLASSES NULL: they are found. Where KIND is given,
 * names that it does not have are left out. FALSE and ERROR where it is no such table. */
gboolean sl_text_form_find (SlTextForm *form, char *const *fields, const SlKind *kind,
                            const char *const *classes, GError **error);
void sl_text_form_clear (SlTextForm *form);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SlTextForm, sl_text_form_clear)

/* Texts of COLUMN in a record. */
int sl_text_form_width (const SlTable *table, int column);

/* Whether values of the table are classes that only its rows name. */
gboolean sl_text_form_seeks_classes (const SlTextForm *form);
