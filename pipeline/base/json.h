/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON text, appended piece by piece. */
#pragma once

#include <glib.h>

void sl_json_string (GString *json, const char *text, gssize length);
/* The shortest text that reads back the same; null if not finite. */
void sl_json_real (GString *json, double value);

/* Appends TEXT as a string, or null where it is NULL. */
void sl_json_text_or_null (GString *json, const char *text);

/* Appends "NAME": with a comma before it unless it is the first member of its object. */
void sl_json_member (GString *json, const char *name);

/* A whole member: TEXT, null where it is NULL; FLAG; VALUE. */
void sl_json_text_member (GString *json, const char *name, const char *text);
void sl_json_flag_member (GString *json, const char *name, gboolean flag);
void sl_json_integer_member (GString *json, const char *name, gint64 value);
