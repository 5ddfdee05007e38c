/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads JSON files of any size, a record at a time, in memory bounded by the largest record. What a
 * record is: each element of an array, each value of JSON Lines (or of values run together); or, of
 * files that are one object whose members are what counts, each member. */
#pragma once

#include "pipeline/base/json-value.h"
#include "source.h"

/* A longer record is a text that is never closed, or no record. */
#define SL_JSON_MAX_RECORD (64 << 20)

typedef struct
{
  gint64 number;    /* from 1; in JSON Lines the line's, if no line is empty */
  char *key;        /* of a member, its escapes undone; else NULL */
  SlJson value;     /* valid until the next record */
  const char *text; /* as it stands in the file, [n] */
  gsize n;
  gboolean alone; /* it is a top-level value, not an element or a member */
} SlJsonRecord;

typedef struct _SlJsonReader SlJsonReader;

/* Takes SOURCE, whatever comes of it. MEMBERS: the members of a top-level object are records. */
SlJsonReader *sl_json_reader_new (SlSource *source, gboolean members, GError **error);
void sl_json_reader_free (SlJsonReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SlJsonReader, sl_json_reader_free)

/* The next record, or *RECORD NULL at the end. One that is not JSON is an error, as nobody knows
 * where the next one begins. */
gboolean sl_json_reader_next (SlJsonReader *reader, const SlJsonRecord **record, GError **error);

const char *sl_json_reader_name (const SlJsonReader *reader); /* for messages */
gint64 sl_json_reader_done (const SlJsonReader *reader);      /* bytes of the file */

/* Whether SOURCE begins as JSON does, with { or [; it is read later none the less. */
gboolean sl_json_begins (SlSource *source, gboolean *is_json, GError **error);
