/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ordered classes: the number that each of them stands for, rising in the classes' order. */
#pragma once

#include "table.h"

/* Whether TABLE's classes are steps of a scale, and not names alone. */
gboolean sl_classes_are_ordered (const SlTable *table);

/* [n_classes], rising; NULL where the classes are not ordered. */
const double *sl_class_values (const SlTable *table);

void sl_table_set_values (SlTable *table, const double *values); /* copied; NULL: not ordered */

/* A JSON array, as the metadata has it; NULL for NULL. */
char *sl_values_to_json (const double *values, gint32 n);

/* N rising numbers, to be freed; NULL and ERROR where JSON is anything else. */
double *sl_values_from_json (const char *json, gint32 n, GError **error);
