/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --cache: an earlier result of the same key is taken in place of a run, and a run's result is kept
 * for later ones. What is served has been compared with its digest; what is kept is whole. */
#pragma once

#include "run.h"

typedef struct
{
  char *folder;   /* NULL: no cache */
  char *key, *id; /* NULL: this run cannot be cached */
  GArray *levels; /* what was said, of int and texts */
  GPtrArray *said;
  gboolean unfit; /* not to be kept after all */
  guint64 stamp;  /* of the inputs, as the key was made */
} SlRunCache;

/* For whoever tells of caches: the key that the command line WORDS would have, and in *FOLDER what
 * its --cache names, or NULL, to be freed. NULL where it would not be cached, and *WHY says why, to
 * be freed; or where ERROR is set. Standard input is put into a file in the folder SPARE. */
char *sl_run_key_of (char **words, const char *spare, char **folder, char **why, GError **error);

/* The folder that --cache or SOFTLABEL_CACHE_DIR names; NULL: none. */
const char *sl_run_cache_folder (const SlRun *run);

/* Finds RUN's key. TRUE where that cannot be had, too: it then runs as ever. */
gboolean sl_run_cache_begin (SlRun *run, GError **error);

/* Writes an earlier result, ready to land, and says what was said then; *SERVED: there was one. */
gboolean sl_run_cache_serve (SlRun *run, gboolean *served, GError **error);

/* Prepares OUTPUT, of OPTION, so that its bytes can be kept. */
void sl_run_cache_watch (SlRun *run, SlOutput *output);

/* After all outputs are complete, and before one takes its name: keeps them. */
void sl_run_cache_keep (SlRun *run);

/* Hears what RUN says. */
void sl_run_cache_record (SlRun *run, int level, const char *text);

void sl_run_cache_clear (SlRun *run);
