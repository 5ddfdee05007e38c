/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a table came to be: a JSON array with one entry a stage.
 *
 *     [{"verb":"ingest","version":"0.1.0","options":{"from":"long",...},
 *       "sources":[{"name":"votes.csv","size":123,"xxh3":"..."}]},
 *      {"verb":"redistribute","version":"0.1.0","options":{...},
 *       "inputs":{"vectors":{"name":"glove.txt","size":...,"xxh3":"..."}}},
 *      {"verb":"aggregate","version":"0.1.0","options":{...},"seed":0,"inputs":{"prior":[...]}}]
 *
 * No dates, hosts, absolute paths or thread counts: the same run gives the same bytes. */
#pragma once

#include "pipeline/base/json-value.h"
#include "options/option.h"

typedef struct
{
  GString *sources; /* JSON array items so far */
  GString *inputs;  /* JSON members so far */
  GString *chain;   /* the array items of the input table's own history */
  char *found;      /* JSON object: what the stage decided by itself; or NULL */
  char *tags;       /* JSON object: those that it adds; or NULL */
  char *shard;      /* which part of its input it reads: "2/8"; or NULL */
} SlProvenance;

void sl_provenance_init (SlProvenance *provenance);
void sl_provenance_clear (SlProvenance *provenance);

/* Appends to JSON the name that a history has for the file at PATH: PATH as it was given, but of an
 * absolute one its last part. Where a file lies on a machine is nobody's business. */
void sl_provenance_append_path (GString *json, const char *path);

/* A source file's name, size and XXH3 digest; "-" and what is no regular file have only a name. */
gboolean sl_provenance_add_source (SlProvenance *provenance, const char *path, GError **error);

/* Likewise of a file that is the value of OPTION, and no table. */
gboolean sl_provenance_add_file (SlProvenance *provenance, const char *option, const char *path,
                                 GError **error);

/* Reads HISTORY into STAGES, an array of objects; FALSE where it is none. */
gboolean sl_provenance_read (SlJsonParser *parser, const char *history, SlJson *stages);

/* The history of an input table: of the main one (OPTION NULL), or of an option's (of several
 * files, "file 1" and so on). One that cannot be kept is recorded as unknown; the answer then says
 * why ("its history is ..."), and is NULL otherwise. */
const char *sl_provenance_add_input (SlProvenance *provenance, const char *option,
                                     const char *history);

/* Records FOUND, a JSON object, in place of what was recorded so before. */
void sl_provenance_set_found (SlProvenance *provenance, const char *found);

/* Records TAGS, a JSON object (NULL: none). */
void sl_provenance_set_tags (SlProvenance *provenance, const char *tags);

/* Records that SHARD of the input is read. */
void sl_provenance_set_shard (SlProvenance *provenance, const char *shard);

/* The whole history with this stage's entry at its end. */
char *sl_provenance_finish (SlProvenance *provenance, const char *verb, const SlOptions *options,
                            const guint64 *seed);
