/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sources whose bytes are made while they are read: CSV of what is another form of a table. */
#pragma once

#include "source.h"

G_BEGIN_DECLS

typedef struct
{
  /* Appends more bytes to TEXT; none at the end. */
  gboolean (*more) (gpointer data, GString *text, GError **error);
  void (*free) (gpointer data);
  gint64 (*taken) (gpointer data); /* as of SlSource; NULL: not known */
} SlSourceMaker;

/* Takes DATA. */
SlSource *sl_source_new_made (const char *name, const SlSourceMaker *maker, gpointer data);

/* The data of a source whose bytes MAKER makes; NULL of any other one. */
gpointer sl_source_made_by (const SlSource *source, const SlSourceMaker *maker);

/* CSV of the JSON records in SOURCE, objects, which it takes: a column for each member that the
 * first thousand of them have. Members of members are columns too, `label.cat`; lists are joined by
 * |, and what one of their objects holds by a colon. */
SlSource *sl_source_new_json_text (SlSource *source, GError **error);

G_END_DECLS
